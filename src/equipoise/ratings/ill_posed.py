"""What a rating does where its question has no plain answer: refuse, or fall back and say so."""

import numpy as np

from equipoise.data.pairs import PairTable
from equipoise.diagnostics import Diagnostic, info, warning
from equipoise.errors import DataError, DisconnectedError, ParameterError, some_of
from equipoise.flows.points import ELO_POINT
from equipoise.ratings.bradley_terry_errors import ErrorKind
from equipoise.ratings.bradley_terry_newton import DENSE
from equipoise.ratings.existence import Connections, side_is_confounded, side_separates
from equipoise.ratings.population import MOST_AGENTS
from equipoise.ratings.tie_models import Cells, TieModel
from equipoise.wording import Advice, Option

__all__ = [
    "WEAK_PRIOR",
    "adaptive_notes",
    "refuse_bad_side",
    "refuse_islands",
    "usable_errors",
    "usable_prior",
    "usable_ties",
]

WEAK_PRIOR = 3.0
"""Standard deviation (log-odds; 521 Elo points) of the normal prior used where no finite estimate exists."""
FEW_GROUPS = 20
"""Below this many groups clustered errors are rough, whatever the quantile."""
WITHOUT_SIDE = Advice("leave ", Option("side"), " out")


def refuse_islands(table: PairTable, met: Connections, prior: float | None, islands: str) -> tuple[Diagnostic, ...]:
    """Refuse agents that never met, unless a prior compares them or they are rated apart; say which."""
    if met.connected:
        return ()
    groups = [np.flatnonzero(met.islands == label) for label in range(int(met.islands.max()) + 1)]
    groups.sort(key=len, reverse=True)
    listed = "; ".join(some_of(table.agents[i] for i in group) for group in groups[:4])
    listed += f"; and {len(groups) - 4:,} more" if len(groups) > 4 else ""
    if prior is not None:
        message = f"{len(groups)} groups of agents never met; only the prior compares them: {listed}."
        return (warning("islands", message, table.agents),)
    if islands == "separate":
        message = f"{len(groups)} groups of agents never met; ratings and ranks compare only within a group: {listed}."
        return (warning("islands", message, table.agents),)
    idle = [name for name, games in zip(table.agents, table.games_of_agents(), strict=True) if games == 0]
    if idle:
        raise DisconnectedError(f"agents without a single game cannot be rated: {some_of(idle)}; leave them out")
    raise DisconnectedError(
        f"{len(groups)} groups of agents never met, so no rating compares them: {listed}",
        advice=[Advice("rate them apart with ", Option("islands", "separate")), Advice("give a ", Option("prior"))],
    )


def usable_ties(ties: TieModel, cells: Cells) -> tuple[TieModel, tuple[Diagnostic, ...]]:
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


def refuse_bad_side(table: PairTable, cells: Cells, prior: float | None) -> None:
    """Refuse a side advantage that strength explains as well, or that has no finite estimate."""
    if prior is None and side_is_confounded(len(table.agents), table.first, table.second):
        raise DataError(
            "a side advantage cannot be told from strength: no two agents compared have swapped sides",
            advice=[WITHOUT_SIDE],
        )
    if side_separates(len(table.agents), table.first, table.second, cells):
        raise DataError(
            "the side advantage has no finite estimate: sides alone explain the results", advice=[WITHOUT_SIDE]
        )


def usable_prior(
    table: PairTable, met: Connections, prior: float | None
) -> tuple[float | None, tuple[Diagnostic, ...]]:
    """Put the weak prior where no finite estimate exists, naming the agents that are the reason."""
    if prior is not None or met.finite:
        return prior, ()
    parts = [(met.unbeaten, "never lost or tied against the rest"), (met.winless, "never won or tied against the rest")]
    reasons = [f"{some_of(table.agents[i] for i in who)} {what}" for who, what in parts if len(who)]
    message = (
        f"No finite estimate exists: {'; '.join(reasons)}. A weak normal prior with standard deviation {WEAK_PRIOR:g}"
        f" ({WEAK_PRIOR / ELO_POINT:.0f} Elo points) was put on every rating."
    )
    who = [table.agents[i] for i in np.concatenate([met.unbeaten, met.winless])]
    advice = [Advice("choose another with ", Option("prior"))]
    return WEAK_PRIOR, (warning("no-finite-mle", message, dict.fromkeys(who), advice=advice),)


def adaptive_notes(table: PairTable, cells: Cells, prior: float | None, ties: TieModel) -> tuple[Diagnostic, ...]:
    """Refuse what does not go with pairs that followed results; say where half-win ties make intervals too wide."""
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
    message = f"Only {count} groups stand behind the clustered errors; take the intervals as rough."
    return [warning("few-groups", message)]


def _only_ties(table: PairTable) -> list[str]:
    """Agents that have played and never won nor lost: no residual of theirs says how sure we are."""
    count = len(table.agents)
    decided = table.wins + table.losses
    of_agents = np.bincount(table.first, decided, count) + np.bincount(table.second, decided, count)
    played = table.games_of_agents() > 0
    return [table.agents[i] for i in np.flatnonzero(played & (of_agents == 0))]


def _tie_note(table: PairTable, tied: list[str]) -> Diagnostic:
    if len(tied) == len(table.agents):
        message = "Every game is a tie: the agents are equal as far as one can see; errors are the model's own."
        return warning("all-ties", message)
    message = f"{some_of(tied)} only ever tied, which would make them look certain; errors are the model's own."
    return warning("only-ties", message, tied)
