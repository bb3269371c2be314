"""Name what is wrong with draws, and the remedy."""

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
import xarray as xr

from ..models.description import description_of
from ..models.rebuilding import load
from . import mixing_findings, transition_findings
from .energy_bias import attached_energy_bias, is_biased
from .findings import Evidence, Finding
from .identified import agreement, identified, network_outputs

SEVERITIES = ("error", "warning", "note")
COLUMNS = ["name", "severity", "value", "threshold", "quantity", "problem", "remedy"]
# names that PyMC and nutpie give the same statistics
LOG_POSTERIOR = ("lp", "logp")
SATURATION = ("reached_max_treedepth", "maxdepth_reached")
ACCEPTANCE = ("acceptance_rate", "mean_tree_accept")


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """Result of :func:`diagnose`; prints as a summary.

    Parameters
    ----------
    findings : tuple of Finding
        What is wrong, the worst first; empty if nothing is.
    table : DataFrame
        R-hat, bulk and tail effective sample size of each quantity (of its worst element).
    chains, draws : int
        How many, draws of each chain.
    """

    findings: tuple[Finding, ...]
    table: pd.DataFrame
    chains: int
    draws: int

    @property
    def healthy(self) -> bool:
        """Whether there is neither an error nor a warning."""
        return all(finding.severity == "note" for finding in self.findings)

    def to_frame(self) -> pd.DataFrame:
        """Findings as a table, one row each."""
        return pd.DataFrame([asdict(finding) for finding in self.findings], columns=COLUMNS)

    def __repr__(self) -> str:
        runs = "1 chain" if self.chains == 1 else f"{self.chains} chains"
        found = "nothing to mend" if not self.findings else f"{len(self.findings)} finding(s)"
        lines = [f"Diagnosis of {runs} of {self.draws} draws: {found}."]
        for finding in self.findings:
            lines.append(f"{finding.severity:<8}{finding.name}: {finding.problem}")
            lines.append(f"{'':8}{finding.remedy}")
        return "\n".join([*lines, *self._extremes()])

    def _extremes(self) -> list[str]:
        known = self.table.dropna()
        if known.empty:
            return []
        ends = {
            "largest R-hat": (known["rhat"].idxmax(), f"{known['rhat'].max():.3f}"),
            "smallest bulk ESS": (known["ess"].idxmin(), f"{known['ess'].min():.0f}"),
            "smallest tail ESS": (known["ess_tail"].idxmin(), f"{known['ess_tail'].min():.0f}"),
        }
        text = ", ".join(f"{what} {value} ({name})" for what, (name, value) in ends.items())
        return [f"Of {len(self.table)} quantities: {text}."]


def diagnose(idata: xr.DataTree, var_names: str | list[str] | None = None) -> Diagnosis:
    """Name what is wrong with draws, and the remedy.

    Looks at divergences and acceptance (Lau 2018, 2.4 and 2.6), E-BFMI below 0.3 (Betancourt
    2016), rank-normalised R-hat above 1.01 and bulk and tail effective sample sizes below 100 per
    chain (Vehtari et al. 2021), trees of the largest depth, steps that are biased, and runs of one
    chain or few draws.

    Hidden units can be exchanged without changing anything, so that R-hat of a network's single
    weights misleads. By default the quantities are a network's hyperparameters (averaged over
    hidden units), its outputs at up to 200 training cases, and the log posterior; for draws of
    other models, all variables and the log posterior.

    Parameters
    ----------
    idata : DataTree
        Draws, from ``pm.sample`` with any steps, nutpie or :func:`sample`.
    var_names : str or list of str, optional
        Variables of the posterior to look at instead.

    Returns
    -------
    Diagnosis

    Raises
    ------
    ValueError
        If there is no posterior, or no such variable.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> with pm.Model():
    ...     x = pm.Normal("x")
    ...     idata = pm.sample(draws=50, tune=50, chains=1, step=samplers.NUTS(),
    ...                       progressbar=False, quiet=True, random_seed=1)
    >>> samplers.diagnose(idata).to_frame()["name"].tolist()[0]
    'chains'
    """
    if "posterior" not in idata:
        raise ValueError("idata has no group 'posterior': give what pm.sample returned.")
    posterior = idata["posterior"].dataset
    stats = idata["sample_stats"].dataset if "sample_stats" in idata else xr.Dataset()
    quantities = _chosen(posterior, var_names) if var_names else _by_default(idata, posterior)
    for name in LOG_POSTERIOR if var_names is None else ():
        if name in stats:
            quantities.append((stats[name].rename("log posterior"), "log posterior"))
    with np.errstate(invalid="ignore"):  # R-hat of what never changes
        rows = [agreement(values, kind) for values, kind in quantities]
    table = pd.DataFrame(rows).set_index("quantity")
    seen = _evidence(idata, stats, table)
    checks = (*transition_findings.CHECKS, *mixing_findings.CHECKS)
    found = [finding for check in checks for finding in check(seen)]
    found.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return Diagnosis(tuple(found), table, seen.chains, seen.draws)


def _chosen(posterior: xr.Dataset, var_names: str | list[str]) -> list[tuple[xr.DataArray, str]]:
    names = [var_names] if isinstance(var_names, str) else list(var_names)
    unknown = [name for name in names if name not in posterior]
    if unknown:
        raise ValueError(
            f"var_names: the posterior has no {', '.join(unknown)}; choose from "
            f"{', '.join(map(str, posterior.data_vars))}."
        )
    return [(posterior[name], "variable") for name in names]


def _by_default(idata: xr.DataTree, posterior: xr.Dataset) -> list[tuple[xr.DataArray, str]]:
    """Quantities that a network identifies, or all variables of another model."""
    try:
        description_of(idata)
    except ValueError:
        return [(values, "variable") for values in posterior.data_vars.values()]
    model = load(idata)
    hyper = identified(posterior.drop_vars("f", errors="ignore"), model.groups)
    outputs = posterior["f"] if "f" in posterior else network_outputs(model, idata)
    found = [(values, "hyperparameter") for values in hyper.data_vars.values()]
    return [*found, (outputs.rename("network outputs"), "network outputs")]


def _evidence(idata: xr.DataTree, stats: xr.Dataset, table: pd.DataFrame) -> Evidence:
    import arviz as az  # takes a second or two, which no draw needs to wait for

    sizes = idata["posterior"].sizes
    bfmi = None
    if "energy" in stats and sizes["draw"] > 1:
        bfmi = _by_chain(az.bfmi(idata)["energy"], "min")
    saturation, acceptance = (
        next((_by_chain(stats[name].mean("draw"), how) for name in names if name in stats), None)
        for names, how in ((SATURATION, "max"), (ACCEPTANCE, "min"))
    )
    return Evidence(
        table,
        int(stats["diverging"].sum()) if "diverging" in stats else 0,
        bfmi,
        saturation,
        acceptance,
        sizes["chain"],
        sizes["draw"],
        is_biased(idata),
        attached_energy_bias(idata),
    )


def _by_chain(values: xr.DataArray, how: str) -> xr.DataArray:
    """One value per chain, the worst one where several steps report the same statistic."""
    others = [dim for dim in values.dims if dim != "chain"]
    return values.min(others) if how == "min" else values.max(others)
