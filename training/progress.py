"""Progress in the terminal: bars where there is one, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class TerminalReport:
    """Shows a run's progress; use it as a context."""

    def __init__(self, console: Console) -> None:
        self.console = console
        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[text]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        self._progress = Progress(*columns, console=console, disable=not console.is_terminal)
        self._task = self._progress.add_task("training", total=None, text="")
        self._step, self._total = 0, 0

    def __enter__(self) -> TerminalReport:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.stop()

    def step(self, step: int, total: int, text: str) -> None:
        """Move the bar."""
        if total != self._total or step < self._step:  # from imitation to reinforcement
            self._progress.reset(self._task, total=total)
        self._step, self._total = step, total
        self._progress.update(self._task, completed=min(step, total), text=text)

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def games_bar(console: Console) -> Iterator[Callable[[int, int], None]]:
    """Show a bar, and give the function that moves it: ``(games played, all games)``."""
    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("games", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class Lines:
    """Prints what a run says, after its name: several of them share a terminal, each from its own process."""

    def __init__(self, name: str, quiet: bool) -> None:
        self.name, self.quiet = name, quiet

    def step(self, step: int, total: int, text: str) -> None:
        """Do nothing."""

    def say(self, text: str) -> None:
        """Print a line."""
        if not self.quiet:
            print(f"{self.name}: {text}", flush=True)


class TableReport:
    """Shows how a results table is measured: a bar per training run, one for the games."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def training(self) -> TerminalReport:
        """Return what one training run tells."""
        return TerminalReport(self.console)

    def beside_others(self, run: Path) -> Lines:
        """Return what one of several training runs tells from its own process."""
        return Lines(run.name, self.console.quiet)

    def games(self) -> AbstractContextManager[Callable[[int, int], None]]:
        """Return what the games tell."""
        return games_bar(self.console)

    def say(self, text: str) -> None:
        """Print a line."""
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)
