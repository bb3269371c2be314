"""Ascents of the evidence lower bound of a normal approximation, until it rises no more."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pymc as pm
import pytensor
from pymc.variational.inference import Inference
from pymc.variational.opvi import Group

from ....silence import without_pymcs_words
from .evidence_framework import Approximation

WINDOW = 2000  # steps, of which the bound is a mean
CLEAR = 2.0  # standard errors by which it has to rise from one window to the next
SAMPLES = 5  # draws of a step
FINAL = 4000  # steps that measure the bound where the ascent ends
SPREAD = 0.3  # of log precisions at the start


class Bound(NamedTuple):
    """Where an ascent ended.

    Attributes
    ----------
    value, error : float
        The bound, by draws of the approximation, and its standard error.
    steps : int
        Of the ascent.
    converged : bool
        Whether it ended because the bound rose no more.
    """

    value: float
    error: float
    steps: int
    converged: bool


def start_at(mean_field: Group, mode: Approximation) -> None:
    """Start a mean field at a Gaussian approximation of weights, and at its precisions.

    Standard deviations are those of each weight given all others, which are those of the nearest
    normal distribution without correlations.
    """
    where = {name: span for name, span, *_ in mean_field.ordering.values()}
    centre, deviations = np.zeros(mean_field.ddim), np.full(mean_field.ddim, SPREAD)
    for name, values in _point(mode).items():
        centre[where[name]] = np.ravel(values)
    alone = replace(mode, weights=np.diag(np.linalg.inv(mode.covariance)) ** -0.5)
    for name, values in alone.groups().items():
        deviations[where[name]] = np.ravel(values)
    mean_field.shared_params["mu"].set_value(centre)
    mean_field.shared_params["rho"].set_value(_positive(deviations))


def go_on(full_rank: Group, mean_field: Group) -> None:
    """Start an approximation of full rank where a mean field has arrived."""
    deviations = np.diag(_positive(mean_field.std.eval()))
    full_rank.shared_params["mu"].set_value(mean_field.mean.eval())
    full_rank.shared_params["L_tril"].set_value(deviations[full_rank.tril_indices])


def _point(mode: Approximation) -> dict[str, np.ndarray]:
    """Weights and log precisions by the names of value variables."""
    precisions = np.append(mode.precisions, mode.noise)
    names = (*mode.shapes, "noise")
    logs = zip(names, np.log(precisions), strict=True)
    return mode.groups() | {f"{name}_precision_log__": value for name, value in logs}


def _positive(deviations: np.ndarray) -> np.ndarray:
    """Parameters of standard deviations, which PyMC maps by softplus."""
    return np.log(np.expm1(deviations))


def ascend(inference: Inference, rates: Sequence[float], most: int) -> Bound:
    """Climb by Adam, at each of some rates until the bound rises no more.

    It rises no more where its mean over a window of steps is not above that of the window before
    by :data:`CLEAR` standard errors of the difference. Steps at a rate of zero measure it then.

    Parameters
    ----------
    inference : Inference
        An approximation that has not been fitted yet; it is then.
    rates : sequence of float
        Learning rates, the largest first.
    most : int
        Steps at each of them, at most.
    """
    rate = pytensor.shared(np.float64(0.0))
    window = min(WINDOW, most)
    with without_pymcs_words():
        inference.fit(
            0, obj_optimizer=pm.adam(learning_rate=rate), obj_n_mc=SAMPLES, progressbar=False
        )
        converged = True
        for size in rates:
            rate.set_value(np.float64(size))
            converged = _settle(inference, window, most)
        steps = len(inference.hist)
        rate.set_value(np.float64(0.0))
        value, error = _mean_bound(inference, FINAL)
    return Bound(value, error, steps, converged)


def _settle(inference: Inference, window: int, most: int) -> bool:
    before = -np.inf, 0.0
    for _ in range(most // window):
        now = _mean_bound(inference, window)
        if now[0] - before[0] < CLEAR * np.hypot(now[1], before[1]):
            return True
        before = now
    return False


def _mean_bound(inference: Inference, steps: int) -> tuple[float, float]:
    """Take some steps; return the mean of the bound on the way, and its standard error."""
    inference.refine(steps, progressbar=False)
    bounds = -inference.hist[-steps:]
    return float(bounds.mean()), float(bounds.std() / np.sqrt(steps))
