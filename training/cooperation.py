"""Measures of cooperation: cross-play of policies that never met, and what selfish seats cost their team.

Cross-play is the test of zero-shot coordination research (Hu et al., "Other-Play", ICML 2020): policies trained from
different seeds share one team; how much less they win than with copies of themselves tells how much of their play was
a private convention.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lusogames_env.engine.errors import OptionError
from lusogames_env.engine.game import Box
from lusogames_env.training.evaluate import Estimate, mean_interval, play_seated, seated_players, wilson


@dataclass(frozen=True)
class CrossPlay:
    """Team win rates: ``wins[i][j]`` of teams in which players i and j sit alternately, each first in half of them."""

    game: str
    options: dict[str, Any]
    games: int
    seed: int
    players: tuple[str, ...]
    wins: tuple[tuple[Estimate, ...], ...]

    @property
    def self_play(self) -> float:
        """Mean of the diagonal."""
        return float(np.mean([self.wins[i][i].mean for i in range(len(self.players))]))

    @property
    def cross_play(self) -> float:
        """Mean beside the diagonal."""
        n = len(self.players)
        return float(np.mean([self.wins[i][j].mean for i in range(n) for j in range(n) if i != j]))

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {**asdict(self), "self_play": self.self_play, "cross_play": self.cross_play}


@dataclass(frozen=True)
class SelfishSeats:
    """What happens when `selfish` seats of the table play for themselves."""

    selfish: int
    games: int
    team_wins: Estimate
    selfish_share: Estimate | None
    cooperative_share: Estimate | None


def _require_shared_fate(box: Box) -> None:
    """Refuse a game in which the seats do not win or lose together."""
    if not box.game.shared_fate or box.num_players < 2:
        raise OptionError(f"{box.game.name} with {box.num_players} players is not won or lost by the whole table")


def team_won(utilities: np.ndarray) -> np.ndarray:
    """Return which games the whole table has won, bool (n,): somebody's ``win`` utility is above -1 only then."""
    return utilities.max(axis=1) > -1.0 + 1e-9


def alternating(n: int, num_players: int, first: int, second: int) -> np.ndarray:
    """Return int64 (n, num_players) seatings in which two players alternate; each begins in every other game."""
    turn = np.arange(n)[:, None] + np.arange(num_players)[None, :]
    return np.where(turn % 2 == 0, first, second)


def cross_play(players: Sequence[Any], box: Box, games: int = 400, seed: int = 0, threads: int = 1) -> CrossPlay:
    """Pair all players, each also with itself, in one team.

    Args:
        players: what `make_player` takes; two or more.
        box: a game in which the whole table wins or loses together.
        games: games per pair.
        seed: root of all seeds; every pair plays the same games.
        threads: threads to split the games over.
    """
    if len(players) < 2:
        raise OptionError("cross-play needs at least two players")
    _require_shared_fate(box)
    table = seated_players(players, box.game, seed)
    wins = {}
    for i in range(len(table)):
        for j in range(i, len(table)):
            seated = alternating(games, box.num_players, i, j)
            outcomes, _ = play_seated(box, table, seated, seed, threads)
            wins[i, j] = wins[j, i] = wilson(float(team_won(outcomes["win"]).mean()), games)
    n = range(len(table))
    names = tuple(player.name for player in table)
    kept = {name: value for name, value in box.options.items() if name != "components"}
    return CrossPlay(box.game.name, kept, games, seed, names, tuple(tuple(wins[i, j] for j in n) for i in n))


def price_of_selfishness(
    cooperative: Any, selfish: Any, box: Box, games: int = 400, seed: int = 0, threads: int = 1
) -> list[SelfishSeats]:
    """Let 0, 1, … all seats be played by `selfish`, the rest by `cooperative`; the same games each time.

    A share is the mean of a seat's raw points as a part of all points at the table, over the games that the team won.
    """
    _require_shared_fate(box)
    table = seated_players([cooperative, selfish], box.game, seed)
    rows = []
    for k in range(box.num_players + 1):
        seats = (np.arange(games)[:, None] + np.arange(box.num_players)[None, :]) % box.num_players
        seated = (seats < k).astype(np.int64)
        outcomes, _ = play_seated(box, table, seated, seed, threads)
        won = team_won(outcomes["win"])
        shares = _shares(outcomes["raw"][won])
        rows.append(
            SelfishSeats(
                k,
                games,
                wilson(float(won.mean()), games),
                _mean_of(shares, seated[won] == 1),
                _mean_of(shares, seated[won] == 0),
            )
        )
    return rows


def _shares(points: np.ndarray) -> np.ndarray:
    total = points.sum(axis=1, keepdims=True)
    return np.divide(points, total, out=np.zeros_like(points), where=total > 0)


def _mean_of(shares: np.ndarray, chosen: np.ndarray) -> Estimate | None:
    """Return the mean share of the chosen seats over the games, None with fewer than two games to speak of."""
    if len(shares) < 2 or not chosen.any():
        return None
    return mean_interval((shares * chosen).sum(axis=1) / chosen.sum(axis=1))


def cross_play_table(result: CrossPlay) -> Any:
    """Return a `rich.table.Table` of the matrix."""
    from rich.table import Table

    table = Table(
        title=f"{result.game}: team win rate when two players share a team, {result.games} games a pair",
        caption=f"mean with copies of itself {result.self_play:.3f}, with others {result.cross_play:.3f}",
    )
    for heading in ("", *result.players):
        table.add_column(heading, justify="right", overflow="fold")
    for name, row in zip(result.players, result.wins, strict=True):
        table.add_row(name, *(str(estimate) for estimate in row))
    return table


def selfishness_table(rows: Sequence[SelfishSeats]) -> Any:
    """Return a `rich.table.Table` of the price of selfishness."""
    from rich.table import Table

    table = Table(title=f"what selfish seats cost, {rows[0].games} games a row")
    for heading in ("selfish seats", "team wins", "share of a selfish seat", "share of a cooperative seat"):
        table.add_column(heading, justify="right")
    for row in rows:
        shares = [str(share) if share is not None else "-" for share in (row.selfish_share, row.cooperative_share)]
        table.add_row(str(row.selfish), str(row.team_wins), *shares)
    return table
