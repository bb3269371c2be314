"""What normal approximations by variational inference lose, on the data of experiment 2."""

from time import process_time

import pymc as pm
import xarray as xr
from threadpoolctl import threadpool_limits

from ..design.budgets import Budget
from ..design.networks import LARGE, data_set, our_network
from .predicting import flat, scored_weights

METHODS = {"mean field": "advi", "full rank": "fullrank_advi"}
RATE = 0.01  # of Adam
DRAWS = 1000


def approximate(number: int, budget: Budget, seed: int) -> xr.Dataset:
    """Fit both kinds of normal approximation to the network of this package.

    Returns
    -------
    Dataset
        By ``method``, what :func:`.predicting.scored` says, the ``log_score`` of a test case, and
        ``seconds`` of the processor.
    """
    arm = data_set(LARGE[1], number)
    rows = []
    with threadpool_limits(1, user_api="blas"):
        model = our_network(arm, LARGE[0])
        for method in METHODS.values():
            begin = process_time()
            with model:
                fitted = pm.fit(
                    budget.steps,
                    method=method,
                    obj_optimizer=pm.adam(learning_rate=RATE),
                    random_seed=seed + number,
                    progressbar=False,
                )
            seconds = process_time() - begin
            idata = fitted.sample(DRAWS, random_seed=seed + number)
            found = scored_weights(arm, flat(idata["posterior"].to_dataset()))
            score = float(model.log_score(idata, arm.X_test, arm.y_test))
            rows.append(xr.Dataset({**found, "log_score": score, "seconds": seconds}))
    return xr.concat(rows, "method").assign_coords(method=list(METHODS))
