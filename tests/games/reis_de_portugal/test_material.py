"""Component files: what an owner of the box may change, and what is refused."""

from __future__ import annotations

import pytest

from lusogames_env.engine.errors import ComponentsError
from lusogames_env.engine.state import GameState
from lusogames_env.games.reis_de_portugal.game import GAME
from tests.games.reis_de_portugal.table import act, edited_components, finish, gains, position
from tests.tools import random_game


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (("[[setup]]", "wall = 2", "wall = 3"), r"setup\[0\].wall is 3; expected 2, which the rulebook fixes"),
        (("[scoring]", "total_floor = 0", "total_floor = -9"), "scoring.total_floor is -9; expected 0"),
        (
            ("[scoring]", "filipina_all_three_cancels = true", "filipina_all_three_cancels = 1"),
            "filipina_all_three_cancels is 1; expected True",
        ),
        (("number = 3", "value = 2", "value = 21"), r"card\[2\].value is 21; expected an integer from -9 to 20"),
        (("number = 3", "tie_rank = 3", "tie_rank = 2"), r"card\[2\].tie_rank is 2; expected a rank that card 1"),
        (("number = 3", 'dynasty = "afonsina"', 'dynasty = "avis"'), r"dynasty\[0\].cards is 10; expected 9"),
        (("number = 3", 'bonus = "cuts"  # Cortes of Coimbra 1211', 'bonus = "joust"'), r"card\[2\].bonus is 'joust'"),
        (("number = 3", "vp = 0", "vp = 1"), r"card\[2\].vp is 1; expected an integer from 0 to 0"),
        (("number = 18", "vp = -1", "vp = 1"), r"card\[17\].vp is 1; expected an integer from -9 to 0"),
        (("number = 1", "alt_value = 9", "alt_value = 0"), r"card\[0\].alt_value is 0; expected an integer from 1"),
        (('id = "house_avis"', 'trump = "avis"', 'trump = "filipina"'), "expected one of afonsina, avis, braganca"),
        (
            ('id = "house_avis"', "vp = { braganca = 3, afonsina = 1 }", "vp = { braganca = 3, avis = 1 }"),
            r"royal_house\[1\].vp is a table; expected a table with the keys afonsina and braganca",
        ),
        (('id = "house_avis"', "no_flush_vp = 2", "no_flush_vp = 10"), "no_flush_vp is 10"),
        (("id = 34", 'special = "fool"', 'special = "none"'), r"card\[34\].special is 'none'; expected 'fool'"),
        (('id = "avis"', "can_be_trump = true", "can_be_trump = false"), r"dynasty\[1\].can_be_trump is False"),
    ],
)
def test_a_wrong_file_is_refused_with_key_value_and_expectation(tmp_path, edit, message):
    with pytest.raises(ComponentsError, match=message):
        GAME.new_box(components=edited_components(tmp_path, edit))


def test_the_filipina_dynasty_has_three_cards(tmp_path):
    path = edited_components(
        tmp_path,
        ('id = "filipina"', "cards = 3", "cards = 2"),
        ('id = "braganca"', "cards = 14", "cards = 15"),
        ("number = 20", 'dynasty = "filipina"', 'dynasty = "braganca"'),
        ("number = 20", "vp = -1", "vp = 0"),
    )
    with pytest.raises(ComponentsError, match=r"dynasty\[2\].cards is 2; expected 3"):
        GAME.new_box(components=path)


@pytest.mark.rules("C4", "A2", "RP-36", "RP-19")
def test_other_values_and_a_bonus_on_the_fool_are_played(tmp_path):
    path = edited_components(
        tmp_path,
        ("number = 11", "value = 2", "value = 12"),
        ("id = 34", 'bonus = "none"', 'bonus = "cuts"'),
    )
    state = position(2, "BR", hands=[[10], [11]], components=path)
    assert gains(state, "PLAY 10", "PLAY 11")[1] == {10, 11}
    state = position(2, "BR", hands=[["Fool", 2], [12, 3]], components=path, rules="advanced")
    act(state, "PLAY Fool")
    assert state.record.bonus == 4
    state = position(2, "BR", hands=[[11], [10]], components=path)
    assert state.clone().apply(10).view(0)["face_value"][0] == 1.0  # the scale follows the highest value


@pytest.mark.rules("C9", "I4", "Q10")
def test_other_points_are_scored_and_bound_the_total(tmp_path):
    path = edited_components(
        tmp_path, ('id = "house_afonsina"', "vp = { avis = 3, braganca = 1 }", "vp = { avis = 4, braganca = 2 }")
    )
    everything = [*range(1, 35), "Fool", "Fog"]
    state = finish([everything, []], [1, 0], winner=0, components=path)
    assert list(state.record.points[0, :2]) == [4 + 2 + 2, 2]
    assert state.box.record[0].score_cap == 4 * 8
    for before, _ in random_game(GameState.new("reis_de_portugal", seed=1, num_players=2, components=path), 1):
        assert before.check() == 0


def test_scale_of_totals():
    for options, cap in (({}, 24), ({"teams": True}, 24), ({"teams": True, "team_no_flush": "player"}, 32)):
        assert GAME.new_box(**options).record[0].score_cap == cap
