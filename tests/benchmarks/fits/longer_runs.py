r"""Whether runs of ten times the length contradict what `pymc-bnn compare` says of its draws.

Run it from the root of the repository:

    uv run --with statsmodels==0.15.0 --with plotly==7.1.0 \
        python -m tests.benchmarks.fits.longer_runs --csv docs/longer_runs.csv

Each table is compared with the defaults of the command. Models are in the order of their scores by
leave-one-out; the first of those whose draws can be used, *converged*, *nearly* or *predictions
stable*, leads. It, and all whose predictions are called stable, are sampled again from other
starts, with ten times the transitions in warm-up and after it. *Agreeing* is the share of the
held-out cases at which means and ends of the 90% intervals of both runs lie within 5% of the
predictive standard deviation, and *nats* how far their mean log scores are apart: the measures, and
the limits, by which halves of one run are called stable. *Halves* of the longer run are judged by
the same rule. *Stable* is what the command says of halves of its own draws, where it asks, and
*seconds* the wall time of the whole comparison of the table, from its file to the report: what is
compiled counts, most of it at the first table, and imports do not. With `--no-longer` nothing is
sampled again, and all is said in the time of the comparisons:

    uv run --with statsmodels==0.15.0 --with plotly==7.1.0 \
        python -m tests.benchmarks.fits.longer_runs --no-longer
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from pymc_bnn import models, samplers, studies
from pymc_bnn.models.data.targets import as_inputs
from pymc_bnn.models.forward_pass import PosteriorDraws
from pymc_bnn.models.scores import log_predictive_density
from pymc_bnn.studies.chains.prediction_gaps import prediction_gaps
from pymc_bnn.studies.chains.stability import CLOSE, ENOUGH, NATS
from pymc_bnn.studies.comparison.asked import table_of
from pymc_bnn.studies.comparison.comparing import run_comparison
from pymc_bnn.studies.comparison.request import Request
from pymc_bnn.studies.fits.settings import Settings
from pymc_bnn.studies.fits.step_settings import step_settings
from pymc_bnn.studies.peers.ordinary import TABLES, load
from rich.console import Console

LONGER, YES = 10, {True: "yes", False: "no"}
STABLE = "predictions stable"
USABLE = ("converged", "nearly", STABLE)
SEED = 1_000_003  # of the longer runs; that of the command is 0
QUIET: dict[str, Any] = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}


def asked(name: str, folder: Path) -> Request:
    """Comparison of the models of a table, with the defaults of the command."""
    data = load(name, None, seed=0)
    table = folder / f"{name}.csv"
    data.frame.to_csv(table, index=False)
    return Request(table=table, target=data.target, out=folder / "report")


def longer(model: models.BNN) -> xr.DataTree:
    """Draws from ten times the transitions, as many as of the run that they are compared with."""
    settings = step_settings(model)
    sizes = {"draws": Settings.draws, "tune": Settings.tune}
    if "thin" in settings:
        settings["thin"] *= LONGER
    else:
        sizes = {key: LONGER * size for key, size in sizes.items()}
    steps = samplers.recommended_steps(model, **settings)
    drawn = samplers.sample(model, **sizes, chains=4, step=steps, seed=SEED, **QUIET)
    every = 1 if "thin" in settings else LONGER
    return xr.DataTree.from_dict(
        {"posterior": drawn["posterior"].isel(draw=slice(None, None, every)).dataset}
    )


def beside(model: models.BNN, runs: list[xr.DataTree], X: Any, y: Any) -> dict[str, float]:
    """How far predictions of two runs are apart."""
    values, _ = as_inputs(X, model.inputs)
    pieces = [PosteriorDraws(model, one) for one in runs]
    gaps = prediction_gaps(model, pieces, values, [([0], [1])], seed=0)
    scores = [float(np.mean(log_predictive_density(model, one, X, y))) for one in runs]
    return {"agreeing": float((gaps < CLOSE).mean()), "nats": abs(scores[0] - scores[1])}


def again(model: models.BNN, idata: xr.DataTree, test: tuple[Any, Any]) -> dict[str, Any]:
    """How far a longer run of a model is from one of it, and whether what is said of that held."""
    drawn = longer(model)
    halves = studies.check_stability(model, drawn, test)
    row = {"cases": len(test[0]), **beside(model, [idata, drawn], *test)}
    held = row["agreeing"] >= ENOUGH and row["nats"] < NATS
    return row | {"halves": halves.agreeing, "nats of halves": halves.nats, "held": YES[held]}


def rows(name: str, and_longer: bool) -> list[dict[str, Any]]:
    """What the command says of each model of a table, and whether it held."""
    with TemporaryDirectory() as kept:
        request, begun = asked(name, Path(kept)), perf_counter()
        run_comparison(request, Console())
        seconds = perf_counter() - begun
        prepared = table_of(request)
        test = prepared.X_test, prepared.y_test
        said = pd.read_csv(request.out / "comparison.csv", index_col="model")
        usable = [variant for variant, answer in said["answer"].items() if answer in USABLE]
        found = []
        for variant, answer in said["answer"].items():
            idata = studies.load_fit(request.out / "fits" / f"{variant}.zarr")
            model = models.load(idata)
            row = {"table": name, "model": variant, "hidden": "-".join(map(str, model.hidden))}
            row |= {"seconds": seconds, "answer": answer}
            # where it was not asked the file says nothing
            row |= {"stable": YES.get(said.loc[variant, "stable"], "")}
            row |= {"leads": YES[[variant] == usable[:1]]}
            if and_longer and (row["leads"] == YES[True] or answer == STABLE):
                row |= again(model, idata, test)
            found.append(row)
            print(row, flush=True)
    return found


def main() -> None:
    """Print a table, and write it where wanted as far as it has come."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv", help="file to write")
    parser.add_argument("--tables", nargs="+", default=[*TABLES])
    parser.add_argument("--no-longer", action="store_true", help="sample nothing again")
    given = parser.parse_args()
    found = []
    for name in given.tables:
        found += rows(name, not given.no_longer)
        if given.csv:
            pd.DataFrame(found).to_csv(given.csv, index=False, float_format="%.4g")
    print(pd.DataFrame(found).to_string(index=False))


if __name__ == "__main__":
    main()
