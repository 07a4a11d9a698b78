"""Configurations: what is accepted, and errors that name key, place, value and the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from lusogames_env.training.config import Config, Schedule, load_config, make_config
from lusogames_env.training.errors import ConfigError
from lusogames_env.training.yaml_files import parse_value
from tests.tools import ROOT

CONFIGS = sorted(set((ROOT / "configs").glob("*/*.yaml")) - set((ROOT / "configs" / "tournaments").iterdir()))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_shipped_configurations_are_good(path: Path) -> None:
    assert load_config(path).game == path.parent.name


def test_every_game_has_a_quick_and_a_long_configuration() -> None:
    from lusogames_env.games import game_names

    found = {(path.parent.name, path.stem) for path in CONFIGS}
    games = [name for name in game_names() if name != "toy"]
    assert found >= {(game, kind) for game in games for kind in ("ppo", "long")}


def test_short_forms(tiny: Path) -> None:
    config = load_config(tiny, ["algorithm.ent_coef=1e-2", "algorithm.net_arch={policy: [8], value: [4, 4]}"])
    assert config.algorithm.ent_coef == Schedule(initial=0.01, final=0.01)
    assert config.algorithm.learning_rate == Schedule(initial=3e-3, final=1e-3)
    assert config.algorithm.net_arch.value == [4, 4]


def test_overrides_reach_into_missing_parts(tiny: Path) -> None:
    config = load_config(tiny, ["checkpoint.keep=7", "opponents.self_play=null", "options.folding=false", "seat=1"])
    assert config.checkpoint.keep == 7
    assert config.opponents.self_play is None
    assert config.options["folding"] is False
    assert config.seat == 1


def test_the_resolved_configuration_reads_back_the_same(tiny: Path) -> None:
    config = load_config(tiny)
    assert make_config(config.model_dump()) == config
    assert isinstance(config, Config)


@pytest.mark.parametrize(
    ("shape", "half"),
    [("linear", 0.5), ("cosine", 0.5)],
)
def test_schedules_run_from_initial_to_final(shape: str, half: float) -> None:
    schedule = Schedule(initial=1.0, final=0.0, shape=shape)  # type: ignore[arg-type]
    assert schedule(0.0) == 1.0
    assert schedule(0.5) == pytest.approx(half)
    assert schedule(1.0) == pytest.approx(0.0)
    assert Schedule(initial=1.0, final=0.0, shape="cosine")(0.25) == pytest.approx(0.8535534)


@pytest.mark.parametrize(
    ("override", "parts"),
    [
        ("algorithm.learning_rat=1", ["algorithm.learning_rat", "unknown key", "did you mean 'learning_rate'"]),
        ("totalsteps=5", ["totalsteps", "unknown key", "did you mean 'total_steps'"]),
        ("a.b=1", ["a: unknown key"]),
        ("seat=x", ["seat: found 'x'", "'rotate', 'random', 'team' or 'all' or an integer"]),
        ("seat=2", ["seat: found 2", "0 … 1"]),
        ("seed=-1", ["seed: found -1", "greater than or equal to 0"]),
        ("total_steps=1e3", ["total_steps: found 1000.0", "an integer"]),
        ("total_steps=true", ["total_steps: found True", "an integer"]),
        ("algorithm.gamma=1.5", ["algorithm.gamma: found 1.5", "less than or equal to 1"]),
        ("algorithm.gamma=.nan", ["algorithm.gamma: found nan", "finite number"]),
        ("algorithm.learning_rate=fast", ["found 'fast'", "a number, or the keys initial, final, shape"]),
        ("algorithm.learning_rate=-1", ["algorithm.learning_rate.initial: found -1"]),
        ("algorithm.net_arch=64", ["found 64", "a list of widths, or the keys policy, value"]),
        ("algorithm.net_arch=[64, x]", ["algorithm.net_arch.policy.1: found 'x'", "an integer"]),
        ("algorithm.activation=gelu", ["found 'gelu'", "'tanh', 'relu' or 'elu'"]),
        ("algorithm.batch_size=48", ["found 48", "a divisor of num_envs * algorithm.n_steps = 128"]),
        ("game=tay", ["there is no game 'tay'", "did you mean 'toy'"]),
        ("options.num_players=9", ["options.num_players: found 9", "one of 2, 3, 4"]),
        ("options.num_player=2", ["options.num_player", "did you mean 'num_players'"]),
        ("options.first_seat=3", ["options", "first_seat = 3 needs more"]),
        ("options.components=/no/file.toml", ["options", "cannot read the component file /no/file.toml"]),
        ("options=3", ["options: found 3", "keys with values"]),
        ("opponents.players={heuristc: 1}", ["opponents.players.heuristc", "did you mean 'heuristic'"]),
        ("opponents.players={random: x}", ["opponents.players.random: found 'x'", "a number"]),
        ("opponents={players: {random: 0}, self_play: null}", ["opponents", "a weight above 0"]),
        ("evaluation.opponents=[rndom]", ["evaluation.opponents.0", "did you mean 'random'"]),
        ("evaluation.opponents=[ppo:nothing]", ["evaluation.opponents.0", "no agent 'ppo:nothing'"]),
        ("evaluation.opponents=[]", ["evaluation.opponents: found []", "at least 1 of them"]),
        ("evaluation.opponents=[" + "x" * 300 + "]", ["evaluation.opponents.0", "there is no player"]),
        ("opponents.players={1: 1}", ["opponents.players.1", "found 1; expected a text"]),
        ("options={1: 1}", ["options.1", "found 1; expected a text"]),
        ("algorithm.net_arch=[8192, 8192, 8192]", ["algorithm.net_arch", "weights", "give smaller layers"]),
        ("seed=!!bool x", ["'!!bool x' is not a YAML value"]),
        ("seed=!!int ''", ["is not a YAML value"]),
        ("seed=!!timestamp x", ["is not a YAML value"]),
        ("num_envs=[1", ["'[1' is not a YAML value"]),
        ("opponents.players={random: 1, heuristic: 2, random: 3}", ["is not a YAML value", "random is given twice"]),
        ("opponents={players: {random: 1, random: 1}}", ["players.random is given twice"]),
        ("options={[1]: 2}", ["is not a YAML value", "unhashable"]),
        ("opponents.players={random: 1e308, heuristic: 1e308}", ["opponents", "a finite sum of weights"]),
    ],
)
def test_wrong_overrides(tiny: Path, override: str, parts: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(tiny, [override])
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize("override", ["total_steps", "=5", ""])
def test_overrides_need_key_and_value(tiny: Path, override: str) -> None:
    with pytest.raises(ConfigError, match="expected key=value"):
        load_config(tiny, [override])


@pytest.mark.parametrize(
    ("line", "number", "text"),
    [
        ("colour: red", 2, "colour: unknown key"),
        ("algorithm:\n  gama: 1", 3, "algorithm.gama: unknown key; did you mean 'gamma'"),
        ("options: {num_players: 7}", 2, "options.num_players: found 7"),
        ("evaluation:\n  opponents:\n  - random\n  - nobody", 5, "evaluation.opponents.1"),
        ("game: toy", 2, "game is given twice"),
        ("seed: [", 3, "is not YAML"),
        ("seed: !!python/object:os.system {}", 2, "could not determine a constructor"),
    ],
)
def test_faults_are_told_with_their_line(tmp_path: Path, line: str, number: int, text: str) -> None:
    path = tmp_path / "faulty.yaml"
    path.write_text(f"game: toy\n{line}\n")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert "faulty.yaml" in str(caught.value)
    assert f"line {number}" in str(caught.value)
    assert text in str(caught.value)


def test_missing_game_and_files_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    for content, text in [("seed: 1\n", "game: this key is needed"), ("- 1\n", "expected keys"), ("", "expected keys")]:
        path.write_text(content)
        with pytest.raises(ConfigError, match=text):
            load_config(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="UTF-8"):
        load_config(path)
    with pytest.raises(ConfigError, match="cannot read the configuration"):
        load_config(tmp_path / "nothing.yaml")


@pytest.mark.parametrize(("text", "value"), [("3e-4", 3e-4), ("1.5E+3", 1500.0), ("12", 12), ("1e", "1e"), ("a", "a")])
def test_numbers_of_yaml(text: str, value: object) -> None:
    assert parse_value(text) == value
