"""Networks that are minimised and not sampled (3.4)."""

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from ....samplers import minimize
from ..design.budgets import Minimised
from ..design.images import cases
from ..design.networks import NETWORKS, start
from .measuring import measure


def minimise(declared: Minimised, first: int, count: int, seed: int) -> xr.Dataset:
    r"""Minimise networks by Algorithm 3, from starts of their own.

    Parameters
    ----------
    declared : Minimised
        Network, cases and steps.
    first, count : int
        Which of the networks.
    seed : int
        Of the study.

    Returns
    -------
    Dataset
        Along ``network``: ``energy`` in nats, ``test_error`` of a case, ``wrong``, ``steps``,
        ``largest``, the largest weight in units of its :math:`1 / \sqrt{k}` (3.2), and
        ``log_probability`` of the class of each test ``case``.
    """
    data, network = cases(declared.cases), NETWORKS[declared.network]
    rows = []
    with threadpool_limits(1, user_api="blas"):
        model = network.build(data.X, data.y)
        for number in range(first, first + count):
            rng = np.random.default_rng([seed, declared.cases, number])
            found = minimize(model, declared.steps, start(model, rng), of="likelihood")
            values = {
                name: np.asarray(value)[None, None]
                for name, value in zip(model.groups, found.points[0].values(), strict=True)
            }
            dims = {name: ("chain", "draw", *group.dims) for name, group in model.groups.items()}
            posterior = xr.Dataset({name: (dims[name], values[name]) for name in values})
            idata = xr.DataTree.from_dict({"posterior": posterior})
            one = measure(model, idata, data, 1).isel(draw=0, kept=0)
            roots = {name: np.sqrt(group.fan_in + 1) for name, group in model.groups.items()}
            largest = max(float(np.abs(values[name]).max() * roots[name]) for name in values)
            of_test = model.log_likelihood(idata, data.X_test, data.y_test).values[0, 0]
            kept = "case", of_test.astype(np.float32)
            row = one.assign(steps=found.steps[0], largest=largest, log_probability=kept)
            rows.append(row)
    return xr.concat(rows, "network").drop_vars(["predictive", "filled"])
