"""Published results tables: written beside `table.yaml`, read, and compared with what was measured anew.

`results.json` holds the rows with their intervals, seeds, versions and times; `games.jsonl.gz` every game;
`config.yaml` what the agents were trained with; `curves.csv` and `curves.png` how they learned; `README.md` all of it
to read.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lusogames_env.engine.docs import table
from lusogames_env.engine.game import Box
from lusogames_env.training.agents import HEAD, TENSORS, find_agent, shipped_folder
from lusogames_env.training.errors import ResultsError
from lusogames_env.training.evaluate import Estimate, sides_of
from lusogames_env.training.files import to_json, write_file, write_folder
from lusogames_env.training.metrics import read_metrics
from lusogames_env.training.plots import plot_curves
from lusogames_env.training.results import (
    MEAN,
    TABLE,
    Measured,
    Row,
    TableConfig,
    Trained,
    all_units,
    box_of,
    load_table,
    run_folder,
)
from lusogames_env.training.train import CONFIG
from lusogames_env.training.units import parse_lines, to_lines

RESULTS, GAMES, PAGE = "results.json", "games.jsonl.gz", "README.md"
CURVES, PICTURE, SETTINGS = "curves.csv", "curves.png", "config.yaml"
FORMAT, FORMAT_VERSION = "lusogames_env results", 1
SAME, AGREES, DIFFERS = "same games", "agrees", "DIFFERS"
AGENT_FILES = (HEAD, TENSORS)
MEAN_INTERVAL = f" for the games of one player, by bootstrap over agents and games for `{MEAN}`, their mean"
CURVE_PREFIXES = ("wins_vs_", "wins_low_vs_", "wins_high_vs_")


# ---- write ----


def publish(folder: Path, output: Path, measured: Measured) -> None:
    """Write what was measured at full size beside `table.yaml`, and the first agent where it says.

    Args:
        folder: the table's.
        output: where it was measured, with the training runs.
        measured: the result.
    """
    config = load_table(folder)
    content = {"format": FORMAT, "format_version": FORMAT_VERSION, **measured.about}
    content["rows"] = [asdict(row) for row in measured.rows]
    write_file(folder / RESULTS, to_json(content))
    lines = to_lines(measured.played[number] for number in sorted(measured.played))
    write_file(folder / GAMES, gzip.compress(lines, mtime=0))
    if config.trained is not None:
        first = run_folder(output, config.trained.seeds[0])
        settings = (first / CONFIG).read_text(encoding="utf-8").splitlines(keepends=True)
        write_file(folder / SETTINGS, "".join(line for line in settings if not line.startswith("run:")).encode())
        _publish_curves(folder, output, config.trained, f"{config.game}: {Path(config.trained.config).stem}")
        agent, saved = config.trained.agent, find_agent(first)
        place = shipped_folder(agent) if agent.startswith("ppo:") else Path(agent)
        write_folder(place, {name: (saved / name).read_bytes() for name in AGENT_FILES})
    write_file(folder / PAGE, page(folder.name, config, measured.rows, content).encode())


def _publish_curves(folder: Path, output: Path, trained: Trained, title: str) -> None:
    curves = {seed: curve_points(run_folder(output, seed)) for seed in trained.seeds}
    columns = list(dict.fromkeys(key for points in curves.values() for point in points for key in point))
    text = io.StringIO()
    writer = csv.DictWriter(text, ["seed", *columns], lineterminator="\n")
    writer.writeheader()
    writer.writerows({"seed": seed, **point} for seed, points in curves.items() for point in points)
    write_file(folder / CURVES, text.getvalue().encode())
    opponents = [column.removeprefix("wins_vs_") for column in columns if column.startswith("wins_vs_")]
    plot_curves(folder / PICTURE, title, opponents, curves)


def curve_points(run: Path) -> list[dict[str, Any]]:
    """Return step, seconds and win rates with their intervals of every evaluation of a run."""
    points = []
    for row in read_metrics(run):
        evaluated = {key: row[key] for key in row if key.startswith(CURVE_PREFIXES) and key != "wins_vs_snapshots"}
        if any(value is not None for value in evaluated.values()):
            points.append({"step": row["step"], "seconds": row.get("seconds"), **evaluated})
    return points


# ---- read and compare ----


def read_published(folder: Path) -> Measured:
    """Return the published table of a folder.

    Raises:
        ResultsError: it is missing or damaged.
    """
    try:
        content = json.loads((folder / RESULTS).read_bytes())
        if (content.pop("format"), content.pop("format_version")) != (FORMAT, FORMAT_VERSION):
            raise ResultsError(f"{folder / RESULTS}: expected format '{FORMAT}' {FORMAT_VERSION}")
        rows = tuple(Row(**{**row, "wins": Estimate(**row["wins"])}) for row in content.pop("rows"))
        played = parse_lines(gzip.decompress((folder / GAMES).read_bytes()), str(folder / GAMES))
    except FileNotFoundError as error:
        missing = f"{folder} has not been published: {Path(error.filename).name} is missing"
        raise ResultsError(f"{missing}; --publish writes it") from error
    except ResultsError:
        raise
    except (OSError, EOFError, zlib.error, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ResultsError(f"the published table in {folder} is damaged: {error}") from error
    return Measured(rows, played, content)


@dataclass(frozen=True)
class Comparison:
    """A row measured anew beside the published one; `same`: every game ended as the published one did."""

    published: Row
    measured: Row
    same: bool

    @property
    def verdict(self) -> str:
        """`SAME`; `AGREES` if the two 95 % intervals have a part in common; else `DIFFERS`."""
        mine, theirs = self.measured.wins, self.published.wins
        overlap = mine.low <= theirs.high and theirs.low <= mine.high
        return SAME if self.same else AGREES if overlap else DIFFERS


def compare(folder: Path, measured: Measured) -> list[Comparison]:
    """Return every measured row beside the one published in `folder`.

    Raises:
        ResultsError: the published table is missing, damaged, of another version of the game, or lacks a row.
    """
    config, published = load_table(folder), read_published(folder)
    box = box_of(config)
    if published.about.get("version") != box.game.version:
        there = published.about.get("version")
        raise ResultsError(f"{folder} was published for {config.game}_v{there}; this is _v{box.game.version}")
    rows = {(row.player, row.against): row for row in published.rows}
    missing = next((row for row in measured.rows if (row.player, row.against) not in rows), None)
    if missing is not None:
        raise ResultsError(f"{folder} has no published row of {missing.player}: was {TABLE} changed afterwards?")
    unlike = _unlike(config, box, published, measured)
    return [
        Comparison(rows[row.player, row.against], row, (row.player, row.against) not in unlike) for row in measured.rows
    ]


def _unlike(config: TableConfig, box: Box, published: Measured, measured: Measured) -> set[tuple[str, str]]:
    """Return player and yardstick of the rows with a game that ended otherwise."""
    names, found = config.names, set()
    for unit in all_units(config, box):
        one = measured.played.get(unit.number)
        if one is not None and one != published.played.get(unit.number):
            against = names[unit.second] if config.against else ""
            found.add((names[unit.first], against))
            if unit.first >= len(config.players):
                found.add((MEAN, against))
    return found


# ---- show ----


def page(name: str, config: TableConfig, rows: Sequence[Row], about: dict[str, Any]) -> str:
    """Return a published table as a page in Markdown."""
    sides = len(sides_of(box_of(config)))
    options = ", ".join(f"`{key}: {value}`" for key, value in config.options.items()) or "all by default"
    meaning = (
        f"Share of wins against copies of the yardstick, from every seat equally often; par is {1 / sides:.3g}."
        if config.against
        else "Share of games won, all seats played by copies of the player."
    )
    lines = [
        f"# {name}",
        f"`{config.game}_v{about['version']}`, options: {options}. {meaning}",
        f"In brackets 95 % intervals: Wilson's{MEAN_INTERVAL if config.trained else ''}.",
        results_table(config, rows),
        f"`lusogames reproduce {name}` measures it anew; with `--quick`, a part of it.",
    ]
    if config.trained is not None:
        lines += [
            f"Agents: [{config.trained.config}]({SETTINGS}) with other seeds; the first is `{config.trained.agent}`.",
            agents_table(about["agents"]),
            f"![learning curves]({PICTURE})",
        ]
    versions = ", ".join(f"{package} {version}" for package, version in about["versions"].items())
    return "\n\n".join([*lines, f"Versions: {versions}."]) + "\n"


def results_table(config: TableConfig, rows: Sequence[Row]) -> str:
    """Return the rows as Markdown: a line per player, a column per yardstick."""
    cells = {(row.player, row.against): row for row in rows}
    yardsticks = config.against or [""]
    lines = []
    for name in [*config.names, *([MEAN] if config.trained else [])]:
        own = [cells.get((name, yardstick)) for yardstick in yardsticks]
        if not any(own):  # the only yardstick itself
            continue
        games, seconds = (max(getattr(row, what) for row in own if row) for what in ("games", "seconds"))
        lines.append((f"`{name}`", *(str(row.wins) if row else "" for row in own), f"{games:,}", f"{seconds:.2g}"))
    heads = [f"against `{yardstick}`" if yardstick else "games won" for yardstick in yardsticks]
    return table(("player", *heads, "games each", "seconds a game"), lines)


def agents_table(agents: Sequence[dict[str, Any]]) -> str:
    """Return how the agents were trained as Markdown."""
    rows = [(one["seed"], f"{one['steps']:,}", f"{one['episodes']:,}", f"{one['seconds']:.0f}") for one in agents]
    return table(("seed", "decisions", "games", "seconds"), rows)


def rich_table(name: str, found: Sequence[Comparison]) -> Any:
    """Return a `rich.table.Table` of the comparison."""
    from rich import box
    from rich.table import Table

    yardsticks = sorted({one.measured.against for one in found})
    several, against = len(yardsticks) > 1, f" against {yardsticks[0]}" if yardsticks[0] else ""
    title = f"{name}: share of wins{'' if several else against}, 95 % intervals"
    shown = Table(title=title, box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for heading in ("player", "against") if several else ("player",):
        shown.add_column(heading, overflow="fold", min_width=10)
    for heading in ("published", "measured", "games", ""):
        shown.add_column(heading, justify="right" if heading == "games" else "left", no_wrap=True)
    for one in found:
        there, here = one.published, one.measured
        style = "bold red" if one.verdict == DIFFERS else None
        games = f"{here.games:,}" if here.games == there.games else f"{here.games:,} of {there.games:,}"
        named = (here.player, here.against) if several else (here.player,)
        shown.add_row(*named, str(there.wins), str(here.wins), games, one.verdict, style=style)
    return shown
