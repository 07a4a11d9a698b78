"""No seat learns what it may not know: change only the hidden part, and all it sees stays the same to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from lusogames_env.engine.spaces import flat_observation_space
from lusogames_env.engine.state import GameState
from tests.tools import Case, random_game


def seen_by(state: GameState, seat: int) -> dict[str, Any]:
    """Return everything that `seat` gets to see, and what the rule-based players make of it when it is on turn."""
    seen: dict[str, Any] = {
        "observation": state.observation(seat).tobytes(),
        "text": state.text(seat),
        "actor": state.actor,
        "over": state.over,
        "ply": state.ply,
    }
    if seat == state.actor:
        seen["mask"] = state.mask.tobytes()
        seen["bots"] = [state.bot_action(bot, seed) for bot in state.game.bots for seed in (1, 2)]
    return seen


def assert_same_information(state: GameState, other: GameState, seat: int) -> None:
    before, after = seen_by(state, seat), seen_by(other, seat)
    if before["observation"] != after["observation"]:
        there = state.view(seat), other.view(seat)
        fields = [name for name in there[0] if there[0][name].tobytes() != there[1][name].tobytes()]
        raise AssertionError(f"seat {seat} at ply {state.ply}: observation fields {fields} show what is hidden")
    unlike = [key for key in before if before[key] != after[key]]
    assert not unlike, f"seat {seat} at ply {state.ply}: {unlike} show what is hidden"


def without_generator(state: GameState) -> bytes:
    clean = state._clean()
    clean["rng"] = 0
    return clean.tobytes()


def test_a_redeal_changes_nothing_that_the_seat_sees(case: Case, seed: int) -> None:
    for state in case.positions(seed, 6):
        for seat in range(case.box.num_players):
            for deal in (1, 2):
                other = state.redealt(seat, deal)
                assert other.check() == 0, f"seat {seat} at ply {state.ply}: invariant {other.check()} breaks"
                assert_same_information(state, other, seat)


def test_the_game_goes_on_soundly_after_a_redeal(case: Case, seed: int) -> None:
    for state in case.positions(seed, 3):
        other = state.redealt(seed % case.box.num_players, seed)
        for i, (position, _) in enumerate(random_game(other, seed)):
            assert position.check() == 0
            if i == 60:
                break
        assert other.check() == 0


def test_a_redeal_of_a_redeal_keeps_the_information(case: Case, seed: int) -> None:
    for state in case.positions(seed, 2):
        for seat in range(case.box.num_players):
            assert_same_information(state, state.redealt(seat, 1).redealt(seat, 2), seat)


def test_redeals_differ_and_follow_from_their_seed(case: Case, seed: int) -> None:
    hidden = 0
    for state in case.positions(seed, 4):
        for seat in range(case.box.num_players):
            deals = [state.redealt(seat, deal) for deal in range(6)]
            assert state.redealt(seat, 3) == deals[3]
            assert len({deal.record.rng.tobytes() for deal in deals}) == 6, "the generator is not replaced"
            hidden += len({without_generator(deal) for deal in deals}) > 1
    assert hidden, "six redeals never differed, though something is hidden"


def test_a_redeal_leaves_the_state_alone(case: Case, seed: int) -> None:
    state = case.position(seed, 10)
    before = state._states.tobytes()
    state.redealt(0, 1)
    assert state._states.tobytes() == before


def test_a_redeal_after_the_end_is_sound(case: Case) -> None:
    state = case.new(0)
    for action in case.actions:
        state.apply(action)
    for seat in range(case.box.num_players):
        other = state.redealt(seat, 1)
        assert other.check() == 0 and other.over
        assert_same_information(state, other, seat)


def test_nothing_seen_depends_on_the_generator(case: Case, seed: int) -> None:
    for state in case.positions(seed, 3):
        other = state.clone()
        other.record.rng[:] = np.random.default_rng(seed).integers(2**32, size=4)
        other.refresh()
        for seat in range(case.box.num_players):
            assert_same_information(state, other, seat)
        assert state.text() == other.text()


def test_observations_are_finite_and_inside_the_space(case: Case, seed: int) -> None:
    space = flat_observation_space(case.game)
    state = case.new(seed)
    lowest, highest = np.full(space.shape, np.inf, np.float32), np.full(space.shape, -np.inf, np.float32)
    for position, _ in random_game(state, seed):
        for seat in range(case.box.num_players):
            obs = position.observation(seat)
            np.minimum(lowest, obs, out=lowest)  # NaN spreads
            np.maximum(highest, obs, out=highest)
    outside = [
        field.name
        for field in case.game.observation.fields
        for cells in [case.game.observation.slice(field.name)]
        if not (lowest[cells] >= space.low[cells]).all() or not (highest[cells] <= space.high[cells]).all()
    ]
    assert not outside, f"fields outside their range or not finite: {outside}"
    for seat in range(case.box.num_players):
        assert space.contains(state.observation(seat)), "after the end"


def test_an_observation_is_written_whole(case: Case, seed: int) -> None:
    state = case.position(seed, 10)
    driver, size = case.game.driver, case.game.observation.size
    for seat in range(case.box.num_players):
        dirty = np.full((1, size), 7.0, np.float32)
        no_mask, seats = np.zeros((1, 0), np.int8), np.array([seat])
        driver.watch(state._states, 0, 1, case.box.array, seats, dirty, no_mask)
        assert dirty[0].tobytes() == state.observation(seat).tobytes(), f"seat {seat}: parts of `out` are not written"


def test_a_mask_is_written_whole(case: Case, seed: int) -> None:
    state = case.position(seed, 10)
    good = state.mask
    state._mask[:] = 7
    assert state.refresh().mask.tobytes() == good.tobytes()


def test_looking_changes_nothing(case: Case, seed: int) -> None:
    for state in case.positions(seed, 2):
        before = state.hash()
        for seat in range(case.box.num_players):
            seen_by(state, seat)
        state.text(), state.check(), state.outcome(), state.refresh()
        assert state.hash() == before


def test_text_fits_a_terminal(case: Case, seed: int) -> None:
    for state in case.positions(seed, 3):
        for seat in (None, *range(case.box.num_players)):
            text = state.text(seat)
            assert text.strip() and max(map(len, text.splitlines())) <= 100
            assert all(char == "\n" or char.isprintable() for char in text)
