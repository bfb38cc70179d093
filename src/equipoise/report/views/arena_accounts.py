"""The views of one game, one player and one pair of an arena."""

from datetime import UTC, datetime
from functools import singledispatch

from equipoise.arena.access.accounts import GameAccount, PairAccount, PlayerAccount
from equipoise.arena.access.activity import duration
from equipoise.arena.spec.names import escaped
from equipoise.core.results import jsonable
from equipoise.core.wording import counted
from equipoise.report.views import cells
from equipoise.report.views.arena import won_drawn_lost
from equipoise.report.views.view import Column, Row, TableView, View


@singledispatch
def account_view(account: object) -> View:
    """Show a game, a player or a pair of an arena."""
    raise TypeError(f"no view of {type(account).__name__}")


@account_view.register
def _game(game: GameAccount) -> View:
    attempts = [
        {
            "attempt": one.attempt, "worker": one.worker, "began": one.began, "how": one.how, "reason": one.reason,
            "seconds": None if one.ended is None else one.ended - one.began,
        }
        for one in game.attempts
    ]  # fmt: skip
    columns = [
        Column("attempt", cells.count("attempt")),
        Column("worker", cells.text("worker"), right=False),
        Column("began (UTC)", lambda row: _moment(row["began"]), right=False),
        Column("took", lambda row: "–" if row["seconds"] is None else duration(row["seconds"])),
        Column("ended", lambda row: ": ".join(filter(None, [row["how"], row["reason"]])), right=False, prose=True),
    ]
    return View(
        tables=(TableView("attempts", attempts, columns, "Attempts"),) if attempts else (),
        sentences=tuple(_about_game(game)),
        document=jsonable(game.to_dict()),
        title=f"Game {game.number}",
    )


def _about_game(game: GameAccount) -> list[str]:
    task = "" if game.task is None else f" on {game.task}"
    part = f"one of {game.of} of set {game.block}" if game.of > 1 else f"set {game.block}"
    said = [f"Game {game.number} ({part}): {' - '.join(game.players)}{task}. Played because: {game.reason}."]
    if game.void is not None:
        said.append(f"Void: {game.void}.")
    if game.scores is not None:
        scores = ", ".join(f"{name} {score:g}" for name, score in zip(game.players, game.scores, strict=True))
        said.append(f"Result: {scores}.")
    if game.forfeit is not None:
        said.append(f"Forfeited by {game.players[game.forfeit['seat']]}: {game.forfeit['message']}.")
    if game.costs:
        said.append(f"Beside it: {', '.join(f'{name} {value:g}' for name, value in game.costs.items())}.")
    if not game.complete:
        return [*said, "Seed and moves are shown when its whole set is finished: the other games have the same seed."]
    said.append(f"Seed {game.seed}.")
    if game.transcript is not None:
        said += ["Transcript:", *(escaped(line) for line in game.transcript.splitlines())]
    elif game.scores is not None:
        said.append("No transcript is kept.")
    return said


@account_view.register
def _player(player: PlayerAccount) -> View:
    rows = [_pair_row(pair) for pair in player.pairs]
    columns = [
        Column("against", cells.text("second"), right=False),
        Column("games", cells.count("games")),
        Column("won–drawn–lost", won_drawn_lost),
        Column("decided", lambda row: row["decided"] or "open", right=False, prose=True),
    ]
    mean = "" if player.mean is None else f", {player.mean:.4g} a game on average"
    bot = "" if player.bot is None else f" It is {player.bot}"
    version = "" if player.version is None else f"{',' if bot else ' Its'} version {player.version}"
    said = [
        f"{player.name}: {counted(player.games, 'game')}{mean}; {counted(player.forfeits, 'forfeit')}.",
        *([f"{bot}{version}.".strip()] if bot or version else []),
        *(f"Game {one.game}, {one.what}: {one.reason}." for one in player.mishaps),
    ]
    tables = (TableView("pairs", rows, columns),) if rows else ()
    return View(tables=tables, sentences=tuple(said), document=jsonable(player.to_dict()), title=player.name)


@account_view.register
def _pair(pair: PairAccount) -> View:
    rows = [
        {
            "game": one.number, "players": list(one.players), "scores": list(one.scores), "forfeit": one.forfeit,
            "time": one.time,
        }
        for one in pair.games
    ]  # fmt: skip
    columns = [
        Column("game", cells.count("game")),
        Column("seats", lambda row: " - ".join(row["players"]), right=False),
        Column("scores", lambda row: ", ".join(f"{score:g}" for score in row["scores"]), right=False),
        Column("forfeited by", cells.text("forfeit"), right=False, drop=2),
        Column("when (UTC)", lambda row: _moment(row["time"]), right=False, drop=1),
    ]
    decided = "Nothing is decided about them." if pair.decision is None else pair.decision.sentence
    record = f"{pair.won:,} won, {pair.drawn:,} drawn, {pair.lost:,} lost"
    games = pair.won + pair.drawn + pair.lost
    return View(
        tables=(TableView("last_games", rows, columns, "Last games"),) if rows else (),
        sentences=(f"{pair.first} against {pair.second}: {counted(games, 'game')}, {record}.", decided),
        document=jsonable(pair.to_dict()),
        title=f"{pair.first} against {pair.second}",
    )


def _pair_row(pair: PairAccount) -> Row:
    decided = None if pair.decision is None else pair.decision.sentence
    games = pair.won + pair.drawn + pair.lost
    counts = {"won": pair.won, "drawn": pair.drawn, "lost": pair.lost}
    return {"second": pair.second, "games": games, **counts, "decided": decided}


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
