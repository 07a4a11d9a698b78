"""Other libraries' games under the same random play, for the benchmark beside ours. Each is loaded only if installed.

Every loop does what a learner needs at each decision: a float32 observation, an int8 mask, a random legal action.
"""

from __future__ import annotations

import importlib
import importlib.util
import random
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.measure import Case, Run


def pick(mask: np.ndarray) -> int:
    """Return a uniformly random legal action."""
    legal = mask.nonzero()[0]
    return int(legal[int(random.random() * len(legal))])


def aec(env: Any) -> Run:
    """Play whole games on a PettingZoo AEC environment; one item is one decision."""

    def run(n: int) -> int:
        done = 0
        while done < n:
            env.reset(seed=done)
            for _ in env.agent_iter():
                observation, _, termination, truncation, _ = env.last()
                if termination or truncation:
                    env.step(None)
                else:
                    env.step(pick(observation["action_mask"]))
                    done += 1
        return done

    return run


def _pettingzoo(module: str, function: str) -> Run:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return aec(getattr(importlib.import_module(f"pettingzoo.classic.{module}"), function)())


def _open_spiel(name: str) -> Run:
    import pyspiel

    game = pyspiel.load_game(name)
    watches = game.get_type().provides_observation_tensor
    look = pyspiel.State.observation_tensor if watches else pyspiel.State.information_state_tensor

    def run(n: int) -> int:
        done = 0
        while done < n:
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(random.choices(outcomes, chances)[0])
                    continue
                np.asarray(look(state, state.current_player()), np.float32)
                mask = np.asarray(state.legal_actions_mask(), np.int8)
                state.apply_action(pick(mask))
                done += 1
        return done

    return run


def _rlcard(name: str) -> Run:
    import rlcard

    env = rlcard.make(name)

    def run(n: int) -> int:
        done = 0
        while done < n:
            state, _ = env.reset()
            while not env.is_over():
                np.asarray(state["obs"], np.float32)
                mask = np.zeros(env.num_actions, np.int8)
                mask[list(state["legal_actions"])] = 1
                state, _ = env.step(pick(mask))
                done += 1
        return done

    return run


def _pgx(name: str, batch: int, steps: int = 64) -> Run:
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def one(carry: Any, _: None) -> tuple[Any, None]:
        state, key = carry
        key, choice, chance = jax.random.split(key, 3)
        actions = jax.random.categorical(choice, jnp.where(state.legal_action_mask, 0.0, -jnp.inf))
        return (step(state, actions, jax.random.split(chance, batch)), key), None

    play = jax.jit(lambda carry: jax.lax.scan(one, carry, None, length=steps)[0])
    start = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), batch))
    held = [play((start, jax.random.PRNGKey(1)))]

    def run(n: int) -> int:
        done = 0
        while done < n:
            held[0] = jax.block_until_ready(play(held[0]))
            done += batch * steps
        return done

    return run


def peer_cases() -> list[Case]:
    """Return the cases of every library that is installed."""
    found = []
    if installed("pettingzoo") and installed("pygame"):
        found += [
            _case(f"PettingZoo {game}", f"AEC {function}", _pettingzoo, f"{game}_v{version}", function)
            for game, version in (("connect_four", 3), ("texas_holdem", 4))
            if game != "texas_holdem" or installed("rlcard")
            for function in ("env", "raw_env")
        ]
    if installed("pyspiel"):
        found += [_case(f"OpenSpiel {game}", "Python loop", _open_spiel, game) for game in ("hearts", "spades")]
    if installed("rlcard"):
        found.append(_case("RLCard uno", "Python loop", _rlcard, "uno"))
    if installed("pgx"):
        found += [
            Case(f"Pgx {game}", f"batch {n}", partial(_pgx, game, n), threaded=True)
            for game in ("connect_four", "leduc_holdem")
            for n in (1, 1024)
        ]
    return found


def _case(subject: str, name: str, make: Callable[..., Run], *args: Any) -> Case:
    return Case(subject, name, partial(make, *args))


def installed(module: str) -> bool:
    """Say whether a module can be imported."""
    return importlib.util.find_spec(module) is not None
