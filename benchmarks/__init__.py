"""Benchmarks, each run as ``python -m benchmarks.NAME``; ``docs/benchmarks.md`` holds the figures."""

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # as the command line does: every learner in one thread
