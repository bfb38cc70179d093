"""``equipoise demo``: what the package does, on data that come with it."""

from equipoise.cli.output import write_view

__all__ = ["demo"]

INTRODUCTION = """
{agents} classifiers on {tasks} data sets, {trials} seeds each. On every data set and seed, every two classifiers play
a match that the higher accuracy wins. The leaderboard of the {matches:,} matches, with errors clustered by data set:
"""

NEXT = """
Where to go next:
  equipoise rank battles.csv          rank your own match log (CSV, TSV, JSON lines, Parquet)
  equipoise data                      the data sets that come with the package, to try things on
  equipoise methods                   what there is, with references
  equipoise rank --help               all options, with examples
"""


def demo() -> None:
    """Rank a data set that comes with the package, and say where to go next.

    In Python: `equipoise.run_demo()`
    """
    from equipoise.analyses.catalogued import DEMO, run_demo
    from equipoise.data.datasets import load
    from equipoise.data.scores import Scores
    from equipoise.report.leaderboard import leaderboard

    scores = load(DEMO)
    assert isinstance(scores, Scores)
    standings = run_demo()
    trials = 1 if scores.repeats is None else scores.repeats.shape[2]
    games = int(standings.data.games.sum())
    print(INTRODUCTION.format(agents=len(scores.agents), tasks=len(scores.tasks), trials=trials, matches=games))
    write_view(leaderboard(standings), None, None)
    print(NEXT)
