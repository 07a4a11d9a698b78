"""The examples of the rulebook, one test each."""

from __future__ import annotations

import pytest

from tests.games.portao_para_o_mundo.table import (
    BLACK,
    BLUE,
    BUILD,
    DROP_OUT,
    DUARTE,
    END,
    HENRIQUE,
    JOAN,
    KING,
    PAY_SET,
    PLAY_BRIBE,
    PLAY_CHURCHES,
    RED,
    SPACE,
    YELLOW,
    all_drop,
    all_paid,
    deliver,
    give,
    hand,
    lisbon,
    mask,
    new,
    node,
    pile,
    ranking,
    reals,
    set_pile,
    set_positions,
)


@pytest.mark.rules("WE-01", "LX-10", "PM-27", "BM-2")
def test_one_chip_is_resource_and_crew():
    game = give(lisbon(), disc=1, mfront=1, res={"pepper": 1}, front=0)
    assert {38, 39} <= mask(game)
    stock = int(game.record.stock[0])
    game.apply(38)
    record = game.record
    assert record.reals[0] == 6 and record.res[0, 2] == 0
    assert record.front[0] == 0 and record.stock[0] == stock + 1


@pytest.mark.rules("WE-02", "BM-1", "BM-5", "LX-7")
def test_yellow_builds_on_the_ten_space():
    game = lisbon(order=[YELLOW, RED, BLUE, BLACK])
    give(game, YELLOW, disc=13, mfront=1, res={"pepper": 2}, front=0)
    give(game, RED, markets=[8])
    assert game.record.stock[YELLOW] == 8
    assert mask(game) & set(range(BUILD, SPACE)) == {47}
    game.apply(47)
    record = game.record
    assert record.market[9] == YELLOW and record.reals[YELLOW] == 10
    assert record.front[YELLOW] == 1 and record.stock[YELLOW] == 9 and record.mfront[YELLOW] == 0
    assert record.noble[YELLOW] == 13


@pytest.mark.rules("WE-03", "NO-8", "PM-41")
def test_an_exchange_paid_twice():
    game = give(lisbon(), res={"tobacco": 2, "salt": 2}, front=0)
    assert game.record.stock[0] == 6
    game.apply(SPACE + 4)
    assert reals(game)[0] == 3 and node(game) == "EXCH" and mask(game) == {END, PAY_SET}
    game.apply(PAY_SET)
    record = game.record
    assert record.reals[0] == 6 and record.front[0] == 2 and record.stock[0] == 8 and record.noble[0] == 4
    assert game.actor == 1


def income(king: int, *spaces: int, **options) -> list[int]:
    """Return what one King pays in the Check phase; markers on other tracks stand on 0."""
    players = len(spaces)
    return reals(all_drop(set_positions(lisbon(players, **options), king, *spaces)))


@pytest.mark.rules("WE-04", "CH-4", "CH-7")
def test_income_of_the_picture():
    assert income(JOAN, 6, 3, 3, 0) == [8, 5, 5, 0]


@pytest.mark.rules("WE-05", "CH-5")
def test_a_tie_for_the_first_place():
    assert income(DUARTE, 5, 5, 1, 0) == [7, 7, 3, 0]


@pytest.mark.rules("WE-06", "CH-5", "PM-55")
def test_a_tie_for_second_to_fourth_on_three_payouts():
    kings = ["JOAN_A", "DUARTE_B", "PEDRO_A", "HENRIQUE_B"]
    assert income(DUARTE, 6, 2, 2, 2, kings=kings) == [12, 2, 2, 2]


@pytest.mark.rules("WE-07", "CH-9", "PM-57")
def test_the_turn_order_by_chips():
    game = lisbon()
    for seat, front in enumerate((5, 8, 6, 6)):
        give(game, seat, front=front)
    all_drop(game)
    assert game.record.order.tolist() == [RED, YELLOW, BLACK, BLUE] and game.actor == RED


@pytest.mark.rules("WE-08", "EN-3", "EN-5")
def test_the_market_bonus():
    game = all_paid(lisbon())
    for m, owner in enumerate((0, 0, 1, 1, 2, 3, 0, 2, 3, 3)):
        give(game, owner, markets=[m])
    all_drop(game)
    assert game.over and reals(game) == [5, 5, 0, 5]
    assert ranking(game) == [0, 1, 3, 2]


@pytest.mark.rules("WE-09", "EN-4", "PM-58")
def test_the_yellow_market_is_in_no_majority():
    game = all_drop(give(all_paid(lisbon()), YELLOW, markets=[12]))
    assert game.over and reals(game) == [0, 0, 0, 0]


@pytest.mark.rules("WE-10", "KI-3", "KI-8", "PM-29")
def test_a_mountain_pair_for_a_king():
    game = give(lisbon(), res={"mountain": 1})
    front = int(game.record.front[0])
    game.apply(24)
    record = game.record
    assert record.ind[0] == 1 and record.front[0] == front + 1 and record.res[0, 0] == 0 and record.pos[JOAN, 0] == 1
    assert node(game) == "ADVANCE" and mask(game) == {18, 19, 20, 21}


@pytest.mark.rules("WE-11", "GO-3", "PM-19")
@pytest.mark.parametrize("cards", [["goods"], []])
def test_the_last_card_is_kept(cards):
    game = set_pile(give(new(), put={0: [0, 3, 7]}, front=1), *cards)
    game.apply(94)
    assert hand(game) == {name: 1 for name in cards} and pile(game) == []
    assert node(game) == ("AFTER" if cards else "WA_TURN") and game.actor == (0 if cards else 1)


@pytest.mark.rules("WE-12", "WE-15", "SU-5", "CA-9", "PM-51")
def test_no_half_bribe_and_both_steps_on_one_track():
    game = give(new(), hand={"bribe": 1}, reals=1)
    assert PLAY_BRIBE not in mask(game)
    give(game, reals=2)
    game.apply(PLAY_BRIBE)
    assert mask(game) == {18, 19, 20, 21}
    game.apply(KING + HENRIQUE)
    assert reals(game)[0] == 0 and node(game) == "WA_TURN"
    assert game.record.pos[:, 0].tolist() == [0, 0, 0, 2]


@pytest.mark.rules("WE-13", "CA-8", "CA-6", "PM-49")
def test_two_markets_in_a_turn():
    game = give(lisbon(), disc=5, mfront=2, res={"pepper": 1}, hand={"churches": 1})
    front = int(game.record.front[0])
    game.apply(PLAY_CHURCHES)
    assert mask(game) == {38, 39, 40, 41}
    game.apply(38)
    record = game.record
    assert record.reals[0] == 6 and record.res[0, 2] == 1 and record.virt[2] == 0 and record.front[0] == front - 1
    assert node(game) == "LX_TURN"
    game.apply(40)
    assert record.reals[0] == 13 and record.res[0, 2] == 0 and record.front[0] == front - 1
    assert record.market[0] == record.market[2] == 0 and game.actor == 1


@pytest.mark.rules("WE-14", "EN-8", "OV-10")
def test_a_tie_in_reals_goes_to_the_higher_place():
    game = all_paid(lisbon(order=[3, 2, 1, 0]))
    game.record.reals[:] = [7, 7, 3, 1]
    all_drop(game)
    assert game.record.order.tolist() == [3, 2, 1, 0] and reals(game) == [7, 7, 3, 1]
    assert ranking(game) == [1, 0, 2, 3]
    assert game.outcome("win").tolist() == [pytest.approx(-1 / 3), 1, pytest.approx(-1 / 3), pytest.approx(-1 / 3)]


@pytest.mark.rules("WE-16", "KI-2", "KI-4", "KI-5", "KI-7", "CH-8", "PM-32")
def test_first_and_later_deliveries():
    game = give(give(lisbon(), res={"salt": 2}), BLUE, res={"salt": 1})
    record = game.record
    game.apply(22)
    assert record.ships[0] == 1 and record.pos[JOAN, 0] == 1 and record.delivered[JOAN, 0] == 1
    game.apply(22)
    assert record.ships[1] == 0 and record.pos[JOAN, 1] == 1 and record.ind[1] == 1
    game.apply(DROP_OUT).apply(DROP_OUT)
    game.apply(22)
    assert record.pos[JOAN, 0] == 2 and record.ships[0] == 1 and record.ind[0] == 2
    all_drop(game)
    assert record.round_no == 2 and not record.delivered.any() and not record.ind.any()
    assert record.pos[JOAN].tolist() == [2, 1, 0, 0] and record.front.tolist() == [4, 4, 4, 4]


@pytest.mark.rules("WE-17", "TP-1", "TP-2", "TP-3", "PR-1", "PM-05")
def test_the_two_player_game():
    game = new(2)
    record = game.record
    assert record.front[:2].tolist() == [5, 5] and record.stock[:2].tolist() == [6, 6]
    assert (record.king_face >= 0).sum() == 3 and (record.slot_face >= 0).tolist() == [1, 1, 0, 0, 1, 0]
    assert record.box_adv == 2
    assert mask(game) == {0, 86, 101}
    game.apply(DROP_OUT)
    assert mask(game) == {0, 86 + 6, 86 + 9 + 0}  # the same two villages from the other side


@pytest.mark.rules("WE-18", "KI-9", "PM-35")
def test_a_market_from_an_empty_stock():
    game = give(lisbon(), mfront=5, res={"wine": 1})
    assert game.record.mstock[0] == 0
    game.apply(deliver(JOAN, 1))
    assert reals(game)[0] == 1 and game.record.mfront[0] == 5
    again = give(lisbon(), mfront=4, res={"wine": 1}).apply(deliver(JOAN, 1))
    assert reals(again)[0] == 0 and again.record.mfront[0] == 5
