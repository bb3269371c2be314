"""What compiled code knows of a likelihood: its energy on a block of cases, in SIMD registers.

Its functions read the outputs, (outputs, block) from ``at`` in the units of a plan of the network,
and the targets from ``y_at`` of a block of which the first ``n`` cases count. They return their
energy times the inverse temperature, and replace the outputs by its derivative, zero for the cases
that do not count. At inverse temperature 0, the prior's, they are not called. A plan has pointers
``units``, ``y`` and ``precision``, the numbers ``outputs`` and ``block``, the inverse temperature
``power``, and a likelihood's ``first_setting`` and ``second_setting``.

In single precision probabilities below 1e-20 count as that: carried back through the layers they
would become subnormal numbers, with which a processor computes a hundred times slower, and they
move nothing.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...simd.kernels import jit
from ...simd.lanes import by_precision


class OfChains(NamedTuple):
    """Compiled functions ``(f, at, y, y_at, noise, outputs, cases)`` of eight chains at once.

    Outputs are :mod:`registers <.registers>` of all chains, (outputs, tile) from ``at`` on, with
    the cases of one tile, of which the first ``cases`` count. Both may overwrite the outputs. What
    they compute is of the likelihood to a power, each chain's inverse temperature, which is the
    last vector of ``noise``; the noise's precisions before it are multiplied by that already.
    With power 0 the energy and its derivatives have to be 0 where outputs are finite. Targets are
    as they are encoded, and there are no settings.

    Attributes
    ----------
    energy : callable
        Returns the energy of each chain.
    differentiate : callable
        Turns the outputs into the derivatives of the energy.
    """

    energy: Callable
    differentiate: Callable


class Kernel(NamedTuple):
    """Compiled functions ``(plan, at, y_at, n)``, and what they read besides the outputs.

    Attributes
    ----------
    energy : callable
        The energy; of noise whose precision is a variable without what that does to the constant
        of normal noise.
    with_squares : callable, optional
        Of noise whose precision is a variable: the same, which adds the squared errors of each
        output to numbers behind the precisions, weighted if the noise is not normal.
    settings : callable
        Two numbers of a likelihood that ``energy`` and ``with_squares`` read.
    rows : callable
        Targets as these read them, shape (cases, rows), of encoded ones, shape
        (cases, columns).
    of_chains : OfChains, optional
        The same energy, of eight chains at once; without it chains run one by one.
    integrated : bool
        Whether the precision of normal noise is integrated out: ``energy`` is that at a precision
        of 1, and ``settings`` are the degrees of freedom and the sum of squares of its prior (Neal
        1992, Eq. 32). Samplers make of them the energy of all targets together (Eq. 33).
    """

    energy: Callable
    with_squares: Callable | None = None
    settings: Callable[[Any], tuple[float, float]] = lambda likelihood: (0.0, 0.0)
    rows: Callable[[np.ndarray], np.ndarray] = lambda columns: columns
    of_chains: OfChains | None = None
    integrated: bool = False


@jit
def floor(x):
    """Logarithm of the smallest probability that is told from zero; in double precision, none."""
    return 0.0 - by_precision(x, 800.0, 46.0)
