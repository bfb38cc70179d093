"""Tools for language models: questions about files below chosen folders, over the Model Context Protocol."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from equipoise.core.errors import EquipoiseError, ParameterError
from equipoise.integrations.served_files import ServedFolders

TOOLS = ("files", "read", "rank", "tasks", "compare", "plan", "gate", "explain")
"""What is offered, by the name of the method that answers."""
INSTRUCTIONS = (
    "Answers questions about evaluations of agents from files: who is better, how certain that is, and whether one got"
    " worse. List files first; name them as they are listed. Report intervals and notes, not only who leads."
)


def mcp_server(folders: Sequence[str | Path]) -> Any:
    """Make a server whose tools read files below some folders and nothing else; ``.run()`` serves standard input.

    Fails when
        the extra ``mcp`` is not installed, or a folder is not there.
    """
    served = ServedFolders(folders)
    try:
        from mcp.server import MCPServer
    except ImportError as error:
        raise ParameterError("this needs the extra mcp, version 2 or newer: pip install 'equipoise[mcp]'") from error
    server = MCPServer("equipoise", instructions=INSTRUCTIONS)
    for name in TOOLS:
        server.tool(name=name)(_in_one_line(getattr(served, name)))
    return server


def _in_one_line(answer: Callable[..., str]) -> Callable[..., str]:
    """Let what cannot be answered be said as an answer: the model can then do what the sentence advises."""
    from functools import wraps

    @wraps(answer)
    def answered(*given: Any, **named: Any) -> str:
        try:
            return answer(*given, **named)
        except EquipoiseError as error:
            return f"Cannot be answered: {error}"

    return answered
