"""What a user may choose: names, with one-line errors for others, and numbers."""

from collections.abc import Iterable
from difflib import get_close_matches
from math import inf, isfinite
from numbers import Real
from typing import Any

import numpy as np


def choose(argument: str, name: object, valid: Iterable[str]) -> str:
    """Return ``name`` if it is valid, else say the nearest valid name.

    Parameters
    ----------
    argument : str
        What the name was given for, as the user knows it.
    name : object
        What was given.
    valid : iterable of str
        The valid names.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If ``name`` is not one of ``valid``.

    Examples
    --------
    >>> from pymc_bnn.models.data.choices import choose
    >>> choose("activation", "tanh", ["tanh", "relu"])
    'tanh'
    >>> choose("activation", "thanh", ["tanh", "relu"])
    Traceback (most recent call last):
    ...
    ValueError: unknown activation 'thanh'; did you mean 'tanh'? Valid: tanh, relu.
    """
    names = list(valid)
    if isinstance(name, str) and name in names:
        return name
    near = get_close_matches(str(name), names, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    raise ValueError(f"unknown {argument} {name!r}{hint} Valid: {', '.join(names)}.")


def is_between(value: Any, low: float, high: float) -> bool:
    """Whether something is a finite number from ``low`` to ``high``."""
    return isinstance(value, Real) and isfinite(value) and low <= float(value) <= high


def is_whole(value: Any, least: int) -> bool:
    """Whether something is a whole number of at least ``least``, of any type of number."""
    return isinstance(value, Real) and float(value).is_integer() and float(value) >= least


def check_counts(**counts: Any) -> None:
    """Refuse counts that are no positive whole numbers.

    Examples
    --------
    >>> from pymc_bnn.models.data.choices import check_counts
    >>> check_counts(thin=2.5)
    Traceback (most recent call last):
    ...
    ValueError: thin=2.5: give a positive whole number.
    """
    for name, value in counts.items():
        if not is_whole(value, 1):
            raise ValueError(f"{name}={value!r}: give a positive whole number.")


def check_positive(**numbers: Any) -> None:
    """Refuse what are no positive numbers.

    Examples
    --------
    >>> from pymc_bnn.models.data.choices import check_positive
    >>> check_positive(step_size=0)
    Traceback (most recent call last):
    ...
    ValueError: step_size=0: give a positive number.
    """
    for name, value in numbers.items():
        if not isinstance(value, Real) or not 0 < float(value) < inf:
            raise ValueError(f"{name}={value!r}: give a positive number.")


def check_flags(**flags: Any) -> None:
    """Refuse what is neither True nor False.

    Examples
    --------
    >>> from pymc_bnn.models.data.choices import check_flags
    >>> check_flags(interweave="no")
    Traceback (most recent call last):
    ...
    ValueError: interweave='no': give True or False.
    """
    for name, value in flags.items():
        if not isinstance(value, bool | np.bool):
            raise ValueError(f"{name}={value!r}: give True or False.")
