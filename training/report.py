"""A report about a game: how it branches, how long it is, who sits well, how much is hidden, whether skill pays.

Equal players play in all seats; every decision is counted. Positions for the measure of hidden information are drawn
uniformly from all decisions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any

import numpy as np

from lusogames_env.engine.batch import WAIT, Batch
from lusogames_env.engine.errors import OptionError
from lusogames_env.engine.game import STATE_HEADER, Box
from lusogames_env.engine.players import Player, ask, make_player
from lusogames_env.training.evaluate import Estimate, evaluate, mean_interval, sides_of, wilson, win_shares

QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
BINS = 10
BAR = 30  # characters of the longest bar


@dataclass(frozen=True)
class Distribution:
    """Mean, quantiles (`QUANTILES`) and histogram of whole numbers; bin i goes from ``edges[i]`` to below the next."""

    mean: Estimate
    quantiles: tuple[float, ...]
    edges: tuple[int, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Branching:
    """Legal actions per decision: mean, largest number, share of forced decisions (one legal action), distribution."""

    decisions: int
    mean: float
    mean_unforced: float
    largest: int
    forced: float
    distribution: Distribution


@dataclass(frozen=True)
class Seat:
    """How one seat does among equals. `bias`: its whole interval of wins misses the par (never with one side alone)."""

    wins: Estimate
    points: Estimate
    bias: bool


@dataclass(frozen=True)
class Hidden:
    """What redeals of sampled positions tell: everything the seat on turn cannot know is dealt anew.

    Attributes:
        positions, redeals: how many positions, and redeals of each.
        differing: share of redeals that differ from the truth.
        distinct: mean number of different positions among the redeals of one.
        changed: mean share of the record's numbers that a redeal changes.
        open: share of positions in which no redeal differs from the truth.
        fields: mean share of the numbers of each field that a redeal changes, where any does, largest first.
    """

    positions: int
    redeals: int
    differing: float
    distinct: float
    changed: float
    open: float
    fields: dict[str, float]


@dataclass(frozen=True)
class Rung:
    """A search of `stronger` iterations against one of half as many: its share of wins."""

    weaker: int
    stronger: int
    games: int
    par: float
    wins: Estimate


@dataclass(frozen=True)
class GameReport:
    """All measures of a game under one set of options; `ladder` is empty if it was left out."""

    game: str
    title: str
    version: int
    options: dict[str, Any]
    player: str
    games: int
    seed: int
    par: float
    branching: Branching
    length: Distribution
    seats: tuple[Seat, ...]
    nobody_won: float
    hidden: Hidden
    ladder: tuple[Rung, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {**asdict(self), "quantiles": QUANTILES}


@dataclass(frozen=True)
class ReportPlan:
    """How much is measured: see `report`."""

    games: int = 200
    player: str = "heuristic"
    positions: int = 200
    redeals: int = 8
    ladder: int = 25
    rungs: int = 2
    ladder_games: int = 40
    seed: int = 0


def report(box: Box, plan: ReportPlan | None = None) -> GameReport:
    """Measure a game.

    Args:
        box: the game with its options.
        plan: `games` of copies of `player`; `redeals` of each of `positions`; a ladder of `rungs` from `ladder`
            iterations on (0: none), each of `ladder_games`; `seed` is the root of all seeds.

    Raises:
        OptionError: a number is out of range, or there is no such player.
    """
    plan = plan or ReportPlan()
    lowest = {"games": 2, "positions": 1, "redeals": 2, "ladder": 0, "rungs": 1, "ladder_games": 2, "seed": 0}
    for name, low in lowest.items():
        if getattr(plan, name) < low:
            raise OptionError(f"{name.replace('_', '-')} = {getattr(plan, name)}: expected {low} or more")
    seeds = [int(seed) for seed in np.random.SeedSequence(plan.seed).generate_state(4)]
    player = make_player(plan.player, box.game, seeds[1])
    watch = _play(box, player, plan, seeds[0])
    win, raw = (watch.batch.outcomes(kind)[:, : box.num_players] for kind in ("win", "raw"))
    shares = win_shares(win, sides_of(box))
    par = 1.0 / len(sides_of(box))
    return GameReport(
        box.game.name,
        box.game.title,
        box.game.version,
        {name: value for name, value in box.options.items() if name != "components"},
        player.name,
        plan.games,
        plan.seed,
        par,
        _branching(watch.legal),
        distribution_of(watch.lengths),
        tuple(_seat(shares[:, seat], raw[:, seat], par) for seat in range(box.num_players)),
        float((shares.sum(axis=1) == 0).mean()),
        hidden_information(box, watch.positions, plan.redeals, seeds[2]),
        skill_ladder(box, plan, seeds[3]),
    )


# ---- play and watch ----


@dataclass
class _Watch:
    """What was seen.

    Attributes:
        batch: at the end of all games.
        legal: number of legal actions of every decision, int64 (decisions,).
        lengths: decisions of every game, int64 (games,).
        positions: sampled positions, records (at most `ReportPlan.positions`,).
    """

    batch: Batch
    legal: np.ndarray
    lengths: np.ndarray
    positions: np.ndarray


def _play(box: Box, player: Player, plan: ReportPlan, seed: int) -> _Watch:
    """Play `plan.games` games of copies of `player`; keep `plan.positions` of all decisions, each equally likely."""
    batch = Batch(box, plan.games, seed=seed)
    generator = np.random.default_rng(seed)
    legal: list[np.ndarray] = []
    lengths = np.zeros(plan.games, np.int64)
    kept, keys = batch.states[:0].copy(), np.empty(0)
    while batch.running.any():
        rows = np.flatnonzero(batch.running)
        legal.append((batch.masks[rows] != 0).sum(axis=1, dtype=np.int64))
        lengths[rows] += 1
        drawn = generator.random(len(rows))  # the smallest of independent keys are a uniform sample
        limit = keys.max() if len(keys) == plan.positions else 1.0
        new = drawn < limit
        kept, keys = np.concatenate([kept, batch.states[rows[new]]]), np.concatenate([keys, drawn[new]])
        best = np.argsort(keys, kind="stable")[: plan.positions]
        kept, keys = kept[best], keys[best]
        moves = np.full(plan.games, WAIT, np.int64)
        moves[rows] = ask(player, batch, rows)
        batch.require_legal(moves)
        batch.advance(moves)
    return _Watch(batch, np.concatenate(legal), lengths, kept)


def distribution_of(values: np.ndarray) -> Distribution:
    """Return the distribution of int64 (n,), n >= 2, in at most `BINS` bins of equal whole width."""
    low, high = int(values.min()), int(values.max())
    width = max(1, ceil((high - low + 1) / BINS))
    edges = np.arange(low, high + width + 1, width)
    counts = np.histogram(values, edges)[0]
    used = len(np.trim_zeros(counts, "b"))
    quantiles = tuple(float(q) for q in np.quantile(values, QUANTILES))
    return Distribution(
        mean_interval(values.astype(float)), quantiles, tuple(edges[: used + 1].tolist()), tuple(counts[:used].tolist())
    )


def _branching(legal: np.ndarray) -> Branching:
    unforced = legal[legal > 1]
    mean_unforced = float(unforced.mean()) if unforced.size else 1.0
    forced = float((legal == 1).mean())
    return Branching(
        len(legal),
        float(legal.mean()),
        mean_unforced,
        int(legal.max()),
        forced,
        distribution_of(legal),
    )


def _seat(shares: np.ndarray, points: np.ndarray, par: float) -> Seat:
    wins = wilson(float(shares.mean()), len(shares))
    return Seat(wins, mean_interval(points), par < 1.0 and not wins.low <= par <= wins.high)


# ---- hidden information ----


def hidden_information(box: Box, positions: np.ndarray, redeals: int, seed: int) -> Hidden:
    """Deal anew, `redeals` times each, what the seat on turn cannot know in `positions`, records (n,)."""
    n = len(positions)
    batch = Batch(box, n * redeals, seed=seed)
    batch.states[:] = np.repeat(positions, redeals)
    seeds = np.random.default_rng(seed).integers(2**62, size=n * redeals)
    batch.redeal(batch.actors, seeds)
    skipped = {field.name for field in STATE_HEADER.fields}
    fields = [
        f.name for f in box.game.state_record.fields if f.name not in skipped and not f.name.startswith("scratch_")
    ]
    truth = {name: _flat(positions[name]) for name in fields}
    dealt = {name: _flat(batch.states[name]) for name in fields}
    changed = {name: dealt[name] != np.repeat(truth[name], redeals, axis=0) for name in fields}
    every = np.concatenate(list(changed.values()), axis=1)
    whole = np.concatenate([dealt[name].astype(np.int64) for name in fields], axis=1).reshape(n, redeals, -1)
    differing = every.any(axis=1).reshape(n, redeals)
    by_field = sorted(((float(c.mean()), name) for name, c in changed.items() if c.any()), reverse=True)
    return Hidden(
        n,
        redeals,
        float(differing.mean()),
        float(np.mean([len(np.unique(dealings, axis=0)) for dealings in whole])),
        float(every.mean()),
        float((~differing.any(axis=1)).mean()),
        {name: share for share, name in by_field},
    )


def _flat(values: np.ndarray) -> np.ndarray:
    return values.reshape(len(values), -1)


# ---- skill ----


def skill_ladder(box: Box, plan: ReportPlan, seed: int) -> tuple[Rung, ...]:
    """Let searches meet those of half their budget; empty if `plan.ladder` is 0 or all seats are on one side."""
    if plan.ladder == 0 or len(sides_of(box)) < 2:
        return ()
    rungs = []
    for k in range(plan.rungs):
        weaker = plan.ladder * 2**k
        pair = [
            make_player(f"ismcts:iterations={n}", box.game, seed + 2 * k + i)
            for i, n in enumerate((2 * weaker, weaker))
        ]
        result = evaluate(pair, box, plan.ladder_games, seed + k)
        rungs.append(Rung(weaker, 2 * weaker, result.games, result.par, result.players[0].wins))
    return tuple(rungs)


# ---- Markdown ----


def to_markdown(found: GameReport, box: Box) -> str:
    """Return the report as Markdown."""
    default = {option.name: option.default for option in box.game.options} | {"num_players": box.num_players}
    special = {name: value for name, value in found.options.items() if value != default[name]}
    options = "".join(f", {name}={value}" for name, value in special.items())
    parts = [
        f"# {found.title}: {found.game}_v{found.version}",
        f"{len(found.seats)} players{options}; {found.games:,} games of `{found.player}` in all seats, "
        f"seed {found.seed}; intervals are 95 %.",
        *_branching_text(found.branching),
        *_length_text(found.length),
        *_seats_text(found),
        *_hidden_text(found.hidden),
        *_ladder_text(found.ladder),
    ]
    return "\n\n".join(parts) + "\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    line = "| " + " | ".join(["---", *["---:"] * (len(head) - 1)]) + " |"
    return "\n".join(["| " + " | ".join(head) + " |", line, *("| " + " | ".join(row) + " |" for row in rows)])


def _bars(found: Distribution) -> str:
    """Return the histogram as a block of text."""
    total, most = sum(found.counts), max(found.counts)
    spans = [f"{a}" if b - a == 1 else f"{a}-{b - 1}" for a, b in zip(found.edges, found.edges[1:], strict=False)]
    wide = max(map(len, spans))
    lines = [
        f"{span:>{wide}}  {'█' * round(BAR * count / most):<{BAR}}  {count / total:5.1%}"
        for span, count in zip(spans, found.counts, strict=True)
    ]
    return "\n".join(["```text", *lines, "```"])


def _quantiles(found: Distribution) -> str:
    names = ("shortest", "5 %", "25 %", "median", "75 %", "95 %", "longest")
    return _table(("mean", *names), [(found.mean.short(1), *(f"{value:.0f}" for value in found.quantiles))])


def _branching_text(found: Branching) -> list[str]:
    return [
        "## Branching factor",
        f"{found.mean:.2f} legal actions per decision on average, at most {found.largest}; {found.forced:.1%} of "
        f"{found.decisions:,} decisions are forced, the others have {found.mean_unforced:.2f} legal actions.",
        _bars(found.distribution),
    ]


def _length_text(found: Distribution) -> list[str]:
    return ["## Decisions per game", _quantiles(found), _bars(found)]


def _seats_text(found: GameReport) -> list[str]:
    rows = [
        (f"seat {i}", str(seat.wins), seat.points.short(2), "yes" if seat.bias else "no")
        for i, seat in enumerate(found.seats)
    ]
    nobody = f" In {found.nobody_won:.1%} of the games nobody won." if found.nobody_won else ""
    par = "all seats win together." if found.par == 1.0 else f"par is {found.par:.3f}."
    text = f"Share of wins among equals; {par}{nobody}"
    return ["## Seats", text, _table(("seat", "wins", "points", "off par"), rows)]


def _hidden_text(found: Hidden) -> list[str]:
    text = (
        f"{found.positions:,} positions drawn from all decisions, each dealt anew {found.redeals} times as far as the "
        f"seat on turn cannot know it: {found.differing:.1%} of the redeals differ from the truth, on average "
        f"{found.distinct:.1f} of {found.redeals} from each other, in {found.changed:.1%} of the record's numbers. "
        f"In {found.open:.1%} of the positions nothing is hidden but chance to come."
    )
    rows = [(f"`{name}`", f"{share:.1%}") for name, share in found.fields.items()]
    return ["## Hidden information", text, *([_table(("field", "changed by a redeal"), rows)] if rows else [])]


def _ladder_text(found: tuple[Rung, ...]) -> list[str]:
    if not found:
        return []
    rows = [(f"{r.stronger} against {r.weaker}", f"{r.games}", f"{r.par:.3f}", str(r.wins)) for r in found]
    head = ("iterations of `ismcts`", "games", "par", "wins of the larger budget")
    return ["## Does twice the search win more?", _table(head, rows)]
