from typing import Any
from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import sample_mask
@kernel
def redeal(state, box, seat, seed):
    state.rng[0] = seed
