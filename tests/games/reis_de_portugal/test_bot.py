"""The rule-based player decides as its description says."""

from __future__ import annotations

import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.reis_de_portugal.game import GAME
from tests.games.reis_de_portugal.table import FOG, FOOL, act, phase, position, short


def choice(state):
    """Return what the player does."""
    return short(state.action_label(state.bot_action()))


@pytest.mark.parametrize("variant", GAME.variants)
def test_it_plays_legal_actions_to_the_end(variant):
    state = GameState.new("reis_de_portugal", seed=3, **GAME.variants[variant])
    seen = set()
    while not state.over:
        seen.add(phase(state))
        action = state.bot_action(seed=1)
        assert action in state.legal_actions() and action == state.bot_action(seed=2)  # it draws no lots
        state.apply(action)
    assert {"PLAY", "DRAW"} <= seen


def test_replace_takes_the_strongest():
    state = position(2, "AF", hands=[[24, 8, 12], None], castles={0: 29})
    assert choice(act(state, "CASTLE")) == "NEW CASTLE 8"  # 1 and a trump
    state = position(2, "BR", hands=[[10, 1, 12], None], castles={0: 29})
    assert choice(act(state, "CASTLE")) == "NEW CASTLE 1"  # as 9


def test_pass_gives_a_filipina_card_or_the_weakest():
    state = position(2, "AF", hands=[[17, 2, 19, 20], [3, 4]], rules="advanced")
    assert choice(act(state, "PLAY 17")) == "PASS 20"
    state = position(2, "AF", hands=[[17, 8, 22, 29], [3, 4]], rules="advanced")
    assert choice(act(state, "PLAY 17")) == "PASS 29"


def test_second_is_high_if_it_can_win():
    state = position(2, "BR", hands=[[10, 2, 1], [15, 3, 23]], rules="advanced")
    act(state, "PLAY 10", "PLAY 15")
    assert choice(state) == "SECOND 1 as 9"
    act(state, "SECOND 2")
    assert choice(state) == "SECOND 23"
    state = position(2, "BR", hands=[[10, 2, 33], [24, 1, 23]], rules="advanced")
    act(state, "PLAY 10", "PLAY 24", "SECOND 2")
    assert choice(state) == "SECOND 1"  # not of the led dynasty: the lowest


def test_siege_goes_before_the_highest_card_if_the_flush_is_worth_it():
    state = position(2, "BR", hands=[[14, 2], [11, 3]], wall=[1, 6], rules="advanced")
    assert choice(act(state, "PLAY 14")) == "BEFORE WALL 1 as 9"
    state = position(2, "AV", hands=[[19, 2], [18, 3]], wall=[1, 6], rules="advanced")
    act(state, "PLAY 19", "BEFORE WALL 6", "PLAY 18")
    assert choice(state) == "BEFORE WALL 1"  # two Filipina cards: nobody wants them


def test_draw_takes_the_strongest_but_filipina_last():
    state = position(2, "AF", hands=[[12, 2], [10, 3]], wall=[19, 13], pile=2)
    act(state, "PLAY 12", "PLAY 10")
    assert choice(state) == "TAKE 13"
    act(state, "TAKE 13")
    assert choice(state) == "TAKE 19"
    state = position(2, "AF", hands=[[12, 2], [10, 3]], wall=[24, FOOL], pile=2)
    act(state, "PLAY 12", "PLAY 10")
    assert choice(state) == f"TAKE {FOOL}"  # a trump


def test_the_last_player_wins_with_the_cheapest_card_that_does():
    state = position(2, "AF", hands=[[13], [10, 15, 33]], castles={1: 2}, flushes=[0, 1, 0, 0])
    assert choice(act(state, "PLAY 13")) == "PLAY 15"
    state = position(2, "AF", hands=[[12], [10, 15, 33]], castles={1: 2}, flushes=[0, 1, 0, 0])
    assert choice(act(state, "PLAY 12")) == "PLAY 10"


def test_it_stays_without_a_flush_when_that_pays():
    early = position(2, "AF", hands=[[21], [24, 29]], castles={1: 2}, flushes=[5, 0, 0, 0])
    act(early, "PLAY 21")
    assert choice(early) == "PLAY 29"  # two cards of 0.22 are less than the 2 VP at stake
    won = position(2, "AF", hands=[[21], [24, 29]], castles={1: 2}, flushes=[5, 1, 0, 0])
    act(won, "PLAY 21")
    assert choice(won) == "PLAY 24"


def test_it_wants_the_third_filipina_card():
    def at(mine):
        state = position(
            2, "AF", hands=[[18], [24, FOG]], captured={1: mine}, flushes=[1, 1, 0, 0], castles={1: 2}, named=[19, 20]
        )
        return choice(act(state, "PLAY 18"))

    assert at([19, 20]) == "PLAY 24"
    rest = position(2, "AF", hands=[[18], [24, FOOL]], captured={0: [19, 20]}, flushes=[1, 1, 0, 0], castles={1: 30})
    act(rest, "PLAY 18")
    assert choice(rest) == f"PLAY {FOOL}"


def test_a_partner_ahead_is_good_enough():
    state = position(
        4, "AF", hands=[[13], [10], [11], [12, 22]], castles={3: 2}, teams=True, flushes=[1, 1, 1, 1], named=[16]
    )
    act(state, "PLAY 13", "PLAY 10", "PLAY 11")
    assert choice(state) == "PLAY 12"  # his partner has won: he adds an Avis card and keeps his Castle


@pytest.mark.parametrize("scope", ["led", "all"])
def test_conspiracy_prefers_low_cards(scope):
    state = position(
        3,
        "BR",
        hands=[[13], [12, 17], None],
        castles={1: 5},
        rules="advanced",
        conspiracy_scope=scope,
        flushes=[1, 1, 1, 0],
    )
    assert choice(act(state, "PLAY 13")) == "PLAY 17"
