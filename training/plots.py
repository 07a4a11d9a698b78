"""Learning curves as PNG."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lusogames_env.training.metrics import read_metrics

CURVE = "curve.png"


def plot_curve(run: Path, title: str, opponents: list[str], par: float) -> Path:
    """Draw win rates by step with their 95 % intervals, and the mean utility in training; return the file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    rows = read_metrics(run)
    figure = Figure(figsize=(8, 6.5), layout="constrained")
    FigureCanvasAgg(figure)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    _draw_wins(above, rows, opponents, par)
    _draw_training(below, rows)
    above.set_title(title)
    below.set_xlim(left=0)
    below.xaxis.set_major_formatter(EngFormatter(sep=""))
    path = run / CURVE
    figure.savefig(path, dpi=120)
    return path


def _draw_wins(axes: Any, rows: list[dict[str, Any]], opponents: list[str], par: float) -> None:
    for name in opponents:
        points = [row for row in rows if f"wins_vs_{name}" in row]
        steps = [row["step"] for row in points]
        line = axes.plot(
            steps, [row[f"wins_vs_{name}"] for row in points], marker="o", markersize=3, label=f"vs {name}"
        )
        low, high = ([row[f"wins_{end}_vs_{name}"] for row in points] for end in ("low", "high"))
        axes.fill_between(steps, low, high, color=line[0].get_color(), alpha=0.2, linewidth=0)
    axes.axhline(par, color="grey", linestyle="--", linewidth=1, label=f"par {par:.2f}")
    axes.set(ylim=(-0.02, 1.02), ylabel="win rate (95 % interval)")
    axes.grid(alpha=0.3)
    axes.legend(loc="best")


def _draw_training(axes: Any, rows: list[dict[str, Any]]) -> None:
    points = [row for row in rows if "utility" in row]
    axes.plot([row["step"] for row in points], [row["utility"] for row in points], color="tab:purple", linewidth=1)
    axes.set(xlabel="learner's decisions", ylabel="mean utility in training")
    axes.grid(alpha=0.3)


def plot_curves(path: Path, title: str, opponents: list[str], curves: Mapping[int, list[dict[str, Any]]]) -> None:
    """Draw the win rates of several runs, by seed, against each opponent of their evaluations."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for number, name in enumerate(opponents):
        for run, points in enumerate(curves.values()):
            steps, wins = ([point[key] for point in points] for key in ("step", f"wins_vs_{name}"))
            label = f"vs {name}" if run == 0 else None
            axes.plot(steps, wins, color=f"C{number}", alpha=0.8, marker="o", markersize=2, linewidth=1, label=label)
    axes.set(title=title, xlabel="learner's decisions", ylabel=f"win rate, seeds {', '.join(map(str, curves))}")
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.grid(alpha=0.3)
    axes.legend(loc="best")
    figure.savefig(path, dpi=100)
