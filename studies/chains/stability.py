r"""Whether halves of the chains predict the same, although chains disagree on other things.

Chains of a network may stay in different modes, so that its posterior has not converged, and yet
make the same predictions. Predictions are called stable if those from any half of the chains agree
with those from the other half, and those from the first half of all chains with those from the
second (of more than eight chains 35 halves are looked at, drawn by chance):

1. At :data:`ENOUGH` of the cases, mean and 90% interval differ by less than :data:`CLOSE` of the
   predictive standard deviation; for classes, the probability of each class by that share of its
   :math:`\sqrt{p (1 - p)}`.
2. Mean log scores differ by less than :data:`NATS`.

Halves of few effective draws differ by chance, and then are not called stable. Chains that all miss
the same mode agree, and are: no diagnostic sees what no chain has seen. Chains that still move the
same way agree at every time, and differ from themselves.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import logsumexp

from ...models.bnn import BNN
from ...models.data.targets import as_inputs
from ...models.scores import log_densities
from ...samplers.diagnosis.rounding import beside
from .convergence import Convergence
from .halves import MOST_SPLITS, MOST_WHOLE, pieces_of, splits_of
from .prediction_gaps import Splits, prediction_gaps

CLOSE = 0.05  # of the predictive standard deviation
ENOUGH = 0.95  # of the cases
NATS = 0.02
FEWEST_CHAINS = 4
MOST_CASES = 200
MOST_DRAWS = 1000  # of each chain


@dataclass(frozen=True)
class Stability:
    """Whether halves of the chains predict the same.

    Parameters
    ----------
    agreeing : float
        Share of the cases at which halves agree, in the worst split of the chains or of their
        time; NaN if there are fewer than four chains.
    nats : float
        Largest difference of mean log scores between halves.
    cases : int
        Cases that were looked at.
    worst : tuple
        Those at which halves differ most, by the names of their rows, the worst first; empty if
        they agree at all.
    drawn : int
        How many halves of the chains were looked at, where there are too many for all; else 0.
    """

    agreeing: float
    nats: float
    cases: int
    worst: tuple[Any, ...] = ()
    drawn: int = 0

    @property
    def stable(self) -> bool:
        """Whether predictions do not depend on which half of the draws makes them."""
        return self.agreeing >= ENOUGH and self.nats < NATS

    def words(self) -> str:
        """Say it with the numbers.

        Examples
        --------
        >>> from pymc_bnn.studies.chains.stability import Stability
        >>> print(Stability(0.98, 0.004, 200, (3,)).words())
        Predictions are stable: in the worst split into halves, by chains or by time, means and 90% intervals agree at 98% of 200 cases, and mean log scores differ by 0.004 nats.
        """  # noqa: E501
        if np.isnan(self.agreeing):
            return "Fewer than four chains cannot show whether predictions are stable."
        by_chains = f"by chains ({self.drawn} of all ways)" if self.drawn else "by chains"
        found = (
            f"in the worst split into halves, {by_chains} or by time, means and 90% intervals "
            f"agree at {beside(100 * self.agreeing, 100 * ENOUGH)}% of {self.cases} cases, and "
            f"mean log scores differ by {beside(self.nats, NATS, digits=2, kind='g')} nats"
        )
        if self.stable:
            return f"Predictions are stable: {found}."
        wanted = f"{ENOUGH:.0%} and less than {NATS:g} are wanted"
        rows = f" Halves differ most at rows {', '.join(map(str, self.worst))}."
        return f"Predictions are not stable: {found}; {wanted}.{rows if self.worst else ''}"


def check_stability(
    model: BNN, idata: xr.DataTree, test: tuple[Any, Any] | None = None, seed: int = 0
) -> Stability:
    """Compare the predictions of halves of the chains, and of their first and second halves.

    Up to eight chains are halved in each way, and more in 35 ways that are drawn by chance, the
    same ones each time.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws, of four chains or more.
    test : (X, y), optional
        Cases to predict, in the scale of the model; by default the training cases. Of many, 200
        are taken, evenly, but for the log score.
    seed : int
        For simulated targets.

    Returns
    -------
    Stability

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers, studies
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> model = models.gaussian(X, X[:, 0], hidden=())
    >>> idata = samplers.sample(model, draws=20, tune=50, chains=2, cores=1, seed=1,
    ...                         progressbar=False, quiet=True)
    >>> studies.check_stability(model, idata).words()
    'Fewer than four chains cannot show whether predictions are stable.'
    """
    X, y = model.training_data() if test is None else test
    sizes = idata["posterior"].sizes
    rows = np.unique(np.linspace(0, len(X) - 1, min(len(X), MOST_CASES)).astype(int))
    if sizes["chain"] < FEWEST_CHAINS:
        return Stability(np.nan, np.nan, len(rows))
    values, _ = as_inputs(X, model.inputs)
    every = -(-sizes["draw"] // MOST_DRAWS)
    count = -(-sizes["draw"] // every)
    first = every * (count % 2) if count > 1 else 0  # both halves of the time have as many draws
    # only the posterior is needed: the other groups would be cut up as well
    thinned = xr.DataTree.from_dict(
        {"posterior": idata["posterior"].isel(draw=slice(first, None, every)).dataset}
    )
    pieces = pieces_of(model, thinned)
    splits = splits_of(sizes["chain"], len(pieces))
    apart = prediction_gaps(model, pieces, values[rows], splits, seed)
    agreeing = (apart < CLOSE).mean(axis=1).min()
    worst = apart.max(axis=0)
    order = [int(i) for i in np.argsort(-worst)[:5] if worst[i] >= CLOSE]
    nats = _log_score_gap(model, thinned, X, y, splits, trained=test is None)
    labels = X.index if isinstance(X, pd.DataFrame) else np.arange(len(X))
    names = tuple(labels[rows[order]].tolist())
    drawn = MOST_SPLITS if sizes["chain"] > MOST_WHOLE else 0
    return Stability(float(agreeing), nats, len(rows), names, drawn)


def answer_of(model: BNN, idata: xr.DataTree, convergence: Convergence) -> str:
    """Say what draws can be used for, where predictions of the training cases may be stable.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.
    convergence : Convergence
        Their diagnosis.

    Returns
    -------
    {"converged", "predictions stable", "nearly", "not yet"}

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers, studies
    >>> from pymc_bnn.studies.chains.stability import answer_of
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> model = models.gaussian(X, X[:, 0], hidden=())
    >>> idata = samplers.sample(model, draws=20, tune=50, chains=1, cores=1, seed=1,
    ...                         progressbar=False, quiet=True)
    >>> answer_of(model, idata, studies.check_convergence(model, idata))
    'not yet'
    """
    says_more = convergence.answer(stable=True) != convergence.grade
    return convergence.answer(says_more and check_stability(model, idata).stable)


def _log_score_gap(
    model: BNN,
    idata: xr.DataTree,
    X: Any,
    y: Any,
    splits: Splits,
    trained: bool,
) -> float:
    """Largest difference of mean log scores of halves; memory holds one batch of cases."""
    differences, cases = np.zeros(len(splits)), 0
    for densities in log_densities(model, idata, X, y, trained=trained):
        each = densities.values
        times = np.array_split(each, 2 if each.shape[1] > 1 else 1, axis=1)
        pieces = np.concatenate([logsumexp(part, axis=1) - np.log(part.shape[1]) for part in times])
        cases += each.shape[2]
        for number, split in enumerate(splits):
            one, other = (logsumexp(pieces[half], axis=0) - np.log(len(half)) for half in split)
            differences[number] += (one - other).sum()
    return float(np.abs(differences).max() / cases)
