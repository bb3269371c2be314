"""Regressions on ordinary tables at temperatures around 1."""

import arviz as az
import numpy as np
import xarray as xr
from scipy.special import logsumexp

from ....models import normal_inverse_gamma
from ....samplers import sample
from ...tables.datasets import load_dataset
from ...tables.table import prepare
from ..design.cold import TEMPERATURES, Cold


def sample_cold(declared: Cold, split: int, seed: int) -> xr.Dataset:
    """Sample a network on a split of a table at each temperature.

    Returns
    -------
    Dataset
        By ``temperature``: ``error``, minus the mean log predictive density of a test case in
        nats, by all draws of all chains, ``rmse`` in standard deviations of the target, and
        ``rhat`` of the log likelihood.
    """
    data = prepare(load_dataset(declared.table), seed=split)
    model = normal_inverse_gamma(data.X, data.y, hidden=(declared.units,))
    found = []
    for temperature in TEMPERATURES:
        idata = sample(
            model,
            declared.draws,
            declared.tune,
            chains=declared.chains,
            cores=1,
            temperature=temperature,
            seed=seed + 1,
            progressbar=False,
            quiet=True,
        )
        cases = model.log_likelihood(idata, data.X_test, data.y_test)
        density = cases.stack(all_draws=("chain", "draw")).transpose("all_draws", ...).values
        density = density.reshape(len(density), -1)
        predictive = logsumexp(density, axis=0) - np.log(len(density))
        summary = model.predict(idata, data.X_test, draws=False, seed=0)["summary"]["mean"]
        mean = np.ravel(summary.sel(variable="f").to_numpy())
        training = model.log_likelihood(idata, data.X, data.y).sum("obs").values
        found.append(
            {
                "error": -predictive.mean(),
                "rmse": np.sqrt(np.mean((mean - np.ravel(data.y_test)) ** 2)),
                "rhat": float(az.rhat(training.reshape(declared.chains, -1))),
            }
        )
    columns = {name: ("temperature", [one[name] for one in found]) for name in found[0]}
    return xr.Dataset(columns, {"temperature": list(TEMPERATURES)})
