from typing import Any
from lusogames_env.engine.kernel.jit import kernel
from lusogames_env.engine.kernel.rng import sample_mask
@kernel
def bot(state, box, mask, kind, rng):
    return sample_mask(rng, mask)
