"""Networks that are fitted on the robot arm: of any width, and with inputs that do not matter."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from threadpoolctl import threadpool_limits

from ....models import ARD, BNN, Gaussian, NormalInverseGamma, Prior
from ....samplers import GibbsHMC
from ....samplers.one_chain import iterate_chain
from ....samplers.starts import dispersed_starts
from ...tables.robot_arm import RobotArm
from ..design.budgets import Budget
from ..design.networks import ALPHA, LARGE, Point, data_set, give_data, noise, outputs

CASES = 100
MIDDLE = 16  # units, where both priors are the same
OUTPUT_SD = 4.0  # standard deviation of outputs by the scaled prior
TRAJECTORIES = {8: 1500, 16: 1500, 64: 800, 256: 180, 1024: 60}  # a third is warm-up
LEAPFROGS = 300
PREDICTING = 60  # draws, at most
SINGLE = 256  # units from which the pass through the network is in single precision
COPY_NOISE = 0.02  # of the copies of inputs (4.3)
RELEVANCE = 600  # trajectories
NOT_RELEVANT = 4  # inputs, after those that matter


def width_keys(budget: Budget) -> Iterator[tuple[str, int, str]]:
    """Priors, widths and names of the results."""
    for width in TRAJECTORIES:
        if width <= budget.widest:
            for prior in ("scaled", "unscaled", "learnt"):
                if (prior, width) != ("unscaled", MIDDLE):
                    yield prior, width, f"width-{prior}-{width}"


def fit_width(prior: str, width: int, budget: Budget, seed: int) -> xr.Dataset:
    """Fit a network of one width to all data sets; see :func:`_fit`."""
    sd = OUTPUT_SD * (MIDDLE if prior == "unscaled" else width) ** -0.5
    priors: dict[str, Prior] = dict.fromkeys(("w0", "b0", "b1"), Gaussian(1.0))
    priors["w1"] = Gaussian(sd)
    if prior == "learnt":
        priors |= dict.fromkeys(("w0", "b0"), NormalInverseGamma(sd=1.0, alpha=ALPHA))
        priors["w1"] = NormalInverseGamma(sd=sd, alpha=ALPHA)
    return _fit(priors, width, TRAJECTORIES[width], 2, budget, seed)


def fit_relevance(prior: str, budget: Budget, seed: int) -> xr.Dataset:
    """Fit a network to six inputs, of which two are copies and two noise; see :func:`_fit`."""
    shared = NormalInverseGamma(sd=1.0, alpha=ALPHA)
    priors: dict[str, Prior] = dict.fromkeys(("b0", "w1"), shared) | {"b1": Gaussian(1.0)}
    priors["w0"] = ARD(sd=1.0, alpha=ALPHA) if prior == "ARD" else shared
    return _fit(priors, LARGE[0], RELEVANCE, 2 + NOT_RELEVANT, budget, seed)


def more_inputs(X: pd.DataFrame, inputs: int, rng: np.random.Generator) -> np.ndarray:
    """Add copies of the angles with a little noise, and noise alone."""
    X, others = X.to_numpy(), rng.standard_normal((len(X), 2))
    if inputs == X.shape[1]:
        return X
    return np.column_stack([X, X + COPY_NOISE * rng.standard_normal(X.shape), others])


def _fit(
    prior: Mapping[str, Prior], width: int, length: int, inputs: int, budget: Budget, seed: int
) -> xr.Dataset:
    """Fit a network to all data sets.

    Returns
    -------
    Dataset
        By ``set``, ``excess`` error on MacKay's scale, ``training`` error, ``halves``, the root
        mean square difference of predictions of both halves of the draws in units of the noise,
        ``acceptance``; and by ``input`` the mean ``size`` of its weights.
    """
    cases = LARGE[1] if inputs > 2 else CASES
    precision = "float32" if width >= SINGLE else "float64"
    tune, draws = (max(4, int(part * budget.share * length)) for part in (1 / 3, 2 / 3))
    arm = data_set(cases, 0)
    X = more_inputs(arm.X, inputs, np.random.default_rng(0))
    rows = []
    with threadpool_limits(1, user_api="blas"):
        model = BNN(X, arm.y, hidden=(width,), prior=prior, likelihood=noise())
        options: dict[str, Any] = {"target_accept": 0.8, "jitter": "uniform"}
        step = GibbsHMC(LEAPFROGS, precision=precision, model=model, **options)
        for number in range(budget.fitted):
            rng = np.random.default_rng([seed, number])
            arm = data_set(cases, number)
            X, new = more_inputs(arm.X, inputs, rng), more_inputs(arm.X_truth, inputs, rng)
            give_data(model, X, arm.y)
            points, acceptance = _sample(step, model, rng, tune, draws)
            predicted, fitted = (np.array([outputs(p, at) for p in points]) for at in (new, X))
            sizes = np.mean([np.sqrt((p["w0"] ** 2).mean(axis=1)) for p in points], axis=0)
            found = measured(predicted, fitted, sizes, arm) | {"acceptance": acceptance}
            rows.append(found)
    return xr.concat([xr.Dataset(row) for row in rows], "set")


def _sample(
    step: GibbsHMC, model: BNN, rng: np.random.Generator, tune: int, draws: int
) -> tuple[list[Point], float]:
    [start], points, accepted = dispersed_starts(model, 1, rng), [], 0.0
    for point, [found], tuning in iterate_chain(step, start, rng, tune=tune, draws=draws):
        if not tuning:
            points.append(point)
            accepted += float(found["acceptance_rate"])
    some = np.unique(np.linspace(0, draws - 1, PREDICTING).astype(int))
    return [points[i] for i in some], accepted / draws


def measured(
    predicted: np.ndarray, fitted: np.ndarray, sizes: np.ndarray, arm: RobotArm
) -> dict[str, Any]:
    """Measure draws of predictions of the truth's inputs and of the training cases.

    Parameters
    ----------
    predicted, fitted : ndarray, shape (draws, cases, outputs)
        Outputs at both.
    sizes : ndarray, shape (inputs,)
        Mean sizes of the weights of each input.
    arm : RobotArm
        The data set.
    """
    half = len(predicted) // 2
    apart = predicted[:half].mean(axis=0) - predicted[half:].mean(axis=0)
    return {
        "excess": arm.excess_error(predicted.mean(axis=0)),
        "training": float(np.mean((fitted.mean(axis=0) - arm.y.to_numpy()) ** 2)),
        "halves": float(np.sqrt(np.mean(apart**2))) / 0.05,
        "size": ("input", sizes),
    }
