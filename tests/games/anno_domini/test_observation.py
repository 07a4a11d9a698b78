"""What a seat sees, what it does not, and determinizations."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.anno_domini.game import (
    AMBASSADOR,
    ARCHITECT,
    BISHOP,
    DECISIONS,
    GAME,
    MAECENAS,
    MERCHANT,
    POPE,
    RELIC,
)
from tests.games.anno_domini.table import (
    attack,
    base,
    begin_turn,
    deck_of,
    event,
    full0,
    give,
    owned,
    solo1,
    stack_deck,
)
from tests.games.anno_domini.test_edges import LAST_CASTLE, end_with

PLACES = [card for card in range(15) if card != POPE]


def walk(variant: str, seed: int, plies: int):
    """Play at random and yield every state."""
    game = GameState.new("anno_domini", seed=seed, **GAME.variants[variant])
    chance = np.random.default_rng(seed)
    for _ in range(plies):
        yield game
        if game.over:
            return
        game.apply(int(chance.choice(game.legal_actions())))


@pytest.mark.parametrize("variant", GAME.variants)
def test_every_value_is_a_share(variant):
    for game in walk(variant, 2, 60):
        for seat in range(4):
            flat = game.observation(seat)
            assert flat.dtype == np.float32
            assert flat.shape == (622,)
            assert flat.min() >= 0
            assert flat.max() <= 1


def test_board_and_players():
    game = give(solo1(), 1, merchant=3)
    game.record.money[:] = (6000, 120, 0, 2500)
    game.record.debt[2, 0] = 250
    view = game.refresh().view(1)
    for t in range(36):
        owner = int(game.record.owner[t])
        assert view["board_owner"][t].tolist() == [(owner - 1) % 4 == d for d in range(4)] + [0]
    assert view["board_castles"].tolist() == [0.5] * 36
    assert view["board_cathedral"].tolist() == [1] * 16 + [0] * 20
    assert view["money"] == pytest.approx([120 / 5000, 0, 0.5, 1])
    assert view["money_big"] == pytest.approx([120e-6, 0, 2500e-6, 6000e-6])
    assert view["debt"][1, 3] == 0.5
    assert view["debt"].sum() == 0.5
    assert view["territories"] == pytest.approx(np.array([1, 16, 10, 9]) / 36)
    assert view["cathedrals"] == pytest.approx(np.array([1, 6, 5, 4]) / 16)
    assert view["supply"] == pytest.approx(np.array([77, 32, 50, 53]) / 80)
    assert view["is_pope"].tolist() == [0, 0, 1, 0]
    assert view["kept"][0, 7] == 0.5
    assert view["kept"].sum() == 0.5
    assert view["alive"].tolist() == [1] * 4
    game.record.owner[5], game.record.castles[5] = -1, 0
    assert game.refresh().view(1)["board_owner"][5].tolist() == [0, 0, 0, 0, 1]


def test_turn_and_order():
    game = begin_turn(base(), 1)
    view = game.view(3)
    assert view["actor"].tolist() == [0, 0, 1, 0]
    assert view["yet_to_play"].tolist() == [0.75, 0, 0.25, 0.5]
    assert view["decision"].tolist() == [name == "TURN_MAIN" for name in DECISIONS]
    assert view["attacks_left"] == pytest.approx(3 / 27)
    event(game, 3, 4)
    attack(game, 13, 12, 1, 1, 1, 1, 1, 1)
    view = game.view(0)
    assert (view["rolled"], view["conquered"], view["drawn"]) == (1, 0, 0)
    assert view["attacks_made"] == pytest.approx(1 / 27)
    assert view["attacks_left"] == pytest.approx(2 / 27)
    assert np.flatnonzero(view["last_event"]).tolist() == [6]
    assert view["round"] == pytest.approx(5 / 40)
    assert (view["early"], view["goal"]) == (0, 0.5)
    early = begin_turn(base(early_limits="no_attack", event_roll="mandatory"), 1, round_number=3).view(0)
    assert (early["early"], early["no_attack"], early["mandatory_event"], early["pope_stealable"]) == (1, 1, 1, 1)


def test_set_up_has_no_turn():
    view = GameState.new("anno_domini", seed=0).view(0)
    for name in ("yet_to_play", "attacks_left", "attacks_made", "rolled", "conquered", "drawn", "round"):
        assert not np.any(view[name]), name
    assert view["decision"][0] == 1
    assert view["last_event"][0] == 1


def test_choices():
    game = base()
    game.record.castles[12], game.record.castles[13] = 6, 1
    game.refresh().apply("attack from 3-1 Portugal")
    assert np.flatnonzero(game.view(2)["sel_from"]).tolist() == [12]
    game = base()
    game.record.castles[12], game.record.castles[13] = 6, 1
    attack(game.refresh(), 12, 13, *LAST_CASTLE)
    view = game.view(2)
    assert np.flatnonzero(view["sel_from"]).tolist() == [12]
    assert np.flatnonzero(view["sel_to"]).tolist() == [13]
    assert not game.apply("occupy").view(2)["sel_to"].any()
    game = end_with(base(), BISHOP).apply("territory 3-2 Castile")
    view = game.view(3)
    assert np.flatnonzero(view["sel_src"]).tolist() == [13]
    assert view["used_card"].tolist() == [0, 1, 0, 0, 0]
    game = give(base(), 2, relic=1)
    view = end_with(game, AMBASSADOR).apply("opponent +2").view(3)
    assert view["sel_opp"].tolist() == [0, 1, 0]  # from the seat on turn, not from the observer
    assert view["used_card"].tolist() == [1, 0, 0, 0, 0]
    game = full0()
    game.record.castles[[24, 28]] = 5
    end_with(game, ARCHITECT).apply("territory 6-3 Novgorod")
    assert np.flatnonzero(game.view(1)["sel_src"]).tolist() == [32]


def test_deck():
    game = base()
    stack_deck(game, MAECENAS)
    game.record.conquered = 1
    game.refresh().apply("end turn")
    view = game.view(2)
    assert view["unseen_left"] == pytest.approx(58 / 59)
    assert view["deck_length"] == 1
    assert view["unseen_counts"].tolist() == pytest.approx([0.5 if card == MAECENAS else 1 for card in PLACES])
    assert view["deck_known"][58] == pytest.approx((PLACES.index(MAECENAS) + 1) / 14)
    assert not view["deck_known"][:58].any()
    assert not view["next_known"].any()
    game = base()
    stack_deck(game, RELIC, MERCHANT, known=True)
    view = game.refresh().view(0)
    assert view["next_known"].argmax(1)[:2].tolist() == [PLACES.index(RELIC), PLACES.index(MERCHANT)]
    assert view["next_known"].sum() == 4
    assert view["deck_known"] * 14 == pytest.approx([PLACES.index(card) + 1 for card in deck_of(game)])


def test_after_the_end_nobody_is_on_turn():
    game = begin_turn(base(max_rounds=4), 3, round_number=4).apply("end turn")
    view = game.view(0)
    for name in ("actor", "decision", "yet_to_play", "attacks_left", "sel_from", "sel_to", "used_card"):
        assert not np.any(view[name]), name
    assert view["round"] == 1


@pytest.mark.rules("AD-53", "R10")
@pytest.mark.parametrize("variant", ["base", "all"])
def test_redeal_keeps_all_a_seat_knows(variant):
    for game in list(walk(variant, 7, 80))[::9]:
        if game.over:
            continue
        for seat in range(4):
            twin = game.redealt(seat, seed=seat + 1)
            assert twin.check() == 0
            assert (twin.observation(seat) == game.observation(seat)).all()
            assert (twin.mask == game.mask).all()
            assert twin.bot_action() == game.bot_action()
            unseen = int(game.record.unseen_left)
            assert sorted(deck_of(twin)[:unseen]) == sorted(deck_of(game)[:unseen])
            assert deck_of(twin)[unseen:] == deck_of(game)[unseen:]
            assert twin.record.rng.tolist() != game.record.rng.tolist()


def test_redeal_samples_every_order():
    game = base()
    stack_deck(game, known=True)
    game.record.unseen_left = 3
    game.record.deck[:3] = (MERCHANT, RELIC, MAECENAS)
    game.record.deck[3:] = sorted(set_aside(game))
    seen = {}
    for seed in range(300):
        top = tuple(deck_of(game.redealt(0, seed))[:3])
        seen[top] = seen.get(top, 0) + 1
    assert len(seen) == 6
    assert min(seen.values()) > 25
    assert owned(game, 0)


def set_aside(game: GameState) -> list[int]:
    """Return the cards of the box that are not among the first three of the deck."""
    left = [card for card in PLACES for _ in range(int(game.box.record[0].copies[card]))]
    for card in game.record.deck[:3].tolist():
        left.remove(card)
    return left
