"""How fair a game is among equal rule-based players: wins by seat, and what the game itself wants counted.

    python -m benchmarks.balance GAME [--player NAME] [--games N] [--seed S] [--option name=value …] [--json FILE]

Prints Markdown, one column for each number of seats (``--option num_players=N`` keeps to one). A win shared by k seats
counts 1/k for each of them. The first player is the seat that takes the first decision; distances go clockwise. All
intervals are 95 %: Wilson's for wins, Student's for means.

A game counts more in a module ``balance`` of its folder: ``breakdown(box, states, shares, counted)`` returns tables as
(title, unit, samples by row), where samples are float64 (n,); the unit ``wins`` stands for shares of a win, any other
one for a quantity. `states` are the n records after the end, `shares`, float64 (n, seats), the wins. A game whose final
record does not tell enough also has ``play(batch, player)``, which plays a fresh batch to its end in place of `play`
here and returns what `breakdown` gets as `counted`.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.measure import save
from lusogames_env.engine.batch import EXTERNAL, GO_ON, Batch
from lusogames_env.engine.docs import table
from lusogames_env.engine.errors import LusogamesError, OptionError
from lusogames_env.engine.game import Box, Game
from lusogames_env.engine.players import Player, make_player
from lusogames_env.games import get_game
from lusogames_env.training.evaluate import Estimate, mean_interval, sides_of, wilson, win_shares
from lusogames_env.training.yaml_files import parse_options

Samples = Mapping[str, np.ndarray]  # by row of a table: float64 (n,)
Counts = list[tuple[str, str, Samples]]  # title, unit, samples
Results = dict[tuple[str, str], dict[str, dict[int, Estimate]]]  # (title, unit) -> row -> seats -> estimate


def play(batch: Batch, player: Player) -> None:
    """Let a scripted player play all seats of a fresh batch to the end."""
    batch.deciders[:] = player.decider
    batch.advance(np.full(batch.num_games, GO_ON, np.int64))


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
    first = batch.actors
    module = module_of(box.game)
    counted = getattr(module, "play", play)(batch, player)
    shares = win_shares(batch.outcomes("win")[:, : box.num_players], sides_of(box))
    own = module.breakdown(box, batch.states, shares, counted) if module else []
    return seat_counts(shares, first) + own


def estimate(unit: str, values: np.ndarray) -> Estimate:
    """Return the mean of samples with its interval."""
    return wilson(float(values.mean()), len(values)) if unit == "wins" else mean_interval(values)


def balance(game: Game, games: int, seed: int, options: Mapping[str, Any], player: str | None = None) -> Results:
    """Measure a game with each number of seats from 2 on, or with the one that `options` name.

    Raises:
        OptionError: fewer than 2 games, a bad option, or a player that is not scripted.
    """
    name = player or game.bots[0]
    equal = make_player(name, game)
    if equal.decider == EXTERNAL or games < 2:
        raise OptionError(
            f"{games} games of '{name}': expected 2 games or more of one of random, {', '.join(game.bots)}"
        )
    tables = {"num_players": options["num_players"]} if "num_players" in options else {}
    results: Results = {}
    for seats in tables.values() or [n for n in game.players if n > 1]:
        box = game.new_box(**{**options, "num_players": seats})
        for title, unit, samples in count(box, equal, games, seed):
            rows = results.setdefault((title, unit), {})
            for row, values in samples.items():
                rows.setdefault(row, {})[seats] = estimate(unit, values)
    return results


def markdown(results: Results) -> str:
    """Return all tables: a row for each thing counted, a column for each number of seats."""
    return "\n\n".join(_table(title, unit, rows) for (title, unit), rows in results.items())


def _table(title: str, unit: str, rows: Mapping[str, Mapping[int, Estimate]]) -> str:
    digits = 3 if unit == "wins" else 2
    seats = sorted({n for cells in rows.values() for n in cells})
    head = (title, *(f"{n} players" for n in seats))
    return table(head, [(row, *(_cell(cells.get(n), digits) for n in seats)) for row, cells in rows.items()])


def _cell(one: Estimate | None, digits: int) -> str:
    return f"{one.mean:.{digits}f} [{one.low:.{digits}f}, {one.high:.{digits}f}]" if one else ""


def to_json(results: Results) -> list[dict[str, Any]]:
    """Return plain JSON types: one entry for each table."""
    return [
        {
            "title": title,
            "unit": unit,
            "rows": {row: {str(n): asdict(one) for n, one in cells.items()} for row, cells in rows.items()},
        }
        for (title, unit), rows in results.items()
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print Markdown and save JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.balance", description=__doc__.splitlines()[0])
    parser.add_argument("game", help="name of the game")
    parser.add_argument("--player", help="who sits everywhere (default: the game's first rule-based player)")
    parser.add_argument("--games", type=int, default=4000, help="games for each number of seats (default 4000)")
    parser.add_argument("--seed", type=int, default=0, help="root of all seeds (default 0)")
    parser.add_argument("--option", action="append", default=[], metavar="name=value", help="option of the game")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    args = parser.parse_args(arguments)
    try:
        game, options = get_game(args.game), parse_options(args.option)
        results = balance(game, args.games, args.seed, options, args.player)
    except LusogamesError as error:
        parser.error(str(error))
    if args.json:
        about = {"game": game.name, "player": args.player or game.bots[0], "games": args.games, "seed": args.seed}
        save(args.json, {**about, "options": options, "tables": to_json(results)})
    print(markdown(results))


if __name__ == "__main__":
    main()
