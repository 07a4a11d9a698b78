"""What ``benchmarks.balance`` counts in Portão para o mundo beyond seats: Reals by source, wins by turn order.

The record holds only sums, so that the games are played decision by decision and every Real is booked where the rules
pay it; the sources of a seat add up to its Reals after the start.
"""

from __future__ import annotations

import numpy as np

from lusogames_env.engine.batch import WAIT, Batch
from lusogames_env.engine.errors import OptionError
from lusogames_env.engine.game import RUNNING, Box
from lusogames_env.engine.players import Player
from lusogames_env.games.portao_para_o_mundo.game import (
    ACTIONS,
    BONUS_MARKET,
    BROWN,
    GREEN,
    ICON_REALS,
    KING_SLOTS,
    KINGS,
    LISBON,
    MARKETS,
    MEDAL,
    N_NOBLES,
    SPACES,
    WEST_AFRICA,
)

SOURCES = {
    "kings": "Kings, first income",
    "kings_end": "Kings, second income at the end",
    "markets": "Markets built",
    "exchange": "exchange for Reals",
    "cards": "cards: medals less bribes",
    "bonuses": "bonuses for the most Markets",
    "pieces": "pieces: Ships, Adventurers, Markets left over",
}
PLAY, BUILD, SPACE, DELIVER = (ACTIONS[name] for name in ("play", "build", "space", "deliver"))
PLAY_BRIBE = PLAY + 4  # places 0 and 1 are the two uses of Support from Ships


class Ledger:
    """Reals of every seat by source: ``reals[source]`` is int64 (games, seats)."""

    def __init__(self, box: Box, games: int) -> None:
        self.box, self.record = box, box.record[0]
        self.seats = box.num_players
        self.reals = {source: np.zeros((games, self.seats), np.int64) for source in SOURCES}

    def book(self, source: str, rows: np.ndarray, seats: np.ndarray, amounts: np.ndarray | int) -> None:
        """Add `amounts` for seat ``seats[i]`` of game ``rows[i]``; no game may come twice."""
        self.reals[source][rows, seats] += amounts

    def decision(self, rows: np.ndarray, before: np.ndarray, after: np.ndarray, actions: np.ndarray) -> None:
        """Book what one decision in each of the games `rows`, and all that followed from it, paid."""
        self.action(rows, before, after, actions)
        landed = (before["phase"] == WEST_AFRICA) & (after["phase"] == LISBON)
        tokens = before["ships"].astype(np.int64) + before["advs"]
        self.reals["pieces"][rows[landed]] += tokens[landed, : self.seats]
        self.income("kings", rows, after, (before["paid"] == 0) & (after["paid"] != 0))
        ended = after["over"] != RUNNING
        self.income("kings_end", rows, after, ended[:, None] & (after["king_face"] >= 0))
        self.scoring(rows[ended], after[ended])

    def action(self, rows: np.ndarray, before: np.ndarray, after: np.ndarray, actions: np.ndarray) -> None:
        """Book what the seat on turn got or paid by the action itself."""
        record, seats = self.record, before["actor"].astype(np.int64)
        every = np.arange(len(rows))

        def book(source: str, where: np.ndarray, amounts: np.ndarray | int) -> None:
            chosen = amounts[where] if isinstance(amounts, np.ndarray) else amounts
            self.book(source, rows[where], seats[where], chosen)

        built = (actions >= BUILD) & (actions < BUILD + MARKETS)
        book("markets", built, record.market_reals[np.where(built, actions - BUILD, 0)])
        moved = (actions >= SPACE) & (actions < SPACE + SPACES) & (before["node"] != N_NOBLES)
        space = np.where(moved, actions - SPACE, before["noble"][every, seats])
        exchanged = (moved & (record.space_icon[space] == ICON_REALS)) | (actions == ACTIONS["pay_set"])
        book("exchange", exchanged, record.space_reals[space])
        book("cards", actions == PLAY_BRIBE, -int(record.bribe_cost))
        # a Market from an empty stock is paid in Reals
        nothing = before["mstock"][every, seats] == 0
        by_card = (actions == PLAY) | (actions == PLAY + 1)
        book("pieces", nothing & (by_card | self.market_bonus(before, after, actions)), int(record.no_market_reals))

    def market_bonus(self, before: np.ndarray, after: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Return, bool (n,), where a delivery has earned the bonus Market."""
        delivered = (actions >= DELIVER) & (actions < DELIVER + KINGS * (KING_SLOTS + 1))
        king, place = np.divmod(np.where(delivered, actions - DELIVER, 0), KING_SLOTS + 1)
        wanted = place < KING_SLOTS
        place = np.where(wanted, place, 0)
        every = np.arange(len(actions))
        fresh = before["delivered"][every, king, place] == 0
        bonus = self.record.bonus[before["king_face"][every, king], place] == BONUS_MARKET
        return delivered & wanted & fresh & bonus

    def income(self, source: str, rows: np.ndarray, states: np.ndarray, pays: np.ndarray) -> None:
        """Book the income of the Kings where `pays`, bool (n, Kings); ties share their ranks' sum, rounded down."""
        some = pays.any(axis=1)
        states, pays, rows = states[some], pays[some], rows[some]
        for king in range(KINGS):
            at = states["pos"][:, king, : self.seats].astype(np.int64)
            ahead = (at[:, None, :] > at[:, :, None]).sum(axis=2)
            level = (at[:, None, :] == at[:, :, None]).sum(axis=2)
            payout = self.record.payout[states["king_face"][:, king]].astype(np.int64)
            below = np.concatenate([np.zeros((len(rows), 1), np.int64), payout.cumsum(axis=1)], axis=1)
            total = np.take_along_axis(below, ahead + level, 1) - np.take_along_axis(below, ahead, 1)
            self.reals[source][rows] += np.where((at > 0) & pays[:, [king]], total // level, 0)

    def scoring(self, rows: np.ndarray, states: np.ndarray) -> None:
        """Book the final scoring, the Kings aside."""
        record = self.record
        colour = record.area_colour[record.market_area]
        for wanted, amount in ((BROWN, record.brown_majority), (GREEN, record.green_majority)):
            owners = states["market"][:, colour == wanted]
            built = (owners[:, None, :] == np.arange(self.seats)[None, :, None]).sum(axis=2)
            most = np.maximum(built.max(axis=1, keepdims=True), 1)
            self.reals["bonuses"][rows] += np.where(built == most, int(amount), 0)
        self.reals["cards"][rows] += int(record.medal) * states["hand"][:, : self.seats, MEDAL].astype(np.int64)
        for field, worth in (("ships", "per_ship"), ("advs", "per_adventurer"), ("mfront", "per_market")):
            self.reals["pieces"][rows] += int(record[worth]) * states[field][:, : self.seats].astype(np.int64)


def play(batch: Batch, player: Player) -> Ledger:
    """Play a fresh batch to its end; return the ledger.

    Raises:
        OptionError: with ``skip_forced`` decisions go by that have to be seen.
    """
    if batch.box.options["skip_forced"]:
        raise OptionError("skip_forced = True hides decisions that are to be counted: leave it out")
    ledger = Ledger(batch.box, batch.num_games)
    while (rows := np.flatnonzero(batch.running)).size:
        before = batch.states[rows]
        actions = np.full(batch.num_games, WAIT, np.int64)
        actions[rows] = player.act(batch, rows)
        batch.advance(actions)
        ledger.decision(rows, before, batch.states[rows], actions[rows])
    return ledger


def breakdown(
    box: Box, start: np.ndarray, states: np.ndarray, shares: np.ndarray, ledger: Ledger
) -> list[tuple[str, str, dict[str, np.ndarray]]]:
    """Return the wins by place on the first turn order and the mean Reals of a seat by source."""
    order = start["order"][:, : box.num_players].astype(np.int64)
    placed = np.take_along_axis(shares, order, axis=1)
    places = {f"place {i + 1}": placed[:, i] for i in range(box.num_players)}
    reals = {text: ledger.reals[source].mean(axis=1) for source, text in SOURCES.items()}
    reals["all"] = states["reals"][:, : box.num_players].mean(axis=1)
    return [("Wins by place on the first turn order", "wins", places), ("Reals of a seat by source", "Reals", reals)]
