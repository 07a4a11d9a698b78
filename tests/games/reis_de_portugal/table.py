"""Positions for the tests of reis_de_portugal. Cards are named by their numbers, or `FOOL` and `FOG`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lusogames_env.engine.state import GameState
from lusogames_env.games.reis_de_portugal.game import GAME

FOOL, FOG = "Fool", "Fog"
Card = int | str
HOUSES = {"AF": 0, "AV": 1, "BR": 2}
AFONSINA = [*range(1, 10), FOOL]
AVIS = [*range(10, 18), FOG]
FILIPINA = [18, 19, 20]
BRAGANCA = [*range(21, 35)]
ALL = [*AFONSINA, *AVIS, *FILIPINA, *BRAGANCA]
PILE = 4
BONUS_CODES = {"battle": 0, "conspiracy": 1, "intrigue": 2, "siege": 3, "cuts": 4, "none": -1}


def card_id(card: Card) -> int:
    """Return the id of a card."""
    return {FOOL: 34, FOG: 35}.get(card, card - 1 if isinstance(card, int) else -1)


def card_of(i: int) -> Card:
    """Return the card with this id."""
    return {34: FOOL, 35: FOG}.get(int(i), int(i) + 1)


def as_bits(cards: Iterable[Card]) -> int:
    """Return a set of cards as the record holds it."""
    return sum(1 << card_id(card) for card in cards)


def cards_in(bits: Any) -> set[Card]:
    """Return the cards of a set of the record."""
    return {card_of(i) for i in range(36) if int(bits) >> i & 1}


def position(
    num_players: int,
    house: str = "BR",
    *,
    leader: int = 0,
    hands: Sequence[Sequence[Card] | None] | None = None,
    castles: Mapping[int, Card] | None = None,
    wall: Sequence[Card] = (),
    wall_size: int | None = None,
    pile: Sequence[Card] | int = (),
    captured: Mapping[int, Sequence[Card]] | None = None,
    flushes: Sequence[int] = (0, 0, 0, 0),
    scores: Sequence[int] = (0, 0, 0, 0),
    round_no: int = 1,
    last: bool = False,
    named: Sequence[Card] = (),
    **options: Any,
) -> GameState:
    """Return a position at the start of a Flush; what is not given is filled from no. 34 downwards.

    A hand that is None holds one card, in the last Flush none; `named` are cards kept out of the filling. Cards that
    lie nowhere else are captured by the last seat. Rules are basic unless `options` say otherwise.
    """
    state = GameState.new("reis_de_portugal", seed=1, num_players=num_players, **{"rules": "basic", **options})
    r = state.record
    hands = list(hands or [None] * num_players)
    given = {*named, *wall, *(castles or {}).values(), *(c for hand in hands for c in hand or ())}
    given |= set(pile) if not isinstance(pile, int) else set()
    given |= {c for cards in (captured or {}).values() for c in cards}
    spare = iter([no for no in range(34, 0, -1) if no not in given])
    seats = range(num_players)
    lying = {seat: (castles or {}).get(seat) or next(spare) for seat in seats}
    size = num_players if wall_size is None else wall_size
    row = [*wall, *(next(spare) for _ in range(size - len(wall)))]
    dealt = [[] if last else [next(spare)] if hand is None else list(hand) for hand in hands]
    stock = [next(spare) for _ in range(pile)] if isinstance(pile, int) else list(pile)

    r.house_order[:] = [0, 1, 2]
    r.house_order[[round_no - 1, HOUSES[house]]] = [HOUSES[house], round_no - 1]
    r.round_no = round_no - 1
    r.wall = as_bits(row)
    r.pile[:] = -1
    r.pile[: len(stock)] = [card_id(card) for card in reversed(stock)]
    r.pile_len = len(stock)
    r.castle[:] = -1
    r.hand[:] = r.captured[:] = r.played_by[:] = 0
    used = {*row, *stock, *lying.values(), *(card for hand in dealt for card in hand)}
    for seat in seats:
        r.castle[seat] = card_id(lying[seat])
        r.hand[seat] = as_bits(dealt[seat])
        mine = (captured or {}).get(seat, ())
        r.captured[seat] = as_bits(mine)
        used |= set(mine)
    r.captured[num_players - 1] |= as_bits(card for card in ALL if card not in used)
    r.flushes_won[:] = flushes
    r.score[:] = [*scores, 0, 0, 0, 0][:4]
    for seat in range(num_players, 4):
        r.score[seat] = 0

    order = [(leader + i) % num_players for i in range(num_players)]
    order = [seat for seat in order if last or dealt[seat]]
    r.leader, r.phase, r.led, r.bonus, r.pos = order[0], 0, -1, -1, 0
    r.last_flush = last
    r.order[:] = [*order, -1, -1, -1, -1][:4]
    r.order_len = len(order)
    r.actor = order[0]
    know_nothing(state)
    return state.refresh()


def know_nothing(state: GameState) -> None:
    """Let every hidden card be anywhere for those who do not see it."""
    r, n = state.record, state.box.num_players
    pile = sum(1 << int(c) for c in r.pile[: r.pile_len])
    r.may_hold[:] = 0
    for observer in range(n):
        hidden = pile | sum(int(r.hand[seat]) for seat in range(n) if seat != observer)
        r.may_hold[observer, [*(s for s in range(n) if s != observer)]] = hidden
        r.may_hold[observer, PILE] = hidden if pile else 0


def finish(
    captured: Sequence[Sequence[Card]], flushes: Sequence[int], winner: int, house: str = "AF", **options: Any
) -> GameState:
    """Return the state after a round that ends with these captured cards and Flushes won.

    The last Flush, which `winner` wins, is really played: its Castles are among the winner's cards.
    """
    n = len(captured)
    mine = [card for card in captured[winner] if card != FOG]
    value = GAME.components["card"]
    mine.sort(key=lambda card: (value[card_id(card)]["value"].value, value[card_id(card)]["tie_rank"].value))
    best, rest = mine[-1], iter(mine)
    castles = {seat: best if seat == winner else next(rest) for seat in range(n)}
    left = {seat: [card for card in captured[seat] if card not in castles.values()] for seat in range(n)}
    before = [won - (seat == winner) for seat, won in enumerate(flushes)]
    before += [0] * (4 - n)
    state = position(
        n, house, castles=castles, wall_size=0, captured=left, flushes=before, last=True, hands=[()] * n, **options
    )
    return act(state, *["CASTLE"] * n)


SHORT = re.compile(r"([A-Z ]+?)(?: (?:(\d+) \S.*?|(Fool|Fog)))?( as 9)?")


def short(label: str) -> str:
    """Return a label without the monarch's name: ``PLAY 12``."""
    match = SHORT.fullmatch(label)
    assert match, label
    verb, number, special, nine = match.groups()
    return verb + (f" {number or special}" if number or special else "") + (nine or "")


def choices(state: GameState) -> set[str]:
    """Return the legal actions as short labels."""
    return {short(label) for label in state.legal_labels()}


def act(state: GameState, *labels: str) -> GameState:
    """Take actions given by short labels, for whoever is on turn."""
    for label in labels:
        legal = {short(state.action_label(action)): action for action in state.legal_actions()}
        assert label in legal, f"{label} is not among {sorted(legal)}"
        state.apply(legal[label])
    return state


def phase(state: GameState) -> str:
    """Return the name of the phase."""
    return "END" if state.over else ("PLAY", "REPLACE", "PASS", "SECOND", "SIEGE", "DRAW")[state.record.phase]


def hand(state: GameState, seat: int) -> set[Card]:
    """Return the hand of a seat."""
    return cards_in(state.record.hand[seat])


def hands(state: GameState) -> list[set[Card]]:
    """Return all hands."""
    return [hand(state, seat) for seat in range(state.box.num_players)]


def captured(state: GameState, seat: int) -> set[Card]:
    """Return the captured cards of a seat."""
    return cards_in(state.record.captured[seat])


def castles(state: GameState) -> list[Card]:
    """Return the Castles."""
    return [card_of(card) for card in state.record.castle[: state.box.num_players]]


def wall_of(state: GameState) -> set[Card]:
    """Return the Wall."""
    return cards_in(state.record.wall)


def may_hold(state: GameState, observer: int, place: int) -> set[Card]:
    """Return the cards that the observer thinks may be at a place."""
    return cards_in(state.record.may_hold[observer, place])


def gains(state: GameState, *labels: str) -> list[set[Card]]:
    """Take actions and return what each seat captured by them."""
    before = [int(bits) for bits in state.record.captured]
    act(state, *labels)
    return [cards_in(int(state.record.captured[s]) & ~before[s]) for s in range(state.box.num_players)]


def edited_components(tmp_path: Path, *edits: tuple[str, str, str]) -> str:
    """Write a component file with other values and return its path.

    Args:
        tmp_path: folder to write to.
        edits: ``(mark, old, new)``: after the line `mark`, the first line `old` becomes `new`.
    """
    lines = (GAME.folder / "components.toml").read_text(encoding="utf-8").splitlines()
    for mark, old, new in edits:
        at = lines.index(mark)
        lines[lines.index(old, at)] = new
    path = tmp_path / "components.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)
