"""How fair a game is among equal rule-based players: wins by seat, and what the game itself wants counted.

    python -m benchmarks.balance GAME [--player NAME …] [--games N] [--seed S] [--option name=value …] [--json FILE]

Prints Markdown, one column for each player, who then sits everywhere, and number of seats (``--option num_players=N``
keeps to one). A win shared by k seats counts 1/k for each of them. The first player is the seat that takes the first
decision; distances go clockwise. All intervals are 95 %: Wilson's for shares, Student's for means.

A game counts more in a module ``balance`` of its folder: ``breakdown(box, start, states, shares, counted)`` returns
tables as (title, unit, samples by row), where samples are float64 (n,). The unit ``wins`` stands for shares of a win,
``games`` for shares of the games, ``length`` for what is shown as a `Length`, any other one for a quantity. `start` and
`states` are the n records before the first decision and after the end, `shares`, float64 (n, seats), the wins. A game
whose records do not tell enough also has ``play(batch, player)``, which plays a fresh batch to its end in place of
`play` here and returns what `breakdown` gets as `counted`. ``PLAYERS``, each as `make_player` takes it, are measured if
no player is chosen; a game without them has its first rule-based player measured.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.measure import save
from lusogames_env.engine.batch import GO_ON, WAIT, Batch
from lusogames_env.engine.docs import table
from lusogames_env.engine.errors import LusogamesError, OptionError
from lusogames_env.engine.game import Box, Game
from lusogames_env.engine.players import Player, make_player
from lusogames_env.games import get_game
from lusogames_env.training.evaluate import Estimate, mean_interval, sides_of, wilson, win_shares
from lusogames_env.training.yaml_files import parse_options

Samples = Mapping[str, np.ndarray]  # by row of a table: float64 (n,)
Counts = list[tuple[str, str, Samples]]  # title, unit, samples


@dataclass(frozen=True)
class Length:
    """How long games are; 95 % of them are not longer than `most`."""

    mean: float
    median: float
    most: float
    longest: float

    def __str__(self) -> str:
        return f"{self.mean:.1f}, {self.median:.0f}, {self.most:.0f}, {self.longest:.0f}"


Results = dict[tuple[str, str], dict[str, dict[str, Estimate | Length]]]  # (title, unit) -> row -> column -> figure


def play(batch: Batch, player: Player) -> None:
    """Let one player decide for all seats of a fresh batch until all games are over."""
    batch.deciders[:] = player.decider
    actions = np.full(batch.num_games, GO_ON, np.int64)
    batch.advance(actions)  # a scripted player has played everything now
    while (rows := np.flatnonzero(batch.running)).size:
        actions[:] = WAIT
        actions[rows] = player.act(batch, rows)
        batch.advance(actions)


def seat_counts(shares: np.ndarray, first: np.ndarray) -> Counts:
    """Return the wins by seat and, where not always the same seat begins, by distance from the one that does.

    Args:
        shares: float64 (n, seats), how much of a win each seat has.
        first: int64 (n,), the seat that takes the first decision.
    """
    seats = np.arange(shares.shape[1])
    tables: Counts = [("Wins by seat", "wins", {f"seat {i}": shares[:, i] for i in seats})]
    if (first != first[0]).any():
        placed = np.take_along_axis(shares, (first[:, None] + seats) % len(seats), axis=1)
        rows = {f"{i} after the first" if i else "first player": placed[:, i] for i in seats}
        tables.append(("Wins by distance from the first player", "wins", rows))
    return tables


def module_of(game: Game) -> ModuleType | None:
    """Return the module in which a game counts what is its own, or None."""
    name = f"{game.package}.balance"
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def count(box: Box, player: Player, games: int, seed: int) -> Counts:
    """Play games among equal players and return all samples."""
    batch = Batch(box, games, seed=seed)
    start = batch.states.copy()
    module = module_of(box.game)
    counted = getattr(module, "play", play)(batch, player)
    shares = win_shares(batch.outcomes("win")[:, : box.num_players], sides_of(box))
    own = module.breakdown(box, start, batch.states, shares, counted) if module else []
    return seat_counts(shares, start["actor"].astype(np.int64)) + own


def figure(unit: str, values: np.ndarray) -> Estimate | Length:
    """Return what a table shows of samples: their mean with its interval, or a `Length`."""
    if unit == "length":
        return Length(*map(float, (values.mean(), np.median(values), np.quantile(values, 0.95), values.max())))
    return wilson(float(values.mean()), len(values)) if unit in ("wins", "games") else mean_interval(values)


def players_of(game: Game, chosen: Sequence[str] = ()) -> list[Player]:
    """Return the players that are measured: the chosen ones, else the game's own choice; raises `OptionError`."""
    return [make_player(spec, game) for spec in chosen or getattr(module_of(game), "PLAYERS", game.bots[:1])]


def balance(game: Game, players: Sequence[Player], games: int, seed: int, options: Mapping[str, Any]) -> Results:
    """Measure a game with each of `players` and each number of seats from 2 on, or the one that `options` name.

    Raises:
        OptionError: fewer than 2 games, or a bad option.
    """
    if games < 2:
        raise OptionError(f"{games} games: expected 2 games or more")
    tables = {"num_players": options["num_players"]} if "num_players" in options else {}
    results: Results = {}
    for player in players:
        for seats in tables.values() or [n for n in game.players if n > 1]:
            column = f"{seats} players" if len(players) == 1 else f"{seats} × {player.name}"
            box = game.new_box(**{**options, "num_players": seats})
            for title, unit, samples in count(box, player, games, seed):
                rows = results.setdefault((title, unit), {})
                for row, values in samples.items():
                    rows.setdefault(row, {})[column] = figure(unit, values)
    return results


def markdown(results: Results) -> str:
    """Return all tables: a row for each thing counted, a column for each player and number of seats."""
    return "\n\n".join(_table(title, unit, rows) for (title, unit), rows in results.items())


def _table(title: str, unit: str, rows: Mapping[str, Mapping[str, Estimate | Length]]) -> str:
    digits = 3 if unit in ("wins", "games") else 2
    columns = list(dict.fromkeys(column for cells in rows.values() for column in cells))
    return table(
        (title, *columns), [(row, *(_cell(cells.get(c), digits) for c in columns)) for row, cells in rows.items()]
    )


def _cell(one: Estimate | Length | None, digits: int) -> str:
    if isinstance(one, Estimate):
        return f"{one.mean:.{digits}f} [{one.low:.{digits}f}, {one.high:.{digits}f}]"
    return str(one or "")


def to_json(results: Results) -> list[dict[str, Any]]:
    """Return plain JSON types: one entry for each table."""
    return [
        {
            "title": title,
            "unit": unit,
            "rows": {row: {column: asdict(one) for column, one in cells.items()} for row, cells in rows.items()},
        }
        for (title, unit), rows in results.items()
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print Markdown and save JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.balance", description=__doc__.splitlines()[0])
    parser.add_argument("game", help="name of the game")
    parser.add_argument("--player", action="append", default=[], help="who sits everywhere; can be given several times")
    parser.add_argument("--games", type=int, default=4000, help="games for each column (default 4000)")
    parser.add_argument("--seed", type=int, default=0, help="root of all seeds (default 0)")
    parser.add_argument("--option", action="append", default=[], metavar="name=value", help="option of the game")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    args = parser.parse_args(arguments)
    try:
        game, options = get_game(args.game), parse_options(args.option)
        players = players_of(game, args.player)
        results = balance(game, players, args.games, args.seed, options)
    except LusogamesError as error:
        parser.error(str(error))
    if args.json:
        about = {"game": game.name, "players": [player.name for player in players], "games": args.games}
        save(args.json, {**about, "seed": args.seed, "options": options, "tables": to_json(results)})
    print(markdown(results))


if __name__ == "__main__":
    main()
