"""Configuration of a training run: a YAML file checked against a schema, with errors that name key, file and line."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Sequence
from math import cos, pi
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from lusogames_env.engine.errors import LusogamesError, nearest
from lusogames_env.engine.game import Box
from lusogames_env.games import get_game
from lusogames_env.training.errors import ConfigError
from lusogames_env.training.yaml_files import Path_, parse_value, read_yaml


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Schedule(_Model):
    """A value that goes from `initial` to `final` over the run. A plain number in YAML is a constant."""

    initial: Annotated[float, Field(ge=0, le=1)]
    final: Annotated[float, Field(ge=0, le=1)]
    shape: Literal["linear", "cosine"] = "linear"

    def __call__(self, done: float) -> float:
        """Return the value when the share `done`, 0 … 1, of the run is over."""
        share = done if self.shape == "linear" else (1 - cos(pi * done)) / 2
        return self.initial + (self.final - self.initial) * share


class NetArch(_Model):
    """Widths of the hidden layers. A plain list in YAML counts for both networks."""

    policy: Annotated[list[Annotated[int, Field(ge=1, le=8192)]], Field(max_length=15)]
    value: Annotated[list[Annotated[int, Field(ge=1, le=8192)]], Field(max_length=15)]


def _constant(value: Any) -> Any:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {"initial": value, "final": value} if number else value


def _both(value: Any) -> Any:
    return {"policy": value, "value": value} if isinstance(value, list) else value


class Algorithm(_Model):
    """Hyper-parameters of MaskablePPO, named as in sb3-contrib; `n_steps` decisions are taken per game and update."""

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
    activation: Literal["tanh", "relu", "elu"] = "tanh"


class SelfPlay(_Model):
    """Opponents that are frozen snapshots of the learner.

    Every `interval` steps a snapshot joins the pool of at most `pool_size` (the oldest leaves), and `active` of them
    are drawn as opponents: ``uniform``ly, or ``recent`` ones more often (each half as likely as the next younger one).
    """

    weight: Annotated[float, Field(ge=0)] = 1.0
    interval: Annotated[int, Field(ge=1)] = 50_000
    pool_size: Annotated[int, Field(ge=1, le=1000)] = 20
    active: Annotated[int, Field(ge=1, le=100)] = 2
    sampling: Literal["uniform", "recent"] = "uniform"


class Opponents(_Model):
    """Who plays the other seats: `players` (``random``, ``heuristic``, a saved agent) by weight, and snapshots."""

    players: dict[str, Annotated[float, Field(ge=0)]] = {"random": 1.0, "heuristic": 1.0}
    self_play: SelfPlay | None = SelfPlay()


class Imitation(_Model):
    """Before self-play the networks learn from `decisions` choices of a rule-based player, in games among its copies.

    The policy learns what `player` does, the value network how its games end.
    """

    player: str = "heuristic"
    decisions: Annotated[int, Field(ge=1)] = 500_000
    learning_rate: Annotated[float, Field(gt=0, le=1)] = 1e-3
    batch_size: Annotated[int, Field(ge=2)] = 512
    games_at_once: Annotated[int, Field(ge=1, le=65_536)] = 128


class EvaluationPlan(_Model):
    """Every `interval` steps `games` games against each of `opponents`, and `final_games` at the end of the run."""

    interval: Annotated[int, Field(ge=1)] = 100_000
    games: Annotated[int, Field(ge=2, le=1_000_000)] = 200
    final_games: Annotated[int, Field(ge=2, le=1_000_000)] = 1000
    opponents: Annotated[list[str], Field(min_length=1)] = ["random", "heuristic"]


class CheckpointPlan(_Model):
    """Every `interval` steps a checkpoint is written; the newest `keep` stay."""

    interval: Annotated[int, Field(ge=1)] = 100_000
    keep: Annotated[int, Field(ge=1, le=1000)] = 3


class Config(_Model):
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


class _Source:
    """Where the values come from: lines of a file, and overrides of the command line."""

    def __init__(self, path: Path | None, lines: dict[Path_, int]) -> None:
        self.path, self.lines = path, lines
        self.overrides: dict[Path_, str] = {}

    def place(self, at: Path_) -> str:
        """Say where the value at `at`, or the closest one around it, was given."""
        for n in range(len(at), 0, -1):
            if at[:n] in self.overrides:
                return f"command line '{self.overrides[at[:n]]}'"
            if at[:n] in self.lines:
                return f"{self.path}, line {self.lines[at[:n]]}"
        return str(self.path or "configuration")

    def fail(self, at: Path_, text: str) -> ConfigError:
        """Return the error for the value at `at`."""
        return ConfigError(f"{self.place(at)}: {'.'.join(map(str, at))}: {text}")


def load_config(path: str | Path, overrides: Sequence[str] = ()) -> Config:
    """Read a configuration file.

    Args:
        path: YAML file.
        overrides: ``key=value`` texts with dotted keys, as ``algorithm.learning_rate=3e-4``; the value is YAML.

    Raises:
        ConfigError: names the key, the file and line (or the override), what was found and what is expected.
    """
    data, lines = read_yaml(Path(path))
    return make_config(data, overrides, _Source(Path(path), lines))


def make_config(data: dict[str, Any], overrides: Sequence[str] = (), source: _Source | None = None) -> Config:
    """Return the checked configuration of plain data; see `load_config`."""
    source = source or _Source(None, {})
    for override in overrides:
        _apply(data, override, source)
    try:
        config = Config.model_validate(data)
    except ValidationError as error:
        raise _explain(error, source) from error
    _check(config, source)
    return config


def _apply(data: dict[str, Any], override: str, source: _Source) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"'{override}': expected key=value, as total_steps=100000")
    at = tuple(key.strip().split("."))
    known = _keys_below(at[:-1])
    if known is not None and at[-1] not in known:
        raise ConfigError(f"command line '{override}': {'.'.join(at)}: unknown key{nearest(at[-1], known)}")
    inner = data
    for part in at[:-1]:
        below = inner.get(part)
        if not isinstance(below, dict):  # a missing mapping, or a short form that the override replaces
            below = inner[part] = {}
        inner = below
    inner[at[-1]] = parse_value(text)
    source.overrides[at] = override


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if typing.get_origin(annotation) in (typing.Union, types.UnionType, Annotated):
        return [model for part in typing.get_args(annotation) for model in _models(part)]
    return []


def _keys_below(at: Path_) -> list[str] | None:
    """Return the keys that the mapping at `at` may have, or None if that is not a mapping of the schema."""
    model: type[BaseModel] = Config
    for part in at:
        field = model.model_fields.get(str(part))
        inner = _models(field.annotation) if field is not None else []
        if not inner:
            return None
        model = inner[0]
    return list(model.model_fields)


def _explain(error: ValidationError, source: _Source) -> ConfigError:
    """Return the first fault of the schema in words."""
    fault = error.errors()[0]
    at = _without_tags(fault["loc"])
    if fault["type"] == "extra_forbidden":
        return source.fail(at, f"unknown key{nearest(str(at[-1]), _keys_below(at[:-1]) or ())}")
    if fault["type"] == "missing":
        return source.fail(at, "this key is needed")
    return source.fail(at, f"found {fault['input']!r}; expected {_expected(error, at)}")


def _without_tags(loc: Iterable[str | int]) -> Path_:
    """Return the path of a value without what pydantic adds to it to name the branch of a union."""
    at: list[str | int] = []
    for part in loc:
        keys = _keys_below(tuple(at))
        if keys is None and at and at[0] == "seat":
            break
        at.append(part)
    return tuple(at)


_WORDS = {
    "integer": "an integer",
    "number": "a number",
    "string": "a text",
    "list": "a list",
    "dictionary": "keys with values",
    "dictionary or instance of Schedule": "a number, or the keys initial, final, shape",
    "dictionary or instance of NetArch": "a list of widths, or the keys policy, value",
}


def _expected(error: ValidationError, at: Path_) -> str:
    """Return what pydantic wants at `at`, as words; a union wants one of several things."""
    wanted: list[str] = []
    for fault in error.errors():
        if _without_tags(fault["loc"]) == at:
            message = fault["msg"].removeprefix("Input should be ").removeprefix("a valid ")
            wanted.append(_WORDS.get(message, message.partition(" or instance of")[0].replace("dictionary", "keys")))
    return " or ".join(dict.fromkeys(wanted))


def _check(config: Config, source: _Source) -> None:
    """Check what concerns several keys, the game's options and the players."""
    _check_game(config, source)
    updates = config.num_envs * config.algorithm.n_steps
    if updates % config.algorithm.batch_size:
        raise source.fail(
            ("algorithm", "batch_size"),
            f"found {config.algorithm.batch_size}; expected a divisor of num_envs * algorithm.n_steps = {updates}",
        )
    snapshots = config.opponents.self_play.weight if config.opponents.self_play else 0.0
    if sum(config.opponents.players.values()) + snapshots <= 0:
        raise source.fail(("opponents",), "expected at least one player or self_play with a weight above 0")


def _check_game(config: Config, source: _Source) -> None:
    from lusogames_env.engine.players import make_player

    try:
        game = get_game(config.game)
    except LusogamesError as error:
        raise source.fail(("game",), str(error)) from error
    known = {option.name: option for option in game.options}
    for name, value in config.options.items():
        if name not in known:
            raise source.fail(("options", name), f"{game.name} has no such option{nearest(str(name), known)}")
        fault = known[name].fault(value)
        if fault:
            raise source.fail(("options", name), f"found {value!r}; {fault}")
    try:
        box = config.box()
    except LusogamesError as error:
        raise source.fail(("options",), str(error)) from error
    if isinstance(config.seat, int) and config.seat >= box.num_players:
        raise source.fail(
            ("seat",), f"found {config.seat}; expected 'rotate', 'random', 'team', 'all' or 0 … {box.num_players - 1}"
        )
    places: list[tuple[Path_, str]] = []
    if config.imitation is not None:
        places.append((("imitation", "player"), config.imitation.player))
    places += [(("opponents", "players", name), name) for name in config.opponents.players]
    places += [(("evaluation", "opponents", i), name) for i, name in enumerate(config.evaluation.opponents)]
    for at, name in places:
        try:
            make_player(name, game)
        except LusogamesError as error:
            raise source.fail(at, str(error)) from error
