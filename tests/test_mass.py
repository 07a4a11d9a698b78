"""Many random games over all options: invariants after each ply. ``LUSOGAMES_MASS=100000`` plays at full size."""

from __future__ import annotations

import os
from itertools import product
from typing import Any

import pytest

from lusogames_env.engine import Game, OptionError
from lusogames_env.engine.batch import Batch
from tests.test_options import values_of
from tests.tools import mixed_actions

GAMES = int(os.environ.get("LUSOGAMES_MASS", "2000"))
PER_BATCH = 500


def option_sets(game: Game) -> list[dict[str, Any]]:
    """Return every variant, each also with every single other option value and with forced decisions skipped."""
    sets: list[dict[str, Any]] = []
    others = [option for option in game.options if option.name not in ("components", "illegal", "reward")]
    for base in game.variants.values():
        sets.append(base)
        sets += [{**base, option.name: value} for option in others for value in values_of(option)]
    unique: list[dict[str, Any]] = []
    for options in sets:
        try:
            resolved = game.new_box(**options).options
        except OptionError:
            continue  # values that exclude each other
        if resolved not in unique:
            unique.append(resolved)
    return unique


@pytest.mark.slow
def test_random_games_over_all_options_break_no_invariant(game: Game, seed: int) -> None:
    sets = option_sets(game)
    each = max(1, GAMES // len(sets))
    played = 0
    for options, start in product(sets, range(0, each, PER_BATCH)):
        batch = Batch(game, min(PER_BATCH, each - start), seed=seed + start, **options)
        while batch.running.any():
            codes = batch.check()
            assert not codes.any(), f"{options}: invariant {codes.max()} of game {codes.argmax()}, seed {seed + start}"
            assert (batch.masks.any(1) == batch.running).all()
            assert batch.states["ply"].max() < game.max_plies
            batch.step(mixed_actions(batch))
        assert not batch.check().any()
        played += batch.num_games
    print(f"{game.name}: {played} games over {len(sets)} option sets")
    assert played >= GAMES // 2
