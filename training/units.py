"""Games between players, cut into units of work: split over processes, each finished one written to the disk.

A unit's games depend on the seed and the unit alone, so that results are the same for any number of processes and
stops. `games.jsonl` in the folder holds a line per finished unit, flushed to the disk.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter
from threadpoolctl import threadpool_limits

from lusogames_env.engine.batch import Batch
from lusogames_env.engine.game import Box, Game
from lusogames_env.engine.players import make_player
from lusogames_env.training.agents import Agent
from lusogames_env.training.errors import TournamentError
from lusogames_env.training.evaluate import arrangements_of, play_out, sides_of, win_shares
from lusogames_env.training.files import alone_in, first_difference, to_json, write_file
from lusogames_env.training.processes import spread
from lusogames_env.training.ratings import side_scores

GAMES = "games.jsonl"
Progress = Callable[[int, int], None]  # told how many games are played, and how many there are


@dataclass(frozen=True)
class Unit:
    """Some games of one pairing: `first` against `second`, as indices of the players; `chunk` counts within it."""

    number: int
    first: int
    second: int
    chunk: int
    games: int


@dataclass(frozen=True)
class Played:
    """Results of a unit.

    Attributes:
        unit: its number.
        seated: index of the player of every side, by game.
        wins: share of the win of every side (`win_shares`), by game.
        scores: utility of the kind ``placement`` of every side, by game.
        seconds: how long it took.
    """

    unit: int
    seated: list[list[int]]
    wins: list[list[float]]
    scores: list[list[float]]
    seconds: float = field(compare=False)


def cut(pairs: Sequence[tuple[int, int]], sides: int, games: int, per_unit: int) -> list[Unit]:
    """Return the units of all pairings, one chunk of every pairing after the other: a part of them is balanced.

    Args:
        pairs: who meets copies of whom, as indices of the players; ``(i, i)`` where there is one side only.
        sides: sides at a table.
        games: games of a pairing, rounded up so that every player sits everywhere equally often.
        per_unit: games of a unit.
    """
    rounds, per_unit = -(-games // sides), max(1, per_unit // sides)
    units: list[Unit] = []
    for chunk, start in enumerate(range(0, rounds, per_unit)):
        size = min(per_unit, rounds - start) * sides
        units += [Unit(len(units) + i, first, second, chunk, size) for i, (first, second) in enumerate(pairs)]
    return units


def with_agents(names: Sequence[str], game: Game) -> list[str | Agent]:
    """Return players by name, but saved agents loaded, so that all games meet the same, also of a run that goes on."""
    players = [make_player(name, game) if name else name for name in names]
    return [player if isinstance(player, Agent) else name for name, player in zip(names, players, strict=True)]


def digests_of(names: Sequence[str], players: Sequence[str | Agent]) -> dict[str, str]:
    """Return the digests of the saved agents among `players`, as `with_agents` returns them, by the names given."""
    return {name: p.info["sha256"] for name, p in zip(names, players, strict=True) if isinstance(p, Agent)}


def play_unit(box: Box, names: Sequence[str | Agent], unit: Unit, seed: int) -> Played:
    """Play the games of a unit between the players `names`; all randomness comes from `seed` and the unit."""
    began = time.perf_counter()
    own = np.random.SeedSequence(seed, spawn_key=(unit.first, unit.second, unit.chunk))
    games, first, second = (int(number) for number in own.generate_state(3))
    players = [make_player(names[unit.first], box.game, first), make_player(names[unit.second], box.game, second)]
    sides = sides_of(box)
    orders = arrangements_of([0] + [1] * (len(sides) - 1))
    order = np.tile(orders, (unit.games // len(orders), 1))
    side_of_seat = [next(k for k, seats in enumerate(sides) if seat in seats) for seat in range(box.num_players)]
    batch = Batch(box, unit.games, seed=games)
    play_out(batch, players, order[:, side_of_seat])
    win, placement = (batch.outcomes(kind)[:, : box.num_players] for kind in ("win", "placement"))
    shares = win_shares(win, sides)[:, [seats[0] for seats in sides]]
    seated = np.where(order == 0, unit.first, unit.second)
    scores = side_scores(placement, sides)
    seconds = round(time.perf_counter() - began, 3)
    return Played(unit.number, seated.tolist(), shares.round(9).tolist(), scores.tolist(), seconds)


def play_units(
    box: Box,
    names: Sequence[str | Agent],
    units: Sequence[Unit],
    seed: int,
    folder: Path,
    processes: int = 1,
    progress: Progress | None = None,
) -> list[Played]:
    """Return the results of `units` in their order, playing those that the folder does not hold yet.

    Raises:
        TournamentError: the folder's file is damaged.
        ProcessError: a process died.
    """
    played = read_played(folder)
    _require_whole(units, played, folder)
    missing = [unit for unit in units if unit.number not in played]
    total, done = sum(unit.games for unit in units), sum(len(one.seated) for one in played.values())
    journal = _Journal(folder, played.values())
    try:
        for one in _play(box, names, missing, seed, processes):
            journal.add(one)
            played[one.unit] = one
            done += len(one.seated)
            if progress is not None:
                progress(done, total)
    finally:
        journal.close()
    return [played[unit.number] for unit in units]


# ---- the folder ----


@contextmanager
def open_folder(folder: Path, name: str, head: dict[str, Any]) -> Iterator[None]:
    """Make the folder, or see that what is played in it is the same, and keep other processes out of it.

    Args:
        folder: where the games are written.
        name: the file that says what is played.
        head: its content, plain JSON types.

    Raises:
        TournamentError: the folder holds something else, or cannot be made.
        FolderError: another process works in it, or it cannot be written to.
    """
    path = folder / name
    if path.exists():
        _require_same(path, head)
    else:
        _make_folder(folder)
    with alone_in(folder):
        if not path.exists():
            write_file(path, to_json(head))
        yield


def _make_folder(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise TournamentError(f"output: {folder} is neither empty nor a folder of such games: choose another")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TournamentError(f"output: cannot make the folder {folder}: {error.strerror}") from error


def _require_same(path: Path, head: dict[str, Any]) -> None:
    advice = "choose another output folder"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TournamentError(f"{path} cannot be read ({error}): {advice}") from error
    if not isinstance(found, dict):
        raise TournamentError(f"{path} does not say what is played in its folder: {advice}")
    difference = first_difference(found, json.loads(to_json(head)))
    if difference:
        raise TournamentError(f"{path.parent} holds other games: {difference}; {advice}")


def to_lines(played: Iterable[Played]) -> bytes:
    """Return the lines that `parse_lines` reads."""
    return "".join(json.dumps(asdict(one)) + "\n" for one in played).encode()


def parse_lines(data: bytes, source: str) -> dict[int, Played]:
    """Return the units of complete lines by number; a last line that was cut off is left out.

    Raises:
        TournamentError: another line is damaged.
    """
    played: dict[int, Played] = {}
    for number, line in enumerate(data.split(b"\n")[:-1], 1):  # a complete line ends with a newline
        try:
            one = _LINE.validate_json(line)
        except ValueError as error:
            raise TournamentError(
                f"{source}, line {number} is damaged: remove the line to play its games again"
            ) from error
        played[one.unit] = one
    return played


_LINE = TypeAdapter(Played)


def _require_whole(units: Sequence[Unit], played: dict[int, Played], folder: Path) -> None:
    for unit in units:
        one = played.get(unit.number)
        if one is not None and {len(one.seated), len(one.wins), len(one.scores)} != {unit.games}:
            path = folder / GAMES
            raise TournamentError(f"{path}: unit {unit.number} lacks games: remove its line to play them again")


def read_played(folder: Path) -> dict[int, Played]:
    """Return the finished units of a folder by number; see `parse_lines`."""
    path = folder / GAMES
    return parse_lines(path.read_bytes(), str(path)) if path.exists() else {}


class _Journal:
    """`games.jsonl`, to which every finished unit is added and flushed to the disk."""

    def __init__(self, folder: Path, played: Iterable[Played]) -> None:
        write_file(folder / GAMES, to_lines(played))  # without a line that was cut off
        self._file = (folder / GAMES).open("ab")

    def add(self, one: Played) -> None:
        self._file.write(to_lines([one]))
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


# ---- processes ----


def _play(box: Box, names: Sequence[str | Agent], units: Sequence[Unit], seed: int, processes: int) -> Iterator[Played]:
    """Yield the results of units as they come."""
    if processes == 1 or len(units) < 2:
        with threadpool_limits(1, user_api="blas"):
            for unit in units:
                yield play_unit(box, names, unit, seed)
        return
    yield from spread(_play_one, units, processes, _prepare, (box, list(names), seed))


_prepared: tuple[Box, list[str | Agent], int]


def _prepare(box: Box, names: list[str | Agent], seed: int) -> None:
    """Prepare a process."""
    global _prepared
    threadpool_limits(1)
    _prepared = box, names, seed


def _play_one(unit: Unit) -> Played:
    box, names, seed = _prepared
    return play_unit(box, names, unit, seed)
