"""Components, board, set-up, rounds and waves."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lusogames_env.engine.components import Components
from lusogames_env.engine.errors import ComponentsError, OptionError
from lusogames_env.engine.game import Box
from lusogames_env.engine.state import GameState
from lusogames_env.games.aljubarrota import rules
from lusogames_env.games.aljubarrota.game import GAME, RULEBOOK
from tests.games.aljubarrota.table import (
    BOX,
    FAMILY,
    HEX,
    NAMES,
    PIECE,
    WHITE,
    board,
    can,
    card,
    colours,
    end_round,
    field,
    lay,
    play,
    where,
)
from tests.tools import force_draws

RECORD = BOX.record[0]
ROW_OF_COLUMN = [1, 2, 3, 4, 10, 9, 8, 7, 6, 5]
MAP = """
                      ov
                 o`        o,        _,        .,
            o/        K         o\\        #\\
                 o/        o\\        _         .
            o         _         o         T
                 _         _         _         .
            o         _         o         T
                 o         o         _         .
            o         N         o         T
       o/        o         o         o         .
            3         o         2         T
       o         .         .         o         .
            .=/       .         .=\\       T
       3         x         x         2         .
            x         .         x         T
       .=/       .         .         .=\\       .
            .         .         .         T
       x         x         x         x         .
  .=/       x         .         x         .=\\
       .         .         .         .         .
  .         .         .         .         .
       E         E         E         E         E
  E         E         E         E         E
""".strip("\n").splitlines()
ARROWS = {"/": "NE", "\\": "NW", "`": "SE", ",": "SW", "v": "S"}


def drawn_map() -> dict[tuple[int, int], str]:
    """Return the marks of the drawn map by (x, h)."""
    found = {}
    for line, text in enumerate(MAP):
        for x in range(10):
            mark = text[2 + 5 * x : 5 + 5 * x].strip()
            if mark:
                found[x, 22 - line] = mark
    return found


def data() -> dict[str, Any]:
    """Return the component file as data that may be changed."""
    return tomllib.loads((GAME.folder / "components.toml").read_text(encoding="utf-8"))


def box_of(components: dict[str, Any], **options: Any) -> Box:
    return Box(GAME, options, Components("test.toml", components))


@pytest.mark.rules("ALJ-01", "4.4", "4.5", "4.6", "4.7", "4.8", "4.10", "16.11", "2.2")
def test_the_board_is_the_drawn_map() -> None:
    drawn = drawn_map()
    assert len(drawn) == 99 == RECORD.hexes
    assert {(int(RECORD.x[i]), int(RECORD.h[i])) for i in range(99)} == set(drawn)
    for i in range(99):
        x, h = int(RECORD.x[i]), int(RECORD.h[i])
        mark = drawn[x, h]
        assert NAMES[i] == f"{ROW_OF_COLUMN[x]}.{1 + (h - x % 2) // 2}"
        assert RECORD.trap[i] == (mark[0] == "x") and RECORD.trees[i] == (mark[0] == "T")
        assert RECORD.english_spot[i] == (mark[0] == "3") and RECORD.two_arrow[i] == (mark[0] == "2")
        assert RECORD.circle[i] == (mark[0] in "o2") and (RECORD.king_hex == i) == (mark[0] == "K")
        assert (RECORD.nuno_hex == i) == (mark[0] == "N") and (i in RECORD.entry) == (mark[0] == "E")
        assert RECORD.inside[i] == (mark[0] in "o32KN_#")
        arrow = next((ARROWS[sign] for sign in mark if sign in ARROWS), "N")
        step = {"N": (0, 2), "NE": (1, 1), "NW": (-1, 1), "SE": (1, -1), "SW": (-1, -1), "S": (0, -2)}[arrow]
        ahead = RECORD.forward[i]
        there = (x + step[0], h + step[1])
        assert (int(RECORD.x[ahead]), int(RECORD.h[ahead])) == there if ahead >= 0 else there not in drawn
    assert Counter(mark[0] for mark in drawn.values())["o"] == 22 and RECORD.circle.sum() == 24
    assert RECORD.inside.sum() == 37


@pytest.mark.rules("ALJ-02", "10.5")
def test_rows_are_numbered_towards_the_centre() -> None:
    bases = sorted(RECORD.entry.tolist())
    assert [NAMES[i] for i in bases] == [f"{row}.1" for row in ROW_OF_COLUMN]
    for i in range(99):  # outside the line each shift towards the centre leads to a card handled later
        back = RECORD.back[i]
        if not RECORD.inside[i] and back >= 0 and RECORD.card_row[i] != 9:
            assert RECORD.card_row[back] > RECORD.card_row[i]


@pytest.mark.rules("ALJ-04", "9.6", "11.2")
def test_backwards_is_towards_the_centre_row() -> None:
    for origin, back in (
        ("3.4", "4.3"),
        ("2.2", "3.2"),
        ("9.4", "10.4"),
        ("8.3", "9.2"),
        ("5.3", "6.3"),
        ("10.5", "10.4"),
    ):
        assert RECORD.back[HEX[origin]] == HEX[back]
    assert RECORD.back[HEX["10.1"]] == -1


@pytest.mark.rules("ALJ-10", "4.4")
def test_the_flank_obeys_row_6_from_the_right_hand_row_hex_on() -> None:
    for name in ("6.11", "7.11", "8.11", "9.11"):
        assert RECORD.card_row[HEX[name]] == 5
    assert RECORD.forward[HEX["5.11"]] == HEX["6.11"]
    state = field({"6.11": "3C"}, waves=True, reserve=(0, 0))
    assert board(card(state, "G", 7)) == {"6.11": "3c"}
    assert board(card(state, "G", 5)) == {"6.11": "3c"}
    assert board(card(state, "G", 6)) == {"8.11": "3c"}


@pytest.mark.rules("ALJ-13", "4.10", "7.7", "7.15", "16.5", "16.9")
def test_the_abatis_are_closed_to_both_sides() -> None:
    for a, b in (("2.4", "2.5"), ("2.5", "3.6"), ("2.6", "3.6"), ("3.6", "3.7"), ("8.6", "8.7"), ("8.6", "7.5")):
        assert HEX[b] not in RECORD.neighbour[HEX[a]] and HEX[a] not in RECORD.neighbour[HEX[b]]
    # funnel: the nine main rows reach the line only at three hexes
    gates = {
        (NAMES[i], NAMES[RECORD.forward[i]])
        for i in range(99)
        if not RECORD.inside[i] and RECORD.forward[i] >= 0 and RECORD.inside[RECORD.forward[i]]
    }
    assert gates == {("4.6", "4.7"), ("10.6", "10.7"), ("9.6", "9.7"), ("5.11", "6.11"), ("6.10", "6.11")}
    assert board(card(field({"2.4": "3c"}), "G", 2, WHITE)) == {"3.5": "3c"}
    assert board(card(field({"3.6": "3c"}), "G", 3)) == {"4.7": "3c"}
    # a push through an abatis is no way out
    state = field({"3.7": "1c", "10.1": "3c"}, {"3.8": "English-a"})
    play(state, "menu: move", "hex 3.8", "group {1}", "to S")
    assert board(state) == {"10.1": "3c"}


@pytest.mark.rules("ALJ-72", "4.7", "7.15", "16.5")
def test_white_pieces_never_leave_the_line() -> None:
    assert RECORD.inside[HEX["6.11"]] and not RECORD.inside[HEX["6.10"]] and not RECORD.inside[HEX["5.11"]]
    for i in range(99):
        for j in RECORD.walk[i]:
            assert j < 0 or (RECORD.inside[i] and RECORD.inside[j])
    state = field({"10.1": "3c"}, {"10.7": "Melo-a"})
    play(state, "menu: move", "hex 10.7", "group {1}")
    assert set(state.legal_labels()) == {"to N", "to NE", "to NW"}
    state = field({"10.1": "3c"}, {"7.10": "Nuno"})
    play(state, "menu: move", "hex 7.10", "group {1}")
    assert set(state.legal_labels()) == {"to N", "to NE", "to S", "to SW", "to NW"}  # 6.11 is inside, the wood is not


@pytest.mark.rules("3.1", "3.2", "3.4", "3.5", "3.7", "3.8", "16.4", "16.6")
def test_pieces_cards_and_die_are_the_rulebooks() -> None:
    components = GAME.components
    assert components["pieces"]["portuguese_total"].value == 28 == 1 + 1 + 24 + 2
    assert components["pieces"]["black_markers"].value == 25 == 1 + 12 * 2
    assert Counter(components["die"]["faces"].value) == {"white": 1, "skull": 2, "arrow": 3}
    assert components["families"]["blank_cards"].value == 2
    for seed in range(3):
        state = GameState.new("aljubarrota", seed)
        assert np.bincount(state.record.deck).tolist() == [70, 10, 10, 10]
        r = state.record
        assert (r.cast.sum(axis=(0, 2)) + r.reserve + r.dead).tolist() == [54, 54]
        assert not r.cast[:, :, 1].any() and r.cast[:, 1].sum() == 0  # blue cavalry only
    for table, values in RULEBOOK.items():
        for key, value in values.items():
            changed = data()
            other = 3 if value != 3 else 4
            changed[table][key] = other
            with pytest.raises(ComponentsError, match=f"{table}.{key}"):
                box_of(changed)


def counted_die(side: str, group: str) -> Counter[str]:
    """Return the results of one shot with each face of the die."""
    found: Counter[str] = Counter()
    for face in range(6):
        state = field({"10.6": group, "10.1": "3c"}, {"8.7": "Melo-a"})
        play(state, "menu: Sweethearts shot", "piece Melo-a", "hex 10.6")
        force_draws(state.record, [(6, face)])
        state.apply(f"shoot {side}")
        found[str({k: v for k, v in board(state).items() if k != "10.1"})] += 1
    return found


@pytest.mark.rules("3.5", "9.5", "9.6", "9.7")
def test_six_faces_of_the_die() -> None:
    assert counted_die("cavalry", "1c") == {"{'10.6': '1c'}": 1, "{'10.6': '1s'}": 2, "{'10.5': '1c'}": 3}
    assert counted_die("soldier", "1s") == {"{'10.6': '1s'}": 1, "{}": 2, "{'10.5': '1s'}": 3}


@pytest.mark.rules("1.1", "16.8", "ALJ-73")
def test_texts_and_dates_have_no_effect_on_play() -> None:
    changed = data()
    changed["meta"]["date"] = 1384
    changed["meta"]["provenance"] = "lilies and leopards"
    changed["families"]["blank_cards"] = 2
    for table in changed.values():
        if "provenance" in table:
            table["provenance"] = "another tale"
    assert box_of(changed).record.tobytes() == BOX.record.tobytes()


@pytest.mark.rules("16.1", "3.7", "ALJ-70")
def test_a_family_of_your_own() -> None:
    names = ["Mine", *list(FAMILY)[1:]]
    state = GameState.new("aljubarrota", 1, family_names=names, setup="random")
    assert "piece Mine-a" in state.box.labels and "piece Silva-a" not in state.box.labels
    plain = GameState.new("aljubarrota", 1, setup="random")
    assert plain.record.tobytes() == state.record.tobytes()
    for wrong in (names[:11], ["Mine", "Mine", *names[2:]], "Silva", [""] + names[1:]):
        with pytest.raises(OptionError, match="family_names"):
            GameState.new("aljubarrota", family_names=wrong)


@pytest.mark.rules("1.2", "1.3", "1.5", "ALJ-66")
def test_players_and_modes_must_agree() -> None:
    for players in (3, 4, 5, 6):
        for mode in ("semi_cooperative", "cooperative"):
            state = GameState.new("aljubarrota", num_players=players, mode=mode, setup="random")
            assert {int(r) for r in state.record.row_card if r >= 0} <= {0, 1, 2, 3} and 0 <= state.actor < players
            with pytest.raises(OptionError, match="num_players=1"):
                GameState.new("aljubarrota", num_players=players, mode="solitary")
    assert GameState.new("aljubarrota", num_players=1, mode="solitary").actor == 0
    with pytest.raises(OptionError, match="mode='solitary'"):
        GameState.new("aljubarrota", num_players=1)


@pytest.mark.rules("5.12", "4.3", "4.6", "4.8", "ALJ-03", "5.14", "4.5")
def test_fixed_places_and_single_start_spaces() -> None:
    state = GameState.new("aljubarrota", 0)
    assert [where(state, p) for p in ("King", "Nuno", "English-a", "English-b")] == ["10.11", "10.8", "2.5", "3.7"]
    while state.record.turn_kind == 0:
        if state.record.decision == 2:
            free = {NAMES[a] for a in state.legal_actions()}
            taken = {NAMES[i] for i in state.record.piece_hex if i >= 0}
            assert free == {NAMES[i] for i in range(99) if RECORD.circle[i]} - taken
        state.apply(state.legal_actions()[0])
    family = state.record.piece_hex[4:].tolist()
    assert sorted(family) == [i for i in range(99) if RECORD.circle[i]]


@pytest.mark.rules("5.13", "5.14", "5.3", "ALJ-61")
@pytest.mark.parametrize(
    ("players", "shares"), [(3, [8] * 3), (4, [6] * 4), (5, [5, 5, 5, 5, 4]), (6, [4] * 6), (1, [24])]
)
def test_pieces_are_dealt_and_placed_in_turn(players: int, shares: list[int]) -> None:
    mode = "solitary" if players == 1 else "cooperative"
    state = GameState.new("aljubarrota", 2, num_players=players, mode=mode)
    first = state.actor
    assert first == state.record.free_player
    held = [state.record.to_place.tolist().count((first + i) % players) for i in range(players)]
    assert held == shares
    seats = []
    while state.record.turn_kind == 0:
        assert state.record.decision == 1 and state.actor == (first + len(seats)) % players
        seats.append(state.actor)
        own = {i for i in range(28) if state.record.to_place[i] == state.actor}
        assert {a - 99 for a in state.legal_actions()} == own
        piece, here = state.legal_actions()[-1] - 99, state.apply(state.legal_actions()[-1]).legal_actions()[-1]
        state.apply(here)
        assert state.record.piece_hex[piece] == here
    assert len(seats) == 24
    # a piece may go near or far: any piece to any free circle, also one of another seat's family
    assert state.check() == 0


@pytest.mark.rules("5.3", "ALJ-62")
def test_random_setup_is_uniform() -> None:
    seen: Counter[str | None] = Counter()
    for seed in range(240):
        seen[where(GameState.new("aljubarrota", seed, setup="random"), "Melo-a")] += 1
    seen.pop(None, None)  # killed in the first phase
    assert set(seen) == {NAMES[i] for i in range(99) if RECORD.circle[i]}
    assert max(seen.values()) < 27 and min(seen.values()) > 1


@pytest.mark.rules("5.4", "ALJ-59", "3.6")
@pytest.mark.parametrize(("players", "each", "boxed"), [(3, 36, 2), (4, 27, 2), (5, 22, 0), (6, 18, 2)])
def test_victory_point_cards_are_dealt_evenly(players: int, each: int, boxed: int) -> None:
    hands = []
    for seed in range(20):
        r = GameState.new("aljubarrota", seed, num_players=players).record
        assert r.hand.sum(axis=1).tolist() == [each] * players + [0] * (6 - players)
        left = np.array([30, 60, 20]) - r.hand.sum(axis=0)
        assert (left >= 0).all() and left.sum() == boxed
        hands.append(tuple(r.hand[0]))
    assert len(set(hands)) > 5


@pytest.mark.rules("6.1", "ALJ-63", "6.3", "S.6")
def test_the_first_player_is_random_and_the_turn_goes_left() -> None:
    firsts = Counter(GameState.new("aljubarrota", seed).record.free_player for seed in range(80))
    assert set(firsts) == {0, 1, 2, 3} and min(firsts.values()) > 8
    state = field({"1.2": "3s"}, reserve=(0, 54))
    for seat in (1, 2, 3, 0):
        end_round(state, "R" * 9)
        assert state.record.free_player == seat == state.actor == state.record.turn_seat


@pytest.mark.rules("6.4", "6.5", "5.15", "ALJ-68", "ALJ-82", "S.1")
def test_a_card_on_every_row_and_none_on_row_5() -> None:
    state = field({"10.2": "3c"}, reserve=(0, 54))
    end_round(state, "GYPRGYPRG")
    assert state.record.row_card.tolist() == [0, 1, 2, 3, -1, 0, 1, 2, 3, 0]
    assert state.record.deck_pos == 18
    cards = state.view(0)["row_cards"]  # already discarded, still known to all
    assert cards[4].tolist() == [1, 0, 0, 0, 0] and cards[2].tolist() == [0, 0, 0, 1, 0] and cards.sum() == 10
    assert state.view(0)["unseen_cards"][1] == pytest.approx(1 - 2 / 10)
    late = field({"10.2": "3c"}, waves=True, reserve=(0, 0), round_no=8)
    end_round(late, "G" * 10)
    assert (late.record.row_card == 0).all()


@pytest.mark.rules("5.6", "ALJ-28", "6.17")
@pytest.mark.parametrize(
    ("round_no", "shuffled"), [(4, False), (5, True), (6, False), (11, True), (12, False), (16, False)]
)
def test_reshuffle_in_rounds_6_and_12(round_no: int, shuffled: bool) -> None:
    late = round_no >= 7
    state = field({"1.2": "3s"}, waves=late, reserve=(0, 0 if late else 54), round_no=round_no)
    before = state.record.deck.copy()
    pos = int(state.record.deck_pos)
    end_round(state)
    rows = 10 if state.record.flank else 9
    assert state.record.deck_pos == (rows if shuffled else pos + rows)
    assert (state.record.deck.tolist() != before.tolist()) == shuffled
    assert np.bincount(state.record.deck).tolist() == [70, 10, 10, 10]


@pytest.mark.rules("5.7", "4.9", "5.11", "ALJ-25", "6.8")
def test_second_wave_in_round_7() -> None:
    state = field({"10.2": "2c1s"}, reserve=(0, 54), round_no=5)
    state.record.cast[HEX["9.2"], 0] = (3, 0)
    state.record.cast[HEX["8.2"], 0] = (3, 0)
    state.record.cast[HEX["7.2"], 0] = (1, 0)
    state.record.dead[0] = 44
    assert state.refresh().check() == 0
    end_round(state, "R" * 9)  # ten blue pieces: no exception in round 6
    assert state.record.round_no == 6 and state.record.wave2 == 0 and not state.record.cast[:, 1].any()
    end_round(state, "G" * 4 + "Y" + "G" * 5)
    r = state.record
    assert r.round_no == 7 and r.wave2 == r.flank == 1
    # the yellow cavalry stood there before the cards: they have moved with them, and were replaced
    assert r.cast[:, 1].sum() == 54 - r.reserve[1] - r.dead[1] and r.reserve[1] == 54 - 27 - 3 - 24
    assert colours(state, "6.3") == "3C" and colours(state, "5.1") == "3C"  # 6.1 was full when row 5 had its card


@pytest.mark.rules("5.11", "6.8", "S.2")
def test_row_5_gets_three_cavalry_once() -> None:
    state = field({"1.2": "3s"}, waves=False, reserve=(0, 54), round_no=6)
    end_round(state, "RRRR" + "G" + "R" * 5)
    assert colours(state, "5.3") == "3C" and "5.1" not in board(state)
    for _ in range(4):
        end_round(state, "R" * 10)
        assert "5.1" not in board(state) and colours(state, "5.3") == "3C"


@pytest.mark.rules("5.9", "5.7", "6.7", "S.2", "ALJ-77")
def test_reinforcements_after_moving() -> None:
    state = field({"1.1": "3c", "10.1": "1c", "9.1": "3c"}, reserve=(7, 54))
    end_round(state, "GGRR" + "RRR" + "GR", WHITE)  # rows 1, 2, 3, 4, 6, 7, 8, 9, 10
    # in row order from row 1: three, three, and the one that is left; row 10 is still held; no yellow piece
    assert {name: colours(state, name) for name in ("1.1", "2.1", "3.1", "4.1", "9.1", "10.1")} == {
        "1.1": "3c", "2.1": "3c", "3.1": "1c", "4.1": "", "9.1": "", "10.1": "1c",
    }  # fmt: skip
    assert state.record.reserve.tolist() == [0, 54]
    state = field({"1.1": "1s", "2.2": "3c"}, reserve=(0, 54), round_no=6)
    end_round(state, "R" * 10)
    assert colours(state, "1.1") == "1s" and colours(state, "2.1") == "3C"


@pytest.mark.rules("1.3", "6.2", "ALJ-75", "ALJ-68")
def test_castile_plays_first_and_a_lost_phase_gives_no_turn() -> None:
    state = field({"4.10": "3c"}, {"9.11": "Melo-a"})
    end_round(state, "GGGGGGGGG")
    assert state.over and state.actor == -1 and state.record.result == 2 and state.record.turn_seat == -1
    assert state.legal_actions() == []


@pytest.mark.rules("ALJ-01")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["hexes"]["list"][5].update(h=6), "parity"),
        (lambda d: d["hexes"]["list"][5].update(id=6), "ids run"),
        (lambda d: d["hexes"]["list"][5].update(name="1.1"), "a name of its own"),
        (lambda d: d["hexes"]["list"][5].update(marks=["tar pit"]), "board.traps"),
        (lambda d: d["hexes"]["list"][8].update(zone="C"), "inside the defensive line"),
        (lambda d: d["hexes"]["list"][5].update(zone="P"), "outside the defensive line"),
        (lambda d: d["hexes"]["list"][9].update(arrow="SE E"), "arrow"),
        (lambda d: d["hexes"]["list"][0].update(arrow="NW"), "an arrow that points at a hex"),
        (lambda d: d["hexes"]["list"][4].update(arrow="S"), "forward path"),
        (lambda d: d["board"].update(traps=[5, 12]), "board.traps"),
        (lambda d: d["board"].update(closed_edges=[[0, 42]]), "neighbouring"),
        (lambda d: d["board"].update(english_hexes=[7]), "board.english_hexes"),
        (lambda d: d["board"].update(king_hex=41), "board.king_hex"),
        (lambda d: d["board"]["entry"].update(r3=11), "in row 3, outside"),
        (lambda d: d["board"]["front_order"].update(r3=[20, 19]), "card_row 3"),
        (lambda d: d["board"]["front_order"].update(r1=[0, 1, 2]), "behind the hex in front"),
        (lambda d: d["board"].update(hexes=98), "98"),
        (lambda d: d["hexes"]["list"][5].update(card_row=11), "from 1 to 10"),
    ],
)
def test_a_wrong_board_is_refused(change: Any, message: str) -> None:
    changed = data()
    change(changed)
    with pytest.raises(ComponentsError, match=message):
        box_of(changed)


def test_another_board_can_be_played(tmp_path: Path) -> None:
    text = (GAME.folder / "components.toml").read_text(encoding="utf-8")
    text = text.replace("traps = [5, 12, 14, 23,", "traps = [12, 14, 23,").replace(
        'name = "2.3", row = 2, card_row = 2, zone = "C", arrow = "", marks = ["trap"]',
        'name = "2.3", row = 2, card_row = 2, zone = "C", arrow = "", marks = []',
    )
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    state = field({"2.1": "3c"}, components=str(path))
    before = state.record.rng.tolist()
    assert board(card(state, "G", 2)) == {"2.3": "3c"} and state.record.rng.tolist() == before
    assert board(card(field({"2.1": "3c"}), "G", 2, WHITE)) == {"2.3": "3c"}


@pytest.mark.rules("6.4", "11.1")
def test_unused_rows_get_cards_too() -> None:
    state = lay(field({"10.2": "1s"}), "P" * 9)
    end_round(state)
    assert (np.delete(state.record.row_card, 4) == 2).all() and rules.castilians(state.record, HEX["1.1"]) == 0
    assert can(state, "end turn") and PIECE["King"] == 0
