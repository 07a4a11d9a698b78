"""The game as text."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.anno_domini.game import BISHOP, GAME, MAECENAS
from tests.games.anno_domini.table import attack, base, conquer, event, full0, give, seven, solo1, stack_deck
from tests.games.anno_domini.test_edges import ARCHITECT, CUT_THROAT, LAST_CASTLE, end_with


@pytest.mark.parametrize("variant", GAME.variants)
def test_texts_fit(variant):
    game = GameState.new("anno_domini", seed=9, **GAME.variants[variant])
    chance = np.random.default_rng(1)
    for ply in range(120):
        if game.over:
            break
        if ply % 5 == 0:
            for seat in (None, 0, 3):
                text = game.text(seat)
                assert max(map(len, text.splitlines())) <= 100
                assert "  \n" not in text
        game.apply(int(chance.choice(game.legal_actions())))


def test_position():
    game = give(base(), 1, merchant=2)
    game.record.debt[0, 2] = 30
    text = game.refresh().text(1)
    assert "round 5 of 40   8 cathedrals win   order 0 1 2 3" in text
    assert "Castile          1:3+" in text
    assert "\n >0               4            9         27      53        0  -" in text
    assert "1 you" in text
    assert "Merchant x2" in text
    assert "seat 0 owes seat 2 30 florins" in text
    assert "57 unseen cards\n" in text


def test_turns_of_all_kinds():
    game = base()
    game.record.castles[12], game.record.castles[13] = 6, 1
    game.refresh().apply("attack from 3-1 Portugal")
    assert "chooses the target of the attack from Portugal." in game.text(0)
    game = base()
    game.record.castles[12], game.record.castles[13] = 6, 1
    attack(game.refresh(), 12, 13, *LAST_CASTLE)
    assert "Seat 0 (you) may occupy the emptied territory Castile." in game.text(0)
    assert "Last battle: Portugal against Castile, 6 1 1 1 1 1 (+0) : 1 (+1)" in game.text(2)
    game = end_with(base(), BISHOP).apply("territory 3-2 Castile")
    assert "where the Bishop puts the cathedral of Castile." in game.text()
    game = give(base(), 2, relic=1)
    assert "the Cut-throat destroys from seat 2." in end_with(game, CUT_THROAT).apply("opponent +2").text()
    game = full0()
    game.record.castles[[24, 28]] = 5
    assert "where the Architect builds, 2 left." in end_with(game, ARCHITECT).text()
    assert "event 7 Taxation" in event(base(), 3, 4).text()
    game = solo1()
    game.record.castles[13] = 1
    assert "eliminated (1.)" in event(game.refresh(), 1, 1, 3, 2).text()


def test_end_of_the_game():
    assert "Seat 0 wins in round 5." in conquer(seven()).text()
    game = base(max_rounds=5)
    for _ in range(4):
        game.apply("end turn")
    assert "Cut off after round 5: nobody wins." in game.text(1)


def test_unseen_cards_do_not_show():
    game = base()
    twin = game.clone()
    twin.record.deck[[0, 40]] = twin.record.deck[[40, 0]]
    assert game.text(0) == twin.text(0)
    assert game.text() == twin.text()
    stack_deck(game, MAECENAS)
    game.record.conquered = 1
    assert "58 unseen cards, then Maecenas" in game.refresh().apply("end turn").text(2)
