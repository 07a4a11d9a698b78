"""Material, Game Setup, How to Play: what lies on the table, who begins, how the pawn moves."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from lusogames_env.engine.errors import OptionError
from lusogames_env.engine.kernel.rng import seed_rng, shuffle
from lusogames_env.engine.state import GameState
from lusogames_env.games.d_afonso_henriques.game import ACTIONS, GAME
from tests.games.d_afonso_henriques.table import counts, field, labels, node, play, position, values


def new(seed: int = 0, **options: object) -> GameState:
    return GameState.new(GAME, seed=seed, **options)


@pytest.mark.rules("MAT-1", "KEY-1", "PLA-3", "VIL-1", "VIL-3", "BAT-1", "DAH-02")
def test_the_road_has_five_times_two_villages_and_a_battle() -> None:
    kinds = [row["kind"].text() for row in GAME.components["route"]["circles"].rows(15)]
    assert kinds == ["village_1", "village_2", "battle"] * 5
    state = new(3, num_players=3)
    rng = np.random.default_rng(0)
    seen = {}
    while not state.over:
        kind = kinds[state.record.circle]
        seen.setdefault(state.record.circle, set()).add(node(state))
        assert (node(state) in {"BATTLE", "COMMIT", "PAY", "RECOVER"}) == (kind == "battle")
        state.apply(int(rng.choice(state.legal_actions())))
    assert list(seen) == list(range(15))


@pytest.mark.rules("MAT-2", "SET-6", "DAH-05")
def test_each_seat_in_play_has_one_cylinder_and_starts_on_0() -> None:
    for n in (2, 3, 4):
        state = new(num_players=n)
        assert values(state.record.vp) == [0, 0, 0, 0]
        assert values(state.record.placed) == [-2] * 4
        view = state.view(0)
        assert view["seat_exists"].tolist() == [1] * n + [0] * (4 - n)
        assert view["village_choice"][:n, 0].tolist() == [1] * n  # all cylinders stand above the villages
        assert not view["village_choice"][n:].any()
        assert not view["visits"].any()


@pytest.mark.rules("MAT-3", "SET-5", "SET-9")
def test_25_cubes_of_which_the_first_player_gets_2_and_the_others_3() -> None:
    for n in (2, 3, 4):
        state = new(num_players=n, first_player=1)
        assert values(state.record.cubes) == [2 if s == 1 else 3 if s < n else 0 for s in range(4)]
        assert int(state.record.bank) + int(state.record.cubes.sum()) == 25


@pytest.mark.rules("MAT-4", "DAH-29")
def test_the_dice_have_six_sides_and_are_fair() -> None:
    rolled: Counter[int] = Counter()
    for seed in range(60):
        state = position(hands={0: "k,k"}, cubes=(12, 0), slots="L6,L5_a,L4_a,L2_a")
        seed_rng(state.record.rng, seed, 0)
        play(state, "target:slot0", "add:king", "roll")
        if node(state) == "PAY":
            rolled.update({v + 1: int(n) for v, n in enumerate(state.record.roll)})
            assert state.record.roll.sum() == 4
    assert set(rolled) >= {1, 2, 3, 4, 5}
    assert rolled[6] == 0  # a 6 wins at once


@pytest.mark.rules("MAT-5", "BAT-7", "DAH-34", "DAH-62")
def test_30_portuguese_cards_of_four_kinds_with_1_to_4_dice() -> None:
    state = new()
    assert sorted(Counter(values(state.record.pdeck)).items()) == [(0, 12), (1, 10), (2, 6), (3, 2)]
    assert values(state.box.record[0].dice) == [1, 2, 3, 4, 1, 1]
    assert state.record.deck_at_shuffle.tolist() == [12, 10, 6, 2]


@pytest.mark.rules("MAT-6", "SPE-1", "SPE-3")
def test_30_moors_cards_among_them_kings_worth_most_and_engines_worth_no_points() -> None:
    rows = GAME.components["moors_cards"].value
    assert sum(row["count"] for row in rows) == 30
    best = max(row["vp"] for row in rows)
    assert best == 8
    assert [row["role"] for row in rows if row["vp"] == best] == ["king"]
    for row in rows:
        if row["role"] in {"catapult", "siege_tower"}:
            assert row["vp"] == 0
            assert row["cubes"] >= 1


@pytest.mark.rules("MAT-7", "BON-1", "BON-2", "ADV-2", "DAH-50")
def test_advanced_cards_are_dealt_only_if_chosen() -> None:
    base = new()
    assert values(base.record.bonus) == [0] * 5
    assert values(base.record.character) == [-1] * 4
    characters = new(characters=True)
    assert values(characters.record.bonus) == [0] * 5
    assert sorted(values(characters.record.character)) == [0, 1, 2, 3]
    bonus = new(battle_bonus=True)
    assert values(bonus.record.character) == [-1] * 4
    both = new(characters=True, battle_bonus=True)
    assert min(values(both.record.character)) == 0
    for state in (bonus, both):
        laid = values(state.record.bonus)
        assert len(set(laid)) == 5
        assert set(laid) <= set(range(1, 9))  # five of the eight; three go back to the box
        plan = state.view(0)["bonus_plan"]  # open from the setup on
        assert plan.argmax(1).tolist() == laid
        assert plan.sum() == 5


@pytest.mark.rules("ADV-1", "SET-1", "DAH-01")
def test_a_new_game_is_the_base_game_in_guimaraes() -> None:
    state = new()
    assert state.box.options["characters"] is False
    assert state.box.options["battle_bonus"] is False
    assert state.record.circle == 0
    assert GAME.components["route"]["circles"][0]["label"].text() == "Guimarães"
    assert node(state) == "VILLAGE"  # Guimarães itself is the first village
    assert state.view()["circle"].tolist() == [1] + [0] * 14


@pytest.mark.rules("SET-2", "SET-3", "DAH-06", "DAH-07", "KEY-3")
def test_the_slots_are_filled_in_order_from_the_shuffled_moors_cards() -> None:
    state = new(5, first_player=0)
    rng = np.zeros(4, np.int64)
    seed_rng(rng, 5, 0)
    count = [row["count"] for row in GAME.components["moors_cards"].value]
    cards = np.array([kind for kind, n in enumerate(count) for _ in range(n)], np.int8)
    shuffle(rng, cards, 30)
    assert values(state.record.slots) == cards[::-1][:4].tolist()
    assert state.record.mdeck_n == 26
    assert values(state.record.mdeck, 26) == cards[:26].tolist()
    top = GAME.components["moors_cards"].value[cards[25]]
    assert state.view(1)["moors_next"][:2].tolist() == pytest.approx([1, top["level"] / 6])
    assert state.record.mused_n == 0


@pytest.mark.rules("SET-4")
def test_the_portuguese_deck_is_shuffled_and_face_down() -> None:
    orders = {tuple(values(new(seed).record.pdeck)) for seed in range(5)}
    assert len(orders) == 5
    state = new()
    assert state.record.pdeck_n == 30
    before = state.observation(0)
    state.record.pdeck[:] = state.record.pdeck[::-1].copy()
    assert (state.observation(0) == before).all()


@pytest.mark.rules("SET-7", "DAH-04", "DAH-69")
def test_characters_are_dealt_drafted_or_given() -> None:
    dealt = {tuple(values(new(seed, num_players=2, characters=True).record.character)) for seed in range(60)}
    assert len(dealt) == 12  # every pair of different characters; two of the four stay in the box
    given = new(num_players=3, characters=True, character_assignment=[2, 0, 3])
    assert values(given.record.character) == [2, 0, 3, -1]
    draft = new(num_players=3, characters=True, character_assignment="draft", first_player=1)
    order = []
    for choice in ("draft:warrior", "draft:scout", "draft:strategist"):
        assert node(draft) == "DRAFT"
        order.append(draft.actor)
        assert choice in labels(draft)
        draft.apply(choice)
        assert choice not in labels(draft)
        assert draft.check() == 0
    assert order == [1, 2, 0]
    assert values(draft.record.character) == [3, 2, 0, -1]
    assert (draft.actor, node(draft)) == (1, "VILLAGE")
    assert values(draft.record.ready) == [1, 1, 1, 0]


@pytest.mark.rules("SET-8", "DAH-03", "PLA-2")
def test_the_first_player_is_drawn_or_chosen_and_begins() -> None:
    drawn = Counter(int(new(seed).record.holder) for seed in range(80))
    assert set(drawn) == {0, 1, 2, 3}
    for seat in range(4):
        state = new(first_player=seat)
        assert (state.record.holder, state.record.starter, state.actor) == (seat, seat, seat)
        order = []
        while state.record.circle == 0:
            order.append(state.actor)
            state.apply("pass")
        assert order == [(seat + i) % 4 for i in range(4)]


@pytest.mark.rules("KEY-4")
def test_used_cards_have_places_of_their_own() -> None:
    state = position(hands={0: "p,s"}, slots="L2_a,L5_a,L6,L4_a")
    before = values(state.record.piles)
    state.record.rng[:] = 0
    seed_rng(state.record.rng, 1, 0)
    play(state, "target:slot0", "add:soldier", "roll")
    assert values(state.record.pused) == counts("s")
    assert values(state.record.piles) == before


@pytest.mark.rules("PLA-1", "EOB-3", "VIL-19")
def test_the_pawn_moves_circle_by_circle_to_ourique() -> None:
    state = new(1, num_players=2)
    circles = [int(state.record.circle)]
    while not state.over:
        state.apply("pass")  # nobody ever takes a card, so all battles are empty
        if state.record.circle != circles[-1]:
            circles.append(int(state.record.circle))
            assert values(state.record.placed) == [-2] * 4
    assert circles == [0, 1, 3, 4, 6, 7, 9, 10, 12, 13, 15]
    assert state.actor == -1
    assert not state.mask.any()


@pytest.mark.rules("PLA-4", "DAH-02")
def test_names_on_the_map_change_nothing(tmp_path) -> None:
    source = (GAME.folder / "components.toml").read_text(encoding="utf-8")
    renamed = tmp_path / "renamed.toml"
    renamed.write_text(source.replace("Lisboa", "Beja").replace("Guimarães", "Braga"), encoding="utf-8")
    one, other = new(4), new(4, components=str(renamed))
    rng = np.random.default_rng(1)
    while not one.over:
        action = int(rng.choice(one.legal_actions()))
        one.apply(action)
        other.apply(action)
        assert one.record.tobytes() == other.record.tobytes()


@pytest.mark.rules("NUM-1", "DAH-23")
def test_three_players_play_as_four_do() -> None:
    three = new(num_players=3, first_player=0)
    assert labels(three) == {"pass", "village:V0", "village:V1", "village:V2_up"}
    assert GAME.new_box(num_players=3).record[0].village_open.tolist() == [1] * 7
    assert GAME.new_box(num_players=4).record[0].village_open.tolist() == [1] * 7
    assert GAME.new_box(num_players=2).record[0].village_open.tolist() == [1, 0, 1, 1, 1, 1, 1]


@pytest.mark.rules("DAH-63")
def test_there_is_no_action_to_trade_or_show_cards() -> None:
    blocks = [block.name for block in ACTIONS]
    assert blocks == [
        "pass", "village", "keep", "side", "take", "target", "add", "use_warrior", "use_master", "roll", "pay", "lose",
        "recover", "recover_none", "draft",
    ]  # fmt: skip
    assert ACTIONS.n == 50


@pytest.mark.rules("DAH-50")
def test_the_substitute_for_card_7_is_drawn_among_the_unused() -> None:
    last = Counter()
    for seed in range(300):
        laid = values(new(seed, battle_bonus=True).record.bonus)
        assert laid[4] != 7
        assert len(set(laid)) == 5
        last[laid[4]] += 1
    assert set(last) == {1, 2, 3, 4, 5, 6, 8}
    fixed = new(battle_bonus=True, bonus_layout=[7, 1, 2, 3, 4])
    assert values(fixed.record.bonus) == [7, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"first_player": 4}, "first_player"),
        ({"first_player": True}, "first_player"),
        ({"num_players": 2, "first_player": 2}, "from 0 to 1"),
        ({"characters": True, "character_assignment": [0, 1]}, "expected 4 characters"),
        ({"character_assignment": [0, 0, 1, 2]}, "character_assignment"),
        ({"character_assignment": "auction"}, "character_assignment"),
        ({"bonus_layout": [1, 2, 3, 4, 7]}, "the last one not 7"),
        ({"bonus_layout": [1, 2, 3, 4]}, "bonus_layout"),
        ({"bonus_layout": [1, 2, 3, 4, 4]}, "bonus_layout"),
        ({"battle_pass": "never"}, "battle_pass"),
        ({"cube_supply": 25}, "cube_supply"),
        ({"moors_reshuffle": 1}, "moors_reshuffle"),
        ({"num_players": 5}, "num_players"),
    ],
)
def test_bad_options_are_refused(options: dict, part: str) -> None:
    with pytest.raises(OptionError, match=part):
        new(**options)


def test_options_of_a_module_that_is_off_are_ignored() -> None:
    state = new(num_players=2, character_assignment=[0, 1, 2], bonus_layout=[1, 2, 3, 4, 5])
    assert values(state.record.character) == [-1] * 4
    assert values(state.record.bonus) == [0] * 5
    assert field(state) == field(new(num_players=2))
