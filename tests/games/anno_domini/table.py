"""Positions and scripted dice for the tests of anno_domini."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lusogames_env.engine.kernel.rng import randint
from lusogames_env.engine.state import GameState
from lusogames_env.games.anno_domini.game import CARDS, DECK, NONE, POPE, TURN_MAIN

CHUNK = 1 << 18  # candidates tried at once, at most
WORD = np.uint64(0xFFFFFFFF)


def _inverse(x: np.ndarray) -> np.ndarray:
    """Return b with ``b ^ (b >> 9) == x`` for 32-bit words."""
    b = x.copy()
    for _ in range(3):
        b = x ^ (b >> np.uint64(9))
    return b


def script(game: GameState, *dice: int) -> None:
    """Let the next dice of `game` show these faces (1 … 6)."""
    draws(game, [(6, die - 1) for die in dice])


def draws(game: GameState, wanted: Sequence[tuple[int, int]]) -> None:
    """Let the next ``randint(rng, n)`` of `game` give the values of ``(n, value)`` in order.

    The generator has 96 bits of state: its first two outputs are chosen, the others are searched for.
    """
    wanted = [*wanted, *[(1, 0)] * (2 - len(wanted))]
    chance = np.random.default_rng(len(wanted))
    chunk = min(CHUNK, 16 * 6 ** (len(wanted) - 2))
    for _ in range(20_000):
        low = [value * 2**32 // n for n, value in wanted]
        high = [(value + 1) * 2**32 // n for n, value in wanted]
        c = chance.integers(0, 2**32, chunk, np.uint64)
        first, second = (chance.integers(low[i] + 8, high[i] - 8, chunk, np.uint64) for i in range(2))
        b = _inverse((second - c * np.uint64(9) - np.uint64(2)) & WORD)
        a = (first - b - np.uint64(1)) & WORD
        start = np.stack([a, b, c])
        for i, (n, value) in enumerate(wanted):
            out = (a + b + np.uint64(1 + i)) & WORD
            good = (out * np.uint64(n)) >> np.uint64(32) == np.uint64(value)
            a, b, c, out, start = a[good], b[good], c[good], out[good], start[:, good]
            rotated = ((c << np.uint64(21)) | (c >> np.uint64(11))) & WORD
            a, b, c = b ^ (b >> np.uint64(9)), (c * np.uint64(9)) & WORD, (rotated + out) & WORD
        for column in start.T.astype(np.int64):
            rng = np.array([*column, 1], np.int64)
            trial = rng.copy()
            if all(randint(trial, n) == value for n, value in wanted):
                game.record.rng[:] = rng
                return
    raise ValueError(f"no generator found that draws {wanted}")


def stack_deck(game: GameState, *top: int, known: bool = False) -> None:
    """Make the deck of all cards that nobody holds, these on top; none of them seen yet, unless `known`."""
    record = game.record
    left = game.box.record[0].copies.astype(int).copy()
    left[POPE] = 0
    for card in range(10):
        if card != POPE:
            left[card] -= int(record.kept[:, card].sum())
    for card in top:
        left[card] -= 1
    assert left.min() >= 0
    cards = [*top, *(card for card in range(CARDS) for _ in range(left[card]))]
    record.deck[:] = NONE
    record.deck[: len(cards)] = cards
    record.deck_size = len(cards)
    record.unseen_left = 0 if known else len(cards)
    assert len(cards) <= DECK


def deck_of(game: GameState) -> list[int]:
    """Return the deck from the top."""
    return game.record.deck[: int(game.record.deck_size)].tolist()


def give(game: GameState, seat: int, **cards: int) -> GameState:
    """Give kept cards by name, as ``give(game, 0, templar=2)``, taking them out of the deck."""
    names = [row["name"].lower().replace(" ", "_") for row in game.box.components.value["cards"]]
    for name, copies in cards.items():
        game.record.kept[seat, names.index(name)] = copies
    stack_deck(game)
    return game.refresh()


def begin_turn(game: GameState, seat: int, pope: int = 3, round_number: int = 5) -> GameState:
    """Let `seat` be at the start of its turn, in a round whose Pope was `pope`."""
    record = game.record
    record.kept[:, POPE] = 0
    record.kept[pope, POPE] = 1
    order = [(pope + d) % 4 for d in (1, 2, 3, 4)]
    record.order[:] = order
    record.order_pos = order.index(seat)
    record.actor = seat
    record.round_number = round_number
    record.decision = TURN_MAIN
    record.attacks_made = record.rolled = record.conquered = record.drawn = record.last_event = 0
    return game.refresh()


def base(**options: Any) -> GameState:
    """Return the base position BP: round 5, seat 3 the Pope, seat 0 on turn, three castles everywhere."""
    game = GameState.new("anno_domini", seed=1, **options)
    record = game.record
    record.owner[:] = np.arange(36) % 4
    record.castles[:] = 3
    record.cathedral[:] = np.arange(36) < 16
    record.placed = 36
    record.kept[:] = 0
    record.money[:] = 0
    stack_deck(game)
    return begin_turn(game, 0)


def solo1(**options: Any) -> GameState:
    """Return SOLO1: BP, but seat 1 owns only Castile (13)."""
    game = base(**options)
    game.record.owner[[1, 9, 17, 21, 25, 29, 33]] = 2
    game.record.owner[5] = 3
    return game.refresh()


def seven(**options: Any) -> GameState:
    """Return SEVEN: BP, but seat 0 has 7 cathedrals, six castles in Portugal (12) and a weak Castile before it."""
    game = base(**options)
    game.record.owner[[1, 5, 9]] = 0
    game.record.castles[12], game.record.castles[13] = 6, 1
    return game.refresh()


def full0(**options: Any) -> GameState:
    """Return FULL0: BP, but all 80 castles of seat 0 are on the board and Castile (13) is weak."""
    game = base(**options)
    record = game.record
    record.owner[[17, 18, 19, 21, 22]] = 0
    record.castles[record.owner == 0] = 6
    record.castles[32], record.castles[13] = 2, 1
    return game.refresh()


def attack(game: GameState, origin: int, target: int, *dice: int) -> GameState:
    """Attack with scripted dice: first the attacker's, then the defender's."""
    game.apply(90 + origin)
    if dice:
        script(game, *dice)
    return game.apply(18 + target)


def conquer(game: GameState, origin: int = 12, target: int = 13) -> GameState:
    """Attack a territory of one castle from one of six and occupy it without losses."""
    return attack(game, origin, target, 6, 1, 1, 1, 1, 1, 1).apply("occupy")


def event(game: GameState, *dice: int) -> GameState:
    """Roll the event with scripted dice: two for the sum, then two for each territory."""
    script(game, *dice)
    return game.apply("roll event")


def picks(game: GameState) -> set[int]:
    """Return the territories that may be picked."""
    return {action - 18 for action in game.legal_actions() if 18 <= action < 54}


def builds(game: GameState) -> set[int]:
    """Return the territories that may be built on."""
    return {action - 54 for action in game.legal_actions() if 54 <= action < 90}


def origins(game: GameState) -> set[int]:
    """Return the territories an attack may start from."""
    return {action - 90 for action in game.legal_actions() if action >= 90}


def cards(game: GameState) -> set[int]:
    """Return the cards that may be picked."""
    return {action - 8 for action in game.legal_actions() if 8 <= action < 18}


def opponents(game: GameState) -> set[int]:
    """Return the opponents that may be picked, 1 … 3 clockwise."""
    return {action - 4 for action in game.legal_actions() if 5 <= action < 8}


def owned(game: GameState, seat: int) -> set[int]:
    """Return the territories of `seat`."""
    return set(np.flatnonzero(game.record.owner == seat).tolist())


def cathedrals(game: GameState, seat: int) -> int:
    """Count the cathedrals of `seat`."""
    return int(((game.record.owner == seat) & (game.record.cathedral == 1)).sum())


def supply(game: GameState, seat: int) -> int:
    """Count the castles of `seat` that are not on the board."""
    return 80 - int(game.record.castles[game.record.owner == seat].sum())


def money(game: GameState) -> list[int]:
    """Return the florins of all seats."""
    return game.record.money.tolist()


def debts(game: GameState) -> dict[tuple[int, int], int]:
    """Return the debts that are not 0, by (debtor, creditor)."""
    owes = game.record.debt
    return {(i, j): int(owes[i, j]) for i in range(4) for j in range(4) if owes[i, j]}


def all_end(game: GameState, turns: int) -> GameState:
    """Let the next `turns` players end their turns without doing anything."""
    for _ in range(turns):
        game.apply("end turn")
    return game
