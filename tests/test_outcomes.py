"""Utilities: range, sum, reward kinds, truncation."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine import Game, OptionError
from lusogames_env.engine.batch import Batch
from tests.tools import Case, zero_sum

UTILITIES = ("win", "placement", "margin")


def ended(case: Case, seed: int, **options: object) -> Batch:
    """Return 24 games that random play has brought to their end."""
    batch = Batch(case.game, 24, seed=seed, **{**case.options, **options})
    while batch.running.any():
        batch.step(batch.random_actions())
    return batch


def test_utilities_lie_in_their_range(case: Case, seed: int) -> None:
    batch, n = ended(case, seed), case.box.num_players
    for kind in UTILITIES:
        values = batch.outcomes(kind)
        assert np.isfinite(values).all() and (np.abs(values) <= 1).all(), kind
        assert not values[:, n:].any(), f"{kind}: seats that nobody sits on have utilities"
    assert np.isfinite(batch.outcomes("raw")).all()


def test_wins_sum_to_zero_where_seats_compete(case: Case, seed: int) -> None:
    batch = ended(case, seed)
    if not zero_sum(case.box):
        values = batch.outcomes("win")[:, : case.box.num_players]
        lost = (values == -1).any(1)
        assert (values[lost] == -1).all(), "a defeat that is not common to all"
        return
    for kind in ("win", "placement"):
        assert np.abs(batch.outcomes(kind).sum(1)).max() < 1e-9, kind


def test_better_places_never_win_less(case: Case, seed: int) -> None:
    batch, n = ended(case, seed), case.box.num_players
    win, place = batch.outcomes("win")[:, :n], batch.outcomes("placement")[:, :n]
    for w, p in zip(win, place, strict=True):
        order = np.argsort(p, kind="stable")
        assert (np.diff(w[order]) >= -1e-9).all(), f"win {w}, placement {p}"


def test_games_have_winners_and_losers(case: Case, seed: int) -> None:
    win = np.concatenate([ended(case, seed + i).outcomes("win")[:, : case.box.num_players] for i in range(2)])
    assert (win < 0).any(), "nobody ever loses"
    if zero_sum(case.box):
        assert (win > 0).any(0).all(), "some seat never wins in 48 random games"


def test_the_reward_option_chooses_the_utility(case: Case, seed: int) -> None:
    for kind in UTILITIES:
        batch = ended(case, seed, reward=kind)
        assert (batch.outcomes() == batch.outcomes(kind)).all()


def test_outcomes_are_defined_before_the_end(case: Case, seed: int) -> None:
    for state in case.positions(seed, 3):
        for kind in (*UTILITIES, "raw"):
            values = state.outcome(kind)
            assert values.shape == (case.box.num_players,) and np.isfinite(values).all()


def test_the_cap_cuts_off(game: Game, seed: int) -> None:
    if game.max_rounds is None:
        assert "max_rounds" not in {option.name for option in game.options}
        return
    low, _, high = game.max_rounds
    case = Case(game.package, next(iter(game.variants)))
    short = ended(case, seed, max_rounds=low)
    assert short.states["over"].max() == 2, "no game reaches the lowest cap"
    assert short.truncated.any() and (short.check() == 0).all()
    longer = ended(case, seed, max_rounds=high)
    assert longer.states["ply"].mean() > short.states["ply"].mean()


def test_an_unknown_kind_is_refused(toy: Case) -> None:
    with pytest.raises(OptionError, match="win"):
        Batch(toy.box, 1, seed=1).outcomes("points")
