"""Has the sampler converged? The findings of :func:`~pymc_bnn.samplers.diagnose`, for reports.

Hidden units can be exchanged and turned over without changing anything, so single weights need
not agree between chains. Hyperparameters, the log posterior and the network's outputs must; of
hyperparameters that belong to single hidden units, the mean over the units must.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from ...models.bnn import BNN
from ...samplers.diagnosis.counted import divergences_of
from ...samplers.diagnosis.diagnose import Diagnosis, judge, quantities_of
from ...samplers.diagnosis.evidence import log_posterior_of, statistics_of
from ...samplers.diagnosis.findings import Finding
from ...samplers.diagnosis.identified import agreement

STABLE = "predictions stable"
MIXING = ("R-hat", "bulk ESS", "tail ESS")


def of_mixing(finding: Finding) -> bool:
    """Whether a finding is that chains disagree, or have few effective draws."""
    return finding.name in MIXING and bool(np.isfinite(finding.value))


@dataclass(frozen=True)
class Convergence:
    """Diagnostics of one fit.

    Parameters
    ----------
    diagnosis : Diagnosis
        All findings, by the rules of :func:`~pymc_bnn.samplers.diagnose`.
    weights : DataFrame
        R-hat and effective sample sizes of weight groups; for information, not for a verdict.
    divergences : int
        Divergent transitions after warm-up, those between recorded draws included.
    """

    diagnosis: Diagnosis
    weights: pd.DataFrame
    divergences: int

    @property
    def table(self) -> pd.DataFrame:
        """R-hat and effective sample sizes of hyperparameters, log posterior and network outputs.

        Those of the worst element of each; the column ``kind`` says what it is.
        """
        return self.diagnosis.table

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong and how to mend it, the worst first; empty if nothing is."""
        findings = self.diagnosis.findings
        return tuple(f"{f.problem} {f.remedy}" for f in findings if f.severity != "note")

    @property
    def converged(self) -> bool:
        """Whether nothing is wrong."""
        return self.diagnosis.healthy

    @property
    def usable(self) -> bool:
        """Whether nothing is so wrong that the draws should not be used."""
        return self.diagnosis.usable

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Why the draws should not be used; empty if they may be."""
        return tuple(f for f in self.diagnosis.findings if f.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Why draws that may be used are less exact than they should be; empty if they are not."""
        return tuple(f for f in self.diagnosis.findings if f.severity == "warning")

    @property
    def only_mixing(self) -> bool:
        """Whether all errors are that chains disagree, or that they have few effective draws."""
        return all(map(of_mixing, self.errors))

    @property
    def grade(self) -> str:
        """In words: "converged", "nearly" with warnings, or "not yet" with errors."""
        return "converged" if self.converged else "nearly" if self.usable else "not yet"

    def answer(self, stable: bool) -> str:
        """What draws can be used for: the grade, or "predictions stable" where that says more.

        It does where draws cannot be used because chains disagree or have few effective draws, and
        for nothing else.

        Parameters
        ----------
        stable : bool
            Whether halves of the chains predict the same; see :mod:`.stability`.

        Returns
        -------
        str
        """
        return STABLE if stable and not self.usable and self.only_mixing else self.grade

    @property
    def largest_rhat(self) -> float:
        """Largest R-hat of what a network identifies; unknown if one is."""
        return float(self.table["rhat"].max(skipna=False))

    @property
    def least_ess(self) -> float:
        """Smallest effective sample size of what a network identifies; unknown if one is."""
        return float(self.table["ess"].min(skipna=False))

    @property
    def least_ess_tail(self) -> float:
        """Smallest effective sample size of the tails of the same."""
        return float(self.table["ess_tail"].min(skipna=False))


def check_convergence(model: BNN, idata: xr.DataTree) -> Convergence:
    """Diagnose one fit, by the same rules as :func:`~pymc_bnn.samplers.diagnose`.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.

    Returns
    -------
    Convergence

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers, studies
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> model = models.gaussian(X, X[:, 0], hidden=())
    >>> idata = samplers.sample(model, draws=50, tune=50, chains=1, cores=1, seed=1,
    ...                         progressbar=False, quiet=True)
    >>> studies.check_convergence(model, idata).problems[0]
    'A single chain cannot show convergence. Run four chains from dispersed starting points, as samplers.sample does.'
    """  # noqa: E501
    posterior = idata["posterior"].dataset
    weights = [name for name in model.groups if name in posterior]
    diagnosis = judge(idata, [*quantities_of(model, idata), *log_posterior_of(idata)])
    rows = [agreement(posterior[name], "weights") for name in weights]
    table = pd.DataFrame(rows).set_index("quantity")
    return Convergence(diagnosis, table, divergences_of(statistics_of(idata)))
