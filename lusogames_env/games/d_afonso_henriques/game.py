"""D. Afonso Henriques: declarations (options, records, actions, observation) without any rule.

Words: *symbol* = one of the seven places for a cylinder in the villages; *place* = one of the six places a Moors card
can be chosen from (four slots, top of the Moors deck, top of the used Moors pile); *engine* = catapult or siege tower;
*hand kind* = Portuguese kind 0 … 3, catapult 4, siege tower 5; *Moors kind* = row of ``moors_cards``.
"""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.components import Components, Node
from lusogames_env.engine.game import Game
from lusogames_env.engine.layout import Actions, Block, Field, Observation, Record
from lusogames_env.engine.options import Option

SEATS = 4
CIRCLES = 15
BATTLES = 5
BONUS_CARDS = 8
KINDS = ("peasant", "soldier", "noble", "king")
HAND_KINDS = (*KINDS, "catapult", "siege_tower")
PEASANT, SOLDIER, NOBLE, KING, CATAPULT, SIEGE_TOWER = range(6)
SYMBOLS = ("V0", "V1", "V2_up", "V2_down", "V3_up", "V3_left", "V3_right")
V0, V1, V2_UP, V2_DOWN, V3_UP, V3_LEFT, V3_RIGHT = range(7)
PILE_A, PILE_LEFT, PILE_RIGHT = range(3)
SLOTS, DECK_TOP, USED_TOP, PLACES = 4, 4, 5, 6
PLACE_NAMES = ("slot0", "slot1", "slot2", "slot3", "new_top", "used_top")
CARDS = 30  # of either deck
MAX_MOORS_KINDS = 30
ROLES = ("ordinary", "king", "catapult", "siege_tower")
ORDINARY, MOORS_KING, MOORS_CATAPULT, MOORS_TOWER = range(4)
CHARACTERS = ("scout", "master_of_arms", "warrior", "strategist")
SCOUT, MASTER, WARRIOR, STRATEGIST = range(4)
NODES = ("DRAFT", "VILLAGE", "KEEP", "SIDE", "TAKE", "BATTLE", "COMMIT", "PAY", "RECOVER")
DRAFT, VILLAGE, KEEP, SIDE, TAKE, BATTLE, COMMIT, PAY, RECOVER = range(9)
NOWHERE = -1  # node after the end
NOT_YET, PASSED = -2, -1  # `placed` of a seat
CUT_OFF = 1000  # DAH-64: more decisions than a game can have with the printed cards; cut off between two turns
LONGEST_TURN = 60  # decisions between two turns: target, at most 38 cards, character, roll, payment

ACTIONS = Actions(
    Block("pass", 1, ("pass",), "VILLAGE: choose no village; BATTLE: fight no more in this battle"),
    Block("village", 7, tuple(f"village:{s}" for s in SYMBOLS), "place the cylinder on this symbol, pay, and act"),
    Block("keep", 4, tuple(f"keep:{k}" for k in KINDS), "keep one of the cards drawn"),
    Block(
        "side",
        8,
        tuple(f"{side}:{k}" for side in ("left", "right") for k in KINDS),
        "left: reject this card to the left pile, the other to the right; right: only for a single card (DAH-19)",
    ),
    Block("take", 4, tuple(f"take:{k}" for k in KINDS), "take a card of the rejected pile chosen"),
    Block("target", 6, tuple(f"target:{p}" for p in PLACE_NAMES), "fight this Moors card (last two: Strategist)"),
    Block("add", 6, tuple(f"add:{k}" for k in HAND_KINDS), "put a card of the hand into the fight"),
    Block("use_warrior", 1, ("use:warrior",), "pay, and put the Warrior's character card into the fight"),
    Block("use_master", 1, ("use:master",), "Master of Arms: one more die in this fight"),
    Block("roll", 1, ("roll",), "roll all dice of the fight"),
    Block("pay", 1, ("pay",), "pay the missing cubes and win the fight"),
    Block("lose", 1, ("lose",), "keep the cubes and lose the fight"),
    Block("recover", 4, tuple(f"recover:{k}" for k in KINDS), "bonus card 7: take back a card used in this battle"),
    Block("recover_none", 1, ("recover:none",), "bonus card 7: take nothing back"),
    Block("draft", 4, tuple(f"draft:{c}" for c in CHARACTERS), "choose a character card"),
)

_CARD = "present, level/6, VP/8, cubes/3, king, catapult, siege tower"
_PORTUGUESE = "peasant, soldier, noble, king"
OBSERVATION = Observation(
    Field("num_players", 3, "one-hot 2, 3, 4; public"),
    Field("options", 5, "characters, battle_bonus, battle_pass=rejoin, cube_supply=unlimited, moors_reshuffle; public"),
    Field("seat_exists", 4, "0/1; public; all seat axes start with the observer and go clockwise"),
    Field("circle", 15, "one-hot; 0 after the end; public"),
    Field("node", 9, "one-hot " + ", ".join(NODES) + "; 0 after the end; public"),
    Field("actor", 4, "one-hot seat on turn; 0 after the end; public"),
    Field("first_player", 4, "one-hot holder of the 1st-player card; public"),
    Field("phase_starter", 4, "one-hot seat that began this phase; public"),
    Field("vp", 4, "victory points /150; public"),
    Field("cubes", 4, "/25; public"),
    Field("bank", 1, "/25; 1 if unlimited; public"),
    Field("hand_size", 4, "all cards in hand, engines included, /14; public"),
    Field("siege", (4, 2), "catapults, siege towers in hand /2; public"),
    Field("own_hand", 4, f"{_PORTUGUESE} /10; private"),
    Field("known_hand", (4, 4), f"{_PORTUGUESE} surely in hand, as all can know, /10; public memory"),
    Field("village_choice", (4, 9), "one-hot not yet, pass, seven symbols; 0 outside village phases; public"),
    Field("visits", (4, 7), "times each symbol was used /10; public memory"),
    Field("rejected", (3, 4), f"piles A, left, right: {_PORTUGUESE} /10; public"),
    Field("used_portuguese", 4, f"{_PORTUGUESE} /30; public"),
    Field("deck_size", 1, "Portuguese deck /30; public"),
    Field("deck_at_shuffle", 4, "its composition when it was last shuffled /30; public memory"),
    Field("deck_gone", 4, "cards the observer knows to have left it since /30 (DAH-72); private memory"),
    Field("unseen", 4, "cards the observer cannot locate: deck, other hands, another seat's draw, /30; private"),
    Field("drawn", 4, "cards just drawn by the observer (KEEP, SIDE) /3; private"),
    Field("moors_slots", (4, 7), _CARD + "; public"),
    Field("moors_next", 7, "top of the Moors deck: " + _CARD + "; public"),
    Field("moors_used_top", 7, "top of the used Moors pile: " + _CARD + "; public"),
    Field("moors_sizes", 2, "Moors deck, used Moors pile /30; public"),
    Field("moors_hidden", 9, "below the deck top: ordinary of level 1 … 6, kings, catapults, towers, /30; public"),
    Field("moors_hidden_vp", 6, "VP printed on those ordinary cards by level /40; public"),
    Field("target", 6, "one-hot place fought for (COMMIT, PAY); public"),
    Field("target_card", 7, _CARD + " (COMMIT, PAY); public"),
    Field("committed", 8, "six hand kinds /10, Warrior card in, Master in; public"),
    Field("dice_now", 1, "COMMIT: dice if rolled now /20; public"),
    Field("roll", 6, "PAY: dice by value 1 … 6 /20; public"),
    Field("deficit", 1, "PAY: cubes missing /6; public"),
    Field("passed", 4, "out of this battle; public"),
    Field("combats", 4, "fights in this battle /10; public"),
    Field("battle_vp", 4, "VP won in this battle /50; public"),
    Field("battle_used", (4, 4), f"{_PORTUGUESE} used in this battle /10; public"),
    Field("defeaters", (4, 2), "first, second seat to defeat a Moors card in this battle; public"),
    Field("character", (4, 5), "one-hot none, scout, master, warrior, strategist; public"),
    Field("character_ready", 4, "0/1; public"),
    Field("bonus_plan", (5, 9), "by battle, one-hot none, card 1 … 8; public"),
    Field("bonus_now", 9, "one-hot of this battle; 0 outside battles; public"),
)

STATE = Record(
    ("circle", "int8", 1, "0 … 14; 15 after the end; circle % 3 = first village, second village, battle"),
    ("node", "int8", 1, "kind of decision (NODES); -1 after the end"),
    ("holder", "int8", 1, "seat with the 1st-player card"),
    ("starter", "int8", 1, "holder when the running phase began"),
    ("vp", "int16", 4, "victory points by seat"),
    ("cubes", "int16", 4, "cubes by seat"),
    ("bank", "int16", 1, "cubes in the bank; 0 with an unlimited supply"),
    ("hand", "int8", (4, 6), "cards by seat and hand kind; the Portuguese part is private"),
    ("known", "int8", (4, 4), "cards everybody knows to be in a hand, by seat and Portuguese kind"),
    ("pdeck", "int8", 30, "Portuguese deck, kinds, top at pdeck_n - 1; hidden; -1 above"),
    ("pdeck_n", "int8", 1, "cards in the Portuguese deck"),
    ("pused", "int8", 4, "used Portuguese pile, by kind"),
    ("piles", "int8", (3, 4), "rejected piles A, left, right, by kind"),
    ("drawn", "int8", 4, "cards drawn and not yet kept or rejected, by kind; private to the actor"),
    ("split_draw", "int8", 1, "1: the deck was renewed after the first card of the draw being resolved"),
    ("deck_at_shuffle", "int8", 4, "composition of the Portuguese deck at its last shuffle"),
    ("deck_gone", "int8", (4, 4), "by seat: cards it knows to have left the deck since then (DAH-72)"),
    ("slots", "int8", 4, "Moors kinds on the battlefield; -1 = empty"),
    ("mdeck", "int8", 30, "Moors deck, kinds, top at mdeck_n - 1 (open), the rest hidden; -1 above"),
    ("mdeck_n", "int8", 1, "cards in the Moors deck"),
    ("mused", "int8", 30, "used Moors pile, kinds, top at mused_n - 1; -1 above"),
    ("mused_n", "int8", 1, "cards in the used Moors pile"),
    ("placed", "int8", 4, "by seat: -2 not yet, -1 passed, symbol 0 … 6; -2 outside village phases"),
    ("symbol", "int8", 1, "symbol being resolved in KEEP, SIDE, TAKE; else -1"),
    ("visits", "int8", (4, 7), "times each seat used each symbol"),
    ("passed", "int8", 4, "by seat: 1 after a pass in this battle"),
    ("combats", "int16", 4, "fights rolled in this battle, by seat"),
    ("battle_vp", "int16", 4, "VP won in this battle, by seat"),
    ("battle_used", "int16", (4, 4), "Portuguese cards used in this battle, by seat and kind"),
    ("defeaters", "int8", 2, "first and second seat to defeat a Moors card in this battle; -1 = none"),
    ("target_place", "int8", 1, "place fought for in COMMIT, PAY: slot 0 … 3, 4 deck top, 5 used top; else -1"),
    ("target_kind", "int8", 1, "Moors kind fought in COMMIT, PAY; else -1"),
    ("used_pos", "int8", 1, "index in `mused` of a used-pile target; else -1"),
    ("committed", "int8", 6, "cards in the fight, by hand kind"),
    ("warrior_in", "int8", 1, "1: the Warrior card is in the fight"),
    ("master_in", "int8", 1, "1: the Master of Arms adds a die"),
    ("roll", "int16", 6, "PAY: dice by value 1 … 6"),
    ("high", "int8", 1, "PAY: best die"),
    ("deficit", "int8", 1, "PAY: level minus best die"),
    ("character", "int8", 4, "character by seat; -1 = none"),
    ("ready", "int8", 4, "by seat: 1 while the character card is face up"),
    ("bonus", "int8", 5, "battle bonus card 1 … 8 by battle; 0 = none"),
    ("recover_next", "int8", 1, "bonus card 7: places clockwise from the holder already asked"),
    ("scratch_cards", "int8", 30, "working space for cards being dealt"),
    ("scratch_counts", "int8", (3, 4), "redeal: unseen cards still to place, most in the deck, deck, by kind"),
    ("scratch_rng", "int64", 4, "redeal: generator of the sample"),
)

BOX = Record(
    ("characters", "int8", 1, "1: character cards in play"),
    ("battle_bonus", "int8", 1, "1: battle bonus cards in play"),
    ("draft", "int8", 1, "1: characters are chosen in turn"),
    ("fixed_character", "int8", 4, "character by seat; -1 = dealt or drafted"),
    ("first_player", "int8", 1, "seat that begins; -1 = drawn"),
    ("bonus_layout", "int8", 5, "bonus card by battle; 0 = drawn"),
    ("rejoin", "int8", 1, "1: a pass counts until somebody fights (DAH-25)"),
    ("unlimited", "int8", 1, "1: the bank never runs dry (DAH-20)"),
    ("moors_reshuffle", "int8", 1, "1: an empty Moors deck is renewed (DAH-38)"),
    ("supply", "int16", 1, "cubes in the box"),
    ("start_cubes_first", "int8", 1, "cubes of the first player at the start"),
    ("start_cubes_other", "int8", 1, "cubes of the others at the start"),
    ("income", "int8", 1, "cubes for everybody at the second village"),
    ("lowest_cubes", "int8", 1, "cubes for the seat with the fewest VP after a battle"),
    ("cubes_per_vp", "int8", 1, "cubes for one VP at the end"),
    ("portuguese_count", "int8", 4, "cards of each Portuguese kind"),
    ("dice", "int8", 6, "dice by hand kind"),
    ("alone", "int8", 6, "1: a card of this hand kind may face the Moors King alone"),
    ("king_cards", "int8", 1, "cards that may face the Moors King together"),
    ("moors_kinds", "int8", 1, "kinds of Moors cards"),
    ("moors_count", "int8", 30, "cards of each Moors kind"),
    ("level", "int8", 30, "die needed, by Moors kind"),
    ("moors_vp", "int8", 30, "VP, by Moors kind"),
    ("moors_cubes", "int8", 30, "cubes, by Moors kind"),
    ("role", "int8", 30, "0 ordinary, 1 king, 2 catapult, 3 siege tower, by Moors kind"),
    ("engine_kind", "int8", 2, "Moors kind of the catapult and of the siege tower"),
    ("village_cost", "int8", 7, "cubes by symbol"),
    ("village_open", "int8", 7, "1: the symbol is used with this number of players"),
    ("scout_cost", "int8", 1, "cubes the Scout pays in village 3"),
    ("master_dice", "int8", 1, "dice the Master of Arms adds"),
    ("warrior_cost", "int8", 1, "cubes for the Warrior card"),
    ("warrior_dice", "int8", 1, "dice of the Warrior card"),
    ("bonus1_level", "int8", 1, "bonus card 1: level"),
    ("bonus1_vp", "int8", 1, "bonus card 1: VP"),
    ("bonus2_vp", "int8", 2, "bonus card 2: VP for the first and the second player with a defeat"),
    ("bonus3_fight", "int8", 1, "bonus card 3: number of the fight"),
    ("bonus3_dice", "int8", 1, "bonus card 3: dice"),
    ("bonus4_vp", "int8", 1, "bonus card 4: VP"),
    ("bonus5_dice", "int8", 1, "bonus card 5: dice of a peasant"),
    ("bonus6_cubes", "int8", 1, "bonus card 6: cubes"),
    ("bonus8_cards", "int8", 1, "bonus card 8: cards"),
    ("bonus8_vp", "int8", 1, "bonus card 8: VP"),
    ("card_features", "float32", (31, 7), "observation of each Moors kind; the last row is no card"),
)


def _cards(data: Components, record: Any) -> None:
    total = 0
    for i, row in enumerate(data["portuguese_cards"].rows(len(KINDS))):
        if row["key"].text() != KINDS[i]:
            raise row["key"].fail(f"'{KINDS[i]}'")
        record.portuguese_count[i] = row["count"].integer(1, CARDS)
        record.dice[i] = row["dice"].integer(1, 6)
        record.alone[i] = row["alone_against_moors_king"].boolean()
        total += int(record.portuguese_count[i])
    if total != CARDS:
        raise data["portuguese_cards"].fail(f"counts that add up to {CARDS} instead of {total}")
    engines = data["siege_engines"]
    peasant = engines["counts_as"].choice(KINDS)
    record.dice[CATAPULT:] = record.dice[peasant]
    king = data["moors_king_requirement"]
    record.king_cards = king["min_cards"].integer(1, 4)
    record.alone[king["or_card"].choice(KINDS)] = 1


def _moors(data: Components, record: Any) -> None:
    rows = data["moors_cards"]
    if not 3 <= len(rows) <= MAX_MOORS_KINDS:
        raise rows.fail(f"3 to {MAX_MOORS_KINDS} rows")
    record.moors_kinds = len(rows)
    engine_rows: dict[int, list[Node]] = {MOORS_CATAPULT: [], MOORS_TOWER: []}
    for i, row in enumerate(rows):
        role = row["role"].choice(ROLES)
        record.role[i] = role
        record.moors_count[i] = row["count"].integer(1, CARDS)
        record.level[i] = row["level"].integer(1, 6)
        record.moors_vp[i] = row["vp"].integer(0, 20)
        record.moors_cubes[i] = row["cubes"].integer(0, 10)
        if role in engine_rows:
            engine_rows[role].append(row)
            record.engine_kind[role - MOORS_CATAPULT] = i
        kings = (role == MOORS_KING, role == MOORS_CATAPULT, role == MOORS_TOWER)
        scaled = (record.level[i] / 6, min(1.0, record.moors_vp[i] / 8), min(1.0, record.moors_cubes[i] / 3))
        record.card_features[i] = (1, *scaled, *kings)
    total = int(record.moors_count.sum())
    if total != CARDS:
        raise rows.fail(f"counts that add up to {CARDS} instead of {total}")
    for role, found in engine_rows.items():
        if len(found) != 1:
            raise rows.fail(f"exactly one row with the role '{ROLES[role]}' (found {len(found)})")


def _villages(data: Components, record: Any) -> None:
    for i, row in enumerate(data["village_symbols"].rows(len(SYMBOLS))):
        if row["key"].text() != SYMBOLS[i]:
            raise row["key"].fail(f"'{SYMBOLS[i]}'")
        record.village_cost[i] = row["cost"].integer(0, 10)
        closed = [n.integer(2, SEATS) for n in row["not_with_players"]] if "not_with_players" in row else []
        record.village_open[i] = int(record.num_players) not in closed


def _setup(data: Components, record: Any) -> None:
    record.supply = data["supply"]["white_cubes"].integer(12, 200)
    setup = data["setup"]
    record.start_cubes_first = setup["start_cubes_first_player"].integer(0, 3)
    record.start_cubes_other = setup["start_cubes_other_players"].integer(0, 3)
    setup["moors_face_up"].integer(SLOTS, SLOTS)
    setup["bonus_cards_placed"].integer(BATTLES, BATTLES)
    record.income = setup["second_village_income"].integer(0, 10)
    record.lowest_cubes = setup["lowest_vp_cubes"].integer(0, 10)
    record.cubes_per_vp = data["end"]["cubes_per_vp"].integer(1, 25)
    data["supply"]["die_faces"].integer(6, 6)


def _advanced(data: Components, record: Any) -> None:
    people = data["characters"].rows(len(CHARACTERS))
    for i, row in enumerate(people):
        if row["key"].text() != CHARACTERS[i]:
            raise row["key"].fail(f"'{CHARACTERS[i]}'")
    record.scout_cost = people[SCOUT]["cost"].integer(0, 10)
    record.master_dice = people[MASTER]["extra_dice"].integer(0, 6)
    record.warrior_cost = people[WARRIOR]["cost"].integer(0, 10)
    record.warrior_dice = people[WARRIOR]["dice"].integer(1, 6)
    people[STRATEGIST]["extra_targets"].integer(2, 2)
    cards = data["battle_bonus"].rows(BONUS_CARDS)
    for i, row in enumerate(cards):
        row["id"].integer(i + 1, i + 1)
    record.bonus1_level = cards[0]["level"].integer(1, 6)
    record.bonus1_vp = cards[0]["vp"].integer(0, 20)
    record.bonus2_vp[0] = cards[1]["vp_first_player"].integer(0, 20)
    record.bonus2_vp[1] = cards[1]["vp_second_player"].integer(0, 20)
    record.bonus3_fight = cards[2]["combat_number"].integer(1, 10)
    record.bonus3_dice = cards[2]["extra_dice"].integer(0, 6)
    record.bonus4_vp = cards[3]["vp"].integer(0, 20)
    record.bonus5_dice = cards[4]["peasant_dice"].integer(1, 6)
    record.bonus6_cubes = cards[5]["cubes"].integer(0, 10)
    cards[6]["cards"].integer(1, 1)
    cards[6]["forbidden_battle"].integer(BATTLES, BATTLES)
    record.bonus8_cards = cards[7]["min_cards"].integer(1, 10)
    record.bonus8_vp = cards[7]["vp"].integer(0, 20)


def fill_box(record: Any, components: Components, options: dict[str, Any]) -> None:
    """Write components and options into the box record; raises `ComponentsError` for a value that cannot be."""
    for name in ("characters", "battle_bonus", "moors_reshuffle"):
        record[name] = options[name]
    record.rejoin = options["battle_pass"] == "rejoin"
    record.unlimited = options["cube_supply"] == "unlimited"
    first = options["first_player"]
    record.first_player = -1 if first == "random" else first
    record.fixed_character[:] = -1
    assignment = options["character_assignment"]
    record.draft = bool(options["characters"]) and assignment == "draft"
    if options["characters"] and not isinstance(assignment, str):
        record.fixed_character[: len(assignment)] = assignment
    if options["battle_bonus"] and not isinstance(options["bonus_layout"], str):
        record.bonus_layout[:] = options["bonus_layout"]
    _cards(components, record)
    _moors(components, record)
    _villages(components, record)
    _setup(components, record)
    _advanced(components, record)


def _distinct(value: Any, low: int, high: int) -> bool:
    """Whether `value` is a list of distinct integers in ``low … high``."""
    if not isinstance(value, list | tuple):
        return False
    good = all(isinstance(i, int) and not isinstance(i, bool) and low <= i <= high for i in value)
    return good and len(set(value)) == len(value)


def _first_player_fault(value: Any) -> str | None:
    number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < SEATS
    return None if value == "random" or number else "expected 'random' or a seat, counted from 0"


def _assignment_fault(value: Any) -> str | None:
    if isinstance(value, str) and value in ("random", "draft"):
        return None
    if _distinct(value, 0, 3) and 2 <= len(value) <= SEATS:
        return None
    return "expected 'random', 'draft', or a list with a different character 0 … 3 for each seat"


def _layout_fault(value: Any) -> str | None:
    if value == "random" or (_distinct(value, 1, BONUS_CARDS) and len(value) == BATTLES and value[-1] != 7):
        return None
    return "expected 'random', or a list of five different cards 1 … 8, the last one not 7"


def _cross_check(options: dict[str, Any]) -> str | None:
    n = options["num_players"]
    first, assignment = options["first_player"], options["character_assignment"]
    if first != "random" and first >= n:
        return f"first_player = {first}: expected a seat from 0 to {n - 1} with num_players = {n}"
    if options["characters"] and not isinstance(assignment, str) and len(assignment) != n:
        return f"character_assignment = {assignment!r}: expected {n} characters with num_players = {n}"
    return None


OPTIONS = (
    Option("characters", False, "character cards", choices=(False, True), origin="Character Cards"),
    Option("battle_bonus", False, "battle bonus cards", choices=(False, True), origin="Battle Bonus Cards"),
    Option(
        "character_assignment",
        "random",
        "who gets which character: 'random', 'draft' (clockwise from the first player), or a list by seat",
        check=_assignment_fault,
        origin="DAH-04",
    ),
    Option("first_player", "random", "'random', or the seat that begins", check=_first_player_fault, origin="DAH-03"),
    Option("bonus_layout", "random", "'random', or five cards by battle", check=_layout_fault, origin="DAH-50"),
    Option("battle_pass", "final", "a pass is final, or until somebody fights", ("final", "rejoin"), origin="DAH-25"),
    Option("cube_supply", "limited", "whether the cubes are a limit", ("limited", "unlimited"), origin="DAH-20"),
    Option("moors_reshuffle", True, "an empty Moors deck is renewed", choices=(True, False), origin="DAH-38"),
)

_FULL = {"characters": True, "battle_bonus": True}
_HOUSE = {"battle_pass": "rejoin", "cube_supply": "unlimited", "moors_reshuffle": False}
VARIANTS: dict[str, dict[str, Any]] = {
    "2p": {"num_players": 2},
    "3p": {"num_players": 3},
    "4p": {"num_players": 4},
    "3p_characters": {"num_players": 3, "characters": True},
    "4p_bonus": {"num_players": 4, "battle_bonus": True},
    "2p_full": {"num_players": 2, **_FULL},
    "3p_full_draft": {"num_players": 3, **_FULL, "character_assignment": "draft", "battle_pass": "rejoin"},
    "4p_full": {"num_players": 4, **_FULL},
    "4p_full_house": {"num_players": 4, **_FULL, **_HOUSE},
}

INVARIANTS = {
    1: "every field is in its range",
    2: "the Portuguese cards of each kind add up to their printed number",
    3: "the Moors cards of each kind add up to their printed number",
    4: "with a limited supply the cubes add up to those of the box",
    5: "the VP of a battle are part of the VP, and are 0 outside battles",
    6: "a hand holds at most ten Portuguese cards, and at least those known to be there",
    7: "cylinders stand on different symbols, on none closed to this number of players, and only in village phases",
    8: "cards are drawn only in KEEP and SIDE, and committed only in COMMIT and PAY",
    9: "the seat on turn plays, and the kind of decision fits the phase",
    10: "with moors_reshuffle no slot is empty while Moors cards lie in the deck or on the used pile",
    11: "bonus cards differ, the last is not card 7; characters differ; both only if they are in play",
    12: "cards known to have left the deck and those still in it are no more than it had at its shuffle",
    13: "the fight under way has a target that lies where it is said to lie",
    14: "the decision fits the cards: something to keep, to reject, to take, to roll, to pay, to recover",
    15: "seats that are not in play have nothing",
}

GAME = Game(
    package=__package__ or "",
    title="D. Afonso Henriques",
    players=(2, 3, 4),
    default_players=4,
    actions=ACTIONS,
    observation=OBSERVATION,
    state=STATE,
    box=BOX,
    fill_box=fill_box,
    own_options=OPTIONS,
    cross_check=_cross_check,
    variants=VARIANTS,
    bots=("heuristic", "greedy", "veteran"),
    invariants=INVARIANTS,
    max_plies=CUT_OFF + LONGEST_TURN,
)
