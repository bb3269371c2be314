"""Has the sampler converged? Judged on what a network identifies, by ArviZ's diagnostics.

Hidden units can be exchanged and turned over without changing anything, so single weights need
not agree between chains. Hyperparameters, the log posterior and the network's outputs must; of
hyperparameters that belong to single hidden units, the mean over the units must.
"""

from dataclasses import dataclass
from typing import cast

import arviz as az
import numpy as np
import pandas as pd
import xarray as xr

from ..models.network import BNN

LARGEST_RHAT = 1.05
LEAST_ESS = 100.0
MOST_DIVERGENT = 0.01
LEAST_BFMI = 0.3
MOST_CASES = 200


@dataclass(frozen=True)
class Convergence:
    """Diagnostics of one fit.

    Parameters
    ----------
    table : DataFrame
        R-hat and effective sample sizes of hyperparameters, log posterior and network outputs
        (the worst of each), one row each, with a column ``kind``.
    weights : DataFrame
        The same of weight groups; for information, not for a verdict.
    divergences : int
        Divergent transitions after warm-up.
    bfmi : float
        Smallest energy Bayesian fraction of missing information of a chain.
    problems : tuple of str
        What is wrong, in words; empty if nothing is.
    """

    table: pd.DataFrame
    weights: pd.DataFrame
    divergences: int
    bfmi: float
    problems: tuple[str, ...]

    @property
    def converged(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    @property
    def least_ess(self) -> float:
        """Smallest effective sample size of what a network identifies."""
        return float(self.table["ess"].min())


def check_convergence(model: BNN, idata: xr.DataTree) -> Convergence:
    """Diagnose one fit.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.

    Returns
    -------
    Convergence
    """
    posterior = idata["posterior"].dataset
    weights = [name for name in model.groups if name in posterior]
    rows = [_diagnose(values, "hyperparameter") for values in identified(model, posterior).values()]
    stats = idata["sample_stats"].dataset if "sample_stats" in idata else xr.Dataset()
    if "lp" in stats:
        rows.append(_diagnose(stats["lp"].rename("log posterior"), "log posterior"))
    rows.append(_diagnose(_outputs(model, idata).rename("network outputs"), "network outputs"))
    table = pd.DataFrame(rows).set_index("quantity")
    weight_rows = [_diagnose(posterior[name], "weights") for name in weights]
    divergences = int(stats["diverging"].sum()) if "diverging" in stats else 0
    bfmi = float(np.min(az.bfmi(idata)["energy"])) if "energy" in stats else np.nan
    draws = posterior.sizes["chain"] * posterior.sizes["draw"]
    problems = _problems(table, divergences / draws, bfmi, posterior.sizes["chain"])
    return Convergence(
        table, pd.DataFrame(weight_rows).set_index("quantity"), divergences, bfmi, problems
    )


def identified(model: BNN, posterior: xr.Dataset) -> xr.Dataset:
    """Return what the data identify of the hyperparameters.

    Parameters
    ----------
    model : BNN
        The model.
    posterior : Dataset
        Its draws.

    Returns
    -------
    Dataset
        Logarithms of the hyperparameters, which are positive and skewed, averaged over hidden
        units.
    """
    weights = {*model.groups, *(f"{name}_raw" for name in model.groups)}
    found = {}
    for name in posterior.data_vars:
        if name not in weights:
            values = posterior[name]
            values = cast(xr.DataArray, np.log(values)) if bool((values > 0).all()) else values
            found[name] = values.mean([d for d in values.dims if str(d).startswith("hidden_")])
    return xr.Dataset(found)


def _outputs(model: BNN, idata: xr.DataTree) -> xr.DataArray:
    """Network outputs at some of the training cases."""
    X = idata["constant_data"].dataset["X"].values
    rows = np.linspace(0, len(X) - 1, min(len(X), MOST_CASES)).astype(int)
    prediction = model.predict(idata, X[rows], draws=["f"], quantiles=(), seed=0)
    return prediction["predictions"].dataset["f"]


def _diagnose(values: xr.DataArray, kind: str) -> dict[str, object]:
    name = values.name or "value"
    tree = xr.DataTree.from_dict({"posterior": xr.Dataset({name: values})})
    return {
        "quantity": name,
        "kind": kind,
        "rhat": float(az.rhat(tree)[name].max()),
        "ess": float(az.ess(tree)[name].min()),
        "ess_tail": float(az.ess(tree, method="tail")[name].min()),
    }


def _problems(table: pd.DataFrame, divergent: float, bfmi: float, chains: int) -> tuple[str, ...]:
    problems = []
    if chains < 2:
        problems.append("a single chain cannot show convergence: run four")
    rhat, ess = table["rhat"].dropna(), table["ess"].dropna()  # unknown for one chain, few draws
    if rhat.max() > LARGEST_RHAT:
        problems.append(
            f"chains disagree on {rhat.idxmax()} (R-hat {rhat.max():.2f}, "
            f"should be below {LARGEST_RHAT}): run longer"
        )
    if ess.empty:
        problems.append("there are too few draws to judge: run longer")
    elif ess.min() < LEAST_ESS:
        problems.append(
            f"few effective draws of {ess.idxmin()} ({ess.min():.0f}, "
            f"should be above {LEAST_ESS:.0f}): run longer"
        )
    if divergent > MOST_DIVERGENT:
        problems.append(f"{divergent:.1%} of the transitions diverged: use smaller steps")
    if bfmi < LEAST_BFMI:
        problems.append(f"energy mixes badly (E-BFMI {bfmi:.2f}): run longer")
    return tuple(problems)
