"""Energies of the likelihoods for eight chains at once, and their derivatives.

Outputs lie as (outputs, 4 cases) from ``at`` on, those of one tile; the last tile of the data may
hold fewer cases, the rest counts nothing. Both functions of a likelihood may overwrite the
outputs; the derivative takes their place. See :mod:`..network_potential` for the formulas.

Energies and derivatives are those of the likelihood to a power, each chain's inverse temperature,
which is the last vector of ``noise``; noise precisions are multiplied by it already.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ....models.likelihoods import Bernoulli, Categorical, GaussianNoise, Likelihood
from ....models.simd.elementary import exp, log, logistic, softplus
from ....models.simd.kernels import jit
from ....models.simd.lane_memory import number
from ....models.simd.lanes import larger
from .kernels import TILE
from .registers import load, repeat, store


class OutputEnergy(NamedTuple):
    """Compiled functions ``(f, at, y, y_at, noise, outputs, cases)``.

    Attributes
    ----------
    energy : callable
        Returns the energy of each chain.
    differentiate : callable
        Turns the outputs into the derivatives of the energy.
    """

    energy: Callable
    differentiate: Callable


@jit
def _gaussian_energy(f, at, y, y_at, noise, outputs, cases):
    energy = repeat(0.0)
    for k in range(outputs):
        squares = repeat(0.0)
        for c in range(cases):
            error = load(f, at + k * TILE + c) - number(y, y_at + k * TILE + c)
            squares += error * error
        energy += 0.5 * load(noise, k) * squares
    return energy


@jit
def _gaussian_derivative(f, at, y, y_at, noise, outputs, cases):
    for k in range(outputs):
        precision = load(noise, k)
        for c in range(TILE):
            i = k * TILE + c
            error = load(f, at + i) - number(y, y_at + i)
            store(f, at + i, precision * error if c < cases else repeat(0.0))


@jit
def _bernoulli_energy(f, at, y, y_at, noise, outputs, cases):
    energy = repeat(0.0)
    for c in range(cases):
        energy += softplus((1.0 - 2.0 * number(y, y_at + c)) * load(f, at + c))
    return load(noise, outputs) * energy


@jit
def _bernoulli_derivative(f, at, y, y_at, noise, outputs, cases):
    for c in range(TILE):
        error = logistic(load(f, at + c)) - number(y, y_at + c)
        store(f, at + c, load(noise, outputs) * error if c < cases else repeat(0.0))


@jit
def _exponentials(f, at, outputs):
    """Replace the outputs of a case by exponentials; return their sum and the largest output."""
    largest, total = load(f, at), repeat(0.0)
    for k in range(1, outputs):
        largest = larger(largest, load(f, at + k * TILE))
    for k in range(outputs):
        weight = exp(load(f, at + k * TILE) - largest)
        total += weight
        store(f, at + k * TILE, weight)
    return total, largest


@jit
def _categorical_energy(f, at, y, y_at, noise, outputs, cases):
    energy = repeat(0.0)
    for c in range(cases):
        chosen = load(f, at + int(y[y_at + c]) * TILE + c)
        total, largest = _exponentials(f, at + c, outputs)
        energy += log(total) + (largest - chosen)
    return load(noise, outputs) * energy


@jit
def _categorical_derivative(f, at, y, y_at, noise, outputs, cases):
    for c in range(TILE):
        total, _ = _exponentials(f, at + c, outputs)
        power = load(noise, outputs)
        for k in range(outputs):
            i = at + k * TILE + c
            store(f, i, power * (load(f, i) / total) if c < cases else repeat(0.0))
        if c < cases:
            i = at + int(y[y_at + c]) * TILE + c
            store(f, i, load(f, i) - power)


LIKELIHOODS: dict[type[Likelihood], OutputEnergy] = {
    GaussianNoise: OutputEnergy(_gaussian_energy, _gaussian_derivative),
    Bernoulli: OutputEnergy(_bernoulli_energy, _bernoulli_derivative),
    Categorical: OutputEnergy(_categorical_energy, _categorical_derivative),
}


def tiled(a: np.ndarray) -> np.ndarray:
    """Cut the cases of an array into tiles, and fill up the last one with zeros.

    Parameters
    ----------
    a : ndarray, shape (cases,) or (cases, columns)
        Inputs or targets.

    Returns
    -------
    ndarray
        Flat; its order is (tiles, columns, 4 cases).

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.batch.network.likelihoods import tiled
    >>> tiled(np.arange(1.0, 6.0))
    array([1., 2., 3., 4., 5., 0., 0., 0.])
    """
    cases = len(a)
    a = np.asarray(a, dtype=np.float64).reshape(cases, -1)
    full = np.zeros((-(-cases // TILE) * TILE, a.shape[1]))
    full[:cases] = a
    return full.reshape(-1, TILE, a.shape[1]).transpose(0, 2, 1).ravel()
