"""The game as text: the road, the Moors on the battlefield, the villages, the seats, and what is being decided."""

from __future__ import annotations

from typing import Any

import numpy as np

from lusogames_env.games.d_afonso_henriques.game import (
    BATTLES,
    CIRCLES,
    COMMIT,
    DRAFT,
    KEEP,
    NOWHERE,
    PASSED,
    PAY,
    RECOVER,
    SIDE,
    SLOTS,
    SYMBOLS,
    TAKE,
    VILLAGE,
)

ROMAN = ("I", "II", "III", "IV", "V")
BONUS_TEXT = (
    "",
    "each defeat of level {level}: +{vp} VP",
    "first player with a defeat +{vp_first_player} VP, second player +{vp_second_player} VP",
    "fight number {combat_number} of each player: +{extra_dice} die",
    "each defeat: +{vp} VP",
    "Peasants and engines roll {peasant_dice} dice",
    "most VP of this battle: {cubes} cubes",
    "everybody may take back {cards} used card",
    "{min_cards} cards in a fight: +{vp} VP, won or lost",
)
SYMBOL_TEXT = {
    "V0": "1st-player card",
    "V1": "draw 1",
    "V2_up": "draw 2, keep 1",
    "V2_down": "take from pile A",
    "V3_up": "draw 3, keep 1",
    "V3_left": "take from the left pile",
    "V3_right": "take from the right pile",
}
PLACE_TEXT = ("slot 0", "slot 1", "slot 2", "slot 3", "the top of the Moors deck", "the top of the used pile")
DECISION = {
    DRAFT: "chooses a character",
    VILLAGE: "chooses a village",
    KEEP: "keeps one of the cards drawn",
    SIDE: "rejects a card to the left or to the right",
    TAKE: "takes a card of the pile",
    COMMIT: "puts cards into the fight",
    PAY: "pays or loses",
    RECOVER: "may take back a card used",
}


def card_names(box: Any) -> list[str]:
    """Return the names of the six hand kinds."""
    return [row["name"] for row in box.components["portuguese_cards"].value] + ["Catapult", "Siege Tower"]


def cards(box: Any, counts: Any) -> str:
    """Return ``Peasant x2, Soldier`` for counts by hand kind."""
    names = card_names(box)
    parts = [names[k] + (f" x{n}" if n > 1 else "") for k, n in enumerate(counts) if n > 0]
    return ", ".join(parts) or "none"


def moors_name(box: Any, kind: int) -> str:
    """Return the name of a Moors kind."""
    role = box.components["moors_cards"][int(kind)]["role"].text()
    return {"ordinary": "Moors", "king": "Moors King", "catapult": "Catapult", "siege_tower": "Siege Tower"}[role]


def moors_line(box: Any, kind: int) -> str:
    """Return a Moors card in one line."""
    if kind < 0:
        return "none"
    rules = box.record[0]
    gain = f"{rules.moors_vp[kind]} VP, {plural(int(rules.moors_cubes[kind]), 'cube')}"
    return f"{moors_name(box, kind)}, level {rules.level[kind]} ({gain})"


def plural(n: int, word: str) -> str:
    """Return ``1 cube`` or ``2 cubes``."""
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def title_lines(state: Any, box: Any) -> list[str]:
    """Return the heading: where the pawn stands on the road, and the bonus cards."""
    road = []
    for circle in range(CIRCLES):
        sign = ROMAN[circle // 3] if circle % 3 == 2 else "o"
        road.append(f"[{sign}]" if circle == state.circle and state.over == 0 else f" {sign} ")
        if circle % 3 == 2:
            road.append("|")
    if state.over != 0:
        where = "the end" if state.over == 1 else "cut off"
    else:
        battle = f"battle {ROMAN[state.circle // 3]}"
        where = (f"first village before {battle}", f"second village before {battle}", battle)[state.circle % 3]
        label = box.components["route"]["circles"][int(state.circle)]["label"].text()
        if not label.startswith(("Village", "Battle")):
            where = f"{where} ({label})"
    return [f"D. Afonso Henriques: {where}", "Road  " + "".join(road[:-1])]


def bonus_lines(state: Any, box: Any) -> list[str]:
    """Return the battle bonus cards, the one of the battle under way marked."""
    lines = []
    for battle in range(BATTLES):
        card = int(state.bonus[battle])
        if card == 0:
            continue
        now = state.over == 0 and state.circle == 3 * battle + 2
        text = BONUS_TEXT[card].format(**box.components["battle_bonus"][card - 1].value)
        lines.append(f"  {'>' if now else ' '} {ROMAN[battle]:<3} card {card}: {text}")
    return ["", "Battle bonus cards", *lines] if lines else []


def slot_lines(state: Any, box: Any) -> list[str]:
    """Return the four Moors cards side by side, and both piles."""
    width = 18
    rows: list[list[str]] = [[], [], [], []]
    for place in range(SLOTS):
        kind = int(state.slots[place])
        rules = box.record[0]
        fought = state.target_place == place
        rows[0].append(f"{'>' if fought else ' '}slot {place}")
        if kind < 0:
            texts = ["empty", "", ""]
        else:
            gain = f"{rules.moors_vp[kind]} VP, {plural(int(rules.moors_cubes[kind]), 'cube')}"
            texts = [moors_name(box, kind), f"die {rules.level[kind]} or more", gain]
        for row, text in zip(rows[1:], texts, strict=True):
            row.append(f" {text}")
    lines = ["".join(f"|{text:<{width}}" for text in row) + "|" for row in rows]
    rule = ("+" + "-" * width) * SLOTS + "+"
    top = int(state.mdeck[state.mdeck_n - 1]) if state.mdeck_n > 0 else -1
    used = int(state.mused[state.mused_n - 1]) if state.mused_n > 0 else -1
    return [
        "",
        rule,
        *lines,
        rule,
        f"Moors deck {state.mdeck_n}, next: {moors_line(box, top)}",
        f"Used Moors {state.mused_n}, top: {moors_line(box, used)}",
    ]


def village_lines(state: Any, box: Any) -> list[str]:
    """Return the seven symbols with price, rejected pile and cylinder."""
    lines = ["", "Villages"]
    piles = {"V2_down": 0, "V3_left": 1, "V3_right": 2}
    for symbol, key in enumerate(SYMBOLS):
        if box.record[0].village_open[symbol] == 0:
            continue
        text = SYMBOL_TEXT[key]
        if key in piles:
            text += f": {cards(box, state.piles[piles[key]])}"
        there = [seat for seat in range(box.num_players) if state.placed[seat] == symbol]
        cylinder = f"seat {there[0]}" if there else ""
        cost = plural(int(box.record[0].village_cost[symbol]), "cube")
        lines.append(f"  {key:<9}{cost:<9}{text:<64}{cylinder}")
    idle = [f"seat {seat}" for seat in range(box.num_players) if state.placed[seat] == PASSED]
    if idle:
        lines.append(f"  passed: {', '.join(idle)}")
    return lines


def pile_lines(state: Any, box: Any) -> list[str]:
    """Return the Portuguese deck and piles outside the villages' own table."""
    used = cards(box, state.pused)
    lines = ["", f"Portuguese deck {state.pdeck_n}; used: {used}"]
    if not VILLAGE <= state.node <= TAKE:
        names = zip(("A", "left", "right"), state.piles, strict=True)
        lines.append("Rejected: " + "; ".join(f"{name}: {cards(box, pile)}" for name, pile in names))
    lines.append("Bank: " + ("unlimited" if box.record[0].unlimited else plural(int(state.bank), "cube")))
    return lines


def hand_text(state: Any, box: Any, seat: int, open_hand: bool) -> str:
    """Return a hand, or what everybody knows of it."""
    if open_hand:
        return cards(box, state.hand[seat])
    hidden = int(state.hand[seat, :4].sum())
    known = state.known[seat]
    text = plural(hidden, "card")
    if known.any():
        text += f" (among them {cards(box, known)})"
    engines = np.concatenate([np.zeros(4, int), state.hand[seat, 4:]])
    return f"{text}, {cards(box, engines)}" if engines.any() else text


def character_text(state: Any, box: Any, seat: int) -> str:
    """Return the character of a seat and whether it is face down."""
    if state.character[seat] < 0:
        return ""
    name = box.components["characters"][int(state.character[seat])]["name"].text().removeprefix("The ")
    return name if state.ready[seat] or state.over != 0 else f"{name} (used)"


def seat_lines(state: Any, box: Any, seat: int | None) -> list[str]:
    """Return one line for every seat; the seat on turn is marked, the holder of the 1st-player card has a star."""
    characters = bool(box.record[0].characters)
    column = f"{'character':<22}" if characters else ""
    lines = ["", f"  {'seat':<9}{'VP':>4}{'cubes':>7}  {column}hand"]
    for other in range(box.num_players):
        mark = ">" if other == state.actor else " "
        star = "*" if other == state.holder else ""
        you = " (you)" if other == seat else ""
        who = f"{other}{star}{you}"
        text = hand_text(state, box, other, seat is None or other == seat)
        role = f"{character_text(state, box, other):<22}" if characters else ""
        lines.append(f"{mark} {who:<9}{state.vp[other]:>4}{state.cubes[other]:>7}  {role}{text}")
        if state.over == 0 and state.circle % 3 == 2:
            battle = f"{plural(int(state.combats[other]), 'fight')}, {state.battle_vp[other]} VP in this battle"
            lines.append(f"{'':24}{battle}{', passed' if state.passed[other] else ''}")
    return [*lines, "  * has the 1st-player card"]


def fight_lines(state: Any, box: Any) -> list[str]:
    """Return the fight under way."""
    fighters = [cards(box, state.committed)] if state.committed.any() else []
    fighters += ["the Warrior"] if state.warrior_in else []
    fighters += ["the Master of Arms"] if state.master_in else []
    lines = [
        f"Fight for {PLACE_TEXT[state.target_place]}: {moors_line(box, int(state.target_kind))}",
        f"In the fight: {', '.join(fighters) or 'nobody yet'}",
    ]
    if state.node == PAY:
        rolled = " ".join(str(value + 1) for value in range(6) for _ in range(state.roll[value]))
        lines.append(f"Rolled {rolled}: {plural(int(state.deficit), 'cube')} short")
    return lines


def decision_lines(state: Any, box: Any, seat: int | None) -> list[str]:
    """Return who is to decide what, with what this seat may see of it."""
    if state.node == NOWHERE:
        return []
    doing = DECISION.get(int(state.node), "fights or passes")
    lines = ["", f"Seat {state.actor} {doing}."]
    if state.node in (COMMIT, PAY):
        lines += fight_lines(state, box)
    if state.node in (KEEP, SIDE):
        drawn = cards(box, state.drawn) if seat in (None, state.actor) else plural(int(state.drawn.sum()), "card")
        lines.append(f"Drawn: {drawn}")
    if state.node == RECOVER:
        lines.append(f"Used in this battle: {cards(box, state.battle_used[state.actor])}")
    return lines


def end_lines(state: Any, box: Any) -> list[str]:
    """Return the final table."""
    n = box.num_players
    per = int(box.record[0].cubes_per_vp)
    scores = [int(state.vp[s]) + int(state.cubes[s]) // per for s in range(n)]
    order = sorted(range(n), key=lambda s: (-scores[s], (s - state.holder) % n))
    lines = ["", "Final score"]
    for place, s in enumerate(order):
        worth = f"{state.vp[s]} VP + {plural(int(state.cubes[s]), 'cube')} / {per}"
        lines.append(f"  {place + 1}. seat {s}: {scores[s]:>3}   ({worth}){'   wins' if place == 0 else ''}")
    return lines


def render(state: Any, box: Any, seat: int | None) -> str:
    """Return the position as text of at most 100 columns: what `seat` may know, or all open with None."""
    lines = title_lines(state, box) + bonus_lines(state, box) + slot_lines(state, box)
    if VILLAGE <= state.node <= TAKE or state.node == DRAFT:
        lines += village_lines(state, box)
    lines += pile_lines(state, box) + seat_lines(state, box, seat)
    lines += end_lines(state, box) if state.over != 0 else decision_lines(state, box, seat)
    return "\n".join(line.rstrip() for line in lines)
