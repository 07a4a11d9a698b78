"""Check phase and End of Game."""

from __future__ import annotations

import numpy as np
import pytest

from tests.games.portao_para_o_mundo.table import (
    DROP_OUT,
    DUARTE,
    JOAN,
    PEDRO,
    all_drop,
    all_paid,
    give,
    lisbon,
    mask,
    new,
    ranking,
    reals,
    set_positions,
)


@pytest.mark.rules("CH-2", "CH-1")
@pytest.mark.parametrize(("space", "paid"), [(4, 0), (5, 8), (6, 8), (15, 8)])
def test_a_marker_on_or_past_five_brings_income(space, paid):
    game = set_positions(lisbon(), JOAN, space, 0, 0, 0)
    for _ in range(3):
        game.apply(DROP_OUT)
        assert reals(game)[0] == 0  # not before the Check phase
    game.apply(DROP_OUT)
    assert reals(game)[0] == paid and game.record.paid[JOAN] == (paid > 0)


@pytest.mark.rules("CH-3", "PM-55")
def test_payouts_by_player_count_and_shares_not_passed_on():
    assert reals(all_drop(set_positions(lisbon(), JOAN, 8, 7, 6, 5))) == [8, 6, 4, 2]
    assert reals(all_drop(set_positions(lisbon(3), JOAN, 8, 7, 6))) == [8, 6, 4]
    assert reals(all_drop(set_positions(lisbon(2), JOAN, 8, 7))) == [8, 6]
    assert reals(all_drop(set_positions(lisbon(), JOAN, 5, 0, 0, 0))) == [8, 0, 0, 0]
    assert new(3).view(0)["kings"][JOAN, 35:39].tolist() == pytest.approx([8 / 12, 6 / 12, 4 / 12, 0])


@pytest.mark.rules("PM-56", "CH-6")
def test_a_king_that_has_paid_waits_for_the_end():
    game = set_positions(lisbon(), JOAN, 5, 0, 0, 0)
    all_drop(game)
    give(game, 1, pos={JOAN: 9})
    all_drop(all_drop(game))
    assert reals(game) == [8, 0, 0, 0]


@pytest.mark.rules("CH-9", "PM-57")
def test_only_chips_in_front_count_for_the_order():
    game = lisbon()
    give(game, 0, front=3, ind=0, res={})
    give(game, 1, res={"mountain": 1})  # its pair comes back before the count
    all_drop(game)
    assert game.record.front.tolist() == [3, 4, 4, 4] and game.record.order.tolist() == [0, 1, 2, 3]
    game = lisbon(order=[3, 1, 2, 0])
    give(game, 1, front=9)
    give(game, 0, front=1)
    all_drop(game)
    assert game.record.order.tolist() == [0, 3, 2, 1]


@pytest.mark.rules("EN-1", "OV-9", "CH-10")
def test_the_game_ends_with_the_round_in_which_the_last_king_pays():
    game = lisbon()
    game.record.paid[:] = [0, 1, 1, 1]
    set_positions(game, JOAN, 5, 0, 0, 0)
    give(game, 0, front=9)
    for _ in range(3):
        game.apply(DROP_OUT)
        assert not game.over
    game.apply(DROP_OUT)
    assert game.over and not game.truncated and game.actor == -1 and mask(game) == set()
    assert game.record.order.tolist() == [1, 2, 3, 0]  # the Turn Order was updated
    assert reals(game) == [16, 0, 0, 0]  # the first and the final income
    three = lisbon()
    three.record.paid[:] = [0, 1, 1, 1]
    all_drop(three.refresh())
    assert not three.over and three.record.round_no == 2


@pytest.mark.rules("EN-2", "PM-59")
def test_every_king_pays_again():
    game = all_paid(lisbon())
    for king in (JOAN, DUARTE, PEDRO):
        set_positions(game, king, 3, 1, 1, 0)
    all_drop(game)
    assert reals(game) == [8 + 9 + 7, 5 + 4 + 5, 5 + 4 + 5, 0]


@pytest.mark.rules("EN-3", "PM-58")
def test_majorities_need_a_market():
    game = all_paid(lisbon())
    give(give(game, 1, markets=[0]), 2, markets=[6, 7])
    give(game, 3, markets=[10])
    all_drop(game)
    assert reals(game) == [0, 5, 5, 0]
    assert reals(all_drop(all_paid(lisbon()))) == [0, 0, 0, 0]


@pytest.mark.rules("EN-7")
def test_a_real_for_each_piece_in_front():
    game = give(all_paid(lisbon()), mfront=3)
    game.record.ships[0] = 1  # won in this very phase
    game.record.advs[0] = 2
    all_drop(game.refresh())
    assert reals(game) == [6, 0, 0, 0]


@pytest.mark.rules("EN-8", "OV-10")
def test_ranks_and_utilities():
    game = all_paid(lisbon(order=[2, 1, 3, 0]))
    game.record.reals[:] = [50, 20, 20, 10]
    all_drop(game.refresh())
    assert ranking(game) == [0, 2, 1, 3]
    assert game.outcome("raw").tolist() == [50, 20, 20, 10]
    np.testing.assert_allclose(game.outcome("win"), [1, -1 / 3, -1 / 3, -1 / 3])
    np.testing.assert_allclose(game.outcome("placement"), [1, -1 / 3, 1 / 3, -1])
    means = [50 / 3, 80 / 3, 80 / 3, 90 / 3]
    np.testing.assert_allclose(game.outcome("margin"), np.clip((np.array([50, 20, 20, 10]) - means) / 40, -1, 1))
    game.record.reals[0] = 500
    assert game.outcome("margin")[0] == 1


@pytest.mark.rules("PM-61")
@pytest.mark.parametrize("rounds", [1, 3])
def test_a_game_in_which_all_drop_out_is_cut_off(rounds):
    game = new(max_rounds=rounds)
    while not game.over:
        game.apply(DROP_OUT)
    assert game.truncated and game.record.round_no == rounds and game.ply == rounds * 8
    ended = lisbon(max_rounds=1)
    assert all_drop(all_paid(ended)).over and not ended.truncated  # an end by the rules in the last round is no cut


@pytest.mark.rules("PM-61", "PM-59")
def test_cut_off_scoring_counts_everything():
    game = give(lisbon(max_rounds=1), hand={"medal": 1}, mfront=1, markets=[0, 6])
    set_positions(game, JOAN, 1, 0, 0, 0)
    all_drop(game)
    assert game.truncated and reals(game) == [8 + 5 + 5 + 5 + 1, 0, 0, 0]
