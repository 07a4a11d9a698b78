"""Toy: declarations. The rules are told in rules.py."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.components import Components
from lusogames_env.engine.game import Game
from lusogames_env.engine.layout import Actions, Block, Field, Observation, Record
from lusogames_env.engine.options import Option

SEATS = 4
CARDS = 6
MAX_ROUNDS = 20
TOP_VALUE = 9

ACTIONS = Actions(
    Block("ante", 2, ("STAY", "FOLD"), "first decision of a turn"),
    Block("swap", 2, ("DRAW", "KEEP"), "second decision of a turn, after STAY"),
)
OBSERVATION = Observation(
    Field("swap", 1, "1 in the second decision of a turn; public"),
    Field("rounds", 1, "full rounds played /20; public"),
    Field("deck", 1, "cards in the deck /6; public"),
    Field("own", CARDS, "one-hot card in hand; private"),
    Field("alive", SEATS, "seats still in, from the observer clockwise; public"),
    Field("actor", SEATS, "one-hot seat on turn, from the observer clockwise; public"),
    Field("used", CARDS, "cards laid aside; public"),
)
STATE = Record(
    ("swap", "int8", 1, "1 in the second decision of a turn"),
    ("rounds", "int16", 1, "full rounds played"),
    ("alive", "int8", SEATS, "1 while a seat is in"),
    ("hand", "int8", SEATS, "card by seat; -1 = no such seat"),
    ("deck", "int8", CARDS, "hidden cards, top at deck_n - 1; -1 above"),
    ("deck_n", "int8", 1, "cards in the deck"),
    ("used", "int8", CARDS, "by card: 1 if laid aside"),
    ("scratch_pool", "int8", CARDS, "cards a seat cannot place"),
    ("scratch_rng", "int64", 4, "generator of redeal"),
)
BOX = Record(
    ("value", "int8", CARDS, "printed value by card id"),
    ("first_seat", "int8", 1, "seat that begins"),
    ("folding", "int8", 1, "1: FOLD is allowed"),
)


def fill_box(record: Any, components: Components, options: dict[str, Any]) -> None:
    record.value[:] = components["cards"]["values"].integers(CARDS, 1, TOP_VALUE)
    record.first_seat = options["first_seat"]
    record.folding = options["folding"]


def cross_check(options: dict[str, Any]) -> str | None:
    """Refuse a first seat that nobody sits on."""
    if options["first_seat"] >= options["num_players"]:
        return f"first_seat = {options['first_seat']} needs more than num_players = {options['num_players']}"
    return None


GAME = Game(
    package=__package__ or "",
    title="Toy",
    players=(2, 3, 4),
    default_players=3,
    actions=ACTIONS,
    observation=OBSERVATION,
    state=STATE,
    box=BOX,
    fill_box=fill_box,
    own_options=(
        Option("first_seat", 0, "seat that begins", low=0, high=SEATS - 1),
        Option("folding", True, "whether FOLD is allowed", choices=(True, False)),
    ),
    cross_check=cross_check,
    variants={
        "2p": {"num_players": 2},
        "3p": {"num_players": 3, "first_seat": 1},
        "4p-skip": {"num_players": 4, "skip_forced": True, "reward": "placement"},
        "no-folding": {"folding": False, "reward": "margin", "max_rounds": 3},
    },
    bots=("heuristic", "shaky"),
    invariants={
        1: "a number is out of its range",
        2: "the six cards lie in hands, deck and used exactly once",
        3: "the seat on turn is in; nobody is on turn after the end",
        4: "as many seats are in as play, at least one",
    },
    max_plies=MAX_ROUNDS * SEATS * 2,
    max_rounds=(1, 5, MAX_ROUNDS),
)
