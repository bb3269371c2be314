"""Halves of draws that are compared: of the chains, in each way, and of their time."""

from collections.abc import Iterator
from itertools import combinations, islice

import xarray as xr

from ...models.bnn import BNN
from ...models.forward_pass import PosteriorDraws

MOST_SPLITS = 35  # all of eight chains


def halves(chains: int) -> Iterator[tuple[list[int], list[int]]]:
    """Split chains into halves in each way, or of very many in some at even distances.

    Examples
    --------
    >>> from pymc_bnn.studies.chains.halves import halves
    >>> list(halves(4))
    [([0, 1], [2, 3]), ([0, 2], [1, 3]), ([0, 3], [1, 2])]
    """
    whole = range(chains)
    # of an even number each split comes up twice, the second time turned over
    found = [one for one in combinations(whole, chains // 2) if 0 in one or chains % 2]
    step = max(1, len(found) // MOST_SPLITS)
    for half in islice(found[::step], MOST_SPLITS):
        yield list(half), [i for i in whole if i not in half]


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
