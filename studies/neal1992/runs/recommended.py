"""Networks by the recommended sampler with default settings."""

from time import process_time
from typing import Any

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from ....samplers import sample
from ..design.fits import Fit
from ..design.networks import NETWORKS, data_set
from .predicting import effective, effective_outputs, flat, scored_weights


def sample_fit(fit: Fit, number: int, seed: int) -> xr.Dataset:
    """Sample a network on a data set.

    Returns
    -------
    Dataset
        Along ``start``, what :func:`.predicting.scored` says of the draws of each chain;
        ``pooled_excess`` and ``pooled_error`` of all together, ``log_score`` of a test case;
        ``effective`` draws of the outputs of a chain and ``effective_scales`` of its
        hyperparameters, medians, its ``gradients`` and ``seconds`` of the processor, warm-up
        included and in the first units of a process compilation too.
    """
    arm = data_set(fit.size[1], number)
    with threadpool_limits(1, user_api="blas"):
        model = NETWORKS[fit.network](arm, fit.size[0])
        begin = process_time()
        idata = sample(
            model,
            fit.draws,
            fit.tune,
            chains=fit.starts,
            cores=1,
            seed=np.random.default_rng([seed, number]),
            progressbar=False,
            quiet=True,
            compute_convergence_checks=False,
        )
        seconds = process_time() - begin
        posterior = idata["posterior"].to_dataset()
        chains = [scored_weights(arm, flat(posterior.isel(chain=[i]))) for i in range(fit.starts)]
        pooled = scored_weights(arm, flat(posterior))
        moves = effective_outputs(arm, flat(posterior.isel(chain=[0])))
        scales = effective_scales(posterior.isel(chain=0))
        score = float(model.log_score(idata, arm.X_test, arm.y_test))
    steps = float(idata["sample_stats"]["n_steps"].mean())
    values: dict[str, Any] = {
        "pooled_excess": pooled["excess"],
        "pooled_error": pooled["test_error"],
        "covered_outside": pooled["covered_outside"],
        "covered_inside": pooled["covered_inside"],
        "normalised_inside": pooled["normalised_inside"],
        "normalised_outside": pooled["normalised_outside"],
        "log_score": score,
        "effective": moves,
        "effective_scales": scales,
        "gradients": steps * (fit.draws + fit.tune),
        "seconds": seconds / fit.starts,
    }
    for name in ("squared_error", "test_error", "excess"):
        values[name] = ("start", [one[name] for one in chains])
    return xr.Dataset(values)


def effective_scales(chain: xr.Dataset) -> float:
    """Effective draws of the hyperparameters, which are the scalars of a network, median."""
    scalars = [draws.to_numpy() for draws in chain.values() if draws.dims == ("draw",)]
    return float(np.median([effective(draws) for draws in scalars]))
