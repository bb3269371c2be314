r"""The evidence of priors by that of another one, through draws of both posteriors.

Networks that differ by the prior of their weights alone have

.. math:: \frac{Z_k}{Z_0} = \mathrm{E}_0 \left[ \frac{p_k(w)}{p_0(w)} \right],

with draws of the posterior under prior 0, and the inverse with those under :math:`k`; Bennett's
(1976) estimate takes both. Where the priors say about the same of weights that fit, it takes no
ladder from the posterior to the prior, whose logarithms are over a hundred nats apart.
"""

from typing import Any

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from ....samplers import sample
from ....samplers.marginal_likelihood.evidence import Evidence, estimate
from ...tables.robot_arm import RobotArm
from ..design.budgets import Budget
from ..design.networks import SMALL, centred_logistic_network, data_set
from ..design.priors import BRIDGED, LOGISTIC, OURS, network_with
from .marginal_priors import GROUPS, log_density
from .prior_evidence import QUIET

CHAINS = 4
LENGTH = 2, 2  # draws and warm-up of each chain, for a draw of a ladder
POWERS = np.array([0.0, 1.0])


def bridge_priors(number: int, budget: Budget, seed: int) -> xr.Dataset:
    """Compare the evidence of some priors with that of the recommended one.

    Returns
    -------
    Dataset
        By ``prior`` the ``log_ratio`` of its evidence to the recommended one's, its
        ``standard_error``, how many ``cautions`` its draws give, and ``one_sided``, the ratio by
        draws of the recommended prior's posterior alone.
    """
    arm = data_set(SMALL[1], number)
    rows = []
    with threadpool_limits(1, user_api="blas"):
        ours, *others = (
            _drawn(name, arm, budget, np.random.default_rng([seed, number, 6, k]))
            for k, name in enumerate((OURS, *BRIDGED))
        )
        for name, theirs in zip(BRIDGED, others, strict=True):
            found = ratio(ours, theirs, name)
            alone = ratio(ours, ours, name, "stepping_stone")
            values = {
                "log_ratio": found.log_evidence,
                "standard_error": found.standard_error,
                "cautions": len(found.cautions),
                "one_sided": alone.log_evidence,
            }
            rows.append(xr.Dataset(values))
    return xr.concat(rows, "prior").assign_coords(prior=list(BRIDGED))


def ratio(
    ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray], name: str, method: str = "mbar"
) -> Evidence:
    """Estimate the ratio of evidences from draws of both posteriors, chains and draws first."""
    return estimate(np.stack([_gain(ours, name), _gain(theirs, name)], axis=-1), POWERS, method)


def _gain(drawn: dict[str, np.ndarray], name: str) -> np.ndarray:
    """Log density of draws under a prior less that under the recommended one."""
    shape = drawn["b0"].shape[:2]
    weights = {group: values.reshape(-1, *values.shape[2:]) for group, values in drawn.items()}
    return (log_density(name, weights) - log_density(OURS, weights)).reshape(shape)


def _drawn(
    name: str, arm: RobotArm, budget: Budget, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Weights of the posterior under a prior, chains and draws first."""
    logistic = name == LOGISTIC
    model = (
        centred_logistic_network(arm, SMALL[0]) if logistic else network_with(name, arm, SMALL[0])
    )
    draws, tune = (times * budget.ladder for times in LENGTH)
    idata: Any = sample(model, draws, tune, chains=CHAINS, seed=rng, **QUIET)
    return {group: idata["posterior"][group].to_numpy() for group in GROUPS}
