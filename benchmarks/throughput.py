"""Decisions per second of every face of every game, beside the floor and beside other libraries.

    python -m benchmarks.throughput [--games NAME …] [--quick] [--peers] [--json FILE]

One decision includes its observation, its mask and the choice of a uniformly random legal action. The *floor* is what
any implementation pays: compiled code that only writes an observation and a mask of the same sizes. What runs in one
thread is timed by the processor's time, which other programs on the machine hardly disturb; the rest by the clock.
"""

from __future__ import annotations

import argparse
import importlib
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np

from benchmarks.measure import Case, Run, measure, save
from benchmarks.peers import aec, peer_cases, pick
from benchmarks.report import throughput_page
from lusogames_env.engine.batch import Batch
from lusogames_env.engine.game import Game
from lusogames_env.engine.kernel.streams import sample_masks
from lusogames_env.engine.state import GameState
from lusogames_env.games import game_names, get_game

SIZES = (1, 64, 1024, 8192)
VECTOR_SIZE = 256


@numba.njit(nogil=True)
def write_rows(obs: Any, masks: Any, value: float) -> None:
    """Write every entry of the arrays: the least any environment must do."""
    for i in range(obs.shape[0]):
        obs[i, :] = value + i
        masks[i, :] = i & 1


def floor(game: Game, n: int) -> Run:
    """Only write `n` observations, in fresh arrays, and masks."""
    masks = np.zeros((n, game.actions.n), np.int8)

    def run(k: int) -> int:
        done = 0
        while done < k:
            write_rows(np.empty((n, game.observation.size), np.float32), masks, float(done))
            done += n
        return done

    return run


def choice(game: Game, n: int) -> Run:
    """Only choose random legal actions from the masks of a batch in the middle of its games."""
    batch = Batch(game, n, seed=1, autoreset=True)
    for _ in range(10):
        batch.step(batch.random_actions())

    def run(k: int) -> int:
        done = 0
        while done < k:
            batch.random_actions()
            done += n
        return done

    return run


def batched(game: Game, n: int, threads: int) -> Run:
    """Step a batch of `n` games with automatic restarts, writing fresh observations."""
    batch = Batch(game, n, seed=1, threads=threads, autoreset=True)

    def run(k: int) -> int:
        done = 0
        while done < k:
            batch.step(batch.random_actions(), np.empty((n, game.observation.size), np.float32))
            done += n
        return done

    return run


def aec_face(game: Game, function: str) -> Run:
    """Play the PettingZoo environment."""
    module = importlib.import_module(f"lusogames_env.{game.name}_v{game.version}")
    return aec(getattr(module, function)())


def aec_choice(game: Game) -> Run:
    """Only choose random legal actions in Python, as the AEC and single-game loops do."""
    masks = Batch(game, 64, seed=1).masks

    def run(k: int) -> int:
        for i in range(k):
            pick(masks[i & 63])
        return k

    return run


def gymnasium_face(game: Game) -> Run:
    """Play the Gymnasium view: an item is one step, which holds the opponents' decisions as well."""
    import gymnasium

    env = gymnasium.make(game.id)

    def run(k: int) -> int:
        _, info = env.reset(seed=k)
        for _ in range(k):
            _, _, terminated, truncated, info = env.step(pick(info["action_mask"]))
            if terminated or truncated:
                _, info = env.reset()
        return k

    return run


def vector_face(game: Game, n: int) -> Run:
    """Play the native Gymnasium vector environment."""
    import gymnasium

    envs = gymnasium.make_vec(game.id, num_envs=n)
    rngs = np.random.default_rng(0).integers(1, 2**32, (n, 4))
    actions = np.zeros(n, np.int64)

    def run(k: int) -> int:
        _, infos = envs.reset(seed=k)
        done = 0
        while done < k:
            sample_masks(infos["action_mask"], rngs, actions)
            _, _, _, _, infos = envs.step(np.maximum(actions, 0))
            done += n
        return done

    return run


def state_face(game: Game) -> Run:
    """Play `GameState`: apply, mask and observation."""
    box = game.new_box()

    def run(k: int) -> int:
        done = 0
        while done < k:
            state = GameState.from_box(box, done)
            while not state.over:
                state.apply(pick(state.mask))
                state.observation()
                done += 1
        return done

    return run


def clone(game: Game) -> Run:
    """Clone a game in its middle."""
    state = GameState.new(game, 1)
    for _ in range(20):
        if not state.over:
            state.apply(random.choice(state.legal_actions()))

    def run(k: int) -> int:
        for _ in range(k):
            state.clone()
        return k

    return run


def cases_of(game: Game, sizes: tuple[int, ...]) -> list[Case]:
    """Return the cases of one game."""
    rows: list[tuple[str, Callable[..., Run], Any]] = []
    for n in sizes:
        rows.append((f"floor {n}", floor, (n,)))
        rows.append((f"choice {n}", choice, (n,)))
        rows += [(f"batch {n}, {threads} thread{'s'[: threads - 1]}", batched, (n, threads)) for threads in (1, 2)]
    rows += [
        ("AEC raw_env", aec_face, ("raw_env",)),
        ("AEC env", aec_face, ("env",)),
        ("choice in Python", aec_choice, ()),
        ("Gymnasium env", gymnasium_face, ()),
        (f"Gymnasium make_vec {VECTOR_SIZE}", vector_face, (VECTOR_SIZE,)),
        ("GameState", state_face, ()),
        ("clone", clone, ()),
    ]
    return [Case(game.name, name, partial(make, game, *args), "2 threads" in name) for name, make, args in rows]


def main() -> None:
    """Measure, print Markdown and save JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.throughput", description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", default=list(game_names()), help="games to measure (default: all)")
    parser.add_argument("--quick", action="store_true", help="one batch size, short slices")
    parser.add_argument("--peers", action="store_true", help="also other libraries, as far as they are installed")
    parser.add_argument("--rounds", type=int, help="rounds over all cases (default 7, with --quick 3)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    args = parser.parse_args()
    played = [get_game(name) for name in args.games]
    cases = [case for game in played for case in cases_of(game, (1024,) if args.quick else SIZES)]
    if args.peers:
        cases += peer_cases()
    results = measure(cases, args.rounds or (3 if args.quick else 7), 0.05 if args.quick else 0.2)
    content = {
        "games": {g.name: {"observation": g.observation.size, "actions": g.actions.n} for g in played},
        "results": [result.to_json() for result in results],
    }
    if args.json:
        save(args.json, content)
    print(throughput_page(content))


if __name__ == "__main__":
    main()
