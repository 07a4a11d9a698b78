"""Declarations of Anno Domini: options, records, actions, observation and the reader of its components."""

from __future__ import annotations

from math import gcd
from typing import Any

import numpy as np

from lusogames_env.engine.components import Components, Node
from lusogames_env.engine.game import Game
from lusogames_env.engine.graph import Graph
from lusogames_env.engine.layout import Actions, Block, Field, Observation, Record
from lusogames_env.engine.options import Option

SEATS = 4
TERRITORIES = 36
SEAS = 7
CATHEDRALS = 16
KEPT_CARDS = 10  # card ids 0 … 9 are kept face up, 10 … 14 are used at once
CARDS = 15
DECK = 59  # all cards but the Pope
DICE = 6  # of each colour: a territory holds at most six castles
FREE = -1  # owner of a territory without castles
NONE = -1  # no territory, seat or card is selected

MERCENARY, HEROINE, TEMPLAR, POPE, COMMANDER, TOLL_COLLECTOR, ARQUEBUSEER, RELIC, MERCHANT, GENIUS = range(KEPT_CARDS)
AMBASSADOR, BISHOP, CUT_THROAT, MAECENAS, ARCHITECT = range(KEPT_CARDS, CARDS)
USED_EFFECTS = ("steal_card", "move_cathedral", "discard_card", "money", "castle_everywhere")

EVENT_EFFECTS = (
    "clear_random_territory",
    "three_random_territories_lose_one",
    "roller_discards_card",
    "roller_pays_pope_per_own_cathedral",
    "roller_gains_per_territory",
    "roller_pays_pope",
    "roller_becomes_pope",
    "pope_pays_each_per_pope_cathedral",
    "roller_gains",
)
PLAGUE, BARBAROUS, CRISIS, TITHE, TAXATION, CRUSADE, COUNCIL, SCHISM, DEPOSIT = range(len(EVENT_EFFECTS))

# What the seat on turn is asked, in the order of the observation.
DECISIONS = (
    "SETUP_CHOOSE",
    "TURN_MAIN",
    "ATTACK_TARGET",
    "OCCUPY",
    "CRISIS_DISCARD",
    "AMBASSADOR_PLAYER",
    "AMBASSADOR_CARD",
    "CUTTHROAT_PLAYER",
    "CUTTHROAT_CARD",
    "BISHOP_SOURCE",
    "BISHOP_DEST",
    "ARCHITECT_PLACE",
)
(
    SETUP_CHOOSE,
    TURN_MAIN,
    ATTACK_TARGET,
    OCCUPY,
    CRISIS_DISCARD,
    AMBASSADOR_PLAYER,
    AMBASSADOR_CARD,
    CUTTHROAT_PLAYER,
    CUTTHROAT_CARD,
    BISHOP_SOURCE,
    BISHOP_DEST,
    ARCHITECT_PLACE,
) = range(len(DECISIONS))
NO_DECISION = -1  # after the end
# In place of a decision, inside one step only: what happens by itself next.
SETUP_DUE, EVENT_DUE, CARD_DONE, TURN_OVER = range(len(DECISIONS), len(DECISIONS) + 4)


def territory_name(box: Any, t: int) -> str:
    """Return the printed name of territory `t`."""
    return box.components.value["territories"][t]["name"]


def territory_text(box: Any, t: int) -> str:
    """Return code and name of territory `t`, as ``1-3 England``."""
    return f"{t // 6 + 1}-{t % 6 + 1} {territory_name(box, t)}"


def card_name(box: Any, card: int) -> str:
    """Return the printed name of card `card` (0 … 14)."""
    return box.components.value["cards"][card]["name"]


ACTIONS = Actions(
    Block("end_turn", 1, "end turn", "ends the turn; draws a card if a territory was conquered and none drawn yet"),
    Block("end_turn_no_draw", 1, "end turn, decline the card", "ends the turn without the card earned"),
    Block("roll_event", 1, "roll event", "once a turn"),
    Block("occupy", 1, "occupy", "the territory just emptied, with a free castle"),
    Block("leave_free", 1, "leave free", "the territory just emptied"),
    Block("pick_opponent", 3, lambda box, i: f"opponent +{i + 1}", "the (i + 1)-th seat clockwise of the actor"),
    Block("pick_card", KEPT_CARDS, lambda box, i: f"card {card_name(box, i)}", "kept card id i"),
    Block("pick_territory", TERRITORIES, lambda box, i: f"territory {territory_text(box, i)}", "territory i"),
    Block("build", TERRITORIES, lambda box, i: f"build on {territory_text(box, i)}", "one castle on territory i"),
    Block("attack_from", TERRITORIES, lambda box, i: f"attack from {territory_text(box, i)}", "then choose the target"),
)

OBSERVATION = Observation(
    Field("board_owner", (TERRITORIES, 5), "one-hot per territory: self, +1, +2, +3, free"),
    Field("board_castles", TERRITORIES, "castles / 6"),
    Field("board_cathedral", TERRITORIES, "0 or 1"),
    Field("money", SEATS, "min(florins, 5000) / 5000; relative seat"),
    Field("money_big", SEATS, "min(florins, 1000000) / 1000000; relative seat"),
    Field("debt", (SEATS, SEATS), "min(florins, 500) / 500 that row owes column; relative seats"),
    Field("territories", SEATS, "/ 36; relative seat"),
    Field("cathedrals", SEATS, "/ 16; relative seat"),
    Field("supply", SEATS, "castles in the box / 80; relative seat"),
    Field("alive", SEATS, "0 or 1; relative seat"),
    Field("is_pope", SEATS, "0 or 1; relative seat"),
    Field("kept", (SEATS, KEPT_CARDS - 1), "copies held / copies of the card, ids 0-2 and 4-9; relative seat"),
    Field("yet_to_play", SEATS, "place among the living seats still to play this round (1 = now) / 4, else 0"),
    Field("decision", len(DECISIONS), "one-hot " + ", ".join(DECISIONS) + "; zeros after the end"),
    Field("actor", SEATS, "one-hot seat on turn, relative to the observer; zeros after the end"),
    Field("attacks_left", (), "attacks the turn player may still make / 27"),
    Field("attacks_made", (), "attacks made or forfeited this turn / 27"),
    Field("rolled", (), "1 if the event of the turn has been rolled"),
    Field("conquered", (), "1 if a territory was conquered this turn"),
    Field("drawn", (), "1 if the card of the turn has been drawn"),
    Field("sel_from", TERRITORIES, "one-hot origin of the attack"),
    Field("sel_to", TERRITORIES, "one-hot territory that may be occupied"),
    Field("sel_src", TERRITORIES, "one-hot source of the Bishop; in ARCHITECT_PLACE the territories already served"),
    Field("sel_opp", SEATS - 1, "one-hot chosen opponent, clockwise from the seat on turn"),
    Field("used_card", CARDS - KEPT_CARDS, "one-hot card being resolved, ids 10-14"),
    Field("round", (), "round / max_rounds"),
    Field("early", (), "1 while the protections of the first rounds hold"),
    Field("goal", (), "cathedrals needed / 16"),
    Field("mandatory_event", (), "option event_roll is 'mandatory'"),
    Field("pope_stealable", (), "option ambassador_may_steal_pope"),
    Field("no_attack", (), "option early_limits is 'no_attack'"),
    Field("unseen_counts", CARDS - 1, "never-drawn copies / copies, ids 0-2 and 4-14"),
    Field("unseen_left", (), "never-drawn cards on top of the deck / 59"),
    Field("deck_length", (), "cards in the deck / 59"),
    Field("next_known", (4, CARDS - 1), "one-hot card at deck place 0 … 3 from the top if known, ids 0-2 and 4-14"),
    Field("deck_known", DECK, "per place from the top: place of the card in ids 0-2, 4-14 (from 1) / 14; 0 if unknown"),
    Field("last_event", 12, "one-hot event of this turn: none, 2 … 12"),
)

STATE = Record(
    ("owner", "int8", TERRITORIES, "seat that controls each territory; -1 free"),
    ("castles", "int8", TERRITORIES, "0 … 6; 0 exactly on free territories"),
    ("cathedral", "int8", TERRITORIES, "1 if a cathedral stands there"),
    ("money", "int32", SEATS, "florins"),
    ("debt", "int32", (SEATS, SEATS), "florins that row owes column"),
    ("kept", "int8", (SEATS, KEPT_CARDS), "copies of each kept card in front of each seat; column 3 is the Pope"),
    ("deck", "int8", DECK, "card ids from the top; -1 past the end"),
    ("deck_size", "int8", 1, "cards in the deck"),
    ("unseen_left", "int8", 1, "cards on top of the deck that nobody has seen since the first shuffle"),
    ("alive", "int8", SEATS, "1 until eliminated"),
    ("elim_rank", "int8", SEATS, "0 alive; 1 eliminated first, 2 second, 3 third"),
    ("placed", "int8", 1, "territories placed in the set-up, 0 … 36"),
    ("round_number", "int16", 1, "0 in the set-up, then 1 … max_rounds"),
    ("order", "int8", SEATS, "seats in the order of play of this round; -1 for seats dead at its start"),
    ("order_pos", "int8", 1, "place of the turn player in `order`"),
    ("decision", "int8", 1, "what the seat on turn is asked (DECISIONS); -1 after the end"),
    ("sel_from", "int8", 1, "origin of the attack; -1 none"),
    ("sel_to", "int8", 1, "territory that may be occupied; -1 none"),
    ("sel_src", "int8", 1, "territory the Bishop takes the cathedral from; -1 none"),
    ("sel_opp", "int8", 1, "seat whose card is taken; -1 none"),
    ("used_card", "int8", 1, "card being resolved, 10 … 14; -1 none"),
    ("arch_left", "int8", 1, "castles the Architect still places"),
    ("arch_done", "int8", TERRITORIES, "1 on territories the Architect has served"),
    ("attacks_made", "int8", 1, "attacks of this turn, made or forfeited"),
    ("rolled", "int8", 1, "1 if the event of this turn has been rolled"),
    ("conquered", "int8", 1, "1 if the turn player has taken a territory"),
    ("drawn", "int8", 1, "1 if the turn player has drawn a card"),
    ("last_event", "int8", 1, "event of this turn, 2 … 12; 0 none"),
    ("winner", "int8", 1, "seat that has won; -1 none"),
    ("battle", "int8", 2, "origin and target of the latest attack, for display; -1 none"),
    ("battle_dice", "int8", (2, DICE), "dice of attacker and defender in it; 0 not rolled"),
    ("battle_points", "int8", 2, "points of attacker and defender in it"),
    ("scratch_rng", "int64", 4, "generator used while redealing"),
    ("scratch_mask", "int8", ACTIONS.n, "mask used while checking"),
    ("scratch_faces", "int8", (SEATS, 2, 2), "faces that hit, by seat, attack or defence, without or with cathedral"),
    ("scratch_worth", "float64", TERRITORIES, "estimates of a rule-based player"),
)

BOX = Record(
    ("goal", "int32", 1, "cathedrals that win"),
    ("pontifical_to_pope", "int32", 1, "1: the Pope starts in the Pontifical State"),
    ("mandatory_event", "int32", 1, "1: every turn begins with the event"),
    ("pope_stealable", "int32", 1, "1: the Ambassador may take the Pope"),
    ("no_attack", "int32", 1, "1: early limits forbid the attack, not only its result"),
    ("random_setup", "int32", 1, "1: chance instead of choice when a rolled territory is taken"),
    ("pontifical", "int32", 1, "index of the Pontifical State"),
    ("start_money", "int32", 1, "florins"),
    ("castles_per_player", "int32", 1, "castles of one colour"),
    ("castles_max", "int32", 1, "per territory"),
    ("castle_cost", "int32", 1, "florins"),
    ("income_factor", "int32", 1, "florins per cathedral times territory"),
    ("base_attacks", "int32", 1, "attacks per turn without cards"),
    ("points_cap", "int32", 1, "attack or defence points that count"),
    ("hit_threshold", "int32", 1, "die + points that hits"),
    ("cathedral_defence", "int32", 1, "defence points of a cathedral"),
    ("free_round", "int32", 1, "first round in which players may win or be eliminated"),
    ("reach", "int64", TERRITORIES, "bit mask of the territories with a common border or sea"),
    ("copies", "int32", CARDS, "copies of each card"),
    ("attack", "int32", KEPT_CARDS, "attack points of each kept card"),
    ("attack_cathedral", "int32", KEPT_CARDS, "more of them against a territory with a cathedral"),
    ("defence", "int32", KEPT_CARDS, "defence points"),
    ("defence_cathedral", "int32", KEPT_CARDS, "more of them in a territory with a cathedral"),
    ("extra_attacks", "int32", KEPT_CARDS, "more attacks per turn"),
    ("extra_attacks_cathedral", "int32", KEPT_CARDS, "more attacks per turn for each own cathedral"),
    ("income", "int32", KEPT_CARDS, "florins per administrative phase"),
    ("income_territory", "int32", KEPT_CARDS, "florins per administrative phase and own territory"),
    ("gift", "int32", 1, "florins of the Maecenas"),
    ("event_effect", "int32", 13, "effect of each sum of the dice, index in EVENT_EFFECTS"),
    ("event_amount", "int32", 13, "florins"),
    ("coin", "int32", 1, "florins; every amount in the game is a multiple of it"),
)

MAX_AMOUNT = 10_000  # keeps all money of the longest game within 32 bits


def _optional(row: Node, key: str, high: int) -> int:
    return row[key].integer(0, high) if key in row else 0


def _florins(node: Node) -> int:
    return node.integer(0, MAX_AMOUNT)


def _optional_florins(row: Node, key: str) -> int:
    return _florins(row[key]) if key in row else 0


def _fill_constants(record: Any, constants: Node) -> None:
    record.castles_per_player = constants["castles_per_player"].integer(9, 80)
    record.castles_max = constants["castles_per_territory_max"].integer(2, DICE)
    record.castle_cost = constants["castle_cost"].integer(1, MAX_AMOUNT)
    record.income_factor = _florins(constants["income_factor"])
    record.base_attacks = constants["base_attacks_per_turn"].integer(1, 3)
    record.points_cap = constants["points_cap"].integer(0, 9)
    record.hit_threshold = constants["hit_threshold"].integer(2, 15)
    record.cathedral_defence = constants["cathedral_defence_points"].integer(0, 9)
    record.free_round = constants["first_round_without_protection"].integer(1, 200)


def _named(node: Node, names: list[str], table: str) -> int:
    """Return the place of a name that another table of the file defines."""
    if node.value not in names:
        raise node.fail(f"the name of one of the {table}: {', '.join(names)}")
    return names.index(node.value)


def _fill_board(record: Any, components: Components) -> None:
    seas = [row["name"].text() for row in components["seas"].rows(SEAS)]
    names: list[str] = []
    shores: list[set[int]] = []
    for t, row in enumerate(components["territories"].rows(TERRITORIES)):
        row["red"].integer(t // 6 + 1, t // 6 + 1)
        row["blue"].integer(t % 6 + 1, t % 6 + 1)
        if row["name"].text() in names:
            raise row["name"].fail("a name no other territory has")
        names.append(row["name"].value)
        shores.append({_named(sea, seas, "seas") for sea in row["seas"]})
    reach = [[bool(shores[a] & shores[b]) and a != b for b in range(TERRITORIES)] for a in range(TERRITORIES)]
    for group in components["land_borders"]:
        for pair in group["pairs"]:
            a, b = (_named(end, names, "territories") for end in pair.rows(2))
            if a == b:
                raise pair.fail("two different territories")
            reach[a][b] = reach[b][a] = True
    for a, row_of_a in enumerate(reach):
        record.reach[a] = sum(1 << b for b, near in enumerate(row_of_a) if near)
    record.pontifical = _named(components["pontifical_state"]["territory"], names, "territories")


def _fill_cards(record: Any, cards: Node) -> None:
    rows = cards.rows(CARDS)
    for card, row in enumerate(rows):
        row["name"].text()
        kind = ("keep", "use")[card >= KEPT_CARDS]
        if row["kind"].value != kind:
            raise row["kind"].fail(f"'{kind}'")
        record.copies[card] = row["count"].integer(1, 1) if card == POPE else row["count"].integer(0, DECK)
    for card, row in enumerate(rows[:KEPT_CARDS]):
        attack, attack_near = _optional(row, "attack", 4), row.value.get("attack_needs_cathedral") is True
        record.attack[card], record.attack_cathedral[card] = (0, attack) if attack_near else (attack, 0)
        defence, defence_near = _optional(row, "defence", 4), row.value.get("defence_needs_cathedral") is True
        record.defence[card], record.defence_cathedral[card] = (0, defence) if defence_near else (defence, 0)
        record.extra_attacks[card] = _optional(row, "extra_attacks", 1)
        record.extra_attacks_cathedral[card] = _optional(row, "extra_attacks_per_cathedral", 1)
        record.income[card] = _optional_florins(row, "income")
        record.income_territory[card] = _optional_florins(row, "income_per_territory")
    for card, effect in enumerate(USED_EFFECTS, KEPT_CARDS):
        if rows[card]["effect"].value != effect:
            raise rows[card]["effect"].fail(f"'{effect}'")
    record.gift = _florins(rows[MAECENAS]["amount"])
    total = int(record.copies.sum())
    if total != DECK + 1:
        raise cards.fail(f"{DECK + 1} cards in all, not {total}")
    if record.copies[KEPT_CARDS:].sum() == 0:
        raise cards.fail("at least one card that is used at once, so that the deck never runs out")


def _fill_events(record: Any, events: Node) -> None:
    for total, row in enumerate(events.rows(11), 2):
        row["total"].integer(total, total)
        row["name"].text()
        record.event_effect[total] = row["effect"].choice(EVENT_EFFECTS)
        record.event_amount[total] = _optional_florins(row, "amount")


def fill_box(record: Any, components: Components, options: dict[str, Any]) -> None:
    """Write components and options into the box record; raises `ComponentsError` for a value that cannot be."""
    record.goal = options["goal_cathedrals"]
    record.pontifical_to_pope = options["pontifical_to_pope"]
    record.mandatory_event = options["event_roll"] == "mandatory"
    record.pope_stealable = options["ambassador_may_steal_pope"]
    record.no_attack = options["early_limits"] == "no_attack"
    record.random_setup = options["setup_choice"] == "random"
    record.start_money = _florins(components["start"]["money"])
    _fill_constants(record, components["constants"])
    _fill_board(record, components)
    _fill_cards(record, components["cards"])
    _fill_events(record, components["events"])
    record.coin = gcd(
        *(int(record[name]) for name in ("start_money", "castle_cost", "income_factor", "gift")),
        *record.income.tolist(), *record.income_territory.tolist(), *record.event_amount.tolist(),
    )  # fmt: skip


GAME = Game(
    package=__package__,
    title="Anno Domini",
    players=(SEATS,),
    default_players=SEATS,
    actions=ACTIONS,
    observation=OBSERVATION,
    state=STATE,
    box=BOX,
    fill_box=fill_box,
    own_options=(
        Option("goal_cathedrals", 8, "cathedrals that win", low=8, high=CATHEDRALS, origin="Variant"),
        Option(
            "pontifical_to_pope",
            False,
            "the Pope starts in the Pontifical State",
            choices=(False, True),
            origin="Variant, AD-09",
        ),
        Option(
            "event_roll",
            "optional",
            "whether a turn may or must (first thing) roll an event",
            choices=("optional", "mandatory"),
            origin="Military phase, AD-13",
        ),
        Option(
            "ambassador_may_steal_pope",
            True,
            "whether the Ambassador may take the Pope card",
            choices=(True, False),
            origin="The cards, AD-39",
        ),
        Option(
            "early_limits",
            "soft",
            "what protects players before round 4: the result of an attack, or masked attacks",
            choices=("soft", "no_attack"),
            origin="Limitation, AD-27, AD-29",
        ),
        Option(
            "setup_choice",
            "player",
            "who picks a territory when the rolled one is taken: its player, or chance",
            choices=("player", "random"),
            origin="Getting started, AD-06",
        ),
    ),
    variants={
        "base": {},
        "long": {"goal_cathedrals": 10},
        "pontifical": {"pontifical_to_pope": True},
        "mandatory": {"event_roll": "mandatory"},
        "no_attack": {"early_limits": "no_attack"},
        "random_setup": {"setup_choice": "random", "max_rounds": 20},
        "all": {
            "goal_cathedrals": 9,
            "pontifical_to_pope": True,
            "event_roll": "mandatory",
            "ambassador_may_steal_pope": False,
            "early_limits": "no_attack",
            "max_rounds": 25,
        },
    },
    graph=Graph(
        fields=("board_owner", "board_castles", "board_cathedral", "sel_from", "sel_to", "sel_src"),
        blocks=("pick_territory", "build", "attack_from"),
        neighbours=lambda record: (record.reach[:, None] >> np.arange(TERRITORIES)) & 1 != 0,
    ),
    bots=("heuristic", "aggressive", "cautious"),
    invariants={
        1: "a territory holds 0 to 6 castles, and none exactly when it is free",
        2: "16 cathedrals stand on the board, at most one in a territory",
        3: "no player has more castles on the board than belong to the set",
        4: "deck, kept cards and the card being resolved are the cards of the box",
        5: "exactly one living player holds the Pope",
        6: "debts are not mutual, no debtor has money, the dead neither owe nor are owed",
        7: "money is not negative, and every amount a multiple of the smallest coin (10 florins)",
        8: "a player lives exactly while holding a territory; the dead have no cards and no money",
        9: "before the first free round all live and nobody holds the cathedrals that win",
        10: "a running game has no player without debts who holds the cathedrals that win",
        11: "attacks are 0 to 27, and a card is drawn only after a conquest",
        12: "the unseen cards are the top part of the deck and hold no more copies than the box",
        13: "the Architect's marks are empty outside of ARCHITECT_PLACE and fit the supply inside it",
        14: "the seat on turn of a running game lives and has a legal action",
        15: "the selected territories, seat and card fit the decision",
        16: "every field is inside its range",
        17: "the order of play holds each seat once, and the seat on turn at its place",
    },
    max_plies=36 + 4 * 200 * 340,
    max_rounds=(4, 40, 200),
)
