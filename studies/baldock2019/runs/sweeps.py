"""Chains that go through all temperatures, from the prior down or from a minimum up."""

import numpy as np
import xarray as xr
from scipy.special import logsumexp
from threadpoolctl import threadpool_limits
from xarray import DataTree

from ....models import BNN
from ....samplers import StaticHMC, minimize
from ....samplers.cooling.chains_at_temperatures import ChainsAtTemperatures
from ....samplers.potential.temperature import at_temperature
from ..design.budgets import Budget, Sweep
from ..design.images import Cases, cases
from ..design.networks import NETWORKS, start, walls_of

ACCEPTANCE = 0.65  # middle of the paper's range, 3.3.2
DESCENT = 1000  # steps of Algorithm 3 before a chain that is heated
INSIDE = 0.999  # of the way to the walls


def go_through(sweep: Sweep, direction: str, budget: Budget, seed: list[int]) -> xr.Dataset:
    r"""Take one chain through all temperatures.

    A chain that is cooled begins at a draw of the prior, as if at infinite temperature; one that
    is heated at a minimum that Algorithm 3 finds from :math:`1 / \sqrt{k}`, as the paper's do.
    At every temperature the step size is learnt anew, in trajectories that do not count.

    Parameters
    ----------
    sweep : Sweep
        Network, cases, walls and temperatures.
    direction : {"cooling", "heating"}
        Where it begins.
    budget : Budget
        How many trajectories.
    seed : list of int
        Of all random numbers.

    Returns
    -------
    Dataset
        By rising ``temperature``; see :func:`measure`.
    """
    data, network = cases(sweep.cases), NETWORKS[sweep.network]
    rng = np.random.default_rng(seed)
    with threadpool_limits(1, user_api="blas"):
        model = network.build(data.X, data.y, sweep.walls)
        begin = start(model, rng, INSIDE * network.factor if direction == "cooling" else 1.0)
        ladder = sorted(sweep.temperatures(), reverse=direction == "cooling")
        if direction == "heating":
            [begin] = minimize(model, DESCENT, begin, of="likelihood").points
        step = static(model, budget.leapfrogs)
        chains = ChainsAtTemperatures(model, [step], [begin], budget.tune, budget.draws, rng)
        found = []
        for temperature in ladder:
            with at_temperature(model, temperature):
                idata, acceptance = chains.draw()
            measured = measure(model, idata, data, budget.tested)
            found.append(measured.assign(acceptance=acceptance))
    together = xr.concat(found, xr.DataArray(ladder, dims="temperature", name="temperature"))
    return together.sortby("temperature")


def static(model: BNN, leapfrogs: int) -> StaticHMC:
    """Trajectories as in the paper: unit masses, and a step size that is accepted at 0.65."""
    return StaticHMC(
        n_leapfrog=leapfrogs,
        step_sizes="adapt",
        metric="unit",
        target_accept=ACCEPTANCE,
        model=model,
    )


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
