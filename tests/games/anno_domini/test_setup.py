"""The board, what lies in the box, and the set-up."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine.errors import ComponentsError, OptionError
from lusogames_env.engine.state import GameState
from lusogames_env.games.anno_domini.game import (
    CARDS,
    GAME,
    KEPT_CARDS,
    POPE,
    SETUP_CHOOSE,
    TURN_MAIN,
    territory_text,
)
from tests.games.anno_domini.table import base, cathedrals, deck_of, draws, event, money, owned, picks, supply


def bits(box) -> np.ndarray:
    """Return the reach matrix, bool (36, 36)."""
    return np.array([[int(row) >> b & 1 for b in range(36)] for row in box.record[0].reach], bool)


def played_out(seed: int, **options) -> GameState:
    """Return a game right after its set-up, every choice being the last legal one."""
    game = GameState.new("anno_domini", seed=seed, **options)
    while game.record.round_number == 0:
        game.apply(game.legal_actions()[-1])
    return game


@pytest.mark.rules("R01", "R08", "R09", "R11", "AD-52")
def test_the_box():
    box = GAME.new_box()
    assert len(box.components["territories"].value) == 36
    assert box.record[0].copies.tolist() == [8, 1, 2, 1, 8, 4, 2, 4, 6, 1, 7, 6, 6, 2, 2]
    assert box.record[0].copies.sum() == 60
    assert (box.record[0].castles_per_player, box.record[0].castles_max) == (80, 6)
    for seed in range(5):
        game = played_out(seed)
        assert game.record.cathedral.sum() == 16
        assert [supply(game, p) for p in range(4)] == [71] * 4
    game = base()
    game.record.castles[:] = 6
    game.refresh().apply("attack from 3-1 Portugal").apply("territory 3-2 Castile")
    assert (game.record.battle_dice > 0).all()  # the most there can be: six of each colour


@pytest.mark.rules("R03", "R04", "R05")
def test_codes():
    labels = [territory_text(base().box, t) for t in range(36)]
    codes = [label.split()[0] for label in labels]
    assert codes == [f"{red}-{blue}" for red in range(1, 7) for blue in range(1, 7)]
    assert len({label.split(" ", 1)[1] for label in labels}) == 36
    for t in range(36):  # a red and a blue die find every territory
        game = event(base(), 1, 1, t // 6 + 1, t % 6 + 1)
        assert np.flatnonzero(game.record.castles == 0).tolist() == [t]


@pytest.mark.rules("R06", "AD-02", "AD-03", "R36", "AD-63")
def test_seas_and_borders():
    box = GAME.new_box()
    components = box.components.value
    seas = [sea["name"] for sea in components["seas"]]
    assert len(seas) == 7
    assert "Central Mediterranean Sea" in seas
    names = [row["name"] for row in components["territories"]]
    shores = [set(row["seas"]) for row in components["territories"]]
    pairs = {frozenset(pair) for group in components["land_borders"] for pair in group["pairs"]}
    assert len(pairs) == 59
    assert all(sum(sea in shore for shore in shores) >= 3 for sea in seas)
    reach = bits(box)
    assert (reach == reach.T).all()
    assert reach.sum() == 272
    for a in range(36):
        for b in range(36):
            near = frozenset((names[a], names[b])) in pairs or bool(shores[a] & shores[b])
            assert reach[a, b] == (a != b and near)
    assert reach.sum(1).tolist() == [
        13, 7, 8, 7, 8, 6, 9, 9, 8, 6, 10, 6, 6, 7, 11, 7, 7, 8,
        7, 9, 5, 9, 8, 4, 11, 14, 5, 7, 4, 10, 8, 6, 6, 7, 5, 4,
    ]  # fmt: skip
    two_seas = reach[4, 30]  # from Norway over the Northern Sea and on over the Baltic: no transit
    assert not two_seas


@pytest.mark.rules("R07", "R22")
def test_event_table():
    events = GAME.new_box().components["events"].value
    assert [(row["total"], row["name"]) for row in events] == [
        (2, "Plague"), (3, "Barbarous"), (4, "Imperial crisis"), (5, "Tithe"), (6, "Taxation"), (7, "Taxation"),
        (8, "Taxation"), (9, "Crusade"), (10, "Council"), (11, "Schism"), (12, "Deposit"),
    ]  # fmt: skip
    for first in range(1, 7):
        for second in range(1, 7):
            dice = (first, second, 1, 1, 2, 2, 3, 3) if first + second <= 3 else (first, second)
            assert event(base(), *dice).record.last_event == first + second


@pytest.mark.rules("AD-01")
def test_four_players():
    assert GAME.players == (4,)
    for wrong in (2, 3, 5):
        with pytest.raises(OptionError, match="num_players"):
            GAME.new_box(num_players=wrong)


@pytest.mark.rules("R10", "AD-04")
def test_the_pope_is_dealt_and_the_rest_shuffled():
    popes = np.zeros(4, int)
    tops = set()
    for seed in range(200):
        game = GameState.new("anno_domini", seed=seed, setup_choice="random")
        record = game.record
        assert record.kept.sum() == record.kept[:, POPE].sum() == 1
        popes += record.kept[:, POPE]
        deck = deck_of(game)
        tops.add(deck[0])
        assert POPE not in deck
        assert [deck.count(card) for card in range(CARDS)] == [8, 1, 2, 0, 8, 4, 2, 4, 6, 1, 7, 6, 6, 2, 2]
        assert record.unseen_left == 59
    assert popes.min() > 25
    assert len(tops) > 8


@pytest.mark.rules("R11", "AD-05", "R12", "AD-50")
def test_no_colour_is_chosen():
    game = GameState.new("anno_domini", seed=0)
    assert game.record.decision == SETUP_CHOOSE  # the first thing ever asked
    assert GameState.new("anno_domini", seed=0, setup_choice="random").record.decision == TURN_MAIN
    game = base()
    game.record.money[0] = 100
    game.record.castles[game.record.owner == 0] = 6
    game.record.owner[[1, 5, 9, 13]] = 0
    game.record.castles[[1, 5, 9, 13]] = (6, 6, 6, 5)
    assert supply(game.refresh(), 0) == 3
    game.record.owner[17], game.record.castles[17] = 0, 3
    game.refresh()
    assert supply(game, 0) == 0
    assert "build on 3-2 Castile" not in game.legal_labels()


@pytest.mark.rules("R13", "R15", "AD-08", "AD-07", "AD-06")
def test_set_up():
    for seed in range(12):
        game = GameState.new("anno_domini", seed=seed)
        pope = int(np.flatnonzero(game.record.kept[:, POPE])[0])
        asked = set()
        while game.record.round_number == 0:
            placed = int(game.record.placed)
            asked.add(placed)
            assert game.actor == (pope + placed) % 4
            assert picks(game) == set(np.flatnonzero(game.record.owner == -1).tolist())
            t = max(picks(game))
            game.apply(18 + t)
            assert game.record.cathedral[t] == (placed < 16)
            assert game.record.owner[t] == (pope + placed) % 4
        assert 35 not in asked  # the last territory is not asked for
        assert game.record.castles.tolist() == [1] * 36
        for p in range(4):
            assert len(owned(game, p)) == 9
            assert cathedrals(game, p) == 4


@pytest.mark.rules("R14", "AD-06")
def test_a_free_roll_is_placed_without_a_choice():
    game = GameState.new("anno_domini", seed=6759)
    draws(game, [(6, 5), (6, 5), (6, 0), (6, 2)])  # 6-6 is free: seat 0 gets it; then seat 1 rolls England
    game.apply("territory 1-1 Ireland")
    assert game.record.owner[[0, 35]].tolist() == [3, 0]
    assert (game.actor, game.record.placed) == (1, 3)


@pytest.mark.rules("AD-06")
def test_chance_instead_of_choice():
    ends = set()
    for seed in range(6):
        game = GameState.new("anno_domini", seed=seed, setup_choice="random")
        assert game.record.round_number == 1
        assert [len(owned(game, p)) for p in range(4)] == [9] * 4
        ends.add(tuple(game.record.owner.tolist()))
    assert len(ends) == 6


@pytest.mark.rules("R63", "AD-09")
def test_the_pope_gets_the_pontifical_state_in_the_variant_only():
    holders = []
    for seed in range(30):
        game = GameState.new("anno_domini", seed=seed, pontifical_to_pope=True, setup_choice="random")
        assert game.record.owner[19] == np.flatnonzero(game.record.kept[:, POPE])[0]
        plain = GameState.new("anno_domini", seed=seed, setup_choice="random")
        holders.append(plain.record.owner[19] == np.flatnonzero(plain.record.kept[:, POPE])[0])
    assert not all(holders)


@pytest.mark.rules("AD-10")
def test_starting_money_comes_from_the_component_file(tmp_path):
    game = GameState.new("anno_domini", seed=0)
    assert money(game) == [0] * 4
    text = (GAME.folder / "components.toml").read_text().replace("\nmoney = 0 ", "\nmoney = 50 ")
    path = tmp_path / "other.toml"
    path.write_text(text)
    assert money(GameState.new("anno_domini", seed=0, components=str(path))) == [50] * 4


@pytest.mark.rules("AD-03")
def test_another_board(tmp_path):
    text = (GAME.folder / "components.toml").read_text()
    text = text.replace('name = "Ireland"', 'name = "Irlanda"')
    text = text.replace('seas = ["Northern Sea", "Atlantic Ocean"]', 'seas = ["Black Sea"]')
    path = tmp_path / "board.toml"
    path.write_text(text)
    game = GameState.new("anno_domini", seed=1, components=str(path))
    assert "territory 1-1 Irlanda" in game.box.labels
    assert set(np.flatnonzero(bits(game.box)[0]).tolist()) == {23, 33, 34, 35}
    assert game.game.actions.n == 126


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("red = 1\nblue = 1\n", "red = 1\nblue = 2\n", r"territories\[0\].blue is 2; expected an integer from 1 to 1"),
        ('name = "Scotland"', 'name = "England"', r"territories\[2\].name is 'England'; expected a name no other"),
        (
            'seas = ["Baltic Sea"]',
            'seas = ["Caspian Sea"]',
            "'Caspian Sea'; expected the name of one of the seas: N",
        ),
        ('["England", "Scotland"]', '["England", "England"]', "expected two different territories"),
        ("castle_cost = 100 ", "castle_cost = 0 ", "castle_cost is 0; expected an integer from 1"),
        ("income_factor = 10 ", "income_factor = -1 ", "income_factor is -1; expected an integer"),
        ("castles_per_territory_max = 6", "castles_per_territory_max = 7", "is 7; expected an integer from 2 to 6"),
        ('name = "Mercenary"\ncount = 8', 'name = "Mercenary"\ncount = 9', "expected 60 cards in all, not 61"),
        ('count = 8\nkind = "keep"\nattack', 'count = 8\nkind = "use"\nattack', "kind is 'use'; expected 'keep'"),
        ('effect = "steal_card"', 'effect = "steal"', "effect is 'steal'; expected 'steal_card'"),
        ("total = 7\n", "total = 6\n", r"events\[5\].total is 6; expected an integer from 7 to 7"),
        ('effect = "roller_gains"', 'effect = "roller_wins"', "is 'roller_wins'; expected one of"),
        (
            'territory = "Pontifical State"',
            'territory = "Rome"',
            "'Rome'; expected the name of one of the territories: ",
        ),
    ],
)
def test_wrong_component_files_are_refused(tmp_path, old, new, complaint):
    text = (GAME.folder / "components.toml").read_text()
    assert old in text
    path = tmp_path / "wrong.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ComponentsError, match=complaint):
        GAME.new_box(components=str(path))


def test_a_deck_of_kept_cards_only_is_refused(tmp_path):
    text = (GAME.folder / "components.toml").read_text()
    for card, copies in (("Ambassador", 7), ("Bishop", 6), ("Cut-throat", 6), ("Maecenas", 2), ("Architect", 2)):
        text = text.replace(f'name = "{card}"\ncount = {copies}', f'name = "{card}"\ncount = 0')
    path = tmp_path / "kept.toml"
    path.write_text(text.replace('name = "Mercenary"\ncount = 8', 'name = "Mercenary"\ncount = 31'))
    with pytest.raises(ComponentsError, match="deck never runs out"):
        GAME.new_box(components=str(path))


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("goal_cathedrals", 7), ("goal_cathedrals", 17), ("goal_cathedrals", 8.0), ("event_roll", "never"),
        ("early_limits", True), ("setup_choice", "dealer"), ("pontifical_to_pope", 1), ("max_rounds", 3),
        ("max_rounds", 201), ("ambassador_may_steal_pope", "no"),
    ],
)  # fmt: skip
def test_wrong_options_are_refused(option, value):
    with pytest.raises(OptionError, match=option):
        GAME.new_box(**{option: value})


def test_tables_have_the_sizes_of_the_cards():
    assert GAME.actions.n == 126
    assert GAME.observation.size == 622
    assert GAME.new_box().record[0].attack.shape == (KEPT_CARDS,)
    assert len(set(GAME.new_box().labels)) == 126
