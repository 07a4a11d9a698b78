"""`check` sees every kind of broken position, and survives nonsense."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.d_afonso_henriques.game import GAME
from tests.games.d_afonso_henriques.table import position

Break = Callable[[Any], None]


def setter(name: str, value: int, *index: int) -> Break:
    def change(record: Any) -> None:
        if index:
            record[name][index] = value
        else:
            record[name] = value

    return change


def village() -> GameState:
    return position(3, 0, cubes=(3, 3, 3))


def drawing() -> GameState:
    return position(3, 0, cubes=(3, 3, 3), deck="p,s,n").apply("village:V3_up")


def battle() -> GameState:
    return position(hands={0: "p,p", 1: "s"}, cubes=(3, 3))


def fight() -> GameState:
    return battle().apply("target:slot0").apply("add:peasant")


def advanced() -> GameState:
    return position(2, 0, cubes=(3, 3), characters=True, battle_bonus=True)


@pytest.mark.parametrize(
    ("code", "make", "change"),
    [
        (1, village, setter("node", 40)),
        (1, village, setter("pdeck_n", 99)),
        (1, village, setter("slots", 12, 0)),
        (1, village, setter("vp", -1, 0)),
        (1, fight, setter("deficit", 7)),
        (2, village, setter("pused", 1, 0)),
        (3, village, setter("hand", 1, 0, 4)),
        (3, village, setter("slots", -1, 0)),
        (4, village, setter("cubes", 9, 1)),
        (5, battle, setter("battle_vp", 5, 0)),
        (6, battle, setter("known", 3, 0, 0)),
        (7, battle, setter("placed", 2, 0)),
        (7, village, setter("placed", 2, 3)),
        (8, battle, setter("warrior_in", 1)),
        (8, battle, setter("split_draw", 1)),
        (8, fight, setter("roll", 1, 2)),
        (9, village, setter("actor", -1)),
        (9, village, setter("over", 1)),
        (9, battle, setter("passed", 1, 0)),
        (11, village, setter("bonus", 3, 1)),
        (11, village, setter("character", 1, 0)),
        (12, village, setter("deck_gone", 1, 0, 0)),
        (13, battle, setter("target_kind", 4)),
        (13, fight, setter("target_place", 4)),
        (13, fight, setter("used_pos", 0)),
        (14, drawing, setter("symbol", 2)),
        (15, village, setter("visits", 1, 3, 0)),
    ],
)
def test_check_names_the_broken_invariant(code: int, make: Callable[[], GameState], change: Break) -> None:
    state = make()
    assert state.check() == 0
    change(state.record)
    if code == 14:
        state.record.placed[0] = 2
    assert state.check() == code
    assert GAME.invariants[code]


def test_check_sees_an_empty_slot_and_wrong_advanced_cards() -> None:
    state = battle()
    record = state.record
    record.mused[record.mused_n] = record.slots[2]
    record.mused_n += 1
    record.slots[2] = -1
    assert state.check() == 10
    for change in (setter("bonus", 7, 4), setter("bonus", 0, 0), setter("character", -1, 0)):
        state = advanced()
        change(state.record)
        assert state.check() == 11
    state = advanced()
    state.record.character[1] = state.record.character[0]
    assert state.check() == 11
    state = advanced()
    state.record.bonus[1] = state.record.bonus[0]
    assert state.check() == 11


def test_every_invariant_has_a_text() -> None:
    assert sorted(GAME.invariants) == list(range(1, 16))


@pytest.mark.parametrize("variant", ["2p", "4p_full", "4p_full_house"])
def test_check_survives_nonsense(variant: str) -> None:
    rng = np.random.default_rng(9)
    state = GameState.new(GAME, seed=1, **GAME.variants[variant])
    good = state.record.tobytes()
    for _ in range(150):
        noise = rng.integers(0, 256, len(good), np.uint8)
        state._states.view(np.uint8).reshape(-1)[:] = noise
        assert state.check() != 0
    for _ in range(400):
        spoilt = bytearray(good)
        for place in rng.integers(0, len(good), 3):
            spoilt[place] = int(rng.integers(256))
        state._states.view(np.uint8).reshape(-1)[:] = np.frombuffer(bytes(spoilt), np.uint8)
        assert state.check() in {0, *GAME.invariants}


@pytest.mark.rules("DAH-64")
def test_lengths_stay_far_below_the_bound() -> None:
    rng = np.random.default_rng(1)
    for variant, options in GAME.variants.items():
        state = GameState.new(GAME, seed=8, **options)
        while not state.over:
            state.apply(int(rng.choice(state.legal_actions())))
        assert not state.truncated, variant
        assert state.ply < 400, variant
