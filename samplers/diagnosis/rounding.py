"""Rounded numbers that stay on their side of a limit."""

import numpy as np

MOST_DIGITS = 12  # of numbers that differ by rounding errors, which no text tells apart


def beside(value: float, *limits: float, digits: int = 0, kind: str = "f") -> str:
    """Round a number, with as many more digits as tell it from limits that it does not reach.

    Parameters
    ----------
    value : float
        What was found.
    *limits : float
        What it is compared with.
    digits : int
        How many to give at least.
    kind : {"f", "g", "+f"}
        Digits after the point, or digits in all; a plus shows the sign.

    Returns
    -------
    str

    Examples
    --------
    >>> from pymc_bnn.samplers.diagnosis.rounding import beside
    >>> beside(1.0503, 1.01, digits=3), beside(1.0103, 1.01, digits=3), beside(399.7, 400.0)
    ('1.050', '1.0103', '399.7')
    """
    sign, letter = kind[:-1], kind[-1]
    sides = np.sign(np.subtract(value, limits))
    for count in range(digits, MOST_DIGITS):
        text = f"{value:{sign}.{count}{letter}}"
        if np.array_equal(np.sign(np.subtract(float(text), limits)), sides):
            return text
    return f"{value:{sign}.{digits}{letter}}"
