"""Control values of the baseline method: from columns or from self-play rows, and their expectation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, ParameterError, did_you_mean, some_of
from equipoise.core.results import FloatArray
from equipoise.core.wording import Advice, Option, counted
from equipoise.data.encode.labels import Factor
from equipoise.data.encode.pair_sums import sums
from equipoise.data.types.episodes import Episodes
from equipoise.luck.adjusted_mean import Totals
from equipoise.luck.control_variates import Offset
from equipoise.luck.seating import LONG, MEAN, Codes, Mask, Units, check_seats, hand_codes, self_play

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
class ControlExpectation:
    """E[Y] in each row (rows x controls), and the spare self-play (deals x seats) it was estimated from, if it was."""

    per_row: FloatArray
    spares: tuple[FloatArray, ...] = ()
    by_deal: tuple[Totals | None, ...] = ()
    """What the values of each control add up to in each deal, over all rows, where a check has found that out."""
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def constant(self) -> bool:
        """Whether it is the same in every row."""
        return self.per_row.strides[0] == 0

    def of(self, rows: Codes | slice) -> FloatArray:
        """E[Y] of some rows; one row for all where they have the same."""
        return self.per_row[:1] if self.constant else self.per_row[rows]

    def variance(self, c: FloatArray, shares: FloatArray) -> float:
        """What an estimated E[Y] adds to the variance, for coefficients ``c`` and these shares of the seats.

        Several controls may have been estimated from the same deals: their errors are added as if they always agreed.
        """
        errors = [(spare @ shares).std(ddof=1) / np.sqrt(len(spare)) for spare in self.spares]
        return float(np.sum(np.abs(c) * np.array(errors)) ** 2) if errors else 0.0


def control_names(control: str | Sequence[str]) -> list[str]:
    """Read the option that names one control or several."""
    names = [control] if isinstance(control, str) else list(control) if isinstance(control, Sequence) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise ParameterError(Option("control"), f" names at least one control, a column or an agent, not {control!r}")
    return names


def find_controls(data: Episodes, names: Sequence[str]) -> list[Control]:
    """Read each control from its column, or else from the rows of an agent of that name."""
    controls = []
    for name in names:
        if name in data.controls:
            controls.append(Control(name, data.controls[name], np.zeros(len(data), dtype=bool)))
        elif name in data.agents:
            controls.append(_self_play(data, name))
        else:
            known = [*data.controls, *data.agents]
            raise ParameterError(
                Option("control"),
                f' "{name}" is neither a control column ({some_of(data.controls) or "none"}) nor an agent '
                f"({some_of(data.agents)}){did_you_mean(name, known)}",
            )
    return controls


def _self_play(data: Episodes, name: str) -> Control:
    """The control's mean self-play utility at each deal and seat, given to every other row of that deal and seat."""
    if data.seat is None:
        raise DataError(f'control "{name}" comes as rows, which need a seat column to be matched with other rows')
    own = (data.agent.codes == data.agents.index(name)) & self_play(data, hand_codes(data))
    if not own.any():
        raise DataError(
            f'control "{name}" never plays against itself here; baseline needs its self-play on the same deals'
        )
    seats = len(data.seat.labels)
    cell = data.deal.codes.astype(np.int64) * seats + data.seat.codes
    cells = len(data.deal.labels) * seats
    count = np.bincount(cell[own], minlength=cells)
    total = np.bincount(cell[own], weights=data.utility[own], minlength=cells)
    value = np.divide(total, count, out=np.full(cells, np.nan), where=count > 0)
    played = np.bincount(data.deal.codes[~own], minlength=len(data.deal.labels)) > 0
    return Control(name, value[cell], own, _spare(value.reshape(-1, seats)[~played]))


def _spare(values: FloatArray) -> FloatArray | None:
    complete = values[np.isfinite(values).all(axis=1)]
    return complete if len(complete) > 1 else None


def check_known(data: Episodes, controls: Sequence[Control], grouped: Units) -> None:
    """Refuse rows without a control value."""
    for control in controls:
        if not np.isnan(control.values.min()):
            continue
        unknown = np.isnan(control.values)
        missing = grouped.rows[unknown[grouped.rows]]
        if len(missing):
            deals = dict.fromkeys(data.deal.labels[code] for code in data.deal.codes[missing])
            raise DataError(
                f'control "{control.name}" has no value in {counted(len(missing), "row")} (deals: {some_of(deals)}); '
                "let the control play these deals, or leave the rows out"
            )


def expectation(
    data: Episodes, controls: Sequence[Control], grouped: Units, mean: float | Mapping[str, float] | str | None
) -> ControlExpectation:
    """E[Y] for each row and control: believed to be zero after checks, given, or estimated from spare deals."""
    k = len(controls)
    if mean is None:
        checks = [check_zero_sum(data, control) for control in controls]
        notes = check_seats(data, grouped) + tuple(note for _, found in checks for note in found)
        return ControlExpectation(np.broadcast_to(0.0, (len(data), k)), (), tuple(sums for sums, _ in checks), notes)
    if isinstance(mean, Mapping):
        return ControlExpectation(np.repeat(_by_seat(data, mean)[:, None], k, axis=1))
    if mean == "estimate":
        return _estimated(data, controls)
    if isinstance(mean, bool) or not isinstance(mean, Real) or not np.isfinite(mean):
        raise ParameterError(
            Option("mean"), f" is a finite number, a value for each seat, or estimate, not {_quoted(mean)}"
        )
    return ControlExpectation(np.broadcast_to(float(mean), (len(data), k)))


def check_means(
    data: Episodes, controls: Sequence[Control], grouped: Units, expected: ControlExpectation, *, by_seat: bool
) -> tuple[Diagnostic, ...]:
    """Hold E[Y] against the control's own values: refuse what they refute, doubt where they are too few to say."""
    if expected.spares:
        return ()
    parts: list[tuple[str, Codes | slice]] = [("", slice(None) if grouped.every else grouped.rows)]
    if by_seat and data.seat is not None:
        rows = grouped.rows
        seats = data.seat.codes[rows]
        parts += [(f' in seat "{label}"', rows[seats == code]) for code, label in enumerate(data.seat.labels)]
    notes = []
    for index, control in enumerate(controls):
        for where, part in parts:
            values = control.values[part]
            sums = expected.by_deal[index] if expected.by_deal and grouped.every else None
            if sums is not None:
                largest = max(float(values.max()), -float(values.min()))
                offset = Offset.of_deals(sums, largest, tests=len(controls))
                notes += offset.judged(f'control "{control.name}"', where, float(values.mean()))
            elif len(values):
                gap = values - expected.of(part)[:, index]
                offset = Offset.of(gap, data.deal.codes[part], tests=len(parts) * len(controls))
                notes += offset.judged(f'control "{control.name}"', where, float(values.mean()))
    return tuple(notes)


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def check_zero_sum(data: Episodes, control: Control) -> tuple[Totals | None, tuple[Diagnostic, ...]]:
    """Refuse a control that does not add up to zero over the seats of a deal; give the deals' sums in long tables."""
    if data.seat is None:
        return None, ()
    full, off, first, sums = _off_balance(control.values, data.deal, data.seat)
    if not full:
        text = f'no deal has the control "{control.name}" in every seat, so nobody checked that it adds up to zero.'
        return sums, (info("zero-sum-unchecked", text, [control.name]),)
    if off:
        raise DataError(
            f'control "{control.name}" does not add up to zero over the seats in {off:,} of {full:,} '
            f"deals (first: {data.deal.labels[first]}), so E[Y] = 0 does not hold",
            advice=[Advice("subtract each table's mean first with ", Option("zero_sum")), MEAN],
        )
    return sums, ()


def _off_balance(values: FloatArray, deal: Factor, seat: Factor) -> tuple[int, int, int, Totals | None]:
    """How many deals have known values in every seat, in how many their means do not add up to zero, the first.

    In long tables the sums of the deals as well.
    """
    seats, deals = len(seat.labels), len(deal.labels)
    if len(values) > LONG:
        from equipoise.luck._unit_kernels import deals_off_balance, sums_of_deals

        count, total = np.zeros((deals, seats), dtype=np.int32), np.zeros((deals, seats))
        sums_of_deals(values, deal.codes, seat.codes, count, total)
        m, x = np.empty(deals + 1), np.empty(deals + 1)
        full, off, first, used = deals_off_balance(count, total, ZERO_SUM_TOLERANCE, m, x)
        return int(full), int(off), int(first), Totals(m[:used], x[:used], np.zeros((used, 0)), np.zeros(0))
    known = np.isfinite(values)
    cell = (seat.codes * np.int64(deals) + deal.codes)[known]
    times = np.bincount(cell, minlength=seats * deals)
    added = np.bincount(cell, weights=values[known], minlength=seats * deals)
    mean = np.divide(added, times, out=np.full(len(added), np.nan), where=times > 0).reshape(seats, deals)
    complete = np.flatnonzero(~np.isnan(mean).any(axis=0))
    mean = mean[:, complete]
    bad = complete[np.abs(mean.sum(axis=0)) > ZERO_SUM_TOLERANCE * max(float(np.abs(mean).max(initial=0.0)), 1e-300)]
    return len(complete), len(bad), int(bad[0]) if len(bad) else -1, None


def _unbalanced_blocks(data: Episodes, seat: Factor, most: float) -> tuple[int, int, str] | None:
    """Do what :func:`unbalanced_hands` does for a table that was written hand by hand; None for others."""
    from equipoise.luck._unit_kernels import hands_in_blocks

    hand = data.deal.codes[:0] if data.hand is None else data.hand.codes
    columns = (data.deal.codes, hand, seat.codes, data.agent.codes, data.utility)
    off, full, first = hands_in_blocks(*columns, len(seat.labels), most)
    return None if full < 0 else (int(off), int(full), data.deal.labels[data.deal.codes[first]] if off else "")


def unbalanced_hands(data: Episodes) -> tuple[int, int, str]:
    """How many complete hands do not add up to zero, of how many, and the deal of the first."""
    if data.seat is None:
        return 0, 0, ""
    largest = max(float(data.utility.max()), -float(data.utility.min()), 1e-300)
    if len(data) > LONG and (found := _unbalanced_blocks(data, data.seat, ZERO_SUM_TOLERANCE * largest)) is not None:
        return found
    hand = hand_codes(data)
    total, full = sums(hand, data.utility, int(hand.max()) + 1), np.bincount(hand) == len(data.seat.labels)
    if data.hand is None:
        # One agent's hands on a duplicate deal look like one hand of its own; they need not add up to anything.
        full &= np.bincount(hand, weights=self_play(data, hand)) == 0
    off = full & (np.abs(total) > ZERO_SUM_TOLERANCE * largest)
    first = data.deal.labels[data.deal.codes[np.flatnonzero(off[hand])[0]]] if off.any() else ""
    return int(off.sum()), int(full.sum()), first


def _by_seat(data: Episodes, mean: Mapping[str, float]) -> FloatArray:
    if data.seat is None:
        raise DataError(Option("mean"), " gives a value for each seat, but the table has no seats")
    given = {str(seat): value for seat, value in mean.items()}
    if not all(isinstance(value, Real) and np.isfinite(value) for value in given.values()):
        raise ParameterError(Option("mean"), f" is a finite number for every seat, not {dict(mean)!r}")
    missing = [seat for seat in data.seat.labels if seat not in given]
    if missing:
        raise ParameterError(Option("mean"), f" has no value for seat {some_of(missing)}")
    return np.array([float(given[seat]) for seat in data.seat.labels])[data.seat.codes]


def _estimated(data: Episodes, controls: Sequence[Control]) -> ControlExpectation:
    """Means of each seat over the control's spare deals."""
    spares = []
    for control in controls:
        if control.spare is None or data.seat is None:
            raise DataError(
                Option("mean", "estimate"),
                f' needs self-play of "{control.name}" on at least two deals that nobody else played: '
                "from the same deals it would only undo the adjustment",
            )
        spares.append(control.spare)
    seat = data.seat.codes if data.seat is not None else np.zeros(len(data), dtype=int)
    per_row = np.stack([spare.mean(axis=0)[seat] for spare in spares], axis=1)
    text = f"E[Y] was estimated from {len(spares[0]):,} spare deals; its variance is part of the interval."
    return ControlExpectation(
        per_row, tuple(spares), (), (info("estimated-mean", text, [control.name for control in controls]),)
    )
