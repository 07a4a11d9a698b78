"""Text view of *Portão para o mundo, Lisboa*."""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.game import Box
from lusogames_env.games.portao_para_o_mundo.game import (
    AREA_IDS,
    BONUSES,
    CARD_KINDS,
    COASTS_FROM,
    COLOURS,
    CREW,
    GAME,
    HEXES,
    ICONS,
    KINGS,
    LISBON,
    MARKETS,
    NODES,
    RESOURCES,
    SLOTS,
    SPACES,
    TYPES,
)

SEAT_NAMES = ("Red", "Blue", "Yellow", "Black")
LETTERS = "RBYK"
KING_NAMES = ("Joan I", "Duarte I", "Pedro", "Henrique")
SHORT = ("Mo", "Go", "Pe", "Sa", "Wi", "To", "Co", "~~")  # -1, the Lake, is the last one
WHAT = {
    "WA_TURN": "place a chip or drop out",
    "WA_ADV": "place an Adventurer",
    "WA_SHIP": "enter a board with the Ship of a card",
    "KEEP": "keep one of two cards",
    "AFTER": "play cards or end the turn",
    "LX_TURN": "take an action or drop out",
    "ADVANCE": "advance on a King track (bonus)",
    "BRIBE": "choose the King to bribe",
    "NOBLES": "choose a space for the Noble disc (Support from Nobles)",
    "CHURCHES": "choose a Market space (Support from Churches)",
    "GOODS": "choose resources (Support from West Africa)",
    "ICON": "choose a Market space",
    "EXCH": "pay one more exchange set or stop",
}
WIDTH = 98


def render(state: Any, box: Box, seat: int | None) -> str:
    """Return the position as text of at most 100 columns: what `seat` may see, or all open with None."""
    parts = [_head(state, box), _players(state, box), _kings(state, box), _lisbon(state, box), _boards(state, box)]
    parts.append(_cards(state, box, seat))
    return "\n\n".join(parts)


def _seats(box: Box) -> range:
    return range(box.num_players)


def _head(state: Any, box: Box) -> str:
    lines = [f"{GAME.title} - round {state.round_no} of at most {box.record[0].max_rounds}"]
    if state.over:
        ranks = sorted(_seats(box), key=lambda s: (-int(state.reals[s]), state.order.tolist().index(s)))
        end = "The game has ended" if state.over == 1 else "The game was cut off"
        lines.append(f"{end}: " + ", ".join(f"{SEAT_NAMES[s]} {state.reals[s]}" for s in ranks))
    else:
        phase = "Lisbon" if state.phase == LISBON else "West Africa"
        lines[0] += f", {phase} Phase"
        lines.append(f"{SEAT_NAMES[state.actor]} is on turn: {WHAT[NODES[state.node]]}")
        extra = [f"{state.virt[t]} {RESOURCES[t]}" for t in range(TYPES) if state.virt[t]]
        if extra:
            lines.append("From cards, for this turn only: " + ", ".join(extra))
        if state.must_place:
            lines.append("An Adventurer has been placed: a chip must follow")
    out = [" (out)" if dropped and not state.over else "" for dropped in state.dropped]
    lines.append("Turn order: " + ", ".join(SEAT_NAMES[s] + out[s] for s in state.order[: box.num_players]))
    return "\n".join(lines)


def _players(state: Any, box: Box) -> str:
    lines = [
        "                 chips on/in                                Markets in",
        "Player   Reals   front boards Kings stock   Ships Adv.   front stock built   Disc   Cards",
    ]
    kings = int((state.king_face >= 0).sum())
    for s in _seats(box):
        outside = int(box.record[0].crew) - kings - int(box.record[0].crew_order) - int(state.stock[s])
        boards = outside - int(state.front[s]) - int(state.ind[s])
        built = int((state.market == s).sum())
        mark = ">" if s == state.actor else " "
        lines.append(
            f"{mark}{SEAT_NAMES[s]:<7}{state.reals[s]:>6}{state.front[s]:>8}{boards:>7}{state.ind[s]:>6}{state.stock[s]:>6}"
            f"{state.ships[s]:>8}{state.advs[s]:>5}{state.mfront[s]:>8}{state.mstock[s]:>6}{built:>6}"
            f"{state.noble[s]:>7}{int(state.hand[s].sum()):>8}"
        )
    if state.phase == LISBON and not state.over:
        for s in _seats(box):
            goods = [f"{state.res[s, t]} {RESOURCES[t]}" for t in range(TYPES) if state.res[s, t]]
            lines.append(f" {SEAT_NAMES[s]}'s resources: " + (", ".join(goods) or "none"))
    return "\n".join(lines)


def _kings(state: Any, box: Box) -> str:
    data, lines = box.record[0], []
    lines.append(
        f"{'King':<9} {'pays from ' + str(data.trigger):<16} {'wants:bonus (Pepper always, no bonus)':<44} markers"
    )
    for k in range(KINGS):
        face = int(state.king_face[k])
        if face < 0:
            lines.append(f"{KING_NAMES[k]:<9} not in play")
            continue
        pays = "/".join(str(amount) for amount in data.payout[face] if amount) + (" paid" if state.paid[k] else "")
        wants = []
        for i in range(3):
            bonus = BONUSES[data.bonus[face, i]].capitalize()
            wants.append(f"{SHORT[data.wants[face, i]]}:{'gone' if state.delivered[k, i] else bonus}")
        markers = " ".join(f"{LETTERS[s]}{state.pos[k, s]}" for s in _seats(box))
        lines.append(f"{KING_NAMES[k]:<9} {pays:<16} {'  '.join(wants):<44} {markers}")
    return "\n".join(lines)


def _cost(cost: Any) -> str:
    parts = [f"{n if n > 1 else ''}{SHORT[t]}" for t, n in enumerate(cost[:TYPES]) if n]
    return "+".join(parts + ["chip"] * int(cost[CREW])) or "free"


def _space(state: Any, box: Box, s: int) -> str:
    data = box.record[0]
    icon = ICONS[data.space_icon[s]].lower()
    gain = f"{data.space_reals[s]} Reals" if icon == "reals" else icon
    discs = "".join(LETTERS[seat] for seat in _seats(box) if state.noble[seat] == s)
    text = "start" if s == 0 else f"{_cost(data.space_cost[s])}>{gain}"
    return f"{s} {text}" + (f" [{discs}]" if discs else "")


def _lisbon(state: Any, box: Box) -> str:
    data = box.record[0]
    lines = ["Lisbon track: space cost>icon [discs]; Market spaces as Reals:owner; cost of Build a Market"]
    lines.append("          " + _space(state, box, 0))
    for area, name in enumerate(AREA_IDS):
        spaces = [_space(state, box, s) for s in range(1, SPACES) if data.space_area[s] == area]
        owners = [
            f"{data.market_reals[m]}:" + (SEAT_NAMES[state.market[m]] if state.market[m] >= 0 else "--")
            for m in range(MARKETS)
            if data.market_area[m] == area
        ]
        build = _cost(data.area_cost[area]) if data.area_build[area] else "no"
        head = f"{name:<3}{COLOURS[data.area_colour[area]].lower()}"
        lines.append(f"{head:<10}{'   '.join(spaces)}")
        lines.append(f"          Markets {'  '.join(owners)}   Build a Market: {build}")
    return "\n".join(lines)


def _hex(state: Any, box: Box, slot: int, h: int) -> str:
    data, face = box.record[0], int(state.slot_face[slot])
    first = int(state.first[slot, h])
    others = [s for s in _seats(box) if s != first and int(state.chips[slot, s]) >> h & 1]
    text = SHORT[data.face_hex[face, h]] + ("^" if data.face_port[face] == h else " ")
    text += LETTERS[first] if first >= 0 else ""
    text += "".join(LETTERS[s].lower() for s in others)
    return text + ("@" if int(state.adv_hexes[slot]) >> h & 1 else "")


def _board(state: Any, box: Box, slot: int) -> list[str]:
    faces = [row["id"].text() for row in box.components["face"]]
    name = faces[state.slot_face[slot]]
    if slot < COASTS_FROM:
        n = box.num_players
        title = f"{name} {SEAT_NAMES[slot]} | {SEAT_NAMES[(slot + 1) % n]}"
    else:
        title = f"{name} Pepper Coast"
    lines = [title]
    for row in range(3):
        cells = [f"{_hex(state, box, slot, h):<8}" for h in range(3 * row, 3 * row + HEXES // 3)]
        lines.append(("    " if row == 1 else "") + "".join(cells))
    return lines


def _boards(state: Any, box: Box) -> str:
    boards = [_board(state, box, slot) for slot in range(SLOTS) if state.slot_face[slot] >= 0]
    blocks = ["West Africa: ^ port, ~~ Lake, R B Y K first chip, r b y k later chips, @ Adventurer"]
    for i in range(0, len(boards), 3):
        rows = zip(*boards[i : i + 3], strict=True)
        blocks.append("\n".join("  ".join(f"{cell:<30}" for cell in row).rstrip() for row in rows))
    return "\n\n".join(blocks).replace("\n\n", "\n", 1)


def _names(box: Box, counts: Any) -> str:
    names = [row["name"].text() for row in box.components["card"]]
    held = [names[kind] + (f" x{n}" if n > 1 else "") for kind, n in enumerate(counts) if n]
    return ", ".join(held) or "none"


def _cards(state: Any, box: Box, seat: int | None) -> str:
    lines = []
    for s in _seats(box) if seat is None else [seat]:
        lines.append(f"{SEAT_NAMES[s]}'s hand: {_names(box, state.hand[s])}")
    if state.drawn[0] >= 0 and seat in (None, state.actor):
        lines.append(f"Drawn: {_names(box, [(state.drawn == kind).sum() for kind in range(CARD_KINDS)])}")
    lines.append(f"Pile: {state.pile_len} cards. Used: {_names(box, state.used)}")
    shown = [i for i in range(state.pile_len) if seat is None or state.pile_by[i] == seat]
    if shown:
        names = [row["name"].text() for row in box.components["card"]]
        title = "From the top" if seat is None else "Returned by you (place from the top)"
        entries = [names[state.pile[i]] + ("" if seat is None else f" ({i + 1})") for i in shown]
        lines.append(f"{title}: " + ", ".join(entries))
    return "\n".join(_wrap(line) for line in lines)


def _wrap(line: str) -> str:
    """Break a long list between its entries."""
    rows = [""]
    for part in line.split(", "):
        joined = f"{rows[-1]}, {part}" if rows[-1] else part
        if len(joined) > WIDTH and rows[-1]:
            rows[-1] += ","
            rows.append("    " + part)
        else:
            rows[-1] = joined
    return "\n".join(rows)
