"""Priors of the weights that are compared, with the likelihood of the report."""

from collections.abc import Callable

from ....models import ARD, BNN, Gaussian, GaussianNoise, NormalInverseGamma, Prior, StudentT
from ...tables.robot_arm import RobotArm

EACH_UNIT, HEAVY = "normal, scale of each unit", "t of 4 degrees, scale learnt"
PRIORS: dict[str, Callable[[], Prior]] = {
    "normal": Gaussian,
    "normal, scale learnt": NormalInverseGamma,
    EACH_UNIT: ARD,
    HEAVY: StudentT,
}
LOGISTIC, OURS = "logistic", "normal, scale learnt"
ANNEALED = "logistic, annealed runs"  # the same by the report's sampler, which lags
BRIDGED = (EACH_UNIT, HEAVY, LOGISTIC)  # near enough to ours to be weighed by its posterior


def network_with(name: str, arm: RobotArm, hidden: int) -> BNN:
    """Declare a network with one of the priors for all of its groups.

    Its noise has the report's prior (Eq. 32), so that evidence is comparable to that of
    :func:`.networks.logistic_network`, where it is integrated out.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1992.design.networks import data_set
    >>> from pymc_bnn.studies.neal1992.design.priors import network_with
    >>> len(network_with("normal", data_set(100, 0), 8).free_RVs)
    5
    """
    noise = GaussianNoise(sd=1.0, alpha=0.1)
    return BNN(arm.X, arm.y, (hidden,), prior=PRIORS[name](), likelihood=noise)
