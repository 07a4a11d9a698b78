"""The game as text: the table as it would lie before the seat that looks."""

from __future__ import annotations

from typing import Any

from lusogames_env.games.reis_de_portugal.game import (
    AFONSO_HENRIQUES,
    BONUSES,
    CARDS,
    DYNASTIES,
    PHASES,
    PILE,
    ROUNDS,
)

WIDTH = 100
NOTHING = "-"
SHIELD = {"afonsina": "A", "avis": "V", "filipina": "F", "braganca": "B"}
ASKED = {
    "PLAY": "plays a card",
    "REPLACE": "puts a new Castle",
    "PASS": "passes a card to the left",
    "SECOND": "puts a second card face down",
    "SIEGE": "takes position before the Wall",
    "DRAW": "takes a card from the Wall",
}
LEGEND = "Cards: A Afonsina (and Fool), V Avis (and Fog), F Filipina, B Bragança, with number:value; * trump"


def render(state: Any, box: Any, seat: int | None) -> str:
    """Return the position as text of at most 100 columns.

    Args:
        state: the state record.
        box: the `Box` of the game.
        seat: whose view; only what it may know is shown. None shows everything.
    """
    table = _Table(state, box, seat)
    parts = [table.heading(), table.house(), "", *table.wall(), "", *table.seats()]
    if state.over:
        parts += ["", *table.result()]
    else:
        parts += ["", *table.flush(), *table.hands(), *table.knowledge(), "", table.turn()]
    parts += ["", LEGEND]
    return "\n".join(line.rstrip() for line in parts) + "\n"


def wrapped(head: str, words: list[str]) -> list[str]:
    """Return the words behind a heading, in lines of at most `WIDTH` columns."""
    lines, line = [], head
    for word in words or [NOTHING]:
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = " " * len(head)
        line += " " + word
    return [*lines, line]


class _Table:
    """Texts for the parts of one position."""

    def __init__(self, state: Any, box: Any, seat: int | None) -> None:
        self.state, self.box, self.seat = state, box, seat
        self.n = int(box.num_players)
        self.rules = box.record[0]
        self.cards = box.components["card"]
        self.royal = box.components["royal_house"][int(state.house_order[state.round_no])]
        self.trump = int(self.rules.trump[state.house_order[state.round_no]])

    def label(self, dynasty: int) -> str:
        """Return the printed name of a dynasty."""
        return str(self.box.components["dynasty"][dynasty]["label"].value)

    def card(self, card: int, value: int | None = None) -> str:
        """Return a card as ``V14:5``, or with the value it has taken."""
        row = self.cards[int(card)]
        dynasty = int(self.rules.dynasty[card])
        number = row["number"].value or row["name"].value
        if value is None:
            shown = f"{self.rules.value[card]}"
            if card == AFONSO_HENRIQUES:
                shown += f"/{self.rules.alt_value}"
        else:
            shown = str(value)
        star = "*" if dynasty == self.trump else ""
        letter = SHIELD[DYNASTIES[dynasty]] if row["number"].value else ""
        return f"{letter}{number}:{shown}{star}"

    def full(self, card: int) -> str:
        """Return a card with its name and, in the advanced game, its bonus."""
        row = self.cards[int(card)]
        bonus = int(self.rules.bonus[card])
        power = f", {BONUSES[bonus]}" if bonus >= 0 and self.rules.advanced else ""
        special = row["name"].value if row["number"].value else "special power"
        return f"{self.card(card)} ({special}{power})"

    def names(self, cards: int) -> list[str]:
        """Return a set of cards, dynasty by dynasty."""
        held = [i for i in range(CARDS) if int(cards) >> i & 1]
        held.sort(key=lambda i: (int(self.rules.dynasty[i]), int(self.rules.tie_rank[i])))
        return [self.card(i) for i in held]

    def listed(self, cards: int) -> list[str]:
        """Return a set of cards with their full names, a comma behind all but the last."""
        held = [i for i in range(CARDS) if int(cards) >> i & 1]
        return [self.full(i) + ("," if i != held[-1] else "") for i in held]

    def who(self, seat: int) -> str:
        """Return the name of a seat."""
        team = f" ({'AB'[seat % 2]})" if self.rules.teams else ""
        return f"Seat {seat}{team}" + (" (you)" if seat == self.seat else "")

    def heading(self) -> str:
        """Return title, mode and round."""
        mode = ["advanced" if self.rules.advanced else "basic"]
        if self.rules.teams:
            mode.append("teams")
        state = "the end" if self.state.over else f"round {self.state.round_no + 1} of {ROUNDS}"
        last = ", last Flush" if self.state.last_flush else ""
        return f"Reis de Portugal - {self.n} players, {', '.join(mode)} - {state}{last}"

    def house(self) -> str:
        """Return the Royal House card in force."""
        vp = ", ".join(f"{self.label(DYNASTIES.index(name))} {n} VP" for name, n in self.royal["vp"].value.items())
        double = "; this round counts double" if self.state.round_no == ROUNDS - 1 else ""
        no_flush = self.royal["no_flush_vp"].value
        return f"Royal House: trump {self.label(self.trump)}; {vp}, no Flush {no_flush} VP{double}"

    def wall(self) -> list[str]:
        """Return Wall and pile."""
        lines = wrapped("Wall:", self.listed(self.state.wall))
        pile = wrapped(f"Pile: {self.state.pile_len} cards", [])[0].removesuffix(" " + NOTHING)
        if self.seat is None and self.state.pile_len:
            top = [self.card(self.state.pile[i]) for i in range(self.state.pile_len - 1, -1, -1)]
            return [*lines, *wrapped(f"{pile}, top first:", top)]
        return [*lines, pile]

    def seats(self) -> list[str]:
        """Return one block of lines per seat: what lies openly before it."""
        lines = []
        for seat in range(self.n):
            castle = self.state.castle[seat]
            lying = self.full(castle) if castle >= 0 else "none"
            lead = " <- leads" if seat == self.state.leader and not self.state.over else ""
            held = int(self.state.hand[seat]).bit_count()
            won = int(self.state.flushes_won[seat])
            flushes = f"{won} Flush{'es' if won != 1 else ''}"
            lines.append(
                f"{self.who(seat)}: {self.state.score[seat]} VP, {flushes}, {held} in hand, Castle {lying}{lead}"
            )
            if self.state.captured[seat]:
                lines += wrapped("    captured:", self.names(self.state.captured[seat]))
        return lines

    def flush(self) -> list[str]:
        """Return the cards on the table in the order of play."""
        if PHASES[self.state.phase] == "DRAW":
            return []
        led, bonus = int(self.state.led), int(self.state.bonus)
        head = f"Flush: {self.label(led)} led" if led >= 0 else "Flush: nothing led yet"
        lines = [head + (f", {BONUSES[bonus]} in force" if bonus >= 0 else "")]
        for seat in self.state.order[: self.state.order_len]:
            laid = self.laid(int(seat))
            if laid:
                lines.append(f"    {self.who(int(seat))}: {laid}")
        return lines

    def laid(self, seat: int) -> str:
        """Return what a seat has put down in this Flush, as the one who looks sees it."""
        state, words = self.state, []
        open_to_me = self.seat is None or seat == self.seat
        if state.face[seat] >= 0:
            words.append(self.card(state.face[seat], state.face_value[seat]))
        if state.siege_card[seat] >= 0:
            words.append(f"before {self.card(state.siege_card[seat], state.siege_value[seat])}")
        if state.second[seat] >= 0:
            words.append(
                f"face down {self.card(state.second[seat], state.second_value[seat])}" if open_to_me else "face down ?"
            )
        if state.pass_card[seat] >= 0:
            words.append(f"set aside {self.card(state.pass_card[seat])}" if open_to_me else "set aside ?")
        return ", ".join(words)

    def hands(self) -> list[str]:
        """Return the hand of the one who looks, or all hands."""
        lines = []
        for seat in range(self.n) if self.seat is None else [self.seat]:
            whose = "Your hand" if seat == self.seat else f"Hand of seat {seat}"
            lines += wrapped(f"{whose}:", self.listed(self.state.hand[seat]))
        return lines

    def knowledge(self) -> list[str]:
        """Return the cards that the one who looks knows in the hands of others: those that can be nowhere else."""
        if self.seat is None:
            return []
        may = [int(cards) for cards in self.state.may_hold[self.seat]]
        lines = []
        for seat in range(self.n):
            if seat != self.seat:
                elsewhere = may[PILE]
                for other in range(self.n):
                    if other not in (seat, self.seat):
                        elsewhere |= may[other]
                sure = may[seat] & ~elsewhere
                if sure:
                    lines += wrapped(f"Seat {seat} surely holds:", self.names(sure))
        return lines

    def turn(self) -> str:
        """Return whose decision it is."""
        return f"{self.who(int(self.state.actor))} {ASKED[PHASES[self.state.phase]]}."

    def result(self) -> list[str]:
        """Return the points of every round and the final order."""
        state = self.state
        lines = ["          " + "".join(f"  round {k + 1}" for k in range(ROUNDS)) + "   total"]
        for seat in range(self.n):
            points = "".join(f"{int(p):9}" for p in state.points[:, seat])
            lines.append(f"Seat {seat}:   {points}{int(state.score[seat]):8}")
        lines.append("(points as scored; the third round counts double, and a total never falls below 0)")
        winners = self.winners()
        names = ", ".join(f"seat {seat}" for seat in winners)
        return [*lines, f"Winner: {names}" if len(winners) == 1 or self.rules.teams else f"Winners: {names}"]

    def winners(self) -> list[int]:
        """Return the seats with the most points and, of equals, the highest King of the last round."""
        keys = []
        for seat in range(self.n):
            cards = int(self.state.captured[seat])
            if self.rules.teams:
                cards |= int(self.state.captured[(seat + 2) % 4])
            ranks = [int(self.rules.tie_rank[i]) for i in range(CARDS) if cards >> i & 1]
            keys.append((int(self.state.score[seat]), max(ranks, default=-100)))
        return [seat for seat in range(self.n) if keys[seat] == max(keys)]
