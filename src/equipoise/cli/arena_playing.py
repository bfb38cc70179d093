"""``equipoise arena run``, ``demo`` and ``check-player``: playing."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from equipoise.cli.arena_options import DatabaseOption
from equipoise.cli.output import write_view

__all__ = ["arena_check_player", "arena_demo", "arena_run"]
