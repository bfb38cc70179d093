"""Public sets are fetched from a server, checked, pinned and converted; tested against one on this machine."""

import hashlib
import http.server
import json
import threading
from dataclasses import replace
from functools import partial

import pytest

import equipoise as eq
from equipoise.cli.main import main
from equipoise.data.fetch import data_folder, fetch_data
from equipoise.data.public_sets import PUBLIC

README = """# Analysis

### IRT parameters: Atari 2600 Games

|Game | Gussng| Dffclt| Dscrmn| id|
|:----|------:|------:|------:|--:|
|Pong |      0|   -0.7|   41.2|  1|

## IRT parameters: GVGP Games

|Game.Level | Gussng| Dffclt| Dscrmn| id|
|:----------|------:|------:|------:|--:|
|bait.0     |      0|   1.25|   -0.1|  1|
|bait.1     |      0|   -2.0|    0.5|  2|
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def server(tmp_path):
    """A folder of repositories, and the address of a server for it."""
    root = tmp_path / "served"
    root.mkdir()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root))) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield root, f"http://127.0.0.1:{served.server_address[1]}"
        served.shutdown()


def put(root, name, path, text):
    wanted = PUBLIC[name]
    place = root / wanted.repository / wanted.commit / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def plays(agents, conflict=True):
    cells = [(agent, level, won) for agent, *row in agents for level, won in enumerate(row)]
    lines = [f"{agent},bait,{level},{int(play < won)},1.0,2000" for agent, level, won in cells for play in range(5)]
    half = "\n".join(lines)
    return f"<<<<<<< HEAD\n{half}\n\n=======\n{half}\n>>>>>>> e0d4fc4\n" if conflict else half


@pytest.mark.parametrize("conflict", [True, False])
def test_plays_become_tables_of_wins_and_of_levels_won(server, tmp_path, conflict):
    root, address = server
    put(root, "gvgai", "data/GVGAI_data.csv", plays([("zeta", 3, 0), ("Alpha", 2, 5)], conflict))
    put(root, "gvgai", "README.md", README)
    fetched = fetch_data("gvgai", tmp_path / "made", mirror=address)
    assert {str(path.relative_to(tmp_path / "made")) for path in fetched.tables} == set(PUBLIC["gvgai"].makes)
    binary = eq.read_scores(tmp_path / "made" / "gvgai" / "gvgai_binary_agents_x_levels.csv")
    assert binary.agents == ("Alpha", "zeta")
    assert binary.values.tolist() == [[0, 1], [1, 0]]
    items = (tmp_path / "made" / "gvgai" / "gvgai_irt2pl_params_reference.csv").read_text()
    assert items.splitlines()[1:] == ["bait.0,0,1.25,-0.1,1", "bait.1,0,-2.0,0.5,2"]
    assert (tmp_path / "made" / "gvgai" / "gvgai_plays.csv").read_text().splitlines()[1] == "zeta,bait,0,1,1,1.0,2000"


def test_atari_scores_keep_their_games_and_names_become_those_of_the_other_files(server, tmp_path):
    root, address = server
    put(
        root,
        "ale",
        "data/ALE_data.csv",
        "<<<<<<< HEAD\n,O'D_A-1,B\nPong,99.9,100\nMontezuma’s Revenge,0,250\n=======\nx\n",
    )
    put(root, "ale", "README.md", README)
    fetch_data("ale", tmp_path, mirror=address)
    binary = eq.read_scores(tmp_path / "ale" / "ale_binary_techniques_x_games.csv")
    assert binary.agents == ("O.D_A.1", "B")
    assert binary.tasks == ("Pong", "Montezuma's Revenge")
    assert binary.values.tolist() == [[0, 0], [1, 1]]


def test_citations_and_soccer_are_read_as_our_tables(server, tmp_path, monkeypatch):
    root, address = server
    texts = {
        "citations": '"winner" "loser" "Freq"\n"1" "A" "A" NA\n"2" "B" "A" 3\n"3" "A" "B" 5\n"4" "B" "B" NA\n',
        "soccer": "5.0e-01 7.5e-01\n2.5e-01 5.0e-01\n",
    }
    for name, text in texts.items():
        (path,) = PUBLIC[name].files
        put(root, name, path, text)
        monkeypatch.setitem(PUBLIC, name, replace(PUBLIC[name], files={path: None}))
        fetch_data(name, tmp_path, mirror=address)
    pairs = eq.read_pairs(tmp_path / "bradley_terry" / "citations.csv")
    assert (pairs.agents, pairs.wins.tolist()) == (("A", "B"), [5.0])
    assert pairs.probabilities()[1, 0] == 3 / 8
    game = eq.read_metagame(tmp_path / "metagames" / "soccer_winprob_10x10.csv")
    assert game.payoffs[0].tolist() == [[0.5, 0.75], [0.25, 0.5]]


def test_a_checksum_is_pinned_at_the_first_download_and_held_to(server, tmp_path):
    root, address = server
    put(root, "gvgai", "data/GVGAI_data.csv", plays([("a", 3, 0), ("b", 2, 5)]))
    put(root, "gvgai", "README.md", README)
    first = fetch_data("gvgai", tmp_path, mirror=address)
    assert len(first.pinned) == 2
    again = fetch_data("gvgai", tmp_path, mirror=address)
    assert again.pinned == ()
    assert json.loads((tmp_path / "checksums.json").read_text()) == first.checksums == again.checksums
    put(root, "gvgai", "README.md", README + "\n")
    before = [path.read_bytes() for path in first.tables]
    with pytest.raises(eq.DataError, match=r"SHA-256 .* instead of .*: it was not used"):
        fetch_data("gvgai", tmp_path, mirror=address)
    assert [path.read_bytes() for path in first.tables] == before


def test_a_known_checksum_is_held_to_at_the_first_download(server, tmp_path):
    root, address = server
    put(root, "baseball", "data/baseball.csv", "home.team,away.team,home.wins,away.wins\n")
    with pytest.raises(eq.DataError, match="94a6953b"):
        fetch_data("baseball", tmp_path / "made", mirror=address)
    assert not (tmp_path / "made").exists()


def test_wrong_names_servers_and_files_are_one_line_each(server, tmp_path):
    root, address = server
    with pytest.raises(eq.ParameterError, match='did you mean "gvgai"'):
        fetch_data("gvgia", tmp_path)
    with pytest.raises(eq.ParameterError, match=r"cannot be fetched: .* R.*irt/mirt_LSAT7\.csv"):
        fetch_data("lsat7", tmp_path)
    with pytest.raises(eq.DataError, match="404"):
        fetch_data("gvgai", tmp_path, mirror=address)
    with pytest.raises(eq.DataError, match="could not be reached"):
        fetch_data("gvgai", tmp_path, mirror="http://127.0.0.1:9")
    with pytest.raises(eq.ParameterError, match="begins with http"):
        fetch_data("gvgai", tmp_path, mirror="file:///etc")
    put(root, "gvgai", "data/GVGAI_data.csv", "a,bait,0,1,1.0,9\n")
    put(root, "gvgai", "README.md", README)
    with pytest.raises(eq.DataError, match=r"1 plays of bait\.0 instead of 5"):
        fetch_data("gvgai", tmp_path, mirror=address)


def test_the_command_fetches_into_the_cache_and_lists_what_there_is(server, tmp_path, monkeypatch, capsys):
    root, address = server
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    put(root, "gvgai", "data/GVGAI_data.csv", plays([("a", 3, 0), ("b", 2, 5)]))
    put(root, "gvgai", "README.md", README)
    assert main(["data", "fetch", "gvgai", "--mirror", address]) == 0
    said = capsys.readouterr().err
    assert said.count("Pinned from now on: SHA-256") == 2
    assert (data_folder() / "gvgai" / "gvgai_plays.csv").is_file()
    assert main(["data", "fetch", "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)["public"]
    assert {row["name"]: row["fetch"] for row in listed}["gvgai"] == "yes"
    assert all(row["licence"] and row["source"] for row in listed)
    assert main(["data", "alphago", "lsat"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_real_files_of_a_set_give_the_tables_that_papers_are_recomputed_from(equipoise_data, server, tmp_path):
    """Raw files made again from our tables: what conversion gives is what they were made of."""
    root, address = server
    folder = equipoise_data / "gvgai"
    rows = [line.split(",") for line in (folder / "gvgai_plays.csv").read_text().splitlines()[1:]]
    put(root, "gvgai", "data/GVGAI_data.csv", "\n".join(",".join((a, g, v, w, s, t)) for a, g, v, _, w, s, t in rows))
    put(root, "gvgai", "README.md", README)
    fetch_data("gvgai", tmp_path, mirror=address)
    for file in PUBLIC["gvgai"].makes[:3]:
        assert (tmp_path / file).read_text() == (equipoise_data / file).read_text()
    known = (equipoise_data / "llmfao" / "llmfao.csv").read_bytes()
    assert PUBLIC["llmfao"].files == {"llmfao.csv": hashlib.sha256(known).hexdigest()}
