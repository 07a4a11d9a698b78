"""Results tables: what is measured, published and compared; quick runs; stops; the tables of the repository."""

from __future__ import annotations

import gzip
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from lusogames_env.engine.errors import LusogamesError
from lusogames_env.games import game_names, get_game
from lusogames_env.training import published, results, runs, units
from lusogames_env.training.agents import read_agent_info, save_agent, shipped_agents
from lusogames_env.training.checkpoints import load_checkpoint
from lusogames_env.training.config import load_config
from lusogames_env.training.errors import ConfigError, ResultsError, TournamentError
from lusogames_env.training.evaluate import wilson
from lusogames_env.training.metrics import read_metrics
from lusogames_env.training.progress import TableReport
from lusogames_env.training.published import AGREES, DIFFERS, SAME, compare, publish, read_published
from lusogames_env.training.results import MEAN, Measured, bootstrap, load_table, measure, table_names
from lusogames_env.training.runs import go_on
from lusogames_env.training.train import Silence, resume
from tests.tools import ROOT
from tests.training.conftest import TINY, Command, environment, toy_among_the_games

TABLES = ROOT / results.PUBLISHED
TEXT = """\
game: toy
options: {num_players: 2}
players: [random, heuristic, "flat_mc:iterations=10"]
against: [random, heuristic]
trained: {config: CONFIG, seeds: [0, 1], agent: AGENT}
games: 40
games_per_unit: 10
"""
SHORT = TINY.replace("total_steps: 1024", "total_steps: 256").replace("final_games: 40", "final_games: 4")


def run(folder: Path, output: Path, quick: bool = False, processes: int = 1) -> Measured:
    measured = measure(folder, output, TableReport(Console(quiet=True)), quick, processes)
    assert measured is not None
    return measured


def verdicts(folder: Path, measured: Measured) -> list[str]:
    return [one.verdict for one in compare(folder, measured)]


def rewrite(folder: Path, change: Any) -> None:
    """Change the published rows."""
    path = folder / published.RESULTS
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a published table and the output it was measured in."""
    root = tmp_path_factory.mktemp("results")
    with toy_among_the_games():
        (root / "short.yaml").write_text(SHORT)
        folder = root / "table"
        folder.mkdir()
        text = TEXT.replace("CONFIG", str(root / "short.yaml")).replace("AGENT", str(root / "agent"))
        (folder / results.TABLE).write_text(text)
        measured = run(folder, root / "output")
        publish(folder, root / "output", measured)
    return root


@pytest.fixture
def root(finished: Path, tmp_path: Path) -> Path:
    """A copy to spoil; the paths in `table.yaml` still lead to the original."""
    copy = tmp_path / "copy"
    shutil.copytree(finished, copy)
    return copy


def test_what_is_published(finished: Path) -> None:
    folder, table = finished / "table", read_published(finished / "table")
    names = ["random", "heuristic", "flat_mc:iterations=10", "ppo, seed 0", "ppo, seed 1", MEAN]
    assert [row.player for row in table.rows if row.against == "heuristic"] == [n for n in names if n != "heuristic"]
    mean = next(row for row in table.rows if (row.player, row.against) == (MEAN, "random"))
    seeds = [row for row in table.rows if row.player.startswith("ppo, ") and row.against == "random"]
    assert mean.games == 80 == sum(row.games for row in seeds)
    assert mean.wins.mean == pytest.approx(np.mean([row.wins.mean for row in seeds]))
    assert all(row.seconds > 0 for row in table.rows)
    assert [agent["seed"] for agent in table.about["agents"]] == [0, 1]
    assert all(agent["steps"] >= 256 and agent["seconds"] > 0 for agent in table.about["agents"])
    assert {"python", "torch", "numpy"} <= set(table.about["versions"])
    assert sum(len(one.seated) for one in table.played.values()) == 8 * 40
    curves = (folder / published.CURVES).read_text().splitlines()
    assert curves[0].startswith("seed,step,seconds,wins_vs_random") and {line[0] for line in curves[1:]} == {"0", "1"}
    assert (folder / published.PICTURE).read_bytes().startswith(b"\x89PNG")
    assert "seed: 0" in (folder / published.SETTINGS).read_text()
    page = (folder / published.PAGE).read_text()
    assert (
        "| `ppo, seed 1` |" in page
        and str(mean.wins) in page
        and str(finished) not in page.replace(str(finished / "short.yaml"), "").replace(str(finished / "agent"), "")
    )


def test_the_same_again_is_the_same_with_two_processes(finished: Path, command: Command) -> None:
    again = command("reproduce", finished / "table", "--processes", 2, "--output", "again")
    assert again.returncode == 0, again.stderr
    assert again.stdout.count(SAME) == 10
    for seed in (0, 1):
        assert f"training again/runs/seed-{seed}" in again.stdout
        assert f"seed-{seed}: step 256: wins" in again.stdout


def test_trainings_side_by_side_stop_together_and_go_on(finished: Path, root: Path, tmp_path: Path) -> None:
    """Ctrl-C here reaches the parent alone, as from a supervisor: it stops the trainings, which write checkpoints."""
    table = root / "table" / results.TABLE
    long = root / "long.yaml"
    long.write_text(
        TINY.replace("total_steps: 1024", "total_steps: 1_000_000").replace("interval: 128", "interval: 1000000")
    )
    table.write_text(table.read_text().replace(str(finished / "short.yaml"), str(long)))
    line = [sys.executable, "-m", "tests.training.toy_cli", "reproduce", str(root / "table"), "--processes", "2"]
    process = subprocess.Popen(
        [*line, "--output", "out"], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    begun = set()
    for text in process.stdout:  # until both runs are on their way
        if ": step " in text and ": step 0:" not in text:
            begun.add(text.partition(":")[0])
        if len(begun) == 2:
            break
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=120)
    assert process.returncode == 130 and "stopped; the same command goes on" in rest
    for seed in (0, 1):
        run_ = results.run_folder(tmp_path / "out", seed)
        step = load_checkpoint(run_).values["step"]
        assert step == read_metrics(run_)[-1]["step"] > 0
        assert resume(run_, (f"total_steps={step + 1}",)).complete


def test_quick_plays_a_part_with_the_agent_of_the_package(finished: Path, tmp_path: Path) -> None:
    quick = run(finished / "table", tmp_path / "quick", quick=True)
    assert [row.games for row in quick.rows] == [10] * 6
    assert {row.player for row in quick.rows} == {"random", "heuristic", "flat_mc:iterations=10", "ppo, seed 0"}
    assert verdicts(finished / "table", quick) == [SAME] * 6
    assert not (tmp_path / "quick" / "runs").exists()


def test_other_games_agree_if_the_intervals_meet(root: Path) -> None:
    measured = run(root / "table", root / "output")

    def spoil(wins: dict[str, float]) -> None:
        wins.update(mean=0.999, low=0.99, high=1.0)

    def other_games(content: dict[str, Any]) -> None:
        spoil(content["rows"][0]["wins"])

    rewrite(root / "table", other_games)
    assert verdicts(root / "table", measured)[0] == SAME  # the games are what counts
    unit = min(measured.played)
    one = measured.played[unit]
    flipped = units.Played(unit, one.seated, [row[::-1] for row in one.wins], one.scores, one.seconds)
    changed = Measured(measured.rows, {**measured.played, unit: flipped}, measured.about)
    assert verdicts(root / "table", changed) == [DIFFERS, *[SAME] * 9]
    assert verdicts(root / "table", Measured(measured.rows[1:], changed.played, {})) == [SAME] * 9


def test_a_single_yardstick_has_no_row_of_its_own(tmp_path: Path) -> None:
    text = "game: toy\noptions: {num_players: 3}\nplayers: [random, heuristic]\nagainst: [heuristic]\ngames: 6\n"
    (tmp_path / results.TABLE).write_text(text)
    measured = run(tmp_path, tmp_path / "output")
    assert [(row.player, row.against, row.games) for row in measured.rows] == [("random", "heuristic", 6)]
    publish(tmp_path, tmp_path / "output", measured)
    page = (tmp_path / published.PAGE).read_text()
    assert "par is 0.333" in page and "| `random` |" in page and "| `heuristic` |" not in page


def test_another_agent_makes_other_games_of_its_rows_only(root: Path, finished: Path) -> None:
    from tests.training.test_agents import make_network
    from tests.training.test_train import GAME

    text = (root / "table" / results.TABLE).read_text()
    (root / "table" / results.TABLE).write_text(text.replace(str(finished), str(root)))
    save_agent(root / "agent", make_network(seed=5), GAME, {"num_players": 2}, {})
    found = verdicts(root / "table", run(root / "table", root / "quick", quick=True))
    assert found[:4] == [SAME] * 4 and set(found[4:]) <= {AGREES, DIFFERS}


def test_intervals() -> None:
    rng = np.random.default_rng(0)
    alike = [rng.binomial(1, 0.6, 400).astype(float) for _ in range(3)]
    unlike = [rng.binomial(1, rate, 400).astype(float) for rate in (0.3, 0.6, 0.9)]
    narrow, wide = bootstrap(alike), bootstrap(unlike)
    pooled = wilson(float(np.mean(alike)), 1200)
    assert narrow.mean == pytest.approx(pooled.mean)
    assert 0.9 < (narrow.high - narrow.low) / (pooled.high - pooled.low) < 2.0
    assert wide.high - wide.low > 4 * (narrow.high - narrow.low)
    assert bootstrap([np.ones(10)]) == bootstrap([np.ones(10)], seed=1)
    assert bootstrap(alike) == narrow


def test_a_stopped_measurement_goes_on(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output, played = tmp_path / "output", []
    real = units.play_unit

    def until_the_fifth(*args: Any) -> Any:
        if len(played) == 5:
            raise KeyboardInterrupt
        played.append(args)
        return real(*args)

    monkeypatch.setattr(units, "play_unit", until_the_fifth)
    with pytest.raises(KeyboardInterrupt):
        run(finished / "table", output)
    before = [load_checkpoint(output / "runs" / f"seed-{seed}").arrays for seed in (0, 1)]
    assert len(units.read_played(output)) == 5 and before
    monkeypatch.setattr(units, "play_unit", real)
    monkeypatch.setattr(runs.training, "train", None)  # finished runs are not trained again
    assert set(verdicts(finished / "table", run(finished / "table", output))) == {SAME}


def test_a_run_that_was_killed_before_its_first_checkpoint_begins_anew(finished: Path, tmp_path: Path) -> None:
    run_ = results.run_folder(tmp_path, 0)
    run_.mkdir(parents=True)
    (run_ / "config.yaml").write_text("game: toy\n")
    config = load_config(finished / "short.yaml", [f"run={run_}"])
    for _ in range(2):
        assert go_on(config, Silence()).complete
    assert read_agent_info(run_)["sha256"] == read_agent_info(finished / "agent")["sha256"]


def test_a_folder_that_is_no_run_is_left_alone(finished: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    with pytest.raises(ConfigError, match="is not an empty folder"):
        go_on(load_config(finished / "short.yaml", [f"run={tmp_path}"]), Silence())
    assert (tmp_path / "precious").read_text() == "mine"


def test_any_name_of_an_output_folder_is_taken_as_it_is(finished: Path) -> None:
    config = load_table(finished / "table")
    assert config.trained is not None
    for name in ("precious #2", "a: b", "[x]", "- 'a"):
        found = [run_.run for run_ in results._runs(config, config.trained, Path(name))]
        assert found == [f"{name}/runs/seed-0", f"{name}/runs/seed-1"]


def test_games_of_another_agent_or_training_are_not_taken_for_these(root: Path, finished: Path) -> None:
    from tests.training.test_agents import make_network
    from tests.training.test_train import GAME

    for path in (root / "table" / results.TABLE, root / "output" / results.HEAD):
        path.write_text(path.read_text().replace(str(finished), str(root)))
    run(root / "table", root / "quick", quick=True)
    save_agent(root / "agent", make_network(seed=5), GAME, {"num_players": 2}, {})
    with pytest.raises(TournamentError, match=r"holds other games: agents\."):
        run(root / "table", root / "quick", quick=True)
    assert set(verdicts(root / "table", run(root / "table", root / "output"))) == {SAME}
    (root / "short.yaml").write_text(SHORT.replace("256", "512"))
    with pytest.raises(TournamentError, match=r"training\.total_steps is 256 there, now 512"):
        run(root / "table", root / "output")


def test_agents_of_another_game_are_refused_before_they_are_trained(root: Path, tmp_path: Path) -> None:
    path = root / "table" / results.TABLE
    path.write_text(path.read_text().replace("game: toy\noptions: {num_players: 2}", "game: reis_de_portugal"))
    with pytest.raises(ResultsError, match=r"short\.yaml trains for toy; the table is of reis_de_portugal"):
        run(root / "table", tmp_path / "output")


def test_an_output_folder_holds_one_measurement(finished: Path, tmp_path: Path) -> None:
    run(finished / "table", tmp_path / "quick", quick=True)
    with pytest.raises(TournamentError, match="holds other games: quick is True there, now False"):
        run(finished / "table", tmp_path / "quick")


def test_published_tables_that_cannot_be_compared(root: Path) -> None:
    measured = run(root / "table", root / "output")
    rewrite(root / "table", lambda content: content["rows"].pop(0))
    with pytest.raises(ResultsError, match="no published row of random"):
        compare(root / "table", measured)
    rewrite(root / "table", lambda content: content.update(version=7))
    with pytest.raises(ResultsError, match="published for toy_v7; this is _v0"):
        compare(root / "table", measured)
    whole = json.loads((root / "table" / published.RESULTS).read_bytes())
    for rows in ([3], [{}], None):
        (root / "table" / published.RESULTS).write_text(json.dumps({**whole, "rows": rows}))
        with pytest.raises(ResultsError, match="is damaged"):
            compare(root / "table", measured)
    (root / "table" / published.RESULTS).write_text(json.dumps({**whole, "format_version": 99}))
    with pytest.raises(ResultsError, match="expected format 'lusogames_env results' 1"):
        compare(root / "table", measured)
    for content in (b"{", b"[]"):
        (root / "table" / published.RESULTS).write_bytes(content)
        with pytest.raises(ResultsError, match="is damaged"):
            compare(root / "table", measured)
    (root / "table" / published.RESULTS).unlink()
    with pytest.raises(ResultsError, match=r"has not been published: results\.json is missing"):
        compare(root / "table", measured)


WHOLE = gzip.compress(b"{}\n", mtime=0)


@pytest.mark.parametrize(
    "content", [b"no gzip", WHOLE[:4], WHOLE[:10] + b"\xff" * 20, WHOLE], ids=["no gzip", "cut", "spoilt", "no unit"]
)
def test_damaged_games_are_told(root: Path, content: bytes) -> None:
    (root / "table" / published.GAMES).write_bytes(content)
    with pytest.raises(ResultsError, match="is damaged"):
        read_published(root / "table")


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("against: [random, heuristic]", "against: [random, heuristc]", "line 4: against.1: 'heuristc' is none of"),
        ("against: [random, heuristic]", "", "yardsticks under 'against': one or more of the players"),
        ("players: [random", "players: [randm", "did you mean 'random'"),
        ("seeds: [0, 1]", "seeds: []", "trained.seeds: found []"),
        ("seeds: [0, 1]", "seeds: [1, 1]", "trained.seeds.1: 1 is given twice"),
        ("players: [random", "players: [random, random", "players.1: 'random' is given twice"),
        ("games: 40", "gmes: 40", "gmes: unknown key; did you mean 'games'"),
    ],
)
def test_wrong_tables(tmp_path: Path, old: str, new: str, text: str) -> None:
    (tmp_path / results.TABLE).write_text(TEXT.replace(old, new))
    with pytest.raises(ConfigError) as caught:
        load_table(tmp_path)
    assert text in str(caught.value)


def test_the_whole_table_wins_together_without_yardsticks(tmp_path: Path) -> None:
    text = "game: aljubarrota\noptions: {mode: solitary, num_players: 1}\nplayers: [random, heuristic]\ngames: 20\n"
    (tmp_path / results.TABLE).write_text(text)
    measured = run(tmp_path, tmp_path / "output")
    assert [(row.player, row.against, row.games) for row in measured.rows] == [
        ("random", "", 20),
        ("heuristic", "", 20),
    ]
    assert measured.rows[1].wins.mean > measured.rows[0].wins.mean
    publish(tmp_path, tmp_path / "output", measured)
    assert "games won" in (tmp_path / published.PAGE).read_text()
    assert verdicts(tmp_path, measured) == [SAME, SAME]
    (tmp_path / results.TABLE).write_text(text + "against: [random]\n")
    with pytest.raises(ConfigError, match="none, since all seats win together"):
        load_table(tmp_path)


def test_command(command: Command, finished: Path) -> None:
    done = command("reproduce", finished / "table", "--quick", "--output", "out")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(SAME) == 6
    rewritten = finished.parent / "rewritten"
    shutil.copytree(finished / "table", rewritten)
    measured = read_published(rewritten)
    lines = [units.Played(one.unit, one.seated, one.wins, [[9.0, 9.0]], 0.0) for one in measured.played.values()]
    (rewritten / published.GAMES).write_bytes(gzip.compress(units.to_lines(lines)))

    def low(content: dict[str, Any]) -> None:
        for row in content["rows"]:
            row["wins"] = {"mean": 0.0, "low": 0.0, "high": 0.0001}

    rewrite(rewritten, low)
    differs = command("reproduce", rewritten, "--quick", "--output", "out2")
    assert differs.returncode == 1 and DIFFERS in differs.stdout
    refused = command("reproduce", rewritten, "--quick", "--publish")
    assert refused.returncode == 2 and "--quick measures a part of the table" in refused.stderr
    new = finished.parent / "new"
    new.mkdir()
    shutil.copy(finished / "table" / results.TABLE, new)
    unpublished = command("reproduce", new, "--output", "out3")
    assert unpublished.returncode == 2 and "results.json is missing; --publish writes it" in unpublished.stderr
    nowhere = command("reproduce", "reis_de_portugal")
    assert nowhere.returncode == 2 and "run this in a clone of the repository" in nowhere.stderr


# ---- the tables of the repository ----


def test_an_unknown_table_is_told() -> None:
    with pytest.raises(LusogamesError, match="no table 'reis_de_portugl'; did you mean 'reis_de_portugal'"):
        results.find_table("reis_de_portugl", TABLES)


def test_every_game_has_a_table() -> None:
    assert {load_table(TABLES / name).game for name in table_names(TABLES)} == set(game_names()) - {"toy"}


@pytest.mark.parametrize("name", table_names(TABLES))
def test_published_tables_fit_what_they_were_made_from(name: str) -> None:
    folder = TABLES / name
    config, table = load_table(folder), read_published(folder)
    game = get_game(config.game)
    assert table.about["version"] == game.version
    units_ = results.all_units(config, results.box_of(config))
    assert sorted(table.played) == [unit.number for unit in units_]
    rows = results.rows_of(config, units_, [table.played[unit.number] for unit in units_])
    assert rows == table.rows  # the intervals follow from the games
    assert published.page(name, config, rows, table.about) == (folder / published.PAGE).read_text()
    if config.trained is not None:
        trained = load_config(ROOT / config.trained.config)
        agents = table.about["agents"]
        assert len(config.trained.seeds) >= 3 and [agent["seed"] for agent in agents] == config.trained.seeds
        assert all(agent["steps"] >= trained.total_steps for agent in agents)
        assert read_agent_info(config.trained.agent)["sha256"] == agents[0]["sha256"]
        settings = load_config(folder / published.SETTINGS)  # keys that came later have their defaults
        assert settings.model_dump(exclude={"run", "seed"}) == trained.model_dump(exclude={"run", "seed"})


def test_a_published_table_is_reproduced(tmp_path: Path) -> None:
    folder = TABLES / "d_afonso_henriques"
    found = compare(folder, run(folder, tmp_path / "quick", quick=True))
    assert [one.measured.player for one in found if one.verdict == DIFFERS] == []
    assert next(one for one in found if one.measured.player == "random").same  # no rounding of networks or logarithms


def test_shipped_agents_are_those_of_the_tables() -> None:
    named = [load_table(TABLES / name).trained for name in table_names(TABLES)]
    assert shipped_agents() == sorted(trained.agent for trained in named if trained)
