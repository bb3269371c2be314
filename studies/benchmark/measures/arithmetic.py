"""The least time that a gradient's arithmetic takes on this machine."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numba import njit

from ....models.simd.elementary import tanh
from ....models.simd.lane_memory import load, store, width
from ..timing import seconds_per_call


class Peak(NamedTuple):
    """What one core of this machine can do.

    Attributes
    ----------
    flops : float
        Floating point operations per second in the product of large float64 matrices.
    tanhs : float
        Evaluations of tanh per second, of long vectors.
    """

    flops: float
    tanhs: float


@njit(error_model="numpy", fastmath={"contract"})
def _tanh_of_each(x: np.ndarray, out: np.ndarray) -> None:
    for i in range(0, x.size, width(x)):
        store(out, i, tanh(load(x, i)))


def measure_peak(seconds: float = 0.5, repeats: int = 5) -> Peak:
    """Measure the highest rates of arithmetic and of tanh.

    Parameters
    ----------
    seconds : float
        Time of one measurement.
    repeats : int
        Measurements; the fastest one counts.

    Returns
    -------
    Peak

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.measures.arithmetic import measure_peak
    >>> min(measure_peak(seconds=0.01, repeats=1)) > 0
    True
    """
    matrix, product = np.ones((512, 512)), np.empty((512, 512))
    x, out = np.linspace(-3.0, 3.0, 2048), np.empty(2048)
    once = [seconds_per_call(lambda: np.dot(matrix, matrix, product), seconds)]
    many = [seconds_per_call(lambda: _tanh_of_each(x, out), seconds)]
    for _ in range(repeats - 1):
        once.append(seconds_per_call(lambda: np.dot(matrix, matrix, product), seconds))
        many.append(seconds_per_call(lambda: _tanh_of_each(x, out), seconds))
    return Peak(2 * 512**3 / min(once), x.size / min(many))


def least_seconds(sizes: Sequence[int], cases: int, peak: Peak) -> float:
    r"""Arithmetic limit of a gradient of a network with tanh units.

    .. math:: \frac{2 n \bigl(2 \sum_l s_l s_{l+1} + \sum_{l > 0} s_l s_{l+1}\bigr)}{F}
              + \frac{n \sum_{0 < l < L} s_l}{T}

    for :math:`n` cases and layers of :math:`s_0, \ldots, s_L` units: the forward pass, the
    derivatives by the weights and those by the hidden units, at :math:`F` operations and
    :math:`T` evaluations of tanh per second.

    Parameters
    ----------
    sizes : sequence of int
        Units of each layer, inputs and outputs included.
    cases : int
        Number of cases.
    peak : Peak
        What the machine can do.

    Returns
    -------
    float
        Seconds.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.measures.arithmetic import Peak, least_seconds
    >>> seconds = least_seconds((2, 8, 1), cases=10, peak=Peak(flops=1e9, tanhs=1e9))
    >>> round(1e6 * seconds, 6)  # 1.12 for operations, 0.08 for tanh
    1.2
    """
    products = [a * b for a, b in pairwise(sizes)]
    flops = 2 * cases * (2 * sum(products) + sum(products[1:]))
    return flops / peak.flops + cases * sum(sizes[1:-1]) / peak.tanhs
