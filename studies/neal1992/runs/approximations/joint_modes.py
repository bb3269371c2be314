r"""What Laplace's approximation at joint modes loses, as pymc-extras makes it.

Weights and logarithms of precisions are normal around their common mode, with the inverse of the
curvature there as covariance :math:`\Sigma`. For :math:`d` of them the evidence is about

.. math:: \log p(y) \approx \log p(y, \hat\theta) + \tfrac{d}{2} \log 2\pi
          + \tfrac12 \log |\Sigma| + \log (H! \, 2^H),

with all modes that only rename the :math:`H` units or change their signs, and the density of the
logarithms, while the mode is that of precisions on their own scale.
"""

from importlib.util import find_spec
from time import process_time

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from .....models import BNN
from ....silence import without_pymcs_words
from ....tables.robot_arm import RobotArm
from ...design.budgets import Budget
from ...design.networks import LARGE, SMALL, data_set, our_network
from ...design.priors import OURS, network_with
from ..predicting import flat, scored_weights
from .evidence_framework import SPREAD, copies, groups_of

METHODS = ("joint mode", "joint mode, first point")
DRAWS = 1000


def there() -> bool:
    """Whether pymc-extras is installed, which nothing else needs."""
    return find_spec("pymc_extras") is not None


def approximate_at_joint_modes(number: int, budget: Budget, seed: int) -> xr.Dataset:
    """Fit Laplace's approximation from random starts, and from the initial point of the model.

    Of random starts the one with the highest mode counts.

    Returns
    -------
    Dataset
        By ``method``, what :func:`.predicting.scored` says of draws, the ``log_score`` of a test
        case, ``mode_excess`` of the mode alone, ``seconds`` of the processor, and whether its
        search has ``converged``; ``small_evidence`` for the cases of experiment 1 and the network
        of :func:`.priors.network_with`, from random starts, on the data sets whose evidence is
        measured.
    """
    arm = data_set(LARGE[1], number)
    with threadpool_limits(1, user_api="blas"):
        model = our_network(arm, LARGE[0])
        rows = []
        for starts in (budget.modes, 0):
            begin = process_time()
            found = highest(model, starts, [seed, number, 4])
            own = {"seconds": process_time() - begin, "small_evidence": np.nan}
            rows.append(xr.Dataset(own | _scored(model, arm, found)))
        if number < budget.believed:
            small = network_with(OURS, data_set(SMALL[1], number), SMALL[0])
            rows[0]["small_evidence"] = log_evidence(
                small, highest(small, budget.modes, [seed, number, 5])
            )
    return xr.concat(rows, "method").assign_coords(method=list(METHODS))


def highest(model: BNN, starts: int, seed: list[int]) -> xr.DataTree:
    """Fit from so many random starts, with default settings, and keep the highest mode.

    Parameters
    ----------
    model : BNN
        The network.
    starts : int
        Random starts of its weights; with none, it starts where the model does.
    seed : list of int
        For the starts and the draws.
    """
    from pymc_extras.inference import fit_laplace

    groups, found = groups_of(model), []
    for rng in np.random.default_rng(seed).spawn(max(starts, 1)):
        begin = {name: SPREAD * rng.standard_normal(shape) for name, shape in groups.items()}
        with model, without_pymcs_words():
            found.append(
                fit_laplace(
                    initvals=begin if starts else None,
                    random_seed=int(rng.integers(2**31)),
                    progressbar=False,
                    draws=DRAWS,
                )
            )
    return min(found, key=lambda one: one["optimizer_result"]["fun"].item())


def at_mode(model: BNN, found: xr.DataTree) -> dict[str, np.ndarray]:
    """Weights and logarithms of precisions at the mode, by the names of value variables."""
    mean = found["fit"]["mean_vector"].to_numpy()
    names = np.array([str(row).split("[")[0] for row in found["fit"]["rows"].to_numpy()])
    shapes, variables = groups_of(model), (str(one.name) for one in model.value_vars)
    return {name: mean[names == name].reshape(shapes.get(name, ())) for name in variables}


def log_evidence(model: BNN, found: xr.DataTree) -> float:
    """Compute the evidence that an approximation implies; see the module."""
    density = float(model.compile_logp()(at_mode(model, found)))
    covariance = found["fit"]["covariance_matrix"].to_numpy()
    volume = len(covariance) * np.log(2 * np.pi) + np.linalg.slogdet(covariance)[1]
    return density + 0.5 * float(volume) + copies(groups_of(model)["b0"][0])


def _scored(model: BNN, arm: RobotArm, found: xr.DataTree) -> dict[str, float]:
    mode = {name: values[None] for name, values in at_mode(model, found).items()}
    return {
        **scored_weights(arm, flat(found["posterior"].to_dataset())),
        "log_score": float(model.log_score(found, arm.X_test, arm.y_test)),
        "mode_excess": scored_weights(arm, mode)["excess"],
        "converged": float(found["optimizer_result"]["success"].item()),
    }
