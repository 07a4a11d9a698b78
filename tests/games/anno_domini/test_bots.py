"""The rule-based players."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.anno_domini.bot import LOST, WON
from lusogames_env.games.anno_domini.game import (
    AMBASSADOR,
    BISHOP,
    CUT_THROAT,
    GAME,
    GENIUS,
    MERCHANT,
)
from tests.games.anno_domini.table import base, cathedrals, event, give, seven, stack_deck
from tests.games.anno_domini.test_edges import LAST_CASTLE, attack, end_with


def play(kinds: tuple[str, ...], seed: int, limit: int = 100_000, **options) -> GameState:
    """Play a game with these players by seat; "random" chooses uniformly."""
    game = GameState.new("anno_domini", seed=seed, **options)
    chance = np.random.default_rng(seed)
    while not game.over and game.ply < limit:
        kind = kinds[game.actor]
        game.apply(int(chance.choice(game.legal_actions())) if kind == "random" else game.bot_action(kind))
    return game


def test_odds_of_a_battle():
    # one throw of 6 dice that hit with a 6, at one castle that hits with a 5 or 6
    assert WON[1, 1, 2, 1, 6] == pytest.approx(1 - (5 / 6) ** 6)
    assert LOST[1, 1, 2, 1, 6] == pytest.approx(1 / 3)
    assert WON[1, 6, 1, 6, 6] == pytest.approx(1)
    assert WON[2, 1, 0, 1, 2] == pytest.approx(1 - (5 / 6) ** 4)
    assert not WON[:, :, :, :, 1].any()
    assert (np.diff(WON, axis=0) >= -1e-12).all()


@pytest.mark.parametrize("kind", GAME.bots)
@pytest.mark.parametrize("variant", GAME.variants)
def test_players_only_make_legal_moves(kind, variant):
    play((kind, "random", kind, "random"), 3, limit=70, **GAME.variants[variant])


@pytest.mark.parametrize("kind", GAME.bots)
def test_players_beat_random_ones(kind):
    wins = sum(play((kind, "random", "random", "random"), seed).record.winner == 0 for seed in range(2))
    assert wins == 2


def test_all_roll_first_and_occupy():
    game = base()
    assert [game.action_label(game.bot_action(kind)) for kind in GAME.bots] == ["roll event"] * 3
    game.record.castles[12], game.record.castles[13] = 6, 1
    attack(game.refresh(), 12, 13, *LAST_CASTLE)
    assert [game.action_label(game.bot_action(kind)) for kind in GAME.bots] == ["occupy"] * 3


def test_aggressive_attacks_what_is_weak_and_builds_free_land_first():
    game = base()
    game.record.rolled = 1
    game.record.castles[12], game.record.castles[13] = 6, 1
    game.refresh()
    assert game.action_label(game.bot_action("aggressive")) == "attack from 3-1 Portugal"
    game.apply("attack from 3-1 Portugal")
    assert game.action_label(game.bot_action("aggressive")) == "territory 3-2 Castile"
    game = base()
    game.record.rolled, game.record.money[0] = 1, 200
    game.record.owner[[33, 6]], game.record.castles[[33, 6]] = -1, 0
    assert game.refresh().action_label(game.bot_action("aggressive")) == "build on 2-1 Fiandre"


def test_cautious_waits_for_superiority():
    game = base()
    game.record.rolled = 1
    game.record.attacks_made = 0
    game.refresh()
    assert game.action_label(game.bot_action("cautious")) == "end turn"
    game.record.castles[32] = 6
    game.record.castles[33] = 1
    assert game.refresh().action_label(game.bot_action("cautious")) == "attack from 6-3 Novgorod"


def test_cautious_waits_if_its_best_attack_is_not_superior():
    game = base()
    record = game.record
    record.rolled = 1
    record.castles[:] = 6
    record.castles[record.owner == 0] = 2
    record.castles[32], record.castles[33] = 4, 2  # Novgorod is superior to Kiev
    record.castles[13] = 2  # but Castile's cathedral is worth more
    assert game.refresh().action_label(game.bot_action("cautious")) == "end turn"
    game.apply(game.bot_action("aggressive"))
    assert game.action_label(game.bot_action("aggressive")) == "territory 3-2 Castile"


def test_aggressive_guards_the_cathedral_with_most_castles_in_reach():
    game = base()
    record = game.record
    record.rolled, record.attacks_made, record.money[0] = 1, 3, 100
    record.castles[5] = 6  # the largest stack, in reach of Norway; but Ireland has more neighbours
    assert game.refresh().action_label(game.bot_action("aggressive")) == "build on 1-1 Ireland"


def test_heuristic_takes_the_winning_cathedral():
    game = seven()
    game.record.rolled = 1
    game.refresh()
    assert game.action_label(game.bot_action()) == "attack from 3-1 Portugal"
    game.apply(game.bot_action())
    assert game.action_label(game.bot_action()) == "territory 3-2 Castile"
    game = seven()
    game.record.money[0] = 100
    game.record.owner[13], game.record.castles[13] = -1, 0
    assert game.refresh().action_label(game.bot_action()) == "build on 3-2 Castile"  # before anything else


def test_heuristic_defends_a_cathedral_in_danger():
    game = base()
    record = game.record
    record.rolled, record.money[0], record.attacks_made = 1, 100, 3
    record.castles[:] = 1
    record.castles[game.record.owner == 0] = 6
    record.castles[12], record.castles[13] = 1, 6
    assert game.refresh().action_label(game.bot_action()) == "build on 3-1 Portugal"


@pytest.mark.parametrize("kind", GAME.bots)
def test_cards_are_chosen_by_use(kind):
    game = give(base(), 1, merchant=1, genius=1)
    end_with(game, CUT_THROAT)
    game.apply(game.bot_action(kind))
    assert game.action_label(game.bot_action(kind)) == "card Genius"
    game = give(base(), 0, merchant=1, genius=1)
    event(game, 1, 3)
    assert game.action_label(game.bot_action(kind)) == "card Merchant"
    game = give(base(), 1, relic=1)
    game.record.owner[2] = 1
    end_with(game, AMBASSADOR)
    assert game.action_label(game.bot_action(kind)) == "opponent +1"  # the most cathedrals
    game = base()
    game.record.owner[2], game.record.castles[24] = 1, 5
    end_with(game, BISHOP)
    game.apply(game.bot_action(kind))
    assert game.record.owner[game.record.sel_src] == 1
    assert game.action_label(game.bot_action(kind)) == "territory 5-1 Denmark"


def test_players_do_not_look_at_the_deck():
    game = base()
    game.record.conquered = 1
    stack_deck(game, MERCHANT)
    for kind in GAME.bots:
        first = game.bot_action(kind)
        stack_deck(game, GENIUS)
        assert game.bot_action(kind) == first
    assert cathedrals(game, 0) == 4
