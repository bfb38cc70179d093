"""What a rating does where its question has no plain answer: refuse, or fall back and say so."""

from dataclasses import replace

import numpy as np

from equipoise.core.diagnostics import Diagnostic, has_code, info, warning
from equipoise.core.errors import DataError, DisconnectedError, ParameterError, some_of
from equipoise.core.results import FloatArray
from equipoise.core.units import ELO_POINT
from equipoise.core.wording import Advice, Option
from equipoise.data.types.matches import CLUSTERS_FOUND
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.paired.errors import ErrorKind
from equipoise.ratings.paired.existence import (
    Connections,
    side_explains_alone,
    side_is_confounded,
    side_separates,
    ties_separate,
)
from equipoise.ratings.paired.newton import DENSE
from equipoise.ratings.paired.ties import PairCounts, TieModel

WEAK_PRIOR = 3.0
"""Standard deviation (log-odds; 521 Elo points) of the normal prior used where no finite estimate exists."""
MOST_AGENTS = 1000
"""Above this the grid of dense factors behind a population of agents takes too long."""
FEW_GROUPS = 20
"""Below this many groups clustered errors are rough, whatever the quantile."""
WITHOUT_SIDE = Advice("leave ", Option("side"), " out")


def refuse_components(
    table: PairTable, met: Connections, prior: float | None, components: str
) -> tuple[Diagnostic, ...]:
    """Refuse agents that never met, unless they are rated apart or a prior compares them; say which."""
    if met.connected:
        return ()
    groups = [np.flatnonzero(met.components == label) for label in range(int(met.components.max()) + 1)]
    groups.sort(key=len, reverse=True)
    listed = "; ".join(some_of(table.agents[i] for i in group) for group in groups[:4])
    listed += f"; and {len(groups) - 4:,} more" if len(groups) > 4 else ""
    if components == "each":
        message = f"{len(groups)} groups of agents never met; ratings and ranks compare only within a group: {listed}."
        return (warning("not-connected", message, table.agents),)
    if prior is not None:
        message = f"{len(groups)} groups of agents never met; only the prior compares them: {listed}."
        return (warning("not-connected", message, table.agents),)
    idle = [name for name, games in zip(table.agents, table.games_of_agents(), strict=True) if games == 0]
    if idle:
        raise DisconnectedError(f"agents without a single game cannot be rated: {some_of(idle)}; leave them out")
    raise DisconnectedError(
        f"{len(groups)} groups of agents never met, so no rating compares them: {listed}",
        advice=[Advice("rate them apart with ", Option("components", "each")), Advice("give a ", Option("prior"))],
    )


def usable_ties(ties: TieModel, cells: PairCounts) -> tuple[TieModel, tuple[Diagnostic, ...]]:
    """Fall back to half-win ties where there are none; refuse a tie parameter that would be infinite."""
    if ties == "half":
        return ties, ()
    if not cells.ties.any():
        message = f"There is no tie in the data: the {ties} model is the same as plain Bradley-Terry."
        return "half", (info("no-ties", message),)
    if not (cells.wins.any() or cells.losses.any()):
        raise DataError(
            f"every game is a tie: the {ties} model has no finite tie parameter",
            advice=[Advice("use ", Option("ties", "half"))],
        )
    return ties, ()


def refuse_bad_side(table: PairTable, cells: PairCounts, ties: TieModel, prior: float | None) -> None:
    """Refuse a first-position advantage that strength explains as well, or that no prior on strengths makes finite."""
    if prior is None and side_is_confounded(len(table.agents), table.first, table.second):
        raise DataError(
            "a first-position advantage cannot be told from strength: no two agents compared have swapped sides",
            advice=[WITHOUT_SIDE],
        )
    if side_explains_alone(cells, ties):
        raise DataError(
            "the first-position advantage has no finite estimate: sides alone explain the results",
            advice=[WITHOUT_SIDE],
        )


def usable_prior(
    table: PairTable, cells: PairCounts, met: Connections, *, ties: TieModel, side: bool, prior: float | None
) -> tuple[float | None, tuple[Diagnostic, ...]]:
    """Put the weak prior where no finite estimate exists, naming the agents that are the reason.

    It holds the tie parameter and the first-position advantage as well: neither runs away while strengths stay, once
    :func:`usable_ties` and :func:`refuse_bad_side` have let them pass.
    """
    if prior is not None:
        return prior, ()
    reason, who = _why_infinite(table, cells, met, ties=ties, side=side)
    if not reason:
        return None, ()
    message = (
        f"No finite estimate exists: {reason}. A weak normal prior with standard deviation {WEAK_PRIOR:g}"
        f" ({WEAK_PRIOR / ELO_POINT:.0f} Elo points) was put on every rating."
    )
    advice = [Advice("choose another with ", Option("prior"))]
    return WEAK_PRIOR, (warning("no-finite-mle", message, dict.fromkeys(who), advice=advice),)


def _why_infinite(
    table: PairTable, cells: PairCounts, met: Connections, *, ties: TieModel, side: bool
) -> tuple[str, list[str]]:
    """Say why no finite estimate exists and who is the reason; nothing where one does."""
    n = len(table.agents)
    if not met.finite:
        parts = [(met.unbeaten, "never lost or tied against the rest"),
                 (met.winless, "never won or tied against the rest")]  # fmt: skip
        reasons = [f"{some_of(table.agents[i] for i in who)} {what}" for who, what in parts if len(who)]
        return "; ".join(reasons), [table.agents[i] for i in np.concatenate([met.unbeaten, met.winless])]
    apart = side and side_separates(n, table.first, table.second, cells)
    if not apart and (ties == "half" or not ties_separate(n, table.first, table.second, cells, side=side)):
        return "", []
    won = np.bincount(table.first, table.wins, n) + np.bincount(table.second, table.losses, n) > 0
    lost = np.bincount(table.first, table.losses, n) + np.bincount(table.second, table.wins, n) > 0
    odd = [(np.flatnonzero(won & ~lost), "never lost"), (np.flatnonzero(lost & ~won), "never won")]
    named = [([table.agents[i] for i in who], what) for who, what in odd if len(who)]
    reasons = [f"{some_of(names)} {what}" for names, what in named]
    advantage, tie = ["the first-position advantage"] * side, ["the tie parameter"] * (ties != "half")
    grows = ["strengths", *advantage, *tie]
    reasons.append(f"the results fit ever better as {' and '.join(grows)} grow together")
    return "; ".join(reasons), [name for names, _ in named for name in names] or list(table.agents)


def without_found_clusters(table: PairTable) -> PairTable:
    """Forget clusters that nobody named, only found, for adaptive pairing, which takes none; say so."""
    if table.group is None or not has_code(table.diagnostics, CLUSTERS_FOUND):
        return table
    return replace(table.pooled(), diagnostics=tuple(map(_left_out, table.diagnostics)))


def _left_out(note: Diagnostic) -> Diagnostic:
    if note.code != CLUSTERS_FOUND:
        return note
    columns = " and ".join(note.subjects)
    message = f"Errors are not clustered by {columns}: adaptive pairing takes games as independent given strengths."
    return info(
        CLUSTERS_FOUND, message, note.subjects, advice=[Advice("cluster them with ", Option("pairing", "fixed"))]
    )


def adaptive_notes(table: PairTable, cells: PairCounts, prior: float | None, ties: TieModel) -> tuple[Diagnostic, ...]:
    """Refuse what does not go with adaptive pairing; say where half-win ties make intervals too wide."""
    adaptive = Option("pairing", "adaptive")
    if prior is not None:
        raise ParameterError(
            Option("prior"), " does not go with ", adaptive, ", which estimates the spread of strengths"
        )
    if table.group is not None:
        raise ParameterError(
            "groups do not go with ", adaptive, ": it takes games as independent given strengths",
            advice=[Advice("leave ", Option("group"), " out")],
        )  # fmt: skip
    if not table.counted:
        raise DataError("without numbers of games nothing says how sure a rating is, however pairs were chosen")
    if len(table.agents) > MOST_AGENTS:
        raise ParameterError(adaptive, f" takes up to {MOST_AGENTS:,} agents, these are {len(table.agents):,}")
    if ties != "half" or not cells.ties.any():
        return ()
    message = "Ties count as half a win, which makes these intervals wider than they need to be."
    return (info("wide-for-ties", message, advice=[Advice("give ties a parameter with ", Option("ties", "davidson"))]),)


def usable_errors(table: PairTable, errors: str, sd: float | None) -> tuple[ErrorKind, tuple[Diagnostic, ...]]:
    """Choose the errors that exist: a sandwich needs surprises, and clusters need more than one of them."""
    notes: list[Diagnostic] = []
    if len(table.agents) > DENSE and table.counted:
        notes.append(
            info("approximate-errors", f"With more than {DENSE:,} agents the standard errors are approximate.")
        )
    clustered = table.group is not None and errors == "sandwich"
    if table.group is not None and clustered:
        notes += _group_notes(len(table.group.labels))
    if sd is not None and not clustered:
        return "posterior", tuple(notes)
    tied = _only_ties(table)
    if errors == "sandwich" and not clustered and tied:
        notes.append(_tie_note(table, tied))
        return "information", tuple(notes)
    return ("information" if errors == "information" else "sandwich"), tuple(notes)


def _group_notes(count: int) -> list[Diagnostic]:
    if count < 2:
        raise DataError(
            "all matches are of one group: errors cannot be clustered by it",
            advice=[Advice("leave ", Option("group"), " out")],
        )
    if count >= FEW_GROUPS:
        return []
    message = f"The cluster-robust errors come from only {count} clusters; take the intervals as rough."
    return [warning("few-groups", message)]


def uneven_groups(table: PairTable, degrees: FloatArray) -> tuple[Diagnostic, ...]:
    """Say of whom a few groups tell most, so that there are fewer degrees of freedom than groups less one."""
    if table.group is None:
        return ()
    who = [table.agents[i] for i in np.flatnonzero(degrees < len(table.group.labels) - 1)]
    if not who:
        return ()
    message = f"A few groups tell most of what is known about {some_of(who)}; such intervals are wide for that."
    return (warning("uneven-groups", message, who),)


def _only_ties(table: PairTable) -> list[str]:
    """Agents of whom no two games of a pair differ, and none was won or lost: no residual says how sure we are.

    They only ever tied, or have one average against each opponent, given once or with a weight.
    """
    count = len(table.agents)
    games = np.where(table.games > 0, table.games, 1.0)
    mean = table.score / games
    certain = (table.variation() <= 1e-9 * games) & (mean > 0) & (mean < 1)
    if not certain.any():
        return []
    telling = np.where(certain, 0.0, table.games)
    of_agents = np.bincount(table.first, telling, count) + np.bincount(table.second, telling, count)
    played = table.games_of_agents() > 0
    return [table.agents[i] for i in np.flatnonzero(played & (of_agents == 0))]


def _tie_note(table: PairTable, tied: list[str]) -> Diagnostic:
    if table.shared is not None:
        message = (
            f"No two games of a pair differ for {some_of(tied)}, as if averages had been given, which would make them"
            " look certain; errors are those of games won and lost."
        )
        return warning("averages", message, tied)
    if len(tied) == len(table.agents):
        message = "Every game is a tie: the agents are equal as far as one can see; errors are the model's own."
        return warning("all-ties", message)
    message = f"{some_of(tied)} only ever tied, which would make them look certain; errors are the model's own."
    return warning("only-ties", message, tied)
