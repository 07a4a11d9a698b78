"""Several training runs, one after the other or side by side; those that were stopped go on."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from lusogames_env.training import train as training
from lusogames_env.training.checkpoints import last_checkpoint
from lusogames_env.training.config import Config
from lusogames_env.training.processes import spread, stop_asked


class RunsReport(Protocol):
    """Told about progress; see `progress.TableReport`."""

    def say(self, text: str) -> None:
        """Show a line."""

    def beside_others(self, run: Path) -> training.Report:
        """Return what a run tells from a process of its own; it is pickled on the way there."""

    def training(self) -> AbstractContextManager[training.Report]:
        """Return what a run tells that is alone."""


def complete_runs(configs: Sequence[Config], report: RunsReport, processes: int = 1) -> bool:
    """Train every configuration in the folder of its key ``run``; runs that are complete already are left alone.

    Args:
        configs: the runs, each with its own folder.
        report: told about progress.
        processes: runs side by side.

    Returns:
        Whether all are complete; they are not if the user stopped one.

    Raises:
        ProcessError: a process died.
    """
    missing = [config for config in configs if not (_folder(config) / training.FINAL).is_file()]
    if processes > 1 and len(missing) > 1:
        jobs = [(config, report.beside_others(_folder(config))) for config in missing]
        return all(list(spread(_beside_others, jobs, processes)))
    return all(_alone(config, report) for config in missing)


def _folder(config: Config) -> Path:
    return Path(str(config.run))


def _alone(config: Config, report: RunsReport) -> bool:
    report.say(f"training {config.run}")
    with report.training() as inner:
        return go_on(config, inner).complete


def go_on(config: Config, report: training.Report, stop: Callable[[], bool] = training.never) -> training.Outcome:
    """Train, from the last checkpoint if there is one; see `train.train` for `stop`."""
    run = _folder(config)
    if last_checkpoint(run) is not None:
        return training.resume(run, (), report, stop)
    if (run / training.CONFIG).is_file():  # stopped before its first checkpoint
        shutil.rmtree(run)
    return training.train(config, report=report, stop=stop)


def _beside_others(job: tuple[Config, training.Report]) -> bool:
    config, report = job
    if stop_asked():
        return False
    report.say(f"training {config.run}")
    return go_on(config, report, stop_asked).complete
