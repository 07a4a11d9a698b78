"""Tournaments: a round robin of any players, split over processes, that goes on where it stopped.

With two sides every pair of players meets; with more, every player challenges a table of copies of every other one. A
pairing is cut into units of some games. A unit's games depend on its number alone, so that results are the same for any
number of processes and stops.

The output folder holds `tournament.json` (what is played), `games.jsonl` (a line per finished unit) and, at the end,
`results.json`, `matrix.png` and `matrix.svg`.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from itertools import combinations, permutations
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any, Protocol

import numpy as np
from pydantic import Field
from threadpoolctl import threadpool_limits

from lusogames_env.engine.batch import Batch
from lusogames_env.engine.game import Box
from lusogames_env.engine.players import make_player
from lusogames_env.training.agents import Agent
from lusogames_env.training.config import find_game
from lusogames_env.training.errors import TournamentError
from lusogames_env.training.evaluate import Estimate, arrangements_of, play_out, sides_of, wilson, win_shares
from lusogames_env.training.files import to_json, write_file
from lusogames_env.training.ratings import Rating, Ratings, side_scores
from lusogames_env.training.schema import Model, Schema, Source, check_options, check_players

HEAD, GAMES, RESULTS, MATRIX = "tournament.json", "games.jsonl", "results.json", "matrix"
FORMAT, FORMAT_VERSION = "lusogames_env tournament", 1
HOW = ("processes", "output")  # keys that change how a tournament is played, not what


class TournamentConfig(Model):
    """One tournament. `games` are those of a pairing, rounded up so that every player sits everywhere equally often."""

    game: str
    options: dict[str, Any] = {}
    players: Annotated[list[str], Field(min_length=2, max_length=100)]
    games: Annotated[int, Field(ge=2, le=1_000_000)] = 400
    games_per_unit: Annotated[int, Field(ge=1, le=65_536)] = 50
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
    processes: Annotated[int, Field(ge=1, le=256)] = 1
    output: str | None = None


def _check(config: TournamentConfig, source: Source) -> None:
    game = find_game(config.game, source)
    box = check_options(game, config.options, source)
    if len(sides_of(box)) < 2:
        raise source.fail(
            ("game",), f"all seats of {game.name} win together with these options; 'lusogames crossplay' compares teams"
        )
    check_players(game, ((("players", i), name) for i, name in enumerate(config.players)), source)
    twice = next((i for i, name in enumerate(config.players) if name in config.players[:i]), None)
    if twice is not None:
        raise source.fail(("players", twice), f"'{config.players[twice]}' is given twice")


SCHEMA = Schema(TournamentConfig, _check, example="games=100")


def load_tournament(path: str | Path, overrides: Sequence[str] = ()) -> TournamentConfig:
    """Read the configuration of a tournament; see `config.load_config`.

    Raises:
        ConfigError: names the key, the file and line (or the override), what was found and what is expected.
    """
    return SCHEMA.load(Path(path), overrides)


# ---- what is played ----


@dataclass(frozen=True)
class Unit:
    """Some games of one pairing: `first` against `second`, as indices of the players; `chunk` counts within it."""

    number: int
    first: int
    second: int
    chunk: int
    games: int


def units_of(config: TournamentConfig, sides: int) -> list[Unit]:
    """Return all units, one chunk of every pairing after the other, so that an unfinished tournament is balanced."""
    pairs = list((combinations if sides == 2 else permutations)(range(len(config.players)), 2))
    rounds, per_unit = -(-config.games // sides), max(1, config.games_per_unit // sides)
    units: list[Unit] = []
    for chunk, start in enumerate(range(0, rounds, per_unit)):
        games = min(per_unit, rounds - start) * sides
        units += [Unit(len(units) + i, first, second, chunk, games) for i, (first, second) in enumerate(pairs)]
    return units


@dataclass(frozen=True)
class Played:
    """Results of a unit.

    Attributes:
        unit: its number.
        seated: index of the player of every side, by game.
        wins: share of the win of every side (`win_shares`), by game.
        scores: utility of the kind ``placement`` of every side, by game.
    """

    unit: int
    seated: list[list[int]]
    wins: list[list[float]]
    scores: list[list[float]]


def play_unit(box: Box, names: Sequence[str], unit: Unit, seed: int) -> Played:
    """Play the games of a unit; `seed` is that of the tournament."""
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
    return Played(unit.number, seated.tolist(), shares.round(9).tolist(), side_scores(placement, sides).tolist())


# ---- the folder ----


def _head(config: TournamentConfig, box: Box) -> dict[str, Any]:
    """Return what has to be the same when a tournament goes on: configuration, version of the game, saved agents."""
    players = {name: make_player(name, box.game) for name in config.players}
    agents = {name: player.info["sha256"] for name, player in players.items() if isinstance(player, Agent)}
    kept = {key: value for key, value in config.model_dump().items() if key not in HOW}
    options = {key: value for key, value in box.options.items() if key != "components"}
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        **kept,
        "options": options,
        "components": box.components.digest,
        "version": box.game.version,
        "agents": agents,
    }


def _open_folder(folder: Path, head: dict[str, Any]) -> None:
    """Make the folder, or see that the tournament in it is the same one."""
    path = folder / HEAD
    if path.exists():
        _require_same(path, head)
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise TournamentError(f"output: {folder} is neither empty nor the folder of a tournament: choose another")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TournamentError(f"output: cannot make the folder {folder}: {error.strerror}") from error
    write_file(path, to_json(head))


def _require_same(path: Path, head: dict[str, Any]) -> None:
    advice = "choose another folder with output=…"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TournamentError(f"{path} cannot be read ({error}): {advice}") from error
    if not isinstance(found, dict):
        raise TournamentError(f"{path} does not describe a tournament: {advice}")
    for key, value in json.loads(to_json(head)).items():
        if found.get(key) != value:
            there = f"{key} is {found.get(key)!r} there, now {value!r}"
            raise TournamentError(f"{path.parent} holds another tournament: {there}; {advice}")


def read_played(folder: Path) -> dict[int, Played]:
    """Return the finished units of a folder by number; a last line that was cut off is left out.

    Raises:
        TournamentError: another line is damaged.
    """
    path = folder / GAMES
    lines = path.read_bytes().split(b"\n") if path.exists() else [b""]
    played: dict[int, Played] = {}
    for number, line in enumerate(lines[:-1], 1):  # a complete line ends with a newline
        try:
            one = Played(**json.loads(line))
        except (ValueError, TypeError) as error:
            raise TournamentError(
                f"{path}, line {number} is damaged: remove the line to play its games again"
            ) from error
        played[one.unit] = one
    return played


class _Journal:
    """`games.jsonl`, to which every finished unit is added and flushed to the disk."""

    def __init__(self, folder: Path, played: Iterable[Played]) -> None:
        lines = [json.dumps(asdict(one)) + "\n" for one in played]
        write_file(folder / GAMES, "".join(lines).encode())  # without a line that was cut off
        self._file = (folder / GAMES).open("a", encoding="utf-8")

    def add(self, one: Played) -> None:
        self._file.write(json.dumps(asdict(one)) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


# ---- play ----


class Progress(Protocol):
    """Told how many of all games are played."""

    def __call__(self, done: int, total: int) -> None:
        """Take note."""


def run_tournament(config: TournamentConfig, name: str = "run", progress: Progress | None = None) -> Results:
    """Play a tournament, or what is missing of it.

    Args:
        config: what to play.
        name: the folder is ``tournaments/<game>/<name>`` if the key ``output`` is not set.
        progress: told about every finished unit.

    Raises:
        TournamentError: the folder cannot be used, holds another tournament, or a process died.
    """
    source = Source()
    box = check_options(find_game(config.game, source), config.options, source)
    folder = Path(config.output or Path("tournaments") / config.game / name)
    head = _head(config, box)
    _open_folder(folder, head)
    units = units_of(config, len(sides_of(box)))
    played = read_played(folder)
    missing = [unit for unit in units if unit.number not in played]
    total, done = sum(unit.games for unit in units), sum(len(one.seated) for one in played.values())
    journal = _Journal(folder, played.values())
    try:
        for one in _play(box, config, missing):
            journal.add(one)
            played[one.unit] = one
            done += len(one.seated)
            if progress is not None:
                progress(done, total)
    finally:
        journal.close()
    results = results_of(config, box, folder, [played[unit.number] for unit in units])
    write_file(folder / RESULTS, to_json({**head, **results.to_json()}))
    plot_matrix(results)
    return results


def _play(box: Box, config: TournamentConfig, units: Sequence[Unit]) -> Iterator[Played]:
    """Yield the results of units as they come."""
    if config.processes == 1 or len(units) < 2:
        with threadpool_limits(1, user_api="blas"):
            for unit in units:
                yield play_unit(box, config.players, unit, config.seed)
        return
    workers = min(config.processes, len(units))
    with ProcessPoolExecutor(workers, get_context("spawn"), _prepare, (box, config.players, config.seed)) as pool:
        try:
            for future in as_completed([pool.submit(_play_one, unit) for unit in units]):
                yield future.result()
        except BrokenProcessPool as error:
            raise TournamentError("a process of the tournament died; run the same command again to go on") from error
        finally:  # after Ctrl-C or an error the units that have not begun are dropped
            pool.shutdown(cancel_futures=True)


_prepared: tuple[Box, list[str], int]


def _prepare(box: Box, names: list[str], seed: int) -> None:
    """Prepare a process: one thread, and Ctrl-C is the parent's business."""
    global _prepared
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threadpool_limits(1)
    _prepared = box, names, seed


def _play_one(unit: Unit) -> Played:
    box, names, seed = _prepared
    return play_unit(box, names, unit, seed)


# ---- results ----


@dataclass(frozen=True)
class Results:
    """Results of a tournament.

    Attributes:
        folder: where they lie.
        game: name of the game.
        players: names, the best rated first.
        games: games played.
        sides: sides at a table.
        ratings: of every player.
        wins: share of wins of every player in all its games as the challenger (of two sides: in all its games).
        matrix: ``matrix[i][j]``: share of wins of player i against (copies of) player j; None on the diagonal.
    """

    folder: Path
    game: str
    players: tuple[str, ...]
    games: int
    sides: int
    ratings: tuple[Rating, ...]
    wins: tuple[Estimate, ...]
    matrix: tuple[tuple[Estimate | None, ...], ...]

    @property
    def par(self) -> float:
        """An equal share of wins."""
        return 1.0 / self.sides

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON types."""
        plain = asdict(self)
        total = plain.pop("games")
        del plain["folder"], plain["sides"]
        return {**plain, "total_games": total, "par": self.par}


def results_of(config: TournamentConfig, box: Box, folder: Path, played: Sequence[Played]) -> Results:
    """Return the results of complete units in the order of their numbers."""
    seated = np.array([row for one in played for row in one.seated], np.int64)
    wins = np.array([row for one in played for row in one.wins])
    scores = np.array([row for one in played for row in one.scores])
    ratings = _rate(config, seated, scores)
    n, sides = len(config.players), seated.shape[1]
    order = sorted(range(n), key=lambda i: (-ratings[i].mu, i))
    matrix = [[_share(seated, wins, i, j) if i != j else None for j in order] for i in order]
    return Results(
        folder,
        box.game.name,
        tuple(config.players[i] for i in order),
        len(seated),
        sides,
        tuple(ratings[i] for i in order),
        tuple(_pooled([cell for cell in row if cell is not None]) for row in matrix),
        tuple(tuple(cell[0] if cell else None for cell in row) for row in matrix),
    )


def _rate(config: TournamentConfig, seated: np.ndarray, scores: np.ndarray) -> list[Rating]:
    """Rate all games in an order that is drawn from the seed: no pairing comes last."""
    ratings = Ratings()
    for g in np.random.default_rng(config.seed).permutation(len(seated)):
        ratings.rate([[config.players[k]] for k in seated[g]], scores[g].tolist())
    return [ratings.of[name] for name in config.players]


def _share(seated: np.ndarray, wins: np.ndarray, i: int, j: int) -> tuple[Estimate, int]:
    """Return the share of wins of player i, who sits once at a table of copies of j, and the number of games."""
    own = seated == i
    here = (own.sum(axis=1) == 1) & ((seated == j).sum(axis=1) == seated.shape[1] - 1)
    mean = float((wins * own).sum(axis=1)[here].mean())
    return wilson(mean, int(here.sum())), int(here.sum())


def _pooled(cells: Sequence[tuple[Estimate, int]]) -> Estimate:
    games = sum(n for _, n in cells)
    return wilson(sum(estimate.mean * n for estimate, n in cells) / games, games)


def rich_table(results: Results) -> Any:
    """Return a `rich.table.Table` of the results."""
    from rich import box
    from rich.table import Table

    title = f"{results.game}, {results.games:,} games, par {results.par:.3f}"
    columns = [str(i + 1) for i in range(len(results.players))]
    caption = "±: 95 %; right: wins against player 1, 2, …"
    table = Table(title=title, caption=caption, box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("player", overflow="fold")
    for heading in ("rating", "wins", *columns):
        table.add_column(heading, justify="right", no_wrap=True)
    for i, name in enumerate(results.players):
        cells = [f"{cell.mean:.2f}" if cell else "-" for cell in results.matrix[i]]
        table.add_row(str(i + 1), name, str(results.ratings[i]), results.wins[i].short(2), *cells)
    return table


def _label(name: str) -> str:
    """Return a name that fits beside a matrix: of a long one, as of a folder, the end tells most."""
    return name if len(name) <= 30 else f"…{name[-29:]}"


def plot_matrix(results: Results) -> None:
    """Draw the payoff matrix as PNG and SVG into the folder of the results."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import TwoSlopeNorm
    from matplotlib.figure import Figure

    n = len(results.players)
    figure = Figure(figsize=(4.4 + 1.05 * n, 3.0 + 0.75 * n), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.set_facecolor("0.85")  # the diagonal
    means = np.array([[cell.mean if cell else np.nan for cell in row] for row in results.matrix])
    norm = TwoSlopeNorm(results.par, 0.0, 1.0)
    picture = axes.imshow(np.ma.masked_invalid(means), cmap="RdBu", norm=norm, aspect="auto")
    for i, row in enumerate(results.matrix):
        for j, cell in enumerate(row):
            if cell is not None:
                dark = abs(float(norm(cell.mean)) - 0.5) > 0.33
                text = f"{cell.mean:.2f}\n[{cell.low:.2f}, {cell.high:.2f}]"
                axes.text(j, i, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")
    labels = [_label(name) for name in results.players]
    axes.set_xticks(range(n), labels, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(n), labels)
    axes.set(title=f"{results.game}: share of wins, {results.games:,} games", ylabel="player")
    axes.set_xlabel("against" if results.sides == 2 else f"against {results.sides - 1} copies of")
    figure.colorbar(picture, ax=axes, label=f"share of wins (par {results.par:.2f})")
    figure.savefig(results.folder / f"{MATRIX}.png", dpi=120)
    with matplotlib.rc_context({"svg.hashsalt": "lusogames"}):  # equal results give an equal file
        figure.savefig(results.folder / f"{MATRIX}.svg", metadata={"Date": None})
