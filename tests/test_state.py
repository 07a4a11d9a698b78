"""`GameState`: invariants at each ply, twins, saving and loading, damaged saves, illegal actions."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lusogames_env.engine import IllegalActionError, LusogamesError, OptionError, StateError
from lusogames_env.engine.batch import Batch
from lusogames_env.engine.state import GameState
from tests.tools import Case, mixed_actions, random_game, same_bits, same_future


def test_invariants_hold_at_each_ply(case: Case, seed: int) -> None:
    batch = Batch(case.box, 24, seed=seed)
    while batch.running.any():
        codes = batch.check()
        assert not codes.any(), f"invariant {codes.max()}: {case.game.invariants.get(int(codes.max()))}"
        assert ((batch.masks == 0) | (batch.masks == 1)).all()
        assert (batch.masks.any(1) == batch.running).all(), "a mask is empty while its game runs, or not after"
        assert ((batch.actors >= 0) == batch.running).all() and (batch.actors < case.box.num_players).all()
        assert (batch.states["ply"] < case.game.max_plies).all()
        batch.step(mixed_actions(batch))
    assert not batch.check().any() and not batch.masks.any() and (batch.actors == -1).all()


def test_ply_counts_decisions(case: Case, seed: int) -> None:
    state = case.new(seed)
    start, skipping = state.ply, case.box.options["skip_forced"]
    played = sum(1 for _ in random_game(state, seed))
    assert state.ply - start >= played if skipping else state.ply == played


def twins(state: GameState) -> dict[str, GameState]:
    """Return a twin of `state` by every way there is."""
    text = json.dumps(state.to_json(), allow_nan=False)
    return {
        "clone": state.clone(),
        "copy": copy.copy(state),
        "deepcopy": copy.deepcopy(state),
        "pickle": pickle.loads(pickle.dumps(state)),
        "bytes": GameState.from_bytes(state.to_bytes()),
        "json": GameState.from_json(json.loads(text)),
    }


def test_twins_have_the_same_future(case: Case, seed: int) -> None:
    for state in case.positions(seed, 3):
        for way, twin in twins(state).items():
            assert same_future(state, twin, seed), f"after {way} at ply {state.ply}"


def test_twins_of_an_ended_game_are_equal(case: Case) -> None:
    state = case.new(0)
    for action in case.actions:
        state.apply(action)
    for way, twin in twins(state).items():
        assert same_bits(state, twin), way


def test_twins_do_not_share_memory(case: Case, seed: int) -> None:
    state = case.position(seed, 5)
    for way, twin in twins(state).items():
        before = state.hash()
        twin.apply(twin.legal_actions()[0])
        assert state.hash() == before != twin.hash(), way


def test_what_a_state_hands_out_is_a_copy(case: Case, seed: int) -> None:
    state = case.position(seed, 5)
    before = pickle.dumps(state)
    state.mask[:] = 9
    state.observation()[:] = 9
    state.outcome()[:] = 9
    assert pickle.dumps(state) == before


def test_unequal_states_differ(case: Case, seed: int) -> None:
    a, b = case.new(seed), case.new(seed + 1)
    assert a != b and a.hash() != b.hash()
    assert a != "a state"


def test_scratch_fields_carry_nothing(case: Case, seed: int) -> None:
    state = case.position(seed, len(case.actions) // 2)
    scratched = state.clone()
    generator = np.random.default_rng(seed)
    for field in case.game.state_record.fields:
        if field.name.startswith("scratch_"):
            noise = generator.integers(0, 100, field.dims)
            scratched._states[field.name][0] = noise
    assert same_future(state, scratched.refresh(), seed)
    for seat in range(case.box.num_players):
        assert state.redealt(seat, 5) == scratched.redealt(seat, 5)


# ---- misuse ----


def test_an_illegal_action_changes_nothing(case: Case, seed: int) -> None:
    state = case.position(seed, 10)
    before = pickle.dumps(state)
    illegal = [int(a) for a in np.flatnonzero(state.mask == 0)[:5]] + [-1, -2, case.game.actions.n, 10**30]
    for action in [*illegal, "no such action", None, 1.5, [0]]:
        with pytest.raises(IllegalActionError) as error:
            state.apply(action)  # type: ignore[arg-type]
        assert len(str(error.value)) > 20
    assert pickle.dumps(state) == before


def test_after_the_end_every_action_is_illegal(case: Case) -> None:
    state = case.new(0)
    for action in case.actions:
        state.apply(action)
    with pytest.raises(IllegalActionError, match="over"):
        state.apply(0)


@pytest.mark.parametrize("bad", [-1, 2**63, 1.5, "1", None, True])
def test_a_bad_seed_is_refused(toy: Case, bad: Any) -> None:
    with pytest.raises(OptionError, match="seed"):
        GameState.new(toy.game, seed=bad)
    with pytest.raises(OptionError, match="seed"):
        toy.new(0).redealt(0, bad)
    with pytest.raises(OptionError, match="seed"):
        toy.new(0).bot_action(seed=bad)


def test_a_bad_seat_or_name_is_refused(toy: Case) -> None:
    state = toy.new(0)
    looks: list[Callable[[Any], Any]] = [state.observation, state.text, lambda seat: state.redealt(seat, 0)]
    for seat in (-1, 3, "0"):
        for look in looks:
            with pytest.raises(OptionError, match="seat"):
                look(seat)
    with pytest.raises(OptionError, match="win"):
        state.outcome("points")
    with pytest.raises(OptionError, match="heuristic"):
        state.bot_action("genius")
    with pytest.raises(LusogamesError, match="reis_de_portugal|known"):
        GameState.new("reis_de_portugl")
    with pytest.raises(LusogamesError, match="there is no game 3; known: .*reis_de_portugal"):
        GameState.new(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [-1, 4, 1.0, "FOLD", None])
def test_an_action_that_does_not_exist_has_no_text(toy: Case, bad: Any) -> None:
    with pytest.raises(IllegalActionError, match="is outside 0 … 3"):
        toy.new(0).action_label(bad)


def test_a_bot_has_nothing_to_say_after_the_end(toy: Case) -> None:
    state = toy.new(0)
    for action in toy.actions:
        state.apply(action)
    with pytest.raises(IllegalActionError, match="over"):
        state.bot_action()


# ---- damaged saves ----


def loads_or_refuses(load: Any, data: Any) -> StateError | None:
    """Load `data`: return the `StateError`, or None if the state is sound. Anything else is a fault."""
    try:
        state = load(data)
    except StateError as error:
        return error
    assert state.check() == 0
    assert state.over == (state.actor == -1) == (not state.mask.any())
    return None


@given(st.data())
def test_damaged_bytes_never_do_harm(case: Case, data: st.DataObject) -> None:
    raw = bytearray(case.position(3, data.draw(st.integers(0, 40))).to_bytes())
    places = st.tuples(st.integers(0, len(raw) - 1), st.integers(0, 255))
    for place, value in data.draw(st.lists(places, min_size=1, max_size=4)):
        raw[place] = value
    cut = data.draw(st.one_of(st.just(len(raw)), st.integers(0, len(raw))))
    loads_or_refuses(GameState.from_bytes, bytes(raw[:cut]))


@given(st.integers(0, 2**32), st.floats(0.02, 1.0))
def test_check_survives_nonsense(case: Case, noise: int, share: float) -> None:
    state = case.position(4, 20)
    generator = np.random.default_rng(noise)
    raw = np.frombuffer(bytearray(state._states.tobytes()), np.uint8).copy()
    hit = generator.random(raw.size) < share
    raw[hit] = generator.integers(0, 256, int(hit.sum()))
    record = state.game.new_states(1)
    record[:] = raw.view(record.dtype)
    GameState(case.box, record, np.zeros((1, case.game.actions.n), np.int8)).check()


def test_extreme_values_in_any_field_never_do_harm(case: Case, seed: int) -> None:
    good = case.position(seed, len(case.actions) // 2).to_json()
    refused = 0
    for field in case.game.state_record.fields:
        if field.name.startswith("scratch_"):
            continue
        limits = np.iinfo(field.dtype)
        for value in (limits.min, limits.max, -1, 1):
            bad = copy.deepcopy(good)
            cells = np.array(bad["state"][field.name])
            cells.reshape(-1)[-1] = value
            bad["state"][field.name] = cells.tolist()
            refused += loads_or_refuses(GameState.from_json, bad) is not None
    assert refused > len(case.game.state_record.fields)


@pytest.mark.parametrize("bad", [None, "x", 1.5, True, [], [[[]]], {}, 2**70, -(2**70)])
def test_a_field_that_is_no_array_of_integers_is_named(case: Case, bad: Any) -> None:
    good = case.position(5, 10).to_json()
    for name in good["state"]:
        with pytest.raises(StateError, match=name):
            GameState.from_json({**good, "state": {**good["state"], name: bad}})


def test_a_missing_or_unknown_key_is_named(case: Case) -> None:
    good = case.position(5, 10).to_json()
    for name in good["state"]:
        rest = {key: value for key, value in good["state"].items() if key != name}
        with pytest.raises(StateError, match=name):
            GameState.from_json({**good, "state": rest})
    with pytest.raises(StateError, match="joker"):
        GameState.from_json({**good, "state": {**good["state"], "joker": 1}})
    for name in good:
        with pytest.raises(StateError, match=name):
            GameState.from_json({key: value for key, value in good.items() if key != name})
    for name in good["options"]:
        rest = {key: value for key, value in good["options"].items() if key != name}
        with pytest.raises(StateError, match=name):
            GameState.from_json({**good, "options": rest})


@pytest.mark.parametrize("bad", [None, 7, "x", [], {"joker": 1}, {"num_players": 99}, True, 1.5])
@pytest.mark.parametrize("key", ["format", "schema", "game", "version", "options", "components", "state"])
def test_a_wrong_head_is_refused(toy: Case, key: str, bad: Any) -> None:
    good = toy.new(1).to_json()
    if key == "components" and bad is None:
        assert GameState.from_json({**good, key: bad}) == toy.new(1)
        return
    with pytest.raises(StateError, match="saved state|invariant"):
        GameState.from_json({**good, key: bad})


@pytest.mark.parametrize("bad", [None, 7, "x", [], b"", b"LUSOGAMES\n", b"LUSOGAMES\n\xff\xff\xff\xff{}"])
def test_what_is_no_save_at_all_is_refused(bad: Any) -> None:
    for load in (GameState.from_json, GameState.from_bytes):
        with pytest.raises(StateError):
            load(bad)


def test_a_deeply_nested_head_is_refused() -> None:
    head = b"[" * 200_000
    with pytest.raises(StateError, match="head"):
        GameState.from_bytes(b"LUSOGAMES\n" + len(head).to_bytes(4, "little") + head)


def test_a_text_is_no_saved_state(toy: Case) -> None:
    with pytest.raises(StateError, match="expected a dict, as to_json returns it, found str"):
        GameState.from_json(json.dumps(toy.new(1).to_json()))  # type: ignore[arg-type]


def test_a_save_names_no_file_to_read(toy: Case, tmp_path: Any) -> None:
    good = toy.new(1).to_json()
    good["options"]["components"] = str(tmp_path / "some.toml")
    with pytest.raises(StateError, match="components"):
        GameState.from_json(good)


def test_own_components_travel_with_a_save(toy: Case, tmp_path: Any) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[meta]\ngame = "toy"\n[cards]\nprovenance = "R"\nvalues = [9, 8, 7, 6, 5, 4]\n')
    state = GameState.new(toy.game, seed=1, components=str(path))
    path.unlink()
    for way, twin in twins(state).items():
        assert same_future(state, twin, 1), way
    assert state.hash() != GameState.new(toy.game, seed=1).hash()
