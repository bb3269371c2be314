"""The 8 cases and priors of Choo (2000), Tables 5.1 and 5.2, which many tests use."""

import numpy as np
from pymc_bnn import models

CASES = np.array(
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


def choo_network(hidden: int = 8, parametrization: str = "centered") -> models.BNN:
    """Network of Table 5.2 (8 hidden units); Table 5.6 scales ``w1`` for other widths."""
    w1_sd = {8: 0.45, 12: 0.37, 16: 0.32, 20: 0.285}[hidden]
    sds = {"w0": 1.0, "b0": 1.0, "w1": w1_sd, "b1": 0.8}
    return models.BNN(
        CASES[:, :2],
        CASES[:, 2],
        hidden=(hidden,),
        prior={name: models.NormalInverseGamma(sd=sd, alpha=0.5) for name, sd in sds.items()},
        likelihood=models.GaussianNoise(sd=0.1, alpha=0.5),
        parametrization=parametrization,
    )
