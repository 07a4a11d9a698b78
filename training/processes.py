"""Work spread over processes that stop with whoever started them, and lose nothing that they can save."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.synchronize import Event
from typing import Any, TypeVar

from lusogames_env.training.errors import ProcessError

Job = TypeVar("Job")
Result = TypeVar("Result")


def spread(
    work: Callable[[Job], Result],
    jobs: Sequence[Job],
    processes: int,
    prepare: Callable[..., None] | None = None,
    args: tuple[Any, ...] = (),
) -> Iterator[Result]:
    """Yield the result of every job as it comes.

    After an error, Ctrl-C or the caller's loss of interest, jobs that have not begun are dropped; those that have are
    waited for, and hear of it if they ask `stop_asked`.

    Args:
        work: called with one job in one of the processes; a function of a module, as are all that it uses.
        jobs: one or more.
        processes: as many at most.
        prepare: called with `args` in every process first.
        args: for `prepare`.

    Raises:
        ProcessError: a process died.
    """
    context = get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(min(processes, len(jobs)), context, _begin, (stop, prepare, args))
    try:
        with _ctrl_c_waits():
            futures = [pool.submit(_do, work, job) for job in jobs]
            pool.submit(_nothing)  # wakes the pool's watch, which may not know of the last process that began
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool as error:
        raise ProcessError("a process died; run the same command again to go on") from error
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


@contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Hold Ctrl-C back, here and in processes that begin meanwhile, which are not ready for it before `_begin`."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# ---- in a process ----

_stop: Event
_ending = False  # the parent is gone, or has told this process to end
_working = threading.Lock()


def stop_asked() -> bool:
    """Whether the work of this process should come to an end, with what it has saved."""
    return _ending or _stop.is_set()


def _begin(stop: Event, prepare: Callable[..., None] | None, args: tuple[Any, ...]) -> None:
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent's business, or that of the work
    signal.signal(signal.SIGTERM, _terminate)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if prepare is not None:
        prepare(*args)


def _do(work: Callable[[Job], Result], job: Job) -> Result:
    try:
        with _working:
            return work(job)
    finally:
        if _ending:  # also after an error: a pool that ends waits for its processes
            os._exit(1)


def _nothing() -> None:
    pass


def _terminate(number: int, frame: Any) -> None:
    """End now, or when the work at hand is saved: a pool whose process died terminates all others."""
    global _ending
    _ending = True
    if not _working.locked():
        os._exit(1)


def _end_with_parent() -> None:
    """Wait until the parent is gone; a pool's processes would otherwise wait for its next job for ever."""
    global _ending
    parent = parent_process()
    assert parent is not None
    parent.join()
    _ending = True
    with _working:
        os._exit(1)
