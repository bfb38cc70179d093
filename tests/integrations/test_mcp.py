"""Files below chosen folders, and nothing else; and the server that offers them, asked by its own client."""

import asyncio
import os

import pytest

from equipoise.cli.main import main
from equipoise.errors import EquipoiseError, ReadError
from equipoise.integrations.mcp import TOOLS, mcp_server
from equipoise.integrations.served_files import ServedFolders

GAMES = "model_a,model_b,winner\n" + "".join(
    f"{a},{b},{w}\n"
    for a, b, w in [("x", "y", "model_a"), ("y", "z", "model_a"), ("x", "z", "model_a"), ("z", "x", "model_a")] * 15
)


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "served"
    (root / "inner").mkdir(parents=True)
    (root / "games.csv").write_text(GAMES)
    for name, wrong in (("base", 3), ("new", 20)):
        rows = "".join(f"{name},q{k},{int(k >= wrong)}\n" for k in range(60))
        (root / "inner" / f"{name}.csv").write_text(f"model,task,score\n{rows}")
    (tmp_path / "secret.csv").write_text(GAMES)
    return root


def test_questions_are_answered_in_words(folder):
    served = ServedFolders([folder])
    assert served.files().splitlines() == ["games.csv", "inner/base.csv", "inner/new.csv"]
    assert "games" in served.read("games.csv")
    assert "| x " in served.rank("games.csv")
    assert "x" in served.compare("games.csv", "x", "z")
    assert "games" in served.plan("games.csv")
    assert "who is first" in served.explain("games.csv")
    assert served.gate("inner/base.csv", "inner/new.csv", margin=0.05).startswith("Fail: new is worse than base")
    assert "| q" in served.gate("inner/base.csv", "inner/new.csv")
    assert served.tasks(str(folder / "inner"))


@pytest.mark.parametrize(
    "name",
    ["../secret.csv", "inner/../../secret.csv", "/etc/passwd", "postgresql://me@host/arena", "sqlite:///x.db",
     "openspiel:x", "alphago", "*.csv", "games.csv\0", "none.csv", "~/x.csv", "link.csv", "linked/secret.csv",
     "inner/away", "file:games.csv"],
)  # fmt: skip
def test_whatever_is_elsewhere_is_refused(folder, name):
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    (folder / "linked").symlink_to(folder.parent)
    (folder / "inner" / "away").symlink_to("/etc")
    with pytest.raises(ReadError) as caught:
        ServedFolders([folder]).read(name)
    assert "\n" not in str(caught.value)


def test_a_folder_that_holds_a_link_is_refused_and_so_are_files_that_read_others(folder):
    served = ServedFolders([folder])
    (folder / "views.csv").write_bytes(b"\0" * 8 + b"DUCK" + b"\0" * 100)
    with pytest.raises(ReadError, match="DuckDB"):
        served.read("views.csv")
    os.symlink("/etc/passwd", folder / "inner" / "more.csv")
    with pytest.raises(ReadError, match=r"inner/more\.csv is a link"):
        served.tasks("inner")
    assert "more.csv" not in served.files()


def test_a_folder_that_is_not_there_is_refused(folder, capsys):
    for given in ([], [folder / "none"], [folder / "games.csv"]):
        with pytest.raises(EquipoiseError):
            ServedFolders(given)
    assert main(["mcp", str(folder / "none")]) == 2
    assert "is no folder" in capsys.readouterr().err


def test_a_client_lists_the_tools_calls_them_and_is_told_why_not(folder):
    pytest.importorskip("mcp", reason="mcp is not installed: make .venv/.dev")
    from mcp import Client

    async def talk():
        async with Client(mcp_server([folder])) as client:
            listed = await client.list_tools()
            ranked = await client.call_tool("rank", {"file": "games.csv"})
            refused = await client.call_tool("read", {"file": "../secret.csv"})
            return listed.tools, ranked.content[0].text, refused.content[0].text

    tools, ranked, refused = asyncio.run(talk())
    assert tuple(tool.name for tool in tools) == TOOLS
    assert all(tool.description for tool in tools)
    assert ranked == ServedFolders([folder]).rank("games.csv")
    assert refused.startswith("Cannot be answered: ")
