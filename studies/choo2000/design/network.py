"""The network of the study: 8 cases, two inputs, one hidden layer, five precisions."""

import numpy as np

from ....models import BNN, GaussianNoise, NormalInverseGamma

CHOO_CASES = np.array(
    [
        [5.8964216e-01, 7.5148380e-01, 1.9992522e00],
        [9.1368690e-01, 4.7461198e-01, 2.4043475e00],
        [4.5180698e-02, -7.2696252e-01, 9.3298996e-01],
        [7.6028441e-01, -9.7648663e-01, 5.4781275e-01],
        [-6.5408772e-01, 7.8779593e-01, 1.9858707e-01],
        [9.5949379e-01, -6.0172387e-01, 4.6687881e-01],
        [-4.5710548e-01, -4.0255398e-01, 6.4682705e-03],
        [-4.9534131e-01, 3.2288515e-01, -1.7153228e-01],
    ]
)
# of w1: Table 5.6, and on from there in proportion to hidden ** -0.5
OUTPUT_SDS = {8: 0.45, 12: 0.37, 16: 0.32, 20: 0.285, 32: 0.225, 64: 0.159}

# the thesis's names of the standard deviations, in its order, and the precisions here
HYPERPARAMETERS = {
    "delta": "noise_precision",
    "u": "w0_precision",
    "v": "w1_precision",
    "a": "b0_precision",
    "b": "b1_precision",
}


def choo_network(hidden: int = 8, parametrization: str = "centered") -> BNN:
    """Build the network of Choo (2000), Tables 5.1, 5.2 and 5.6: 8 cases, 5 precisions.

    Parameters
    ----------
    hidden : {8, 12, 16, 20, 32, 64}
        Hidden units, the thesis's four and two more; the scale of ``w1`` follows from them.
    parametrization : {"centered", "noncentered"}
        As for :class:`pymc_bnn.models.BNN`.

    Returns
    -------
    BNN

    Raises
    ------
    ValueError
        If the study has no network with as many hidden units.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.design.network import choo_network
    >>> choo_network(20).hidden
    (20,)
    """
    if hidden not in OUTPUT_SDS:
        raise ValueError(f"hidden={hidden!r}: choose from {', '.join(map(str, OUTPUT_SDS))}.")
    sds = {"w0": 1.0, "b0": 1.0, "w1": OUTPUT_SDS[hidden], "b1": 0.8}
    return BNN(
        CHOO_CASES[:, :2],
        CHOO_CASES[:, 2],
        hidden=(hidden,),
        prior={name: NormalInverseGamma(sd=sd, alpha=0.5) for name, sd in sds.items()},
        likelihood=GaussianNoise(sd=0.1, alpha=0.5),
        parametrization=parametrization,
    )
