"""Has the sampler converged? Judged on what a network identifies, by ArviZ's diagnostics.

Hidden units can be exchanged and turned over without changing anything, so single weights need
not agree between chains. Hyperparameters, the log posterior and the network's outputs must; of
hyperparameters that belong to single hidden units, the mean over the units must.
"""

from dataclasses import dataclass

import arviz as az
import numpy as np
import pandas as pd
import xarray as xr

from ..models.network import BNN
from ..samplers.energy_bias import is_biased
from ..samplers.findings import BFMI, WORST_DIVERGENT, WORST_ESS, WORST_RHAT
from ..samplers.identified import agreement, identified, network_outputs


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
    hyperparameters = identified(posterior, model.groups)
    rows = [agreement(values, "hyperparameter") for values in hyperparameters.values()]
    stats = idata["sample_stats"].dataset if "sample_stats" in idata else xr.Dataset()
    if "lp" in stats:
        rows.append(agreement(stats["lp"].rename("log posterior"), "log posterior"))
    outputs = network_outputs(model, idata).rename("network outputs")
    rows.append(agreement(outputs, "network outputs"))
    table = pd.DataFrame(rows).set_index("quantity")
    weight_rows = [agreement(posterior[name], "weights") for name in weights]
    divergences = int(stats["diverging"].sum()) if "diverging" in stats else 0
    momenta = "energy" in stats and not is_biased(idata)  # else the energy is the potential alone
    bfmi = float(np.min(az.bfmi(idata)["energy"])) if momenta else np.nan
    draws = posterior.sizes["chain"] * posterior.sizes["draw"]
    problems = _problems(table, divergences / draws, bfmi, posterior.sizes["chain"])
    return Convergence(
        table, pd.DataFrame(weight_rows).set_index("quantity"), divergences, bfmi, problems
    )


def _problems(table: pd.DataFrame, divergent: float, bfmi: float, chains: int) -> tuple[str, ...]:
    problems = []
    if chains < 2:
        problems.append("a single chain cannot show convergence: run four")
    rhat, ess = table["rhat"].dropna(), table["ess"].dropna()  # unknown for one chain, few draws
    if rhat.max() > WORST_RHAT:
        problems.append(
            f"chains disagree on {rhat.idxmax()} (R-hat {rhat.max():.2f}, "
            f"should be below {WORST_RHAT}): run longer"
        )
    if ess.empty:
        problems.append("there are too few draws to judge: run longer")
    elif ess.min() < WORST_ESS:
        problems.append(
            f"few effective draws of {ess.idxmin()} ({ess.min():.0f}, "
            f"should be above {WORST_ESS:.0f}): run longer"
        )
    if divergent > WORST_DIVERGENT:
        problems.append(f"{divergent:.1%} of the transitions diverged: use smaller steps")
    if bfmi < BFMI:
        problems.append(f"energy mixes badly (E-BFMI {bfmi:.2f}): run longer")
    return tuple(problems)
