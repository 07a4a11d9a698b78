from typing import Any
from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import sample_mask
@kernel
def observe(state, box, seat, out):
    out[:] = 0.0
