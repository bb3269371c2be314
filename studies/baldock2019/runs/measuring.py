"""What is measured of draws at a temperature, and how chains begin."""

import numpy as np
import xarray as xr
from scipy.special import logsumexp
from xarray import DataTree

from ....models import BNN
from ..design.images import Cases
from ..design.networks import walls_of

ACCEPTANCE = 0.65  # middle of the paper's range, 3.3.2
DESCENT = 1000  # steps of Algorithm 3 before a chain that is heated
INSIDE = 0.999  # of the way to the walls


def measure(model: BNN, idata: DataTree, data: Cases, tested: int) -> xr.Dataset:
    r"""Measure draws at a temperature.

    Returns
    -------
    Dataset
        ``energy`` :math:`E` of each draw in nats, ``test_error``, the energy of a test case, of
        as many draws as are tested, ``predictive``, minus the log of the mean probability over
        these, ``wrong``, the share of test cases that this mean puts into another class, and
        ``filled``, the root mean square of weights in units of their walls, 1 where they are
        uniform.
    """
    energy = -model.log_likelihood(idata, data.X, data.y).sum("obs").values[0]
    every = max(1, idata["posterior"].sizes["draw"] // tested)
    kept = DataTree.from_dict({"posterior": idata["posterior"].isel(draw=slice(0, None, every))})
    of_test = model.log_likelihood(kept, data.X_test, data.y_test).values[0]
    mean = model.predict(kept, data.X_test, draws=False, seed=0)["summary"]["mean"]
    predicted = np.argmax(mean.sel(variable="probability").to_numpy(), axis=-1)
    predictive = np.log(len(of_test)) - logsumexp(of_test, axis=0)
    walls = walls_of(model)
    squares = np.concatenate(
        [np.ravel((idata["posterior"][name] / wall) ** 2) for name, wall in walls.items()]
    )
    return xr.Dataset(
        {
            "energy": ("draw", energy),
            "test_error": ("kept", -of_test.mean(axis=1)),
            "predictive": float(predictive.mean()),
            "wrong": float(np.mean(predicted != data.y_test)),
            "filled": float(np.sqrt(3 * squares.mean())),
        }
    )
