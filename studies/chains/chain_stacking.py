r"""Weights of chains that stay apart, by what they predict (Yao, Vehtari & Gelman 2022).

Chains that do not mix visit modes in shares that say nothing about their probability, and the
average of all chains predicts as if they did. Stacking takes each chain as a model and maximises
the log score of their mixture for cases that are left out,

.. math:: \max_w \sum_i \log \sum_k w_k\, p_k(y_i \mid y_{-i}), \qquad w_k \ge 0, \sum_k w_k = 1,

with leave-one-out densities :math:`p_k` from Pareto-smoothed importance sampling of chain :math:`k`
alone. A Dirichlet prior worth one case for each chain keeps chains that predict alike at equal
weights, so that few of their draws are lost. What results predicts, and is no posterior.

Weights that were chosen by scores are flattered by them. So the gain over equal weights is that of
cases that had no part in the weights: of each tenth of the cases by weights from the others. And a
chain for whose cases leave-one-out fails is flattered too, as it has fitted them too closely: where
that is so for more than a twentieth of the cases, weights stay equal.

A thousand cases tell weights well enough, and smoothing takes a millisecond for each case of each
chain: of more, a thousand are drawn at random, the same each time.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from ...models.bnn import BNN
from ...samplers.diagnosis.findings import LEAST_DRAWS, WORST_RHAT
from ..errors import InputError
from ..scores.densities import temperature_of
from ..scores.known import of_some_cases
from ..scores.paired_scores import NOTICEABLE, difference
from .convergence import Convergence
from .mixture_weights import mixture, optimal_weights
from .weighted_draws import labels_of, weighted_draws

FOLDS = 10
MOST_FAILING = 0.05  # of the cases
LEAST_SMOOTHED = 25  # draws of a chain, of which the fifth in the tail is what is smoothed
MOST_CASES = 1000
LEAST_CASES = 100  # for a standard error of differences by leave-one-out (Sivula et al. 2025)


@dataclass(frozen=True)
class ChainWeights:
    """Weights of chains, and whether they predict better than equal ones.

    Parameters
    ----------
    weights : tuple of float
        One for each chain, with a sum of 1.
    gain, gain_se : float
        Expected log predictive density of weighted chains less that of equal ones for all training
        cases, and its standard error, in nats.
    cases : int
        Training cases that they are made of.
    failing : int
        Of these, for how many leave-one-out fails in some chain.
    chains : tuple
        Labels of the chains, in the order of their weights; empty if they have none.
    drawn_from : int
        Number of training cases, of which those of the weights were drawn; 0 if these are all.
    """

    weights: tuple[float, ...]
    gain: float
    gain_se: float
    cases: int
    failing: int = 0
    chains: tuple[Any, ...] = ()
    drawn_from: int = 0

    @property
    def reliable(self) -> bool:
        """Whether leave-one-out can tell, by the number of cases and those for which it fails."""
        return self.cases >= LEAST_CASES and self.failing <= MOST_FAILING * self.cases

    @property
    def better(self) -> bool:
        """Whether weighted chains win by more than a standard error and 4 nats, reliably."""
        return self.reliable and self.gain > max(self.gain_se, NOTICEABLE)

    def words(self) -> str:
        """Say which weights predictions are made with, and why.

        Examples
        --------
        >>> from pymc_bnn.studies.chains.chain_stacking import ChainWeights
        >>> print(ChainWeights((0.75, 0.25), 12.0, 3.0, 200).words())
        Chains stay apart, and predictions weigh them by stacking, 0.75, 0.25: it wins against equal weights by 12.0 ± 3.0 in expected log predictive density.
        """  # noqa: E501
        margin = f"{self.gain:.1f} ± {self.gain_se:.1f} in expected log predictive density"
        if self.drawn_from:
            margin += f", by {self.cases} cases drawn from {self.drawn_from}"
        if self.better:
            weights = ", ".join(f"{weight:.2f}" for weight in self.weights)
            return (
                f"Chains stay apart, and predictions weigh them by stacking, {weights}: it wins "
                f"against equal weights by {margin}."
            )
        return f"Chains stay apart, and predictions weigh them equally, as {self._why(margin)}."

    def _why(self, margin: str) -> str:
        """What keeps weights equal."""
        if not self.reliable:
            return (
                f"leave-one-out cannot tell otherwise (it fails for {self.failing} of "
                f"{self.cases} cases in some chain; {LEAST_CASES} cases are needed)"
            )
        if not np.isfinite(self.gain):
            return "what stacking gains is unknown (scores of some cases are not finite)"
        return f"stacking gains too little ({margin})"


def stack_chains(model: BNN, idata: xr.DataTree) -> ChainWeights:
    """Weigh chains by how well they predict left-out training cases.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.

    Returns
    -------
    ChainWeights

    Raises
    ------
    InputError
        If a chain has too few draws for importance sampling.
    ValueError
        If draws are of another temperature than 1.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> from pymc_bnn.studies.chains.chain_stacking import stack_chains
    >>> X = np.linspace(-1, 1, 20)[:, None]
    >>> model = models.gaussian(X, X[:, 0], hidden=())
    >>> idata = samplers.sample(model, draws=50, tune=50, chains=2, cores=1, seed=1,
    ...                         progressbar=False, quiet=True)
    >>> len(stack_chains(model, idata).weights)
    2
    """
    posterior = idata["posterior"].dataset
    if posterior.sizes["draw"] < LEAST_SMOOTHED:
        raise InputError(
            f"idata: {posterior.sizes['draw']} draws of each chain are too few for leave-one-out, "
            f"which needs {LEAST_SMOOTHED}; sample more draws."
        )
    of_all = len(model["X"].get_value(borrow=True))
    cases = _some_cases(of_all)
    found = []
    for chain in range(posterior.sizes["chain"]):
        alone = xr.DataTree.from_dict({"posterior": posterior.isel(chain=[chain])})
        alone.attrs = idata.attrs
        found.append(of_some_cases(model, alone, cases))
    failing = np.any([~(np.ravel(loo.pareto_k) <= loo.good_k) for loo in found], axis=0)
    weights = weigh(np.array([np.ravel(loo.elpd_i) for loo in found]))
    share = of_all / cases.size  # what some of the cases gain is worth more with all of them
    return replace(
        weights,
        gain=share * weights.gain,
        gain_se=share * weights.gain_se,
        failing=int(failing.sum()),
        chains=labels_of(posterior),
        drawn_from=of_all if cases.size < of_all else 0,
    )


def _some_cases(count: int) -> np.ndarray:
    """Places of the cases that weights are made of, in their order."""
    if count <= MOST_CASES:
        return np.arange(count)
    return np.sort(np.random.default_rng(0).choice(count, MOST_CASES, replace=False))


def weights_where_apart(
    model: BNN, idata: xr.DataTree, convergence: Convergence
) -> ChainWeights | None:
    """Weigh chains whose outputs disagree so much that draws should not be used.

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
    ChainWeights or None
        None where outputs agree, or something else is wrong with the draws, or each chain has too
        few for leave-one-out, or they are of another temperature than 1.
    """
    if idata["posterior"].sizes["draw"] < LEAST_DRAWS or temperature_of(idata) != 1:
        return None
    apart = convergence.table.loc["network outputs", "rhat"] > WORST_RHAT
    return stack_chains(model, idata) if apart and convergence.only_mixing else None


def weigh(scores: np.ndarray) -> ChainWeights:
    """Weigh chains by log densities of left-out cases, shape (chains, cases)."""
    chains, cases = scores.shape
    if not np.isfinite(scores).all():
        return ChainWeights((1 / chains,) * chains, np.nan, np.nan, cases)
    equal = np.full(chains, 1 / chains)
    weighted = np.empty(cases)
    for fold in range(min(FOLDS, cases)):
        left_out = np.arange(cases) % FOLDS == fold
        weighted[left_out] = mixture(scores[:, left_out], optimal_weights(scores[:, ~left_out]))
    gap = difference(weighted, mixture(scores, equal))
    found = tuple(optimal_weights(scores).tolist())
    return ChainWeights(found, gap.total, gap.total_se, cases)


def predicting_draws(idata: xr.DataTree, weights: ChainWeights | None) -> xr.DataTree:
    """Draws to predict with: those of weighted chains, where that is better."""
    if weights is None or not weights.better:
        return idata
    posterior = idata["posterior"].dataset
    if (chains := posterior.sizes["chain"]) != len(weights.weights):
        raise ValueError(f"idata has {chains} chain(s), and weights are of {len(weights.weights)}.")
    here, there = labels_of(posterior), weights.chains
    if not here or not there or here == there:
        return weighted_draws(idata, weights.weights)
    if sorted(here) != sorted(there):
        raise ValueError(f"idata has the chains {here}, and weights are of {there}.")
    return weighted_draws(idata, tuple(weights.weights[there.index(label)] for label in here))
