"""Turns the figures in ``benchmarks/results`` into Markdown: ``python -m benchmarks.report``.

Fills the generated places of `PAGES`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lusogames_env.engine.docs import PROJECT_TABLES, ROOT, fill, table

RESULTS = Path(__file__).resolve().parent / "results"
Rates = dict[tuple[str, str], float]  # (subject, case) -> items per second
FLOOR_SIZE = 1024
OUR_SEARCH = "`ismcts`"


def count(rate: float) -> str:
    """Return a rate to three digits: ``1.23 M``, ``45.6 k``, ``789``."""
    for limit, unit in ((999.5e3, "M"), (999.5, "k")):
        if rate >= limit:
            return f"{rate / (1e6 if unit == 'M' else 1e3):.3g} {unit}"
    return f"{rate:.3g}"


def times(ratio: float) -> str:
    """Return a ratio to two or three digits."""
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.2g}"


def _rates(content: dict[str, Any], kind: str = "rate") -> Rates:
    return {(row["subject"], row["name"]): row[kind] for row in content["results"]}


# ---- throughput ----


def speeds(content: dict[str, Any]) -> str:
    """Return decisions per second by face and game."""
    rates, games = _rates(content), list(content["games"])
    names = list(dict.fromkeys(row["name"] for row in content["results"] if row["subject"] in games))
    faces = [name for name in names if not name.startswith(("floor", "choice", "clone"))]
    return table(("decisions/s", *games), [(name, *(count(rates[game, name]) for game in games)) for name in faces])


def ratios(content: dict[str, Any]) -> str:
    """Return how each game stands to the floor and its faces to each other."""
    rates, wall, games = _rates(content), _rates(content, "wall_rate"), list(content["games"])
    rows = {
        "observation + actions, floats + bytes": lambda g: "{observation} + {actions}".format(**content["games"][g]),
        f"floor {FLOOR_SIZE}, µs": lambda g: f"{1e6 / rates[g, f'floor {FLOOR_SIZE}']:.2f}",
        f"choice {FLOOR_SIZE}, µs": lambda g: f"{1e6 / rates[g, f'choice {FLOOR_SIZE}']:.2f}",
        f"batch {FLOOR_SIZE} without choice, µs": lambda g: f"{1e6 * _step(rates, g):.2f}",
        f"batch {FLOOR_SIZE} without choice / floor": lambda g: times(
            _step(rates, g) * rates[g, f"floor {FLOOR_SIZE}"]
        ),
        f"batch {FLOOR_SIZE}, 2 threads / 1 thread": lambda g: times(
            wall[g, f"batch {FLOOR_SIZE}, 2 threads"] / wall[g, f"batch {FLOOR_SIZE}, 1 thread"]
        ),
        "cost of env / raw_env": lambda g: times(rates[g, "AEC raw_env"] / rates[g, "AEC env"]),
        "cost of env / raw_env, without choice": lambda g: times(_aec(rates, g, "env") / _aec(rates, g, "raw_env")),
        "clone, µs": lambda g: f"{1e6 / rates[g, 'clone']:.2f}",
    }
    return table(("", *games), [(name, *(cell(game) for game in games)) for name, cell in rows.items()])


def _step(rates: Rates, game: str) -> float:
    """Seconds of one batched decision without its random choice."""
    return 1 / rates[game, f"batch {FLOOR_SIZE}, 1 thread"] - 1 / rates[game, f"choice {FLOOR_SIZE}"]


def _aec(rates: Rates, game: str, function: str) -> float:
    """Seconds of one AEC decision without its random choice."""
    return 1 / rates[game, f"AEC {function}"] - 1 / rates[game, "choice in Python"]


def beside(content: dict[str, Any]) -> str:
    """Return the other libraries' speeds and how many times faster two faces of our games are, slowest to fastest."""
    rates, games = _rates(content), list(content["games"])
    peers = [row for row in content["results"] if row["subject"] not in games]
    if not peers:
        return "No other library was measured."
    faces = {"`env` / it": "AEC env", f"`Batch` of {FLOOR_SIZE} / it": f"batch {FLOOR_SIZE}, 1 thread"}
    rows = []
    for row in peers:
        spans = [sorted(rates[game, face] / row["rate"] for game in games) for face in faces.values()]
        cells = [f"{times(span[0])} – {times(span[-1])}" for span in spans]
        rows.append((row["subject"], row["name"], count(row["rate"]), *cells))
    return table(("library and game", "loop", "decisions/s", *faces), rows)


def throughput_page(content: dict[str, Any]) -> str:
    """Return all tables of the throughput benchmark."""
    return "\n\n".join((speeds(content), ratios(content), beside(content)))


def short(content: dict[str, Any]) -> str:
    """Return the project README's speed table: one line per game, and the best-known peer."""
    rates = _rates(content)
    faces = ("AEC env", "Gymnasium env", f"batch {FLOOR_SIZE}, 1 thread")
    rows = [(game, *(count(rates[game, face]) for face in faces)) for game in content["games"]]
    peer = ("PettingZoo connect_four", "AEC env")
    if peer in rates:
        rows.append((f"*{peer[0]}, for comparison*", count(rates[peer]), "", ""))
    return table(("decisions/s", *faces), rows)


# ---- the other benchmarks ----


def cold_start(content: dict[str, Any]) -> str:
    """Return seconds until the first reset, without and with the cache, and of the import."""
    rows = [(row["game"], *(_seconds(row[key]) for key in ("first", "second"))) for row in content["games"]]
    rows.append(("`import lusogames_env` alone", "", _seconds(content["import"])))
    return table(("seconds to the first `env.reset()`: clock (processor)", "without cache", "with cache"), rows)


def _seconds(pair: Iterable[float]) -> str:
    wall, processor = pair
    return f"{wall:.2f} ({processor:.2f})"


def training_speed(content: dict[str, Any]) -> str:
    """Return environment steps per second of the trainer beside its ceiling and the usual recipe."""
    ours = content["results"][0]["rate"]
    rows = [
        (row["subject"], row["name"], count(row["rate"]), f"{ours / row['rate']:.2f}") for row in content["results"]
    ]
    return table(("trainer", "setting", "env steps/s", "ours / it"), rows)


def searches(content: dict[str, Any]) -> str:
    """Return simulations per second of every search, the decisions in them, and how ours stand to the others."""
    games = content["games"]
    decisions = {key: rate * games[key[0]]["plies"] for key, rate in _rates(content).items()}
    ours = sorted(rate for (_, name), rate in decisions.items() if name == OUR_SEARCH)
    head = ("game", "players", "search", "decisions per simulation", "simulations/s", "decisions/s", "ours / it")
    rows = []
    for (game, name), rate in _rates(content).items():
        inside = decisions[game, name]
        span = "" if name == OUR_SEARCH else f"{times(ours[0] / inside)} – {times(ours[-1] / inside)}"
        players, plies = games[game]["players"], games[game]["plies"]
        rows.append((game, players, name, f"{plies:.0f}", count(rate), count(inside), span))
    return table(head, rows)


def search_match(content: dict[str, Any]) -> str:
    """Return the outcome of the match between both searches, their speeds in it, and what they do otherwise."""
    found = content.get("match")
    if not found:
        return "No match was played."
    (us, ours), (them, theirs) = found["players"].items()
    wins, settings = found["wins"], found["settings"]
    lost = {"mean": 1 - wins["mean"], "low": 1 - wins["high"], "high": 1 - wins["low"]}
    head = (f"{found['game']}, {found['games']} games", us, them)
    rows = [
        ("wins", *("{mean:.3f} [{low:.3f}, {high:.3f}]".format(**share) for share in (wins, lost))),
        ("simulations/s", count(ours["rate"]), count(theirs["rate"])),
        ("ours / OpenSpiel's", times(ours["rate"] / theirs["rate"]), ""),
        ("simulations per decision", *2 * (settings["iterations"],)),
        ("weight of exploration", *2 * (settings["explore"],)),
        *((what, *how) for what, how in found["differences"].items()),
    ]
    return table(head, rows)


def search_page(content: dict[str, Any]) -> str:
    """Return all tables of the search benchmark."""
    return f"{searches(content)}\n\n{search_match(content)}"


def circumstances(content: dict[str, Any]) -> str:
    """Say in one line on what a figure was measured."""
    versions = ", ".join(f"{name} {version}" for name, version in content["versions"].items())
    return (
        f"{content['processor']}, {content['cores']} cores, load {content['load']} at the end; "
        f"Python {content['python']}, {versions}."
    )


def results() -> str:
    """Return all published results tables."""
    from lusogames_env.training.published import read_published, results_table
    from lusogames_env.training.results import PUBLISHED, load_table, table_names

    root = ROOT / PUBLISHED
    parts = []
    for name in table_names(root):
        config, found = load_table(root / name), read_published(root / name)
        options = ", ".join(f"`{key}: {value}`" for key, value in config.options.items())
        title = f"## [{name}](../{PUBLISHED.as_posix()}/{name}/README.md)"
        parts += [title, options, results_table(config, found.rows)]
    return "\n\n".join(part for part in parts if part)


# ---- files ----


def _from(name: str, make: Callable[[dict[str, Any]], str]) -> Callable[[], str]:
    return lambda: make(json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8")))


TABLES: dict[str, Callable[[], str]] = {
    "speed": _from("throughput", short),
    "speeds": _from("throughput", speeds),
    "ratios": _from("throughput", ratios),
    "peers": _from("throughput", beside),
    "throughput-machine": _from("throughput", circumstances),
    "cold-start": _from("cold_start", cold_start),
    "training-speed": _from("training_speed", training_speed),
    "training-machine": _from("training_speed", circumstances),
    "searches": _from("search", searches),
    "search-match": _from("search", search_match),
    "search-machine": _from("search", circumstances),
    "results": results,
}


PAGES = (ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "results.md", ROOT / "README.md")


def main(paths: Iterable[Path] = PAGES) -> None:
    """Rewrite the pages that show figures."""
    for path in paths:
        old = path.read_text(encoding="utf-8")
        new = fill(old, {**PROJECT_TABLES, **TABLES}, path.name)
        if new != old:
            path.write_text(new, encoding="utf-8")
            print(f"rewrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
