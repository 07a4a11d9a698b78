"""Tournaments: a round robin of any players, split over processes, that goes on where it stopped.

With two sides every pair of players meets; with more, every player challenges a table of copies of every other one. A
pairing is cut into units of work (`units`).

The output folder holds `tournament.json` (what is played), `games.jsonl` (a line per finished unit) and, at the end,
`results.json`, `matrix.png` and `matrix.svg`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, permutations
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from lusogames_env.engine.game import Box
from lusogames_env.training.config import find_game
from lusogames_env.training.evaluate import Estimate, sides_of, wilson
from lusogames_env.training.files import to_json, write_file
from lusogames_env.training.ratings import Rating, Ratings
from lusogames_env.training.schema import Model, Schema, Source, check_options, check_players
from lusogames_env.training.units import Played, Progress, Unit, cut, digests_of, open_folder, play_units, with_agents

HEAD, RESULTS, MATRIX = "tournament.json", "results.json", "matrix"
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


def units_of(config: TournamentConfig, sides: int) -> list[Unit]:
    """Return all units of the round robin: with two sides each pair once, with more each as the challenger."""
    pairs = list((combinations if sides == 2 else permutations)(range(len(config.players)), 2))
    return cut(pairs, sides, config.games, config.games_per_unit)


# ---- the folder ----


def _head(config: TournamentConfig, box: Box, agents: dict[str, str]) -> dict[str, Any]:
    """Return what has to be the same when a tournament goes on: configuration, version of the game, saved agents."""
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


# ---- play ----


def run_tournament(config: TournamentConfig, name: str = "run", progress: Progress | None = None) -> Results:
    """Play a tournament, or what is missing of it.

    Args:
        config: what to play.
        name: the folder is ``tournaments/<game>/<name>`` if the key ``output`` is not set.
        progress: told about every finished unit.

    Raises:
        TournamentError: the folder cannot be used, or holds another tournament.
        FolderError: another process plays it.
        ProcessError: a process died.
    """
    source = Source()
    box = check_options(find_game(config.game, source), config.options, source)
    folder = Path(config.output or Path("tournaments") / config.game / name)
    players = with_agents(config.players, box.game)
    head = _head(config, box, digests_of(config.players, players))
    with open_folder(folder, HEAD, head):
        units = units_of(config, len(sides_of(box)))
        played = play_units(box, players, units, config.seed, folder, config.processes, progress)
        results = results_of(config, box, folder, played)
        write_file(folder / RESULTS, to_json({**head, **results.to_json()}))
        plot_matrix(results)
    return results


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
    caption = "95 % intervals; right: wins against player 1, 2, …"
    table = Table(title=title, caption=caption, box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("player", overflow="fold")
    for heading in ("rating", "wins", *columns):
        table.add_column(heading, justify="right", no_wrap=True)
    for i, name in enumerate(results.players):
        cells = [f"{cell.mean:.2f}" if cell else "-" for cell in results.matrix[i]]
        wins = results.wins[i]
        share = f"{wins.mean:.2f} [{wins.low:.2f}, {wins.high:.2f}]"
        table.add_row(str(i + 1), name, str(results.ratings[i]), share, *cells)
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
