"""Control values of the baseline method: from columns or from self-play rows, and their expectation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.data.episodes import Episodes
from equipoise.diagnostics import Diagnostic, info
from equipoise.errors import DataError, ParameterError, did_you_mean, some_of
from equipoise.luck.samples import counted
from equipoise.luck.seating import Codes, Mask, Units, check_seats, hand_codes, self_play
from equipoise.results import FloatArray

ZERO_SUM_TOLERANCE = 1e-6
"""A table adds up to zero if its sum is below this share of its largest utility."""


@dataclass(frozen=True, slots=True)
class Control:
    """One control: its value in each row (NaN in rows without one) and which rows are its own self-play."""

    name: str
    values: FloatArray
    own_rows: Mask
    spare: FloatArray | None = None
    """Self-play on deals that nobody else played (deals x seats)."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """E[Y] in each row (rows x controls), and the spare self-play (deals x seats) it was estimated from, if it was."""

    per_row: FloatArray
    spares: tuple[FloatArray, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    def variance(self, c: FloatArray, shares: FloatArray) -> float:
        """What an estimated E[Y] adds to the variance, for coefficients ``c`` and these shares of the seats.

        Several controls may have been estimated from the same deals: their errors are added as if they always agreed.
        """
        errors = [(spare @ shares).std(ddof=1) / np.sqrt(len(spare)) for spare in self.spares]
        return float(np.sum(np.abs(c) * np.array(errors)) ** 2) if errors else 0.0


def find_controls(e: Episodes, names: Sequence[str]) -> list[Control]:
    """Read each control from its column, or else from the rows of an agent of that name."""
    found = []
    for name in names:
        if name in e.controls:
            found.append(Control(name, e.controls[name], np.zeros(len(e), dtype=bool)))
        elif name in e.agents:
            found.append(_self_play(e, name))
        else:
            known = [*e.controls, *e.agents]
            raise ParameterError(
                f'control "{name}" is neither a control column ({some_of(e.controls) or "none"}) nor an agent '
                f"({some_of(e.agents)}){did_you_mean(name, known)}"
            )
    return found


def _self_play(e: Episodes, name: str) -> Control:
    """The control's mean self-play utility at each deal and seat, given to every other row of that deal and seat."""
    if e.seat is None:
        raise DataError(f'control "{name}" comes as rows, which need a seat column to be matched with other rows')
    own = (e.agent.codes == e.agents.index(name)) & self_play(e, hand_codes(e))
    if not own.any():
        raise DataError(
            f'control "{name}" never plays against itself here; baseline needs its self-play on the same deals'
        )
    seats = len(e.seat.labels)
    cell = e.deal.codes.astype(np.int64) * seats + e.seat.codes
    cells = len(e.deal.labels) * seats
    count = np.bincount(cell[own], minlength=cells)
    total = np.bincount(cell[own], weights=e.utility[own], minlength=cells)
    value = np.divide(total, count, out=np.full(cells, np.nan), where=count > 0)
    played = np.bincount(e.deal.codes[~own], minlength=len(e.deal.labels)) > 0
    return Control(name, value[cell], own, _spare(value.reshape(-1, seats)[~played]))


def _spare(values: FloatArray) -> FloatArray | None:
    complete = values[np.isfinite(values).all(axis=1)]
    return complete if len(complete) > 1 else None


def check_known(e: Episodes, controls: Sequence[Control], rows: Codes) -> None:
    """Refuse rows without a control value."""
    for control in controls:
        missing = rows[np.isnan(control.values[rows])]
        if len(missing):
            deals = dict.fromkeys(e.deal.labels[code] for code in e.deal.codes[missing])
            raise DataError(
                f'control "{control.name}" has no value in {counted(len(missing), "row")} (deals: {some_of(deals)}); '
                "let the control play these deals, or leave the rows out"
            )


def expectation(
    e: Episodes, controls: Sequence[Control], grouped: Units, mean: float | Mapping[str, float] | str | None
) -> Expectation:
    """E[Y] for each row and control: believed to be zero after checks, given, or estimated from spare deals."""
    k = len(controls)
    if mean is None:
        notes = check_seats(e, grouped) + tuple(note for control in controls for note in check_zero_sum(e, control))
        return Expectation(np.zeros((len(e), k)), (), notes)
    if isinstance(mean, Mapping):
        return Expectation(np.repeat(_by_seat(e, mean)[:, None], k, axis=1))
    if isinstance(mean, str):
        if mean != "estimate":
            raise ParameterError(f'mean must be a number, a value for each seat, or "estimate", not {mean!r}')
        return _estimated(e, controls)
    if not np.isfinite(mean):
        raise ParameterError(f"mean must be finite, not {mean!r}")
    return Expectation(np.full((len(e), k), float(mean)))


def check_zero_sum(e: Episodes, control: Control) -> tuple[Diagnostic, ...]:
    """Refuse a control whose utilities do not add up to zero over the seats of a deal."""
    if e.seat is None:
        return ()
    seats = len(e.seat.labels)
    cell = e.deal.codes.astype(np.int64) * seats + e.seat.codes
    known = np.isfinite(control.values)
    cells = len(e.deal.labels) * seats
    count = np.bincount(cell[known], minlength=cells)
    total = np.bincount(cell[known], weights=control.values[known], minlength=cells)
    value = np.divide(total, count, out=np.full(cells, np.nan), where=count > 0).reshape(-1, seats)
    full = np.isfinite(value).all(axis=1)
    if not full.any():
        text = f'no deal has the control "{control.name}" in every seat, so nobody checked that it adds up to zero.'
        return (info("zero-sum-unchecked", text, [control.name]),)
    off = _off_balance(value[full].sum(axis=1), value[full])
    if off.any():
        deal = e.deal.labels[np.flatnonzero(full)[off][0]]
        raise DataError(
            f'control "{control.name}" does not add up to zero over the seats in {off.sum():,} of {full.sum():,} '
            f"deals (first: {deal}), "
            "so E[Y] = 0 does not hold; use zero_sum(...) first, or give mean="
        )
    return ()


def unbalanced_hands(e: Episodes) -> tuple[int, int, str]:
    """How many complete hands do not add up to zero, of how many, and the deal of the first."""
    if e.seat is None:
        return 0, 0, ""
    hand = hand_codes(e)
    full = np.bincount(hand) == len(e.seat.labels)
    if e.hand is None:
        # One agent's hands on a duplicate deal look like one hand of its own; they need not add up to anything.
        full &= np.bincount(hand, weights=self_play(e, hand)) == 0
    total = np.bincount(hand, weights=e.utility)
    largest = np.abs(e.utility).max()
    off = full & (np.abs(total) > ZERO_SUM_TOLERANCE * max(largest, 1e-300))
    first = e.deal.labels[e.deal.codes[np.flatnonzero(off[hand])[0]]] if off.any() else ""
    return int(off.sum()), int(full.sum()), first


def _off_balance(sums: FloatArray, values: FloatArray) -> Mask:
    return np.asarray(np.abs(sums) > ZERO_SUM_TOLERANCE * max(float(np.abs(values).max()), 1e-300))


def _by_seat(e: Episodes, mean: Mapping[str, float]) -> FloatArray:
    if e.seat is None:
        raise DataError("mean= gives a value for each seat, but the table has no seats")
    given = {str(seat): float(value) for seat, value in mean.items()}
    if not np.isfinite(list(given.values())).all():
        raise ParameterError(f"mean= must be finite for every seat, not {dict(mean)!r}")
    missing = [seat for seat in e.seat.labels if seat not in given]
    if missing:
        raise ParameterError(f"mean= has no value for seat {some_of(missing)}")
    return np.array([given[seat] for seat in e.seat.labels])[e.seat.codes]


def _estimated(e: Episodes, controls: Sequence[Control]) -> Expectation:
    """Means of each seat over the control's spare deals."""
    spares = []
    for control in controls:
        if control.spare is None or e.seat is None:
            raise DataError(
                f'mean="estimate" needs self-play of "{control.name}" on at least two deals that nobody else played: '
                "from the same deals it would only undo the adjustment"
            )
        spares.append(control.spare)
    seat = e.seat.codes if e.seat is not None else np.zeros(len(e), dtype=int)
    per_row = np.stack([spare.mean(axis=0)[seat] for spare in spares], axis=1)
    text = f"E[Y] was estimated from {len(spares[0]):,} spare deals; its variance is part of the interval."
    return Expectation(per_row, tuple(spares), (info("estimated-mean", text, [control.name for control in controls]),))
