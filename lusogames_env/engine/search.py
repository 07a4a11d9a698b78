"""Searching players: information-set Monte Carlo tree search, flat Monte Carlo and rollouts, for any game.

A search runs in compiled code on copies of the position in which everything the searcher cannot know has been dealt
anew (``redeal``); it never reads the hidden cards or the generator of the true game.
References: Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", IEEE TCIAIG 4(2), 2012; Tesauro
and Galperin, "On-line Policy Improvement using Monte-Carlo Search", NIPS 1996, for rollouts.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import isfinite
from typing import Any, Generic, TypeVar

import numpy as np

from lusogames_env.engine.batch import EXTERNAL, Batch
from lusogames_env.engine.errors import LusogamesError, OptionError, nearest
from lusogames_env.engine.game import Box, Game
from lusogames_env.engine.state import OUTCOMES, GameState

SLICE = 64  # iterations between two looks at the clock
MAX_ITERATIONS = 10_000_000
MIN_DEALS = 5  # before a rollout trusts its standard errors


@dataclass(frozen=True)
class Playouts:
    """What every search does.

    Attributes:
        iterations: simulations per decision; with `seconds`, at most so many.
        seconds: time per decision; 0 = no limit of time.
        playout: who plays the simulations to their end: ``random`` or a rule-based player of the game.
        plies: longest playout in decisions, then the position is valued as it stands; -1 = to the end of the game.
        reward: utility that is maximised; empty = the one the game is played for.
    """

    iterations: int = 1000
    seconds: float = 0.0
    playout: str = "random"
    plies: int = -1
    reward: str = ""


@dataclass(frozen=True)
class Settings(Playouts):
    """What a tree search does.

    Attributes:
        explore: weight of exploration in UCB1 (utilities lie in [-1, 1]).
        depth: deepest level of the tree; 1 is flat Monte Carlo.
    """

    explore: float = 0.7
    depth: int = 1000


@dataclass(frozen=True)
class RolloutSettings(Playouts):
    """What a rollout does; `playout` is also the player whose choices it improves.

    Attributes:
        confidence: standard errors by which an action must be better than the player's own choice to be taken.
    """

    playout: str = "heuristic"
    confidence: float = 2.0


SEARCHES: dict[str, tuple[type[Playouts], dict[str, Any]]] = {  # settings, and those of them that make the search
    "ismcts": (Settings, {}),
    "flat_mc": (Settings, {"depth": 1}),
    "rollout": (RolloutSettings, {}),
}


def parse_search(spec: str) -> Playouts | None:
    """Return the settings of ``"ismcts"`` or ``"flat_mc:iterations=200,playout=heuristic"``; None for other players."""
    name, _, rest = spec.partition(":")
    if name not in SEARCHES:
        return None
    kind, fixed = SEARCHES[name]
    free = {key: type(value) for key, value in vars(kind()).items() if key not in fixed}
    given: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, _, text = part.partition("=")
        if key not in free:
            raise OptionError(f"player '{spec}': {name} has no setting '{key}'{nearest(key, free)}")
        if key in given:
            raise OptionError(f"player '{spec}': {key} is given twice")
        try:
            given[key] = free[key](text)
        except ValueError:
            raise OptionError(
                f"player '{spec}': {key} = {text!r}; expected a value of type {free[key].__name__}"
            ) from None
    return kind(**fixed, **given)


def make_search(spec: str, game: Game, seed: int | None = None) -> Searcher[Any] | None:
    """Return the searching player that `spec` names, None if it names none; raises `OptionError`."""
    settings = parse_search(spec)
    if isinstance(settings, Settings):
        return SearchPlayer(game, settings, spec, seed)
    if isinstance(settings, RolloutSettings):
        return RolloutPlayer(game, settings, spec, seed)
    return None


class Tree:
    """A search tree, to look into: one row per node, node 0 is the root (see engine/kernel/search.py)."""

    def __init__(self, box: Box, room: int) -> None:
        self.box = box
        self.size = 1
        self.action = np.full(room, -1, np.int32)
        self.parent = np.full(room, -1, np.int32)
        self.child = np.full(room, -1, np.int32)
        self.sibling = np.full(room, -1, np.int32)
        self.mover = np.zeros(room, np.int8)
        self.visits = np.zeros(room, np.int32)
        self.available = np.zeros(room, np.int32)
        self.total = np.zeros(room, np.float64)

    def children(self, node: int = 0) -> list[int]:
        """Return the children of `node`, the most visited first, then the better, then the lower action."""
        found, at = [], int(self.child[node])
        while at >= 0:
            found.append(at)
            at = int(self.sibling[at])
        return sorted(found, key=lambda c: (-int(self.visits[c]), -self.mean(c), int(self.action[c])))

    def mean(self, node: int) -> float:
        """Return the mean utility of `node` for the seat that chose its action."""
        return float(self.total[node]) / max(1, int(self.visits[node]))

    def best_action(self) -> int:
        """Return the action of the root's most visited child."""
        return int(self.action[self.children()[0]])

    def policy(self) -> np.ndarray:
        """Return the share of the root's visits by action, float64 (actions,)."""
        shares = np.zeros(self.box.game.actions.n)
        for c in self.children():
            shares[self.action[c]] = self.visits[c]
        return shares / shares.sum()

    def text(self, depth: int = 2, width: int = 5) -> str:
        """Return the top of the tree as text: the `width` best children down to `depth`."""
        lines = [f"{int(self.visits[0])} simulations, {self.size} nodes"]
        self._write(0, 1, depth, width, lines)
        return "\n".join(lines)

    def _write(self, node: int, level: int, depth: int, width: int, lines: list[str]) -> None:
        if level > depth:
            return
        for c in self.children(node)[:width]:
            label = self.box.labels[self.action[c]]
            lines.append(f"{'  ' * level}seat {self.mover[c]} {label}: {self.visits[c]} visits, {self.mean(c):+.3f}")
            self._write(c, level + 1, depth, width, lines)


class Comparison:
    """What a rollout has found out at one decision: arrays with one entry per legal action.

    Attributes:
        actions: int64, in ascending order; `base` is the index of the improved player's own choice.
        deals: int64, deals that each action was tried in.
        open: bool, whether it is still in the race.
    """

    def __init__(self, box: Box, actions: np.ndarray, base: int, confidence: float) -> None:
        self.box, self.actions, self.base, self.confidence = box, actions, base, confidence
        self.deals = np.zeros(len(actions), np.int64)
        self.open = np.ones(len(actions), np.bool_)
        self._sum = np.zeros(len(actions))
        self._squares = np.zeros(len(actions))

    def add(self, values: np.ndarray) -> None:
        """Note the utilities of the open actions in one deal; drop those that are clearly worse than the base."""
        rows = np.flatnonzero(self.open)
        gains = values - values[rows.searchsorted(self.base)]
        self.deals[rows] += 1
        self._sum[rows] += gains
        self._squares[rows] += gains**2
        if self.deals[self.base] >= MIN_DEALS:
            self.open &= self.gains + self.confidence * self.errors >= 0

    def halve(self) -> None:
        """Keep the better half of the open actions, the base in any case."""
        rows = np.flatnonzero(self.open & (np.arange(len(self.open)) != self.base))
        order = rows[np.argsort(-self.gains[rows], kind="stable")]
        self.open[order[(len(rows) + 1) // 2 :]] = False

    @property
    def gains(self) -> np.ndarray:
        """Mean utility by which each action was better than the base in the same deals, float64."""
        return self._sum / np.maximum(1, self.deals)

    @property
    def errors(self) -> np.ndarray:
        """Standard errors of `gains`, float64."""
        n = np.maximum(2, self.deals)
        return np.sqrt(np.maximum(0.0, self._squares / n - self.gains**2) / (n - 1))

    def best_action(self) -> int:
        """Return the action that gains most among those that gain significantly, else the base's."""
        best = self.base
        if self.deals[self.base] >= MIN_DEALS:
            gains = np.where(self.open & (self.gains > self.confidence * self.errors), self.gains, 0.0)
            if gains.max() > 0:
                best = int(gains.argmax())
        return int(self.actions[best])

    def text(self, width: int = 5) -> str:
        """Return the `width` best actions as text, the base's marked."""
        lines = [f"{int(self.deals.sum())} simulations, {int(self.deals[self.base])} deals"]
        beside_base = np.arange(len(self.actions)) != self.base  # which comes first among equals
        for k in np.lexsort((beside_base, -self.gains))[:width]:
            mark = "*" if k == self.base else " "
            label = self.box.labels[self.actions[k]]
            lines.append(f"{mark} {label}: {self.gains[k]:+.3f} ± {self.errors[k]:.3f} in {self.deals[k]} deals")
        return "\n".join(lines)


Found = TypeVar("Found", Tree, Comparison)


class Searcher(ABC, Generic[Found]):
    """A player that tries out what may come before each decision."""

    decider = EXTERNAL

    def __init__(self, game: Game, settings: Playouts, name: str, seed: int | None = None) -> None:
        """Prepare a searcher of `game`.

        Raises:
            OptionError: a setting is out of range.
        """
        self.game, self.name = game, name
        self.seed(seed)
        if not 1 <= settings.iterations <= MAX_ITERATIONS:
            raise OptionError(f"{name}: iterations = {settings.iterations}: expected 1 … {MAX_ITERATIONS}")
        if not isfinite(settings.seconds) or settings.seconds < 0:
            raise OptionError(f"{name}: seconds = {settings.seconds}: expected a finite number from 0 on")
        if settings.plies != -1 and settings.plies < 1:
            raise OptionError(f"{name}: plies = {settings.plies}: expected at least 1, or -1 (to the end of the game)")
        if settings.playout not in self.policies:
            raise OptionError(f"{name}: playout = '{settings.playout}'{nearest(settings.playout, self.policies)}")
        if settings.reward and settings.reward not in ("win", "placement", "margin"):
            raise OptionError(f"{name}: reward = '{settings.reward}': expected win, placement or margin")
        self._reward = settings.reward
        self._playout = -1 if settings.playout == "random" else game.bots.index(settings.playout)
        self._work = game.new_states(1)
        self._masks = np.zeros((2, game.actions.n), np.int8)
        self._utilities = np.zeros(game.max_seats)
        self._rng = np.zeros(4, np.int64)

    @property
    def policies(self) -> tuple[str, ...]:
        """Who can play the simulations on."""
        return ("random", *self.game.bots)

    def seed(self, seed: int | None) -> None:
        """Begin all chance of the search anew from `seed`."""
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def _utility(self, box: Box) -> int:
        """Return the number of the utility that is maximised."""
        return OUTCOMES[self._reward or box.options["reward"]]

    def _seed(self) -> int:
        return int(self._generator.integers(2**62))

    def search(self, state: GameState) -> Found:
        """Search for the seat on turn in `state`, which is not changed; return what was found."""
        if state.over:
            raise LusogamesError("the game is over: there is nothing to search")
        if state.game.name != self.game.name:
            raise LusogamesError(f"this player searches {self.game.name}, not {state.game.name}")
        return self._search(state._states, 0, state.box, state.actor)

    @abstractmethod
    def _search(self, states: np.ndarray, i: int, box: Box, seat: int) -> Found:
        """Search for `seat`, on turn in ``states[i]``."""

    def act(self, batch: Batch, rows: np.ndarray) -> np.ndarray:
        """Return int64 (k,) actions for the seats on turn in games `rows`; each is searched by itself."""
        actors = batch.actors
        return np.array(
            [self._search(batch.states, int(i), batch.box, int(actors[i])).best_action() for i in rows], np.int64
        )


class SearchPlayer(Searcher[Tree]):
    """`ismcts` and `flat_mc`: a tree of all that may be done, grown where it is promising."""

    def __init__(self, game: Game, settings: Settings, name: str = "ismcts", seed: int | None = None) -> None:
        """Prepare a searcher of `game`; raises `OptionError`."""
        super().__init__(game, settings, name, seed)
        self.settings = settings
        if not isfinite(settings.explore) or settings.explore < 0 or settings.depth < 1:
            raise OptionError(
                f"{name}: explore = {settings.explore}, depth = {settings.depth}: "
                "explore must be a finite number from 0 on, depth at least 1"
            )

    def _search(self, states: np.ndarray, i: int, box: Box, seat: int) -> Tree:
        from lusogames_env.engine.kernel.rng import seed_rng

        limits = self.settings
        seed_rng(self._rng, self._seed(), 5)
        tree = Tree(box, limits.iterations + 1)
        done, began = 0, time.perf_counter()
        while done < limits.iterations:
            step = min(SLICE if limits.seconds else limits.iterations, limits.iterations - done)
            tree.size = self.game.search.search(
                states, i, box.array, seat,
                step, float(limits.explore), limits.depth, self._playout, limits.plies, self._utility(box),
                self._work, self._masks, self._utilities, self._rng, tree.size,
                tree.action, tree.parent, tree.child, tree.sibling, tree.mover, tree.visits, tree.available, tree.total,
            )  # fmt: skip
            done += step
            if limits.seconds and time.perf_counter() - began >= limits.seconds:
                break
        return tree


class RolloutPlayer(Searcher[Comparison]):
    """`rollout`: plays as a rule-based player, except where its own simulations show that something else is better.

    All actions are played on by copies of that player in the same deals (common random numbers). The budget is spent in
    rounds, after each of which the better half goes on (sequential halving: Karnin, Koren and Somekh, ICML 2013); an
    action that is clearly worse than the player's own choice leaves the race at once.
    """

    def __init__(self, game: Game, settings: RolloutSettings, name: str = "rollout", seed: int | None = None) -> None:
        """Prepare a searcher of `game`; raises `OptionError`."""
        super().__init__(game, settings, name, seed)
        self.settings = settings
        if not isfinite(settings.confidence) or settings.confidence < 0:
            raise OptionError(f"{name}: confidence = {settings.confidence}: expected a finite number from 0 on")

    @property
    def policies(self) -> tuple[str, ...]:
        """Who can be improved: the rule-based players."""
        return self.game.bots

    def _search(self, states: np.ndarray, i: int, box: Box, seat: int) -> Comparison:
        limits, kernels, mask = self.settings, self.game.search, self._masks[0]
        choice = kernels.advice(states, i, box.array, seat, self._playout, self._work, mask, self._seed(), self._rng)
        actions = np.flatnonzero(mask).astype(np.int64)
        found = Comparison(box, actions, int(actions.searchsorted(choice)), limits.confidence)
        left, began = limits.iterations, time.perf_counter()
        for rounds in range(int(np.ceil(np.log2(len(actions)))), 0, -1):
            share = left // rounds
            while 1 < (racing := int(found.open.sum())) <= share:
                values = np.empty(racing)
                kernels.try_all(
                    states, i, box.array, seat,
                    actions[found.open], self._playout, limits.plies, self._utility(box),
                    self._work, mask, self._utilities, self._seed(), self._rng, values,
                )  # fmt: skip
                found.add(values)
                share, left = share - racing, left - racing
                if limits.seconds and time.perf_counter() - began >= limits.seconds:
                    return found
            if rounds > 1:
                found.halve()
        return found
