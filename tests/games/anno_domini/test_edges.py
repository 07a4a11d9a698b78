"""Edge cases of the rules."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.anno_domini.game import (
    AMBASSADOR,
    AMBASSADOR_CARD,
    AMBASSADOR_PLAYER,
    ARCHITECT,
    ARCHITECT_PLACE,
    BISHOP,
    BISHOP_DEST,
    BISHOP_SOURCE,
    COMMANDER,
    CUT_THROAT,
    CUTTHROAT_CARD,
    CUTTHROAT_PLAYER,
    GENIUS,
    MERCENARY,
    OCCUPY,
    POPE,
    RELIC,
    SETUP_CHOOSE,
    TURN_MAIN,
)
from tests.games.anno_domini.table import (
    all_end,
    attack,
    base,
    begin_turn,
    builds,
    cards,
    cathedrals,
    conquer,
    debts,
    deck_of,
    event,
    full0,
    give,
    money,
    opponents,
    origins,
    picks,
    script,
    seven,
    solo1,
    stack_deck,
    supply,
)

LAST_CASTLE = (6, 1, 1, 1, 1, 1, 1)


def end_with(game: GameState, card: int, attacks: int = 0) -> GameState:
    """End a turn with a conquest, with this card on top of the deck."""
    game.record.conquered, game.record.attacks_made = 1, attacks
    stack_deck(game, card)
    return game.refresh().apply("end turn")


@pytest.mark.rules("E-01", "R47", "AD-31")
def test_the_last_castle_of_the_attacker_stays():
    game = base()
    game.record.castles[12] = 2
    attack(game.refresh(), 12, 13, 1, 1, 6, 5, 5)
    assert game.record.battle_points.tolist() == [0, 1]
    assert game.record.castles[12] == 1
    assert game.record.castles[13] == 3


@pytest.mark.rules("E-02", "R49")
def test_no_attack_from_one_castle():
    game = base()
    assert 12 in origins(game)
    game.record.castles[12] = 1
    assert 12 not in origins(game.refresh())


@pytest.mark.rules("E-03", "R48", "AD-27", "AD-57", "R61")
def test_eighth_cathedral_before_and_in_round_four():
    game = seven()
    game.record.round_number, game.record.money[0] = 3, 100
    attack(game.refresh(), 12, 13, *LAST_CASTLE)
    record = game.record
    assert record.decision == TURN_MAIN
    assert (record.owner[13], record.cathedral[13], record.conquered) == (-1, 1, 0)
    assert 13 not in builds(game)
    game = seven()
    game.record.round_number = 4
    size = game.record.deck_size
    conquer(game.refresh())
    assert game.over
    assert game.record.winner == 0
    assert game.record.deck_size == size


@pytest.mark.rules("E-04", "R02", "AD-57")
def test_winning_by_building():
    game = seven()
    game.record.round_number, game.record.money[0] = 4, 100
    game.record.owner[13], game.record.castles[13] = -1, 0
    game.refresh().apply("build on 3-2 Castile")
    assert game.over
    assert not game.truncated
    assert game.record.winner == 0


@pytest.mark.rules("E-05", "R59", "R57", "AD-29", "AD-61")
def test_no_elimination_before_round_four():
    six = [6] * 6 + [1] * 3
    game = solo1()
    game.record.round_number, game.record.castles[12] = 2, 6
    attack(game.refresh(), 12, 13, *six)
    assert game.record.castles[13] == 1
    assert game.record.alive.all()
    assert game.record.attacks_made == 1
    game.record.round_number, game.record.castles[13] = 4, 3
    attack(game.refresh(), 12, 13, *six)
    assert game.record.castles[13] == 0
    assert game.record.alive.tolist() == [1, 0, 1, 1]
    assert game.record.decision == OCCUPY
    game = solo1(early_limits="no_attack")
    game.record.round_number = 2
    game.refresh().apply("attack from 3-1 Portugal")
    assert 13 not in picks(game)
    game = solo1(early_limits="no_attack").apply("attack from 3-1 Portugal")
    assert 13 in picks(game)


@pytest.mark.rules("E-06", "R59", "AD-29")
def test_plague_spares_the_last_castle_before_round_four():
    game = solo1()
    game.record.round_number = 3
    event(game.refresh(), 1, 1, 3, 2)
    assert game.record.castles[13] == 1
    assert game.record.owner[13] == 1


@pytest.mark.rules("E-07", "R29", "R20", "AD-12")
def test_order_after_a_council():
    game = begin_turn(base(), 1)
    event(game, 5, 5)
    assert game.record.kept[:, POPE].tolist() == [0, 1, 0, 0]
    game.apply("end turn")
    assert game.actor == 2
    game.apply("end turn")
    assert game.actor == 3
    game.apply("end turn")
    assert game.record.round_number == 6
    assert game.record.order.tolist() == [2, 3, 0, 1]
    assert game.actor == 2


@pytest.mark.rules("E-08", "R30", "AD-21", "AD-23")
def test_schism_of_a_poor_pope():
    game = base()
    game.record.money[3] = 70
    event(game.refresh(), 5, 6)
    assert money(game) == [40, 30, 0, 0]
    assert debts(game) == {(3, 1): 10, (3, 2): 40}


@pytest.mark.rules("E-09", "AD-23")
def test_schism_is_netted():
    game = begin_turn(base(), 1)
    game.record.debt[0, 3], game.record.money[3] = 20, 100
    event(game.refresh(), 5, 6)
    assert money(game) == [20, 40, 40, 0]
    assert debts(game) == {}


@pytest.mark.rules("E-10", "R25", "AD-17")
def test_crisis_of_a_player_with_the_pope_only():
    game = begin_turn(base(), 3)
    event(game, 1, 3)
    assert game.record.last_event == 4
    assert game.record.decision == TURN_MAIN
    assert game.record.kept[3, POPE] == 1


@pytest.mark.rules("E-11", "AD-36", "AD-37")
def test_a_card_without_attacks_ends_the_turn():
    game = end_with(base(), MERCENARY, 1)
    assert game.record.kept[0, MERCENARY] == 1
    assert game.actor == 1


@pytest.mark.rules("E-12", "R77", "R84")
def test_templar_and_relic_need_a_cathedral():
    game = give(base(), 0, templar=2)
    give(game, 1, relic=4)
    attack(game, 32, 33, 5, 5, 5, 5, 5, 5)
    assert game.record.battle_points.tolist() == [0, 0]
    assert game.record.castles[[32, 33]].tolist() == [3, 3]


@pytest.mark.rules("E-13", "AD-32")
def test_no_occupation_without_castles():
    game = full0()
    attack(game, 12, 13, *LAST_CASTLE)
    record = game.record
    assert record.decision == TURN_MAIN
    assert (record.owner[13], record.castles[13], record.conquered) == (-1, 0, 0)
    assert "end turn, decline the card" not in game.legal_labels()


@pytest.mark.rules("E-14", "R86", "AD-40")
def test_cut_throat():
    game = give(base(), 2, genius=1)
    end_with(game, CUT_THROAT)
    assert game.record.decision == CUTTHROAT_PLAYER
    assert opponents(game) == {2}
    game.apply("opponent +2")
    assert game.record.decision == CUTTHROAT_CARD
    assert cards(game) == {GENIUS}
    game.apply("card Genius")
    assert game.record.kept[2].sum() == 0
    assert deck_of(game)[-2:] == [GENIUS, CUT_THROAT]
    assert game.actor == 1


@pytest.mark.rules("E-15", "R80", "R67", "AD-36", "AD-39")
def test_ambassador_steals_a_commander():
    game = give(base(), 1, commander=1)
    end_with(game, AMBASSADOR, 3)
    assert game.record.decision == AMBASSADOR_PLAYER
    assert opponents(game) == {1, 3}
    game.apply("opponent +1")
    assert game.record.decision == AMBASSADOR_CARD
    game.apply("card Commander")
    assert game.record.kept[:2, COMMANDER].tolist() == [1, 0]
    assert (game.actor, game.record.decision) == (0, TURN_MAIN)
    assert origins(game)
    attack(game, 12, 13, 1, 1, 1, 1, 1, 1)
    assert not origins(game)
    game = give(base(ambassador_may_steal_pope=False), 1, commander=1)
    end_with(game, AMBASSADOR, 3)
    assert opponents(game) == {1}


@pytest.mark.rules("E-16", "R81", "AD-41")
def test_bishop():
    game = end_with(base(), BISHOP)
    assert game.record.decision == BISHOP_SOURCE
    assert picks(game) == {1, 5, 9, 13, 2, 6, 10, 14}
    game.apply("territory 3-2 Castile")
    assert game.record.decision == BISHOP_DEST
    assert picks(game) == {16, 20, 24, 28, 32}
    game.apply("territory 3-5 Provence")
    assert game.record.cathedral[[13, 16]].tolist() == [0, 1]
    assert cathedrals(game, 0) == 5
    assert deck_of(game)[-1] == BISHOP
    assert game.actor == 1


@pytest.mark.rules("E-17", "R88")
def test_architect():
    game = base()
    game.record.castles[[0, 4]] = 6
    assert supply(game, 0) == 47
    end_with(game, ARCHITECT)
    assert supply(game, 0) == 40
    assert game.record.castles[[0, 4]].tolist() == [6, 6]
    assert game.record.castles[[8, 12, 16, 20, 24, 28, 32]].tolist() == [4] * 7
    assert game.actor == 1


@pytest.mark.rules("E-18", "R58", "AD-45", "AD-46", "R78")
def test_elimination_by_an_attack():
    game = solo1()
    begin_turn(game, 0, pope=1)
    record = game.record
    record.castles[12], record.castles[13] = 6, 1
    give(game, 1, mercenary=1, relic=1)
    record.money[1] = 120
    attack(game.refresh(), 12, 13, *LAST_CASTLE)
    assert record.alive.tolist() == [1, 0, 1, 1]
    assert money(game) == [120, 0, 0, 0]
    assert record.kept[:, POPE].tolist() == [1, 0, 0, 0]
    assert deck_of(game)[-2:] == [MERCENARY, RELIC]
    assert record.decision == OCCUPY


@pytest.mark.rules("E-19", "R24", "AD-15", "AD-16")
def test_barbarous():
    game = base()
    game.record.owner[14], game.record.castles[14] = -1, 0
    event(game.refresh(), 1, 2, 1, 1, 1, 1, 3, 3, 6, 6)
    expected = np.full(36, 3)
    expected[[0, 35]], expected[14] = 2, 0
    assert game.record.castles.tolist() == expected.tolist()


@pytest.mark.rules("E-20", "AD-35")
def test_declining_the_card():
    game = base()
    game.record.conquered = 1
    before = deck_of(game)
    game.refresh().apply("end turn, decline the card")
    assert deck_of(game) == before
    assert game.actor == 1


@pytest.mark.rules("E-21", "R76", "R46", "AD-33")
def test_heroine():
    game = give(base(), 0, heroine=1)
    game.record.castles[12], game.record.castles[13] = 6, 1
    conquer(game.refresh())
    assert game.record.attacks_made == 1
    assert round(float(game.view(0)["attacks_left"]) * 27) == 7  # 3 and one for each of 5 cathedrals, one made


@pytest.mark.rules("E-22", "R21", "R27", "AD-13", "AD-14")
def test_mandatory_event():
    game = begin_turn(base(event_roll="mandatory"), 3, pope=2)
    script(game, 3, 4)
    game.apply("end turn")
    assert game.actor == 0
    assert money(game)[0] == 270
    assert "roll event" not in game.legal_labels()
    game.apply("build on 1-1 Ireland")
    assert "roll event" not in game.legal_labels()
    game = base()
    assert "roll event" in game.legal_labels()
    event(game, 3, 4)
    assert "roll event" not in game.legal_labels()


@pytest.mark.rules("E-23", "R63", "AD-09")
def test_pontifical_state_for_the_pope():
    game = GameState.new("anno_domini", seed=4, pontifical_to_pope=True)
    record = game.record
    assert record.kept[2, POPE] == 1
    assert (record.owner[19], record.cathedral[19], record.castles[19]) == (2, 1, 1)
    plain = GameState.new("anno_domini", seed=4)
    # the other player's first roll is the one with which the Pope would have begun
    first = set(np.flatnonzero(plain.record.owner == 2).tolist())
    assert first & set(np.flatnonzero(record.owner == 3).tolist())


@pytest.mark.rules("E-24", "R14", "AD-06", "AD-08")
def test_set_up_choice():
    game = GameState.new("anno_domini", seed=6759)  # seat 2 is the Pope and rolls England, then seat 3 as well
    record = game.record
    assert (record.owner[2], record.castles[2], record.cathedral[2]) == (2, 1, 1)
    assert (game.actor, record.decision, record.placed) == (3, SETUP_CHOOSE, 1)
    assert picks(game) == set(range(36)) - {2}
    game.apply("territory 6-6 Anatolia")
    assert (record.owner[35], record.castles[35], record.cathedral[35]) == (3, 1, 1)


@pytest.mark.rules("E-25", "AD-56")
def test_cut_off():
    game = begin_turn(base(max_rounds=4), 0, round_number=4)
    all_end(game, 4)
    assert game.over
    assert game.truncated
    assert game.record.winner == -1
    for kind in ("win", "placement", "margin"):
        assert game.outcome(kind).tolist() == [0, 0, 0, 0]


@pytest.mark.rules("E-26", "R61")
def test_utilities_of_a_win():
    game = seven()
    game.record.round_number, game.record.money[0] = 4, 100
    game.record.owner[13], game.record.castles[13] = -1, 0
    game.refresh().apply("build on 3-2 Castile")
    third = 1 / 3
    assert game.outcome("win").tolist() == [1, -third, -third, -third]
    assert game.outcome("margin")[0] == pytest.approx(third)
    assert game.outcome("margin").sum() == pytest.approx(0)
    assert game.outcome("placement").tolist() == [1, -1, 0, 0]  # seats 2 and 3 are level and share 1/3 and -1/3
    assert game.outcome("raw").tolist() == [8, 0, 4, 4]


@pytest.mark.rules("E-27", "R88", "AD-42")
def test_architect_short_of_castles():
    game = full0()
    game.record.castles[[24, 28]] = 5
    assert supply(game, 0) == 2
    end_with(game, ARCHITECT)
    assert game.record.decision == ARCHITECT_PLACE
    assert picks(game) == {24, 28, 32}
    game.apply("territory 6-3 Novgorod")
    assert picks(game) == {24, 28}
    game.apply("territory 5-1 Denmark")
    assert game.record.castles[[24, 28, 32]].tolist() == [6, 5, 3]
    assert supply(game, 0) == 0
    assert game.actor == 1
