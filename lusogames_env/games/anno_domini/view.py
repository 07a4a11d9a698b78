"""The game as text."""

from __future__ import annotations

from typing import Any

from lusogames_env.games.anno_domini.game import (
    ARCHITECT_PLACE,
    ATTACK_TARGET,
    BISHOP_DEST,
    DECISIONS,
    FREE,
    KEPT_CARDS,
    NONE,
    OCCUPY,
    POPE,
    SEATS,
    card_name,
    territory_name,
)

ASKED = {
    "SETUP_CHOOSE": "chooses a territory to settle (the one rolled is taken)",
    "TURN_MAIN": "may roll the event, build, attack or end the turn",
    "ATTACK_TARGET": "chooses the target of the attack",
    "OCCUPY": "may occupy the emptied territory",
    "CRISIS_DISCARD": "loses a card to the Imperial crisis",
    "AMBASSADOR_PLAYER": "sends the Ambassador to an opponent",
    "AMBASSADOR_CARD": "chooses the card the Ambassador takes",
    "CUTTHROAT_PLAYER": "sends the Cut-throat to an opponent",
    "CUTTHROAT_CARD": "chooses the card the Cut-throat destroys",
    "BISHOP_SOURCE": "chooses the cathedral the Bishop takes",
    "BISHOP_DEST": "chooses where the Bishop puts the cathedral",
    "ARCHITECT_PLACE": "chooses where the Architect builds",
}
CELL = 23
NAME = 16


def _who(p: int, seat: int | None) -> str:
    return f"seat {p} (you)" if p == seat else f"seat {p}"


def _castles_left(state: Any, box: Any, p: int) -> int:
    return int(box.record[0].castles_per_player) - int(state.castles[state.owner == p].sum())


def _cell(state: Any, box: Any, t: int) -> str:
    owner = "." if state.owner[t] == FREE else str(int(state.owner[t]))
    castles = "-" if state.castles[t] == 0 else str(int(state.castles[t]))
    cathedral = "+" if state.cathedral[t] else " "
    mark = " "
    if t in (state.sel_from, state.sel_src):
        mark = ">"
    elif t == state.sel_to or state.arch_done[t]:
        mark = "*"
    return f"{mark}{territory_name(box, t)[:NAME]:<{NAME}} {owner}:{castles}{cathedral}"


def _board(state: Any, box: Any) -> list[str]:
    """Six columns by the red die, six rows by the blue die, in two halves so that a line fits."""
    lines = []
    for half in (0, 3):
        lines.append("     " + "".join(f" {f'red {red + 1}':<{CELL}}" for red in range(half, half + 3)).rstrip())
        for blue in range(6):
            cells = "".join(f"{_cell(state, box, 6 * red + blue):<{CELL + 1}}" for red in range(half, half + 3))
            lines.append(f"   {blue + 1} {cells}".rstrip())
    return lines


def _cards(state: Any, box: Any, p: int) -> str:
    held = [(card, int(state.kept[p, card])) for card in range(KEPT_CARDS) if card != POPE and state.kept[p, card]]
    return ", ".join(card_name(box, card) + (f" x{n}" if n > 1 else "") for card, n in held) or "-"


def _players(state: Any, box: Any, seat: int | None) -> list[str]:
    lines = ["  seat      cathedrals  territories  castles  in box  florins  cards"]
    for p in range(SEATS):
        on_turn = ">" if p == state.actor else " "
        pope = " P" if state.kept[p, POPE] else "  "
        name = f"{p}{' you' if p == seat else ''}"
        if not state.alive[p]:
            lines.append(f" {on_turn}{name:<6}   eliminated ({int(state.elim_rank[p])}.)")
            continue
        mine = state.owner == p
        row = f" {on_turn}{name:<6}{pope} {int((mine & (state.cathedral == 1)).sum()):>8} {int(mine.sum()):>12}"
        row += f" {int(state.castles[mine].sum()):>10} {_castles_left(state, box, p):>7} {int(state.money[p]):>8}  "
        lines.append(_clip(row + _cards(state, box, p)))
    for i in range(SEATS):
        for j in range(SEATS):
            if state.debt[i, j]:
                lines.append(f"    seat {i} owes seat {j} {int(state.debt[i, j])} florins")
    return lines


def _clip(line: str) -> str:
    return line if len(line) <= 100 else line[:99] + "…"


def _event(state: Any, box: Any) -> str:
    total = int(state.last_event)
    return f"{total} {box.components.value['events'][total - 2]['name']}"


def _battle(state: Any, box: Any) -> list[str]:
    if state.battle[0] == NONE:
        return []
    a, t = (territory_name(box, int(end)) for end in state.battle)
    sides = []
    for side in range(2):
        dice = " ".join(str(int(die)) for die in state.battle_dice[side] if die)
        sides.append(f"{dice} (+{int(state.battle_points[side])})")
    return [_clip(f"  Last battle: {a} against {t}, {sides[0]} : {sides[1]}")]


def _deck(state: Any, box: Any) -> str:
    unseen, size = int(state.unseen_left), int(state.deck_size)
    known = [card_name(box, int(state.deck[i])) for i in range(unseen, size)]
    text = f"  Deck: {unseen} unseen cards"
    if known:
        text += f", then {', '.join(known[:4])}" + (f" and {len(known) - 4} more" if len(known) > 4 else "")
    return _clip(text)


def _turn(state: Any, box: Any, seat: int | None) -> list[str]:
    if state.over:
        if state.winner == NONE:
            return [f"  Cut off after round {int(state.round_number)}: nobody wins."]
        return [f"  {_who(int(state.winner), seat).capitalize()} wins in round {int(state.round_number)}."]
    lines = []
    if state.round_number:
        done = [f"attacks {int(state.attacks_made)}"]
        done.append(f"event {_event(state, box)}" if state.last_event else "no event yet")
        done += ["conquered"] if state.conquered else []
        done += ["card drawn"] if state.drawn else []
        lines.append("  This turn: " + ", ".join(done))
    line = f"  {_who(int(state.actor), seat).capitalize()} {ASKED[DECISIONS[int(state.decision)]]}"
    if state.decision == ATTACK_TARGET:
        line += f" from {territory_name(box, int(state.sel_from))}"
    elif state.decision == OCCUPY:
        line += f" {territory_name(box, int(state.sel_to))}"
    elif state.decision == BISHOP_DEST:
        line += f" of {territory_name(box, int(state.sel_src))}"
    elif state.decision == ARCHITECT_PLACE:
        line += f", {int(state.arch_left)} left"
    elif state.sel_opp != NONE:
        line += f" from seat {int(state.sel_opp)}"
    return [*lines, _clip(line + ".")]


def render(state: Any, box: Any, seat: int | None) -> str:
    """Return the position as text of at most 100 columns. All is public but the unseen cards, which never show.

    A territory reads ``owner:castles`` with ``+`` for a cathedral; ``.`` is free. ``P`` marks the Pope.
    """
    phase = f"round {int(state.round_number)} of {int(box.record[0].max_rounds)}" if state.round_number else "set-up"
    lines = [f"ANNO DOMINI   {phase}   {int(box.record[0].goal)} cathedrals win", ""]
    if state.round_number and not state.over:
        order = [str(int(p)) for p in state.order if p >= 0 and state.alive[p]]
        lines[0] += f"   order {' '.join(order)}"
    lines += [*_board(state, box), "", *_players(state, box, seat), ""]
    return "\n".join([*lines, *_battle(state, box), _deck(state, box), *_turn(state, box, seat)]) + "\n"
