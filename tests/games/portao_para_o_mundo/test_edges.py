"""Edge cases of the rules, one test each."""

from __future__ import annotations

import pytest

from tests.games.portao_para_o_mundo.table import (
    ADVENTURER,
    BUILD,
    DROP_OUT,
    DUARTE,
    END,
    JOAN,
    KING,
    PLAY_BRIBE,
    PLAY_CHURCHES,
    PLAY_CONNECTIONS,
    PLAY_GOODS,
    PLAY_NOBLES,
    PLAY_SHIP,
    SPACE,
    all_drop,
    deliver,
    give,
    hand,
    lisbon,
    mask,
    new,
    node,
    pile,
    reals,
    set_pile,
    set_positions,
)

BUILDS = set(range(BUILD, SPACE))


@pytest.mark.rules("EC-01", "WA-5", "WA-6", "WA-7", "PM-09", "PM-01")
def test_where_the_first_chip_goes():
    game = new()
    assert mask(game) == {0, 86, 103}
    give(game, ships=1)
    assert mask(game) == {0, 86, 103, 110, 115, 128, 139}


@pytest.mark.rules("EC-02", "WA-6", "WA-8", "PM-24")
def test_a_second_chip_on_the_coast_is_free():
    game = give(new(), ships=1)
    game.apply(128)
    assert game.record.ships[0] == 0 and game.record.first[4, 6] == 0
    for _ in range(3):
        game.apply(DROP_OUT)
    assert mask(game) == {0, 86, 103, 125, 129}


@pytest.mark.rules("EC-03", "WA-9", "WA-10", "CO-5")
def test_two_chips_for_a_mountain_and_none_for_a_lake():
    game = give(new(), put={0: [0, 1, 2]}, front=1)
    assert 91 not in mask(game) and 90 not in mask(game)
    give(game, front=2)
    assert 91 in mask(game) and 90 not in mask(game)
    game.apply(91)
    assert game.record.front[0] == 0 and game.record.first[0, 5] == 0


@pytest.mark.rules("EC-04", "LX-2", "WA-13", "PM-15", "PM-18")
def test_two_pairs_on_one_mountain():
    game = give(new(), 0, put={0: [5]}, front=0)
    give(game, 1, put={0: [5]}, front=0)
    all_drop(game)
    record = game.record
    assert record.front[:2].tolist() == [0, 2] and record.res[:, 0].tolist() == [1, 0, 0, 0]
    game.apply(DROP_OUT)
    assert record.front[0] == 0  # the first pair stays together on the boards until the end of the round
    all_drop(game)
    assert record.front[:2].tolist() == [2, 2]


@pytest.mark.rules("EC-05", "GO-2", "WA-12", "PM-19", "PM-18")
def test_a_later_chip_on_gold():
    game = give(new(), 1, put={0: [8]})
    give(game, 0, put={0: [7]})
    before = pile(game)
    game.apply(94)
    record = game.record
    assert pile(game) == before and record.first[0, 8] == 1
    assert record.chips[0, 0] >> 8 & 1 and record.chips[0, 1] >> 8 & 1


@pytest.mark.rules("EC-06", "AD-1", "AD-2", "AD-3", "AD-4", "GO-1", "PM-21", "PM-22")
def test_an_adventurer_crosses_the_lake_to_the_gold():
    game = give(new(), put={0: [0, 1]}, front=2, advs=1)
    set_pile(game, "bribe", "ships", "medal", "nobles", "nobles")
    game.apply(ADVENTURER).apply(90)
    assert mask(game) == {88, 89, 91, 93, 94, 103} and game.actor == 0
    game.apply(94)
    assert node(game) == "KEEP" and mask(game) == {11, 14}
    game.apply(14)
    assert hand(game) == {"bribe": 1} and pile(game) == ["medal", "nobles", "nobles", "ships"]
    assert node(game) == "AFTER" and game.record.adv_used[0] == 1
    game.apply(END)
    assert game.record.adv_used[0] == 0 and not game.record.adv_hexes.any() and game.record.advs[0] == 0
    assert game.view(0)["supply"][1] == pytest.approx(2 / 3)  # both Adventurers are on their Kings again
    for _ in range(3):
        game.apply(DROP_OUT)
    assert mask(game) == {0, 88, 89, 93, 103}


@pytest.mark.rules("EC-07", "PM-21")
def test_no_adventurer_without_a_chip_to_follow():
    game = give(new(), put={0: [0]}, front=0, advs=1)
    assert mask(game) == {DROP_OUT}
    give(game, front=1)
    assert ADVENTURER in mask(game)


@pytest.mark.rules("EC-08", "LX-1", "PM-25")
def test_tokens_return_for_a_real_and_can_be_won_again():
    game = give(give(new(), 0, ships=1), 1, advs=1)
    all_drop(game)
    record = game.record
    assert reals(game) == [1, 1, 0, 0] and not record.ships.any() and not record.advs.any()
    give(give(game, 0, res={"salt": 1}), 1, res={"tobacco": 1})
    game.apply(deliver(JOAN, 0)).apply(deliver(DUARTE, 1))
    assert record.ships[0] == 1 and record.advs[1] == 1


@pytest.mark.rules("EC-09", "CA-10", "PM-32", "PM-27", "PM-50")
def test_goods_of_a_card_are_delivered():
    game = give(lisbon(), hand={"goods": 1})
    game.apply(PLAY_GOODS)
    assert mask(game) == {72, 73, 75, 76, 77, 78, 79, 80, 82, 83, 84, 85}
    game.apply(76)
    assert game.record.virt.tolist() == [0, 0, 0, 0, 2, 0, 0]
    game.apply(23)
    record = game.record
    assert record.pos[JOAN, 0] == 1 and record.mfront[0] == 1 and record.ind[0] == 0 and record.delivered[JOAN, 1] == 1
    assert game.actor == 1 and not record.virt.any()


@pytest.mark.rules("EC-10", "KI-8", "PM-33")
def test_advance_on_the_king_that_grants_it():
    game = give(lisbon(), res={"mountain": 1})
    game.apply(24).apply(KING + JOAN)
    assert game.record.pos[JOAN, 0] == 2 and game.actor == 1


@pytest.mark.rules("EC-11", "PM-38")
def test_crew_icon_with_an_empty_stock():
    game = give(lisbon(), res={"wine": 1}, front=9)
    assert game.record.stock[0] == 0
    game.apply(SPACE + 1)
    assert game.record.noble[0] == 1 and game.record.front[0] == 10 and game.record.stock[0] == 0


@pytest.mark.rules("EC-12", "NO-6", "PM-40")
def test_market_icon_needs_a_market_and_room():
    game = give(lisbon(), res={"mountain": 1})
    assert 57 not in mask(game)
    game = give(give(lisbon(), res={"mountain": 1}, mfront=1), 1, markets=[2, 3])
    assert 57 not in mask(game)
    game = give(lisbon(), res={"mountain": 1}, mfront=1)
    game.apply(57)
    assert node(game) == "ICON" and mask(game) == {40, 41}
    front = int(game.record.front[0])
    game.apply(40)
    assert reals(game)[0] == 7 and game.record.front[0] == front  # only the cost of the space was paid


@pytest.mark.rules("EC-13", "BM-4", "CA-7", "PM-49")
def test_no_build_in_the_last_green_area_but_by_churches_behind_it():
    game = give(lisbon(), disc=16, mfront=1, res={"pepper": 3})
    assert not mask(game) & BUILDS
    give(game, hand={"churches": 1})
    game.apply(PLAY_CHURCHES)
    assert mask(game) == set(range(38, 48))


@pytest.mark.rules("EC-14", "PM-31")
def test_nothing_to_build_from_the_starting_space():
    game = give(lisbon(), disc=0, mfront=1, res={"pepper": 3}, hand={"churches": 1})
    assert not mask(game) & (BUILDS | {PLAY_CHURCHES})


@pytest.mark.rules("EC-15", "CA-11", "PM-52")
def test_one_connections_card_for_one_chip():
    game = give(lisbon(), disc=1, mfront=1, res={"pepper": 1}, hand={"connections": 2})
    game.apply(38)
    assert node(game) == "AFTER" and mask(game) == {END, PLAY_CONNECTIONS}
    front, stock = int(game.record.front[0]), int(game.record.stock[0])
    game.apply(PLAY_CONNECTIONS)
    assert game.record.front[0] == front + 1 and game.record.stock[0] == stock - 1
    assert mask(game) == {END}


@pytest.mark.rules("EC-16", "PM-51")
def test_a_bribe_needs_two_free_spaces():
    game = give(lisbon(), pos={0: 14, 1: 13, 2: 15, 3: 14}, hand={"bribe": 1}, reals=5)
    game.apply(PLAY_BRIBE)
    assert mask(game) == {19}
    game.apply(19)
    assert game.record.pos[DUARTE, 0] == 15
    give(game, 1, pos={0: 14, 1: 14, 2: 15, 3: 14}, hand={"bribe": 1}, reals=5)
    assert PLAY_BRIBE not in mask(give(game, 0, hand={"bribe": 1}))


@pytest.mark.rules("EC-17", "CA-3", "CA-4", "CA-5", "PM-47", "PM-63", "NO-3")
def test_nobles_goes_back_from_the_last_space():
    game = give(lisbon(), disc=20, hand={"nobles": 1}, res={"gold": 1})
    assert not mask(game) & set(range(51, 72))
    before = pile(game)
    game.apply(PLAY_NOBLES)
    assert mask(game) == set(range(51, 70))
    game.apply(53)
    record = game.record
    assert record.noble[0] == 2 and record.res[0, 1] == 1 and pile(game) == before
    assert not record.hand[0].any() and node(game) == "LX_TURN" and game.actor == 0


@pytest.mark.rules("EC-18", "CH-6", "CH-2", "PM-56")
def test_two_kings_pay_at_once_and_only_once():
    game = set_positions(set_positions(lisbon(), JOAN, 5, 0, 0, 0), DUARTE, 0, 7, 4, 0)
    all_drop(game)
    assert reals(game) == [8, 9, 6, 0] and game.record.paid.tolist() == [1, 1, 0, 0]
    all_drop(all_drop(game))
    assert reals(game) == [8, 9, 6, 0] and game.record.round_no == 3


@pytest.mark.rules("EC-19", "PM-59", "PM-61")
def test_cut_off_with_the_usual_scoring():
    game = set_positions(new(max_rounds=1), JOAN, 2, 1, 0, 0)
    all_drop(all_drop(game))
    assert game.over and game.truncated and reals(game) == [8, 6, 0, 0]


@pytest.mark.rules("EC-20", "CH-3", "PM-55")
def test_income_with_three_and_with_two_players():
    def income(*spaces: int) -> list[int]:
        return reals(all_drop(set_positions(lisbon(len(spaces), max_rounds=2), JOAN, *spaces)))

    assert income(5, 5, 5) == [6, 6, 6]
    assert income(5, 5) == [7, 7]
    assert income(0, 5) == [0, 8]
    assert income(7, 6, 5) == [8, 6, 4]  # the 4-player icon is not used

    def final(*spaces: int) -> list[int]:
        return reals(all_drop(all_paid_at(len(spaces), spaces)))

    assert final(4, 4, 4) == [6, 6, 6] and final(4, 4) == [7, 7] and final(0, 3) == [0, 8]


def all_paid_at(players: int, spaces: tuple[int, ...]):
    game = set_positions(lisbon(players), JOAN, *spaces)
    game.record.paid[:] = 1
    return game.refresh()


@pytest.mark.rules("EC-21", "PM-34")
def test_a_delivery_at_the_end_of_the_track():
    game = give(lisbon(), pos={JOAN: 15}, res={"salt": 1})
    game.apply(22)
    assert game.record.pos[JOAN, 0] == 15 and game.record.ships[0] == 1


@pytest.mark.rules("EC-22", "CA-1", "PM-45", "PM-46")
def test_support_from_ships_opens_a_coast():
    game = give(new(), hand={"ships": 1}, ships=1)
    give(game, ships=0)
    game.apply(PLAY_SHIP)
    assert game.record.mfront[0] == 1 and game.record.mstock[0] == 4
    assert node(game) == "WA_SHIP" and mask(game) == {110, 115, 128, 139}
    game.apply(139)
    assert game.record.first[5, 8] == 0 and game.record.ships[0] == 0 and game.record.ship_pending == 0
    give(game, 1, hand={"ships": 1}, ships=1)
    game.apply(PLAY_SHIP).apply(139)
    assert game.record.ships[1] == 1  # the token stays


@pytest.mark.rules("EC-23", "PM-55")
@pytest.mark.parametrize(
    ("spaces", "paid"), [((3, 5, 3, 3), [4, 8, 4, 4]), ((0, 0, 5, 0), [0, 0, 8, 0]), ((5, 5, 5, 5), [5, 5, 5, 5])]
)
def test_four_way_shares(spaces, paid):
    assert reals(all_drop(set_positions(lisbon(), JOAN, *spaces))) == paid


@pytest.mark.rules("EC-24", "WA-2", "PM-12", "PM-28")
def test_chips_kept_back_pay_as_crew():
    game = lisbon()
    assert game.record.front.tolist() == [4, 4, 4, 4]
    give(game, res={"tobacco": 1, "salt": 1})
    give(game, front=2)
    game.apply(SPACE + 4)
    assert game.record.front[0] == 2 + 2 - 1
