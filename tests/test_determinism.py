"""Equal seeds and actions give equal bits: across processes, batches, threads, compiled or interpreted."""

from __future__ import annotations

import random
import sys
from functools import cache
from typing import Any

import numpy as np

from lusogames_env.engine import Game
from lusogames_env.engine.batch import Batch
from lusogames_env.engine.state import GameState
from tests.tools import Case, first_difference, random_game, same_bits, trace, trace_elsewhere

CLOSE_LOOKS = 4  # positions per game at which observations, redeals, bots and texts are compared, too
SEED = 11


@cache
def jobs(game: Game) -> list[dict[str, Any]]:
    """Return one whole random game per variant, as arguments of `trace`."""
    found = []
    for options in game.variants.values():
        state = GameState.new(game, SEED, **options)
        actions = [action for _, action in random_game(state, SEED)]
        every = max(1, len(actions) // CLOSE_LOOKS)
        found.append({"package": game.package, "options": options, "seed": SEED, "actions": actions, "every": every})
    return found


def assert_same_elsewhere(game: Game, **environ: str) -> None:
    ours = [trace(**job) for job in jobs(game)]
    theirs = trace_elsewhere(jobs(game), **environ)
    for variant, a, b in zip(game.variants, ours, theirs, strict=True):
        difference = first_difference(a, b)
        assert difference is None, f"{game.name}, {variant}: {difference}"


def test_another_process_plays_the_same(game: Game) -> None:
    assert_same_elsewhere(game, PYTHONHASHSEED="123")


def test_interpreted_kernels_play_the_same(game: Game) -> None:
    assert_same_elsewhere(game, NUMBA_DISABLE_JIT="1")


def test_interleaved_games_do_not_disturb_each_other(case: Case, seed: int) -> None:
    alone = [action for _, action in random_game(case.new(seed), seed)]
    one, two = case.new(seed), case.new(seed + 1)
    other = random_game(two, seed)
    for action in alone:
        one.apply(action)
        next(other, None)
    assert one == play(case.new(seed), alone)


def play(state: GameState, actions: list[int]) -> GameState:
    for action in actions:
        state.apply(action)
    return state


def test_global_generators_play_no_part(case: Case, seed: int) -> None:
    before = random.getstate(), repr(np.random.get_state())
    reference = play(case.new(0), case.actions)
    Batch(case.box, 4, seed=1).step(Batch(case.box, 4, seed=1).random_actions())
    assert (random.getstate(), repr(np.random.get_state())) == before
    try:
        random.seed(seed)
        np.random.seed(seed % 2**32)
        assert play(case.new(0), case.actions) == reference
        assert Batch(case.box, 4, seed=1).states.tobytes() == Batch(case.box, 4, seed=1).states.tobytes()
    finally:
        random.setstate(before[0])


def test_a_batch_plays_as_single_games_do(case: Case, seed: int) -> None:
    n = 40
    seeds = np.random.default_rng(seed).integers(2**62, size=n)
    batches = [Batch(case.box, n, seed=seed, threads=threads) for threads in (1, 2)]
    alone = [GameState.from_box(case.box, int(s)) for s in seeds]
    for batch in batches:
        batch.reset(seeds=seeds)
    generator = np.random.default_rng(seed)
    for ply in range(60):
        actions = np.array([-2 if s.over else generator.choice(s.legal_actions()) for s in alone])
        for state, action in zip(alone, actions, strict=True):
            if action >= 0:
                state.apply(int(action))
        for batch in batches:
            batch.step(actions)
        if ply % 10 == 0 or ply == 59:
            for batch in batches:
                assert all(same_bits(state, batch.state(i)) for i, state in enumerate(alone)), f"ply {ply}"
                obs = batch.observe()
                assert all((state.observation() == obs[i]).all() for i, state in enumerate(alone))
    for batch in batches:
        batch.close()


def test_scripted_seats_play_the_same_on_any_number_of_threads(case: Case, seed: int) -> None:
    batches = [Batch(case.box, 40, seed=seed, threads=threads) for threads in (1, 2)]
    for batch in batches:
        batch.deciders[:, 1:] = np.arange(batch.deciders[:, 1:].size).reshape(40, -1) % (2 + len(case.game.bots))
        for _ in range(15):
            batch.step(batch.random_actions())
    assert batches[0].states.tobytes() == batches[1].states.tobytes()
    assert batches[0].rngs.tobytes() == batches[1].rngs.tobytes()
    for batch in batches:
        batch.close()


def test_the_box_is_never_written(case: Case, seed: int) -> None:
    before = case.box.array.tobytes()
    for position, _ in random_game(case.new(seed), seed):
        position.bot_action(case.game.bots[0])
        position.outcome()
        position.check()
    for state in case.positions(seed, 3):
        for seat in range(case.box.num_players):
            state.redealt(seat, 1).text(seat)
    assert case.box.array.tobytes() == before


def module_data(game: Game) -> dict[str, str]:
    """Return the values of a game's module-level data, as text."""
    kinds = (int, float, str, tuple, list, dict, set, np.ndarray)
    return {
        f"{name}.{key}": f"{value.tobytes()!r}" if isinstance(value, np.ndarray) else repr(value)
        for name, module in sorted(sys.modules.items())
        if name.startswith(game.package + ".") and not name.endswith("._driver")
        for key, value in vars(module).items()
        if isinstance(value, kinds) and not key.startswith("__")
    }


def test_playing_changes_no_module_data(case: Case, seed: int) -> None:
    state = case.new(seed)
    state.text()
    before = module_data(case.game)
    assert before
    for position, _ in random_game(state, seed):
        position.bot_action(case.game.bots[0])
    state.redealt(0, 1).text(0)
    assert module_data(case.game) == before


def test_neighbouring_seeds_deal_unlike_games(case: Case) -> None:
    hashes = {case.new(seed).hash() for seed in range(50)}
    assert len(hashes) == 50
