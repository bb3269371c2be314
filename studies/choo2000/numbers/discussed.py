"""Numbers for what the thesis says without a table: sections 5.4.3, 6.1, 6.2.3 and 6.2.5.

As in :mod:`.beside`, a function with a verdict takes a table as measured or as it was kept.
"""

import numpy as np
import pandas as pd

from ...chains.bootstrap import Interval
from ...chains.performance import compare_performance
from ..design.methods import METHODS, THESIS
from ..design.published import published, recomputed_performance
from ..design.starts import INSIDE, OUTSIDE
from ..runs.discussed import REGION_KEY, REGION_WIDTH, SLOWED_KEY, SLOWED_WIDTH
from ..runs.master import N_LEAPFROG, STEP_SCALES
from ..runs.trials import posterior_means
from . import analysis
from .at_once import ENDS, widened
from .beside import log_error, scores, without
from .results import Results
from .tables import mcse

IN_G = 0.12  # rejection rate in G with 20 hidden units, section 5.4.3
G_SLOWED = 0.14  # of B with slow precisions, section 6.2.3
# standard errors of the thesis's 20 chains there (Fig. 6.6), of those of ours
TO_SLOWED = float(np.sqrt((OUTSIDE + INSIDE) / 20))
UP_TO = 12.0  # log of the product of variances of u and v, section 6.2.5
SCALE_WIDTH = 8
PARTS = ("outside", "inside")


def region_rejections(results: Results) -> pd.DataFrame:
    """Rejection rates of trajectories that start in the region G, and of others (5.4.3)."""
    found = results.load(REGION_KEY)
    if found is None:
        return pd.DataFrame()
    row = {"hidden units": REGION_WIDTH, "l": N_LEAPFROG[False], "eta": STEP_SCALES[REGION_WIDTH]}
    for part in PARTS:
        rates = found["rejection"].values[found["stratum"].values == part]
        row |= {f"states {part}": rates.size, part: rates.mean()}
        row[f"error {part}"] = rates.std(ddof=1) / np.sqrt(rates.size)
    return pd.DataFrame([row])


def with_thesis_rate(table: pd.DataFrame) -> pd.DataFrame:
    """Section 5.4.3. The thesis gives no error: its is taken to be ours."""
    table = without(table, ["thesis", "z"]).assign(thesis=IN_G)
    both = table["error inside"], table["error inside"]
    return table.assign(z=scores(table["inside"], table["thesis"], *both))


def slowed(results: Results) -> pd.DataFrame:
    """Performance of B with a hundredth of the factor for precisions, and over B's best (6.2.3)."""
    if not results.has(SLOWED_KEY):
        return pd.DataFrame()
    g, trial = results.performance(SLOWED_WIDTH, SLOWED_KEY), results.load(SLOWED_KEY)
    rates = 1 - trial["sample_stats"]["acceptance_rate"].mean("draw")
    row = {"hidden units": SLOWED_WIDTH, "l": trial.attrs["n_leapfrog"]}
    row |= {"eta": trial.attrs["step_scale"], "rejection rate": float(rates.mean())}
    row |= {"g": g.value, "low": g.low, "high": g.high}
    best = results.again("dynamical_b", SLOWED_WIDTH)
    over = Interval(np.nan, np.nan, np.nan)
    if best is not None:
        over = results.ratio_of(SLOWED_WIDTH, SLOWED_KEY, best)
    row |= {"over B's": over.value, "its low": over.low, "its high": over.high}
    return pd.DataFrame([row])


def with_thesis_g(table: pd.DataFrame) -> pd.DataFrame:
    """Section 6.2.3. The thesis gives no error: its is ours, for as many chains as it had."""
    table = without(table, ["thesis", "thesis over B's", "z"])
    thesis = recomputed_performance().set_index(["method", "hidden_units"])["recomputed"]
    best = float(thesis["dynamical_b", SLOWED_WIDTH])
    table = table.assign(**{"thesis": G_SLOWED, "thesis over B's": G_SLOWED / best})
    error = log_error(table["low"], table["high"])
    z = scores(np.log(table["g"]), np.log(table["thesis"]), error, TO_SLOWED * error)
    return table.assign(z=z)


def scale_products(results: Results) -> pd.DataFrame:
    r"""How far :math:`\sigma_u^2 \sigma_v^2` is from its prior, which B's steps follow (6.2.5).

    A step size is as many times too large as the root of the product over that of the prior.
    """
    draws = results.master(SCALE_WIDTH, True)
    if draws is None:
        return pd.DataFrame()
    both = draws["log_sigma"].sel(hyperparameter=["u", "v"])
    logs = 2 * both.sum("hyperparameter").to_numpy()
    sds = published("prior_settings").query("hidden_units == @SCALE_WIDTH")
    prior = float((sds.set_index("hyperparameter")["sd"][["u", "v"]] ** 2).prod())
    beyond = logs > UP_TO
    row = {"hidden units": SCALE_WIDTH, "prior's product": prior, "states": logs.size}
    row |= {"beyond e^12": beyond.mean(), "error": mcse(beyond), "largest log": logs.max()}
    for share in (0.5, 0.95, 0.999):
        factor = np.exp(0.5 * np.quantile(logs, share)) / np.sqrt(prior)
        row[f"too large, {100 * share:g}%"] = float(factor)
    return pd.DataFrame([row])


def expected(table: pd.DataFrame) -> pd.DataFrame:
    """How many of the states that the thesis's run kept (Table 5.7) lie as far as it says."""
    run = published("master_runs").set_index("hidden_units").loc[SCALE_WIDTH]
    kept = int(run["samples"] / run["saved_every"])
    table = without(table, ["expected in the thesis", "its error"])
    counts = {"expected in the thesis": kept * table["beyond e^12"]}
    return table.assign(**counts, **{"its error": kept * table["error"]})


def from_the_tail(results: Results) -> pd.DataFrame:
    r"""Variance of means of chains that start in G, of each method over B's (Fig. 6.1).

    It is the geometric mean of those of :math:`\log\sigma_u` and :math:`\log\sigma_a`, and chains
    of both methods start from the same states.
    """
    rows = []
    for method in THESIS[:2]:
        for width in results.budget.widths:
            keys = [results.again(name, width) for name in (method, THESIS[2])]
            if keys[0] is None or keys[1] is None:
                continue
            ratio = _inside_ratio(results, width, keys[0], keys[1])
            named = f"{METHODS[method].title} / {METHODS[THESIS[2]].title}"
            rows.append([named, width, ratio.value, ratio.low, ratio.high])
    return pd.DataFrame(rows, columns=["ratio of", "hidden units", "ratio", "low", "high"])


def _inside_ratio(results: Results, width: int, key: str, other: str) -> Interval:
    pair = [analysis.draws_of(results.folder, name, False) for name in (key, other)]
    first, second = (found.isel(chain=found["stratum"].values == "inside") for found in pair)
    reference = posterior_means(results.folder, width)
    return compare_performance(first, second, reference, ["u", "a"], rng=0)


def tail_at_once(table: pd.DataFrame) -> pd.DataFrame:
    """Intervals that hold for all ratios at once."""
    table = without(table, ENDS)
    for name, end in zip(ENDS, ("low", "high"), strict=True):
        table[name] = widened(table["ratio"], table[end], len(table))
    return table
