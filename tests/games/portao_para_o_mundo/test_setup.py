"""Components and Preparation: counts, chance of the set-up, explicit set-ups, component files."""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lusogames_env.engine.components import Components
from lusogames_env.engine.errors import ComponentsError, OptionError
from lusogames_env.engine.game import Box
from lusogames_env.engine.state import GameState
from lusogames_env.games.portao_para_o_mundo.game import BONUSES, COLOURS, GAME, KING_BOARDS, RESOURCES
from tests.games.portao_para_o_mundo.table import (
    DROP_OUT,
    GAME_NAME,
    JOAN,
    SETUP4,
    all_drop,
    all_paid,
    deliver,
    give,
    lisbon,
    mask,
    new,
    reals,
    set_positions,
)

DATA = tomllib.loads((Path(GAME.folder) / "components.toml").read_text(encoding="utf-8"))
SEEDS = range(150)


@cache
def starts(players: int) -> list[Any]:
    """Return the records of many random set-ups."""
    return [GameState.new(GAME_NAME, seed, num_players=players).record for seed in SEEDS]


def bonuses(record: Any, bonus: str) -> list[int]:
    """Return the Kings that show a bonus."""
    box = GAME.new_box().record[0]
    faces = enumerate(record.king_face.tolist())
    return [k for k, face in faces if face >= 0 and BONUSES.index(bonus) in box.bonus[face]]


# ---- Components ----


@pytest.mark.rules("CO-1")
def test_numbers_of_pieces():
    for players in (2, 3, 4):
        record = new(players).record
        kings = int((record.king_face >= 0).sum())
        for seat in range(players):
            on_tracks = kings + 1  # a marker per King, a chip on the Turn Order track
            assert record.front[seat] + record.stock[seat] + on_tracks == 15
            assert record.mfront[seat] + record.mstock[seat] == 5
        ships, adventurers = len(bonuses(record, "SHIP")), len(bonuses(record, "ADVENTURER"))
        assert ships <= 3 and adventurers + record.box_adv == 3
        assert record.pile_len == 28 and np.bincount(record.pile).tolist() == [4] * 7


@pytest.mark.rules("CO-2", "PM-60", "BM-3")
def test_the_lisbon_board():
    box = GAME.new_box().record[0]
    assert [COLOURS[c] for c in box.area_colour] == ["BROWN"] * 3 + ["GREEN"] * 3 + ["YELLOW"]
    assert box.space_area[0] == -1 and box.market_reals[-1] == 24
    game = give(all_paid(lisbon()), reals=30_000, hand={"medal": 2})
    all_drop(game)
    assert reals(game)[0] == 30_010  # the Reals track has no end
    poor = give(new(), hand={"bribe": 1}, reals=0)
    assert 8 not in mask(poor)  # nor does anything lead below 0


@pytest.mark.rules("CO-3", "KI-1")
def test_the_king_boards():
    box = GAME.new_box().record[0]
    assert len(KING_BOARDS) * 2 == len(box.wants) == 8
    for k in range(4):
        front, back = set(box.wants[2 * k].tolist()), set(box.wants[2 * k + 1].tolist())
        assert len(front) == len(back) == 3 and not front & back
        for face in (2 * k, 2 * k + 1):
            bonus = [BONUSES[i] for i in box.bonus[face]]
            assert ("SHIP" in bonus) != ("ADVENTURER" in bonus)
            assert {"ADVANCE", "MARKET"} < set(bonus)
    game = give(lisbon(), res={"salt": 1})
    game.apply(deliver(JOAN, 0))
    assert game.record.pos[JOAN, 0] == 1  # upwards from 0


@pytest.mark.rules("CO-4")
def test_the_west_africa_boards():
    for face, row in enumerate(DATA["face"]):
        hexes = row["hexes"]
        assert row["kind"] == ("VILLAGE" if face < 8 else "COAST")
        counts = Counter(hexes)
        assert counts["L"] == counts["M"] == counts["G"] == 1
        assert counts["P"] == (2 if face < 8 else 5)
        assert hexes[row["port"]] not in ("L", "M", "G")
    for record in starts(4)[:40]:
        assert all((face < 8) == (slot < 4) for slot, face in enumerate(record.slot_face.tolist()))


# ---- Preparation ----


@pytest.mark.rules("PR-2", "PR-3", "PM-02")
def test_king_boards_are_mixed_until_two_ships_show():
    seen = Counter(tuple(record.king_face.tolist()) for record in starts(4))
    assert all(len(faces) == 4 and min(faces) >= 0 for faces in seen)
    assert len(seen) == 8  # all valid combinations, about equally often
    assert min(seen.values()) > 5
    for record in starts(3)[:50]:
        assert 2 <= len(bonuses(record, "SHIP")) <= 3


@pytest.mark.rules("PR-4", "PM-07")
def test_one_token_on_each_icon_and_the_rest_in_the_box():
    for players in (2, 3, 4):
        for record in starts(players)[:60]:
            assert record.box_adv == 3 - len(bonuses(record, "ADVENTURER"))
            assert not record.ships.any() and not record.advs.any()
    game = new(2)
    assert game.view(0)["supply"].tolist() == pytest.approx([2 / 3, 1 / 3, 2 / 3])


@pytest.mark.rules("PR-5", "PR-7", "PM-08")
@pytest.mark.parametrize(("players", "villages", "coasts"), [(2, 2, 1), (3, 3, 2), (4, 4, 2)])
def test_villages_and_coasts_are_mixed_separately(players, villages, coasts):
    seen: list[Counter[int]] = [Counter() for _ in range(6)]
    for record in starts(players):
        faces = record.slot_face.tolist()
        boards = [face // 2 for face in faces if face >= 0]
        assert len(set(boards)) == len(boards) == villages + coasts
        assert [face >= 0 for face in faces] == [slot < villages or 4 <= slot < 4 + coasts for slot in range(6)]
        for slot, face in enumerate(faces):
            seen[slot][face] += 1
    for slot in range(villages):
        assert set(seen[slot]) == set(range(8))  # any board, either side
    for slot in range(4, 4 + coasts):
        assert set(seen[slot]) == {8, 9, 10, 11}


@pytest.mark.rules("PR-6", "PR-13", "PM-64", "PM-05")
def test_a_village_lies_between_each_two_players():
    far = {2: 0, 3: 1, 4: 2}
    for players in (2, 3, 4):
        for seat in range(players):
            game = new(players, order=[seat, *(s for s in range(players) if s != seat)])
            ports = {86 + int(game.box.record[0].face_port[game.record.slot_face[seat]])}
            before = (seat - 1) % players
            ports.add(86 + 9 + int(game.box.record[0].face_port[game.record.slot_face[before]]))
            assert mask(game) == {DROP_OUT} | ports
            needs = game.view(seat)["boards"][:4, 1]
            assert needs.sum() == far[players] and not needs[:2].any()


@pytest.mark.rules("PR-8", "PM-08")
def test_unused_colours_are_out_of_the_game():
    for players in (2, 3):
        record = new(players).record
        for name in ("front", "stock", "mfront", "mstock", "ind"):
            assert not record[name][players:].any()
        view = new(players).view(0)
        assert not view["seats"][players:].any() and not view["turn_order"][players:].any()


@pytest.mark.rules("PR-9", "PM-03")
@pytest.mark.parametrize(("players", "front"), [(2, 5), (3, 4), (4, 4)])
def test_chips_and_markets_at_the_start(players, front):
    record = new(players).record
    for seat in range(players):
        assert record.front[seat] == front and record.stock[seat] == 6
        assert record.mfront[seat] == 0 and record.mstock[seat] == 5
    assert not record.pos.any()


@pytest.mark.rules("PR-10")
def test_discs_start_on_zero():
    record = new().record
    assert not record.reals.any() and not record.noble.any()


@pytest.mark.rules("PR-11", "PM-06")
def test_the_first_turn_order_is_random():
    orders = Counter(tuple(record.order[:3].tolist()) for record in starts(3))
    assert len(orders) == 6 and min(orders.values()) > 8
    for record in starts(3)[:20]:
        assert record.actor == record.order[0] and record.stock[0] == 6  # one chip of the stock lies on the track
    game = new()
    all_drop(all_drop(game))
    assert game.record.stock.tolist() == [6, 6, 6, 6]  # it never comes back


@pytest.mark.rules("PR-12")
def test_the_cards_are_shuffled():
    piles = {tuple(record.pile.tolist()) for record in starts(4)}
    assert len(piles) == len(SEEDS)
    tops = Counter(record.pile[0].item() for record in starts(4))
    assert set(tops) == set(range(7))


@pytest.mark.rules("TP-1", "PM-04")
def test_with_two_players_an_adventurer_king_leaves():
    gone: Counter[int] = Counter()
    for record in starts(2):
        missing = np.flatnonzero(record.king_face < 0).tolist()
        assert len(missing) == 1 and record.paid[missing[0]] == 1
        gone[missing[0]] += 1
        assert len(bonuses(record, "SHIP")) >= 2  # only Adventurer boards leave
    assert set(gone) == {0, 1, 2, 3} and gone[1] == max(gone.values())  # Duarte never shows a Ship


# ---- explicit set-ups ----


@pytest.mark.rules("PM-02")
def test_an_explicit_setup_is_followed():
    game = GameState.new(GAME_NAME, 3, setup={**SETUP4, "order": [2, 0, 3, 1], "pile": ["MEDAL", "BRIBE"]})
    record = game.record
    assert record.slot_face.tolist() == [0, 2, 4, 6, 8, 10] and record.king_face.tolist() == [0, 2, 4, 7]
    assert record.order.tolist() == [2, 0, 3, 1] and game.actor == 2
    assert record.pile[:2].tolist() == [6, 3] and np.bincount(record.pile).tolist() == [4] * 7
    partly = GameState.new(GAME_NAME, 3, setup={"order": [1, 0, 2, 3]})
    assert partly.actor == 1 and partly.record.slot_face.tolist() != record.slot_face.tolist()
    assert GameState.from_bytes(game.to_bytes()) == game


@pytest.mark.parametrize(
    "setup",
    [
        "fixed",
        {"faces": []},
        {},
        {"order": "0123"},
        {"order": ["0", "1", "2", "3"]},
        {"order": [0, 1, 2]},
        {"order": [0, 1, 2, 2]},
        {"boards": ["V1A"]},
        {"boards": ["V1A", "V1B", "V2A", "V3A", "C1A", "C2A"]},
        {"boards": ["C1A", "V1B", "V2A", "V3A", "V4A", "C2A"]},
        {"boards": ["V9A", "V1B", "V2A", "V3A", "C1A", "C2A"]},
        {"kings": ["JOAN_A", "DUARTE_A", "PEDRO_A", None]},
        {"kings": ["DUARTE_A", "JOAN_A", "PEDRO_A", "HENRIQUE_A"]},
        {"kings": ["JOAN_B", "DUARTE_A", "PEDRO_B", "HENRIQUE_A"]},
        {"pile": ["MEDAL"] * 5},
        {"pile": ["JOKER"]},
        {"pile": [None]},
    ],
)
def test_a_wrong_setup_is_refused(setup):
    with pytest.raises(OptionError, match="setup"):
        GAME.new_box(setup=setup)


# ---- component files ----


def broken(*path: Any, value: Any) -> Components:
    """Return the components with one value replaced."""
    data = tomllib.loads((Path(GAME.folder) / "components.toml").read_text(encoding="utf-8"))
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return Components("mine.toml", data)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("face", 0, "hexes", 3), "X", r"face\[0\].hexes\[3\]"),
        (("face", 0, "port"), 4, r"face\[0\].port"),
        (("face", 0, "kind"), "COAST", r"face\[0\].kind"),
        (("face", 1, "board"), "V7", r"face\[1\].board"),
        (("hexgrid", "edges", 0), [0, 0], r"hexgrid.edges\[0\]"),
        (("king", 2, "board"), "JOAN", r"king\[2\].board"),
        (("king", 0, "wants"), ["SALT", "SALT", "WINE"], r"king\[0\].wants"),
        (("king", 0, "wants"), ["SALT", "PEPPER", "WINE"], r"king\[0\].wants"),
        (("king", 0, "bonus", 0), "HORSE", r"king\[0\].bonus\[0\]"),
        (("king", 0, "payout"), [1, 2, 3], r"king\[0\].payout"),
        (("king", 2, "bonus"), ["SHIP", "SHIP", "SHIP"], "king"),
        (("setup", "min_ship_faces"), 4, "king"),
        (("king_track", "last"), 4, "king_track.last"),
        (("area", 0, "id"), "B9", r"area\[0\].id"),
        (("area", 0, "build_cost"), {"SPICE": 1}, r"area\[0\].build_cost"),
        (("space", 0, "icon"), "CREW", r"space\[0\]"),
        (("space", 3, "cost"), {"CREW": 1}, r"space\[3\].cost"),
        (("space", 20, "icon"), "CREW", r"space\[20\].icon"),
        (("space", 2, "area"), "G1", r"space\[3\].area"),
        (("card", 0, "id"), "MEDAL", r"card\[0\].id"),
        (("card", 0, "copies"), 5, "card"),
        (("supply", "crew_per_colour"), 5, "supply.crew_per_colour"),
    ],
)
def test_a_wrong_component_is_named(path, value, message):
    with pytest.raises(ComponentsError, match=message):
        Box(GAME, {}, broken(*path, value=value))


def test_other_components_are_played():
    game = GameState.from_box(Box(GAME, {"setup": SETUP4}, broken("market", 0, "reals", value=60)))
    all_drop(game)
    give(game, disc=1, mfront=1, res={"pepper": 1})
    game.apply("build:B1/60")
    assert reals(game)[0] == 60
    game = GameState.from_box(Box(GAME, {"setup": SETUP4}, broken("king", 0, "payout", value=[100, 99, 98, 97])))
    assert reals(all_drop(set_positions(all_drop(game), JOAN, 5, 5, 5, 5))) == [98] * 4


def test_every_value_of_the_file_is_read():
    """A value that nothing reads would mislead the owner of a box."""
    ignored = {"provenance", "provenance_detail", "name"}

    def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        if isinstance(value, dict):
            return [leaf for key, inner in value.items() if key not in ignored for leaf in leaves(inner, (*path, key))]
        if isinstance(value, list):
            return [leaf for i, inner in enumerate(value) for leaf in leaves(inner, (*path, i))]
        return [path]

    free = {("face", "id"), ("king", "id")}  # names for set-ups
    for path in leaves({key: value for key, value in DATA.items() if key != "meta"}):
        if path[0] == "setup" and path[1] == "crew_in_front" and path[2] != "4":
            continue
        if (path[0], path[-1]) in free:
            continue
        with pytest.raises(ComponentsError):
            Box(GAME, {}, broken(*path, value="nonsense"))


def test_resources_have_the_fixed_order():
    assert RESOURCES == ("mountain", "gold", "pepper", "salt", "wine", "tobacco", "coffee")
