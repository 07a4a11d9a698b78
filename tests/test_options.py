"""Options: every value can be played, every mistake is answered with the name and what would be right."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from lusogames_env.engine import Game, Option, OptionError
from lusogames_env.engine.batch import Batch
from lusogames_env.engine.state import GameState
from tests.tools import Case, random_action, random_game

COMMON = ("num_players", "reward", "components", "skip_forced", "illegal")


def values_of(option: Option) -> list[Any]:
    """Return the values that an option can have: all its choices, or both ends of its range."""
    if option.choices is not None:
        return list(option.choices)
    return [option.low, option.high] if option.low is not None else [option.default]


def test_every_value_can_be_played(game: Game, seed: int) -> None:
    refused = 0
    for option in game.options:
        for value in values_of(option):
            try:
                batch = Batch(game, 4, seed=seed, **{option.name: value})
            except OptionError as error:
                assert option.name in str(error)  # it needs another option beside it, and says so
                refused += 1
                continue
            for _ in range(40):
                assert not batch.check().any(), f"{option.name} = {value!r}"
                batch.step(batch.random_actions())
    assert refused < len(game.options)


def test_every_number_of_players_can_be_played(game: Game, seed: int) -> None:
    for n in game.players:
        options = next((v for v in game.variants.values() if v.get("num_players") == n), {"num_players": n})
        batch = Batch(game, 8, seed=seed, **options)
        assert batch.box.num_players == n
        while batch.running.any():
            batch.step(batch.random_actions())
        assert not batch.check().any()


def test_variants_cover_every_number_of_players_and_every_choice(game: Game) -> None:
    played = [game.new_box(**options).options for options in game.variants.values()]
    for option in game.options:
        if option.name in ("components", "illegal", "reward", "skip_forced"):
            continue
        if option.choices is not None:
            missing = [value for value in option.choices if not any(v[option.name] == value for v in played)]
            assert not missing or game.name == "toy", f"no variant has {option.name} = {missing}"


def test_every_game_has_the_common_options(game: Game) -> None:
    names = [option.name for option in game.options]
    assert names[: len(COMMON)] == list(COMMON) and len(names) == len(set(names))
    for option in game.options:
        assert option.doc.strip() and option.fault(option.default) is None


def test_an_unknown_option_is_answered_with_the_nearest(game: Game) -> None:
    for option in game.options:
        with pytest.raises(OptionError, match=f"did you mean '{option.name}'"):
            game.new_box(**{option.name + "x": 1})


@pytest.mark.parametrize("bad", [object(), [], {}, "no such value", -(10**9), 10**9, 1.25e9, float("nan"), b"x"])
def test_a_bad_value_is_named(game: Game, bad: Any) -> None:
    for option in game.options:
        if option.name == "components" and isinstance(bad, str):
            continue  # a path; test_components.py has the missing file
        with pytest.raises(OptionError) as error:
            game.new_box(**{option.name: bad})
        text = str(error.value)
        assert option.name in text and repr(bad) in text and "expected" in text and game.name in text


def test_true_is_no_number(game: Game) -> None:
    for option in game.options:
        if option.choices is None and option.low is not None:
            with pytest.raises(OptionError, match=option.name):
                game.new_box(**{option.name: True})


def test_skip_forced_asks_for_no_forced_decision_that_may_be_skipped(case: Case, seed: int) -> None:
    state = GameState.new(case.game, seed, **{**case.options, "skip_forced": True})
    forced = sum(len(position.legal_actions()) == 1 for position, _ in random_game(state, seed))
    assert forced == 0 or hasattr(importlib.import_module(f"{case.package}.rules"), "skippable")


def test_skip_forced_leads_to_the_same_games(case: Case, seed: int) -> None:
    """Playing the forced decisions by hand gives the position that skipping them gives."""
    asking = case.game.new_box(**{**case.options, "skip_forced": False})
    skipping = case.game.new_box(**{**case.options, "skip_forced": True})
    one, two = GameState.from_box(asking, seed), GameState.from_box(skipping, seed)
    generator = np.random.default_rng(seed)
    for _ in range(80):
        while one.ply < two.ply:
            assert len(one.legal_actions()) == 1
            one.apply(one.legal_actions()[0])
        assert one._clean().tobytes() == two._clean().tobytes()
        if two.over:
            break
        action = random_action(two, generator)
        one.apply(action)
        two.apply(action)
