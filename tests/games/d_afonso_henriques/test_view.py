"""The game as text."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.d_afonso_henriques.game import GAME
from tests.games.d_afonso_henriques.table import dice, play, position


@pytest.mark.parametrize("variant", GAME.variants)
def test_every_position_fits_on_the_page_and_tells_nothing_hidden(variant: str) -> None:
    rng = np.random.default_rng(2)
    state = GameState.new(GAME, seed=3, **GAME.variants[variant])
    while True:
        pages = [state.text(seat) for seat in (None, *range(state.box.num_players))]
        assert max(len(line) for page in pages for line in page.split("\n")) <= 100
        if state.ply % 5 == 0:
            for seat in range(state.box.num_players):
                assert state.redealt(seat, state.ply).text(seat) == pages[seat + 1]
        if state.over:
            break
        state.apply(int(rng.choice(state.legal_actions())))
    assert "Final score" in pages[0]
    winner = int(state.outcome("win").argmax())
    assert f"1. seat {winner}:" in pages[0]


def test_hands_are_open_only_to_their_owner() -> None:
    state = position(hands={0: "k,p", 1: "n,cat"}, cubes=(3, 0))
    assert "King, Peasant" not in state.text(1)
    assert "Peasant, King" in state.text(0)
    assert "Noble, Catapult" in state.text(1)
    assert "1 card, Catapult" in state.text(0)
    assert "Peasant, King" in state.text()
    assert "Noble, Catapult" in state.text()


def test_a_fight_is_described() -> None:
    state = play(position(hands={0: "p,p"}, cubes=(5, 0)), dice(3), "target:slot0", "roll")
    text = state.text(1)
    assert "Fight for slot 0: Moors, level 4 (4 VP, 1 cube)" in text
    assert "In the fight: Peasant" in text
    assert "Rolled 3: 1 cube short" in text
    warrior = position(cubes=(1, 0), characters=True, character_assignment=[2, 0]).apply("target:slot0")
    assert "In the fight: nobody yet" in warrior.text(1)
    assert "In the fight: the Warrior" in warrior.apply("use:warrior").text(1)


def test_villages_show_piles_and_cylinders() -> None:
    state = position(3, 0, cubes=(3, 3, 3), piles={"A": "p,n"}, deck="s,k").apply("village:V2_up")
    assert "take from pile A: Peasant, Noble" in state.text(1)
    assert "Drawn: Soldier, King" in state.text(0)
    assert "Drawn: 2 cards" in state.text(1)
    assert any("V2_up" in line and "seat 0" in line for line in state.text(1).split("\n"))
    two = position(2, 0, cubes=(3, 3)).text(0)
    assert "V1 " not in two
    bonus = GameState.new(GAME, battle_bonus=True, bonus_layout=[1, 2, 3, 4, 5]).text()
    assert "card 2: first player with a defeat +5 VP, second player +2 VP" in bonus
