"""The thesis's network on the robot arm, and quantities of its states.

The thesis gives no number of hidden units in what this study follows, and no mean for the
precisions of the weights: here they are 16 and 1. Output biases have a standard normal prior.
"""

from functools import cache
from typing import Any

import numpy as np
import pymc as pm

from ....models import BNN, Gaussian, GaussianNoise, NormalInverseGamma
from ...tables.robot_arm import RobotArm, robot_arm

TESTS = 200
LARGE, SMALL = (16, 200), (8, 100)  # hidden units and training cases
ALPHA, OMEGA = 0.2, 200.0  # shapes of all precisions, and mean of that of the noise
POINT = (-1.47, 0.75)  # where Fig. 3.4 looks at an output
MAGNITUDES = ("input weights", "hidden biases", "output weights")
QUANTITIES = (*MAGNITUDES, "noise", "output")
GROUPS = ("w0", "b0", "w1")

Point = dict[str, np.ndarray]


@cache
def data_set(cases: int, number: int) -> RobotArm:
    """One of the data sets; the first cases of more."""
    return robot_arm(cases, TESTS, seed=number)


def noise() -> GaussianNoise:
    """Noise whose precision has mean 200."""
    return GaussianNoise(sd=OMEGA**-0.5, alpha=ALPHA)


def network(arm: RobotArm, hidden: int) -> BNN:
    """Declare the thesis's network: a precision for each of three groups, and one of the noise.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1995.design.networks import data_set, network
    >>> model = network(data_set(100, 0), 8)
    >>> [variable.name for variable in model.free_RVs if variable.ndim == 0]
    ['w0_precision', 'b0_precision', 'w1_precision', 'noise_precision']
    """
    groups = dict.fromkeys(GROUPS, NormalInverseGamma(sd=1.0, alpha=ALPHA))
    prior = {**groups, "b1": Gaussian(1.0)}
    return BNN(arm.X, arm.y, hidden=(hidden,), prior=prior, likelihood=noise())


def give_data(model: BNN, X: Any, y: Any) -> None:
    """Give a network other training cases; steps that are compiled for it follow."""
    new: dict[str, Any] = {"X": np.asarray(X, float), "y": np.asarray(y, float)}
    with model:
        pm.set_data(new, coords={"obs": np.arange(len(X))})


def quantities(point: Point) -> tuple[float, ...]:
    """Logarithms of root mean squares of groups and of the noise's precision, and an output.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.neal1995.design.networks import quantities
    >>> point = {"w0": np.ones((2, 3)), "b0": np.ones(3), "w1": np.ones((3, 2)), "b1": np.ones(2)}
    >>> quantities({**point, "noise_precision_log__": np.array(2.0)})[:4]
    (0.0, 0.0, 0.0, 2.0)
    """
    sizes = (0.5 * float(np.log(np.mean(point[name] ** 2))) for name in GROUPS)
    first = outputs(point, np.array([POINT]))[0, 0]
    return *sizes, float(point["noise_precision_log__"]), float(first)


def outputs(point: Point, X: np.ndarray) -> np.ndarray:
    """Outputs of a network with one hidden layer of hyperbolic tangents."""
    return np.tanh(X @ point["w0"] + point["b0"]) @ point["w1"] + point["b1"]
