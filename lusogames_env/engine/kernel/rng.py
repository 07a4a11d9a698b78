"""The only source of chance: the small fast counter generator sfc32, kept inside the state record.

Chris Doty-Humphrey's sfc32 (PractRand, 2010): 96 bits of state and a 32-bit counter. It needs only additions, shifts
and exclusive ors below 2**53, so that compiled and interpreted code agree bit for bit on every platform.
A generator is an ``int64[4]`` array ``(a, b, c, counter)``; each entry is in ``0 … 2**32 - 1``.
"""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.kernel.jit import kernel

MASK = 0xFFFFFFFF
WARM_UP = 15  # outputs thrown away after seeding, as its author advises


@kernel
def seed_rng(rng: Any, seed: int, stream: int) -> None:
    """Start `rng` from a non-negative 63-bit `seed`; different `stream` numbers give unrelated sequences."""
    rng[0] = seed & MASK
    rng[1] = (seed >> 32) & MASK
    rng[2] = stream & MASK
    rng[3] = 1
    for _ in range(WARM_UP):
        random_u32(rng)


@kernel
def random_u32(rng: Any) -> int:
    """Return the next integer, uniform in ``0 … 2**32 - 1``."""
    a, b, c, counter = int(rng[0]), int(rng[1]), int(rng[2]), int(rng[3])
    out = (a + b + counter) & MASK
    rng[3] = (counter + 1) & MASK
    rng[0] = b ^ (b >> 9)
    rng[1] = (c + (c << 3)) & MASK
    rng[2] = ((((c << 21) | (c >> 11)) & MASK) + out) & MASK
    return out


@kernel
def randint(rng: Any, n: int) -> int:
    """Return an integer, exactly uniform in ``0 … n - 1``, for ``1 <= n < 2**31`` (Lemire 2019, with rejection)."""
    product = random_u32(rng) * n
    low = product & MASK
    if low < n:
        threshold = (MASK + 1 - n) % n
        while low < threshold:
            product = random_u32(rng) * n
            low = product & MASK
    return product >> 32


@kernel
def random_float(rng: Any) -> float:
    """Return a float, uniform in [0, 1), with 32 random bits."""
    return random_u32(rng) / 4294967296.0


@kernel
def shuffle(rng: Any, items: Any, n: int) -> None:
    """Put the first `n` entries of the array `items` into a uniformly random order (Fisher and Yates)."""
    for i in range(n - 1, 0, -1):
        j = randint(rng, i + 1)
        kept = items[i]
        items[i] = items[j]
        items[j] = kept


@kernel
def shuffle_afresh(rng: Any, items: Any, n: int) -> None:
    """Shuffle the first `n` entries so that the result depends on what they are, not on the order they were in.

    For determinizations, which must not depend on what they replace.
    """
    for i in range(1, n):
        item = items[i]
        j = i - 1
        while j >= 0 and items[j] > item:
            items[j + 1] = items[j]
            j -= 1
        items[j + 1] = item
    shuffle(rng, items, n)


@kernel
def random_seed(rng: Any) -> int:
    """Return a fresh non-negative 62-bit seed."""
    high = random_u32(rng) >> 2
    return (high << 32) | random_u32(rng)


@kernel
def sample_mask(rng: Any, mask: Any) -> int:
    """Return an index drawn uniformly among the nonzero entries of `mask`, or -1 if there is none."""
    total = 0
    for i in range(mask.shape[0]):
        total += mask[i] != 0
    if total == 0:
        return -1
    left = randint(rng, total)
    for i in range(mask.shape[0]):
        if mask[i] != 0:
            if left == 0:
                return i
            left -= 1
    return -1


@kernel
def first_legal(mask: Any) -> int:
    """Return the first index with a nonzero entry of `mask`, or -1 if there is none."""
    for i in range(mask.shape[0]):
        if mask[i] != 0:
            return i
    return -1
