"""Players and mixtures of players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lusogames_env.engine import Game, OptionError
from lusogames_env.engine.batch import EXTERNAL, FIRST_BOT, RANDOM, WAIT, Batch
from lusogames_env.engine.players import Player, PolicyPlayer, make_mixture, make_player, observe_rows
from tests.tools import Case, zero_sum


def first_legal(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    return masks.argmax(1)


def test_scripted_players_are_found_by_name(game: Game) -> None:
    for number, name in enumerate(("random", *game.bots)):
        player = make_player(name, game)
        assert isinstance(player, Player) and player.name == name
        assert player.decider == RANDOM + number
    assert FIRST_BOT == RANDOM + 1


def test_scripted_players_asked_by_hand_play_legally(case: Case, seed: int) -> None:
    batch = Batch(case.box, 8, seed=seed)
    rows = np.array([1, 4, 6])
    for name in ("random", *case.game.bots):
        actions = make_player(name, case.game).act(batch, rows)
        assert actions.shape == (3,) and (batch.masks[rows, actions] == 1).all()


def test_a_function_sees_what_the_seats_on_turn_see(case: Case, seed: int) -> None:
    batch = Batch(case.box, 6, seed=seed)
    for _ in range(7):
        batch.step(batch.random_actions())
    rows = np.flatnonzero(batch.running)
    seen: dict[str, np.ndarray] = {}

    def policy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        seen.update(observations=observations, masks=masks)
        return masks.argmax(1)

    player = make_player(policy, case.game)
    actions = player.act(batch, rows)
    assert player.name == "policy" and player.decider == EXTERNAL
    assert (seen["observations"] == batch.observe()[rows]).all() and (seen["masks"] == batch.masks[rows]).all()
    assert (batch.masks[rows, actions] == 1).all()
    assert (observe_rows(batch, rows) == seen["observations"]).all()


def test_a_player_object_is_taken_as_it_is(toy: Case) -> None:
    player = PolicyPlayer(first_legal, "mine")
    assert make_player(player, toy.game) is player


def test_a_folder_of_that_name_does_not_hide_a_scripted_player(
    toy: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "random").mkdir()
    monkeypatch.chdir(tmp_path)
    assert make_player("random", toy.game).decider == RANDOM


@pytest.mark.parametrize("bad", ["heuristc", "", None, 3, object()])
def test_an_unknown_player_is_refused(toy: Case, bad: Any) -> None:
    with pytest.raises(OptionError, match="there is no player") as error:
        make_player(bad, toy.game)
    assert "heuristic" in str(error.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ismct:iterations=5", "no kind of player 'ismct:'; did you mean 'ismcts'"),
        ("heuristic:foo=1", "no kind of player 'heuristic:'; known: flat_mc, ismcts, ppo, rollout"),
    ],
)
def test_an_unknown_kind_of_player_is_refused(toy: Case, name: str, text: str) -> None:
    with pytest.raises(OptionError, match=text):
        make_player(name, toy.game)


def test_half_a_player_is_told_what_it_lacks(toy: Case) -> None:
    class Half:
        name = "half"

        def act(self, batch: Batch, rows: np.ndarray) -> np.ndarray:
            return rows

    with pytest.raises(OptionError, match="needs a name and a decider"):
        make_player(Half(), toy.game)


def test_mixtures_are_normalised(toy: Case) -> None:
    players, weights = make_mixture({"random": 1, "heuristic": 3}, toy.game)
    assert [player.name for player in players] == ["random", "heuristic"] and weights.tolist() == [0.25, 0.75]
    players, weights = make_mixture(["random", first_legal], toy.game)
    assert [player.name for player in players] == ["random", "first_legal"] and weights.tolist() == [0.5, 0.5]
    players, weights = make_mixture("shaky", toy.game)
    assert [player.name for player in players] == ["shaky"] and weights.tolist() == [1]


HUGE = {"random": 1e308, "heuristic": 1e308}  # no float holds the sum
NAN = {"random": float("nan")}


@pytest.mark.parametrize("bad", [[], {}, {"random": 0}, {"random": -1, "heuristic": 2}, HUGE, NAN])
def test_a_mixture_without_sense_is_refused(toy: Case, bad: Any) -> None:
    with pytest.raises(OptionError, match="opponents"):
        make_mixture(bad, toy.game)


@pytest.mark.parametrize("bad", [{"random": "much"}, {"random": None}, {"random": [1]}])
def test_weights_must_be_numbers(toy: Case, bad: Any) -> None:
    with pytest.raises(OptionError, match="opponents|weight"):
        make_mixture(bad, toy.game)


def test_rule_based_players_beat_random_ones(game: Game, seed: int) -> None:
    """A player worth the name `heuristic` wins more than its share at a table of random ones.

    Where the table wins or loses together, a table of such players wins more than one of random players.
    """
    options = next(iter(game.variants.values()))
    batch = Batch(game, 96, seed=seed, **{**options, "reward": "win"})
    rows, n = np.arange(96), batch.box.num_players
    together = not zero_sum(batch.box)
    batch.deciders[:] = RANDOM
    if together:
        batch.deciders[rows % 2 == 0] = FIRST_BOT
    else:
        batch.deciders[rows, rows % n] = FIRST_BOT
    batch.advance(np.full(96, -1))
    wins = batch.outcomes("win")
    own = wins[rows % 2 == 0, :n] if together else wins[rows, rows % n]
    assert own.mean() > wins[:, :n].mean(), f"{own.mean():.2f}"
    assert not batch.running.any() and (batch.random_actions() == WAIT).all()
