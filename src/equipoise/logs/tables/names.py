"""Short names for long texts."""

from hashlib import blake2b

__all__ = ["short_name"]

LONGEST = 60


def short_name(text: str) -> str:
    """Give a text in one line, cut where it is long; what was cut off still tells two texts apart.

    >>> short_name("Add  2 and 3"), len(short_name("x" * 99))
    ('Add 2 and 3', 60)
    """
    plain = " ".join(text.split())
    if len(plain) <= LONGEST:
        return plain
    return f"{plain[: LONGEST - 8]}… {blake2b(text.encode(), digest_size=3).hexdigest()}"
