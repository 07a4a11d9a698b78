"""Configuration of a training run: a YAML file checked against a schema, with errors that name key, file and line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import cos, inf, pi
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from lusogames_env.engine.errors import LusogamesError
from lusogames_env.engine.game import Box, Game
from lusogames_env.games import get_game
from lusogames_env.training.agents import MAX_BYTES
from lusogames_env.training.schema import Model, Schema, Source, check_options, check_players
from lusogames_env.training.yaml_files import Path_


class Schedule(Model):
    """A value that goes from `initial` to `final` over the run. A plain number in YAML is a constant."""

    initial: Annotated[float, Field(ge=0, le=1)]
    final: Annotated[float, Field(ge=0, le=1)]
    shape: Literal["linear", "cosine"] = "linear"

    def __call__(self, done: float) -> float:
        """Return the value when the share `done`, 0 … 1, of the run is over."""
        share = done if self.shape == "linear" else (1 - cos(pi * done)) / 2
        return self.initial + (self.final - self.initial) * share


class NetArch(Model):
    """Widths of the hidden layers. A plain list in YAML counts for both networks."""

    policy: Annotated[list[Annotated[int, Field(ge=1, le=8192)]], Field(max_length=15)]
    value: Annotated[list[Annotated[int, Field(ge=1, le=8192)]], Field(max_length=15)]


class GraphNet(Model):
    """Sizes of a network over the places of the board, see `networks.GraphNetwork`."""

    width: Annotated[int, Field(ge=1, le=512)] = 48
    rounds: Annotated[int, Field(ge=1, le=16)] = 2
    hidden: Annotated[int, Field(ge=1, le=2048)] = 128


def _constant(value: Any) -> Any:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {"initial": value, "final": value} if number else value


def _both(value: Any) -> Any:
    return {"policy": value, "value": value} if isinstance(value, list) else value


class Algorithm(Model):
    """Hyper-parameters of MaskablePPO, named as in sb3-contrib; `n_steps` decisions are taken per game and update.

    The networks are multilayer perceptrons as `net_arch` says, or with `graph_net` (`net_arch` is then not
    used) one over the places of the board.
    """

    name: Literal["maskable_ppo"] = "maskable_ppo"
    learning_rate: Annotated[Schedule, BeforeValidator(_constant)] = Schedule(initial=1e-3, final=1e-3)
    ent_coef: Annotated[Schedule, BeforeValidator(_constant)] = Schedule(initial=0.01, final=0.01)
    n_steps: Annotated[int, Field(ge=2, le=100_000)] = 64
    batch_size: Annotated[int, Field(ge=2)] = 2048
    n_epochs: Annotated[int, Field(ge=1, le=100)] = 4
    gamma: Annotated[float, Field(gt=0, le=1)] = 1.0
    gae_lambda: Annotated[float, Field(ge=0, le=1)] = 0.95
    clip_range: Annotated[float, Field(gt=0, le=1)] = 0.2
    vf_coef: Annotated[float, Field(ge=0, le=10)] = 0.5
    max_grad_norm: Annotated[float, Field(gt=0, le=100)] = 0.5
    target_kl: Annotated[float, Field(gt=0)] | None = None
    net_arch: Annotated[NetArch, BeforeValidator(_both)] = NetArch(policy=[128, 128], value=[128, 128])
    graph_net: GraphNet | None = None
    activation: Literal["tanh", "relu", "elu"] = "tanh"


class SelfPlay(Model):
    """Opponents that are frozen snapshots of the learner.

    Every `interval` steps a snapshot joins the pool of at most `pool_size` (the oldest leaves), and `active` of them
    are drawn as opponents: ``uniform``ly; ``recent`` ones more often (each half as likely as the next younger one); or
    ``prioritized``: by (1 - win rate of the learner against it) squared (prioritised fictitious self-play).
    """

    weight: Annotated[float, Field(ge=0)] = 1.0
    interval: Annotated[int, Field(ge=1)] = 50_000
    pool_size: Annotated[int, Field(ge=1, le=1000)] = 20
    active: Annotated[int, Field(ge=1, le=100)] = 2
    sampling: Literal["uniform", "recent", "prioritized"] = "uniform"


class Opponents(Model):
    """Who plays the other seats: `players` (``random``, ``heuristic``, a saved agent) by weight, and snapshots."""

    players: dict[str, Annotated[float, Field(ge=0)]] = {"random": 1.0, "heuristic": 1.0}
    self_play: SelfPlay | None = SelfPlay()


class Imitation(Model):
    """Before self-play the networks learn from `decisions` choices of a rule-based player, in games among its copies.

    The policy learns what `player` does, the value network how its games end. Then its logits are divided by
    `temperature`: a game of hundreds of decisions is lost by a policy that rolls dice wherever it is not quite sure,
    and reinforcement has to begin with one that wins now and then.
    """

    player: str = "heuristic"
    decisions: Annotated[int, Field(ge=1)] = 500_000
    learning_rate: Annotated[float, Field(gt=0, le=1)] = 1e-3
    batch_size: Annotated[int, Field(ge=2)] = 512
    games_at_once: Annotated[int, Field(ge=1, le=65_536)] = 128
    temperature: Annotated[float, Field(gt=0, le=1)] = 1.0


class EvaluationPlan(Model):
    """Every `interval` steps `games` games against each of `opponents`, and `final_games` at the end of the run.

    With `snapshots`, each time also `games` against every snapshot in the pool; at the end of the run in any case.
    """

    interval: Annotated[int, Field(ge=1)] = 100_000
    games: Annotated[int, Field(ge=2, le=1_000_000)] = 200
    final_games: Annotated[int, Field(ge=2, le=1_000_000)] = 1000
    opponents: Annotated[list[str], Field(min_length=1)] = ["random", "heuristic"]
    snapshots: bool = False


class CheckpointPlan(Model):
    """Every `interval` steps, decisions while imitating, a checkpoint is written; the newest `keep` stay."""

    interval: Annotated[int, Field(ge=1)] = 100_000
    keep: Annotated[int, Field(ge=1, le=1000)] = 3


class Config(Model):
    """One training run."""

    game: str
    options: dict[str, Any] = {}
    seat: Literal["rotate", "random", "team", "all"] | Annotated[int, Field(ge=0)] = "rotate"
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
    total_steps: Annotated[int, Field(ge=1)] = 500_000
    num_envs: Annotated[int, Field(ge=1, le=65_536)] = 128
    threads: Annotated[int, Field(ge=1, le=256)] = 1
    torch_threads: Annotated[int, Field(ge=1, le=256)] = 1
    run: str | None = None
    opponents: Opponents = Opponents()
    imitation: Imitation | None = None
    algorithm: Algorithm = Algorithm()
    evaluation: EvaluationPlan = EvaluationPlan()
    checkpoint: CheckpointPlan = CheckpointPlan()

    def box(self) -> Box:
        """Return the box of game and options."""
        return get_game(self.game).new_box(**self.options)


def load_config(path: str | Path, overrides: Sequence[str] = ()) -> Config:
    """Read a configuration file.

    Args:
        path: YAML file.
        overrides: ``key=value`` texts with dotted keys, as ``algorithm.learning_rate=3e-4``; the value is YAML.

    Raises:
        ConfigError: names the key, the file and line (or the override), what was found and what is expected.
    """
    return SCHEMA.load(Path(path), overrides)


def make_config(data: dict[str, Any], overrides: Sequence[str] = ()) -> Config:
    """Return the checked configuration of plain data; see `load_config`."""
    return SCHEMA.make(data, overrides)


def find_game(name: str, source: Source) -> Game:
    """Return the game named by the key ``game``; raises `ConfigError`."""
    try:
        return get_game(name)
    except LusogamesError as error:
        raise source.fail(("game",), str(error)) from error


def _check(config: Config, source: Source) -> None:
    """Check what concerns several keys, the game's options and the players."""
    game = find_game(config.game, source)
    box = check_options(game, config.options, source)
    if isinstance(config.seat, int) and config.seat >= box.num_players:
        raise source.fail(
            ("seat",), f"found {config.seat}; expected 'rotate', 'random', 'team', 'all' or 0 … {box.num_players - 1}"
        )
    if config.algorithm.graph_net is not None and game.graph is None:
        raise source.fail(
            ("algorithm", "graph_net"), f"{game.name} has no board of places: leave graph_net out, and use net_arch"
        )
    check_players(game, _places(config), source)
    weights = _weights(game, config.algorithm.net_arch.policy)
    if config.algorithm.graph_net is None and 4 * weights > MAX_BYTES:
        most = f"a saved agent holds {MAX_BYTES // 4:,}"
        raise source.fail(("algorithm", "net_arch"), f"the policy has {weights:,} weights, {most}: give smaller layers")
    updates = config.num_envs * config.algorithm.n_steps
    if updates % config.algorithm.batch_size:
        raise source.fail(
            ("algorithm", "batch_size"),
            f"found {config.algorithm.batch_size}; expected a divisor of num_envs * algorithm.n_steps = {updates}",
        )
    snapshots = config.opponents.self_play.weight if config.opponents.self_play else 0.0
    if not 0 < sum(config.opponents.players.values()) + snapshots < inf:
        raise source.fail(
            ("opponents",),
            "expected at least one player or self_play with a weight above 0, and a finite sum of weights",
        )


def _weights(game: Game, layers: Sequence[int]) -> int:
    """Return how many weights a policy with these hidden layers has."""
    sizes = [game.observation.size, *layers, game.actions.n]
    return sum((before + 1) * after for before, after in pairwise(sizes))


def _places(config: Config) -> Iterator[tuple[Path_, str]]:
    """Return every player that is named, with its place."""
    if config.imitation is not None:
        yield ("imitation", "player"), config.imitation.player
    for name in config.opponents.players:
        yield ("opponents", "players", name), name
    for i, name in enumerate(config.evaluation.opponents):
        yield ("evaluation", "opponents", i), name


SCHEMA = Schema(
    Config,
    _check,
    example="total_steps=100000",
    words={
        "dictionary or instance of Schedule": "a number, or the keys initial, final, shape",
        "dictionary or instance of NetArch": "a list of widths, or the keys policy, value",
        "dictionary or instance of GraphNet": "{}, or some of the keys width, rounds, hidden",
    },
)
