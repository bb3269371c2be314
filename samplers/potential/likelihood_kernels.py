"""What the passes through a network need to know of its likelihood: they ask its kernel."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numpy as np

from ...models.likelihoods import Likelihood
from ...models.likelihoods.kernels.kernel import Kernel
from ...models.simd.kernels import jit
from ...models.simd.lane_memory import load, number, put, total, width, zeros
from ...models.simd.lanes import first_lanes


def has_kernel(likelihood: type[Likelihood]) -> bool:
    """Whether a kernel has the energy of each case, which do not depend on each other."""
    return likelihood.own_kernel() is not None and likelihood.independent


def integrates(likelihood: type[Likelihood]) -> bool:
    """Whether a kernel has the energy of all cases together, of noise that is integrated out."""
    kernel = likelihood.own_kernel()
    return kernel is not None and kernel.integrated


def kernel_of(likelihood: type[Likelihood]) -> Kernel:
    """Kernel of a likelihood that has one."""
    kernel = likelihood.own_kernel()
    assert kernel is not None
    return kernel


def settings_of(likelihood: Likelihood) -> tuple[float, float]:
    """Two numbers of a likelihood that its kernel reads; zeros if it needs none."""
    first, second = kernel_of(type(likelihood)).settings(likelihood)
    return float(first), float(second)


def targets_of(likelihood: Likelihood, y: np.ndarray) -> np.ndarray:
    """Targets as a kernel reads them.

    Parameters
    ----------
    likelihood : Likelihood
        Their likelihood.
    y : ndarray, shape (cases,) or (cases, outputs)
        Encoded targets.

    Returns
    -------
    ndarray, shape (cases, rows)
        With what the kernel needs to know of them besides.
    """
    return kernel_of(type(likelihood)).rows(np.asarray(y).reshape(len(y), -1))


@jit
def squared_errors(plan, at, y_at, n):
    """Add the squared errors of each output to ``plan.precision``; there is no energy."""
    f, y, outputs, block = plan.units, plan.y, plan.outputs, plan.block
    for k in range(outputs):
        summed = zeros(f)
        for c in range(0, block, width(f)):
            error = load(f, at + k * block + c) - load(y, y_at + k * block + c)
            summed += first_lanes(error * error, n - c, 0.0)
        put(plan.precision, k, number(plan.precision, k) + total(summed))
    return 0.0
