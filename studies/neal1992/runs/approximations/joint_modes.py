r"""What Laplace's approximation at joint modes loses, as pymc-extras makes it.

Weights and logarithms of precisions are normal around their common mode, with the inverse of the
curvature there as covariance :math:`\Sigma`. For :math:`d` of them the evidence is about

.. math:: \log p(y) \approx \log p(y, \hat\theta) + \tfrac{d}{2} \log 2\pi
          + \tfrac12 \log |\Sigma| + \log (H! \, 2^H),

with all modes that only rename the :math:`H` units or change their signs, and the density of the
logarithms, while the mode is that of precisions on their own scale.
"""

import warnings
from importlib.util import find_spec
from time import process_time
from typing import Any

import numpy as np
import xarray as xr
from pytensor.compile.mode import Mode
from threadpoolctl import threadpool_limits

from .....models import BNN
from ....silence import without_pymcs_words
from ....tables.robot_arm import RobotArm
from ...design.budgets import Budget
from ...design.networks import LARGE, SMALL, data_set, our_network
from ...design.priors import OURS, network_with
from ..predicting import flat, scored_weights
from .evidence_framework import SPREAD, Approximation, copies, groups_of
from .laplacing import fit_modes, scored_as_linear

LINEAR, DRAWN = "joint mode, linear outputs", "joint mode, its draws"
MACKAYS, STILL = "gaussian approximation, its draws", "joint mode, initial point"
METHODS = (LINEAR, DRAWN, MACKAYS, STILL)
DRAWS = 1000
# some hundred products with the curvature, whose graph takes numba two minutes to compile
INTERPRETED = Mode(linker="py", optimizer="fast_run")
Point = dict[str, np.ndarray]


def there() -> bool:
    """Whether pymc-extras is installed, which nothing else needs."""
    return find_spec("pymc_extras") is not None


def approximate_at_joint_modes(number: int, budget: Budget, seed: int) -> xr.Dataset:
    """Fit Laplace's approximation from random starts, and from the initial point of the model.

    Of random starts the one with the highest mode counts. Its outputs are linear in the weights,
    as those of MacKay's approximation, or those of the network with weights drawn from it, as
    ``fit_laplace`` draws them; MacKay's approximation is drawn from so too.

    Returns
    -------
    Dataset
        By ``method``, what :func:`.predicting.scored` says, the ``log_score`` of a test case,
        ``seconds`` of the processor, the largest ``slope`` of the density where the search ended,
        and the largest weight of the ``inputs`` there; ``small_evidence`` for the cases of
        experiment 1 and the network of :func:`.priors.network_with`, on the data sets whose
        evidence is measured.
    """
    arm = data_set(LARGE[1], number)
    with threadpool_limits(1, user_api="blas"):
        model = our_network(arm, LARGE[0])
        begin = process_time()
        found = highest(model, budget.modes, [seed, number, 4])
        seconds = process_time() - begin
        rng = np.random.default_rng([seed, number, 6])
        mackays = max(fit_modes(model, arm, budget.modes, [seed, number]), key=_evidence_of)
        still = highest(model, 0, [seed, number, 4])
        rows = {
            LINEAR: _ends(model, found) | scored_as_linear(normal_of(model, found), arm, rng),
            DRAWN: _ends(model, found) | _scored(model, arm, found),
            MACKAYS: scored_weights(arm, _drawn(mackays, rng)),
            STILL: _ends(model, still) | _scored(model, arm, still),
        }
        rows[LINEAR] |= {"seconds": seconds, "small_evidence": np.nan}
        if number < budget.believed:
            small = network_with(OURS, data_set(SMALL[1], number), SMALL[0])
            fitted = highest(small, 2 * budget.modes, [seed, number, 5])
            rows[LINEAR] |= {"small_evidence": log_evidence(small, fitted)}
    each = [xr.Dataset(row) for row in rows.values()]
    return xr.concat(each, "method", join="outer").assign_coords(method=list(rows))


def highest(model: BNN, starts: int, seed: list[int]) -> xr.DataTree:
    """Fit from so many random starts, and go on from the highest mode by its exact curvature.

    Parameters
    ----------
    model : BNN
        The network.
    starts : int
        Random starts of its weights; with none, it starts where the model does, with default
        settings alone.
    seed : list of int
        For the starts and the draws.
    """
    groups, streams = groups_of(model), np.random.default_rng(seed).spawn(starts + 1)
    if not starts:
        return _fit(model, streams[0])
    begun = [
        {name: SPREAD * rng.standard_normal(shape) for name, shape in groups.items()}
        for rng in streams[1:]
    ]
    found = [_fit(model, rng, initvals=at) for rng, at in zip(streams[1:], begun, strict=True)]
    best = min(found, key=lambda one: np.nan_to_num(_height(one), nan=np.inf))
    return _fit(
        model,
        streams[0],
        optimize_method="trust-ncg",
        use_hessp=True,
        initvals=_as_starts(at_mode(model, best)),
        compile_kwargs={"mode": INTERPRETED},
    )


def _fit(model: BNN, rng: np.random.Generator, **settings: Any) -> xr.DataTree:
    from pymc_extras.inference import fit_laplace

    seed = int(rng.integers(2**31))
    with model, without_pymcs_words(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PyTensor could not link to a BLAS installation")
        return fit_laplace(random_seed=seed, progressbar=False, draws=DRAWS, **settings)


def _height(found: xr.DataTree) -> float:
    """What the search made least: the negative log density."""
    return float(found["optimizer_result"]["fun"].item())


def _evidence_of(one: Approximation) -> float:
    return one.log_evidence


def at_mode(model: BNN, found: xr.DataTree) -> Point:
    """Weights and logarithms of precisions at the mode, by the names of value variables."""
    mean, names = found["fit"]["mean_vector"].to_numpy(), _names(found)
    shapes, variables = groups_of(model), (str(one.name) for one in model.value_vars)
    return {name: mean[names == name].reshape(shapes.get(name, ())) for name in variables}


def _names(found: xr.DataTree) -> np.ndarray:
    return np.array([str(row).split("[")[0] for row in found["fit"]["rows"].to_numpy()])


def _as_starts(point: Point) -> Point:
    """Values of a model's variables, whose precisions are not logarithms."""
    end = "_log__"
    return {
        name.removesuffix(end): np.exp(values) if name.endswith(end) else values
        for name, values in point.items()
    }


def normal_of(model: BNN, found: xr.DataTree) -> Approximation:
    """The normal distribution of the weights, with the noise of the mode."""
    names, point = _names(found), at_mode(model, found)
    groups = groups_of(model)
    rows = np.concatenate([np.flatnonzero(names == name) for name in groups])
    weights = np.concatenate([point[name].ravel() for name in groups])
    covariance = found["fit"]["covariance_matrix"].to_numpy()[np.ix_(rows, rows)]
    noise = float(np.exp(point["noise_precision_log__"]))
    return Approximation(groups, weights, noise=noise, covariance=covariance)


def log_evidence(model: BNN, found: xr.DataTree) -> float:
    """Compute the evidence that an approximation implies; see the module."""
    density = float(model.compile_logp()(at_mode(model, found)))
    covariance = found["fit"]["covariance_matrix"].to_numpy()
    volume = len(covariance) * np.log(2 * np.pi) + np.linalg.slogdet(covariance)[1]
    return density + 0.5 * float(volume) + copies(groups_of(model)["b0"][0])


def _ends(model: BNN, found: xr.DataTree) -> dict[str, float]:
    """Where a search ended."""
    slopes = found["optimizer_result"]["jac"].to_numpy()
    return {
        "slope": float(np.abs(slopes).max()),
        "inputs": float(np.abs(at_mode(model, found)["w0"]).max()),
    }


def _scored(model: BNN, arm: RobotArm, found: xr.DataTree) -> dict[str, float]:
    return {
        **scored_weights(arm, flat(found["posterior"].to_dataset())),
        "log_score": float(model.log_score(found, arm.X_test, arm.y_test)),
    }


def _drawn(normal: Approximation, rng: np.random.Generator) -> Point:
    """Weights drawn from a normal distribution, draws first."""
    root = np.linalg.cholesky(normal.covariance)
    draws = normal.weights + rng.standard_normal((DRAWS, len(root))) @ root.T
    found, start = {}, 0
    for name, shape in normal.shapes.items():
        size = int(np.prod(shape))
        found[name] = draws[:, start : start + size].reshape(DRAWS, *shape)
        start += size
    return found
