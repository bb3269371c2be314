"""What brings the chains of a regressor to agreement soonest, at about equal seconds.

Run it from the root of the repository:

    uv run --with statsmodels==0.15.0 python -m tests.benchmarks.fits.agreement_of_chains \
        --csv docs/agreement_of_chains.csv

The first fold of tables of the study of peers, with the defaults of
:class:`pymc_bnn.studies.BNNRegressor` but for one thing. Where trajectories are shorter there are
more of them for each draw; the long run has five times the draws and of each of these four times
the sweeps. R-hat and effective draws are those of the worst output at a training
case, and of the worst precision; *agreeing* and *nats* are what
:func:`pymc_bnn.studies.check_stability` finds on the training cases; the log score is of held-out
cases, by all draws together and, *alone*, by those of each chain, the mean over chains. *Worst fit*
and *best fit* are log likelihoods of the training cases, of the chains where their means over the
second half are least and largest. Seconds are of one processor.
"""

import argparse
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from pymc_bnn import models, samplers, studies
from pymc_bnn.models.scores import log_predictive_density
from pymc_bnn.studies.fits.step_settings import step_settings
from pymc_bnn.studies.peers.budgets import BUDGETS
from pymc_bnn.studies.peers.fits import cases_of
from threadpoolctl import threadpool_limits

SEEDS = {"autompg": 1, "grunfeld": 209652396}
LENGTH: dict[str, Any] = {"draws": 500, "tune": 300, "chains": 4}
LEARNT, CLOSER = models.NormalInverseGamma(), models.NormalInverseGamma(alpha=5.0)
BY_ROW = {"likelihood": "heteroscedastic_noise"}


def hidden_fixed(weights: float, biases: float) -> dict[str, models.Prior]:
    """Fixed scales of the weights and biases of hidden units, and learnt ones of the outputs."""
    into = {"w0": models.Gaussian(sd=weights), "b0": models.Gaussian(sd=biases)}
    return {**into, "w1": LEARNT, "b1": LEARNT}


CHANGES: dict[str, dict[str, Any]] = {
    "default": {},
    "shorter trajectories": {"n_leapfrog": 100, "sweeps": 3.0},
    "longer warm-up": {"draws": 200, "tune": 600},
    "twenty times as long": {"draws": 2500, "sweeps": 4.0},
    "gentle units": {"prior": hidden_fixed(1.2, 10.0)},
    "steep units": {"prior": hidden_fixed(30.0, 60.0)},
    "scales held closer": {"prior": CLOSER},
    "fixed scales": {"prior": "scaled"},
    "noise by row": BY_ROW,
    "noise by row, scales held closer": {"prior": CLOSER, **BY_ROW},
}
ON_GRUNFELD = ("default", "scales held closer", "fixed scales")
RUNS = (
    ("autompg", (8,), ("default",)),
    ("autompg", (32,), tuple(CHANGES)),
    ("grunfeld", (16, 16), (*ON_GRUNFELD, *(name for name in CHANGES if "row" in name))),
)


def row(table: str, hidden: tuple[int, ...], setting: str) -> dict[str, Any]:
    """Agreement of one run."""
    cases = cases_of(table, 0, BUDGETS["desk"], 0)
    names = [f"x{i}" for i in range(cases.X.shape[1])]
    X, new = (pd.DataFrame(part, columns=names) for part in (cases.X, cases.new))
    options = {**LENGTH, **CHANGES[setting]}
    prior = options.pop("prior", LEARNT)
    likelihood = options.pop("likelihood", "gaussian_noise")
    if isinstance(prior, str):
        model = models.VARIANTS[prior](X, cases.y, hidden, likelihood=likelihood)
    else:
        model = models.BNN(X, cases.y, hidden, prior=prior, likelihood=likelihood)
    settings = step_settings(model)
    settings["thin"] = max(1, round(settings["thin"] * options.pop("sweeps", 1.0)))
    begun = process_time()
    idata = samplers.sample(
        model,
        cores=1,
        seed=SEEDS[table],
        progressbar=False,
        quiet=True,
        compute_convergence_checks=False,
        **{**settings, **options},
    )
    seconds = process_time() - begun
    convergence = studies.check_convergence(model, idata)
    stability = studies.check_stability(model, idata)
    found = convergence.table
    precisions = found[found["kind"] == "hyperparameter"]
    outputs = found.loc["network outputs"]
    scores = [
        np.mean(log_predictive_density(model, some, new, cases.observed))
        for some in (idata, *(idata.sel(chain=[chain]) for chain in range(LENGTH["chains"])))
    ]
    late = idata.isel(draw=slice(options["draws"] // 2, None))
    fits = model.log_likelihood(late, X, cases.y).sum("obs").mean("draw")
    return {
        "table": table,
        "hidden": "-".join(map(str, hidden)),
        "setting": setting,
        "sweeps": settings["thin"],
        "grade": convergence.grade,
        "R-hat of outputs": outputs["rhat"],
        "draws of outputs": outputs["ess"],
        "R-hat of precisions": precisions["rhat"].max(),
        "draws of precisions": precisions["ess"].min(),
        "agreeing": stability.agreeing,
        "nats": stability.nats,
        "log score": scores[0],
        "alone": np.mean(scores[1:]),
        "worst fit": float(fits.min()),
        "best fit": float(fits.max()),
        "seconds": seconds,
    }


def main() -> None:
    """Print a table, and write it where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv", help="file to write")
    given = parser.parse_args()
    rows = []
    for table, hidden, setting in ((t, h, one) for t, h, settings in RUNS for one in settings):
        with threadpool_limits(1):
            rows.append(row(table, hidden, setting))
        print(pd.DataFrame(rows).to_string(index=False), flush=True)
        if given.csv:
            pd.DataFrame(rows).to_csv(given.csv, index=False, float_format="%.4g")


if __name__ == "__main__":
    main()
