"""PettingZoo environments of anno_domini, version 0 of its rules."""

from __future__ import annotations

from functools import partial

from lusogames_env.engine.modules import make_aec, make_parallel

env = raw_env = partial(make_aec, "anno_domini")  # order, bounds and legality are checked inside
parallel_env = partial(make_parallel, "anno_domini")
