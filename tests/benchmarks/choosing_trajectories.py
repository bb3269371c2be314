r"""Whether trajectories that are chosen beat the recommended ones: effective draws per second.

Run it from the root of the repository, on an idle machine, with the packages of two tables:

    uv run --with statsmodels==0.15.0 --with plotly==7.1.0 \
        python -m tests.benchmarks.choosing_trajectories --folder docs

For each table ``tune_trajectory`` chooses for a network of eight units, with twice its usual
gradients. What it recommends, and the length that came out best whether or not that was decided,
are then sampled beside the default. Effective draws are those of four chains together, of the
slowest of the median output and all log precisions, and seconds those of the processor after
warm-up. Each pair has the same seed and so the same starts.
"""

import argparse
from pathlib import Path
from time import process_time
from typing import Any

import arviz as az
import numpy as np
import pandas as pd
from pymc_bnn import models, samplers, studies
from pymc_bnn.samplers.diagnosis.identified import identified
from pymc_bnn.samplers.recommended import N_LEAPFROG
from pymc_bnn.samplers.trajectories.records import some_outputs
from pymc_bnn.studies.peers.ordinary import load
from scipy.stats import t

SHIPPED = "autompg", "diabetes", "wine"
MORE = "tips", "star98", "boston"  # small ones of that study with more than three inputs
TABLES, SEEDS = (*SHIPPED, *MORE), range(1, 7)
ENOUGH = 4  # tables on which choosing has to be shown to be faster, of six
LEAST = 0.7  # of the effective draws a second of another length, below which it would cost much
GRADIENTS, DRAWS, TUNE = 100_000, 600, 200
QUIET: dict[str, Any] = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}


def network(name: str) -> models.BNN:
    """A network of eight units for a table."""
    table = studies.load_dataset(name) if name in SHIPPED else load(name, None, seed=0)
    prepared = studies.prepare(table)
    return models.normal_inverse_gamma(
        prepared.X, prepared.y, hidden=(8,), likelihood=prepared.likelihood
    )


class Clock:
    """Seconds of the processor between recorded draws, which do not depend on what else runs."""

    def __init__(self) -> None:
        self.seconds = self.last = 0.0

    def __call__(self, trace: Any, draw: Any) -> None:
        """Take note of a draw."""
        now = process_time()
        if not draw.tuning and draw.draw_idx > 0:
            self.seconds += now - self.last
        self.last = now


def slowest(model: models.BNN, idata: Any) -> tuple[float, float]:
    """Effective draws of all chains together: of the slowest quantity, and of the median output."""
    outputs = some_outputs(model, idata).to_dataset(name="f")
    median = float(az.ess(outputs)["f"].median())
    precisions = az.ess(identified(idata["posterior"].dataset, model.groups))
    return min(median, *(float(one.min()) for one in precisions.data_vars.values())), median


def per_second(model: models.BNN, seed: int, options: dict[str, Any]) -> dict[str, float]:
    """Effective draws a second of one setting, with as many leapfrogs as the others."""
    thin = max(1, N_LEAPFROG // options["n_leapfrog"])
    draws, tune = (N_LEAPFROG * n // (thin * options["n_leapfrog"]) for n in (DRAWS, TUNE))
    steps = samplers.recommended_steps(model, thin=thin, **options)
    clock = Clock()
    options = {"cores": 1, "step": steps, "seed": seed, "callback": clock}
    idata = samplers.sample(model, draws, tune, 4, **options, **QUIET)
    worst, median = slowest(model, idata)
    return {"slowest a second": worst / clock.seconds, "output a second": median / clock.seconds}


def measure(name: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What is chosen for a table, and how settings do."""
    model = network(name)
    begun = process_time()
    choice = samplers.tune_trajectory(model, seed=1, gradients=GRADIENTS)
    seconds, table = process_time() - begun, choice.lengths
    print(name, choice.reason, f"{seconds:.0f} s", flush=True)
    best = int(table["length"].values[table["ratio"].values.argmax()])
    words = {"table": name, "word": choice.word, "eta": choice.step_scale, "tuning": seconds}
    names = ("ratio", "low", "high", "draws", "slowest")
    chosen = [
        words
        | {"L": int(n), "recommended": int(n) == choice.n_leapfrog}
        | {key: table[key].sel(length=n).item() for key in names}
        | {"per million": float(np.exp(np.log(table["per_million"].sel(length=n)).mean()))}
        for n in table["length"].values
    ]
    fixed = {"step_scale": choice.step_scale, "target_accept": None}
    settings: dict[str, dict[str, Any]] = {
        "default": {"n_leapfrog": N_LEAPFROG},
        "recommended": {"n_leapfrog": choice.n_leapfrog, **fixed},
    }
    if best != choice.n_leapfrog:
        settings["best so far"] = {"n_leapfrog": best, **fixed}
    rows = [
        {"table": name, "setting": setting, "L": options["n_leapfrog"], "seed": seed}
        | per_second(model, seed, options)
        for seed in SEEDS
        for setting, options in settings.items()
    ]
    return chosen, rows


def gains(table: pd.DataFrame) -> pd.DataFrame:
    """Ratios to the default by geometric means over seeds, with 95% intervals of Student's t."""
    rows = []
    for (name, setting, length), found in table.groupby(["table", "setting", "L"], sort=False):
        row = {"table": name, "setting": setting, "L": length}
        base = table[(table["table"] == name) & (table["setting"] == "default")].set_index("seed")
        for column in ("slowest a second", "output a second"):
            logs = np.log(found.set_index("seed")[column])
            gap = logs - np.log(base[column])
            half = t.ppf(0.975, len(gap) - 1) * gap.std(ddof=1) / np.sqrt(len(gap))
            row |= {column: np.exp(logs.mean())}
            ends = {"ratio": 0.0, "low": -half, "high": half}
            row |= {f"{column}, {end}": np.exp(gap.mean() + by) for end, by in ends.items()}
        rows.append(row)
    return pd.DataFrame(rows)


def outcomes(compared: pd.DataFrame) -> dict[str, int]:
    """On how many tables what is recommended is shown to be faster, slower, enough or too slow."""
    recommended = compared[compared["setting"] == "recommended"]
    low, high = (recommended[f"slowest a second, {end}"] for end in ("low", "high"))
    found = {"faster": low > 1, "slower": high < 1}
    found |= {"enough": low >= LEAST, "too slow": high < LEAST}
    return {name: int(each.sum()) for name, each in found.items()}


def main() -> None:
    """Print what was found, and keep it where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where to write two tables")
    given = parser.parse_args()
    found = [measure(name) for name in TABLES]
    lengths = pd.DataFrame([row for chosen, _ in found for row in chosen])
    compared = gains(pd.DataFrame([row for _, rows in found for row in rows]))
    print(lengths.to_string(), compared.to_string(), sep="\n\n")
    if given.folder:
        for name, table in (("trajectory_lengths", lengths), ("chosen_trajectories", compared)):
            table.to_csv(given.folder / f"{name}.csv", index=False, float_format="%.3g")


if __name__ == "__main__":
    main()
