"""`GameState`: one game as a value: apply, clone, look at it from a seat, save and load it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from lusogames_env.engine.components import Components
from lusogames_env.engine.errors import IllegalActionError, LusogamesError, OptionError, StateError
from lusogames_env.engine.game import MARGIN, PLACEMENT, RAW, RUNNING, TRUNCATED, WIN, Box, Game, copy_states
from lusogames_env.engine.layout import Record
from lusogames_env.games import get_game

OUTCOMES = {"win": WIN, "placement": PLACEMENT, "margin": MARGIN, "raw": RAW}
SCHEMA = 1
MAGIC = b"LUSOGAMES\n"

_NO_OBSERVATION = np.zeros((1, 0), np.float32)
_NO_MASK = np.zeros((1, 0), np.int8)
_ALL_EXTERNAL = np.zeros((1, 8), np.int8)
_NO_RNG = np.zeros((1, 4), np.int64)
_ON_TURN = np.full(1, -1, np.int64)


class GameState:
    """One game in progress. All randomness comes from the seed; equal seeds and actions give equal bits.

    Make one with `GameState.new`. `clone`, ``copy.deepcopy`` and ``pickle`` give a twin with the same future.
    """

    __slots__ = ("box", "_states", "_mask")

    def __init__(self, box: Box, states: np.ndarray, mask: np.ndarray) -> None:
        self.box, self._states, self._mask = box, states, mask

    @classmethod
    def new(cls, game: str | Game, seed: int = 0, **options: Any) -> GameState:
        """Set up a game.

        Args:
            game: its name, as ``"reis_de_portugal"``.
            seed: integer in ``0 … 2**63 - 1``; all chance of the game follows from it.
            **options: options of the game (``lusogames games`` lists them).

        Raises:
            LusogamesError: there is no such game.
            OptionError: unknown option or bad value.
            ComponentsError: the component file does not fit the game.
        """
        return cls.from_box(get_game(game).new_box(**options), seed)

    @classmethod
    def from_box(cls, box: Box, seed: int = 0) -> GameState:
        """Set up a game from a box that is already there (no option or file is read again)."""
        seeds = _seed_array(seed)
        state = cls(box, box.game.new_states(1), np.zeros((1, box.game.actions.n), np.int8))
        box.game.driver.start(state._states, 0, 1, box.array, seeds)
        state._advance(-1)
        return state

    # ---- play ----

    @property
    def game(self) -> Game:
        """The game this is a state of."""
        return self.box.game

    @property
    def record(self) -> Any:
        """The state record: readable and writable field by field. Call `refresh` after writing."""
        return self._states.view(np.recarray)[0]

    @property
    def actor(self) -> int:
        """Seat on turn, -1 after the end."""
        return int(self._states["actor"][0])

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._states["over"][0] != RUNNING)

    @property
    def truncated(self) -> bool:
        """Whether it ended because it was cut off, not by its rules."""
        return bool(self._states["over"][0] == TRUNCATED)

    @property
    def ply(self) -> int:
        """Decisions taken so far."""
        return int(self._states["ply"][0])

    @property
    def mask(self) -> np.ndarray:
        """Legal actions of the seat on turn: int8 array (actions,) of 0 and 1, all 0 after the end. A copy."""
        return self._mask[0].copy()

    def legal_actions(self) -> list[int]:
        """Return the legal actions of the seat on turn, in increasing order."""
        return np.flatnonzero(self._mask[0]).tolist()

    def legal_labels(self) -> list[str]:
        """Return the texts of the legal actions."""
        labels = self.box.labels
        return [labels[action] for action in self.legal_actions()]

    def action_label(self, action: int) -> str:
        """Return the text of an action; raises `IllegalActionError` if there is none of this index."""
        if not isinstance(action, (int, np.integer)) or not 0 <= action < self._mask.shape[1]:
            raise IllegalActionError(f"action {action!r} is outside 0 … {self._mask.shape[1] - 1}")
        return self.box.labels[action]

    def action_of(self, label: str) -> int:
        """Return the action with this text; raises `IllegalActionError` if there is none."""
        try:
            return self.box.action_of_label[label]
        except KeyError:
            legal = self.legal_labels()
            raise IllegalActionError(f"{self.game.name} has no action '{label}'; legal now: {legal}") from None

    def apply(self, action: int | str) -> GameState:
        """Take an action (or its text) for the seat on turn, in place, and return self.

        Raises:
            IllegalActionError: the action is not legal here; the state is unchanged.
        """
        if isinstance(action, str):
            action = self.action_of(action)
        if not isinstance(action, (int, np.integer)):
            raise IllegalActionError(f"action {action!r} is neither an index nor a text; legal: {self.legal_labels()}")
        if not 0 <= action < self._mask.shape[1] or not self._mask[0, action]:
            raise IllegalActionError(self._complaint(action))
        self._advance(int(action))
        return self

    def _complaint(self, action: int) -> str:
        if self.over:
            return f"the game is over: action {action} comes too late; make a new state"
        what = f"'{self.action_label(action)}' ({action})"
        return f"{what} is not legal for seat {self.actor}; legal: {self.legal_labels()}"

    def _advance(self, action: int) -> None:
        self.game.driver.advance(
            self._states, 0, 1, self.box.array, np.array([action], np.int64), _ALL_EXTERNAL, _NO_RNG,
            self._mask, _ON_TURN, _NO_OBSERVATION,
        )  # fmt: skip

    def refresh(self) -> GameState:
        """Recompute the mask after the record was written by hand; no forced decision is played."""
        seats = self._states["actor"].astype(np.int64)
        obs = np.zeros((1, self.game.observation.size), np.float32)
        self.game.driver.watch(self._states, 0, 1, self.box.array, seats, obs, self._mask)
        return self

    # ---- look ----

    def observation(self, seat: int | None = None) -> np.ndarray:
        """Return the float32 observation (size,) of `seat` (default: the seat on turn; zeros after the end)."""
        obs = np.zeros((1, self.game.observation.size), np.float32)
        seats = np.array([self.actor if seat is None else self._seat(seat)], np.int64)
        self.game.driver.watch(self._states, 0, 1, self.box.array, seats, obs, _NO_MASK)
        return obs[0]

    def view(self, seat: int | None = None) -> dict[str, np.ndarray]:
        """Return the observation as named arrays of their own shapes."""
        return self.game.observation.unflatten(self.observation(seat))

    def text(self, seat: int | None = None) -> str:
        """Return the position as text: what `seat` may see, or all open with None."""
        return self.game.view.render(self.record, self.box, None if seat is None else self._seat(seat))

    def outcome(self, kind: str = "win") -> np.ndarray:
        """Return the float64 outcome (num_players,): ``win``, ``placement``, ``margin`` or ``raw`` scores."""
        if kind not in OUTCOMES:
            raise OptionError(f"outcome '{kind}': expected one of {', '.join(OUTCOMES)}")
        out = np.zeros((1, self.game.max_seats), np.float64)
        self.game.driver.score(self._states, 0, 1, self.box.array, OUTCOMES[kind], out)
        return out[0, : self.box.num_players]

    def check(self) -> int:
        """Return 0, or the number of the first broken invariant (see ``game.invariants``)."""
        codes = np.zeros(1, np.int64)
        self.game.driver.verify(self._states, 0, 1, self.box.array, codes)
        return int(codes[0])

    def _seat(self, seat: int) -> int:
        if not isinstance(seat, (int, np.integer)) or not 0 <= seat < self.box.num_players:
            raise OptionError(f"seat {seat!r}: expected 0 … {self.box.num_players - 1}")
        return seat

    # ---- copies ----

    def clone(self) -> GameState:
        """Return an independent twin with the same future."""
        return GameState(self.box, copy_states(self._states), self._mask.copy())

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> GameState:
        return self.clone()

    def redealt(self, seat: int, seed: int) -> GameState:
        """Return a determinization: what `seat` cannot know is replaced by a sample that agrees with all it knows."""
        twin = self.clone()
        seats, seeds = np.array([self._seat(seat)], np.int64), _seed_array(seed)
        self.game.driver.hide(twin._states, 0, 1, self.box.array, seats, seeds)
        return twin.refresh()

    def bot_action(self, name: str = "heuristic", seed: int = 0) -> int:
        """Return what the rule-based player `name` does for the seat on turn."""
        if name not in self.game.bots:
            raise OptionError(f"{self.game.name} has no rule-based player '{name}'; it has {', '.join(self.game.bots)}")
        if self.over:
            raise IllegalActionError("the game is over: nobody is on turn")
        actions, kinds = np.full(1, -1, np.int64), np.array([self.game.bots.index(name)], np.int64)
        rngs = _generator(_seed_array(seed))
        self.game.driver.decide(self._states, 0, 1, self.box.array, self._mask, kinds, rngs, actions)
        return int(actions[0])

    # ---- save ----

    def _clean(self) -> np.ndarray:
        """Return the state without its working space and with zeros between its fields."""
        states = self.game.new_states(1)
        for field in self.game.state_record.fields:
            if not field.name.startswith("scratch_"):
                states[field.name] = self._states[field.name]
        return states

    def _head(self) -> dict[str, Any]:
        return {
            "format": "lusogames_env state",
            "schema": SCHEMA,
            "game": self.game.name,
            "version": self.game.version,
            "options": {name: value for name, value in self.box.options.items() if name != "components"},
            "components": self.box.custom_components,
        }

    def to_json(self) -> dict[str, Any]:
        """Return the state as plain JSON types, field by field."""
        clean = self._clean()
        fields = [f.name for f in self.game.state_record.fields if not f.name.startswith("scratch_")]
        return {**self._head(), "state": {name: clean[name][0].tolist() for name in fields}}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> GameState:
        """Load `to_json`'s result; raises `StateError` if a field, a shape, a bound or an invariant is wrong."""
        if not isinstance(data, dict):
            raise StateError(f"saved state: expected a dict, as to_json returns it, found {type(data).__name__}")
        box = _box_of(data)
        states = box.game.new_states(1)
        fields = data.get("state")
        if not isinstance(fields, dict):
            raise StateError("saved state: the key 'state' must hold the fields of the record")
        _fill(states, box.game.state_record, fields)
        return _checked(box, states)

    def to_bytes(self) -> bytes:
        """Return the state as bytes: a JSON head and the record."""
        head = json.dumps({**self._head(), "fields": _describe(self.game.state_record)}).encode()
        return MAGIC + len(head).to_bytes(4, "little") + head + self._clean().tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> GameState:
        """Load `to_bytes`'s result; nothing is unpickled. Raises `StateError` if it is damaged or of another schema."""
        if not isinstance(data, (bytes, bytearray)) or not data.startswith(MAGIC):
            raise StateError("these bytes are not a saved state (they do not start with its mark)")
        at = len(MAGIC) + 4
        size = int.from_bytes(data[len(MAGIC) : at], "little")
        try:
            head = json.loads(data[at : at + size])
        except (ValueError, RecursionError) as error:
            raise StateError(f"saved state: its head is damaged: {error}") from error
        box = _box_of(head)
        record, body = box.game.state_record, data[at + size :]
        if head.get("fields") != _describe(record):
            raise StateError("saved state: its record has other fields than this version's")
        if len(body) != record.dtype.itemsize:
            raise StateError(f"saved state: {len(body)} bytes of record; expected {record.dtype.itemsize}")
        return _checked(box, _from_raw(box, body))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.box, self._states.tobytes(), self._mask)

    def hash(self) -> str:
        """Return a hash of options, components and state: equal for equal positions with equal futures."""
        head = json.dumps(self._head(), sort_keys=True).encode()
        return hashlib.sha256(head + self._clean().tobytes()).hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GameState) or self.box != other.box:
            return False
        return self._clean().tobytes() == other._clean().tobytes()

    def __hash__(self) -> int:
        return int(self.hash()[:15], 16)

    def __repr__(self) -> str:
        turn = "over" if self.over else f"seat {self.actor} on turn"
        return f"<GameState {self.game.name}, {self.box.num_players} players, ply {self.ply}, {turn}>"


def _seed_array(seed: Any) -> np.ndarray:
    """Return the seed as the kernels take it, int64 (1,)."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**63:
        raise OptionError(f"seed = {seed!r}: expected an integer from 0 to 2**63 - 1")
    return np.array([seed], np.int64)


def _generator(seeds: np.ndarray) -> np.ndarray:
    """Return a generator for a rule-based player, int64 (1, 4)."""
    from lusogames_env.engine.kernel.streams import seed_rows

    rngs = np.zeros((1, 4), np.int64)
    seed_rows(rngs, seeds, 3)
    return rngs


def _restore(box: Box, raw: bytes, mask: np.ndarray) -> GameState:
    return GameState(box, _from_raw(box, raw), mask.copy())


def _from_raw(box: Box, raw: bytes) -> np.ndarray:
    states = box.game.new_states(1)
    states[:] = np.frombuffer(raw, states.dtype)
    return states


def _describe(record: Record) -> str:
    return hashlib.sha256(repr([(f.name, f.dtype, f.dims) for f in record.fields]).encode()).hexdigest()[:16]


def _box_of(head: Any) -> Box:
    if not isinstance(head, dict) or head.get("format") != "lusogames_env state":
        raise StateError("this is not a saved state: 'format' must be 'lusogames_env state'")
    if type(head.get("schema")) is not int or head["schema"] != SCHEMA:
        raise StateError(f"saved state of schema {head.get('schema')!r}; this version reads schema {SCHEMA}")
    missing = [key for key in ("game", "version", "options", "components") if key not in head]
    if missing:
        raise StateError(f"saved state: the key '{missing[0]}' is missing")
    try:
        game = get_game(str(head["game"]))
    except LusogamesError as error:
        raise StateError(f"saved state: {error}") from error
    if type(head["version"]) is not int or head["version"] != game.version:
        raise StateError(f"saved state of {game.name}_v{head['version']}; this is {game.name}_v{game.version}")
    options, custom = head["options"], head["components"]
    expected = {option.name for option in game.options} - {"components"}
    if not isinstance(options, dict) or set(options) != expected:
        unlike = expected ^ set(options) if isinstance(options, dict) else expected
        raise StateError(f"saved state: options missing or unknown: {', '.join(sorted(unlike))}")
    try:
        return Box(game, options, game.components if custom is None else Components("saved components", custom))
    except LusogamesError as error:
        raise StateError(f"saved state: {error}") from error


def _fill(states: np.ndarray, record: Record, fields: dict[str, Any]) -> None:
    expected = {f.name: f for f in record.fields if not f.name.startswith("scratch_")}
    unlike = set(expected) ^ set(fields)
    if unlike:
        raise StateError(f"saved state: fields missing or unknown: {', '.join(sorted(unlike))}")
    for name, field in expected.items():
        try:
            value = np.asarray(fields[name])
            if value.shape != field.dims or value.dtype.kind not in "iu":
                raise ValueError
            limits = np.iinfo(field.dtype)
            if value.size and (value.min() < limits.min or value.max() > limits.max):
                raise ValueError
        except (ValueError, TypeError) as error:
            raise StateError(f"saved state: field '{name}' must hold {field.dtype} of shape {field.dims}") from error
        states[name] = value


def _checked(box: Box, states: np.ndarray) -> GameState:
    state = GameState(box, states, np.zeros((1, box.game.actions.n), np.int8))
    actor, over, ply = (int(states[name][0]) for name in ("actor", "over", "ply"))
    if not RUNNING <= over <= TRUNCATED:
        raise StateError(f"saved state: 'over' is {over}; expected 0, 1 or 2")
    if not -1 <= actor < box.num_players or (actor == -1) != (over != RUNNING):
        raise StateError(f"saved state: 'actor' is {actor}; expected a seat while the game runs, then -1")
    if ply < 0 or states["rng"].min() < 0 or states["rng"].max() >= 2**32:
        raise StateError("saved state: 'ply' is negative, or 'rng' is no generator: four numbers in 0 … 2**32 - 1")
    code = state.check()
    if code:
        text = box.game.invariants.get(code, "unknown")
        raise StateError(f"saved state breaks invariant {code} of {box.game.name}: {text}")
    state.refresh()
    if over == RUNNING and not state._mask.any():
        raise StateError(f"saved state: seat {actor} is on turn but has no legal action")
    return state
