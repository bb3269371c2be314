"""Name what is wrong with draws, and the remedy."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import pandas as pd
import pymc as pm
import xarray as xr

from ...models.bnn import BNN
from ...models.description import description_of
from ...models.loading import load
from . import draw_findings, ladder_findings, mixing_findings, transition_findings
from .evidence import Quantities, gather, log_posterior_of
from .findings import Finding
from .identified import identified, network_outputs

SEVERITIES = ("error", "warning", "note")
COLUMNS = ["name", "severity", "value", "threshold", "quantity", "problem", "remedy"]
CHECKS = (
    *draw_findings.CHECKS,
    *transition_findings.CHECKS,
    *mixing_findings.CHECKS,
    *ladder_findings.CHECKS,
)


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

    @property
    def usable(self) -> bool:
        """Whether there is no error; with warnings, draws are less exact than they should be."""
        return all(finding.severity != "error" for finding in self.findings)

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

    Looks at chains that never move and draws that are not finite, divergences and acceptance (Lau
    2018, 2.4 and 2.6), E-BFMI below 0.3 (Betancourt 2016), rank-normalised R-hat above 1.01 and
    bulk and tail effective sample sizes below 400 (Vehtari et al. 2021), trees of the largest
    depth, steps that are biased, replicas of ``samplers.sample`` that do not travel,
    and runs of one chain or few draws. An error says that the draws
    should not be used: chains that never move, draws that are not finite or are biased, an R-hat
    above 1.05, fewer than 100 effective draws, more than 1% of divergent transitions, or a low
    E-BFMI (where Gibbs draws move the energy too, few effective draws of it). Fewer than one
    divergence in 10 000 transitions is a note.
    :func:`pymc_bnn.studies.check_convergence` and the reports judge by the same findings.

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
        If there is no posterior, or no chain, no draw or no such variable in it.

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
    if "chain" not in posterior.dims:
        raise ValueError("idata has no dimension 'chain': select one chain as isel(chain=[0]).")
    if not posterior.sizes.get("draw", 0):
        raise ValueError("idata has no draws in 'posterior': give those of a run that kept some.")
    if var_names:
        chosen = _chosen(posterior, var_names)
        return judge(idata, chosen, [values for values, _ in chosen])
    return judge(idata, [*_by_default(idata, posterior), *log_posterior_of(idata)])


def judge(
    idata: xr.DataTree, quantities: Quantities, variables: Iterable[xr.DataArray] | None = None
) -> Diagnosis:
    """Judge draws by chosen quantities: the one place where all findings are made.

    Parameters
    ----------
    idata : DataTree
        The draws.
    quantities : list of (DataArray, str)
        What to judge chains by, and of what kind each is.
    variables : iterable of DataArray, optional
        What has to be finite; by default every variable of the posterior.

    Returns
    -------
    Diagnosis
    """
    if variables is None:
        variables = idata["posterior"].dataset.data_vars.values()
    seen = gather(idata, quantities, variables)
    found = [finding for check in CHECKS for finding in check(seen)]
    found.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return Diagnosis(tuple(found), seen.table, seen.chains, seen.draws)


def quantities_of(model: BNN, idata: xr.DataTree) -> Quantities:
    """What a network identifies: its hyperparameters and its outputs.

    Parameters
    ----------
    model : BNN
        The network.
    idata : DataTree
        Its draws.

    Returns
    -------
    list of (DataArray, str)
        Draws of each quantity, and of what kind it is.
    """
    posterior = idata["posterior"].dataset
    hyper = identified(posterior, model.groups)
    outputs = network_outputs(model, idata)
    found = [(values, "hyperparameter") for values in hyper.data_vars.values()]
    return [*found, (outputs.rename("network outputs"), "network outputs")]


def _chosen(posterior: xr.Dataset, var_names: str | list[str]) -> Quantities:
    if isinstance(var_names, pm.Model):
        raise ValueError("var_names: a model was given; draws know theirs: diagnose(idata).")
    names = [var_names] if isinstance(var_names, str) else list(var_names)
    unknown = [name for name in names if name not in posterior]
    if unknown:
        raise ValueError(
            f"var_names: the posterior has no {', '.join(unknown)}; choose from "
            f"{', '.join(map(str, posterior.data_vars))}."
        )
    return [(posterior[name], "variable") for name in names]


def _by_default(idata: xr.DataTree, posterior: xr.Dataset) -> Quantities:
    """Quantities that a network identifies, or all variables of another model."""
    try:
        description_of(idata)
    except ValueError:
        return [(values, "variable") for values in posterior.data_vars.values()]
    return quantities_of(load(idata), idata)
