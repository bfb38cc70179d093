"""Pictures of everything that is shown, from data that come with the package: ``make shots`` makes them.

Pages of every kind, on a desk (1280) and on a telephone (390), light and dark, and on paper, and screens of
the commands at 80 and 120 columns go to .shots/, to be looked at. The pictures of the README and of the front page of
the site go to docs/images.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.readme import environment_of
from tools.terminal import as_svg, on_terminal

ROOT = Path(__file__).parents[1]
SHOTS, IMAGES = ROOT / ".shots", ROOT / "docs" / "images"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
TALLEST = 12_000
"""Pixels of a page that are worth looking at; browsers give up beyond 16,384."""
FIRST_COMMAND = "equipoise rank classifiers"

PAGES = {
    "rank": "equipoise rank classifiers --page {page}",
    "votes": "equipoise report votes.csv -o {page}",
    "scores": "equipoise tasks digits --page {page}",
    "tasks": "equipoise tasks classifiers --page {page}",
    "irt": "equipoise irt digits --page {page}",
    "luck": "equipoise luck hands --control honest --page {page}",
    "plan": "equipoise plan folder/games.csv --page {page}",
    "metagame": "equipoise metagame alphago --page {page}",
    "judges": "equipoise judges votes.csv --page {page}",
    "arena": "equipoise report ladder.db -o {page}",
    "report": "equipoise report folder/*.csv -o {page}",
}
"""A command for each kind of page."""
SCREENS = {
    "rank": FIRST_COMMAND,
    "votes": "equipoise rank votes.csv",
    "compare": "equipoise compare votes.csv svm-rbf forest",
    "tasks": "equipoise tasks classifiers",
    "scores": "equipoise tasks digits",
    "irt": "equipoise irt digits",
    "luck": "equipoise luck hands",
    "plan": "equipoise plan votes.csv",
    "judges": "equipoise judges votes.csv",
    "metagame": "equipoise metagame alphago",
    "arena": "equipoise arena status -d ladder.db",
}
"""A command for each kind of screen."""
WIDTHS = (80, 120)
LADDER = """name = "Leduc ladder"
game = "leduc"
goal = "order"
budget = 300
score_range = [-13.0, 13.0]
"""
PLAYERS = ("honest", "rock", "caller", "maniac")
VOTERS = 30
IN_FOLDER = ("alphago", "classifiers", "hands-kuhn2", "lsat")
"""Data sets in the folder that the last of them reports on, beside games drawn from AlphaGo's win rates."""
GAMES = 60


@dataclass(frozen=True)
class Look:
    """A way to look at a page."""

    width: int
    height: int
    scheme: str = "light"
    media: str = "screen"


LOOKS = {
    "1280": Look(1280, 900),
    "390": Look(390, 844),
    "1280-dark": Look(1280, 900, scheme="dark"),
    "390-dark": Look(390, 844, scheme="dark"),
    "print": Look(794, 1123, media="print"),
}
PICTURES = {"leaderboard": "rank", "report": "tasks"}
"""Pictures of the README, with the page whose first screen each is."""


@contextmanager
def browser() -> Iterator[Any]:
    """Open a browser without a network."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("EQUIPOISE_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        sys.exit("shots: no Chromium found; `make browser` installs Debian's, or set EQUIPOISE_CHROMIUM to one's path")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield opened
        opened.close()


def picture(opened: Any, page: Path, look: Look, target: Path, *, whole: bool = True) -> None:
    """Take a picture of a page from disk: all of it, or its first screen."""
    context = opened.new_context(
        viewport={"width": look.width, "height": look.height}, color_scheme=look.scheme, offline=True
    )
    tab = context.new_page()
    if page.suffix == ".svg":  # Chromium takes no picture of a drawing that is a document of its own
        tab.set_content(f'<body style="margin: 0">{page.read_text(encoding="utf-8")}</body>')
    else:
        tab.goto(page.as_uri())
    tab.emulate_media(media=look.media, color_scheme=look.scheme)
    tab.wait_for_timeout(300)  # drawings settle
    height = min(tab.evaluate("document.documentElement.scrollHeight"), TALLEST) if whole else look.height
    tab.screenshot(
        path=target, full_page=True, clip={"x": 0, "y": 0, "width": look.width, "height": max(height, look.height)}
    )
    context.close()


def draw_games(target: Path) -> None:
    """Draw games at the win rates of the Go programs; no bundled set has counts of games."""
    import numpy as np

    import equipoise as eq

    table = eq.load("alphago")
    won = np.random.default_rng(0).binomial(GAMES, table.wins / table.games)
    names = [(table.agents[i], table.agents[j]) for i, j in zip(table.first, table.second, strict=True)]
    rows = [f"{a},{b},{wins},{GAMES}" for (a, b), wins in zip(names, won, strict=True)]
    target.write_text("\n".join(["player,opponent,wins,games", *rows]) + "\n", encoding="utf-8")


def draw_votes(target: Path) -> None:
    """Let voters compare classifiers by their accuracy on a data set and seed, with a liking for the first one."""
    import numpy as np

    import equipoise as eq

    scores, rng = eq.load("classifiers"), np.random.default_rng(0)
    rows = ["id,model_a,model_b,voter,winner"]
    for k in range(4000):
        i, j = rng.choice(len(scores.agents), 2, replace=False)
        task, run = rng.integers(len(scores.tasks)), rng.integers(scores.repeats.shape[2])
        lead = scores.repeats[i, task, run] - scores.repeats[j, task, run] + 0.01 + 0.05 * rng.normal()
        winner = "tie" if abs(lead) < 0.005 else "model_a" if lead > 0 else "model_b"
        rows.append(f"{k},{scores.agents[i]},{scores.agents[j]},voter {rng.geometric(1 / VOTERS)},{winner}")
    target.write_text("\n".join(rows) + "\n", encoding="utf-8")


def play_ladder(folder: Path, around: dict[str, str]) -> None:
    """Play a small tournament."""
    players = "".join(f'[[player]]\nname = "{name}"\n' for name in PLAYERS)
    (folder / "ladder.toml").write_text(LADDER + players, encoding="utf-8")
    on_terminal("equipoise arena new ladder.toml -d ladder.db", folder, around)
    on_terminal("equipoise arena run -d ladder.db --workers 1", folder, around)


def draw_live(page: Path) -> None:
    """Write the page on which the tournament is watched, as one file."""
    import equipoise as eq
    from equipoise.web.documents import Documents
    from equipoise.web.pages.drawn import Stand, draw_page

    with eq.Arena.look_at(SHOTS / "ladder.db") as arena:
        seq = arena.look(lambda state: state.seq)
        stand = Stand("/arenas/ladder", Documents(arena), seq, None, False, "")
        page.write_text(draw_page(stand, alone=True), encoding="utf-8")


def screens(opened: Any, around: dict[str, str]) -> None:
    """Take pictures of what commands print, at both widths."""
    for name, line in SCREENS.items():
        for columns in WIDTHS:
            drawn = SHOTS / f"screen-{name}-{columns}.svg"
            shown = on_terminal(line, SHOTS, around, columns=columns)
            drawn.write_text(as_svg(line, shown, columns=columns), encoding="utf-8")
            picture(opened, drawn, Look(1280, 900), drawn.with_suffix(".png"))
    print(f"screens: {len(SCREENS)} commands at {' and '.join(map(str, WIDTHS))} columns", flush=True)


def main(kinds: list[str]) -> None:
    """Make the pages of these kinds (all, and the screens, without any), their pictures, and those of the README."""
    shutil.rmtree(SHOTS, ignore_errors=True)
    (SHOTS / "folder").mkdir(parents=True)
    IMAGES.mkdir(exist_ok=True)
    around = environment_of(ROOT)
    for name in IN_FOLDER:
        on_terminal(f"equipoise data {name} -o folder/{name}.csv", SHOTS, around)
    draw_games(SHOTS / "folder" / "games.csv")
    draw_votes(SHOTS / "votes.csv")
    play_ladder(SHOTS, around)
    with browser() as opened:
        if not kinds:
            screens(opened, around)
        for kind in kinds or (*PAGES, "live"):
            page = SHOTS / f"{kind}.html"
            if kind == "live":
                draw_live(page)
            else:
                on_terminal(PAGES[kind].format(page=page.name), SHOTS, around)
            for name, look in LOOKS.items():
                picture(opened, page, look, SHOTS / f"{kind}-{name}.png")
            for name, shown in PICTURES.items():
                if shown == kind:
                    picture(opened, page, LOOKS["1280"], IMAGES / f"{name}.png", whole=False)
            print(f"{kind}: {page.stat().st_size / 1e6:.1f} MB, {len(LOOKS)} pictures", flush=True)
    shown = on_terminal(FIRST_COMMAND, SHOTS, around)
    (IMAGES / "terminal.svg").write_text(as_svg(FIRST_COMMAND, shown), encoding="utf-8")
    print(f"Look at {SHOTS.name}/*.png; the pictures of the README are in {IMAGES.relative_to(ROOT)}.")


if __name__ == "__main__":
    main(sys.argv[1:])
