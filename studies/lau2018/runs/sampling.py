"""Draws from the posterior of a declared experiment."""

from time import perf_counter
from typing import Any

import numpy as np
import xarray as xr

from ....models import BNN
from ....samplers import sample
from ..design.declarations import Experiment
from .steps import NUTPIE, build_network, build_steps

LARGEST_SEED = 2**31


def draw(experiment: Experiment, rows: Any = slice(None)) -> tuple[BNN, xr.DataTree, float]:
    """Sample a declared network on some of the training cases, chain after chain.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    rows : slice or ndarray of int
        Which of the training cases.

    Returns
    -------
    model : BNN
        The network.
    idata : DataTree
        Its draws.
    seconds : float
        That sampling took, warm-up included and compilation not.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.declarations import Experiment, Network, Sampler
    >>> from pymc_bnn.studies.lau2018.runs.sampling import draw
    >>> few = Experiment("table", "row", Network(hidden=(2,)), chains=2, tune=2, draws=3,
    ...                  sampler=Sampler("gibbs_hmc", {"n_leapfrog": 2}))
    >>> draw(few)[1]["posterior"]["w1"].shape
    (2, 3, 2, 10)
    """
    model = build_network(experiment.network, rows)
    rng = np.random.default_rng([experiment.seed, 2018])
    if experiment.sampler.name == NUTPIE:
        return _draw_with_nutpie(model, experiment, int(rng.integers(LARGEST_SEED)))
    steps = build_steps(experiment.sampler, model)
    begin = perf_counter()
    idata = sample(
        model,
        draws=experiment.draws,
        tune=experiment.tune,
        chains=experiment.chains,
        cores=1,
        seed=rng,
        step=steps,
        progressbar=False,
        quiet=True,
        compute_convergence_checks=False,
    )
    return model, idata, perf_counter() - begin


def _draw_with_nutpie(
    model: BNN, experiment: Experiment, seed: int
) -> tuple[BNN, xr.DataTree, float]:
    import nutpie  # not among the package's dependencies

    compiled = nutpie.compile_pymc_model(model)
    options = {"chains": experiment.chains, "cores": 1, "progress_bar": False}
    options |= experiment.sampler.options
    nutpie.sample(compiled, draws=5, tune=5, seed=1, **options)  # nothing left to compile
    begin = perf_counter()
    idata = nutpie.sample(
        compiled, draws=experiment.draws, tune=experiment.tune, seed=seed, **options
    )
    return model, idata, perf_counter() - begin
