"""Evaluation of players: every seat arrangement equally often, win rates and points with 95 % intervals."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from math import sqrt
from typing import Any

import numpy as np

from lusogames_env.engine.batch import WAIT, Batch
from lusogames_env.engine.errors import OptionError
from lusogames_env.engine.game import Box, Game
from lusogames_env.engine.players import Player, ask, make_player
from lusogames_env.games import get_game

MAX_ARRANGEMENTS = 24  # with more, the cyclic ones: still every player in every seat equally often
GAMES_AT_ONCE = 1024
GAMES_A_CALL = 32  # that are begun by one call of compiled code


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def short(self, digits: int) -> str:
        """Return mean and half width of the interval as text."""
        return f"{self.mean:.{digits}f} ± {(self.high - self.low) / 2:.{digits}f}"


@dataclass(frozen=True)
class PlayerResult:
    """How one player did. `seat_wins[s]` is its win rate in seat s, or None where it never sat."""

    name: str
    wins: Estimate
    utility: Estimate
    points: Estimate
    seat_wins: tuple[Estimate | None, ...]


@dataclass(frozen=True)
class Evaluation:
    """Result of `evaluate`; `players` as they were given, a scripted one once. `par`: an equal share of wins."""

    game: str
    version: int
    options: dict[str, Any]
    seed: int
    games: int
    arrangements: int
    par: float
    decisions: int
    seconds: float
    players: tuple[PlayerResult, ...]

    @property
    def decisions_per_second(self) -> float:
        """Decisions of all seats per second of wall time."""
        return self.decisions / self.seconds

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {**asdict(self), "decisions_per_second": round(self.decisions_per_second)}


def wilson(mean: float, n: int) -> Estimate:
    """Return the 95 % score interval (Wilson 1927) of a rate; conservative where wins are shared."""
    z = 1.959963984540054
    centre = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(mean * (1 - mean) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Estimate(mean, max(0.0, min(mean, centre - half)), min(1.0, max(mean, centre + half)))


def mean_interval(values: np.ndarray) -> Estimate:
    """Return the mean of float64 (n,), n >= 2, with its 95 % interval by Student's t."""
    from scipy.special import stdtrit

    mean = float(values.mean())
    half = float(stdtrit(len(values) - 1, 0.975) * values.std(ddof=1) / sqrt(len(values)))
    return Estimate(mean, mean - half, mean + half)


def sides_of(box: Box) -> list[list[int]]:
    """Return the seats of every side: one seat each, or the members of a team."""
    teams = box.game.teams(box.options)
    return [[seat for seat, its in enumerate(teams) if its == team] for team in sorted(set(teams))]


def win_shares(utilities: np.ndarray, sides: Sequence[Sequence[int]]) -> np.ndarray:
    """Return how much of a win each seat has, float64 (n, seats), from utilities of the kind ``win``.

    The seats with the highest utility have won if it is above 0: fully if it is 1 (a sole winner, a team, all of a
    cooperative victory), else they share one win. A draw, where all have 0, is shared by all sides. Otherwise nobody
    has won.
    """
    best = utilities.max(axis=1, keepdims=True)
    won = (utilities >= best - 1e-9) & (best > 1e-9)
    shared = won & (best < 1 - 1e-9)
    shares = np.where(shared, 1.0 / np.maximum(won.sum(axis=1, keepdims=True), 1), won.astype(float))
    drawn = (np.abs(utilities) < 1e-9).all(axis=1)
    shares[drawn] = 1.0 / len(sides)
    return shares


def arrangements_of(identities: Sequence[int]) -> np.ndarray:
    """Return the distinct orders of the players `identities` over the sides, int64 (k, sides)."""
    distinct = sorted(set(permutations(identities))) if len(identities) <= 6 else []
    if not distinct or len(distinct) > MAX_ARRANGEMENTS:
        n = len(identities)
        distinct = sorted({tuple(identities[(i + shift) % n] for i in range(n)) for shift in range(n)})
    return np.array(distinct, np.int64)


def evaluate(
    players: Sequence[Any],
    game: str | Game | Box,
    games: int = 1000,
    seed: int = 0,
    threads: int = 1,
    **options: Any,
) -> Evaluation:
    """Let players meet, in every seat arrangement equally often.

    Args:
        players: one per side (a seat, or a team of two), or fewer: the last one then takes all sides that are left, so
            that ``[challenger, opponent]`` is one challenger against a field of copies. `make_player` says what a
            player can be.
        game: name, `Game` or `Box`.
        games: at least so many; rounded up to a multiple of the number of arrangements.
        seed: root of all seeds.
        threads: threads to split the games over.
        **options: options of the game.

    Returns:
        Win rates (see `win_shares`), utilities of the kind ``reward``, raw points of the rulebook; per player and game
        the mean over its seats.

    Raises:
        OptionError: no players, too many, or a bad option.
    """
    box = game if isinstance(game, Box) else get_game(game).new_box(**options)
    sides = sides_of(box)
    if not 1 <= len(players) <= len(sides) or games < 2:
        raise OptionError(
            f"{len(players)} players, {games} games: expected 1 to {len(sides)} players, as many as the game has sides "
            "with these options, and 2 games or more"
        )
    table = seated_players(players, box.game, seed)
    identities, unique = _identify(table, len(sides))
    orders = arrangements_of(identities)
    rounds = -(-games // len(orders))
    order_of = np.tile(np.arange(len(orders)), rounds)
    seated = np.zeros((len(order_of), box.num_players), np.int64)
    for side, seats in enumerate(sides):
        for seat in seats:
            seated[:, seat] = orders[order_of, side]
    Batch(box, 1).outcomes()  # compiles what is not compiled yet, before the clock runs
    began = time.perf_counter()
    outcomes, decisions = play_seated(box, unique, seated, seed, threads)
    seconds = time.perf_counter() - began
    shares = win_shares(outcomes["win"], sides)
    results = [
        _result(name, seated == k, shares, outcomes)
        for k, name in enumerate(_distinct_names([player.name for player in unique]))
    ]
    kept = {name: value for name, value in box.options.items() if name != "components"}
    total, par = len(order_of), 1.0 / len(sides)
    return Evaluation(
        box.game.name, box.game.version, kept, seed, total, len(orders), par, decisions, seconds, tuple(results)
    )


def seated_players(specs: Sequence[Any], game: Game, seed: int) -> list[Player]:
    """Return the players of a table, see `make_player`; those that search get chance of their own from `seed`."""
    chance = np.random.SeedSequence(seed, spawn_key=(0,)).generate_state(len(specs), np.uint64)
    return [make_player(spec, game, int(own)) for spec, own in zip(specs, chance, strict=True)]


def _identify(table: list[Player], sides: int) -> tuple[list[int], list[Player]]:
    """Return a number for the player of every side, and the players that these numbers stand for."""
    unique: dict[Any, Player] = {}
    keys = [("scripted", player.decider) if player.decider else ("own", id(player)) for player in table]
    for key, player in zip(keys, table, strict=True):
        unique.setdefault(key, player)
    numbers = {key: number for number, key in enumerate(unique)}
    return [numbers[key] for key in keys + keys[-1:] * (sides - len(keys))], list(unique.values())


def _distinct_names(names: list[str]) -> list[str]:
    return [f"{name} ({names[:i].count(name) + 1})" if names.count(name) > 1 else name for i, name in enumerate(names)]


def play_seated(
    box: Box, players: Sequence[Player], seated: np.ndarray, seed: int, threads: int = 1
) -> tuple[dict[str, np.ndarray], int]:
    """Play one game per row of `seated`, int64 (n, seats): ``players[seated[i, s]]`` sits in seat s of game i.

    Returns:
        Outcomes ``win``, ``utility`` (of the kind ``reward``) and ``raw``, each float64 (n, seats); and all plies.
    """
    chunks = [seated[i : i + GAMES_AT_ONCE] for i in range(0, len(seated), GAMES_AT_ONCE)]
    seeds = np.random.SeedSequence(seed).generate_state(len(chunks), np.uint64)
    parts: dict[str, list[np.ndarray]] = {"win": [], "utility": [], "raw": []}
    decisions = 0
    for rows, chunk_seed in zip(chunks, seeds, strict=True):
        batch = Batch(box, len(rows), seed=int(chunk_seed), threads=threads)
        try:
            play_out(batch, players, rows)
            decisions += int(batch.states["ply"].sum())
            for name, kind in (("win", "win"), ("utility", None), ("raw", "raw")):
                parts[name].append(batch.outcomes(kind)[:, : box.num_players])
        finally:
            batch.close()
    return {name: np.concatenate(part) for name, part in parts.items()}, decisions


def play_out(batch: Batch, players: Sequence[Player], seated: np.ndarray) -> None:
    """Play all games of a fresh batch to their ends; ``players[seated[i, s]]`` sits in seat s of game i."""
    codes = np.array([player.decider for player in players], np.int8)
    batch.deciders[:, : seated.shape[1]] = codes[seated]
    every = np.arange(batch.num_games)
    parts = -(-batch.num_games // GAMES_A_CALL)
    for part in range(parts):  # games of scripted players alone end here, in compiled code that hears no Ctrl-C
        batch.reset(every % parts == part)
    while True:
        running = batch.running
        if not running.any():
            return
        who = np.where(running, seated[every, np.maximum(batch.actors, 0)], -1)
        moves = np.full(batch.num_games, WAIT, np.int64)
        for k in np.unique(who[running]):
            rows = np.flatnonzero(who == k)
            moves[rows] = ask(players[k], batch, rows)
        batch.require_legal(moves)
        batch.advance(moves)


def _result(name: str, sits: np.ndarray, shares: np.ndarray, outcomes: dict[str, np.ndarray]) -> PlayerResult:
    """Return the result of the player that sits where `sits`, bool (n, seats), is true."""
    counts = sits.sum(axis=1)
    played = counts > 0

    def per_game(values: np.ndarray) -> np.ndarray:
        return (values * sits).sum(axis=1)[played] / counts[played]

    wins = per_game(shares)
    by_seat = [
        wilson(float(shares[sits[:, seat], seat].mean()), int(sits[:, seat].sum())) if sits[:, seat].any() else None
        for seat in range(sits.shape[1])
    ]
    return PlayerResult(
        name,
        wilson(float(wins.mean()), len(wins)),
        mean_interval(per_game(outcomes["utility"])),
        mean_interval(per_game(outcomes["raw"])),
        tuple(by_seat),
    )


def rich_table(evaluation: Evaluation) -> Any:
    """Return a `rich.table.Table` of an evaluation."""
    from rich.table import Table

    seats = len(evaluation.players[0].seat_wins)
    table = Table(
        title=f"{evaluation.game}, {evaluation.games} games, par {evaluation.par:.3f}",
        caption=f"{evaluation.arrangements} seat arrangements; {evaluation.decisions_per_second:,.0f} decisions/s; "
        "95 % intervals",
    )
    for heading in ("player", "wins", "utility", "points", *(f"seat {seat}" for seat in range(seats))):
        table.add_column(heading, justify="left" if heading == "player" else "right", overflow="fold")
    for player in evaluation.players:
        by_seat = [f"{estimate.mean:.3f}" if estimate else "-" for estimate in player.seat_wins]
        table.add_row(player.name, str(player.wins), player.utility.short(2), player.points.short(1), *by_seat)
    return table
