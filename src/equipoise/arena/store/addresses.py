"""Which texts are addresses of a PostgreSQL database."""

__all__ = ["is_postgres"]


def is_postgres(where: str) -> bool:
    """Tell an address from a file's path.

    >>> is_postgres("postgresql://localhost/x"), is_postgres("x.db")
    (True, False)
    """
    return where.startswith(("postgresql://", "postgres://"))
