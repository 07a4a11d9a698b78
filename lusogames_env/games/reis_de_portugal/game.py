"""Reis de Portugal: options, records and layouts. The rules themselves are in `rules.py`."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.components import Components, Node
from lusogames_env.engine.game import Game
from lusogames_env.engine.layout import Actions, Block, Field, Observation, Record
from lusogames_env.engine.options import Option

CARDS = 36
FOOL, FOG = 34, 35  # card ids; a monarch's id is its number - 1
AFONSO_HENRIQUES, SEBASTIAO = 0, 15
ROUNDS = 3
SEATS = 4
PILE = 4  # place of the pile in `may_hold`, after the seats
MAX_HAND = 5

DYNASTIES = ("afonsina", "avis", "filipina", "braganca")
AFONSINA, AVIS, FILIPINA, BRAGANCA = range(4)
BONUSES = ("battle", "conspiracy", "intrigue", "siege", "cuts")
BATTLE, CONSPIRACY, INTRIGUE, SIEGE, CUTS = range(5)
PHASES = ("PLAY", "REPLACE", "PASS", "SECOND", "SIEGE", "DRAW")
PLAYING, REPLACING, PASSING, SECONDING, BESIEGING, DRAWING = range(6)
SPECIALS = {AFONSO_HENRIQUES: "two_values", SEBASTIAO: "sebastiao", FOOL: "fool", FOG: "fog"}


def card_name(box: Any, card: int) -> str:
    """Return number and name of a card, as ``12 D. Afonso V``; Fool and Fog have no number."""
    row = box.components["card"][card]
    name: str = row["name"].text()
    return f"{row['number'].value} {name}" if row["number"].value else name


def alternative(box: Any) -> str:
    """Return the second value of D. Afonso Henriques as text."""
    return str(box.components["card"][AFONSO_HENRIQUES]["alt_value"].value)


def _cards(verb: str) -> Any:
    return lambda box, i: f"{verb} {card_name(box, i)}"


def _as_nine(verb: str) -> Any:
    return lambda box, i: f"{verb} {card_name(box, AFONSO_HENRIQUES)} as {alternative(box)}"


ACTIONS = Actions(
    Block("play", CARDS, _cards("PLAY"), "play the hand card with this id; D. Afonso Henriques as 0"),
    Block("play_as_9", 1, _as_nine("PLAY"), "play D. Afonso Henriques from the hand as 9"),
    Block("castle", 1, ("CASTLE",), "play the Castle; D. Afonso Henriques as 0"),
    Block("castle_as_9", 1, lambda box, i: f"CASTLE as {alternative(box)}", "play the Castle D. Afonso Henriques as 9"),
    Block("new_castle", CARDS, _cards("NEW CASTLE"), "the hand card with this id becomes the Castle"),
    Block("pass", CARDS, _cards("PASS"), "Intrigue: set the hand card with this id aside for the left neighbour"),
    Block("second", CARDS, _cards("SECOND"), "Battle: put the hand card with this id face down; no. 1 as 0"),
    Block("second_as_9", 1, _as_nine("SECOND"), "Battle: put D. Afonso Henriques face down as 9"),
    Block("before_wall", CARDS, _cards("BEFORE WALL"), "Siege: take position before this Wall card; no. 1 as 0"),
    Block("before_wall_as_9", 1, _as_nine("BEFORE WALL"), "Siege: D. Afonso Henriques on the Wall as 9"),
    Block("take", CARDS, _cards("TAKE"), "take the Wall card with this id into the hand"),
)

OBSERVATION = Observation(
    Field("phase", 6, "one-hot PLAY, REPLACE, PASS, SECOND, SIEGE, DRAW"),
    Field("n_players", 3, "one-hot 2, 3, 4"),
    Field(
        "rule_flags",
        7,
        "0/1: advanced, teams, castle_assist=free, siege_winner_draws, conspiracy_scope=all, cuts_by_rank, "
        "team_no_flush=player (with teams)",
    ),
    Field("round", ROUNDS, "one-hot"),
    Field("trump", 3, "one-hot Afonsina, Avis, Bragança"),
    Field("dynasty_vp", 3, "VP of Afonsina, Avis, Bragança this round / largest VP (3)"),
    Field("houses_to_come", 3, "0/1: Royal House cards not yet revealed"),
    Field("hand", CARDS, "0/1: own hand"),
    Field("castles", (SEATS, CARDS), "0/1: Castle of each seat"),
    Field("wall", CARDS, "0/1: face-up Wall cards"),
    Field("pile_count", 1, "cards in the pile / 22"),
    Field("hand_counts", SEATS, "cards in each hand / 5, without a face-down second card, with a card set aside"),
    Field("leader", SEATS, "one-hot; in DRAW the winner just determined"),
    Field("in_flush", SEATS, "0/1: participants of the Flush; in DRAW the seats that still have to take a card"),
    Field("led_dynasty", 4, "one-hot Afonsina, Avis, Filipina, Bragança"),
    Field("bonus", 5, "one-hot active bonus: battle, conspiracy, intrigue, siege, cuts"),
    Field("last_flush", 1, "0/1: the last Flush of the round is being played"),
    Field("face", (SEATS, CARDS), "0/1: face-up cards of the current Flush"),
    Field("face_value", SEATS, "value of the face-up card / highest value (9)"),
    Field("siege_card", (SEATS, CARDS), "0/1: Wall card each seat has taken position at"),
    Field("siege_value", SEATS, "its value / highest value (9)"),
    Field("second_down", SEATS, "0/1: has put down a second card"),
    Field("own_second", CARDS, "0/1: own face-down card"),
    Field("own_second_value", 1, "its value / highest value (9)"),
    Field("pass_set", SEATS, "0/1: has set a card aside"),
    Field("own_pass", CARDS, "0/1: own card set aside; until the transfer it also stays in the hand"),
    Field("captured", (SEATS, CARDS), "0/1: cards captured this round"),
    Field("flushes_won", SEATS, "Flushes won this round, at most 20 / 20"),
    Field("scores", SEATS, "total score / highest possible total (24); with teams the team's total in both rows"),
    Field("played_by", (SEATS, CARDS), "0/1: cards each seat has put on the table this round"),
    Field(
        "may_hold",
        (SEATS, CARDS),
        "0/1; rows 1-3: the seat may hold the card in hand or face down; row 0: the card may be in the pile",
    ),
    Field("actor", SEATS, "one-hot: the seat on turn"),
)

STATE = Record(
    ("house_order", "int8", ROUNDS, "Royal House card of each round; only those up to `round_no` are public"),
    ("round_no", "int8", 1, "0 … 2"),
    ("phase", "int8", 1, "index in PHASES; -1 after the end"),
    ("leader", "int8", 1, "first player of the Flush; in DRAW the winner of the last one"),
    ("led", "int8", 1, "dynasty of the leader's card; -1 = none yet"),
    ("bonus", "int8", 1, "index in BONUSES of the active bonus; -1 = none"),
    ("last_flush", "int8", 1, "1 while the last Flush of the round is played"),
    ("order_len", "int8", 1, "seats in `order`"),
    ("pos", "int8", 1, "place in `order` of the seat on turn"),
    ("order", "int8", SEATS, "participants of the Flush, or the seats that take a Wall card; -1 = none"),
    ("pile_len", "int8", 1, "cards in the pile"),
    ("pile", "int8", CARDS, "hidden; the top card is pile[pile_len - 1]; -1 = none"),
    ("castle", "int8", SEATS, "-1 = none"),
    ("face", "int8", SEATS, "face-up card of the current Flush; -1 = none"),
    ("face_value", "int8", SEATS, "its value"),
    ("second", "int8", SEATS, "Battle: face-down card, hidden from the others; -1 = none"),
    ("second_value", "int8", SEATS, "its value, as hidden"),
    ("siege_card", "int8", SEATS, "Siege: Wall card taken position at; -1 = none"),
    ("siege_value", "int8", SEATS, "its value"),
    ("pass_card", "int8", SEATS, "Intrigue: hand card set aside, hidden from the others; -1 = none"),
    ("flushes_won", "int8", SEATS, "this round"),
    ("score", "int16", SEATS, "total; with teams the team's total in both seats"),
    ("points", "int16", (ROUNDS, SEATS), "points of each finished round, before doubling and floor"),
    ("wall", "int64", 1, "set of cards (bit = card id)"),
    ("hand", "int64", SEATS, "set of cards of each seat"),
    ("captured", "int64", SEATS, "set of cards each seat captured this round"),
    ("played_by", "int64", SEATS, "set of cards each seat has put on the table this round"),
    ("may_hold", "int64", (SEATS, SEATS + 1), "[observer, place]: cards that may be in that hand, or the pile (4)"),
    ("scratch_rng", "int64", 4, "generator of `redeal`"),
    ("scratch_cards", "int8", CARDS, "cards to deal in `redeal`"),
    ("scratch_place", "int8", CARDS, "place of each card in `redeal`"),
    ("scratch_room", "int8", SEATS + 1, "room left at each place in `redeal`"),
    ("scratch_via", "int8", SEATS + 1, "card by which `redeal` reached a place"),
)

BOX = Record(
    ("value", "int8", CARDS, "printed value; the lower one of D. Afonso Henriques"),
    ("alt_value", "int8", 1, "higher value of D. Afonso Henriques"),
    ("tie_rank", "int8", CARDS, "breaks every tie; all differ"),
    ("dynasty", "int8", CARDS, "index in DYNASTIES"),
    ("bonus", "int8", CARDS, "index in BONUSES; -1 = none"),
    ("vp", "int8", CARDS, "points printed on the card"),
    ("trump", "int8", 3, "dynasty by Royal House card"),
    ("house_vp", "int8", (3, 4), "points for the majority, by Royal House card and dynasty"),
    ("no_flush_vp", "int8", 3, "points for no Flush, by Royal House card"),
    ("advanced", "int8", 1, "1: rules=advanced"),
    ("teams", "int8", 1, "1: seats 0 and 2 against 1 and 3"),
    ("castle_strict", "int8", 1, "1: castle_assist=strict"),
    ("siege_winner_draws", "int8", 1, "0/1"),
    ("conspiracy_all", "int8", 1, "1: conspiracy_scope=all"),
    ("cuts_by_rank", "int8", 1, "0/1"),
    ("no_flush_by_player", "int8", 1, "1: teams and team_no_flush=player"),
    ("value_scale", "int32", 1, "largest absolute value"),
    ("vp_scale", "int32", 1, "largest VP of a dynasty"),
    ("score_cap", "int32", 1, "highest possible total"),
    ("dynasty_cards", "int64", 4, "set of cards of each dynasty"),
)


def _fixed(node: Node, expected: Any) -> None:
    """Refuse a value that the rulebook fixes."""
    if type(node.value) is not type(expected) or node.value != expected:
        raise node.fail(f"{expected!r}, which the rulebook fixes")


def _check_rulebook_numbers(components: Components) -> None:
    for n, row in zip((2, 3, 4), components["setup"].rows(3), strict=True):
        numbers = {"players": n, "wall": n, "hand": MAX_HAND, "castle": 1, "pile": CARDS - 7 * n}
        for key, number in numbers.items():
            _fixed(row[key], number)
    scoring = components["scoring"]
    _fixed(scoring["filipina_all_three_cancels"], True)
    _fixed(scoring["final_round_multiplier"], 2)
    _fixed(scoring["total_floor"], 0)


def _fill_cards(record: Any, components: Components) -> None:
    sets = [0, 0, 0, 0]
    rank_of: dict[int, int] = {}
    for card, row in enumerate(components["card"].rows(CARDS)):
        _fixed(row["id"], card)
        _fixed(row["number"], card + 1 if card < FOOL else 0)
        _fixed(row["special"], SPECIALS.get(card, "none"))
        row["name"].text()
        record.value[card] = row["value"].integer(-9, 20)
        rank = row["tie_rank"].integer(-9, 99)
        if rank in rank_of:
            raise row["tie_rank"].fail(f"a rank that card {rank_of[rank]} does not have")
        rank_of[rank] = card
        record.tie_rank[card] = rank
        dynasty = row["dynasty"].choice(DYNASTIES)
        record.dynasty[card] = dynasty
        sets[dynasty] |= 1 << card
        record.bonus[card] = row["bonus"].choice((*BONUSES, "none")) if row["bonus"].value != "none" else -1
        printed = {FILIPINA: (-9, 0)}.get(dynasty, (0, 9) if card == SEBASTIAO else (0, 0))
        record.vp[card] = row["vp"].integer(*printed)
    first = components["card"][AFONSO_HENRIQUES]
    record.alt_value = first["alt_value"].integer(first["value"].value + 1, 20)
    record.dynasty_cards[:] = sets
    _fixed(components["card"][FOOL]["dynasty"], "afonsina")
    _fixed(components["card"][FOG]["dynasty"], "avis")
    for name, cards, row in zip(DYNASTIES, sets, components["dynasty"].rows(4), strict=True):
        _fixed(row["id"], name)
        _fixed(row["cards"], cards.bit_count())
        _fixed(row["can_be_trump"], name != "filipina")
        _fixed(row["can_score"], name != "filipina")
        row["label"].text()
    if sets[FILIPINA].bit_count() != 3:
        raise components["dynasty"][FILIPINA]["cards"].fail("3, which the rulebook fixes")


def _fill_houses(record: Any, components: Components) -> None:
    trumps = ("afonsina", "avis", "braganca")
    for house, row in enumerate(components["royal_house"].rows(3)):
        trump = trumps[row["trump"].choice(trumps)]
        scoring = [name for name in trumps if name != trump]
        if not isinstance(row["vp"].value, dict) or sorted(row["vp"].value) != sorted(scoring):
            raise row["vp"].fail(f"a table with the keys {' and '.join(scoring)}")
        record.trump[house] = DYNASTIES.index(trump)
        for name in scoring:
            record.house_vp[house, DYNASTIES.index(name)] = row["vp"][name].integer(0, 9)
        record.no_flush_vp[house] = row["no_flush_vp"].integer(0, 9)


def _score_cap(record: Any) -> int:
    """Highest total: every round the best of all majorities with D. Sebastião, or no Flush; the third counts twice."""
    majorities = int(record.house_vp.sum(axis=1).max())
    no_flush = int(record.no_flush_vp.max())
    best = max(majorities + no_flush, 2 * no_flush) if record.no_flush_by_player else max(majorities, no_flush)
    return (ROUNDS + 1) * (best + int(record.vp[SEBASTIAO]))


def fill_box(record: Any, components: Components, options: dict[str, Any]) -> None:
    """Write components and options into the box record; raises `ComponentsError` for a value that cannot be played."""
    _check_rulebook_numbers(components)
    _fill_cards(record, components)
    _fill_houses(record, components)
    record.advanced = options["rules"] == "advanced"
    record.teams = options["teams"]
    record.castle_strict = options["castle_assist"] == "strict"
    record.siege_winner_draws = options["siege_winner_draws"]
    record.conspiracy_all = options["conspiracy_scope"] == "all"
    record.cuts_by_rank = options["cuts_by_rank"]
    record.no_flush_by_player = options["teams"] and options["team_no_flush"] == "player"
    record.value_scale = max(int(abs(record.value).max()), int(record.alt_value))
    record.vp_scale = max(1, int(record.house_vp.max()))
    record.score_cap = max(1, _score_cap(record))


def cross_check(options: dict[str, Any]) -> str | None:
    """Teams need four players."""
    if options["teams"] and options["num_players"] != 4:
        return f"teams = True needs num_players = 4, not {options['num_players']}"
    return None


def teams(options: dict[str, Any]) -> tuple[int, ...]:
    """Return the team of every seat: partners sit opposite each other; without teams everybody is alone."""
    return (0, 1, 0, 1) if options["teams"] else tuple(range(options["num_players"]))


GAME = Game(
    package=__package__,
    title="Reis de Portugal",
    players=(2, 3, 4),
    default_players=4,
    actions=ACTIONS,
    observation=OBSERVATION,
    state=STATE,
    box=BOX,
    fill_box=fill_box,
    cross_check=cross_check,
    teams=teams,
    own_options=(
        Option(
            "rules",
            "advanced",
            "basic: no bonuses; advanced: the bonus of the leader's card applies",
            choices=("basic", "advanced"),
            origin="Advanced Rules",
        ),
        Option(
            "teams",
            False,
            "seats 0 and 2 play against seats 1 and 3 (four players only)",
            choices=(False, True),
            origin="Variant for 4 Players",
        ),
        Option(
            "castle_assist",
            "free",
            "may the Castle always be played, or only if it follows while the hand could (strict)",
            choices=("free", "strict"),
            origin="RP-03",
        ),
        Option(
            "siege_winner_draws",
            True,
            "whether the winner of a Siege takes a Wall card in the next draw step",
            choices=(False, True),
            origin="RP-28",
        ),
        Option(
            "conspiracy_scope",
            "led",
            "without trumps, the lowest card of the led dynasty wins a Conspiracy, or the lowest of all",
            choices=("led", "all"),
            origin="RP-24",
        ),
        Option(
            "cuts_by_rank",
            False,
            "whether Cuts is won by the highest order number instead of the highest value",
            choices=(False, True),
            origin="RP-30",
        ),
        Option(
            "team_no_flush",
            "team",
            "with teams: 2 VP if neither partner won a Flush, or for each partner without one",
            choices=("team", "player"),
            origin="RP-33",
        ),
    ),
    variants={
        "2p": {"num_players": 2},
        "3p": {"num_players": 3},
        "4p": {"num_players": 4},
        "2p_basic": {"num_players": 2, "rules": "basic"},
        "4p_basic": {"num_players": 4, "rules": "basic"},
        "teams": {"num_players": 4, "teams": True},
        "3p_options": {
            "num_players": 3,
            "siege_winner_draws": False,
            "castle_assist": "strict",
            "conspiracy_scope": "all",
            "cuts_by_rank": True,
        },
        "teams_options": {
            "num_players": 4,
            "teams": True,
            "team_no_flush": "player",
            "siege_winner_draws": False,
            "castle_assist": "strict",
        },
    },
    invariants={
        1: "every field is in its range, and the seat on turn is the one the order says",
        2: "hands, Castles, Wall, pile, table and captured cards are a partition of the 36 cards",
        3: "every seat has one Castle, except while it is being replaced and once played in the last Flush",
        4: "a hand has at most 5 cards, the Wall at most n, the pile at most 36 - 7n",
        5: "when a Flush starts the Wall is full or the pile empty; with siege_winner_draws all hands are equal, "
        "the Wall is full and the pile a multiple of n",
        6: "when a Flush starts with all hands empty the pile is empty",
        7: "the seat on turn has something to choose",
        8: "second cards lie only in a Battle, siege positions only in a Siege and on different Wall cards, "
        "cards set aside only in an Intrigue and in the hand",
        9: "totals and round points are in their range, and partners have the same total",
        10: "the set of cards that may be somewhere contains those that are, and no public or own card",
        11: "the Royal House cards are a permutation",
        12: "a Flush is the last one exactly if no hand holds a card when it starts",
    },
    max_plies=400,
)
