"""`Table`: the one game behind a PettingZoo environment: seeds, rules, masks, results; knows no API."""

from __future__ import annotations

from functools import partial
from operator import index
from typing import Any

import numpy as np

from lusogames_env.engine.errors import IllegalActionError, LusogamesError, OptionError
from lusogames_env.engine.game import RUNNING, TRUNCATED, Box, copy_states, raw_bytes
from lusogames_env.engine.state import GameState

BOUND = ("_actor", "_over", "_play")  # what `Table` makes anew after unpickling
RENDER_MODES = ("human", "ansi", "rgb_array")
_EXTERNAL = np.zeros((1, 8), np.int8)
_NO_RNG = np.zeros((1, 4), np.int64)
_NO_MASK = np.zeros((1, 0), np.int8)
_ON_TURN = np.full(1, -1, np.int64)
_GO_ON = np.full(1, -1, np.int64)


def action_index(action: Any, n: int) -> int:
    """Return a caller's action, one of `n` or not, as an int; raise `LusogamesError` if it is no integer."""
    try:
        return index(action)
    except TypeError:
        raise LusogamesError(f"action {action!r} is no integer; give an index in 0 … {n - 1}") from None


class Table:
    """One game played by a caller seat by seat.

    Attributes:
        actor: seat on turn, -1 after the end.
        obs: float32 (1, size): what the seat on turn sees; a new array after every move.
        mask: int8 (1, actions): its legal actions; never handed out.
        illegal: None, or (seat, action, text) of the illegal action that ended the game.
    """

    def __init__(self, box: Box) -> None:
        self.box = box
        self.states = box.game.new_states(1)
        self._bind()
        self.mask = np.zeros((1, box.game.actions.n), np.int8)
        self.obs = np.zeros((1, box.game.observation.size), np.float32)
        self.actor = -1
        self.over = False
        self.truncated = False
        self.started = False
        self.illegal: tuple[int, int, str] | None = None
        self._generator = np.random.Generator(np.random.PCG64())
        self._action = np.zeros(1, np.int64)

    def _bind(self) -> None:
        """Keep what every move needs: looking it up each time would cost more than the move."""
        header = self.states.view(np.ndarray)
        self._actor, self._over = header["actor"], header["over"]
        self._play = partial(self.box.game.driver.advance, self.states, 0, 1, self.box.array)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in BOUND}

    def __setstate__(self, data: dict[str, Any]) -> None:
        self.__dict__.update(data)
        self._bind()

    def start(self, seed: int | None) -> None:
        """Set up a new game; without a seed the stream of seeds goes on."""
        if seed is not None:
            if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
                raise OptionError(f"seed = {seed!r}: expected None or an integer of at least 0")
            self._generator = np.random.Generator(np.random.PCG64(seed))
        game_seed = self._generator.integers(2**63, dtype=np.int64, size=1)
        raw_bytes(self.states)[:] = 0
        self.box.game.driver.start(self.states, 0, 1, self.box.array, game_seed)
        self.started, self.illegal = True, None
        self._advance(_GO_ON)

    def _advance(self, action: np.ndarray) -> int:
        obs = np.empty_like(self.obs)
        wrong: int = self._play(action, _EXTERNAL, _NO_RNG, self.mask, _ON_TURN, obs)
        if not wrong:
            self.obs, self.actor, over = obs, self._actor.item(), self._over.item()
            self.over, self.truncated = over != RUNNING, over == TRUNCATED
        return wrong

    def move(self, action: Any) -> None:
        """Take an action for the seat on turn. An illegal one ends the game (``illegal="lose"``) or raises.

        Raises:
            IllegalActionError: the action is illegal and the option ``illegal`` is ``"raise"``; nothing was changed.
            LusogamesError: the action is no integer.
        """
        number = action_index(action, self.mask.shape[1])
        inside = 0 <= number < self.mask.shape[1]
        if inside:
            self._action[0] = number
            if not self._advance(self._action):
                return
        text = f"'{self.box.labels[number]}' ({number})" if inside else f"{number}"
        legal = [self.box.labels[a] for a in np.flatnonzero(self.mask[0])]
        if self.box.options["illegal"] == "raise":
            raise IllegalActionError(f"{text} is not legal for seat {self.actor}; legal: {legal}")
        self.illegal = (self.actor, number, f"{text} is not legal; legal: {legal}")
        self.over, self.truncated, self.actor = True, False, -1
        self.mask[:] = 0

    def observe(self, seat: int) -> np.ndarray:
        """Return a new float32 (size,) array: what `seat` sees."""
        if not self.started:
            raise LusogamesError("nothing to observe before reset(): call reset() first")
        out = np.empty_like(self.obs)
        self.box.game.driver.watch(self.states, 0, 1, self.box.array, np.array([seat], np.int64), out, _NO_MASK)
        return out[0]

    def masks(self) -> np.ndarray:
        """Return the legal actions of all seats that decide now, int8 (max_seats, actions): a new array.

        It is one seat, unless the rules let several decide at the same time.
        """
        found = np.zeros((self.box.game.max_seats, self.mask.shape[1]), np.int8)
        self.box.game.driver.beside(self.states, 0, self.box.array, found)
        if self.actor >= 0:
            found[self.actor] = self.mask[0]
        return found

    def rewards(self) -> list[float]:
        """Return every seat's utility of the kind of the option ``reward``; -1 and 0 after an illegal action."""
        if self.illegal is not None:
            return [-1.0 if seat == self.illegal[0] else 0.0 for seat in range(self.box.num_players)]
        return self.result(self.box.options["reward"])

    def result(self, kind: str) -> list[float]:
        """Return every seat's outcome: ``win``, ``placement``, ``margin`` or ``raw``."""
        return self.state().outcome(kind).tolist()

    def closing_info(self, seat: int) -> dict[str, Any]:
        """Return what a seat's info says after the end."""
        if self.illegal is not None:
            offender, action, text = self.illegal
            return {"illegal_action": action, "illegal_seat": offender, "illegal_text": text}
        return {name: self.result(kind)[seat] for name, kind in RESULTS.items()}

    def state(self) -> GameState:
        """Return the position as a `GameState` of its own."""
        return GameState(self.box, copy_states(self.states), self.mask.copy())


RESULTS = {"win": "win", "placement": "placement", "margin": "margin", "score": "raw"}
