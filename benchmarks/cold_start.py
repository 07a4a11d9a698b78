"""Seconds until the first ``env.reset()`` of every game: without compiled kernels on disk, then in a second process.

    python -m benchmarks.cold_start [--games NAME …] [--json FILE]

Each figure is one fresh process with nothing imported; the cache is a new folder. On a busy machine the processor's
seconds tell more than the clock's.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import save
from benchmarks.report import cold_start
from lusogames_env.games import game_names, get_game

TIMED = """
import time
start = time.perf_counter()
{code}
print(time.perf_counter() - start, time.process_time())
"""
IMPORT = "import lusogames_env"
RESET = "from lusogames_env import {module}; {module}.env().reset(seed=0)"


def seconds(code: str, cache: Path) -> tuple[float, float]:
    """Run `code` in a new process and return the seconds it prints: by the clock and of the processor."""
    environment = {**os.environ, "LUSOGAMES_CACHE_DIR": str(cache), "LUSOGAMES_QUIET": "1"}
    done = subprocess.run(
        [sys.executable, "-c", TIMED.format(code=code)], env=environment, capture_output=True, text=True, check=True
    )
    wall, processor = map(float, done.stdout.split())
    return wall, processor


def main() -> None:
    """Measure, print Markdown and save JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cold_start", description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", default=list(game_names()), help="games to measure (default: all)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        imports = min(seconds(IMPORT, Path(folder)) for _ in range(5))
        for game in map(get_game, args.games):
            code = RESET.format(module=f"{game.name}_v{game.version}")
            first, second = (seconds(code, Path(folder)) for _ in range(2))
            rows.append({"game": game.name, "first": first, "second": second})
    content = {"import": imports, "games": rows}
    if args.json:
        save(args.json, content)
    print(cold_start(content))


if __name__ == "__main__":
    main()
