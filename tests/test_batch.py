"""`Batch`: stepping, autoreset, returns, scripted seats, errors, seeds, pickling."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from lusogames_env.engine import IllegalActionError, LusogamesError, OptionError
from lusogames_env.engine.batch import EXTERNAL, FIRST_BOT, RANDOM, WAIT, Batch
from lusogames_env.engine.game import RUNNING
from lusogames_env.engine.state import GameState
from tests.tools import Case, bits


def in_step(a: Batch, b: Batch) -> bool:
    return bits(a.states) == bits(b.states) and a.masks.tobytes() == b.masks.tobytes()


def test_a_batch_is_the_start_of_a_larger_one(case: Case, seed: int) -> None:
    small, large = Batch(case.box, 5, seed=seed, autoreset=True), Batch(case.box, 9, seed=seed, autoreset=True)
    for _ in range(30):
        small.step(small.random_actions())
        large.step(large.random_actions())
    assert small.states.tobytes() == large.states[:5].tobytes()


def test_autoreset_starts_the_next_game_at_once(case: Case, seed: int) -> None:
    resetting, by_hand = Batch(case.box, 6, seed=seed, autoreset=True), Batch(case.box, 6, seed=seed)
    ended = np.zeros(6, int)
    for _ in range(2 * len(case.actions) + 60):
        actions = resetting.random_actions()
        resetting.step(actions)
        by_hand.step(actions)
        assert (resetting.finished == by_hand.finished).all()
        assert (resetting.truncated == by_hand.truncated).all()
        assert (resetting.returns == by_hand.returns).all()
        assert (resetting.returns[~resetting.finished] == 0).all()
        if by_hand.finished.any():
            assert (by_hand.returns[by_hand.finished] == by_hand.outcomes()[by_hand.finished]).all()
            by_hand.reset(by_hand.finished)
        assert in_step(resetting, by_hand)
        assert resetting.masks.any(1).all() and resetting.running.all()
        ended += resetting.finished
    assert ended.sum() > 0


def test_observations_written_by_a_step_are_those_of_the_new_positions(case: Case, seed: int) -> None:
    for autoreset in (False, True):
        batch = Batch(case.box, 6, seed=seed, autoreset=autoreset)
        obs = np.empty((6, case.game.observation.size), np.float32)
        for _ in range(25):
            batch.step(batch.random_actions(), obs)
            assert (obs[batch.running] == batch.observe()[batch.running]).all()


def test_waiting_games_stay_as_they_are(case: Case, seed: int) -> None:
    batch = Batch(case.box, 6, seed=seed)
    before = batch.states.copy(), batch.masks.copy()
    actions = batch.random_actions()
    actions[::2] = WAIT
    batch.step(actions)
    assert bits(batch.states[::2]) == bits(before[0][::2])
    assert (batch.masks[::2] == before[1][::2]).all()
    assert (batch.states["ply"][1::2] > before[0]["ply"][1::2]).all()


def test_an_illegal_action_names_the_first_bad_game_and_changes_nothing(case: Case, seed: int) -> None:
    batch = Batch(case.box, 6, seed=seed)
    before = batch.states.tobytes()
    for bad in (-1, -3, case.game.actions.n, 2**40, int(np.flatnonzero(batch.masks[3] == 0)[0])):
        actions = batch.random_actions()
        actions[3:] = bad
        if 0 <= bad < case.game.actions.n:
            actions[4:] = batch.random_actions()[4:]
        with pytest.raises(IllegalActionError, match="game 3: .*legal"):
            batch.step(actions)
        assert batch.states.tobytes() == before


def test_an_action_for_an_ended_game_is_refused(toy: Case) -> None:
    batch = Batch(toy.game, 3, seed=1, num_players=2)
    batch.step(np.array([WAIT, 1, WAIT]))  # FOLD: game 1 is over
    assert batch.finished.tolist() == [False, True, False]
    with pytest.raises(IllegalActionError, match="game 1 is over"):
        batch.step(np.array([0, 0, 0]))
    batch.step(np.array([0, WAIT, 0]))
    assert batch.finished.tolist() == [False, True, False]


@pytest.mark.parametrize("bad", [[0, 0], 0, [[0], [0], [0]], [0.0, 0.0, 0.0], ["STAY"] * 3, [True] * 3])
def test_actions_of_a_wrong_shape_or_type_are_refused(toy: Case, bad: Any) -> None:
    with pytest.raises(IllegalActionError, match="expected integers of shape"):
        Batch(toy.box, 3, seed=1).step(np.array(bad))


def test_wrong_arguments_are_refused(toy: Case) -> None:
    with pytest.raises(OptionError, match="num_games = 0"):
        Batch(toy.box, 0)
    with pytest.raises(OptionError, match="threads = 0"):
        Batch(toy.box, 1, threads=0)
    for bad in ("2", 2.0, True, None):
        with pytest.raises(OptionError, match="expected integers of at least 1"):
            Batch(toy.box, bad)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="num_players"):
        Batch(toy.box, 1, num_players=2)
    for bad in (-1, 1.5, "1", True):
        with pytest.raises(OptionError, match="seed"):
            Batch(toy.box, 1, seed=bad)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="seeds"):
        Batch(toy.box, 2, seed=1).reset(seeds=np.array([1, -1]))
    with pytest.raises(LusogamesError, match="did you mean 'anno_domini'"):
        Batch("anno_domino", 1)
    with pytest.raises(LusogamesError, match="there is no game 3"):
        Batch(3, 1)  # type: ignore[arg-type]
    for place in (-1, 2, 0.0, "0"):
        with pytest.raises(OptionError, match="expected an integer from 0 to 1"):
            Batch(toy.box, 2, seed=1).state(place)  # type: ignore[arg-type]


def test_scripted_seats_play_inside_a_step(case: Case, seed: int) -> None:
    """Seat 0 is the caller's; the others are played by compiled code, as `decide` would have them play."""
    n = case.box.num_players
    batch = Batch(case.box, 8, seed=seed)
    batch.deciders[:, 1:n] = FIRST_BOT
    batch.advance(np.full(8, -1))
    while batch.running.any():
        assert (batch.actors[batch.running] == 0).all()
        batch.step(batch.random_actions())
    assert (batch.deciders[:, 0] == EXTERNAL).all() and not batch.check().any()


def test_all_seats_scripted_play_whole_games_in_one_call(case: Case, seed: int) -> None:
    for who in range(RANDOM, FIRST_BOT + len(case.game.bots)):
        batch = Batch(case.box, 8, seed=seed)
        batch.deciders[:] = who
        batch.advance(np.full(8, -1))
        assert not batch.running.any() and not batch.check().any()
        assert (batch.states["ply"] < case.game.max_plies).all()


def test_rule_based_players_choose_legal_actions(case: Case, seed: int) -> None:
    batch = Batch(case.box, 8, seed=seed)
    rows = np.arange(8)
    while batch.running.any():
        for kind in range(len(case.game.bots)):
            actions = np.full(8, WAIT, np.int64)
            kinds = np.full(8, kind, np.int64)
            driver = case.game.driver
            before = batch.states.tobytes()
            driver.decide(batch.states, 0, 8, case.box.array, batch.masks, kinds, batch.rngs.copy(), actions)
            chosen = batch.masks[rows, np.maximum(actions, 0)]
            assert (chosen[batch.running] == 1).all(), case.game.bots[kind]
            assert batch.states.tobytes() == before or _only_scratch(case, before, batch)
        batch.step(batch.random_actions())


def _only_scratch(case: Case, before: bytes, batch: Batch) -> bool:
    """Return whether nothing but working space has changed."""
    old = np.frombuffer(before, batch.states.dtype)
    fields = [f.name for f in case.game.state_record.fields if not f.name.startswith("scratch_")]
    return all((old[name] == batch.states[name]).all() for name in fields)


def test_returns_are_a_new_array_after_every_step(toy: Case) -> None:
    batch = Batch(toy.game, 2, seed=1, num_players=2, autoreset=True)
    batch.step(np.array([1, 0]))
    kept, values = batch.returns, batch.returns.copy()
    assert kept[0].any()
    for _ in range(3):
        batch.step(np.where(batch.masks[:, 0] == 1, 0, 3))
    assert (kept == values).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_copies_have_the_same_future(toy: Case, threads: int) -> None:
    batch = Batch(toy.box, 40, seed=3, threads=threads, autoreset=True)
    batch.deciders[:, 1] = RANDOM
    batch.step(batch.random_actions())
    twins = [copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    for _ in range(20):
        for each in (batch, *twins):
            each.step(each.random_actions())
        assert all(in_step(batch, twin) for twin in twins)
    for each in (batch, *twins):
        each.close()
        each.close()


def test_a_closed_batch_can_still_be_stepped(toy: Case) -> None:
    batch = Batch(toy.box, 40, seed=3, threads=2)
    batch.close()
    batch.step(batch.random_actions())
    assert (batch.states["ply"] >= 1).all()


def test_seeds_of_games_are_those_of_single_states(toy: Case) -> None:
    batch = Batch(toy.box, 3, seed=1)
    batch.reset(seeds=np.array([5, 6, 7]))
    assert [batch.state(i) for i in range(3)] == [GameState.from_box(toy.box, seed) for seed in (5, 6, 7)]
    batch.reset(np.array([False, True, False]), np.array([-1, 9, -1]))
    assert batch.state(1) == toy.new(9) and batch.state(0) == toy.new(5)


def test_the_stream_of_games_goes_on_and_starts_again(toy: Case) -> None:
    batch = Batch(toy.box, 4, seed=1)
    first = batch.states.tobytes()
    batch.reset()
    second = batch.states.tobytes()
    assert first != second
    batch.seed(1)
    batch.reset()
    assert batch.states.tobytes() == first
    assert Batch(toy.box, 4).states.tobytes() != Batch(toy.box, 4).states.tobytes()


def test_redeal_in_a_batch_is_redealt_of_each_state(case: Case, seed: int) -> None:
    batch = Batch(case.box, 6, seed=seed)
    for _ in range(10):
        batch.step(batch.random_actions())
    alone = [batch.state(i).redealt(i % case.box.num_players, 100 + i) for i in range(6)]
    batch.redeal(np.arange(6) % case.box.num_players, np.arange(100, 106))
    assert [batch.state(i) for i in range(6)] == alone


def test_a_state_taken_from_a_batch_is_a_copy(toy: Case) -> None:
    batch = Batch(toy.box, 2, seed=1)
    before = batch.states.tobytes()
    batch.state(0).apply(0)
    assert batch.states.tobytes() == before and batch.states["over"][0] == RUNNING


@pytest.mark.parametrize(
    "call",
    [
        lambda b: b.observe(np.array([0, 1])),
        lambda b: b.observe(np.full(8, 10**9)),
        lambda b: b.observe(np.full(8, -5)),
        lambda b: b.observe(out=np.empty((8, 10), np.float32)),
        lambda b: b.observe(out=np.empty((8, b.game.observation.size))),
        lambda b: b.step(b.random_actions(), np.empty((8, 10), np.float32)),
        lambda b: b.advance(b.random_actions()[:3]),
        lambda b: b.advance(b.random_actions(), np.full(8, 77), b.observe()),
        lambda b: b.random_actions(np.zeros((1, 4), np.int64)),
        lambda b: b.redeal(np.array([0]), np.array([0])),
        lambda b: b.redeal(np.full(8, 9), np.zeros(8, np.int64)),
        lambda b: b.redeal(np.zeros(8, np.int64), np.full(8, 1.5)),
        lambda b: (b.deciders.fill(100), b.advance(b.random_actions())),
    ],
)
def test_arrays_of_the_wrong_form_are_refused_before_compiled_code_sees_them(call: Any) -> None:
    batch = Batch("reis_de_portugal", 8, seed=1)
    before = batch.states.tobytes()
    with pytest.raises(LusogamesError, match="expected"):
        call(batch)
    assert batch.states.tobytes() == before
