"""Declarations of Aljubarrota: options, records, actions, observation, and the box made from a component file.

Hexes are numbered from column to column, from the Castilian edge upwards. Rows are indices 0 … 9 for the printed
row numbers 1 … 10. Fields that hold ids of hexes, pieces or seats are int64, so that each kernel is compiled for one
type only. Pieces: 0 the King, 1 Nuno, 2 and 3 the English, 4 + 2f and 5 + 2f those of family f.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lusogames_env.engine.components import Components, Node
from lusogames_env.engine.game import Game
from lusogames_env.engine.graph import Graph
from lusogames_env.engine.layout import Actions, Block, Field, Observation, Record
from lusogames_env.engine.options import Option

HEXES = 99  # most hexes a component file may have
PIECES, FAMILIES, FIRST_FAMILY_PIECE, SEATS, ROWS, CARDS, VP_CARDS = 28, 12, 4, 6, 10, 100, 110
ARMY = 54  # pieces of each Castilian colour
CAPACITY = 3  # pieces on a hex
ROUNDS = 18
DIRECTIONS = ("N", "NE", "SE", "S", "SW", "NW")
STEPS = ((0, 2), (1, 1), (1, -1), (0, -2), (-1, -1), (-1, 1))
RANGE, SHOTS = 3, 36  # an archer's range, and the hexes within it
MAIN_ROWS = (0, 1, 2, 3, 5, 6, 7, 8, 9)
FLANK_ROW = 4
VP_TOTAL = (30, 60, 20)
CARD_TOTAL = (70, 10, 10, 10)
GREEN, YELLOW, PURPLE, RED = 0, 1, 2, 3
CARD_NAMES = ("green", "yellow", "purple", "red")
CARD_KEYS = ("charge_green", "stop_lateral_yellow", "charge_2x_purple", "stop_regroup_red")
FACES = ("white", "skull", "skull", "arrow", "arrow", "arrow")
FAMILIES_DEALT = {1: 0, 3: 4, 4: 3, 5: 2, 6: 2}
VP_DEALT = {1: 0, 3: 36, 4: 27, 5: 22, 6: 18}

MODES = ("semi_cooperative", "cooperative", "solitary")
SEMI_COOPERATIVE, COOPERATIVE, SOLITARY = 0, 1, 2

# Decisions, in the order of the observation's one-hot
PLACE_PIECE, PLACE_HEX, MENU, SWAP_A, SWAP_B, MOVE_FROM, MOVE_GROUP, MOVE_DIR, SECOND_STEP = 1, 2, 3, 4, 5, 6, 7, 8, 9
SHOOTER, TARGET, TARGET_TYPE, PLEDGE, BUY = 10, 11, 12, 13, 14
DECISION_NAMES = (
    "none", "piece to place", "hex to place it on", "menu", "first piece of the swap", "second piece of the swap",
    "hex to move from", "group to move", "direction", "second step", "shooter", "target", "kind of target", "pledge",
    "buy the turn",
)  # fmt: skip
SETUP, FREE, EXTRA2, EXTRA3 = 0, 1, 2, 3  # kinds of turn
WON, LOST = 1, 2  # result
FRONT = 300  # what a start space at the front is worth to the baseline player

GROUPS = ("{1}", "{2}", "{1, 2}", "{3}", "{1, 3}", "{2, 3}", "{1, 2, 3}")  # bit masks 1 … 7 of the places on a hex
PLEDGE_ONES = (1, 2, 0, 3, 1, 0)  # 1-cards and 2-cards put up by each pledge action
PLEDGE_TWOS = (0, 0, 1, 0, 1, 2)


def hex_name(box: Any, i: int) -> str:
    """Return the name of hex `i`, as ``10.7``."""
    rows = box.components["hexes"]["list"].value
    return rows[i]["name"] if i < len(rows) else f"unused {i}"


def family_names(box: Any) -> list[str]:
    """Return the twelve family names: the option's, or those of the component file."""
    return list(box.options["family_names"] or box.components["families"]["names"].value)


def piece_name(box: Any, piece: int) -> str:
    """Return the name of a white piece, as ``Silva-a``."""
    if piece < FIRST_FAMILY_PIECE:
        return ("King", "Nuno", "English-a", "English-b")[piece]
    family, which = divmod(piece - FIRST_FAMILY_PIECE, 2)
    return f"{family_names(box)[family]}-{'ab'[which]}"


ACTIONS = Actions(
    Block("hex", HEXES, lambda box, i: f"hex {hex_name(box, i)}", "hex id: place on, move from, shoot at"),
    Block("piece", PIECES, lambda box, i: f"piece {piece_name(box, i)}", "piece id: to place, to swap, who shoots"),
    Block("group", 7, [f"group {text}" for text in GROUPS], "bit mask 1 … 7 over the hex's pieces in order of id"),
    Block("direction", 6, [f"to {name}" for name in DIRECTIONS], "direction of a step, clockwise from N"),
    Block("stay", 1, ("stay",), "a leader's group makes no second step"),
    Block("target", 2, ("shoot cavalry", "shoot soldier"), "side of the piece that is shot at"),
    Block(
        "menu",
        6,
        (
            "menu: swap",
            "menu: move",
            "menu: English shot",
            "menu: Sweethearts shot",
            "menu: action as English volley (+3)",
            "menu: action as Sweethearts volley (+2)",
        ),
        "items of a Portuguese turn",
    ),
    Block("end", 1, ("end turn",), "end of the Portuguese turn; what is unused lapses"),
    Block("pass", 1, ("no contribution",), "pay nothing for the turn on offer"),
    Block(
        "pledge",
        6,
        ("pledge 1", "pledge 1+1", "pledge 2", "pledge 1+1+1", "pledge 1+2", "pledge 2+2"),
        "cards put up for the turn on offer; the last only with allow_overpay",
    ),
    Block("buy", 1, ("buy turn",), "solitary: pay for the turn on offer"),
    Block("noop", 1, ("-",), "reserved for a form in which seats without a decision act too; never legal"),
)

OBSERVATION = Observation(
    Field("cast", (HEXES, 4), "blue cavalry, blue soldiers, yellow cavalry, yellow soldiers by hex / 3"),
    Field("port", (HEXES, 5), "pieces of own families, of other families, King, Nuno, English by hex / 3"),
    Field("selected_hex", HEXES, "one-hot of the own pending hex: move from, group's hex, target"),
    Field("piece_xy", (PIECES, 2), "column / last column and height / greatest height; -1 = off the board"),
    Field("piece_alive", PIECES, "1 unless eliminated"),
    Field("piece_mine_to_place", PIECES, "own pieces not yet placed"),
    Field("selected_piece", PIECES, "own pending piece, or the pieces of the moving group"),
    Field("family_mine", FAMILIES, "own families (private)"),
    Field("family_kills", FAMILIES, "points of each family / 216"),
    Field("hand", 3, "own Victory Point cards by value 0, 1, 2 / 36 (private)"),
    Field("hand_size", SEATS, "cards held by seat, self first, then clockwise / 36"),
    Field("spent", (SEATS, 2), "1-cards and 2-cards spent by seat / 36"),
    Field("pledge", (SEATS, 2), "1-cards and 2-cards pledged in the open offer by seat / 3"),
    Field("known_held", (SEATS, 2), "1-cards and 2-cards a seat is known to hold at least / 3"),
    Field("passes", SEATS, "how often a seat has passed in offers / 36"),
    Field("missing", 1, "points missing in the open offer / 3"),
    Field("round", 1, "round / 18"),
    Field("free_seat", SEATS, "one-hot of the seat with the free turn"),
    Field("turn_seat", SEATS, "one-hot of the seat that plays, or last played, a Portuguese turn; 0 in the set-up"),
    Field("turn_kind", 4, "one-hot set-up, free, extra 2, extra 3; in an offer the turn on offer"),
    Field("counters", 4, "left in this turn: swap, English shots / 6, Sweethearts shots / 4, action"),
    Field("decision", 14, "one-hot D1 … D14 of the observer's own decision; 0 when not on turn"),
    Field("group", 7, "one-hot of the own pending group mask"),
    Field("row_cards", (ROWS, 5), "one-hot none, green, yellow, purple, red: cards last laid on rows 1 … 10"),
    Field("unseen_cards", 4, "green, yellow, purple, red not drawn since the last shuffle / all of the kind"),
    Field("deck_left", 1, "movement cards not drawn since the last shuffle / 100"),
    Field("reserve", 2, "blue and yellow pieces not yet entered / 54"),
    Field("flags", 2, "second wave begun, flank attack begun"),
    Field("players", 4, "one-hot 3, 4, 5, 6 players; 0 in the solitary game"),
    Field("mode", 3, "one-hot semi_cooperative, cooperative, solitary"),
    Field("spent_total", 1, "solitary: points spent / 90"),
)

STATE = Record(
    ("cast", "int8", (HEXES, 2, 2), "Castilian pieces by hex, colour (blue, yellow) and side (cavalry, soldier)"),
    ("piece_hex", "int64", PIECES, "hex of each white piece; -1 = eliminated, -2 = not yet placed"),
    ("reserve", "int8", 2, "blue, yellow pieces not yet entered"),
    ("dead", "int8", 2, "blue, yellow pieces eliminated"),
    ("family_owner", "int8", FAMILIES, "seat; -1 = not played"),
    ("kills", "int16", FAMILIES, "points of each family"),
    ("hand", "int8", (SEATS, 3), "Victory Point cards held by seat and value"),
    ("spent", "int8", (SEATS, 3), "Victory Point cards spent by seat and value"),
    ("deck", "int8", CARDS, "movement cards in drawing order: 0 green, 1 yellow, 2 purple, 3 red"),
    ("deck_pos", "int8", 1, "cards drawn since the last shuffle"),
    ("row_card", "int8", ROWS, "card last laid on each row; -1 = none"),
    ("to_place", "int8", PIECES, "seat that holds an unplaced family piece; -1 = none"),
    ("known_held", "int8", (SEATS, 2), "1-cards and 2-cards a seat is known to hold at least (public)"),
    ("passes", "int8", SEATS, "how often each seat has passed in offers"),
    ("turns_bought", "int8", 2, "second and third turns bought so far"),
    ("round_no", "int64", 1, "round, 1 … 18"),
    ("free_player", "int64", 1, "seat with the free turn of this round"),
    ("turn_seat", "int64", 1, "seat that plays, or last played, a Portuguese turn of this round; -1 = none"),
    ("turn_kind", "int64", 1, "0 set-up, 1 free, 2 and 3 extra; in an offer the turn on offer"),
    ("decision", "int64", 1, "1 … 14, see the constants; 0 after the end"),
    ("swap_left", "int8", 1, "swaps left in this turn"),
    ("english_left", "int8", 1, "English shots left in this turn"),
    ("sweethearts_left", "int8", 1, "Sweethearts shots left in this turn"),
    ("action_left", "int8", 1, "moves or volleys left in this turn"),
    ("pending_hex", "int64", 1, "hex moved from, stood on by the group, or shot at; -1 = none"),
    ("pending_mask", "int64", 1, "group mask 1 … 7; 0 = none"),
    ("pending_group", "int64", 1, "bit mask of the piece ids of the moving group"),
    ("pending_piece", "int64", 1, "piece to place, to swap, or that shoots; -1 = none"),
    ("pending_origin", "int64", 1, "hex a leader's first step came from; -1 = none"),
    ("pending_flank", "int64", 1, "who shoots: 0 the English, 1 the Sweethearts"),
    ("pledged", "int8", (SEATS, 2), "1-cards and 2-cards put up in the open offer"),
    ("asked", "int64", 1, "seats that have answered in the open offer"),
    ("wave2", "int8", 1, "1 once the second wave has begun"),
    ("flank", "int8", 1, "1 once the flank attack has begun"),
    ("result", "int8", 1, "0 undecided, 1 Portugal has won, 2 Portugal has lost"),
    ("scratch_port", "int64", HEXES, "bit mask of the white pieces on each hex"),
    ("scratch_moved", "int8", (HEXES, 2), "pieces that an earlier row's card has moved, by hex and side"),
    ("scratch_marching", "int8", (HEXES, 2), "pieces that this row's card has moved, by hex and side"),
    ("scratch_line", "int8", (HEXES, 2), "cavalry and soldiers of a row before a lateral move"),
    ("scratch_items", "int8", VP_CARDS, "cards or pieces in dealing order"),
    ("scratch_need", "int8", (SEATS, 3), "cards a seat must be dealt"),
    ("scratch_mask", "int8", 159, "legal actions"),
    ("scratch_rng", "int64", 4, "a generator for samples of hidden things"),
    ("scratch_board", "int8", (3, HEXES, 3), "boards of the look-ahead: cavalry, soldiers, white pieces by hex"),
)

BOX = Record(
    ("mode", "int8", 1, "0 semi_cooperative, 1 cooperative, 2 solitary"),
    ("placed", "int8", 1, "1: players place the family pieces; 0: random"),
    ("simultaneous", "int8", 1, "1: pledges of an offer are shown when all are in"),
    ("allow_overpay", "int8", 1, "1: a 2-card may pay a missing 1"),
    ("first_controls", "int8", 1, "1: the first contributor plays a bought turn; 0: the largest"),
    ("turn3_excluded", "int8", 1, "who may not pay for turn 3: 0 free player, 1 last player, 2 both"),
    ("reentry", "int8", 1, "1: pieces entering a row obey its card too"),
    ("flank_waits", "int8", 1, "1: the flank attack never begins before round 7"),
    ("suicide_attacks", "int8", 1, "1: white pieces may attack a larger group and die"),
    ("collective_weight", "float64", 1, "share of the collective win in the semi_cooperative utility"),
    ("families_each", "int8", 1, "family cards dealt to each seat"),
    ("vp_each", "int8", 1, "Victory Point cards dealt to each seat"),
    ("hexes", "int64", 1, "hexes of the board"),
    ("x", "int16", HEXES, "column, 0 at the left seen from the Castilian edge"),
    ("h", "int16", HEXES, "height in half hexes"),
    ("x_max", "int16", 1, "last column"),
    ("h_max", "int16", 1, "greatest height"),
    ("card_row", "int64", HEXES, "row whose card the pieces on the hex obey"),
    ("inside", "int8", HEXES, "1 inside the defensive line"),
    ("trap", "int8", HEXES, "1 on traps"),
    ("trees", "int8", HEXES, "1 in the wood"),
    ("english_spot", "int8", HEXES, "1 on the two three-arrow hexes"),
    ("two_arrow", "int8", HEXES, "1 on the Sweethearts' two-arrow hexes"),
    ("circle", "int8", HEXES, "1 on the start spaces of family pieces, two-arrow hexes included"),
    ("starts", "int64", HEXES, "ids of these start spaces; -1 behind the last"),
    ("starts_n", "int64", 1, "number of start spaces"),
    ("king_hex", "int64", 1, "hex with the King's coat of arms"),
    ("nuno_hex", "int64", 1, "hex on which Nuno starts"),
    ("english_hex", "int64", 2, "hexes of the English archers"),
    ("entry", "int64", ROWS, "entry hex of each row"),
    ("order", "int64", (ROWS, HEXES), "hexes of each card row, front first; -1 behind the last"),
    ("order_n", "int64", ROWS, "number of hexes of each card row"),
    ("place", "int64", HEXES, "place of each hex in the order of its card row"),
    ("neighbour", "int64", (HEXES, 6), "hex in each direction; -1 = none or behind an abatis"),
    ("walk", "int64", (HEXES, 6), "the same for white pieces: -1 also outside the defensive line"),
    ("forward", "int64", HEXES, "hex in front (arrow or N); -1 = none or behind an abatis"),
    ("back", "int64", HEXES, "hex behind, towards the centre row; -1 = none or behind an abatis"),
    ("chain", "int64", HEXES, "number of the regroup chain within the card row"),
    ("chain_next", "int64", HEXES, "hex in front in the same chain; -1 = front end"),
    ("to_king", "int64", HEXES, "forward steps to the King hex; 99 = never"),
    ("shots_n", "int64", HEXES, "hexes within an archer's range"),
    ("shots", "int64", (HEXES, SHOTS, 5), "target, and two pairs of hexes of which one must be free; -1 = free"),
    ("start_worth", "int64", HEXES, "baseline player: rank of a start space; FRONT at the front"),
    ("stack_weight", "float64", HEXES, "baseline player: worth of a stack on the hex"),
    ("flank_watch", "int64", 2, "baseline player: the two hexes through which the flank attack comes in"),
    ("flank_guard", "int64", 4, "baseline player: hexes from which it meets the flank attack"),
)

# Values stated by the rulebook: another component file must have the same.
RULEBOOK = {
    "pieces": {
        "king": 1, "nuno": 1, "families": FAMILIES, "pieces_per_family": 2, "english": 2, "portuguese_total": PIECES,
        "blue_french": ARMY, "yellow_castilian": ARMY, "black_markers": 25, "black_round_marker": 1,
        "black_point_markers": 24, "hex_capacity": CAPACITY,
    },
    "die": {"faces": list(FACES)},
    "vp_cards": {
        "total": VP_CARDS, "zero": 30, "one": 60, "two": 20, "points_total": 100,
        "dealt": {"p3": 36, "p4": 27, "p5": 22, "p6": 18}, "boxed": {"p3": 2, "p4": 2, "p5": 0, "p6": 2},
    },
    "movement_cards": {
        "total": CARDS, "charge_green": 70, "stop_lateral_yellow": 10, "stop_regroup_red": 10, "charge_2x_purple": 10,
        "reshuffle_at_start_of_rounds": [6, 12],
    },
    "turns": {
        "free": {"cost": 0, "swaps": 1, "english_shots": 3, "sweetheart_shots": 2, "actions": 1},
        "extra": {"swaps": 1, "english_shots": 0, "sweetheart_shots": 0, "actions": 1},
        "extra_costs": [2, 3], "volley_english": 3, "volley_sweetheart": 2, "archer_range": RANGE,
    },
    "scoring": {"kill_per_participating_family_piece": 1, "survivor": 2},
    "waves": {
        "second_wave_round": 7, "early_rounds": [5, 6], "early_if_blue_at_most": 9, "entry_group": 3, "row5_groups": 1,
        "main_rows": [1, 2, 3, 4, 6, 7, 8, 9, 10], "flank_row": 5,
    },
    "families": {"dealt": {"p3": 4, "p4": 3, "p5": 2, "p6": 2}, "unplayed": {"p3": 0, "p4": 0, "p5": 2, "p6": 0}},
}  # fmt: skip

BOARD_FIELDS = [field.name for field in BOX.fields][[field.name for field in BOX.fields].index("hexes") :]
_BOARDS: dict[str, Any] = {}

MARKS = {
    "english_hexes": "english",
    "two_arrow_hexes": "two_arrow",
    "plain_circles": "circle",
    "traps": "trap",
    "trees": "trees",
    "abatis": "abatis",
}


def _same(node: Node, value: Any) -> None:
    """Refuse a value other than the rulebook's."""
    if isinstance(value, dict):
        for name, inner in value.items():
            _same(node[name], inner)
    elif node.value != value or isinstance(node.value, bool):
        raise node.fail(f"{value!r}, as the rulebook says")


def _offset(name: str) -> tuple[int, int]:
    return STEPS[DIRECTIONS.index(name)]


class _Board:
    """The board of a component file, checked."""

    def __init__(self, components: Components) -> None:
        self.node = components["board"]
        rows = components["hexes"]["list"]
        self.n = self.node["hexes"].integer(1, HEXES)
        self.rows = rows.rows(self.n)
        self.x: list[int] = []
        self.h: list[int] = []
        self.at: dict[tuple[int, int], int] = {}
        self.marks: list[list[str]] = []
        self.card_row: list[int] = []
        self.inside: list[bool] = []
        self.arrow: list[str] = []
        names: set[str] = set()
        for i, row in enumerate(self.rows):
            if row["id"].integer(0, self.n - 1) != i:
                raise row["id"].fail(f"{i}: ids run from 0 in the order of the list")
            x, h = row["x"].integer(0, 999), row["h"].integer(0, 999)
            if (h - x) % 2:
                raise row["h"].fail("a height of the parity of x")
            if i and (x, h) <= (self.x[-1], self.h[-1]):
                raise row["x"].fail("hexes in the order of x, then h, no two alike")
            if row["name"].text() in names:
                raise row["name"].fail("a name of its own")
            names.add(row["name"].value)
            self.x.append(x)
            self.h.append(h)
            self.at[x, h] = i
            self.marks.append([mark.text() for mark in row["marks"]])
            self.card_row.append(row["card_row"].integer(1, ROWS) - 1)
            self.inside.append(row["zone"].choice(("C", "P")) == 1)
            self.arrow.append(("", *DIRECTIONS)[row["arrow"].choice(("", *DIRECTIONS))])
        self._directions()
        self.king = self._only("king_hex", "king")
        self.nuno = self._only("nuno_hex", "nuno")
        self.lists = {key: self._list(key, mark) for key, mark in MARKS.items()}
        self.lists["english_hexes"] = self._pair()
        self.starts = sorted(self.lists["plain_circles"] + self.lists["two_arrow_hexes"])
        if len(self.starts) < PIECES - FIRST_FAMILY_PIECE:
            raise self.node["plain_circles"].fail("24 start spaces or more together with two_arrow_hexes")
        taken = [self.king, self.nuno, *self.lists["english_hexes"], *self.starts]
        if len(set(taken)) != len(taken):
            raise self.node["plain_circles"].fail("start spaces of which no two are the same hex")
        self._zones(taken)
        self.closed = self._closed()
        self.entry = self._entries()
        self._geometry()
        self.order = self._orders()
        self._paths()

    def _directions(self) -> None:
        for name, step in zip(DIRECTIONS, STEPS, strict=True):
            _same(self.node["directions"][name], list(step))

    def _only(self, key: str, mark: str) -> int:
        here = self.node[key].integer(0, self.n - 1)
        if [i for i in range(self.n) if mark in self.marks[i]] != [here]:
            raise self.node[key].fail(f"the one hex of the list with the mark '{mark}'")
        return here

    def _list(self, key: str, mark: str) -> list[int]:
        ids = [node.integer(0, self.n - 1) for node in self.node[key]]
        if len(set(ids)) != len(ids) or sorted(ids) != [i for i in range(self.n) if mark in self.marks[i]]:
            raise self.node[key].fail(f"the hexes of the list with the mark '{mark}'")
        return ids

    def _pair(self) -> list[int]:
        ids = self.lists["english_hexes"]
        if len(ids) != 2:
            raise self.node["english_hexes"].fail("two hexes")
        return ids

    def _zones(self, starts: list[int]) -> None:
        for i in starts:
            if not self.inside[i]:
                raise self.rows[i]["zone"].fail("'P': a start space lies inside the defensive line")
        for key in ("traps", "trees", "abatis"):
            for i in self.lists[key]:
                if self.inside[i]:
                    raise self.rows[i]["zone"].fail(f"'C': {key} lie outside the defensive line")

    def _closed(self) -> set[tuple[int, int]]:
        closed: set[tuple[int, int]] = set()
        for node in self.node["closed_edges"]:
            a, b = node.integers(2, 0, self.n - 1)
            if (self.x[b] - self.x[a], self.h[b] - self.h[a]) not in STEPS:
                raise node.fail("two neighbouring hexes")
            closed |= {(a, b), (b, a)}
        return closed

    def _entries(self) -> list[int]:
        entry = []
        for row in range(ROWS):
            node = self.node["entry"][f"r{row + 1}"]
            i = node.integer(0, self.n - 1)
            found = [k for k in range(self.n) if "entry" in self.marks[k] and self.card_row[k] == row]
            if found != [i] or self.inside[i]:
                raise node.fail(f"the one hex of the list with 'entry' in row {row + 1}, outside the line")
            entry.append(i)
        return entry

    def step(self, i: int, direction: int) -> int:
        """Return the hex next to `i`, -1 if there is none or an abatis is between."""
        dx, dh = STEPS[direction]
        j = self.at.get((self.x[i] + dx, self.h[i] + dh), -1)
        return -1 if (i, j) in self.closed else j

    def _geometry(self) -> None:
        centre = self.node["centre_column"].integer(0, 999)
        sides = self.node["back_direction"]
        back = [sides[side].choice(DIRECTIONS) for side in ("left", "centre", "right")]
        self.neighbour = [[self.step(i, d) for d in range(6)] for i in range(self.n)]
        self.forward, self.back = [], []
        for i in range(self.n):
            if self.arrow[i] and self.neighbour[i][DIRECTIONS.index(self.arrow[i])] < 0:
                raise self.rows[i]["arrow"].fail("an arrow that points at a hex, not across an abatis")
            self.forward.append(self.neighbour[i][DIRECTIONS.index(self.arrow[i] or "N")])
            side = (self.x[i] > centre) - (self.x[i] < centre) + 1
            self.back.append(self.neighbour[i][back[side]])

    def _orders(self) -> list[list[int]]:
        orders = []
        for row in range(ROWS):
            node = self.node["front_order"][f"r{row + 1}"]
            order = [entry.integer(0, self.n - 1) for entry in node]
            if sorted(order) != [i for i in range(self.n) if self.card_row[i] == row]:
                raise node.fail(f"every hex with card_row {row + 1} once")
            orders.append(order)
        return orders

    def _paths(self) -> None:
        """Check that all rows lead to the King and that regroup chains do not branch."""
        self.to_king = []
        for i in range(self.n):
            here, steps = i, 0
            while here >= 0 and here != self.king and steps <= self.n:
                here, steps = self.forward[here], steps + 1
            self.to_king.append(steps if here == self.king else 99)
            if i in self.entry and here != self.king:
                raise self.rows[i]["name"].fail("an entry hex whose forward path ends on the King hex")
        for row, order in enumerate(self.order):
            place = {i: n for n, i in enumerate(order)}
            fronts = [j for j in (self.forward[i] for i in order) if j in place and j != self.king]
            if len(set(fronts)) != len(fronts):
                raise self.node["front_order"][f"r{row + 1}"].fail("no two hexes with the same hex in front")
            if any(self.forward[i] in place and place[self.forward[i]] > place[i] != self.king for i in order
                   if self.forward[i] != self.king):  # fmt: skip
                raise self.node["front_order"][f"r{row + 1}"].fail("each hex behind the hex in front of it")

    def chain_next(self, i: int) -> int:
        """Return the next hex of the regroup chain: in front, in the same card row, not the King hex."""
        j = self.forward[i]
        linked = j >= 0 and j != self.king and i != self.king and self.card_row[j] == self.card_row[i]
        return j if linked else -1

    def line(self, i: int, dx: int, dh: int) -> list[tuple[int, int]]:
        """Return the stages of a shot: pairs of hexes of which one must be free (-1: no hex there)."""
        parts = _parts(dx, dh)
        if len(parts) == 1:
            return []
        (ax, ah), (bx, bh) = parts[0], parts[1]
        first = self.at.get((self.x[i] + ax, self.h[i] + ah), -1)
        other = self.at.get((self.x[i] + bx, self.h[i] + bh), -1)
        if len(parts) == 2:
            return [(first, other)]
        second = self.at.get((self.x[i] + ax + bx, self.h[i] + ah + bh), -1)
        return [(first, first), (second, second)]


@cache
def _parts(dx: int, dh: int) -> list[tuple[int, int]]:
    """Split a displacement into unit directions; of three, the direction that occurs more than once comes first."""
    n = abs(dx) + max(0, (abs(dh) - abs(dx)) // 2)
    for d in range(6):
        e = (d + 1) % 6
        for k in range(1, n + 1):
            if (k * STEPS[d][0] + (n - k) * STEPS[e][0], k * STEPS[d][1] + (n - k) * STEPS[e][1]) == (dx, dh):
                more, less = (d, e) if 2 * k >= n else (e, d)
                many = max(k, n - k)
                return [STEPS[more]] + [STEPS[less]] * (n - many) + [STEPS[more]] * (many - 1)
    raise ValueError(f"({dx}, {dh}) joins no two hexes")


def fill_box(record: Any, components: Components, options: dict[str, Any]) -> None:
    """Write options, components and all geometry into the box record."""
    for table, values in RULEBOOK.items():
        _same(components[table], values)
    names = [node.text() for node in components["families"]["names"].rows(FAMILIES)]
    if len(set(names)) != FAMILIES:
        raise components["families"]["names"].fail("twelve different names")
    players = options["num_players"]
    record.mode = MODES.index(options["mode"])
    record.placed = options["setup"] == "placed"
    record.simultaneous = options["pledge_mode"] == "simultaneous"
    record.allow_overpay = options["allow_overpay"]
    record.first_controls = options["extra_controller"] == "first"
    record.turn3_excluded = ("free_player", "last_player", "both").index(options["turn3_excluded"])
    record.reentry = options["reentry"]
    record.flank_waits = options["flank_start"] == "round7"
    record.suicide_attacks = options["suicide_attacks"]
    record.collective_weight = options["collective_weight"]
    record.families_each = FAMILIES_DEALT[players]
    record.vp_each = VP_DEALT[players]
    board = _filled_board(components)
    for name in BOARD_FIELDS:
        record[name] = board[name]


def _filled_board(components: Components) -> Any:
    """Return a box record with the board of a component file; the last few are kept."""
    if components.digest not in _BOARDS:
        filled = BOX.zeros().view(np.recarray)[0]
        _fill_board(filled, _Board(components))
        while len(_BOARDS) > 3:
            _BOARDS.pop(next(iter(_BOARDS)))
        _BOARDS[components.digest] = filled
    return _BOARDS[components.digest]


def _fill_board(record: Any, board: _Board) -> None:
    for name in (
        "order",
        "starts",
        "neighbour",
        "walk",
        "forward",
        "back",
        "chain_next",
        "shots",
        "flank_watch",
        "flank_guard",
    ):
        record[name][...] = -1
    n = board.n
    record.hexes = n
    record.x[:n], record.h[:n] = board.x, board.h
    record.x_max, record.h_max = max(1, *board.x), max(1, *board.h)
    record.card_row[:n], record.inside[:n] = board.card_row, board.inside
    for name, key in (
        ("trap", "traps"),
        ("trees", "trees"),
        ("english_spot", "english_hexes"),
        ("two_arrow", "two_arrow_hexes"),
    ):
        record[name][board.lists[key]] = 1
    record.circle[board.starts] = 1
    record.starts_n = len(board.starts)
    record.starts[: len(board.starts)] = board.starts
    record.king_hex, record.nuno_hex = board.king, board.nuno
    record.english_hex[:] = board.lists["english_hexes"]
    record.entry[:] = board.entry
    for row, order in enumerate(board.order):
        record.order_n[row] = len(order)
        record.order[row, : len(order)] = order
        record.place[order] = range(len(order))
        chains = 0
        for i in order:  # front first: the hex in front has its chain already
            j = board.chain_next(i)
            record.chain_next[i] = j
            record.chain[i] = chains if j < 0 else record.chain[j]
            chains += j < 0
    record.neighbour[:n], record.forward[:n], record.back[:n] = board.neighbour, board.forward, board.back
    record.to_king[:n] = board.to_king
    for i in range(n):
        record.walk[i] = [j if j >= 0 and board.inside[j] and board.inside[i] else -1 for j in board.neighbour[i]]
        _fill_shots(record, board, i)
    _fill_bot(record, board)


def _fill_bot(record: Any, board: _Board) -> None:
    """Write what the baseline player knows of the board: where to begin, where stacks are worth most, the flank."""
    by_name = {row["name"].value: i for i, row in enumerate(board.rows)}
    attacked = {board.forward[i] for i in range(board.n) if not board.inside[i]}
    wings = {by_name.get(name) for name in ("2.6", "7.7")}
    for i in range(board.n):
        record.start_worth[i] = 0 if i in wings else 100 - board.to_king[i]
        if i in attacked:
            record.start_worth[i] = FRONT
        elif record.two_arrow[i]:
            record.start_worth[i] = FRONT - 100
        record.stack_weight[i] = max(0.0, 1 - 0.25 * abs(board.x[i] - 4) - 0.03 * abs(board.h[i] - 15))
    record.flank_watch[:] = [by_name.get(name, -1) for name in ("6.11", "7.11")]
    record.flank_guard[:] = [by_name.get(name, -1) for name in ("8.11", "8.10", "7.10", "7.9")]


def _fill_shots(record: Any, board: _Board, i: int) -> None:
    count = 0
    for j in range(board.n):
        dx, dh = board.x[j] - board.x[i], board.h[j] - board.h[i]
        if j != i and abs(dx) + max(0, (abs(dh) - abs(dx)) // 2) <= RANGE:
            stages = [*board.line(i, dx, dh), (-1, -1), (-1, -1)]
            record.shots[i, count] = (j, *stages[0], *stages[1])
            count += 1
    record.shots_n[i] = count


def cross_check(options: dict[str, Any]) -> str | None:
    """Refuse a number of players that the mode is not played with."""
    solitary = options["mode"] == "solitary"
    players = options["num_players"]
    if solitary and players != 1:
        return f"mode = 'solitary' is played by one player; num_players is {players}: give num_players=1"
    if players == 1 and not solitary:
        return f"num_players = 1 is the solitary version; mode is {options['mode']!r}: give mode='solitary'"
    return None


def _names_fault(value: Any) -> str | None:
    if value is None:
        return None
    good = isinstance(value, (list, tuple)) and len(value) == FAMILIES
    good = good and all(isinstance(name, str) and name.strip() for name in value) and len(set(value)) == FAMILIES
    return None if good else "expected twelve different names, or None for those of the component file"


def _weight_fault(value: Any) -> str | None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1
    return None if good else "expected a number from 0 to 1"


OPTIONS = (
    Option("mode", "semi_cooperative", "secret families and an individual winner; one shared result; chapter 14",
           choices=MODES, origin="chapters 2, 14, ALJ-66"),
    Option("setup", "placed", "players place the family pieces one by one, or at random as advised for a first game",
           choices=("placed", "random"), origin="chapter 5, ALJ-62"),
    Option("pledge_mode", "sequential", "contributions to extra turns: one after the other, or all at once",
           choices=("sequential", "simultaneous"), origin="ALJ-53, ALJ-76"),
    Option("allow_overpay", False, "a 2-card may pay a missing 1", choices=(False, True), origin="ALJ-54"),
    Option("extra_controller", "largest", "which contributor plays a bought turn",
           choices=("largest", "first"), origin="ALJ-55"),
    Option("turn3_excluded", "free_player", "who may not pay for turn 3",
           choices=("free_player", "last_player", "both"), origin="ALJ-52"),
    Option("reentry", True, "pieces that enter a row before its card is handled obey that card too",
           choices=(True, False), origin="chapter 6, ALJ-11"),
    Option("flank_start", "with_wave2", "when the flank attack begins if the second wave comes early",
           choices=("with_wave2", "round7"), origin="ALJ-24"),
    Option("suicide_attacks", False, "white pieces may attack a larger group and die",
           choices=(False, True), origin="ALJ-46"),
    Option("collective_weight", 0.5, "a number from 0 to 1: share of the collective win in the utility of "
           "semi_cooperative play", check=_weight_fault, origin="chapter 2"),
    Option("family_names", None, "twelve names instead of those of the component file",
           check=_names_fault, origin="chapter 16, ALJ-70"),
)  # fmt: skip


def teams(options: dict[str, Any]) -> tuple[int, ...]:
    """Return the team of each seat: in the semi-cooperative game everybody has a victory of his own to win."""
    seats = options["num_players"]
    return tuple(range(seats)) if options["mode"] == "semi_cooperative" else (0,) * seats


def _neighbours(record: Any) -> np.ndarray:
    """Whether two hexes touch and no abatis stands between them."""
    near = np.zeros((HEXES, HEXES + 1), np.bool_)  # the last column takes the directions without a neighbour
    np.put_along_axis(near, record.neighbour, True, axis=1)
    return near[:, :HEXES] | near[:, :HEXES].T


GAME = Game(
    package=__package__,
    title="Aljubarrota",
    players=(1, 3, 4, 5, 6),
    default_players=4,
    actions=ACTIONS,
    observation=OBSERVATION,
    state=STATE,
    box=BOX,
    fill_box=fill_box,
    own_options=OPTIONS,
    cross_check=cross_check,
    variants={
        "3p": {"num_players": 3},
        "4p": {"num_players": 4},
        "5p": {"num_players": 5},
        "6p": {"num_players": 6},
        "solitary": {"num_players": 1, "mode": "solitary"},
        "cooperative": {"num_players": 4, "mode": "cooperative", "setup": "random"},
        "simultaneous": {"num_players": 5, "pledge_mode": "simultaneous", "allow_overpay": True, "setup": "random"},
        "other_readings": {
            "num_players": 3,
            "setup": "random",
            "extra_controller": "first",
            "turn3_excluded": "last_player",
            "reentry": False,
            "flank_start": "round7",
            "suicide_attacks": True,
        },
        "both_excluded": {"num_players": 6, "turn3_excluded": "both", "allow_overpay": True, "skip_forced": True},
    },
    teams=teams,
    shared_fate=True,
    graph=Graph(fields=("cast", "port", "selected_hex"), blocks=("hex",), neighbours=_neighbours),
    bots=("heuristic", "never_buy", "turn_2", "always_both", "defector"),
    invariants={
        1: "board + reserve + eliminated = 54 of each colour",
        2: "at most three Castilians on a hex",
        3: "never both sides on a hex",
        4: "every white piece is placed, eliminated or held to be placed",
        5: "at most three white pieces on a hex, all inside the defensive line",
        6: "only English pieces on the English hexes",
        7: "Victory Point cards add up, and pledged cards are in the hand",
        8: "movement cards are 70 green and 10 of each other kind",
        9: "each family has the right owner, and each seat its number of families",
        10: "the flank and the yellow pieces wait for the second wave",
        11: "the number of cards laid fits the flank attack",
        12: "the King stands and no Castilian is on his hex while the game runs",
        13: "counters lie in their ranges",
        14: "points spent pay for the turns bought",
        15: "the pending choice fits the decision",
        16: "a field is out of its range",
        17: "the seat on turn has a legal action",
    },
    max_plies=1300,
)
