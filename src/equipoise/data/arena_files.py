"""How readers know an arena's file, and which of its views holds what they ask for.

An arena is a SQLite database that says so in its ``application_id``; views in it hold the results of complete blocks.
"""

from collections.abc import Mapping
from typing import Final

__all__ = ["APPLICATION_ID", "VIEW_OF_KIND", "is_arena"]

APPLICATION_ID: Final = 0x45515053
"""``EQPS``, at byte 68 of the file."""
VIEW_OF_KIND: Mapping[str, str] = {
    "matches": "equipoise_matches",
    "scores": "equipoise_scores",
    "episodes": "equipoise_episodes",
}
"""Views by the kind of data in them."""


def is_arena(start: bytes) -> bool:
    """Tell by the first 100 bytes whether a file is an arena."""
    return start.startswith(b"SQLite format 3\x00") and start[68:72] == APPLICATION_ID.to_bytes(4, "big")
