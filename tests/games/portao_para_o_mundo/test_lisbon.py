"""Lisbon Phase: payments, Kings, Markets, the Lisbon track."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from lusogames_env.engine.components import Components
from lusogames_env.engine.game import Box
from lusogames_env.engine.state import GameState
from lusogames_env.games.portao_para_o_mundo.game import BONUSES, GAME
from tests.games.portao_para_o_mundo.table import (
    BUILD,
    DELIVER,
    DROP_OUT,
    DUARTE,
    END,
    HENRIQUE,
    JOAN,
    KING,
    PAY_SET,
    PEDRO,
    PLAY_GOODS,
    SETUP4,
    SPACE,
    TAKE1,
    TAKE2,
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
    reals,
    set_pile,
    set_positions,
)

BUILDS = set(range(BUILD, SPACE))
SPACES = set(range(SPACE, TAKE2))
ALL = {"mountain": 1, "gold": 1, "pepper": 1, "salt": 1, "wine": 1, "tobacco": 1, "coffee": 1}


@pytest.mark.rules("LX-3", "LX-4", "LX-5", "RP-3")
def test_one_action_a_turn_on_a_king_or_the_lisbon_board():
    game = give(lisbon(), res={"salt": 2, "wine": 1}, disc=0)
    for seat in (1, 2):
        give(game, seat, res={"salt": 1})
    game.apply(deliver(JOAN, 0))
    assert game.actor == 1
    game.apply(SPACE + 3)
    assert game.actor == 2
    game.apply(DROP_OUT).apply(DROP_OUT)
    assert game.actor == 0
    game.apply(DROP_OUT)
    assert game.actor == 1 and game.record.phase == 1  # the others have no more turns
    game.apply(DROP_OUT)
    assert game.record.round_no == 2


@pytest.mark.rules("LX-6", "LX-8", "LX-9", "BM-1")
def test_actions_cost_resources_or_chips_or_both():
    game = give(lisbon(), disc=1, mfront=1)
    assert mask(game) == {DROP_OUT}  # no resource, no action
    give(game, res={"pepper": 1})
    assert mask(game) & BUILDS == {38, 39}
    give(game, res={"tobacco": 1, "salt": 1})
    assert SPACE + 4 in mask(game) and SPACE + 3 not in mask(give(lisbon(), res={"wine": 1}))
    give(game, mfront=0)
    assert not mask(game) & BUILDS
    game = give(lisbon(), res={"mountain": 1})  # a Mountain is a type of its own
    assert mask(game) & SPACES == {SPACE + 10}
    assert {a for a in mask(game) if DELIVER <= a < BUILD} == {deliver(JOAN, 2), deliver(PEDRO, 2)}


@pytest.mark.rules("LX-9", "PM-28", "LX-7")
def test_crew_is_paid_from_in_front_to_the_stock():
    game = give(lisbon(), res={"tobacco": 1, "salt": 1})
    record = game.record
    front, stock = int(record.front[0]), int(record.stock[0])
    game.apply(SPACE + 4)
    assert record.front[0] == front + 2 - 1 and record.stock[0] == stock + 1
    game = give(lisbon(), disc=4, mfront=1, hand={"goods": 1}, front=0)
    game.apply(PLAY_GOODS).apply(TAKE2 + 3)
    # chips on Kings or on other hexes cannot pay the Crew
    give(game, ind=0, res={"tobacco": 0})
    assert SPACE + 3 not in mask(game) and not mask(game) & BUILDS


@pytest.mark.rules("PM-27")
def test_card_resources_pay_first_but_not_the_crew():
    def exchange(front: int) -> list[int]:
        game = give(lisbon(), res={"tobacco": 1, "salt": 1}, hand={"goods": 1}, front=front)
        game.apply(PLAY_GOODS).apply(TAKE1 + 5)
        game.apply(SPACE + 4)
        record = game.record
        assert game.record.reals[0] == 3
        return [int(record.res[0, 5]), int(record.res[0, 3]), int(record.front[0])]

    assert exchange(2) == [1, 0, 2]  # Tobacco from the card, Salt comes back, one chip paid
    assert exchange(0) == [1, 0, 0]  # the Salt chip pays
    game = give(lisbon(), res={"tobacco": 1, "salt": 1}, hand={"goods": 2}, front=0)
    game.apply(PLAY_GOODS).apply(TAKE1 + 5).apply(PLAY_GOODS).apply(TAKE1 + 3)
    game.apply(SPACE + 4)  # both could come from cards; one real unit, the first in type order, pays the Crew
    assert game.record.res[0].tolist() == [0, 0, 0, 0, 0, 1, 0] and game.record.front[0] == 0
    game = give(lisbon(), hand={"goods": 2}, front=0)
    game.apply(PLAY_GOODS).apply(TAKE1 + 5).apply(PLAY_GOODS).apply(TAKE1 + 3)
    assert SPACE + 4 not in mask(game)


@pytest.mark.rules("PM-29", "PM-27")
def test_a_mountain_pays_as_one_unit_and_both_chips_come_back():
    game = give(lisbon(), res={"mountain": 1}, mfront=1, front=0)
    game.apply(SPACE + 6)  # Mountain and a Crew chip
    assert game.record.res[0, 0] == 0 and game.record.front[0] == 1
    game = give(lisbon(), res={"mountain": 1})
    front = int(game.record.front[0])
    game.apply(SPACE + 10)
    assert game.record.front[0] == front + 2 + 1  # and one from the Crew icon


@pytest.mark.rules("PM-42", "NO-2")
def test_a_crew_gain_never_helps_to_pay():
    data = tomllib.loads((Path(GAME.folder) / "components.toml").read_text(encoding="utf-8"))
    data["space"][1]["cost"] = {"WINE": 1, "CREW": 1}  # a Crew icon that costs a chip
    box = Box(GAME, {"setup": SETUP4}, Components("mine.toml", data))
    for front in (0, 1):
        game = give(all_drop(GameState.from_box(box, 1)), hand={"goods": 1}, front=front)
        game.apply(PLAY_GOODS).apply(TAKE2 + 4)
        assert (SPACE + 1 in mask(game)) == (front == 1)
    game.apply(SPACE + 1)
    assert game.record.front[0] == 1


# ---- Action on a King board ----


@pytest.mark.rules("KI-1", "KI-6", "PM-30", "KI-2")
def test_three_wanted_types_and_pepper_for_every_king():
    game = give(lisbon(), res=ALL)
    box, record = game.box.record[0], game.record
    offered = {a - DELIVER for a in mask(game) if DELIVER <= a < BUILD}
    assert offered == set(range(16))
    for king in (JOAN, DUARTE, PEDRO, HENRIQUE):
        for place in range(3):
            twin = game.clone().apply(deliver(king, place))
            kind = int(box.wants[record.king_face[king], place])
            assert twin.record.res[0, kind] == 0 and twin.record.ind[0] == 1 and twin.record.pos[king, 0] == 1
            assert twin.record.delivered[king].sum() == 1
        twin = game.clone().apply(deliver(king, 3))
        record = twin.record
        assert record.res[0, 2] == 0 and record.pos[king, 0] == 1 and record.ind[0] == 1
        assert not record.delivered.any() and not record.ships.any() and not record.advs.any()
        assert record.mfront[0] == 0 and twin.actor == 1


@pytest.mark.rules("OV-6", "KI-7", "KI-8", "KI-9", "KI-4")
def test_the_four_bonuses():
    game = give(lisbon(), res=ALL)
    box, record = game.box.record[0], game.record
    for king in range(4):
        for place in range(3):
            twin = game.clone().apply(deliver(king, place))
            after = twin.record
            gained = {
                "SHIP": int(after.ships[0]),
                "ADVENTURER": int(after.advs[0]),
                "ADVANCE": int(node(twin) == "ADVANCE"),
                "MARKET": int(after.mfront[0]),
            }
            bonus = BONUSES[box.bonus[record.king_face[king], place]]
            assert gained == {name: int(name == bonus) for name in BONUSES}


@pytest.mark.rules("KI-10", "EN-7")
def test_where_tokens_and_markets_are_used():
    game = give(lisbon(), res={"salt": 1, "tobacco": 1, "wine": 1})
    for action in (deliver(JOAN, 0), deliver(DUARTE, 1), deliver(JOAN, 1)):
        game.apply(action)
        while game.actor != 0:
            game.apply(DROP_OUT)
    record = game.record
    assert record.ships[0] == record.advs[0] == record.mfront[0] == 1
    assert 2 not in mask(game) and mask(game) == {DROP_OUT}  # Ships and Adventurers do nothing in Lisbon
    all_drop(game)
    game.apply(DROP_OUT) if game.actor != 0 else None
    while game.actor != 0:
        game.apply(DROP_OUT)
    assert {2, 128} <= mask(game) and not mask(game) & BUILDS


@pytest.mark.rules("PM-32", "KI-5")
def test_the_bonus_is_there_once_per_king_type_and_round():
    game = give(lisbon(), res={"salt": 3})
    game.apply(deliver(JOAN, 0))
    for _ in range(3):
        game.apply(DROP_OUT)
    game.apply(deliver(DUARTE, 0))  # another King has its own bonus for the same type
    assert game.record.mfront[0] == 1
    game.apply(deliver(DUARTE, 0))
    assert game.record.mfront[0] == 1 and game.record.pos[DUARTE, 0] == 2 and game.record.ind[0] == 3
    game.apply(DROP_OUT)
    all_drop(game)
    give(game, res={"salt": 1}).apply(deliver(DUARTE, 0))
    assert game.record.mfront[0] == 2  # a new round, a new bonus


@pytest.mark.rules("PM-33")
def test_advance_is_lost_with_all_markers_at_the_end():
    game = give(lisbon(), res={"mountain": 1}, pos={0: 14, 1: 15, 2: 15, 3: 15})
    game.apply(deliver(JOAN, 2))
    assert game.actor == 1 and game.record.pos[JOAN, 0] == 15
    game = give(lisbon(2), res={"mountain": 1}, pos={0: 3, 2: 15, 3: 14})
    game.apply(deliver(JOAN, 2))
    assert mask(game) == {KING + JOAN, KING + HENRIQUE}  # a King in play with room


# ---- Build a Market ----


@pytest.mark.rules("BM-2", "BM-1", "BM-3", "BM-4", "PM-36")
def test_markets_of_every_area():
    costs = {1: 1, 4: 1, 7: 1, 10: 2, 13: 2}
    for disc in range(21):
        game = give(lisbon(), disc=disc, mfront=1, res={"pepper": 2})
        box = game.box.record[0]
        area = int(box.space_area[disc])
        builds = mask(game) & BUILDS
        allowed = {BUILD + m for m in range(13) if box.market_area[m] == area} if 0 <= area < 5 else set()
        assert builds == allowed
        for action in builds:
            twin = game.clone().apply(action)
            assert twin.record.reals[0] == box.market_reals[action - BUILD]
            assert twin.record.mfront[0] == 0 and twin.record.noble[0] == disc
            assert twin.record.stock[0] == game.record.stock[0] + 1
            if disc in costs:
                assert twin.record.res[0, 2] == 2 - costs[disc]
    poor = give(lisbon(), disc=10, mfront=1, res={"pepper": 1})
    assert not mask(poor) & BUILDS


@pytest.mark.rules("PM-36")
def test_building_again_in_the_same_area():
    game = give(lisbon(), disc=1, mfront=2, res={"pepper": 2})
    game.apply(BUILD)
    for _ in range(3):
        game.apply(DROP_OUT)
    assert mask(game) & BUILDS == {BUILD + 1}
    game.apply(BUILD + 1)
    assert reals(game)[0] == 11 and game.record.market[:2].tolist() == [0, 0]


# ---- Advance the Noble disc ----


@pytest.mark.rules("NO-1", "NO-2", "NO-3", "PM-37")
def test_the_disc_moves_forward_any_number_of_spaces():
    game = give(give(lisbon(), disc=2, res=ALL), 1, disc=5)
    box = game.box.record[0]
    payable = {SPACE + s for s in range(3, 19) if max(box.space_cost[s, :7]) <= 1 and box.space_icon[s] != 3}
    assert mask(game) & SPACES == payable
    before = game.record.res[0].copy()
    game.apply(SPACE + 5)  # passes two spaces, shares the last one
    assert game.record.noble[0] == 5 and game.actor == 1
    assert (before - game.record.res[0]).tolist() == box.space_cost[5, :7].tolist()
    while game.actor != 0:
        game.apply(DROP_OUT)
    assert SPACE + 5 not in mask(game)  # at least one space


@pytest.mark.rules("NO-4", "NO-5", "OV-4", "OV-7")
def test_the_crew_icon():
    game = give(lisbon(), res={"wine": 1})
    front, stock = int(game.record.front[0]), int(game.record.stock[0])
    game.apply(SPACE + 1)
    assert game.record.front[0] == front + 2 and game.record.stock[0] == stock - 1


@pytest.mark.rules("NO-6", "OV-7")
def test_the_market_icon_costs_what_the_space_shows():
    game = give(lisbon(), disc=18, mfront=1, res={"pepper": 3, "gold": 1}, front=0)
    game.apply(SPACE + 20)
    assert node(game) == "ICON" and mask(game) == {BUILD + 12}
    game.apply(BUILD + 12)
    record = game.record
    assert reals(game)[0] == 24 and record.market[12] == 0 and record.noble[0] == 20
    assert record.front[0] == 4 - 1 and not record.res[0].any()


@pytest.mark.rules("NO-7", "PM-39", "OV-8")
def test_the_card_icon_and_a_short_pile():
    game = set_pile(give(lisbon(), res={"gold": 1}), "medal", "bribe", "goods")
    game.apply(SPACE + 2)
    assert mask(game) == {11 + 3, 11 + 6} and game.view(1)["returns_to"].tolist() == [0, 1, 0]
    game.apply(11 + 6)
    assert hand(game) == {"medal": 1} and pile(game) == ["goods", "bribe"] and mask(game) == {END}
    game = set_pile(give(lisbon(), res={"gold": 1}), "medal")
    game.apply(SPACE + 2)
    assert hand(game) == {"medal": 1} and node(game) == "AFTER"
    game = set_pile(give(lisbon(), res={"gold": 1}))
    assert SPACE + 2 in mask(game)
    game.apply(SPACE + 2)
    assert hand(game) == {} and game.actor == 1 and game.record.noble[0] == 2


@pytest.mark.rules("NO-8", "PM-41")
def test_the_reals_icon_pays_set_by_set():
    game = give(lisbon(), res={"tobacco": 2, "salt": 1})
    game.apply(SPACE + 4)
    assert reals(game)[0] == 3 and game.actor == 1  # no second set: the turn is over
    game = give(lisbon(), res={"tobacco": 3, "salt": 3}, front=3)
    game.apply(SPACE + 4).apply(PAY_SET)
    assert mask(game) == {END, PAY_SET}
    game.apply(END)
    assert reals(game)[0] == 6 and game.record.res[0, 3] == 1 and game.actor == 1
    game = give(lisbon(), res={"tobacco": 1})
    assert SPACE + 4 not in mask(game)  # the first set is the cost of the space


@pytest.mark.rules("PM-63")
def test_nothing_beyond_the_last_space():
    game = give(lisbon(), disc=20, mfront=1, res=ALL)
    assert not mask(game) & (SPACES | BUILDS) and deliver(JOAN, 0) in mask(game)


@pytest.mark.rules("OV-4", "CH-2", "CH-8")
def test_a_round_from_end_to_end():
    game = set_positions(give(lisbon(), res={"salt": 1, "pepper": 2}), JOAN, 4, 1, 0, 0)
    give(game, 1, res={"wine": 1})
    game.apply(deliver(JOAN, 0)).apply(deliver(JOAN, 1))
    all_drop(game)
    record = game.record
    assert reals(game) == [8, 6, 0, 0] and record.paid.tolist() == [1, 0, 0, 0]
    assert record.front.tolist() == [4, 4, 4, 4] and not record.res.any() and not record.ind.any()
    assert record.pos[JOAN].tolist() == [5, 2, 0, 0]  # markers stay


@pytest.mark.rules("PM-25")
def test_tokens_won_in_lisbon_stay_till_the_next_one():
    game = give(lisbon(), res={"salt": 1})
    game.apply(deliver(JOAN, 0))
    all_drop(game)
    assert game.record.ships[0] == 1 and game.record.phase == 0
    all_drop(game)
    assert game.record.ships[0] == 0 and reals(game)[0] == 1


@pytest.mark.rules("PM-08")
def test_a_king_out_of_play_takes_nothing():
    game = give(lisbon(2), res=ALL, hand={"bribe": 1}, reals=2)
    offered = {a for a in mask(game) if DELIVER <= a < BUILD}
    assert offered and not offered & set(range(deliver(DUARTE, 0), deliver(PEDRO, 0)))
    game.apply(8)
    assert mask(game) == {18, 20, 21}
    assert new(2).record.paid.tolist() == [0, 1, 0, 0] and not all_paid(new(2)).over
