"""Pictures of everything that is shown, from data that come with the package: ``make shots`` makes them.

Pages of every kind, on a desk (1280), on a telephone (390), dark and on paper, go to .shots/, to be looked at. The
pictures of the README and of the site's front page go to docs/images.
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
    "tasks": "equipoise tasks classifiers --page {page}",
    "irt": "equipoise irt digits --page {page}",
    "luck": "equipoise luck hands --control honest --page {page}",
    "plan": "equipoise plan folder/games.csv --page {page}",
    "metagame": "equipoise metagame alphago --page {page}",
    "report": "equipoise report folder/*.csv -o {page}",
}
"""A command for each kind of page."""
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
    "dark": Look(1280, 900, scheme="dark"),
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


def main(kinds: list[str]) -> None:
    """Make the pages of these kinds (all, without any), the pictures of them, and those of the README."""
    shutil.rmtree(SHOTS, ignore_errors=True)
    (SHOTS / "folder").mkdir(parents=True)
    IMAGES.mkdir(exist_ok=True)
    around = environment_of(ROOT)
    for name in IN_FOLDER:
        on_terminal(f"equipoise data {name} -o folder/{name}.csv", SHOTS, around)
    draw_games(SHOTS / "folder" / "games.csv")
    with browser() as opened:
        for kind in kinds or PAGES:
            page = SHOTS / f"{kind}.html"
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
