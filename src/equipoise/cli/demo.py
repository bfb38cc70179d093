"""``equipoise demo``: what the package does, on data that come with it."""

from equipoise.cli.output import write_view
from equipoise.data.bundled import load
from equipoise.data.pairs import PairTable
from equipoise.ratings.bradley_terry import bradley_terry
from equipoise.report.leaderboard import Scale, leaderboard

__all__ = ["demo"]

NEXT = """
Where to go next:
  equipoise rank battles.csv          rank your own match log (CSV, TSV, JSON lines, Parquet)
  equipoise data                      the data sets that come with the package, to try things on
  equipoise methods                   what there is, with references
  equipoise rank --help               all options, with examples
"""


def demo() -> None:
    """Rank a data set that comes with the package, and say where to go next."""
    table = load("alphago")
    assert isinstance(table, PairTable)
    print("Seven AlphaGo variants and Zen (Silver et al. 2016), rated by Bradley-Terry:\n")
    write_view(leaderboard(bradley_terry(table), Scale()), None, None)
    print(NEXT)
