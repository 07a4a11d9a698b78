"""The benchmark of the searches: it runs without OpenSpiel, and the adapter says what `GameState` says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import report, search, spiel
from lusogames_env import GameState
from lusogames_env.engine.game import Game


def adapter(state: GameState, seed: int) -> spiel.SpielState:
    return spiel.SpielState(state, np.random.default_rng(seed))


def random_chooser(seed: int) -> spiel.Timed:
    rng = np.random.default_rng(seed)
    return spiel.Timed(lambda state: int(rng.choice(state.legal_actions())))


def test_a_random_game_through_the_adapter_is_the_same_game(game: Game, seed: int) -> None:
    state = GameState.new(game, seed)
    twin = adapter(state.clone(), seed)
    rng = np.random.default_rng(seed)
    while not twin.is_terminal():
        assert not twin.is_chance_node()
        assert twin.current_player() == state.actor
        assert twin.legal_actions(state.actor) == twin.legal_actions() == state.legal_actions()
        action = int(rng.choice(twin.legal_actions()))
        twin.apply_action(action)
        state.apply(action)
    assert state.over and twin.current_player() == spiel.TERMINAL
    assert twin.returns() == state.outcome(state.box.options["reward"]).tolist()


def test_a_determinization_of_the_adapter_lies_in_the_same_information_set(game: Game, seed: int) -> None:
    state = GameState.new(game, seed)
    rng = np.random.default_rng(seed)
    while not state.over and state.ply < 30:
        root = adapter(state, seed)
        dealt = [root.resample_from_infostate(state.actor) for _ in range(2)]
        for sample in dealt:
            assert sample.information_state_string() == root.information_state_string()
            assert sample.legal_actions() == root.legal_actions()
        assert dealt[0].state != dealt[1].state
        state.apply(int(rng.choice(state.legal_actions())))


def test_playing_on_from_a_clone_leaves_the_original_alone(seed: int) -> None:
    root = adapter(GameState.new("d_afonso_henriques", seed, num_players=2), seed)
    before, key = root.state.hash(), root.information_state_string()
    twin = root.clone()
    while not twin.is_terminal():
        twin.apply_action(twin.legal_actions()[0])
    assert root.state.hash() == before and root.information_state_string() == key


def test_a_game_of_the_match_asks_only_where_there_is_a_choice(seed: int) -> None:
    state = GameState.new("d_afonso_henriques", seed, num_players=2)
    choosers = [random_chooser(seed), random_chooser(seed + 1)]
    shares = spiel.play(state, choosers)
    assert state.over and shares.sum() == pytest.approx(1.0)
    assert 0 < sum(timed.decisions for timed in choosers) < state.ply
    assert all(timed.seconds > 0 for timed in choosers)


@pytest.mark.parametrize("better", [True, False])
def test_the_match_seats_both_searches_alike(better: bool, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    box = GameState.new("d_afonso_henriques", num_players=2).box
    seats: list[int] = []

    def play(state: GameState, choosers: list[spiel.Timed]) -> np.ndarray:
        for chooser in choosers:
            chooser(state)
        ours = next(i for i, timed in enumerate(choosers) if timed.choose is first)
        seats.append(ours)
        return np.eye(2)[ours if better else 1 - ours]

    def first(state: GameState) -> int:
        return state.legal_actions()[0]

    monkeypatch.setattr(spiel, "our_search", lambda *_: first)
    monkeypatch.setattr(spiel, "spiel_search", lambda *_: lambda state: state.legal_actions()[-1])
    monkeypatch.setattr(spiel, "play", play)
    found = spiel.match(box, 6, search.Settings(iterations=5), seed)
    assert seats == [0, 1, 0, 1, 0, 1]
    assert found["wins"]["mean"] == float(better)
    assert [player["decisions"] for player in found["players"].values()] == [6, 6]
    assert "wins" in report.search_match({"match": json.loads(json.dumps(found))})


def test_an_odd_number_of_games_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        search.main(["--match", "3"])
    assert "expected an even number" in capsys.readouterr().err


def test_without_open_spiel_ours_are_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "installed", lambda module: False)
    file = tmp_path / "search.json"
    search.main(["--games", "reis_de_portugal", "--rounds", "1", "--seconds", "0.01", "--json", str(file)])
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    assert list(content["games"]) == ["reis_de_portugal"]
    assert content["games"]["reis_de_portugal"]["plies"] > 0
    assert [row["rate"] > 0 for row in content["results"]] == [True]
    shown = capsys.readouterr().out
    assert report.OUR_SEARCH in shown and "No match was played." in shown
