"""Positions for the tests of portao_para_o_mundo: fixtures, and functions that keep the pieces in balance."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.state import GameState
from lusogames_env.games.portao_para_o_mundo.game import CARD_IDS, CARDS, MOUNTAIN, NODES, RESOURCES

GAME_NAME = "portao_para_o_mundo"
RED, BLUE, YELLOW, BLACK = range(4)
JOAN, DUARTE, PEDRO, HENRIQUE = range(4)
DROP_OUT, END, ADVENTURER, PAY_SET = 0, 1, 2, 3
PLAY_SHIP, PLAY_ADVENTURER, PLAY_NOBLES, PLAY_CHURCHES, PLAY_BRIBE, PLAY_GOODS, PLAY_CONNECTIONS = range(4, 11)
KEEP, KING, DELIVER, BUILD, SPACE, TAKE2, TAKE1, HEX = 11, 18, 22, 38, 51, 72, 79, 86

KINGS4 = ["JOAN_A", "DUARTE_A", "PEDRO_A", "HENRIQUE_B"]
SETUP4 = {"boards": ["V1A", "V2A", "V3A", "V4A", "C1A", "C2A"], "kings": KINGS4, "order": [0, 1, 2, 3]}
SETUP3 = {"boards": ["V1A", "V2A", "V3A", "C1A", "C2A"], "kings": KINGS4, "order": [0, 1, 2]}
SETUP2 = {"boards": ["V1A", "V2A", "C1B"], "kings": ["JOAN_A", None, "PEDRO_A", "HENRIQUE_B"], "order": [0, 1]}


def new(players: int = 4, seed: int = 1, **options: Any) -> GameState:
    """The table F4, F3 or F2; `kings`, `boards`, `order`, `pile` replace parts of the set-up."""
    setup = dict({4: SETUP4, 3: SETUP3, 2: SETUP2}[players])
    for part in ("kings", "boards", "order", "pile"):
        if part in options:
            setup[part] = options.pop(part)
    return GameState.new(GAME_NAME, seed, num_players=players, setup=setup, **options)


def all_drop(game: GameState) -> GameState:
    """Let every seat drop out of the phase."""
    phase, round_no = int(game.record.phase), int(game.record.round_no)
    while not game.over and (int(game.record.phase), int(game.record.round_no)) == (phase, round_no):
        game.apply(DROP_OUT)
    return game


def lisbon(players: int = 4, **options: Any) -> GameState:
    """The fixture after everybody dropped out of West Africa."""
    return all_drop(new(players, **options))


def _take_chips(record: Any, seat: int, n: int) -> None:
    front = min(n, int(record.front[seat]))
    record.front[seat] -= front
    record.stock[seat] -= n - front


def give(game: GameState, seat: int = 0, **things: Any) -> GameState:
    """Set what a seat has; chips come from in front, then from the stock, cards from the bottom of the pile.

    `res` and `hand` are tables by name, `pos` by King, `put` by slot; all other things are fields of the record.
    """
    record = game.record
    for name, n in things.pop("res", {}).items():
        kind = RESOURCES.index(name)
        _take_chips(record, seat, n * (2 if kind == MOUNTAIN else 1))
        record.res[seat, kind] += n
    for slot, hexes in things.pop("put", {}).items():
        face = int(record.slot_face[slot])
        for h in hexes:
            _take_chips(record, seat, 2 if game.box.record[0].face_hex[face, h] == MOUNTAIN else 1)
            record.chips[slot, seat] |= 1 << h
            if record.first[slot, h] < 0:
                record.first[slot, h] = seat
    for name, n in things.pop("hand", {}).items():
        for _ in range(n):
            draw_from_pile(game, CARD_IDS.index(name))
            record.hand[seat, CARD_IDS.index(name)] += 1
    for king, space in things.pop("pos", {}).items():
        record.pos[king, seat] = space
    if "front" in things:
        front = things.pop("front")
        record.stock[seat] += int(record.front[seat]) - front
        record.front[seat] = front
    if "mfront" in things:
        mfront = things.pop("mfront")
        record.mstock[seat] += int(record.mfront[seat]) - mfront
        record.mfront[seat] = mfront
    if "disc" in things:
        record.noble[seat] = things.pop("disc")
    for m in things.pop("markets", ()):
        record.market[m] = seat
        record.mstock[seat] -= 1
    for name, value in things.items():
        getattr(record, name)[seat] = value
    return game.refresh()


def draw_from_pile(game: GameState, kind: int) -> None:
    """Take the lowest card of a kind out of the pile."""
    record = game.record
    cards = record.pile[: record.pile_len].tolist()
    at = len(cards) - 1 - cards[::-1].index(kind)
    del cards[at]
    _lay(record, cards)


def _lay(record: Any, cards: list[int]) -> None:
    record.pile[:] = cards + [-1] * (CARDS - len(cards))
    record.pile_by[:] = -1
    record.pile_len = len(cards)


def set_pile(game: GameState, *names: str) -> GameState:
    """Let the pile be these cards, top first; all others of it are used up."""
    record = game.record
    cards = [CARD_IDS.index(name) for name in names]
    for kind in record.pile[: record.pile_len].tolist():
        record.used[kind] += 1
    for kind in cards:
        record.used[kind] -= 1
    _lay(record, cards)
    return game.refresh()


def pile(game: GameState) -> list[str]:
    """Return the pile by names, top first."""
    return [CARD_IDS[kind] for kind in game.record.pile[: game.record.pile_len]]


def hand(game: GameState, seat: int = 0) -> dict[str, int]:
    """Return the hand by names."""
    return {CARD_IDS[kind]: int(n) for kind, n in enumerate(game.record.hand[seat]) if n}


def mask(game: GameState) -> set[int]:
    """Return the legal actions."""
    return set(game.legal_actions())


def node(game: GameState) -> str:
    """Return the name of the node."""
    return NODES[game.record.node]


def deliver(king: int, place: int) -> int:
    """Return the action that brings the King's wanted type `place` (3 = Pepper)."""
    return DELIVER + 4 * king + place


def reals(game: GameState) -> list[int]:
    """Return the Reals of the seats."""
    return game.record.reals[: game.box.num_players].tolist()


def set_positions(game: GameState, king: int, *spaces: int) -> GameState:
    """Set the markers of all seats on a King track."""
    game.record.pos[king, : len(spaces)] = spaces
    return game.refresh()


def all_paid(game: GameState) -> GameState:
    """Let every King have paid."""
    game.record.paid[:] = 1
    return game.refresh()


def ranking(game: GameState) -> list[int]:
    """Return the seats from the winner down."""
    place = game.outcome("placement")
    return sorted(range(len(place)), key=lambda seat: -place[seat])
