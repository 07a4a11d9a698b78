"""Players behind one interface: who sits at a table, whether scripted, learned, searching or a caller's function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from lusogames_env.engine.batch import EXTERNAL, FIRST_BOT, GO_ON, RANDOM, WAIT, Batch
from lusogames_env.engine.errors import OptionError, PlayerError, nearest
from lusogames_env.engine.game import Game
from lusogames_env.engine.search import SEARCHES, Searcher, make_search

Policy = Callable[[np.ndarray, np.ndarray], np.ndarray]


@runtime_checkable
class Player(Protocol):
    """Anything that decides. `decider` is a code of `Batch.deciders`; `EXTERNAL` players are asked through `act`."""

    name: str
    decider: int

    def act(self, batch: Batch, rows: np.ndarray) -> np.ndarray:
        """Return int64 (k,) actions for the seats on turn in games `rows`, int64 (k,)."""
        ...


class ScriptedPlayer:
    """`random` or a rule-based player of the game: played inside compiled code wherever it sits."""

    def __init__(self, game: Game, name: str) -> None:
        self.name = name
        self.decider = RANDOM if name == "random" else FIRST_BOT + game.bots.index(name)

    def act(self, batch: Batch, rows: np.ndarray) -> np.ndarray:
        """Return its actions for the seats on turn in games `rows`."""
        actions = np.full(batch.num_games, -2, np.int64)
        kinds = np.full(batch.num_games, -2, np.int64)
        kinds[rows] = self.decider - FIRST_BOT
        driver = batch.game.driver
        driver.decide(batch.states, 0, batch.num_games, batch.box.array, batch.masks, kinds, batch.rngs, actions)
        return actions[rows]


class PolicyPlayer:
    """A function ``(observations (k, size), masks (k, actions)) -> actions (k,)``, asked for many games at once."""

    decider = EXTERNAL

    def __init__(self, policy: Policy, name: str = "policy") -> None:
        self.name, self.policy = name, policy

    def act(self, batch: Batch, rows: np.ndarray) -> np.ndarray:
        """Return its actions for the seats on turn in games `rows`."""
        return np.asarray(self.policy(observe_rows(batch, rows), batch.masks[rows]))


def ask(player: Player, batch: Batch, rows: np.ndarray) -> np.ndarray:
    """Return the actions of a player for the seats on turn in games `rows`, int64 (k,).

    Raises:
        PlayerError: it gave something else than one integer a game.
    """
    actions = np.asarray(player.act(batch, rows))
    if actions.shape != rows.shape or actions.dtype.kind not in "iu":
        found = f"{actions.dtype} of shape {actions.shape}"
        raise PlayerError(f"{player.name}: found {found}; expected an integer action for each of {len(rows)} games")
    return np.where(actions == WAIT, GO_ON, actions).astype(np.int64)  # it cannot leave a game out: that is illegal


def observe_rows(batch: Batch, rows: np.ndarray) -> np.ndarray:
    """Return float32 (k, size): what the seats on turn in games `rows` see."""
    obs = np.empty((len(rows), batch.game.observation.size), np.float32)
    states = batch.states.take(rows)
    none = np.zeros((len(rows), 0), np.int8)
    seats = states["actor"].astype(np.int64)
    batch.game.driver.watch(states, 0, len(rows), batch.box.array, seats, obs, none)
    return obs


def _may_be_saved(spec: str) -> bool:
    return ":" in spec or "/" in spec or is_folder(spec)


def _unknown_kind(spec: str) -> str | None:
    """Return what comes before the colon if it is no kind of player, and no folder has this name."""
    kind, colon, _ = spec.partition(":")
    return kind if colon and kind != "ppo" and "/" not in kind and not is_folder(spec) else None


def is_folder(name: str | Path) -> bool:
    """Say whether there is a folder of this name; False for a name that no file can have."""
    try:
        return Path(name).is_dir()
    except OSError:
        return False


def make_player(spec: Any, game: Game, seed: int | None = None) -> Player:
    """Return the player that `spec` names.

    Args:
        spec: ``"random"``; a rule-based player of the game (``"heuristic"``); ``"ismcts"``, ``"flat_mc"`` or
            ``"rollout"``, with settings as in ``"ismcts:iterations=500,playout=heuristic"`` (see `engine.search`); a
            folder with a saved agent or a training run; the name of an agent that comes with the package
            (``"ppo:reis_de_portugal"``); a function ``(observations, masks) -> actions``; or a `Player`.
        game: the game it is to play.
        seed: root of a searching player's chance.

    Raises:
        OptionError: there is no such player.
    """
    if isinstance(spec, Player):
        return spec
    if callable(spec):
        return PolicyPlayer(spec, getattr(spec, "__name__", "policy"))
    known = ("random", *game.bots)
    if isinstance(spec, str) and spec in known:
        return ScriptedPlayer(game, spec)
    if isinstance(spec, str) and (searcher := make_search(spec, game, seed)) is not None:
        return searcher
    if isinstance(spec, str) and (kind := _unknown_kind(spec)):
        kinds = (*SEARCHES, "ppo")
        raise OptionError(f"there is no kind of player '{kind}:'{nearest(kind, kinds)}; or give a saved agent's folder")
    if hasattr(spec, "act"):
        raise OptionError(f"{spec!r} is no player: besides act it needs a name and a decider (0: it is asked)")
    if isinstance(spec, Path) or (isinstance(spec, str) and spec and _may_be_saved(spec)):
        from lusogames_env.training.agents import load_agent

        return load_agent(spec, game)
    raise OptionError(
        f"there is no player {spec!r} for {game.name}{nearest(str(spec), (*known, *SEARCHES))}; or give a saved agent"
    )


def _weights(values: list[Any]) -> np.ndarray:
    if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        raise OptionError(f"opponents: the weights {values!r} must be numbers")
    return np.array(values, float)


def make_mixture(spec: Any, game: Game, seed: int | None = None) -> tuple[list[Player], np.ndarray]:
    """Return players and their probabilities for one player, a list of them, or a mapping of players to weights."""
    if isinstance(spec, Mapping):
        names, weights = list(spec), _weights(list(spec.values()))
    elif isinstance(spec, Sequence) and not isinstance(spec, str):
        names, weights = list(spec), np.ones(len(spec))
    else:
        names, weights = [spec], np.ones(1)
    if (weights < 0).any() or not 0 < sum(weights.tolist()) < inf:
        raise OptionError(f"opponents = {spec!r}: expected players with weights from 0 on and a finite sum above 0")
    players = [make_player(name, game, own) for name, own in zip(names, _seeds(seed, len(names)), strict=True)]
    return players, weights / weights.sum()


def _seeds(seed: int | None, n: int) -> list[int]:
    return [int(own) for own in np.random.SeedSequence(seed).generate_state(n, np.uint64)]


def seed_players(players: Sequence[Player], seed: int) -> None:
    """Begin all chance of the searching ones among `players` anew, as if `make_mixture` had made them from `seed`."""
    for player, own in zip(players, _seeds(seed, len(players)), strict=True):
        if isinstance(player, Searcher):
            player.seed(own)
