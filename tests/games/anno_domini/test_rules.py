"""The clauses of the rulebook and the rulings, one by one."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.anno_domini.game import (
    AMBASSADOR,
    AMBASSADOR_CARD,
    AMBASSADOR_PLAYER,
    ARCHITECT,
    ARQUEBUSEER,
    BISHOP,
    BISHOP_SOURCE,
    COMMANDER,
    CRISIS_DISCARD,
    CUT_THROAT,
    CUTTHROAT_PLAYER,
    GENIUS,
    HEROINE,
    MAECENAS,
    MERCENARY,
    MERCHANT,
    OCCUPY,
    POPE,
    RELIC,
    TEMPLAR,
    TOLL_COLLECTOR,
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
    owned,
    picks,
    script,
    seven,
    solo1,
    stack_deck,
    supply,
)
from tests.games.anno_domini.test_edges import end_with

LAST_CASTLE = (6, 1, 1, 1, 1, 1, 1)


def points(game: GameState, origin: int = 12, target: int = 13) -> list[int]:
    """Attack and return the points of attacker and defender."""
    return attack(game, origin, target, 1, 1).record.battle_points.tolist()


def attacks(game: GameState) -> int:
    """Return the attacks the turn player has left, as observed."""
    return round(float(game.view(game.actor)["attacks_left"]) * 27)


# --- the two phases -----------------------------------------------------------------------------------------------


@pytest.mark.rules("R16", "R19", "R56")
def test_phases_alternate():
    game = base()
    seats, rounds = [], []
    for _ in range(12):
        seats.append(game.actor)
        rounds.append(int(game.record.round_number))
        game.apply("end turn")
        if len(seats) % 4 == 0:  # the income of all comes between two military phases, at once
            assert money(game) == [360 * len(seats) // 4] * 4
    assert seats == [0, 1, 2, 3] * 3
    assert rounds == [5] * 4 + [6] * 4 + [7] * 4


@pytest.mark.rules("R17")
def test_income_is_cathedrals_times_territories():
    game = begin_turn(solo1(), 3)
    game.apply("end turn")
    assert [cathedrals(game, p) for p in range(4)] == [4, 1, 6, 5]
    assert [len(owned(game, p)) for p in range(4)] == [9, 1, 16, 10]
    assert money(game) == [360, 10, 960, 500]


@pytest.mark.rules("R20")
def test_order_begins_left_of_the_pope():
    for pope in range(4):
        game = begin_turn(base(), pope, pope=pope)
        game.apply("end turn")
        assert game.record.order.tolist() == [(pope + d) % 4 for d in (1, 2, 3, 4)]
        seats = []
        for _ in range(4):
            seats.append(game.actor)
            game.apply("end turn")
        assert seats[-1] == pope


@pytest.mark.rules("AD-64", "R57")
def test_the_dead_are_skipped():
    game = solo1()
    game.record.castles[13] = 1
    event(game.refresh(), 1, 1, 3, 2)
    give(game, 0, mercenary=1)
    assert game.apply("end turn").actor == 2
    assert game.apply("end turn").actor == 3
    assert game.apply("end turn").actor == 0
    assert game.record.order.tolist() == [0, 2, 3, -1]
    assert money(game)[1] == 0
    begin_turn(game, 2)
    end_with(game, AMBASSADOR)
    assert opponents(game) == {1, 2}  # seats 3 and 0; the dead seat 1 is no opponent


@pytest.mark.rules("R21", "AD-14")
def test_all_actions_are_free_and_in_any_order():
    game = base()
    game.record.money[0], game.record.castles[12] = 500, 6
    attack(game.refresh(), 12, 13, *[1] * 9)
    game.apply("build on 1-1 Ireland")
    event(game, 3, 4)
    game.apply("build on 1-1 Ireland")
    attack(game, 12, 13, *[1] * 9)
    assert "end turn" in game.legal_labels()
    assert "end turn" in base().legal_labels()  # having done nothing


@pytest.mark.rules("AD-11")
def test_the_fourth_turn_is_the_fourth_round():
    for seat in range(4):  # the first and the last player of round 3 and of round 4
        for round_number, wins in ((3, False), (4, True)):
            game = begin_turn(seven(), seat, round_number=round_number)
            game.record.owner[game.record.owner == 0] = seat
            game.record.owner[[32, 33, 34, 35]] = [(seat + 1) % 4, (seat + 2) % 4, (seat + 3) % 4, seat]
            for p in range(4):
                if p != seat and not owned(game, p):
                    game.record.owner[28 + p] = p
            game.record.owner[13] = (seat + 1) % 4
            while cathedrals(game, seat) > 7:
                t = max(t for t in owned(game, seat) if game.record.cathedral[t] and t != 12)
                game.record.owner[t] = (seat + 2) % 4
            attack(game.refresh(), 12, 13, *LAST_CASTLE)
            assert (game.record.decision == OCCUPY) == wins
            if wins:
                assert game.apply("occupy").record.winner == seat


# --- events -------------------------------------------------------------------------------------------------------


@pytest.mark.rules("AD-13", "AD-60", "R21")
def test_one_event_a_turn():
    game = event(base(), 3, 4)
    assert "roll event" not in game.legal_labels()
    game = event(begin_turn(base(), 1), 3, 4)
    assert game.apply("end turn").actor == 2
    assert "roll event" in game.legal_labels()
    game = end_with(base(), COMMANDER)  # the turn opens again and the event is still to come
    assert "roll event" in game.legal_labels()
    game = event(base(), 3, 4)
    end_with(game, COMMANDER)
    assert game.actor == 0
    assert "roll event" not in game.legal_labels()


@pytest.mark.rules("R23", "R54", "AD-15")
def test_plague():
    game = base()
    game.record.castles[13] = 6
    event(game.refresh(), 1, 1, 3, 2)
    assert (game.record.castles[13], game.record.owner[13], game.record.cathedral[13]) == (0, -1, 1)
    assert supply(game, 1) == 80 - 8 * 3
    game = event(base(), 1, 1, 3, 1)  # the roller's own
    assert game.record.owner[12] == -1
    game = base()
    game.record.owner[13], game.record.castles[13] = -1, 0
    before = game.record.castles.tolist()
    event(game.refresh(), 1, 1, 3, 2)  # a free one
    assert game.record.castles.tolist() == before


@pytest.mark.rules("R24", "AD-16", "AD-29")
def test_barbarous_frees_and_eliminates_in_the_order_rolled():
    game = solo1()
    game.record.castles[[13, 14]] = 1
    event(game.refresh(), 2, 1, 3, 2, 3, 3, 1, 1)
    assert game.record.castles[[13, 14, 0]].tolist() == [0, 0, 2]
    assert game.record.alive.tolist() == [1, 0, 1, 1]
    game = solo1()
    game.record.round_number, game.record.castles[[13, 14]] = 3, 1
    event(game.refresh(), 2, 1, 3, 2, 3, 3, 1, 1)
    assert game.record.castles[[13, 14, 0]].tolist() == [1, 0, 2]


@pytest.mark.rules("R25", "AD-62", "AD-69", "R52")
def test_imperial_crisis():
    game = give(begin_turn(base(), 3), 3, merchant=1, relic=2)
    give(game, 0, genius=1)
    event(game, 1, 3)
    assert (game.actor, game.record.decision) == (3, CRISIS_DISCARD)
    assert cards(game) == {MERCHANT, RELIC}  # not the Pope
    game.apply("card Relic")
    assert game.record.kept[3, [RELIC, MERCHANT, POPE]].tolist() == [1, 1, 1]
    assert game.record.kept[0, GENIUS] == 1
    assert deck_of(game)[-1] == RELIC
    assert game.record.decision == TURN_MAIN


@pytest.mark.rules("R26", "AD-18", "AD-19")
def test_tithe():
    game = base()
    game.record.money[:] = 500
    event(game.refresh(), 1, 4)
    assert money(game) == [460, 500, 500, 540]
    game = begin_turn(base(), 3)
    game.record.money[:] = 500
    event(game.refresh(), 1, 4)
    assert money(game) == [500] * 4


@pytest.mark.rules("R27", "AD-20")
@pytest.mark.parametrize(("dice", "florins"), [((1, 5), 180), ((1, 6), 270), ((2, 6), 180)])
def test_taxation(dice, florins):
    game = event(base(), *dice)
    assert money(game) == [florins, 0, 0, 0]
    game = begin_turn(solo1(), 2)
    assert money(event(game, *dice))[2] == florins // 9 * 16


@pytest.mark.rules("R28", "AD-19")
def test_crusade():
    game = base()
    game.record.money[:] = 500
    assert money(event(game.refresh(), 3, 6)) == [450, 500, 500, 550]
    game = begin_turn(base(), 3)
    game.record.money[:] = 500
    assert money(event(game.refresh(), 3, 6)) == [500] * 4


@pytest.mark.rules("R29", "AD-22")
def test_council():
    game = event(base(), 4, 6)
    assert game.record.kept[:, POPE].tolist() == [1, 0, 0, 0]
    game = event(begin_turn(base(), 3), 4, 6)
    assert game.record.kept[:, POPE].tolist() == [0, 0, 0, 1]


@pytest.mark.rules("R30", "AD-21", "AD-64")
def test_schism_pays_the_living_by_the_cathedrals_of_the_pope():
    game = begin_turn(solo1(), 3, pope=2)
    game.record.owner[13] = 2
    game.record.alive[1], game.record.elim_rank[1] = 0, 1
    game.record.order[:] = (3, 0, 2, -1)
    game.record.money[2] = 500
    event(game.refresh(), 5, 6)
    assert cathedrals(game, 2) == 7
    assert money(game) == [70, 0, 360, 70]


@pytest.mark.rules("R31", "AD-20", "AD-51", "R09")
def test_deposit_and_a_bank_without_limit():
    assert money(event(base(), 6, 6)) == [500, 0, 0, 0]
    game = base()
    game.record.money[0] = 90_000
    assert money(event(game.refresh(), 6, 6))[0] == 90_500


@pytest.mark.rules("AD-47", "R73")
def test_an_event_that_eliminates_the_roller_ends_the_turn():
    game = begin_turn(solo1(), 1)
    game.record.conquered, game.record.castles[13], game.record.money[1] = 1, 1, 70
    size = int(game.record.deck_size)
    event(game.refresh(), 1, 1, 3, 2)
    assert game.record.alive[1] == 0
    assert game.record.deck_size == size
    assert game.actor == 2
    assert sum(money(game)) == 0


@pytest.mark.rules("AD-45", "R78")
def test_who_inherits_the_pope_after_an_event():
    game = solo1()
    begin_turn(game, 0, pope=1)
    game.record.castles[13] = 1
    event(game.refresh(), 1, 1, 3, 2)
    assert game.record.kept[:, POPE].tolist() == [1, 0, 0, 0]  # the roller
    game = solo1()
    begin_turn(game, 1, pope=1)
    game.record.castles[13] = 1
    event(game.refresh(), 1, 1, 3, 2)
    assert game.record.kept[:, POPE].tolist() == [0, 0, 1, 0]  # the roller himself is out: the next clockwise


@pytest.mark.rules("AD-45", "AD-16")
def test_the_pope_is_never_inherited_by_the_dead():
    game = solo1(goal_cathedrals=16)
    record = game.record
    record.owner[record.owner == 2] = 3
    record.owner[14] = 2
    begin_turn(game, 1, pope=1)
    record.castles[[13, 14]] = 1
    event(game.refresh(), 1, 2, 3, 2, 3, 3, 1, 1)  # seat 1 and then its heir, seat 2, are out
    assert record.alive.tolist() == [1, 0, 0, 1]
    assert record.kept[:, POPE].tolist() == [0, 0, 0, 1]
    assert record.elim_rank.tolist() == [0, 1, 2, 0]


# --- building -----------------------------------------------------------------------------------------------------


@pytest.mark.rules("R32", "R34", "AD-67")
def test_castles_cost_100_on_own_territories():
    game = base()
    game.record.money[:] = 250
    game.refresh()
    assert builds(game) == owned(game, 0)
    game.apply("build on 1-1 Ireland").apply("build on 1-1 Ireland")
    assert money(game) == [50, 250, 250, 250]
    assert game.record.castles[0] == 5
    assert supply(game, 0) == 51
    assert builds(game) == set()
    game.apply("end turn")
    assert builds(game) == owned(game, 1)  # everybody builds in the own turn only
    game.record.money[1] = 90
    assert builds(game.refresh()) == set()


@pytest.mark.rules("R33")
def test_never_more_than_six_castles():
    game = base()
    game.record.money[0] = 1000
    game.record.castles[0] = 5
    game.refresh().apply("build on 1-1 Ireland")
    assert game.record.castles[0] == 6
    assert builds(game) == owned(game, 0) - {0}


@pytest.mark.rules("R55", "AD-26", "AD-35")
def test_free_territories_are_built_on_anywhere_up_to_six():
    game = base()
    game.record.owner[35], game.record.castles[35] = -1, 0
    game.record.owner[23] = 1  # seat 0 has nothing in reach of Anatolia
    game.record.money[0] = 700
    game.refresh()
    assert not any(int(game.box.record[0].reach[35]) >> t & 1 for t in owned(game, 0))
    for castles in range(1, 7):
        game.apply("build on 6-6 Anatolia")
        assert game.record.castles[35] == castles
    assert 35 not in builds(game)
    assert money(game)[0] == 100
    assert game.record.conquered == 1


@pytest.mark.rules("R60", "R43")
def test_removed_castles_are_used_again():
    game = full0()
    game.record.money[0] = 100
    assert builds(game.refresh()) == set()
    attack(game, 12, 13, 1, 1, 1, 1, 1, 1, 6)  # the defender hits once
    assert game.record.castles[12] == 5
    assert builds(game) == {12, 32}


# --- attacks ------------------------------------------------------------------------------------------------------


@pytest.mark.rules("R36", "AD-58", "AD-63")
def test_targets():
    game = base()
    game.record.owner[13], game.record.castles[13] = -1, 0
    game.refresh().apply("attack from 3-1 Portugal")
    # Castile is free, Ireland and Brittany are own: the rest of the Atlantic Ocean and Granada by land
    assert picks(game) == {3, 10, 14}
    assert all(game.record.owner[t] not in (-1, 0) for t in picks(game))


@pytest.mark.rules("R38", "R39", "AD-34")
def test_all_castles_roll():
    game = base()
    game.record.castles[12], game.record.castles[13] = 5, 4
    attack(game.refresh(), 12, 13, 1, 2, 3, 4, 5, 1, 2, 3, 4)
    assert game.record.battle_dice.tolist() == [[1, 2, 3, 4, 5, 0], [1, 2, 3, 4, 0, 0]]
    assert game.record.battle_points.tolist() == [0, 1]


@pytest.mark.rules("R39", "R42")
def test_defender_gets_the_cathedral_and_its_cards():
    game = give(base(), 1, arquebuseer=1)
    assert points(game) == [0, 2]
    assert points(give(base(), 1, arquebuseer=1), 32, 33) == [0, 1]
    assert points(give(base(), 0, relic=1)) == [0, 1]  # the attacker's Relic is no help


@pytest.mark.rules("R40", "R41", "AD-31")
def test_both_sides_lose_at_once():
    game = base()
    game.record.castles[13] = 2
    attack(game.refresh(), 12, 13, 6, 6, 6, 5, 5)  # three hits on two castles; two hits back
    assert game.record.castles[[12, 13]].tolist() == [1, 0]
    assert game.record.decision == OCCUPY
    assert supply(game, 1) == 80 - 8 * 3


@pytest.mark.rules("R44", "AD-32", "AD-59")
def test_occupation_is_a_choice():
    game = base()
    game.record.castles[12], game.record.castles[13], game.record.money[0] = 6, 1, 200
    attack(game.refresh(), 12, 13, *LAST_CASTLE)
    game.apply("leave free")
    assert (game.record.owner[13], game.record.conquered) == (-1, 0)
    assert game.record.decision == TURN_MAIN
    game.apply("build on 3-2 Castile")
    assert (game.record.owner[13], game.record.conquered, money(game)[0]) == (0, 1, 100)


@pytest.mark.rules("AD-32", "AD-31")
def test_castles_lost_in_the_battle_may_occupy():
    game = full0()
    attack(game, 12, 13, 6, 1, 1, 1, 1, 1, 6)
    assert game.record.decision == OCCUPY  # the castle just lost lies in the box
    game.apply("occupy")
    assert supply(game, 0) == 0


@pytest.mark.rules("R45")
def test_cathedrals_belong_to_the_territory():
    game = base()
    game.record.castles[12], game.record.castles[13] = 6, 1
    attack(game.refresh(), 12, 13, *LAST_CASTLE)
    assert game.record.cathedral[13] == 1
    assert sum(cathedrals(game, p) for p in range(4)) == 15  # nobody's while it is free
    game.apply("occupy")
    assert cathedrals(game, 0) == 5
    assert cathedrals(game, 1) == 3


@pytest.mark.rules("R46", "R79", "AD-33")
def test_commanders_change_the_number_of_attacks():
    assert attacks(base()) == 3
    game = give(base(), 0, commander=2)
    assert attacks(game) == 5
    game.record.castles[12] = 6
    for left in (4, 3, 2, 1):
        attack(game.refresh(), 12, 13, *[1] * 9)
        assert attacks(game) == left
    event(game, 1, 3)
    game.apply("card Commander")  # the limit falls to the four attacks made
    assert attacks(game) == 0
    assert not origins(game)


@pytest.mark.rules("R76", "AD-33")
def test_heroine_counts_the_cathedrals_of_the_moment():
    game = give(base(), 0, heroine=1)
    assert attacks(game) == 7
    game.record.cathedral[[12, 16]] = 0, 1
    assert attacks(game.refresh()) == 7
    game.record.cathedral[[16, 17]] = 0, 1
    assert attacks(game.refresh()) == 6


@pytest.mark.rules("R48", "AD-27", "AD-28", "R62")
def test_higher_goal():
    game = seven(goal_cathedrals=9)
    conquer(game)
    assert cathedrals(game, 0) == 8
    assert not game.over
    game = seven(goal_cathedrals=9)
    game.record.round_number = 3
    conquer(game.refresh())  # the eighth is allowed early, the ninth would not be
    assert cathedrals(game, 0) == 8
    game.record.castles[10] = 1
    attack(game.refresh(), 12, 10, *LAST_CASTLE)
    assert game.record.decision == TURN_MAIN
    assert game.record.owner[10] == -1
    game = seven(goal_cathedrals=9)
    game.record.owner[2] = 0
    conquer(game.refresh())
    assert game.record.winner == 0


@pytest.mark.rules("AD-27", "AD-29")
def test_no_attack_masks_the_eighth_cathedral():
    game = seven(early_limits="no_attack")
    game.record.round_number = 3
    assert 12 not in origins(game.refresh())  # all that Portugal reaches has a cathedral
    game.apply("attack from 6-3 Novgorod")
    assert picks(game) == {25, 30, 31, 33}  # not Sweden with its cathedral
    game = seven(early_limits="no_attack")
    game.record.round_number, game.record.owner[5] = 3, 1  # six cathedrals: one more is no harm
    game.refresh().apply("attack from 3-1 Portugal")
    assert 13 in picks(game)
    soft = seven()
    soft.record.round_number = 3
    assert 13 in picks(soft.refresh().apply("attack from 3-1 Portugal"))


@pytest.mark.rules("AD-27", "AD-38")
def test_bishop_cannot_bring_the_eighth_cathedral_early():
    game = seven()
    game.record.round_number = 3
    end_with(game, BISHOP)
    assert game.actor == 1
    assert deck_of(game)[-1] == BISHOP
    game = end_with(seven(), BISHOP)
    assert game.record.decision == BISHOP_SOURCE
    game.apply(game.legal_actions()[0])
    game.apply(game.legal_actions()[0])
    assert game.record.winner == 0  # in round 5 it wins at once
    assert deck_of(game)[-1] == BISHOP


@pytest.mark.rules("R50", "R74", "AD-30")
def test_points_are_capped_on_both_sides():
    game = give(base(), 0, mercenary=8)
    give(game, 1, relic=4)
    attack(game, 12, 13, 1, 1, 1, 1, 1, 2)
    assert game.record.battle_points.tolist() == [4, 4]  # the cathedral's point counts within the cap
    assert game.record.castles[[12, 13]].tolist() == [2, 3]
    assert points(give(base(), 0, mercenary=1, arquebuseer=1)) == [2, 1]  # all points are used


@pytest.mark.rules("R75", "R83", "R89", "R84", "R77")
@pytest.mark.parametrize(
    ("card", "attack_plain", "attack_cathedral", "defence_plain", "defence_cathedral"),
    [
        (MERCENARY, 1, 1, 0, 0), (HEROINE, 0, 0, 0, 0), (TEMPLAR, 0, 2, 0, 0), (COMMANDER, 0, 0, 0, 0),
        (TOLL_COLLECTOR, 0, 0, 0, 0), (ARQUEBUSEER, 1, 1, 1, 1), (RELIC, 0, 0, 0, 1), (MERCHANT, 0, 0, 0, 0),
        (GENIUS, 2, 2, 2, 2),
    ],
)  # fmt: skip
def test_points_of_each_card(card, attack_plain, attack_cathedral, defence_plain, defence_cathedral):
    for seat, plain, cathedral in ((0, attack_plain, attack_cathedral), (1, defence_plain, defence_cathedral)):
        game = base()
        game.record.kept[seat, card] = 1
        stack_deck(game)
        assert points(game.refresh(), 32, 33)[seat] == plain
        assert points(game, 12, 13)[seat] == cathedral + seat


# --- cards --------------------------------------------------------------------------------------------------------


@pytest.mark.rules("R51", "R53")
def test_one_card_for_any_number_of_conquests():
    game = base()
    game.record.castles[[12, 8]], game.record.castles[[13, 10]] = 6, 1
    conquer(game.refresh())
    conquer(game, 8, 10)
    stack_deck(game, COMMANDER, MERCHANT)
    game.apply("end turn")
    assert game.record.kept[0].sum() == 1
    game.record.castles[14] = 1
    conquer(game.refresh(), 12, 14)  # with the bonus attack
    assert "end turn, decline the card" not in game.legal_labels()
    game.apply("end turn")
    assert game.record.kept[0].sum() == 1
    assert game.actor == 1
    size = game.record.deck_size
    assert game.apply("end turn").record.deck_size == size  # no conquest, no card


@pytest.mark.rules("AD-35")
def test_losing_the_conquest_again_does_not_matter():
    game = base()
    game.record.money[0] = 100
    game.record.owner[0], game.record.castles[0] = -1, 0
    game.refresh().apply("build on 1-1 Ireland")  # even one that was the player's own
    event(game, 1, 1, 1, 1)
    assert game.record.owner[0] == -1
    stack_deck(game, MERCHANT)
    game.apply("end turn")
    assert game.record.kept[0, MERCHANT] == 1


@pytest.mark.rules("R52", "AD-43")
def test_kept_and_used_cards():
    game = end_with(base(), MERCENARY)
    assert game.record.kept[0, MERCENARY] == 1
    assert MERCENARY in deck_of(game)  # the other seven
    assert deck_of(game).count(MERCENARY) == 7
    game = end_with(base(), MAECENAS)
    assert deck_of(game)[-1] == MAECENAS
    assert game.record.deck_size == 59
    assert game.record.unseen_left == 58
    assert game.view(2)["kept"].sum() == 0


@pytest.mark.rules("AD-43")
def test_the_deck_is_a_queue_that_never_runs_out():
    game = base()
    rest = [card for card in range(10) if card != POPE]
    for card in rest:
        game.record.kept[0, card] = game.box.record[0].copies[card]
    stack_deck(game, known=True)
    assert game.record.deck_size == 23
    before = deck_of(game)
    game.record.conquered = 1
    game.record.owner[game.record.owner == 1] = 0  # nobody to steal from but seats 2 and 3 without cards
    game.record.alive[1], game.record.elim_rank[1] = 0, 1
    game.record.owner[[17, 18, 19, 21, 22]] = 2
    stack = [MAECENAS, ARCHITECT] + [card for card in before if card not in (MAECENAS, ARCHITECT)]
    stack += [MAECENAS, ARCHITECT]
    game.record.deck[:23] = stack
    while cathedrals(game, 0) >= 8:
        game.record.owner[max(t for t in owned(game, 0) if game.record.cathedral[t])] = 2
    game.refresh().apply("end turn")
    assert deck_of(game) == [*stack[1:], MAECENAS]


@pytest.mark.rules("AD-44")
def test_no_limit_on_kept_cards():
    game = give(base(), 0, mercenary=7, commander=8, merchant=6)
    end_with(game, MERCENARY)
    assert game.record.kept[0].sum() == 22


@pytest.mark.rules("R67", "AD-36")
def test_unused_attacks_are_forfeited_by_ending_the_turn():
    game = end_with(base(), COMMANDER, 1)
    assert attacks(game) == 1  # not 3
    game = end_with(give(base(), 0, commander=1), COMMANDER, 0)
    assert attacks(game) == 1


@pytest.mark.rules("R76", "AD-36")
def test_drawing_the_heroine_gives_an_attack_for_each_cathedral():
    assert attacks(end_with(base(), HEROINE, 3)) == 4


@pytest.mark.rules("AD-68", "R67", "R81")
def test_bishop_for_the_owner_of_the_heroine():
    game = end_with(give(base(), 0, heroine=1), BISHOP, 2)
    game.apply("territory 3-2 Castile").apply("territory 3-5 Provence")
    assert (game.actor, game.record.decision) == (0, TURN_MAIN)
    assert attacks(game) == 1


@pytest.mark.rules("R87", "AD-37")
def test_maecenas():
    game = end_with(base(), MAECENAS)
    assert money(game) == [500, 0, 0, 0]
    assert game.actor == 1  # nothing is built any more
    assert money(all_end(game, 3))[0] == 860


@pytest.mark.rules("R87", "AD-66")
def test_income_goes_to_creditors_first():
    game = base()
    game.record.debt[0, 2], game.record.debt[0, 3] = 300, 260
    end_with(game, MAECENAS)
    assert money(game) == [0, 0, 300, 200]
    assert debts(game) == {(0, 3): 60}
    game = base()
    game.record.debt[0, 2] = 300
    event(game.refresh(), 6, 6)
    assert money(game) == [200, 0, 300, 0]
    game = base()
    game.record.debt[0, 2] = 300
    event(game.refresh(), 3, 4)
    assert money(game) == [0, 0, 270, 0]


@pytest.mark.rules("AD-23")
def test_a_paid_creditor_pays_on():
    game = base()
    game.record.debt[0, 1], game.record.debt[1, 2], game.record.debt[2, 3] = 100, 80, 50
    event(game.refresh(), 6, 6)
    assert money(game) == [400, 20, 30, 50]
    assert debts(game) == {}


@pytest.mark.rules("R80", "AD-39", "AD-38")
def test_ambassador():
    game = give(base(), 1, merchant=1, relic=2)
    give(game, 2, genius=1)
    end_with(game, AMBASSADOR)
    assert game.record.decision == AMBASSADOR_PLAYER
    assert opponents(game) == {1, 2, 3}
    game.apply("opponent +1")
    assert game.record.decision == AMBASSADOR_CARD
    assert cards(game) == {MERCHANT, RELIC}
    game.apply("card Relic")
    assert game.record.kept[[0, 1], RELIC].tolist() == [1, 1]
    assert deck_of(game)[-1] == AMBASSADOR
    game = end_with(base(ambassador_may_steal_pope=False), AMBASSADOR)
    assert game.actor == 1  # nobody has a card to take
    assert deck_of(game)[-1] == AMBASSADOR


@pytest.mark.rules("AD-39", "R78", "AD-12")
def test_ambassador_takes_the_pope():
    game = end_with(base(), AMBASSADOR)
    assert opponents(game) == {3}
    game.apply("opponent +3").apply("card Pope")
    assert game.record.kept[:, POPE].tolist() == [1, 0, 0, 0]
    all_end(game, 3)
    assert game.record.order.tolist() == [1, 2, 3, 0]
    game = give(base(ambassador_may_steal_pope=False), 3, relic=1)
    end_with(game, AMBASSADOR).apply("opponent +3")
    assert cards(game) == {RELIC}


@pytest.mark.rules("R81", "AD-41", "AD-38")
def test_bishop_without_source_or_destination():
    game = base(goal_cathedrals=16)
    game.record.owner[(game.record.cathedral == 1) & (game.record.owner != 0)] = 3  # all with the Pope
    end_with(game, BISHOP)
    assert game.actor == 1
    game = base()
    game.record.owner[game.record.owner == 0] = 1
    game.record.owner[[0, 4]] = 0  # every own territory has a cathedral
    end_with(game, BISHOP)
    assert game.actor == 1
    game = base()
    game.record.owner[13], game.record.castles[13] = -1, 0
    end_with(game, BISHOP)
    assert 13 not in picks(game)  # a free territory is no opponent's
    assert 19 not in picks(game)
    assert 3 not in picks(game)  # the Pope's


@pytest.mark.rules("R82", "R85")
def test_income_of_cards():
    game = give(begin_turn(base(), 3), 0, toll_collector=2, merchant=1)
    give(game, 2, merchant=3)
    game.apply("end turn")
    assert money(game) == [360 + 2 * 90 + 50, 360, 360 + 150, 360]


@pytest.mark.rules("R86", "AD-40", "AD-38", "AD-69")
def test_cut_throat_without_victims_and_with_some():
    game = end_with(base(), CUT_THROAT)
    assert game.actor == 1
    assert deck_of(game)[-1] == CUT_THROAT
    game = give(base(), 3, mercenary=2)
    end_with(game, CUT_THROAT)
    assert game.record.decision == CUTTHROAT_PLAYER
    game.apply("opponent +3")
    assert cards(game) == {MERCENARY}  # never the Pope
    game.apply("card Mercenary")
    assert game.record.kept[3, [MERCENARY, POPE]].tolist() == [1, 1]
    assert deck_of(game)[-2:] == [MERCENARY, CUT_THROAT]


@pytest.mark.rules("R88", "AD-38")
def test_architect_without_use():
    game = end_with(full0(), ARCHITECT)
    assert supply(game, 0) == 0
    assert game.record.castles[32] == 2
    assert game.actor == 1
    game = base()
    game.record.castles[game.record.owner == 0] = 6
    end_with(game, ARCHITECT)
    assert game.record.castles[game.record.owner == 0].tolist() == [6] * 9


# --- elimination, debts and the end -------------------------------------------------------------------------------


@pytest.mark.rules("R57", "R58", "AD-46")
def test_money_and_cards_of_the_eliminated():
    game = give(solo1(), 1, genius=1, mercenary=2, merchant=1)
    game.record.money[:] = (10, 250, 0, 0)
    game.record.castles[12], game.record.castles[13] = 6, 1
    attack(game.refresh(), 12, 13, *LAST_CASTLE)
    assert money(game) == [260, 0, 0, 0]
    assert deck_of(game)[-4:] == [MERCENARY, MERCENARY, MERCHANT, GENIUS]
    game.apply("leave free")
    assert game.record.alive[1] == 0  # out even if the attacker does not occupy


@pytest.mark.rules("R58", "AD-23", "AD-25", "AD-65")
def test_debts_die_with_the_eliminated():
    game = solo1()
    record = game.record
    record.castles[12], record.castles[13] = 6, 1
    record.debt[1, 2], record.debt[3, 1], record.debt[0, 2] = 50, 70, 30
    attack(game.refresh(), 12, 13, *LAST_CASTLE)
    assert debts(game) == {(0, 2): 30}
    game = solo1()
    record = game.record
    record.castles[12], record.castles[13] = 6, 1
    record.debt[0, 2], record.money[1] = 30, 120
    attack(game.refresh(), 12, 13, *LAST_CASTLE)
    assert money(game) == [90, 0, 30, 0]  # the spoils settle the attacker's debt first
    assert debts(game) == {}


@pytest.mark.rules("AD-65", "AD-23")
def test_debts_stay_with_the_person_when_the_pope_changes():
    game = event(base(), 4, 5)
    assert debts(game) == {(0, 3): 50}
    game.apply("end turn")
    event(game, 5, 5)
    assert game.record.kept[1, POPE] == 1
    assert debts(game) == {(0, 3): 50}


@pytest.mark.rules("AD-24", "R64", "AD-49")
def test_the_last_payment_wins_and_two_at_once_go_by_turn():
    game = seven()
    game.record.owner[2], game.record.debt[0, 3] = 0, 20
    assert not game.refresh().over
    event(game, 3, 4)
    assert game.record.winner == 0
    # seats 1 and 2 have eight cathedrals each and owe; the roller, seat 0, frees seat 2, and by its payment seat 1
    game = base()
    record = game.record
    record.owner[:16] = [1] * 8 + [2] * 8
    record.debt[1, 3], record.debt[2, 1] = 20, 20
    record.debt[0, 2] = 50
    event(game.refresh(), 6, 6)
    assert game.record.winner == 1


@pytest.mark.rules("AD-48", "R57")
def test_the_last_survivor_wins():
    game = base()
    record = game.record
    record.owner[:] = 0
    record.owner[13] = 1
    record.castles[:] = 2
    record.castles[12], record.castles[13] = 6, 1
    record.cathedral[:] = 0
    record.cathedral[[*range(20, 36)]] = 1
    record.alive[2:], record.elim_rank[2:] = 0, (1, 2)
    record.kept[:, POPE] = (1, 0, 0, 0)
    record.order[:] = (1, 0, -1, -1)
    record.order_pos = 1
    record.owner[[20, 21, 22, 23, 24, 25, 26, 27, 28]] = 1
    record.cathedral[20:36] = 0
    record.cathedral[:16] = 1
    record.debt[0, 1] = 40
    record.owner[[20, 21, 22, 23, 24, 25, 26, 27, 28]] = 0
    attack(game.refresh(), 12, 13, *LAST_CASTLE)
    assert game.over
    assert record.winner == 0  # whatever it owed
    assert game.outcome("win").tolist() == [1, -1 / 3, -1 / 3, -1 / 3]
    assert game.outcome("placement").tolist() == pytest.approx([1, 1 / 3, -1, -1 / 3])  # later out ranks higher


@pytest.mark.rules("R02", "R61", "AD-57", "R16")
def test_the_game_ends_at_once():
    game = conquer(seven())
    assert game.over
    assert game.legal_actions() == []
    assert game.record.round_number == 5
    assert game.actor == -1


@pytest.mark.rules("AD-53")
def test_all_is_public_but_the_order_of_the_unseen_cards():
    game = give(base(), 1, merchant=2)
    game.record.money[:] = (10, 20, 30, 40)
    game.record.debt[0, 2] = 0
    game.refresh()
    for seat in range(4):
        view = game.view(seat)
        assert (view["money"] * 5000).round().tolist() == [[10, 20, 30, 40][(seat + d) % 4] for d in range(4)]
        assert view["kept"][(1 - seat) % 4].sum() == pytest.approx(2 / 6)
        twin = game.clone()
        twin.record.deck[[0, 58 - 2]] = twin.record.deck[[58 - 2, 0]]
        assert (twin.observation(seat) == game.observation(seat)).all()


@pytest.mark.rules("AD-56", "R16")
def test_cut_off_ranks_without_a_winner():
    game = begin_turn(base(max_rounds=5), 3, round_number=5)
    game.record.money[:] = (10, 0, 0, 20)
    game.record.owner[1] = 2
    game.refresh().apply("end turn")
    assert game.truncated
    assert game.outcome("win").tolist() == [0] * 4
    # seat 2 has five cathedrals; seats 0 and 3 differ by money; seat 1 has three cathedrals
    assert game.outcome("placement").tolist() == pytest.approx([-1 / 3, -1, 1, 1 / 3])
    assert game.outcome("margin").tolist() == pytest.approx([0, -4 / 48, 4 / 48, 0])


@pytest.mark.rules("R35", "R72", "AD-55")
def test_castles_move_only_by_conquest():
    game = base()
    game.record.castles[12], game.record.castles[13] = 6, 1
    conquer(game.refresh())
    assert game.record.castles[[12, 13]].tolist() == [6, 1]  # the castle comes from the box, not from Portugal
    assert owned(game, 0) == {*range(0, 36, 4), 13}


def test_mandatory_event_may_ask_before_anything_else():
    game = give(begin_turn(base(event_roll="mandatory"), 3, pope=2), 0, merchant=1)
    script(game, 2, 2)
    game.apply("end turn")
    assert (game.actor, game.record.decision) == (0, CRISIS_DISCARD)
    game.apply("card Merchant")
    assert game.record.decision == TURN_MAIN


def test_a_mandatory_event_may_eliminate_its_roller():
    game = begin_turn(solo1(event_roll="mandatory"), 0)
    game.record.castles[13] = 1
    script(game.refresh(), 1, 1, 3, 2, 3, 4)
    game.apply("end turn")
    assert game.record.alive[1] == 0
    assert game.actor == 2  # who has already rolled 7
    assert money(game)[2] == 30 * 16
    assert np.array_equal(game.record.order, [0, 1, 2, 3])
