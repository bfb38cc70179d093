"""The public data sets behind the papers that can be recomputed: where they are, and how they become our tables.

A set is made of files of a public repository at one commit. Their checksums are written here where the raw file was at
hand; the others are pinned at the first download. None of them comes with the package: several have no licence.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from equipoise.core.errors import DataError

RAW = "https://raw.githubusercontent.com"
"""The server of raw files: owner, repository, commit and path follow."""

Convert = Callable[[Mapping[str, str]], Mapping[str, str]]
"""From the texts of the raw files, by path, to the texts of our tables, by file."""


@dataclass(frozen=True, slots=True)
class PublicSet:
    """A public data set.

    Attributes
    ----------
    name, about, licence
        What it is called here, what it holds, and what its source says about its use.
    repository, commit
        Where it is.
    files
        Paths there, with their SHA-256 where it is known.
    convert
        Makes our tables of them; None for a set that cannot be fetched.
    makes
        The tables that results need.
    reason
        Why it cannot be fetched.
    """

    name: str
    about: str
    licence: str
    repository: str
    makes: tuple[str, ...]
    commit: str = ""
    files: Mapping[str, str | None] | None = None
    convert: Convert | None = None
    reason: str = ""

    def address(self, path: str, mirror: str | None = None) -> str:
        """Give the address of a raw file."""
        return f"{(mirror or RAW).rstrip('/')}/{self.repository}/{self.commit}/{path}"


def set_of(file: str) -> PublicSet | None:
    """Find the set that a table belongs to.

    >>> set_of("metagames/soccer_winprob_10x10.csv").name
    'soccer'
    """
    return next((each for each in PUBLIC.values() if file in each.makes), None)


def _table(rows: Iterable[Iterable[object]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _one_half(text: str) -> list[str]:
    """Give the lines of a file, or of the first side of a merge that was left unfinished in it."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or not lines[0].startswith("<<<<<<<"):
        return lines
    middle = next((k for k, line in enumerate(lines) if line.startswith("=======")), len(lines))
    return lines[1:middle]


def _parameters(readme: str, title: str) -> str:
    """Read the fitted items out of the table that stands under a title."""
    _, found, rest = readme.partition(title)
    if not found:
        raise DataError(f'no "{title}" in the raw file: it is not the version that was converted before')
    rows = []
    for line in rest.partition("\n##")[0].splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 5 and cells[-1].isdigit():
            rows.append(cells)
    return _table([("item", "guessing", "difficulty", "discrimination", "id"), *rows])


def _gvgai(raw: Mapping[str, str]) -> Mapping[str, str]:
    """Count wins out of five, and say which levels were won at least as often as lost."""
    plays = list(csv.reader(_one_half(raw["data/GVGAI_data.csv"])))
    wins: dict[tuple[str, str], int] = defaultdict(int)
    times: dict[tuple[str, str], int] = defaultdict(int)
    long = []
    for agent, game, level, won, score, ticks in plays:
        cell = (agent, f"{game}.{level}")
        times[cell] += 1
        wins[cell] += int(won)
        long.append((agent, game, level, times[cell], won, score, ticks))
    agents = sorted({agent for agent, _ in wins}, key=str.lower)
    levels = sorted({level for _, level in wins})
    uneven = [cell for cell in ((a, t) for a in agents for t in levels) if times[cell] != 5]
    if uneven:
        raise DataError(f"{uneven[0][0]} has {times[uneven[0]]} plays of {uneven[0][1]} instead of 5")
    head = ("agent", *levels)
    return {
        "gvgai/gvgai_plays.csv": _table([("agent", "game", "level", "play", "win", "score", "time"), *long]),
        "gvgai/gvgai_wins_of_5_agents_x_levels.csv": _table(
            [head, *((agent, *(wins[agent, level] for level in levels)) for agent in agents)]
        ),
        "gvgai/gvgai_binary_agents_x_levels.csv": _table(
            [head, *((agent, *(int(wins[agent, level] > 2) for level in levels)) for agent in agents)]
        ),
        "gvgai/gvgai_irt2pl_params_reference.csv": _parameters(raw["README.md"], "## IRT parameters: GVGP Games"),
    }


def _ale(raw: Mapping[str, str]) -> Mapping[str, str]:
    """Keep percent of a human's score, and say who reached a hundred."""
    head, *games = csv.reader(_one_half(raw["data/ALE_data.csv"]))
    games = [[game.replace("’", "'"), *values] for game, *values in games]
    binary: list[list[object]] = [["technique", *(game for game, *_ in games)]]
    for column, name in enumerate(head[1:], 1):
        # The names that R makes of them, as the authors' other files have them.
        plain = "".join(letter if letter.isalnum() or letter in "._" else "." for letter in name)
        binary.append([plain, *(int(float(game[column]) >= 100.0) for game in games)])
    return {
        "ale/ale_scores_games_x_techniques.csv": _table([["game", *head[1:]], *games]),
        "ale/ale_binary_techniques_x_games.csv": _table(binary),
        "ale/ale_irt2pl_params_reference.csv": _parameters(raw["README.md"], "### IRT parameters: Atari 2600 Games"),
    }


def _soccer(raw: Mapping[str, str]) -> Mapping[str, str]:
    rows = [line.split() for line in next(iter(raw.values())).splitlines() if line.strip()]
    names = [f"agent{k}" for k in range(len(rows))]
    body = ([name, *(repr(float(value)) for value in row)] for name, row in zip(names, rows, strict=True))
    return {"metagames/soccer_winprob_10x10.csv": _table([["row_agent", *names], *body])}


def _citations(raw: Mapping[str, str]) -> Mapping[str, str]:
    """Make a table of who is cited by whom; R leaves the diagonal out, and so do we."""
    _, *rows = csv.reader(next(iter(raw.values())).splitlines(), delimiter=" ")
    names = list(dict.fromkeys(row[1] for row in rows))
    count = {(row[1], row[2]): "" if row[3] == "NA" else row[3] for row in rows}
    body = ([cited, *(count[cited, citing] for citing in names)] for cited in names)
    return {"bradley_terry/citations.csv": _table([["cited\\citing", *names], *body])}


def _as_it_is(file: str) -> Convert:
    return lambda raw: {file: next(iter(raw.values()))}


IRT_PAPER = "nandomp/AI_benchmark_analysis"
IRT_COMMIT = "cd9b740ad4dd9b9789f400f82058c90265fa60fb"
IRT_LICENCE = "none stated; a header in its program says GPL"
BRADLEY_TERRY = "hturner/BradleyTerry2"
BT_COMMIT = "ce4902e7734dfdf15641a3d5541cd36d5c834700"
R_FORM = "its source is a file of R, which is not read here"
PUBLIC: Mapping[str, PublicSet] = {
    each.name: each
    for each in (
        PublicSet(
            "gvgai", "28,175 plays of 23 agents on 245 levels, and the published item parameters",
            IRT_LICENCE, IRT_PAPER,
            ("gvgai/gvgai_plays.csv", "gvgai/gvgai_wins_of_5_agents_x_levels.csv",
             "gvgai/gvgai_binary_agents_x_levels.csv", "gvgai/gvgai_irt2pl_params_reference.csv"),
            IRT_COMMIT, {"data/GVGAI_data.csv": None, "README.md": None}, _gvgai,
        ),
        PublicSet(
            "ale", "45 techniques on 49 Atari games, and the published item parameters", IRT_LICENCE, IRT_PAPER,
            ("ale/ale_scores_games_x_techniques.csv", "ale/ale_binary_techniques_x_games.csv",
             "ale/ale_irt2pl_params_reference.csv"),
            IRT_COMMIT, {"data/ALE_data.csv": None, "README.md": None}, _ale,
        ),
        PublicSet(
            "soccer", "win probabilities of ten soccer agents", "Apache-2.0", "google-deepmind/open_spiel",
            ("metagames/soccer_winprob_10x10.csv",), "297580e6798ab0dc3332446694dc3ab7bf65d906",
            {"open_spiel/data/paper_data/response_graph_ucb/soccer.txt":
             "b8e24989add98f4e494fb383d2e4ffaeac7db5f43324b290497395f7cdf66726"}, _soccer,
        ),
        PublicSet(
            "llmfao", "8,931 human votes over 59 language models", "Apache-2.0", "dustalov/evalica",
            ("llmfao/llmfao.csv",), "6ef8c100e4af998eac7b788b25b3482beddb440e",
            {"llmfao.csv": "106564a4bf06f047a4662979384313c22d9b4ca901e780f9e8419f8e5581adb1"},
            _as_it_is("llmfao/llmfao.csv"),
        ),
        PublicSet(
            "baseball", "seven teams at home and away in 1987", "GPL-2 or later", BRADLEY_TERRY,
            ("bradley_terry/baseball.csv",), BT_COMMIT,
            {"data/baseball.csv": "94a6953b0c8e86552478863245a21dbb0f0b08c305fc830ff27b9b0cd94aac41"},
            _as_it_is("bradley_terry/baseball.csv"),
        ),
        PublicSet(
            "citations", "citations among four journals of statistics", "GPL-2 or later", BRADLEY_TERRY,
            ("bradley_terry/citations.csv",), BT_COMMIT,
            {"data/citations.txt": "6d2addf7131977058ffbd2342d3326c47f052a89eca57e4ca9004f0f1e29898a"}, _citations,
        ),
        PublicSet(
            "gvgai-agents", "what the authors' program computes for each agent", IRT_LICENCE, IRT_PAPER,
            ("gvgai/gvgai_agents_reference.csv",), reason="it was read off drawings in the repository",
        ),
        PublicSet(
            "ale-plots", "abilities, means and variances of techniques", IRT_LICENCE, IRT_PAPER,
            ("ale/ale_ability_regularity_reference_from_plots.csv",),
            reason="it was read off drawings in the repository",
        ),
        PublicSet(
            "kuhn", "payoffs of Kuhn poker for two, three and four players", "Apache-2.0", "google-deepmind/open_spiel",
            tuple(f"metagames/kuhn_poker_{players}p_metagame.json" for players in (2, 3, 4)),
            reason="its source computes it and holds no file of it",
        ),
        PublicSet(
            "atari-noop", "30 agents on 57 Atari games, no-op starts", "none stated", "tables of the agents' papers",
            ("atari/endtoend_noop_starts_agents_x_games.csv",), reason="it was collected from papers",
        ),
        PublicSet(
            "go", "124,724 games of 319 Go programs", "MIT", "breakwa11/GoAIRatings",
            ("go_bots/cross_results_long.csv.gz",), reason="its source is a page for each program",
        ),
        PublicSet(
            "lbr", "400,000 hands of local best response against Hyperborean", "none stated",
            "the DeepStack authors' release", ("poker/lbr_vs_hyperborean14_duplicate_hands.csv.gz",),
            reason="its source is an archive of logs",
        ),
        PublicSet(
            "ltm", "answers on two questionnaires", "GPL-2 or later", "the R package ltm",
            ("irt/ltm_WIRS.csv", "irt/ltm_Abortion.csv"), reason=R_FORM,
        ),
        PublicSet(
            "lsat7", "answers of 1,000 people on five items", "GPL-3 or later", "the R package mirt",
            ("irt/mirt_LSAT7.csv",), reason=R_FORM,
        ),
    )
}  # fmt: skip
"""By name: first those that can be fetched, then those that cannot."""
