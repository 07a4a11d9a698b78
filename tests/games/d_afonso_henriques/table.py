"""Positions for the tests of D. Afonso Henriques, set up in the words of the rulebook.

Cards are short texts: ``"p,p,k"`` a hand, ``"L4_a,L3_b"`` Moors cards with the top first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lusogames_env.engine.state import GameState
from lusogames_env.games.d_afonso_henriques.game import GAME
from tests.tools import force_draws

LETTERS = {"p": 0, "s": 1, "n": 2, "k": 3, "cat": 4, "tow": 5}
MOORS = tuple(row["key"].text() for row in GAME.components["moors_cards"])
PILES = {"A": 0, "L": 1, "R": 2}
FIELD = "L4_a,L5_a,L6,L2_a"
Hands = Mapping[int, str]


def kinds(cards: str) -> list[int]:
    """Return the hand kinds of ``"p,s,cat"``."""
    return [LETTERS[card] for card in cards.split(",") if card]


def counts(cards: str, size: int = 4) -> list[int]:
    """Return how many cards of each hand kind there are."""
    return [kinds(cards).count(kind) for kind in range(size)]


def moors(cards: str) -> list[int]:
    """Return the Moors kinds of ``"L4_a,king"``."""
    return [MOORS.index(card) for card in cards.split(",") if card]


def position(
    num_players: int = 2,
    circle: int = 2,
    *,
    holder: int = 0,
    hands: Hands | None = None,
    cubes: Sequence[int] = (0, 0, 0, 0),
    vp: Sequence[int] = (0, 0, 0, 0),
    deck: str = "",
    used: str = "",
    rest: str = "deck",
    piles: Mapping[str, str] | None = None,
    slots: str = FIELD,
    moors_deck: str = "",
    moors_used: str = "",
    moors_rest: str = "deck",
    **options: Any,
) -> GameState:
    """Return the first position of a phase with these cards.

    Circle 0 is set up directly; every other one is reached by the last pass of the circle before it, so that the
    game itself opens the phase. `rest` and `moors_rest` say where the cards not named lie: under the deck (``deck``),
    on the used pile (``used``), or on a rejected pile (``A``, ``L``, ``R``).
    """
    if circle % 3 == 0 and circle > 0:
        raise ValueError("such a phase follows a battle: play there")
    state = GameState.new(GAME, seed=11, num_players=num_players, first_player=holder, **options)
    record = state.record
    lay_portuguese(record, hands or {}, deck, used, rest, piles or {})
    lay_moors(record, hands or {}, slots, moors_deck, moors_used, moors_rest)
    record.vp[:num_players] = vp[:num_players]
    record.cubes[:num_players] = cubes[:num_players]
    record.bank = 0 if options.get("cube_supply") == "unlimited" else 25 - int(record.cubes.sum())
    if circle > 0:
        record.circle = circle - 1
        record.actor = (holder + num_players - 1) % num_players
        for seat in range(num_players):
            record.placed[seat] = -2 if seat == record.actor else -1
    refreshed(state)
    return state if circle == 0 else state.apply("pass")


def refreshed(state: GameState) -> GameState:
    """Return `state` with its mask after a change by hand; the position must be a possible one."""
    state.refresh()
    code = state.check()
    assert code == 0, GAME.invariants[code]
    return state


def lay_portuguese(record: Any, hands: Hands, deck: str, used: str, rest: str, piles: Mapping[str, str]) -> None:
    """Lay out the thirty Portuguese cards."""
    left = [int(count) for count in (12, 10, 6, 2)]
    record.hand[:] = 0
    record.pused[:] = 0
    record.piles[:] = 0
    for seat, cards in hands.items():
        record.hand[seat] = counts(cards, 6)
    record.pused[:] = counts(used)
    for name, cards in piles.items():
        record.piles[PILES[name]] = counts(cards)
    named = record.hand[:, :4].sum(0) + record.pused + record.piles.sum(0) + counts(deck)
    unnamed = [kind for kind in range(4) for _ in range(left[kind] - int(named[kind]))]
    top = kinds(deck)
    if rest == "deck":
        top += unnamed
    else:
        target = record.pused if rest == "used" else record.piles[PILES[rest]]
        for kind in unnamed:
            target[kind] += 1
    record.pdeck[:] = -1
    record.pdeck[: len(top)] = top[::-1]
    record.pdeck_n = len(top)
    record.deck_at_shuffle[:] = [top.count(kind) for kind in range(4)]
    record.deck_gone[:] = 0


def lay_moors(record: Any, hands: Hands, slots: str, deck: str, used: str, rest: str) -> None:
    """Lay out the thirty Moors cards; ``-`` in `slots` is an empty one."""
    left = [row["count"].integer(1, 30) for row in GAME.components["moors_cards"]]
    field = [-1 if card == "-" else MOORS.index(card) for card in slots.split(",")]
    engines = [10 + kind - 4 for cards in hands.values() for kind in kinds(cards) if kind >= 4]
    top, pile = moors(deck), moors(used)[::-1]
    for kind in field + engines + top + pile:
        if kind >= 0:
            left[kind] -= 1
    unnamed = [kind for kind in range(len(left)) for _ in range(left[kind])]
    if rest == "deck":
        top += unnamed
    else:
        pile = unnamed + pile
    record.slots[:] = field
    record.mdeck[:] = -1
    record.mdeck[: len(top)] = top[::-1]
    record.mdeck_n = len(top)
    record.mused[:] = -1
    record.mused[: len(pile)] = pile
    record.mused_n = len(pile)


Move = str | Callable[[GameState], None]


def dice(*values: int) -> Move:
    """Make the next dice show these values."""

    def set_dice(state: GameState) -> None:
        force_draws(state.record, [(6, value - 1) for value in values])

    return set_dice


def run_forced(state: GameState, stop: str | None = None) -> None:
    """Play decisions with one legal action, but not the action `stop`."""
    while not state.over and len(state.legal_actions()) == 1 and state.legal_labels() != [stop]:
        state.apply(state.legal_actions()[0])
        assert state.check() == 0, GAME.invariants[state.check()]


def play(state: GameState, *moves: Move) -> GameState:
    """Play these actions and all forced ones between them and after them; the invariants hold after each."""
    for move in moves:
        if callable(move):
            move(state)
            continue
        run_forced(state, move)
        state.apply(move)
        assert state.check() == 0, GAME.invariants[state.check()]
    run_forced(state)
    return state


def labels(state: GameState) -> set[str]:
    """Return the texts of the legal actions."""
    return set(state.legal_labels())


def hand(state: GameState, seat: int) -> list[int]:
    """Return the cards of a seat by hand kind."""
    return np.asarray(state.record.hand[seat]).tolist()


def moors_pile(state: GameState) -> list[str]:
    """Return the used Moors pile from bottom to top."""
    return [MOORS[kind] for kind in state.record.mused[: state.record.mused_n]]


def field(state: GameState) -> list[str]:
    """Return the Moors cards in the slots."""
    return ["-" if kind < 0 else MOORS[kind] for kind in state.record.slots]


def values(array: Any, n: int | None = None) -> list[int]:
    """Return the first `n` entries as a list."""
    return np.asarray(array)[:n].tolist()


def node(state: GameState) -> str:
    """Return the name of the decision."""
    from lusogames_env.games.d_afonso_henriques.game import NODES

    return "END" if state.record.node < 0 else NODES[state.record.node]
