"""Searching players: information-set Monte Carlo tree search and flat Monte Carlo, for any game.

A search runs in compiled code on copies of the position in which everything the searcher cannot know has been dealt
anew (``redeal``); it never reads the hidden cards or the generator of the true game.
Reference: Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", IEEE TCIAIG 4(2), 2012.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from lusogames_env.engine.batch import EXTERNAL, Batch
from lusogames_env.engine.errors import LusogamesError, OptionError, nearest
from lusogames_env.engine.game import Box, Game
from lusogames_env.engine.state import OUTCOMES, GameState

SLICE = 64  # iterations between two looks at the clock
MAX_ITERATIONS = 10_000_000


@dataclass(frozen=True)
class Settings:
    """What a search does.

    Attributes:
        iterations: simulations per decision; with `seconds`, at most so many.
        seconds: time per decision; 0 = no limit of time.
        explore: weight of exploration in UCB1 (utilities lie in [-1, 1]).
        depth: deepest level of the tree; 1 is flat Monte Carlo.
        playout: who plays the simulations to their end: ``random`` or a rule-based player of the game.
        plies: longest playout in decisions, then the position is valued as it stands; -1 = to the end of the game.
        reward: utility that is maximised; empty = the one the game is played for.
    """

    iterations: int = 1000
    seconds: float = 0.0
    explore: float = 0.7
    depth: int = 1000
    playout: str = "random"
    plies: int = -1
    reward: str = ""


SEARCHES: dict[str, dict[str, Any]] = {"ismcts": {}, "flat_mc": {"depth": 1}}  # with the settings that make them


def parse_search(spec: str) -> Settings | None:
    """Return the settings of ``"ismcts"`` or ``"flat_mc:iterations=200,playout=heuristic"``; None if it is neither."""
    name, _, rest = spec.partition(":")
    if name not in SEARCHES:
        return None
    free = {key: type(value) for key, value in vars(Settings()).items() if key not in SEARCHES[name]}
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
    return Settings(**SEARCHES[name], **given)


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


class SearchPlayer:
    """A player that searches before each decision."""

    decider = EXTERNAL

    def __init__(self, game: Game, settings: Settings, name: str = "ismcts", seed: int | None = None) -> None:
        """Prepare a searcher of `game`.

        Raises:
            OptionError: a setting is out of range.
        """
        self.game, self.settings, self.name = game, settings, name
        self._generator = np.random.Generator(np.random.PCG64(seed))
        if not 1 <= settings.iterations <= MAX_ITERATIONS:
            raise OptionError(f"{name}: iterations = {settings.iterations}: expected 1 … {MAX_ITERATIONS}")
        if not (isfinite(settings.seconds) and isfinite(settings.explore)):
            raise OptionError(f"{name}: seconds and explore must be finite numbers")
        if settings.seconds < 0 or settings.depth < 1 or settings.explore < 0:
            raise OptionError(f"{name}: seconds and explore must not be negative, depth at least 1")
        if settings.plies != -1 and settings.plies < 1:
            raise OptionError(f"{name}: plies = {settings.plies}: expected at least 1, or -1 (to the end of the game)")
        if settings.playout != "random" and settings.playout not in game.bots:
            raise OptionError(
                f"{name}: playout = '{settings.playout}'{nearest(settings.playout, ('random', *game.bots))}"
            )
        if settings.reward and settings.reward not in ("win", "placement", "margin"):
            raise OptionError(f"{name}: reward = '{settings.reward}': expected win, placement or margin")
        self._playout = -1 if settings.playout == "random" else game.bots.index(settings.playout)
        self._work = game.new_states(1)
        self._masks = np.zeros((2, game.actions.n), np.int8)
        self._utilities = np.zeros(game.max_seats)

    def search(self, state: GameState) -> Tree:
        """Search for the seat on turn in `state`, which is not changed; return the tree."""
        if state.over:
            raise LusogamesError("the game is over: there is nothing to search")
        return self._search(state._states, 0, state.box, state.actor)

    def _search(self, states: np.ndarray, i: int, box: Box, seat: int) -> Tree:
        from lusogames_env.engine.kernel.rng import seed_rng

        limits = self.settings
        rng = np.zeros(4, np.int64)
        seed_rng(rng, int(self._generator.integers(2**62)), 5)
        tree = Tree(box, limits.iterations + 1)
        kind = OUTCOMES[limits.reward or box.options["reward"]]
        done, began = 0, time.perf_counter()
        while done < limits.iterations:
            step = min(SLICE if limits.seconds else limits.iterations, limits.iterations - done)
            tree.size = self.game.search.search(
                states, i, box.array, seat,
                step, float(limits.explore), limits.depth, self._playout, limits.plies, kind,
                self._work, self._masks, self._utilities, rng, tree.size,
                tree.action, tree.parent, tree.child, tree.sibling, tree.mover, tree.visits, tree.available, tree.total,
            )  # fmt: skip
            done += step
            if limits.seconds and time.perf_counter() - began >= limits.seconds:
                break
        return tree

    def act(self, batch: Batch, rows: np.ndarray) -> np.ndarray:
        """Return int64 (k,) actions for the seats on turn in games `rows`; each is searched by itself."""
        actors = batch.actors
        return np.array(
            [self._search(batch.states, int(i), batch.box, int(actors[i])).best_action() for i in rows], np.int64
        )
