"""What methods on pair counts accept."""

from equipoise.data.matches import Matches
from equipoise.data.pairs import PairTable
from equipoise.errors import DataError

__all__ = ["pairs_of"]


def pairs_of(data: Matches | PairTable, method: str, *, by_group: bool = False) -> PairTable:
    """Count matches, take pair counts as they are, refuse anything else by name."""
    if isinstance(data, Matches):
        return data.pairs(by_group=by_group)
    if isinstance(data, PairTable):
        return data
    raise DataError(f"{method} takes matches or pair counts, not {type(data).__name__}; see read_matches and PairTable")
