"""Halves of draws that are compared: of the chains, in each way or many, and of their time."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import xarray as xr

from ...models.bnn import BNN
from ...models.forward_pass import PosteriorDraws

MOST_SPLITS = 35  # all of eight chains
MOST_WHOLE = 8  # chains that are split in each way
SEED = 0


def halves(chains: int) -> Iterator[tuple[list[int], list[int]]]:
    """Split chains into halves in each way, or more than eight in 35 ways by chance.

    Examples
    --------
    >>> from pymc_bnn.studies.chains.halves import halves
    >>> list(halves(4))
    [([0, 1], [2, 3]), ([0, 2], [1, 3]), ([0, 3], [1, 2])]
    """
    whole = range(chains)
    if chains > MOST_WHOLE:
        found = _some_halves(chains)
    else:
        # of an even number each split comes up twice, the second time turned over
        found = [one for one in combinations(whole, chains // 2) if 0 in one or chains % 2]
    for half in found:
        yield list(half), [i for i in whole if i not in half]


def _some_halves(chains: int) -> list[tuple[int, ...]]:
    """Halves by chance, the same ones each time: the number of all grows without measure."""
    rng, found = np.random.default_rng(SEED), dict[tuple[int, ...], None]()
    while len(found) < MOST_SPLITS:
        order = rng.permutation(chains)
        half, other = np.sort(order[: chains // 2]), np.sort(order[chains // 2 :])
        turned = chains % 2 == 0 and half[0] != 0
        found[tuple((other if turned else half).tolist())] = None
    return list(found)


def half_in_words(drawn: int) -> str:
    """Say which halves of chains were compared: all, or so many that were drawn.

    Examples
    --------
    >>> from pymc_bnn.studies.chains.halves import half_in_words
    >>> half_in_words(0), half_in_words(35)
    ('any half', 'each of 35 halves that were drawn')
    """
    return f"each of {drawn} halves that were drawn" if drawn else "any half"


def pieces_of(model: BNN, idata: xr.DataTree) -> list[PosteriorDraws]:
    """First half of each chain, then second ones; whole chains where they have one draw."""
    sizes = idata["posterior"].sizes
    middle = sizes["draw"] // 2
    times = (slice(0, middle), slice(middle, None)) if middle else (slice(None),)
    return [
        PosteriorDraws(model, idata.isel(chain=slice(i, i + 1), draw=time))
        for time in times
        for i in range(sizes["chain"])
    ]


def splits_of(chains: int, pieces: int) -> list[tuple[list[int], list[int]]]:
    """Pieces of each half: of halves of the chains, and of the two halves of their time."""
    beginnings = range(0, pieces, chains)
    found = [
        ([b + i for b in beginnings for i in one], [b + i for b in beginnings for i in other])
        for one, other in halves(chains)
    ]
    if pieces > chains:
        found.append((list(range(chains)), list(range(chains, pieces))))
    return found
