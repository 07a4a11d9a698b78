"""The examples of the rulebook."""

from __future__ import annotations

import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.anno_domini.game import (
    COMMANDER,
    KEPT_CARDS,
    MERCHANT,
    OCCUPY,
    TURN_MAIN,
    territory_text,
)
from tests.games.anno_domini.table import (
    all_end,
    attack,
    base,
    begin_turn,
    builds,
    cathedrals,
    conquer,
    debts,
    deck_of,
    event,
    full0,
    give,
    money,
    origins,
    picks,
    seven,
    solo1,
    stack_deck,
    supply,
)


@pytest.mark.rules("EX-01", "R05")
def test_code_of_england():
    assert territory_text(base().box, 2) == "1-3 England"
    game = event(base(), 1, 1, 1, 3)  # Plague at red 1, blue 3
    assert game.record.owner[2] == -1
    assert game.record.castles.tolist() == [3, 3, 0] + [3] * 33


@pytest.mark.rules("EX-02", "R18", "AD-10")
def test_first_income_is_360():
    game = GameState.new("anno_domini", seed=3)
    while game.record.round_number == 0:
        assert money(game) == [0, 0, 0, 0]
        game.apply(game.legal_actions()[0])
    assert [cathedrals(game, p) for p in range(4)] == [4, 4, 4, 4]
    assert money(game) == [360] * 4
    game = begin_turn(base(), 3, round_number=1)
    game.apply("end turn")
    assert money(game) == [360] * 4


@pytest.mark.rules("EX-03", "R36", "R37", "AD-63")
def test_reach_of_england():
    game = base()
    game.record.owner[2] = 0
    game.record.owner[[0, 4, 24]] = 1
    game.refresh().apply("attack from 1-3 England")
    assert picks(game) == {0, 1, 3, 4, 6, 7, 24, 25}


def fiandre() -> GameState:
    game = base()
    game.record.owner[2], game.record.castles[2], game.record.owner[6] = 0, 4, 1
    give(game, 0, templar=1)
    return give(game, 1, relic=1)


@pytest.mark.rules("EX-04", "R40", "R41", "R42", "R43", "R77", "R84")
def test_battle_of_fiandre():
    game = fiandre()
    before = supply(game, 0), supply(game, 1)
    attack(game, 2, 6, 6, 5, 4, 3, 6, 4, 2)
    record = game.record
    assert record.battle_points.tolist() == [2, 2]
    assert (record.castles[6], record.castles[2]) == (0, 2)
    assert record.decision == OCCUPY
    assert game.legal_labels() == ["occupy", "leave free"]
    assert (supply(game, 0), supply(game, 1)) == (before[0] + 2, before[1] + 3)


@pytest.mark.rules("EX-05", "R35", "R44", "R45")
def test_occupation_of_fiandre():
    game = fiandre()
    assert supply(game, 0) == 49
    attack(game, 2, 6, 6, 5, 4, 3, 6, 4, 2)
    assert supply(game, 0) == 51
    game.apply("occupy")
    assert (game.record.owner[6], game.record.castles[6], game.record.cathedral[6]) == (0, 1, 1)
    assert supply(game, 0) == 50
    assert money(game)[0] == 0


@pytest.mark.rules("EX-06", "R28", "R64", "AD-23")
def test_debt_of_a_crusade():
    game = base()
    game.record.money[0] = 30
    event(game.refresh(), 4, 5)
    assert money(game) == [0, 0, 0, 30]
    assert debts(game) == {(0, 3): 20}
    all_end(game, 4)
    assert game.record.round_number == 6
    assert money(game) == [340, 360, 360, 410]
    assert debts(game) == {}


@pytest.mark.rules("EX-07", "R64", "AD-24")
def test_no_win_in_debt():
    game = seven()
    game.record.debt[0, 3] = 20
    conquer(game.refresh())
    assert cathedrals(game, 0) == 8
    assert not game.over
    game.apply("end turn, decline the card")
    all_end(game, 2)
    assert not game.over
    game.apply("end turn")
    assert game.over
    assert game.record.winner == 0
    assert money(game)[0] == 8 * 13 * 10 - 20
    assert money(game)[3] == 4 * 9 * 10 + 20


@pytest.mark.rules("EX-08", "R65", "AD-54")
def test_no_trade():
    words = {label.split()[0] for label in base().box.labels}
    assert words == {"end", "roll", "occupy", "leave", "opponent", "card", "territory", "build", "attack"}
    game = give(base(), 0, merchant=2)
    game.record.money[0] = 1000
    game.refresh()
    assert not [label for label in game.legal_labels() if label.split()[0] in ("opponent", "card", "territory")]


@pytest.mark.rules("EX-09", "R66", "R34", "R55")
def test_build_on_the_conquest_and_attack_from_it():
    game = base()
    game.record.money[0], game.record.castles[12], game.record.castles[13] = 300, 6, 1
    conquer(game.refresh())
    assert 13 not in origins(game)
    for _ in range(3):
        game.apply("build on 3-2 Castile")
    assert game.record.castles[13] == 4
    assert money(game)[0] == 0
    assert 13 in origins(game)
    attack(game, 13, 10, 1, 1, 1, 1, 1, 1, 1)
    assert (game.record.battle_dice[0] > 0).sum() == 4
    assert game.record.attacks_made == 2
    assert 13 in origins(game)
    attack(game, 13, 10, 1, 1, 1, 1, 1, 1, 1)
    assert origins(game) == set()


@pytest.mark.rules("EX-10", "R67", "R79", "AD-36")
def test_commander_is_used_at_once():
    game = base()
    game.record.attacks_made, game.record.conquered = 3, 1
    stack_deck(game, COMMANDER)
    game.refresh().apply("end turn")
    assert game.record.kept[0, COMMANDER] == 1
    assert (game.actor, game.record.decision) == (0, TURN_MAIN)
    assert origins(game)
    attack(game, 12, 13, 1, 1, 1, 1, 1, 1)
    assert not origins(game)
    game.apply("end turn")
    assert game.actor == 1


@pytest.mark.rules("EX-11", "R68", "R46")
def test_repeated_attack_counts():
    game = base()
    game.record.castles[12] = 6
    attack(game.refresh(), 12, 13, *[1] * 9)
    assert game.record.attacks_made == 1
    attack(game, 12, 13, *[1] * 9)
    assert game.record.attacks_made == 2
    attack(game, 12, 13, *[1] * 9)
    assert game.record.attacks_made == 3
    assert not origins(game)


@pytest.mark.rules("EX-12", "R69", "R38")
def test_castles_of_two_territories_are_not_summed():
    game = base()
    game.record.castles[8], game.record.castles[12] = 6, 4
    attack(game.refresh(), 12, 13, *[1] * 7)
    assert (game.record.battle_dice[0] > 0).sum() == 4
    assert (game.record.battle_dice[1] > 0).sum() == 3


@pytest.mark.rules("EX-13", "R70", "R54", "R55", "AD-26", "AD-35")
def test_building_on_a_freed_territory_earns_the_card():
    game = base()
    game.record.money[0] = 100
    event(game.refresh(), 1, 1, 3, 3)
    assert game.record.owner[14] == -1
    game.apply("build on 3-3 Granada")
    assert (game.record.owner[14], game.record.castles[14], game.record.conquered) == (0, 1, 1)
    assert money(game)[0] == 0
    stack_deck(game, MERCHANT)
    game.apply("end turn")
    assert game.record.kept[0, MERCHANT] == 1


@pytest.mark.rules("EX-14", "R71", "R51")
def test_a_free_territory_need_not_be_taken():
    game = base()
    game.record.money[:2] = 100
    event(game.refresh(), 1, 1, 3, 3)
    size = game.record.deck_size
    game.apply("end turn")
    assert game.record.deck_size == size
    assert game.actor == 1
    assert 14 in builds(game)
    game.apply("build on 3-3 Granada")
    assert (game.record.owner[14], money(game)[1]) == (1, 0)


@pytest.mark.rules("EX-15", "R72", "R60", "AD-50", "AD-55")
def test_without_castles_in_the_box_nothing_is_built():
    game = full0()
    game.record.money[0] = 1000
    game.refresh()
    assert supply(game, 0) == 0
    assert builds(game) == set()
    game.record.castles[4] = 5  # one is back in the box
    game.refresh()
    assert builds(game) == {4, 32}
    kinds = {label.split()[0] for label in game.legal_labels()}
    assert kinds == {"end", "roll", "build", "attack"}


@pytest.mark.rules("EX-16", "R73", "R57")
def test_elimination_by_an_event():
    game = solo1()
    game.record.castles[13] = 1
    give(game, 1, merchant=2)
    game.record.money[:] = (40, 250, 60, 70)
    event(game.refresh(), 1, 1, 3, 2)
    record = game.record
    assert record.alive.tolist() == [1, 0, 1, 1]
    assert money(game) == [40, 0, 60, 70]
    assert deck_of(game)[-2:] == [MERCHANT, MERCHANT]
    assert (record.owner[13], record.cathedral[13]) == (-1, 1)
    assert not record.kept[1].any()
    assert game.actor == 0


@pytest.mark.rules("EX-17", "R50", "R74", "R75", "R77")
def test_at_most_four_points():
    game = give(base(), 0, templar=2, mercenary=1)
    attack(game, 12, 13, 1, 2, 1, 1, 1, 1)
    assert game.record.battle_points[0] == 4
    assert game.record.castles[13] == 2  # the 2 hits, the 1s do not
    assert game.record.kept.shape == (4, KEPT_CARDS)
