"""Work in other processes: results as they come, and an end to all of it when one fails, dies, or is left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lusogames_env.training.errors import ProcessError
from lusogames_env.training.processes import spread, stop_asked
from tests.tools import ROOT

PARENT = """\
import signal
import sys
from pathlib import Path
from lusogames_env.training.processes import spread
from tests.training import test_processes as work

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs start with it ignored
    try:
        print(list(spread(work.until_asked, [Path(arg) for arg in sys.argv[1:]], 2)), flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def double(job: int) -> int:
    return 2 * job


def until_asked(folder: Path) -> str:
    """Tell that it has begun, by its process id; wait until somebody asks it to stop, and save that."""
    (folder / "begun.part").write_text(str(os.getpid()))
    (folder / "begun.part").rename(folder / "begun")
    for _ in range(6000):
        if stop_asked():
            (folder / "saved").write_text("")
            return "stopped"
        time.sleep(0.01)
    return "nobody asked"


def fail_or_wait(folder: Path) -> str:
    if folder.name == "fails":
        raise ValueError("a job that fails")
    return until_asked(folder)


def die_or_wait(folder: Path) -> str:
    if folder.name == "dies":
        wait_for(folder.parent / "waits" / "begun")
        os.kill(os.getpid(), signal.SIGKILL)
    return until_asked(folder)


def wait_for(path: Path, seconds: float = 60.0) -> None:
    for _ in range(int(seconds * 100)):
        if path.exists():
            return
        time.sleep(0.01)
    raise AssertionError(f"{path} did not come")


def folders(root: Path, *names: str) -> list[Path]:
    for name in names:
        (root / name).mkdir()
    return [root / name for name in names]


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_every_result_comes_once() -> None:
    assert sorted(spread(double, range(7), 2)) == [0, 2, 4, 6, 8, 10, 12]


def test_an_error_stops_the_others(tmp_path: Path) -> None:
    jobs = folders(tmp_path, "waits", "fails")
    with pytest.raises(ValueError, match="a job that fails"):
        list(spread(fail_or_wait, jobs, 2))
    assert not (jobs[0] / "begun").exists() or (jobs[0] / "saved").exists()


def test_when_one_dies_the_others_save_what_they_have(tmp_path: Path) -> None:
    jobs = folders(tmp_path, "waits", "dies")
    with pytest.raises(ProcessError, match="a process died; run the same command again"):
        list(spread(die_or_wait, jobs, 2))
    assert (jobs[0] / "saved").exists()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_whatever_ends_the_parent_ends_its_processes(tmp_path: Path, how: signal.Signals) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    jobs = folders(tmp_path, "one", "two")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen([sys.executable, script, *jobs], env=environment, stdout=subprocess.PIPE, text=True)
    for job in jobs:
        wait_for(job / "begun")
    workers = [int((job / "begun").read_text()) for job in jobs]
    parent.send_signal(how)
    out, _ = parent.communicate(timeout=60)
    assert out == ("interrupted\n" if how == signal.SIGINT else "")
    for job, worker in zip(jobs, workers, strict=True):
        wait_for(job / "saved")
        for _ in range(3000):
            if not is_alive(worker):
                break
            time.sleep(0.01)
        assert not is_alive(worker)
