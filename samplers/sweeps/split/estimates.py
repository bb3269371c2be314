"""Estimates that stand for the current log precisions in the curvature (Choo 2000, Eq. 4.35)."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ....models.data.choices import choose
from ...potential.layout import Layout
from ...precisions.hierarchy import Hierarchy


def first_estimate(
    hierarchy: Hierarchy, precisions: Layout, given: Mapping[str, Any]
) -> np.ndarray:
    """Log precisions that stand for the current ones until more is learnt.

    Parameters
    ----------
    hierarchy : Hierarchy
        The precisions' priors, whose means are taken.
    precisions : Layout
        Where each is in the vector of all.
    given : mapping of str to number or array
        Precisions that take other numbers, by name.

    Returns
    -------
    ndarray, shape (precisions,)

    Raises
    ------
    ValueError
        If a name is none of a precision, or a number is not positive or of another shape.
    """
    estimate = np.log(hierarchy.shape / hierarchy.rate)
    known = {name.removesuffix("_log__"): name for name in precisions.names}
    for name, value in given.items():
        free = known[choose("precision in step_sizes", name, known)]
        numbers = _checked(name, value, precisions.shapes[free])
        estimate[precisions.slices[free]] = np.log(numbers)
    return estimate


def _checked(name: str, given: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return one number or one of each element of a precision, or say what should be given."""
    size = math.prod(shape)
    try:
        numbers = np.asarray(given)
    except ValueError:  # nested lists of different lengths
        numbers = np.empty(0)
    fits = numbers.shape in {(), (1,), (size,), shape} and numbers.dtype.kind in "iuf"
    if not fits or not np.all((numbers > 0) & np.isfinite(numbers)):
        words, several = " ".join(repr(given).split()), f", or {size} of them" if size > 1 else ""
        raise ValueError(f"step_sizes[{name!r}]={words}: give a positive number{several}.")
    return numbers.ravel()
