"""The report's networks and their data."""

from functools import cache
from typing import Any

import numpy as np
import pymc as pm

from ....models import BNN, GaussianNoise, Logistic, gaussian, normal_inverse_gamma
from ...tables.robot_arm import RobotArm, robot_arm

SETS = 20  # data sets, in the place of MacKay's own
TESTS = 200
SMALL, LARGE = (8, 100), (19, 200)  # hidden units and training cases of experiments 1 and 2


@cache
def data_set(cases: int, number: int) -> RobotArm:
    """One of the data sets; the first cases of more."""
    return robot_arm(cases, TESTS, seed=number)


def logistic_network(arm: RobotArm, hidden: int) -> BNN:
    r"""Declare the report's network: three scales, reflected coordinates, noise integrated out.

    Scales are those of the weights of the inputs, of the hidden biases, and of all weights of the
    outputs (Eqs. 28-29); :math:`m_0 = s_0 = 0.1` (Eq. 32).

    Examples
    --------
    >>> from pymc_bnn.studies.neal1992.design.networks import data_set, logistic_network
    >>> model = logistic_network(data_set(100, 0), 8)
    >>> sum(variable.eval({}).size for variable in model.free_RVs)
    45
    """
    own = Logistic()
    prior = {"w0": own, "b0": own, "w1": own, "b1": Logistic(scale_of="w1")}
    noise = GaussianNoise(sd=1.0, alpha=0.1, integrate=True)
    model = BNN(arm.X, arm.y, hidden=(hidden,), prior=prior, likelihood=noise)
    return model.reparametrized("noncentered")


def our_network(arm: RobotArm, hidden: int) -> BNN:
    """Declare the network of this package, whose precisions are conjugate."""
    return normal_inverse_gamma(arm.X, arm.y, hidden=(hidden,))


def gaussian_network(arm: RobotArm, hidden: int) -> BNN:
    """Declare a network whose weights have a normal prior of a fixed scale."""
    return gaussian(arm.X, arm.y, hidden=(hidden,))


def centred_logistic_network(arm: RobotArm, hidden: int) -> BNN:
    """Declare the report's network with its weights as variables, in which NUTS moves freely."""
    return logistic_network(arm, hidden).reparametrized("centered")


NETWORKS = {"logistic": centred_logistic_network, "ours": our_network, "gaussian": gaussian_network}


def give_data(model: BNN, arm: RobotArm) -> None:
    """Give a network other training cases; steps that are compiled for it follow."""
    new: dict[str, Any] = {"X": arm.X.to_numpy(), "y": arm.y.to_numpy()}
    with model:
        pm.set_data(new, coords={"obs": np.arange(len(arm.X))})
