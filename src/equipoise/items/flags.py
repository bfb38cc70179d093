"""What a benchmark designer should look at: flags on items, in words.

=========================  ==================================================================
constant                   everybody has the same answer; left out of the fit
negative-discrimination    weaker agents do better; with a test against a flat curve
quasi-separated            the answers split the agents cleanly: the slope has no finite estimate
at-bound                   a parameter rests on its bound
unclear-difficulty         discrimination not distinguishable from 0 and a difficulty beyond all agents: it says nothing
poor-fit                   answers depart from the fitted curve (S-X2, adjusted for the number of items)
=========================  ==================================================================
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import some_of
from equipoise.core.results import FloatArray
from equipoise.core.wording import Advice, Option
from equipoise.items.item_fit import adjusted
from equipoise.items.marginal.item_step import Bounds
from equipoise.items.marginal.slope_tests import SlopeTest
from equipoise.items.models.models import FLAT, Items, Model

#: Adjusted p-value below which an item is said to fit poorly.
POOR_FIT = 0.01
#: A slope of fewer standard errors than this may be zero, and have the other sign.
SURE = 1.96
#: How it is said that weaker agents do better on an item, by the probability of a negative discrimination.
LIKELY_NEGATIVE = (
    ("weaker agents do better on", 0.95, 2.0),
    ("weaker agents may do better on", 0.75, 0.95),
    ("it is unclear whether weaker agents do better on", 0.0, 0.75),
)


def item_flags(
    items: Items, model: Model, bounds: Bounds, fit_p: FloatArray, slope_se: FloatArray, ability: FloatArray
) -> dict[str, NDArray[np.bool_]]:
    """Return which items have each flag (those of the fit; constant items are not in it)."""
    nothing = np.zeros(len(items.slope), dtype=bool)
    free = model in ("2pl", "3pl")
    steep = np.abs(items.slope) >= bounds.slope if free else nothing
    pinned = (items.guessing <= 0.0) | (items.guessing >= bounds.guessing) if model == "3pl" else nothing
    return {
        "negative-discrimination": items.slope < -FLAT if free else nothing,
        "quasi-separated": steep,
        "at-bound": steep | pinned,
        "unclear-difficulty": _unclear(items, slope_se, ability) if free else nothing,
        "poor-fit": np.nan_to_num(adjusted(fit_p), nan=1.0) < POOR_FIT,
    }


def _unclear(items: Items, slope_se: FloatArray, ability: FloatArray) -> NDArray[np.bool_]:
    """Find curves that may be flat, and reach one half where no agent is, if anywhere: on which side is a guess."""
    place = items.difficulty
    with np.errstate(invalid="ignore"):
        unsure = np.abs(items.slope) < SURE * slope_se
        beyond = (place < ability.min(initial=np.inf)) | (place > ability.max(initial=-np.inf))
    out: NDArray[np.bool_] = unsure & beyond
    return out


def flag_notes(
    names: list[str], flagged: dict[str, NDArray[np.bool_]], items: Items, test: SlopeTest, bounds: Bounds
) -> list[Diagnostic]:
    """Say the flags in words."""
    negative = np.flatnonzero(items.slope < -FLAT)
    say = probably_negative if test.test == "posterior" else partial(_negative, test=test.test)
    notes = say([names[i] for i in negative], test.p_value[negative])
    steep = [names[i] for i in np.flatnonzero(flagged["quasi-separated"])]
    if steep:
        text = f"{some_of(steep)}: the answers split the agents cleanly, so the slope has no finite estimate"
        tied = Advice("pull it back with ", Option("prior", "weak"))
        bound = f"{text}; it stands at its bound of {bounds.slope:g}."
        notes.append(warning("quasi-separated", bound, steep, advice=[tied]))
    pinned = [names[i] for i in np.flatnonzero(flagged["at-bound"] & ~flagged["quasi-separated"])]
    if pinned:
        text = f"{some_of(pinned)}: the guessing parameter rests on its bound (0 or {bounds.guessing:g})."
        notes.append(info("at-bound", text, pinned))
    flat = [names[i] for i in np.flatnonzero(np.abs(items.slope) < FLAT)]
    if flat:
        text = f"{some_of(flat)}: the fitted curve is flat, so there is no difficulty to give."
        notes.append(warning("flat-curve", text, flat))
    unclear = [names[i] for i in np.flatnonzero(flagged["unclear-difficulty"])]
    if unclear:
        text = (
            f"{some_of(unclear)}: discrimination not distinguishable from 0 and a difficulty beyond all agents, which"
            " says nothing."
        )
        notes.append(warning("unclear-difficulty", text, unclear))
    poor = [names[i] for i in np.flatnonzero(flagged["poor-fit"])]
    if poor:
        text = f"{some_of(poor)}: answers depart from the fitted curve (S-X2, adjusted p below {POOR_FIT:g})."
        notes.append(warning("poor-fit", text, poor))
    return notes


def _negative(names: list[str], p_value: FloatArray, *, test: str) -> list[Diagnostic]:
    """Name the items in one note, the surest first, with how many are beyond chance."""
    if not names:
        return []
    order = np.argsort(p_value, kind="stable")
    listed = [names[i] for i in order]
    tested = p_value[order][~np.isnan(p_value[order])]
    clear = int((tested < 0.05).sum())
    if len(names) == 1:
        found = f"p = {tested[0]:.2g}, {'clear' if clear else 'could be chance'}" if len(tested) else ""
        text = f"{names[0]}: negative discrimination; weaker agents {_how(clear)} on it; check it before you use it"
    else:
        found = f"p from {tested[0]:.2g} to {tested[-1]:.2g}, clear for {clear:,} of them" if len(tested) else ""
        text = (
            f"Negative discrimination: weaker agents {_how(clear)} on {len(names):,} items ({some_of(listed)}); check"
            " them before you use them"
        )
    text += f" ({test} test against a flat curve: {found})." if found else "."
    return [warning("negative-discrimination", text, listed)]


def probably_negative(names: list[str], probability: FloatArray) -> list[Diagnostic]:
    """Name all items that are more likely negative than not, the likeliest first, with how likely."""
    if not names:
        return []
    order = np.argsort(-probability, kind="stable")
    parts = []
    for words, low, high in LIKELY_NEGATIVE:
        some = [f"{names[i]} ({probability[i]:.2f})" for i in order if low <= probability[i] < high]
        parts += [f"{words} {some_of(some)}"] if some else []
    said = "; ".join(parts)
    text = f"{said[0].upper()}{said[1:]}. Check an item before you use it (probability of negative discrimination)."
    return [warning("negative-discrimination", text, [names[i] for i in order])]


def _how(clear: int) -> str:
    """Say no more than the test shows."""
    return "do better" if clear else "may do better"
