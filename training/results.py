"""Results tables: what `table.yaml` in a table's folder says, trained and played.

Every player meets copies of each yardstick, from every seat equally often; where all seats win together it plays with
copies of itself. `published` writes what was measured beside `table.yaml`, and compares.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Protocol

import numpy as np
from pydantic import Field

from lusogames_env.engine.errors import nearest
from lusogames_env.engine.game import Box
from lusogames_env.engine.players import is_folder
from lusogames_env.training.agents import read_agent_info
from lusogames_env.training.config import Config, find_game, load_config
from lusogames_env.training.errors import ResultsError
from lusogames_env.training.evaluate import Estimate, sides_of, wilson
from lusogames_env.training.runs import RunsReport, complete_runs
from lusogames_env.training.schema import Model, Schema, Source, check_options, check_players
from lusogames_env.training.train import versions
from lusogames_env.training.units import Played, Progress, Unit, cut, digests_of, open_folder, play_units, with_agents

PUBLISHED = Path("benchmarks") / "results" / "v0"
TABLE, HEAD, RUNS = "table.yaml", "measured.json", "runs"
MEAN = "ppo"  # the row of the mean over the trained agents
RESAMPLES = 10_000


class Trained(Model):
    """Agents of one configuration, one per seed; `agent` (of the package, or a folder) is that of the first seed."""

    config: str
    seeds: Annotated[list[Annotated[int, Field(ge=0, lt=2**31)]], Field(min_length=1, max_length=100)]
    agent: str


class TableConfig(Model):
    """What a table measures. `against` are the yardsticks; none where the whole table of a game wins together."""

    game: str
    options: dict[str, Any] = {}
    players: Annotated[list[str], Field(min_length=1, max_length=100)]
    against: list[str] = []
    trained: Trained | None = None
    games: Annotated[int, Field(ge=2, le=1_000_000)] = 400
    games_per_unit: Annotated[int, Field(ge=1, le=65_536)] = 40
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0

    @property
    def names(self) -> list[str]:
        """Names of all rows: the players, then the trained agents."""
        seeds = self.trained.seeds if self.trained else []
        return [*self.players, *(f"{MEAN}, seed {seed}" for seed in seeds)]


def _check(config: TableConfig, source: Source) -> None:
    game = find_game(config.game, source)
    box = check_options(game, config.options, source)
    check_players(game, ((("players", i), name) for i, name in enumerate(config.players)), source)
    for i, name in enumerate(config.against):
        if name not in config.players:
            raise source.fail(("against", i), f"'{name}' is none of the players")
    seeds = config.trained.seeds if config.trained else []
    for key, values in (("players",), config.players), (("trained", "seeds"), seeds):
        twice = next((i for i, value in enumerate(values) if value in values[:i]), None)
        if twice is not None:
            raise source.fail((*key, twice), f"{values[twice]!r} is given twice")
    if (len(sides_of(box)) == 1) != (not config.against):
        expected = "none, since all seats win together" if config.against else "one or more of the players"
        raise source.fail(("against",) if config.against else ("game",), f"yardsticks under 'against': {expected}")


SCHEMA = Schema(TableConfig, _check, example="games=100")


def table_names(root: Path = PUBLISHED) -> list[str]:
    """Return the names of the tables below `root`."""
    return sorted(path.parent.name for path in root.glob(f"*/{TABLE}"))


def find_table(name: str, root: Path = PUBLISHED) -> Path:
    """Return the folder of a table, given its name or the folder itself.

    Raises:
        ResultsError: there is none.
    """
    given = Path(name).parent if Path(name).name == TABLE else Path(name)
    for folder in (given, root / name):
        if is_folder(folder) and (folder / TABLE).is_file():
            return folder
    if is_folder(given):
        raise ResultsError(f"the folder {given} holds no {TABLE}: write what is to be measured into one")
    known = table_names(root)
    if not known:
        raise ResultsError(f"there is no table '{name}', and none in {root}: run this in a clone of the repository")
    raise ResultsError(f"there is no table '{name}'{nearest(name, known)}; tables: {', '.join(known)}")


def load_table(folder: Path) -> TableConfig:
    """Read `table.yaml`; raises `ConfigError`."""
    return SCHEMA.load(folder / TABLE)


def box_of(config: TableConfig) -> Box:
    """Return the box that a table is played on."""
    return check_options(find_game(config.game, Source()), config.options, Source())


# ---- what was measured ----


@dataclass(frozen=True)
class Row:
    """How one player did against one yardstick.

    Attributes:
        player: its name; ``ppo`` is the mean over the trained agents.
        against: the yardstick; empty where the player sits with copies of itself.
        games: games played.
        wins: share of wins; over several trained agents with a bootstrap interval, else with that of Wilson.
        seconds: per game, in one process.
    """

    player: str
    against: str
    games: int
    wins: Estimate
    seconds: float


@dataclass(frozen=True)
class Measured:
    """A measured table: its rows, every game behind them by unit, and with what they were made (plain JSON types)."""

    rows: tuple[Row, ...]
    played: dict[int, Played]
    about: dict[str, Any] = field(default_factory=dict)


def pairs_of(config: TableConfig) -> list[tuple[int, int]]:
    """Return who meets whom, as indices of `TableConfig.names`."""
    names = config.names
    if not config.against:
        return [(i, i) for i in range(len(names))]
    yardsticks = [config.players.index(name) for name in config.against]
    return [(i, j) for i in range(len(names)) for j in yardsticks if i != j]


def won(played: Played, challenger: int) -> list[float]:
    """Return the challenger's share of the win of every game of a unit."""
    sides = [row.index(challenger) for row in played.seated]
    return [shares[side] for shares, side in zip(played.wins, sides, strict=True)]


def bootstrap(samples: Sequence[np.ndarray], seed: int = 0) -> Estimate:
    """Return the mean over agents with its 95 % interval, agents and each one's games drawn with replacement.

    Args:
        samples: float64 arrays, the shares of the win of every agent.
        seed: of the resampling.
    """
    rng = np.random.default_rng(seed)
    agents = len(samples)
    drawn = np.zeros((RESAMPLES, agents))
    for slot in range(agents):
        means = np.stack([_resampled_means(sample, rng) for sample in samples], axis=1)
        drawn[:, slot] = means[np.arange(RESAMPLES), rng.integers(agents, size=RESAMPLES)]
    low, high = np.quantile(drawn.mean(axis=1), (0.025, 0.975))
    return Estimate(float(np.mean([sample.mean() for sample in samples])), float(low), float(high))


def _resampled_means(sample: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the means of `RESAMPLES` samples drawn from `sample`: games are few kinds of results, often counted."""
    values, counts = np.unique(sample, return_counts=True)
    n = len(sample)
    return np.asarray(rng.multinomial(n, counts / n, RESAMPLES) @ values / n)


def rows_of(config: TableConfig, units: Sequence[Unit], played: Sequence[Played]) -> tuple[Row, ...]:
    """Return the rows of these games; the mean over the trained agents only if all of them have played."""
    shares: dict[tuple[int, int], list[float]] = {}
    seconds: dict[tuple[int, int], float] = {}
    for unit, one in zip(units, played, strict=True):
        pair = unit.first, unit.second
        shares[pair] = shares.get(pair, []) + won(one, unit.first)
        seconds[pair] = seconds.get(pair, 0.0) + one.seconds
    names = config.names

    def row(pair: tuple[int, int]) -> Row:
        values = shares[pair]
        against = names[pair[1]] if config.against else ""
        wins = wilson(float(np.mean(values)), len(values))
        return Row(names[pair[0]], against, len(values), wins, seconds[pair] / len(values))

    rows = [row(pair) for pair in sorted(shares)]
    agents = len(names) - len(config.players)
    for yardstick in config.against or [""]:
        own = [pair for pair in sorted(shares) if pair[0] >= len(config.players) and yardstick in ("", names[pair[1]])]
        if agents and len(own) == agents:
            samples = [np.array(shares[pair]) for pair in own]
            games = sum(len(sample) for sample in samples)
            rows.append(Row(MEAN, yardstick, games, bootstrap(samples), sum(seconds[pair] for pair in own) / games))
    return tuple(rows)


# ---- measuring ----


class Report(RunsReport, Protocol):
    """Told about progress; see `progress.TableReport`."""

    def games(self) -> AbstractContextManager[Progress]:
        """Return what the games tell."""


def measure(folder: Path, output: Path, report: Report, quick: bool = False, processes: int = 1) -> Measured | None:
    """Measure a table anew; what the output folder holds already is not done again.

    Args:
        folder: the table's.
        output: where training runs and games are written.
        report: told about progress.
        quick: one unit of games of every pairing, and the agent that comes with the package instead of new ones.
        processes: processes that share the training runs and the games.

    Returns:
        What was measured, or None if the user stopped a training run.

    Raises:
        ConfigError, ResultsError, TournamentError, FolderError: the table or the output folder cannot be used.
    """
    config = load_table(folder)
    box = box_of(config)
    runs = [] if quick or config.trained is None else _runs(config, config.trained, output)
    names = [*config.players, *([config.trained.agent] if quick and config.trained else [])]
    players = with_agents(names, box.game)
    head = {**_head(config, box, runs, quick), "agents": digests_of(names, players)}
    with open_folder(output, HEAD, head):
        if not complete_runs(runs, report, processes):
            return None
        agents = _agents(config, runs, quick)
        specs = [*players, *with_agents([*config.players, *agents][len(names) :], box.game)]
        units = [unit for unit in all_units(config, box) if specs[unit.first] and (not quick or unit.chunk == 0)]
        with report.games() as progress:
            played = play_units(box, specs, units, config.seed, output, processes, progress)
    about = {
        "game": config.game,
        "version": box.game.version,
        "options": {name: value for name, value in box.options.items() if name != "components"},
        "agents": _about_agents(agents, config),
        "versions": versions(),
    }
    return Measured(rows_of(config, units, played), {one.unit: one for one in played}, about)


def _head(config: TableConfig, box: Box, runs: Sequence[Config], quick: bool) -> dict[str, Any]:
    """Return what, besides the saved agents, has to be the same when a measurement goes on."""
    return {
        "table": config.model_dump(),
        "components": box.components.digest,
        "version": box.game.version,
        "quick": quick,
        "training": runs[0].model_dump(exclude={"seed", "run"}) if runs else None,
    }


def all_units(config: TableConfig, box: Box) -> list[Unit]:
    """Return all units of a table."""
    return cut(pairs_of(config), len(sides_of(box)), config.games, config.games_per_unit)


def _runs(config: TableConfig, trained: Trained, output: Path) -> list[Config]:
    """Return the configurations of the training runs."""
    runs = []
    for seed in trained.seeds:
        run = load_config(trained.config, [f"seed={seed}"])
        if run.game != config.game:
            raise ResultsError(f"{trained.config} trains for {run.game}; the table is of {config.game}")
        runs.append(run.model_copy(update={"run": str(run_folder(output, seed))}))
    return runs


def _agents(config: TableConfig, runs: Sequence[Config], quick: bool) -> list[str]:
    """Return the trained agents as players, "" for those that are left out."""
    if quick and config.trained:
        return [config.trained.agent, *[""] * (len(config.trained.seeds) - 1)]
    return [str(run.run) for run in runs]


def run_folder(output: Path, seed: int) -> Path:
    """Return the folder of the training run with this seed."""
    return output / RUNS / f"seed-{seed}"


def _about_agents(agents: Sequence[str], config: TableConfig) -> list[dict[str, Any]]:
    if config.trained is None:
        return []
    found = []
    for seed, agent in zip(config.trained.seeds, agents, strict=True):
        if agent:
            info = read_agent_info(agent)
            found.append({"seed": seed, "sha256": info["sha256"], **info["training"]})
    return found
