"""`Game`: a rules kernel with its declarations. `Box`: the components and options a game is played with."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from lusogames_env.engine.components import Components, load_components
from lusogames_env.engine.errors import ComponentsError, OptionError
from lusogames_env.engine.graph import Graph, GraphLayout
from lusogames_env.engine.layout import INTERPRETED, Actions, Observation, Record
from lusogames_env.engine.options import Option, common_options, resolve

STATE_HEADER = Record(
    ("rng", "int64", 4, "generator of all chance (engine/kernel/rng.py); never observable"),
    ("actor", "int32", 1, "seat on turn; -1 after the end"),
    ("over", "int32", 1, "0 while the game runs, 1 ended by the rules, 2 cut off at max_rounds"),
    ("ply", "int32", 1, "decisions taken so far; kept by the engine"),
)
BOX_HEADER = Record(
    ("num_players", "int32", 1, "seats at the table"),
    ("skip_forced", "int32", 1, "1: decisions with one legal action are played without asking"),
    ("max_rounds", "int32", 1, "rounds after which the game is cut off; 0 = no cap"),
)
RUNNING, TERMINATED, TRUNCATED = 0, 1, 2
WIN, PLACEMENT, MARGIN, RAW = 0, 1, 2, 3  # kinds of outcome; RAW is the game's own score


def raw_bytes(states: np.ndarray) -> np.ndarray:
    """Return uint8 (n, bytes per record), a view: NumPy copies and fills records field by field, bytes at once."""
    return states.view(np.ndarray).view(np.uint8).reshape(len(states), -1)


def copy_states(states: np.ndarray) -> np.ndarray:
    """Return a copy of state records, to the bit."""
    copy = raw_bytes(states).copy().view(states.dtype)[:, 0]
    return copy.view(np.recarray) if INTERPRETED else copy


class Box:
    """What lies in the box: resolved options, components, and the read-only record the kernels see.

    Attributes:
        game: the `Game`.
        options: every option with its value.
        components: the component data.
        record: ``recarray`` of shape (1,), read-only: ``box.record[0].field``.
        array: the same memory in the form the kernels take.
        labels: the text of every action.
    """

    def __init__(
        self, game: Game, options: Mapping[str, Any] | None = None, components: Components | None = None
    ) -> None:
        self.game = game
        self.options = resolve(game.name, game.options, dict(options or {}))
        fault = game.cross_check(self.options)
        if fault:
            raise OptionError(f"{game.name}: {fault}")
        path = self.options["components"]
        if components is None:
            components = load_components(Path(path), game.name) if path else game.components
        self.components = components
        self.num_players: int = self.options["num_players"]
        array = game.box_record.zeros()
        record = array.view(np.recarray)
        record.num_players = self.num_players
        record.skip_forced = self.options["skip_forced"]
        record.max_rounds = self.options.get("max_rounds", 0)
        game.fill_box(record[0], self.components, self.options)
        record.flags.writeable = array.flags.writeable = False
        if self.custom_components is not None:
            self._read_texts()
        self.record, self.array = record, array

    def _read_texts(self) -> None:
        """Read all texts of foreign components at once, so that a bad one is told here and not in mid-game."""
        try:
            _ = self.labels
        except (TypeError, KeyError, IndexError, AttributeError) as error:
            raise ComponentsError(f"{self.components.source}: a name is missing or no text ({error})") from error

    @cached_property
    def labels(self) -> list[str]:
        """The text of every action, by index."""
        return self.game.actions.labels(self)

    @cached_property
    def action_of_label(self) -> dict[str, int]:
        """The action of every text."""
        return {text: action for action, text in enumerate(self.labels)}

    @property
    def custom_components(self) -> dict[str, Any] | None:
        """The component data if they are not the game's own, else None."""
        return None if self.components.digest == self.game.components.digest else self.components.value

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_box, (self.game, self.options, self.custom_components)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Box)
            and self.game is other.game
            and self.components.digest == other.components.digest
            and self._choices() == other._choices()
        )

    def __hash__(self) -> int:
        return hash((self.game.name, self.components.digest, str(self._choices())))

    def _choices(self) -> dict[str, Any]:
        """Return the options that count: what a component file holds does, its path does not."""
        return {name: value for name, value in self.options.items() if name != "components"}


def _rebuild_box(game: Game, options: dict[str, Any], custom: dict[str, Any] | None) -> Box:
    """Rebuild a box without reading its component file again, which may be gone."""
    return Box(game, options, Components("saved components", custom) if custom is not None else game.components)


@dataclass(frozen=True, eq=False)
class Game:
    """A game: its declarations here, its kernels in the modules of its folder.

    Attributes:
        package: dotted name of the game's package; its last part is the game's name.
        title: name as printed on the box.
        players: possible numbers of seats.
        default_players: seats if the option is not given.
        actions, observation: the layouts.
        state, box: the game's own record fields; the engine puts its headers before them.
        fill_box: ``(record, components, options) -> None`` writes components and options into the box record.
        own_options: options beyond the common ones.
        cross_check: ``(options) -> error text or None`` for options that exclude each other.
        teams: ``(options) -> team number of each seat``; default: everybody for himself.
        variants: named option sets that tests, golden playthroughs and benchmarks run over.
        shared_fate: whether the whole table wins or loses together, whatever else each seat gains by it.
        graph: the places of the board and their neighbours, if it has any.
        bots: names of the rule-based players, in the order of their `kind`.
        invariants: text of every non-zero code of ``check``.
        max_plies: proven bound on decisions per game.
        max_rounds: (lowest, default, highest) if the game has a round cap.
        version: number in ``_vN``.
    """

    package: str
    title: str
    players: tuple[int, ...]
    default_players: int
    actions: Actions
    observation: Observation
    state: Record
    box: Record
    fill_box: Callable[[Any, Components, dict[str, Any]], None]
    variants: dict[str, dict[str, Any]]
    invariants: dict[int, str]
    max_plies: int
    own_options: tuple[Option, ...] = ()
    cross_check: Callable[[dict[str, Any]], str | None] = field(default=lambda options: None)
    teams: Callable[[dict[str, Any]], tuple[int, ...]] = field(
        default=lambda options: tuple(range(options["num_players"]))
    )
    graph: Graph | None = None
    bots: tuple[str, ...] = ("heuristic",)
    max_rounds: tuple[int, int, int] | None = None
    shared_fate: bool = False
    version: int = 0

    def __post_init__(self) -> None:
        _ = self.graph_layout  # a graph that does not fit is told at once

    @property
    def name(self) -> str:
        """Name in code, as ``reis_de_portugal``: the last part of its package."""
        return self.package.rpartition(".")[2]

    @property
    def id(self) -> str:
        """Gymnasium id, as ``lusogames/ReisDePortugal-v0``."""
        return f"lusogames/{''.join(part.capitalize() for part in self.name.split('_'))}-v{self.version}"

    @property
    def max_seats(self) -> int:
        """The largest number of seats."""
        return max(self.players)

    @cached_property
    def folder(self) -> Path:
        """Where the game's files lie."""
        return Path(importlib.import_module(self.package).__path__[0])

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """All options: the common ones and the game's own."""
        return common_options(self.players, self.default_players, self.max_rounds) + self.own_options

    @cached_property
    def components(self) -> Components:
        """The component data that come with the game."""
        return load_components(self.folder / "components.toml", self.name)

    @cached_property
    def state_record(self) -> Record:
        """Layout of a state: the engine's header and the game's own fields."""
        return STATE_HEADER + self.state

    @cached_property
    def box_record(self) -> Record:
        """Layout of a box: the engine's header and the game's own fields."""
        return BOX_HEADER + self.box

    @cached_property
    def graph_layout(self) -> GraphLayout | None:
        """Where the places of the graph lie in observation and actions."""
        return None if self.graph is None else self.graph.layout(self.observation, self.actions)

    @cached_property
    def driver(self) -> ModuleType:
        """The compiled entry points of this game (engine/kernel/driver.py); imports numba."""
        return load_compiled(self, "driver")

    @cached_property
    def search(self) -> ModuleType:
        """The compiled searches of this game (engine/kernel/search.py); imports numba."""
        return load_compiled(self, "search")

    @cached_property
    def view(self) -> ModuleType:
        """The module that draws this game as text."""
        return importlib.import_module(f"{self.package}.view")

    def new_box(self, /, **options: Any) -> Box:
        """Return the box for these options; raises `OptionError` or `ComponentsError`."""
        return Box(self, options)

    def new_states(self, n: int) -> np.ndarray:
        """Return `n` zeroed state records, a structured array."""
        return self.state_record.zeros(n)

    def __reduce__(self) -> tuple[Any, ...]:
        return _game_of, (self.package,)


def _game_of(package: str) -> Game:
    return importlib.import_module(f"{package}.game").GAME


KERNELS = {
    "rules": ("reset", "legal", "step", "outcome", "check"),
    "observation": ("observe",),
    "redeal": ("redeal",),
    "bot": ("bot",),
}


def load_compiled(game: Game, part: str) -> ModuleType:
    """Load a source of engine/kernel as a module of its own for `game`, with the game's kernels as its globals.

    Numba caches a function that names its callees as globals, but none that gets them as arguments or from a closure:
    one source, loaded once per game, keeps the entry points in one place and the cache working.
    """
    name = f"{game.package}._{part}"
    if name in sys.modules:
        return sys.modules[name]
    source = Path(__file__).parent / "kernel" / f"{part}.py"
    spec = importlib.util.spec_from_file_location(name, source)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    for file, functions in KERNELS.items():
        kernels = importlib.import_module(f"{game.package}.{file}")
        for function in functions:
            setattr(module, function, getattr(kernels, function))
    rules = importlib.import_module(f"{game.package}.rules")
    default = importlib.import_module("lusogames_env.engine.kernel.defaults")
    for function in ("skippable", "concurrent"):
        vars(module)[function] = getattr(rules, function, getattr(default, function))
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    _announce(game, part)
    return module


def _announce(game: Game, part: str) -> None:
    """Say once, on standard error, that the first use of a game compiles it."""
    import os

    import numba

    from lusogames_env.engine.kernel.jit import cache_folder

    if numba.config.DISABLE_JIT or os.environ.get("LUSOGAMES_QUIET"):
        return
    folder = cache_folder(game.folder)
    if not any(folder.glob(f"{part}.*.nbi")):
        print(f"lusogames_env: compiling {game.name} (once per version, kept in {folder})", file=sys.stderr, flush=True)
