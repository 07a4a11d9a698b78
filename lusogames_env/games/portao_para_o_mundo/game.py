"""Declarations of *Portão para o mundo, Lisboa*: options, records, actions, observation, components.

Section names are those of the rulebook; ``PM-nn`` are the rulings listed in the README.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from lusogames_env.engine.components import Components, Node
from lusogames_env.engine.errors import OptionError
from lusogames_env.engine.game import Game
from lusogames_env.engine.layout import Actions, Block, Field, Observation, Record
from lusogames_env.engine.options import Option

# ---- fixed shapes ----

SEATS = 4
KINGS = 4
SLOTS = 6  # West Africa boards on the table: Villages 0-3, Pepper Coasts 4-5
COASTS_FROM = 4
HEXES = 9
FACES = 12
AREAS = 7
MARKETS = 13
SPACES = 21
CARDS = 28
CARD_KINDS = 7
TYPES = 7

RESOURCES = ("mountain", "gold", "pepper", "salt", "wine", "tobacco", "coffee")
MOUNTAIN, GOLD, PEPPER = 0, 1, 2
LAKE = -1  # as the type of a hex
CREW = 7  # column of a cost vector after the seven types

KING_BOARDS = ("joan", "duarte", "pedro", "henrique")
AREA_IDS = ("B1", "B2", "B3", "G1", "G2", "G3", "Y")
CARD_IDS = ("ships", "nobles", "churches", "bribe", "goods", "connections", "medal")
SHIPS, NOBLES, CHURCHES, BRIBE, GOODS, CONNECTIONS, MEDAL = range(CARD_KINDS)

BONUSES = ("SHIP", "ADVENTURER", "ADVANCE", "MARKET")
BONUS_SHIP, BONUS_ADVENTURER, BONUS_ADVANCE, BONUS_MARKET = range(4)
ICONS = ("START", "CREW", "CARD", "MARKET", "REALS")
ICON_START, ICON_CREW, ICON_CARD, ICON_MARKET, ICON_REALS = range(5)
COLOURS = ("BROWN", "GREEN", "YELLOW")
BROWN, GREEN, YELLOW = range(3)

WEST_AFRICA, LISBON = 0, 1  # phases in which decisions are taken
NODES = (
    "WA_TURN", "WA_ADV", "WA_SHIP", "KEEP", "AFTER", "LX_TURN", "ADVANCE",
    "BRIBE", "NOBLES", "CHURCHES", "GOODS", "ICON", "EXCH",
)  # fmt: skip
(
    N_WA_TURN, N_WA_ADV, N_WA_SHIP, N_KEEP, N_AFTER, N_LX_TURN, N_ADVANCE,
    N_BRIBE, N_NOBLES, N_CHURCHES, N_GOODS, N_ICON, N_EXCH,
) = range(13)  # fmt: skip
TURN_OVER = 13  # not a node: where a turn goes when nothing is left to decide

KING_SLOTS = 3  # wanted types of a King; place 3 of a deliver action is Pepper
SOURCE_KING, SOURCE_BOX = 0, 1  # where a used Adventurer goes back to

# ---- actions ----


def _market_label(box: Any, m: int) -> str:
    rows = [(row["area"].value, row["reals"].value) for row in box.components["market"]]
    twins = rows[:m].count(rows[m])
    return f"build:{rows[m][0]}/{rows[m][1]}" + "'" * twins


def _deliver_label(box: Any, i: int) -> str:
    king, place = divmod(i, KING_SLOTS + 1)
    return f"deliver:{KING_BOARDS[king]}/" + ("pepper" if place == KING_SLOTS else f"want{place + 1}")


ACTIONS = Actions(
    Block("drop_out", 1, "drop_out", "leave the phase"),
    Block("end", 1, "end", "close the turn (AFTER) or the exchange (EXCH)"),
    Block("adventurer", 1, "adventurer", "use an Adventurer token"),
    Block("pay_set", 1, "pay_set", "pay one more exchange set"),
    Block(
        "play",
        7,
        ("play:ships/ship", "play:ships/adventurer", *(f"play:{card}" for card in CARD_IDS[1:6])),
        "play a Support card",
    ),
    Block("keep", CARD_KINDS, lambda box, i: f"keep:{CARD_IDS[i]}", "KEEP: card of kind i to the hand, the other back"),
    Block("king", KINGS, lambda box, i: f"king:{KING_BOARDS[i]}", "King track of ADVANCE or BRIBE"),
    Block("deliver", KINGS * 4, _deliver_label, "4·king + place: the King's wanted type 1-3, place 3 Pepper"),
    Block("build", MARKETS, _market_label, "build on Market space i"),
    Block("space", SPACES, "space:{i}", "Noble disc to track space i"),
    Block("take2", TYPES, lambda box, i: f"take2:{RESOURCES[i]}", "GOODS: two of type i (Pepper never legal)"),
    Block("take1", TYPES, lambda box, i: f"take1:{RESOURCES[i]}", "GOODS: one of type i (Pepper never legal)"),
    Block(
        "hex",
        SLOTS * HEXES,
        lambda box, i: f"hex:{i // HEXES}/{i % HEXES}",
        "9·b + hex; boards from the acting seat: b 0/1 Village towards the next/previous seat, 2-3 far, 4-5 Coasts",
    ),
)

# ---- observation ----

SEAT_COLUMNS = 42
KING_COLUMNS = 46
HEX_COLUMNS = 18
BOARD_COLUMNS = 2 + HEXES * HEX_COLUMNS

OBSERVATION = Observation(
    Field("phase", 2, "one-hot West Africa, Lisbon"),
    Field("node", 13, "one-hot " + ", ".join(NODES)),
    Field("acting", SEATS, "one-hot, seat j is to act; all 0 after the end"),
    Field("returns_to", 3, "one-hot WA_TURN or LX_TURN, AFTER, EXCH: where KEEP, ICON and card nodes lead; else 0"),
    Field("round", 1, "/ max_rounds"),
    Field("num_players", 3, "one-hot 2, 3, 4"),
    Field("options", 4, "0/1: coast needs ship, adventurer draws gold, nobles takes action, post-action window"),
    Field("turn_order", (SEATS, SEATS), "row seat j: one-hot place on the Turn Order track"),
    Field("dropped", SEATS, "0/1 by seat j"),
    Field(
        "turn_flags", 4, "chip must follow; Ship of a card pending; Adventurers used this turn / 3; returned chips / 4"
    ),
    Field("virt", TYPES, "resources from cards this turn / 8 (at most 1)"),
    Field(
        "seats",
        (SEATS, SEAT_COLUMNS),
        "row seat j: reals / 200 (at most 1); front, stock, on boards, on King boards, all outside stock, each / 11; "
        "disc one-hot 21; Markets in front, in stock / 5; built brown / 5, green / 5, yellow; ships, adventurers / 3; "
        "hand size / 28; resources on boards 7 × / 11",
    ),
    Field(
        "kings",
        (KINGS, KING_COLUMNS),
        "row King: in play; paid; wanted types 3×7 one-hot; bonuses 3×4 one-hot ship, adventurer, advance, market; "
        "payouts in force 4 × / 12 (at most 1); delivered this round 3; marker of seat j 4 × / last space",
    ),
    Field(
        "boards",
        (SLOTS, BOARD_COLUMNS),
        "row b as in the hex actions, seen from the observer: in use; entry costs me a Ship; then 9 hexes × 18: type "
        "one-hot lake + 7; port; first seat j one-hot 4; seats j present 4; Adventurer of the acting seat",
    ),
    Field("market", (MARKETS, 5), "one-hot empty, seat j"),
    Field("hand", CARD_KINDS, "own hand / copies of the kind (4)"),
    Field("used", CARD_KINDS, "used cards / copies of the kind"),
    Field("pile_len", 1, "/ 28"),
    Field("drawn", CARD_KINDS, "the two drawn cards / 2; only for the seat in KEEP"),
    Field("mine_in_pile", CARD_KINDS, "cards the observer returned that are still in the pile / copies of the kind"),
    Field("top_two", (2, 8), "one-hot: unknown or no card, then the kind, if the observer returned it"),
    Field("supply", 3, "Ships on Kings, Adventurers on Kings, Adventurers in the box, each / 3"),
)

# ---- state ----

STATE = Record(
    ("round_no", "int32", 1, "1 …"),
    ("phase", "int8", 1, "0 West Africa, 1 Lisbon"),
    ("node", "int8", 1, "kind of decision, index into NODES"),
    ("resume", "int8", 1, "node that KEEP, ICON and the card nodes lead back to"),
    ("order", "int8", SEATS, "seats from the top of the Turn Order track; -1 beyond the players"),
    ("turn_idx", "int8", 1, "place in `order` of the seat on turn"),
    ("dropped", "int8", SEATS, "1: has dropped out of the phase"),
    ("slot_face", "int8", SLOTS, "face on each place of a West Africa board; -1 unused"),
    ("king_face", "int8", KINGS, "visible face of each King board; -1 not in play"),
    ("paid", "int8", KINGS, "1: has paid its first income (or is not in play)"),
    ("delivered", "int8", (KINGS, KING_SLOTS), "1: bonus of this wanted type is gone for the round"),
    ("pos", "int8", (KINGS, SEATS), "marker on the King track"),
    ("first", "int8", (SLOTS, HEXES), "seat whose chip came first; -1 none"),
    ("chips", "int16", (SLOTS, SEATS), "bit mask of the hexes with chips of the seat"),
    ("adv_hexes", "int16", SLOTS, "bit mask of the hexes with Adventurers of the acting seat"),
    ("adv_used", "int8", 2, "Adventurers used this turn, the one still to be placed included: of Kings, of the box"),
    ("res", "int8", (SEATS, TYPES), "Lisbon phase: resources still on the boards"),
    ("front", "int8", SEATS, "chips in front"),
    ("stock", "int8", SEATS, "chips in the stock"),
    ("ind", "int8", SEATS, "chips on King boards as signs of a delivery"),
    ("ships", "int8", SEATS, "Ships in front"),
    ("advs", "int8", SEATS, "Adventurers in front"),
    ("box_adv", "int8", 1, "Adventurers in the box"),
    ("mfront", "int8", SEATS, "Markets in front"),
    ("mstock", "int8", SEATS, "Markets in the stock"),
    ("market", "int8", MARKETS, "owner of each Market space; -1 empty"),
    ("noble", "int8", SEATS, "track space of the Noble disc"),
    ("reals", "int32", SEATS, "Reals"),
    ("hand", "int8", (SEATS, CARD_KINDS), "cards in hand by kind"),
    ("used", "int8", CARD_KINDS, "cards put back in the box"),
    ("pile", "int8", CARDS, "kinds, index 0 = top; -1 beyond pile_len"),
    ("pile_by", "int8", CARDS, "seat that returned the card; -1 from the set-up"),
    ("pile_len", "int8", 1, "cards in the pile"),
    ("drawn", "int8", 2, "kinds drawn in KEEP, else -1"),
    ("drawn_by", "int8", 2, "`pile_by` of the drawn cards"),
    ("virt", "int8", TYPES, "resources from cards, this turn only"),
    ("returned", "int16", 1, "Crew paid to the stock by the main action of this turn"),
    ("connected", "int16", 1, "Connections cards played this turn"),
    ("must_place", "int8", 1, "1: an Adventurer was placed, a chip must follow"),
    ("ship_pending", "int8", 1, "1: a Support from Ships serves as the Ship of the next placement"),
    ("scratch_items", "int8", CARDS, "items being shuffled"),
    ("scratch_use", "int8", TYPES, "resource chips that a payment takes from the boards"),
    ("scratch_rng", "int64", 4, "generator of `redeal`"),
    ("scratch_worth", "float64", TYPES, "worth of each type to the rule-based player"),
)

BOX = Record(
    ("coast_needs_ship", "int8", 1, "option pepper_coast_needs_ship"),
    ("adventurer_draws_gold", "int8", 1, "option"),
    ("nobles_takes_action", "int8", 1, "option nobles_card_takes_action"),
    ("window", "int8", 1, "option post_action_window"),
    ("crew", "int8", 1, "chips per colour"),
    ("crew_front", "int8", 1, "chips in front at the start, for this number of players"),
    ("crew_order", "int8", 1, "chips of a colour on the Turn Order track"),
    ("markets", "int8", 1, "Markets per colour"),
    ("markets_in_stock", "int8", 1, "of them in the stock at the start"),
    ("start_reals", "int32", 1, "Reals at the start"),
    ("ships", "int8", 1, "Ships in the box"),
    ("adventurers", "int8", 1, "Adventurers in the box"),
    ("min_ship_faces", "int8", 1, "King boards that must show a Ship"),
    ("reach", "int16", 512, "by bit mask of hexes: the hexes next to them, themselves left out"),
    ("face_hex", "int8", (FACES, HEXES), "type of each hex; -1 Lake"),
    ("face_port", "int8", FACES, "hex with the Anchor"),
    ("face_obs", "float32", (FACES, HEXES * HEX_COLUMNS), "types and port as the observation shows them"),
    ("lakes", "int16", FACES, "bit mask of Lakes"),
    ("mountains", "int16", FACES, "bit mask of Mountains"),
    ("wants", "int8", (8, KING_SLOTS), "types a King face wants"),
    ("bonus", "int8", (8, KING_SLOTS), "index into BONUSES"),
    ("icons", "int8", (8, 2), "Ship and Adventurer icons of a King face"),
    ("payout", "int8", (8, SEATS), "Reals by rank in force with this number of players"),
    ("trigger", "int8", 1, "space of the King track that brings income"),
    ("last", "int8", 1, "last space of a King track"),
    ("area_colour", "int8", AREAS, "index into COLOURS"),
    ("area_build", "int8", AREAS, "1: the action Build a Market is allowed"),
    ("area_cost", "int8", (AREAS, 8), "its cost: seven types, Crew"),
    ("market_area", "int8", MARKETS, "area of each Market space"),
    ("market_reals", "int16", MARKETS, "Reals for building there"),
    ("space_area", "int8", SPACES, "area of each track space; -1 start"),
    ("space_icon", "int8", SPACES, "index into ICONS"),
    ("space_cost", "int8", (SPACES, 8), "cost: seven types, Crew"),
    ("space_reals", "int16", SPACES, "Reals per exchange set"),
    ("copies", "int8", CARD_KINDS, "copies of each card"),
    ("card_share", "float64", CARD_KINDS, "1 / copies, 0 without any"),
    ("brown_majority", "int16", 1, "Reals"),
    ("green_majority", "int16", 1, "Reals"),
    ("medal", "int16", 1, "Reals per Award a medal"),
    ("per_ship", "int16", 1, "Reals at the end"),
    ("per_adventurer", "int16", 1, "Reals at the end"),
    ("per_market", "int16", 1, "Reals at the end per Market in front"),
    ("bribe_cost", "int16", 1, "Reals"),
    ("bribe_steps", "int8", 1, "spaces"),
    ("no_market_reals", "int16", 1, "Reals instead of a Market if the stock is empty"),
    ("setup_boards", "int8", SLOTS, "faces of an explicit set-up; -1 unused; first entry -2: random"),
    ("setup_kings", "int8", KINGS, "the same for the King boards"),
    ("setup_order", "int8", SEATS, "turn order of an explicit set-up; first entry -2: random"),
    ("setup_pile", "int8", CARDS, "top cards of an explicit pile, then -1 for shuffled ones"),
)

# ---- reading the components ----

HEX_LETTERS = ("L", "M", "G", "P", "S", "W", "T", "C")
TYPE_NAMES = tuple(name.upper() for name in RESOURCES)


def _fill_grid(record: Any, components: Components) -> None:
    near = [0] * HEXES
    for edge in components["hexgrid"]["edges"]:
        a, b = edge.integers(2, 0, HEXES - 1)
        if a == b:
            raise edge.fail("two different hexes")
        near[a] |= 1 << b
        near[b] |= 1 << a
    for own in range(1 << HEXES):
        reach = 0
        for h in range(HEXES):
            if own >> h & 1:
                reach |= near[h]
        record.reach[own] = reach & ~own


def _fill_faces(record: Any, components: Components) -> None:
    for i, face in enumerate(components["face"].rows(FACES)):
        expected = "VILLAGE" if i < 8 else "COAST"
        if face["kind"].value != expected:
            raise face["kind"].fail(f"'{expected}' (eight Villages, then four Coasts)")
        if i % 2 and face["board"].value != components["face"][i - 1]["board"].value:
            raise face["board"].fail("the same board as the face before: faces come in pairs")
        kinds = [row.choice(HEX_LETTERS) - 1 for row in face["hexes"].rows(HEXES)]
        record.face_hex[i] = kinds
        record.lakes[i] = sum(1 << h for h in range(HEXES) if kinds[h] == LAKE)
        record.mountains[i] = sum(1 << h for h in range(HEXES) if kinds[h] == MOUNTAIN)
        port = face["port"].integer(0, HEXES - 1)
        if kinds[port] == LAKE:
            raise face["port"].fail("a hex that is not a Lake")
        record.face_port[i] = port
        for h in range(HEXES):
            record.face_obs[i, h * HEX_COLUMNS + 1 + kinds[h]] = 1.0
        record.face_obs[i, port * HEX_COLUMNS + 8] = 1.0


def _fill_kings(record: Any, components: Components, players: int) -> None:
    track = components["king_track"]
    record.trigger = track["trigger"].integer(1, 60)
    record.last = track["last"].integer(int(record.trigger), 120)
    for i, king in enumerate(components["king"].rows(2 * KINGS)):
        if king["board"].value != KING_BOARDS[i // 2].upper():
            raise king["board"].fail(f"'{KING_BOARDS[i // 2].upper()}'")
        wants = [row.choice(TYPE_NAMES) for row in king["wants"].rows(KING_SLOTS)]
        if PEPPER in wants or len(set(wants)) < KING_SLOTS:
            raise king["wants"].fail("three different types other than PEPPER")
        record.wants[i] = wants
        record.bonus[i] = [row.choice(BONUSES) for row in king["bonus"].rows(KING_SLOTS)]
        bonus = record.bonus[i].tolist()
        record.icons[i] = bonus.count(BONUS_SHIP), bonus.count(BONUS_ADVENTURER)
        payout = king["payout"].integers(SEATS, 0, 100)
        record.payout[i] = [amount if rank < players else 0 for rank, amount in enumerate(payout)]
    _check_tokens(record, components)


def _check_tokens(record: Any, components: Components) -> None:
    """Refuse King boards that cannot be set up or need more tokens than there are."""
    valid = 0
    for faces in product(*((2 * k, 2 * k + 1) for k in range(KINGS))):
        ships, adventurers = (int(record.icons[list(faces), token].sum()) for token in (0, 1))
        if sum(record.icons[face, BONUS_SHIP] > 0 for face in faces) < record.min_ship_faces:
            continue
        valid += 1
        if ships > record.ships or adventurers > record.adventurers:
            raise components["king"].fail("bonuses that never show more Ships or Adventurers than [supply] has")
        if adventurers == 0:
            raise components["king"].fail("an Adventurer in every set-up (one such board is removed with 2 players)")
    if valid == 0:
        raise components["king"].fail(f"faces of which at least {record.min_ship_faces} boards can show a SHIP")


def _cost(node: Node) -> list[int]:
    known = (*TYPE_NAMES, "CREW")
    if not isinstance(node.value, dict) or not set(node.value) <= set(known):
        raise node.fail("a table with the keys " + ", ".join(known))
    return [node[name].integer(0, 9) if name in node else 0 for name in known]


def _fill_lisbon(record: Any, components: Components) -> None:
    for i, area in enumerate(components["area"].rows(AREAS)):
        if area["id"].value != AREA_IDS[i]:
            raise area["id"].fail(f"'{AREA_IDS[i]}'")
        record.area_colour[i] = area["colour"].choice(COLOURS)
        record.area_build[i] = area["build_action"].boolean()
        record.area_cost[i] = _cost(area["build_cost"])
    for i, market in enumerate(components["market"].rows(MARKETS)):
        record.market_area[i] = market["area"].choice(AREA_IDS)
        record.market_reals[i] = market["reals"].integer(0, 100)
    for i, space in enumerate(components["space"].rows(SPACES)):
        record.space_area[i] = space["area"].choice(("-", *AREA_IDS)) - 1
        record.space_icon[i] = icon = space["icon"].choice(ICONS)
        record.space_cost[i] = cost = _cost(space["cost"])
        record.space_reals[i] = space["reals"].integer(0, 100)
        if (i == 0) != (icon == ICON_START) or (i == 0) != (space["area"].value == "-"):
            raise space.fail("START outside every area as the first space, and only there")
        if i > 0 and record.space_area[i] < record.space_area[i - 1]:
            raise space["area"].fail("areas in track order")
        if i > 0 and sum(cost[:CREW]) == 0:
            raise space["cost"].fail("at least one resource (or a game could go on for ever)")
        if i >= SPACES - 2 and icon != ICON_MARKET:
            raise space["icon"].fail("'MARKET': the last two spaces have it")


def fill_box(record: Any, components: Components, options: dict[str, Any]) -> None:
    """Write components and options into the box record; raise `ComponentsError` or `OptionError`."""
    players = options["num_players"]
    record.coast_needs_ship = options["pepper_coast_needs_ship"]
    record.adventurer_draws_gold = options["adventurer_draws_gold"]
    record.nobles_takes_action = options["nobles_card_takes_action"]
    record.window = options["post_action_window"]
    supply, setup, scoring = components["supply"], components["setup"], components["scoring"]
    record.crew_front = setup["crew_in_front"][str(players)].integer(1, 20)
    record.crew_order = setup["crew_on_turn_order"].integer(0, 9)
    record.crew = supply["crew_per_colour"].integer(int(record.crew_front) + KINGS + int(record.crew_order), 15)
    record.markets = supply["markets_per_colour"].integer(1, 5)
    record.markets_in_stock = setup["markets_in_stock"].integer(0, int(record.markets))
    record.start_reals = setup["reals"].integer(0, 100)
    record.ships = supply["ships"].integer(0, 3)
    record.adventurers = supply["adventurers"].integer(1, 3)
    record.min_ship_faces = setup["min_ship_faces"].integer(0, KINGS)
    _fill_grid(record, components)
    _fill_faces(record, components)
    _fill_kings(record, components, players)
    _fill_lisbon(record, components)
    for i, card in enumerate(components["card"].rows(CARD_KINDS)):
        if card["id"].value != CARD_IDS[i].upper():
            raise card["id"].fail(f"'{CARD_IDS[i].upper()}'")
        record.copies[i] = copies = card["copies"].integer(0, CARDS)
        record.card_share[i] = 1 / copies if copies else 0.0
    if int(record.copies.sum()) != CARDS:
        raise components["card"].fail(f"copies that add up to {CARDS} cards")
    for name in ("brown_majority", "green_majority", "medal", "per_ship", "per_adventurer", "bribe_cost"):
        record[name] = scoring[name].integer(0, 100)
    record.bribe_steps = scoring["bribe_steps"].integer(1, int(record.last))
    record.per_market = scoring["per_market_in_front"].integer(0, 100)
    record.no_market_reals = scoring["market_stock_empty_reals"].integer(0, 100)
    _fill_setup(record, components, options["setup"], players)


# ---- the option `setup` (PM-02) ----

SETUP_KEYS = ("boards", "kings", "order", "pile")


def _setup_fault(value: Any) -> str | None:
    if value == "random":
        return None
    if not isinstance(value, dict) or not value or not set(value) <= set(SETUP_KEYS):
        return "expected 'random' or a table with some of the keys " + ", ".join(SETUP_KEYS)
    return None if all(isinstance(part, (list, tuple)) for part in value.values()) else "expected lists in the table"


def _indices(part: str, given: Any, known: list[str], n: int) -> list[int]:
    def index(name: Any) -> int:
        if name is None:
            return -1
        if name not in known:
            raise OptionError(f"setup[{part!r}]: {name!r} is none of {', '.join(known)}")
        return known.index(name)

    if len(given) != n:
        raise OptionError(f"setup[{part!r}] has {len(given)} entries; expected {n}")
    return [index(name) for name in given]


def _need(good: bool, part: str, expected: str) -> None:
    if not good:
        raise OptionError(f"setup[{part!r}]: expected {expected}")


def _fill_setup(record: Any, components: Components, setup: Any, players: int) -> None:
    record.setup_boards[0] = record.setup_kings[0] = record.setup_order[0] = -2
    record.setup_pile[:] = -1
    if setup == "random":
        return
    if "boards" in setup:
        coasts = 1 if players == 2 else 2
        given = _indices("boards", setup["boards"], [row["id"].text() for row in components["face"]], players + coasts)
        villages, far = given[:players], given[players:]
        _need(len({face // 2 for face in given}) == len(given), "boards", "faces of different boards")
        good = all(0 <= face < 8 for face in villages) and all(face >= 8 for face in far)
        _need(good, "boards", f"{players} Village faces, then {coasts} Coast faces")
        record.setup_boards[:] = -1
        record.setup_boards[:players] = villages
        record.setup_boards[COASTS_FROM : COASTS_FROM + coasts] = far
    if "kings" in setup:
        given = _indices("kings", setup["kings"], [row["id"].text() for row in components["king"]], KINGS)
        _need(all(face < 0 or face // 2 == k for k, face in enumerate(given)), "kings", "a face (or None) per King")
        _need(given.count(-1) == (1 if players == 2 else 0), "kings", "one None with 2 players, else none")
        ships = sum(face >= 0 and BONUS_SHIP in record.bonus[face] for face in given)
        _need(ships >= record.min_ship_faces, "kings", f"at least {record.min_ship_faces} faces with a Ship")
        if players == 2:
            gone = given.index(-1)
            removable = any(BONUS_ADVENTURER in record.bonus[2 * gone + side] for side in (0, 1))
            _need(removable, "kings", "None only for a board that can show an Adventurer")
        record.setup_kings[:] = given
    if "order" in setup:
        good = all(type(seat) is int for seat in setup["order"]) and sorted(setup["order"]) == list(range(players))
        _need(good, "order", "every seat once")
        record.setup_order[:] = -1
        record.setup_order[:players] = setup["order"]
    if "pile" in setup:
        known = [row["id"].text() for row in components["card"]]
        pile = _indices("pile", setup["pile"], known, min(len(setup["pile"]), CARDS))
        _need(all(kind >= 0 and pile.count(kind) <= record.copies[kind] for kind in pile), "pile", "cards of the game")
        record.setup_pile[: len(pile)] = pile


# ---- the game ----

OWN_OPTIONS = (
    Option(
        "pepper_coast_needs_ship", True, "entering a Pepper Coast costs a Ship", choices=(True, False),
        origin="West Africa Phase, Case 1; PM-09",
    ),
    Option(
        "adventurer_draws_gold", False, "an Adventurer put on an empty Gold hex also draws cards",
        choices=(False, True), origin="Gold, Adventurer; PM-20",
    ),
    Option(
        "nobles_card_takes_action", False, "Support from Nobles also carries out the icon of the space reached, free",
        choices=(False, True), origin="Support from Nobles; PM-47",
    ),
    Option(
        "post_action_window", True, "cards playable after the main action; if not, only Connections opens the window",
        choices=(True, False), origin="How to use the Support Cards; PM-43",
    ),
    Option(
        "setup", "random",
        "'random', or a table of lists: boards (faces), kings (faces, None = removed), order (seats), pile (top cards)",
        check=_setup_fault, origin="Preparation; PM-02",
    ),
)  # fmt: skip

INVARIANTS = {
    1: "chips of each seat add up to its colour",
    2: "Markets of each seat add up to its colour",
    3: "Ships and Adventurers in front, on boards, on Kings and in the box add up",
    4: "cards of each kind in pile, hands, box and KEEP add up",
    5: "markers, discs, Reals, chips and resources are within their bounds",
    6: "the first seat of a hex has chips there, a hex without a first seat has none, nobody stands in a Lake",
    7: "faces lie on their slots; a King not in play counts as paid",
    8: "West Africa: nothing delivered, no resources counted; Lisbon: no chips or Adventurers on hexes",
    9: "the turn order is a permutation and the seat on turn has not dropped out",
    10: "the node belongs to the phase and can be decided",
    11: "resources from cards and flags of the turn only where they can arise",
    12: "KEEP if and only if two cards are drawn",
}

GAME = Game(
    package=__package__,
    title="Portão para o mundo, Lisboa",
    players=(2, 3, 4),
    default_players=4,
    actions=ACTIONS,
    observation=OBSERVATION,
    state=STATE,
    box=BOX,
    fill_box=fill_box,
    own_options=OWN_OPTIONS,
    variants={
        "2p": {"num_players": 2},
        "3p": {"num_players": 3},
        "4p": {"num_players": 4},
        "2p_free_coast": {"num_players": 2, "pepper_coast_needs_ship": False},
        "3p_readings": {
            "num_players": 3,
            "adventurer_draws_gold": True,
            "nobles_card_takes_action": True,
            "post_action_window": False,
        },
        "4p_readings": {"num_players": 4, "adventurer_draws_gold": True, "nobles_card_takes_action": True},
        "4p_short": {"num_players": 4, "max_rounds": 4},
    },
    bots=("heuristic", "kings"),
    invariants=INVARIANTS,
    max_plies=300 * 100 + 300,
    max_rounds=(1, 30, 100),
)
