"""Everything that a comparison knows about one model."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr

from ...models.bnn import BNN
from ...samplers import EnergyBias
from ..chains.chain_stacking import ChainWeights, predicting_draws, weights_where_apart
from ..chains.convergence import STABLE, Convergence, check_convergence, of_mixing
from ..chains.stability import Stability, check_stability
from ..dependence.partial_dependence import PartialDependence, partial_dependence
from ..fits.settings import ESTIMATE_ATTRIBUTE
from ..model_evidence.measured import Measured
from ..scores.arviz_parts import ELPDData
from ..scores.biases import bias_of
from ..scores.densities import TrainingDensities
from ..scores.evaluation import score_cases
from ..scores.information_criterion import ELPDDataWAIC, waic_in_pieces
from ..scores.known import leave_one_out_if_known
from ..scores.monte_carlo import bad_cases, elpd_mcse
from ..scores.smoothing import quietly
from .verdict import Standing


@dataclass
class ModelResult:
    """Everything about one fitted network.

    Parameters
    ----------
    name : str
        What it is called.
    model : BNN
        The network.
    idata : DataTree
        Its draws.
    loo : ELPDData
        PSIS-LOO, repaired if that was asked for.
    waic : ELPDDataWAIC
        WAIC.
    convergence : Convergence
        Diagnostics of the sampler.
    scores : Dataset or None
        Predictions and scores of held-out cases.
    bias : EnergyBias or None
        Bias of the mean energy, if the sampler is not exact.
    elpd_mcse : float
        Monte Carlo error of PSIS-LOO, NaN if it is not known.
    measured : Measured or None
        Its evidence, or why there is none, if that was asked for.
    stability : Stability or None
        Whether halves of its chains predict the same, if it has not converged.
    chain_weights : ChainWeights or None
        Weights of chains that stay apart.
    """

    name: str
    model: BNN
    idata: xr.DataTree
    loo: ELPDData
    waic: ELPDDataWAIC
    convergence: Convergence
    scores: xr.Dataset | None = None
    bias: EnergyBias | None = None
    elpd_mcse: float = np.nan
    measured: Measured | None = None
    stability: Stability | None = None
    chain_weights: ChainWeights | None = None

    @property
    def bad_cases(self) -> int:
        """Number of cases whose Pareto k says that PSIS-LOO fails, or is unknown."""
        return bad_cases(self.loo)

    @property
    def standing(self) -> Standing:
        """What a verdict looks at."""
        problems = self.convergence.problems
        return Standing(
            self.name,
            np.asarray(self.loo.elpd_i.values).ravel(),
            self.bad_cases,
            self.elpd_mcse,
            None if self.convergence.usable else _as_clause(problems[0]),
            self.convergence.warnings,
            None if self.scores is None else self.scores["log_score"].values,
            self.held_out_mcse,
            self.predicts_stably,
            0 if self.stability is None else self.stability.drawn,
        )

    @property
    def held_out_mcse(self) -> float:
        """Monte Carlo error of the summed log scores of held-out cases, NaN if it is not known."""
        if self.scores is None:
            return np.nan
        return self.scores.sizes["obs"] * float(self.scores["log_score_mcse"])

    @property
    def predicts_stably(self) -> bool:
        """Whether predictions can be used, although chains disagree on other things.

        Not where something else is wrong with the draws, such as many divergences or a bias.
        """
        return self.answer == STABLE

    @property
    def answer(self) -> str:
        """What the draws can be used for; see :meth:`.Convergence.answer`."""
        return self.convergence.answer(self.stability is not None and self.stability.stable)

    @property
    def stable(self) -> bool | None:
        """Whether halves of its chains predict the same, whatever else is wrong with its draws.

        None where that is not asked, as draws have converged or have faults of other kinds alone,
        and of fewer than four chains, which cannot show it.
        """
        if self.stability is None or np.isnan(self.stability.agreeing):
            return None
        return bool(self.stability.stable)

    @property
    def chains(self) -> str:
        """How predictions weigh chains: "equal", or "stacked" where that is better."""
        stacked = self.chain_weights is not None and self.chain_weights.better
        return "stacked" if stacked else "equal"

    @property
    def predicting(self) -> xr.DataTree:
        """Draws that predictions are made with."""
        return predicting_draws(self.idata, self.chain_weights)

    @cached_property
    def dependence(self) -> PartialDependence:
        """Partial dependence of its predictive mean on each column, in the user's unit."""
        return partial_dependence(self.model, self.predicting)

    @property
    def seconds(self) -> float:
        """Wall time of sampling, warm-up included and compilation not.

        Of chains that workers of a scheduler sampled it is that of the slowest.
        """
        attributes = self.idata.attrs | self.idata["posterior"].attrs
        return float(attributes.get("sampling_time", np.nan))

    @property
    def estimated_seconds(self) -> float:
        """Sampling time that was estimated before the start, NaN if none was."""
        return float(self.idata.attrs.get(ESTIMATE_ATTRIBUTE, np.nan))

    @property
    def gradient_evaluations(self) -> int:
        """Gradients of the log posterior, those of warm-up included if they are known."""
        if "gradient_evaluations" in self.idata.attrs:
            return int(self.idata.attrs["gradient_evaluations"])
        stats = self.idata["sample_stats"].dataset if "sample_stats" in self.idata else {}
        return int(stats["n_steps"].sum()) if "n_steps" in stats else 0


def _as_clause(sentence: str) -> str:
    """A sentence as it goes on after a colon; names such as R-hat keep their capital."""
    word = sentence.split()[0]
    return sentence if not word.isalpha() else sentence[0].lower() + sentence[1:]


def evaluate(
    name: str,
    model: BNN,
    idata: xr.DataTree,
    test: tuple[Any, Any] | None = None,
    *,
    moment_match: bool = False,
    refit: bool = False,
    seed: int = 0,
) -> ModelResult:
    """Evaluate one fitted network; see :func:`.compare`.

    Parameters
    ----------
    name : str
        What it is called.
    model : BNN
        The network.
    idata : DataTree
        Its draws.
    test : (X, y), optional
        Held-out cases.
    moment_match, refit : bool
        How to repair PSIS-LOO.
    seed : int
        For simulated targets and refits.

    Returns
    -------
    ModelResult
    """
    bias = bias_of(idata, seed)
    # so that the finding says by how much
    draws = idata if bias is None else bias.attach(idata.copy())
    densities = TrainingDensities(model, draws)
    convergence = check_convergence(model, draws)
    weights = weights_where_apart(model, draws, convergence)
    predicting = predicting_draws(draws, weights)
    loo = leave_one_out_if_known(model, draws, moment_match, refit, seed)
    return ModelResult(
        name,
        model,
        draws,
        loo,
        quietly(waic_in_pieces, densities),
        convergence,
        None if test is None else _scores(model, draws, predicting, test, seed),
        bias,
        np.nan if bad_cases(loo) else elpd_mcse(densities, loo),
        stability=_stability(convergence, model, draws, test, seed),
        chain_weights=weights,
    )


def _scores(
    model: BNN, draws: xr.DataTree, predicting: xr.DataTree, test: Any, seed: int
) -> xr.Dataset:
    """Score held-out cases; with weighted chains, set end to end, no Monte Carlo error is known."""
    X, y = test
    scores = score_cases(model, predicting, X, y, seed)
    return scores if predicting is draws else scores.assign(log_score_mcse=np.nan)


def _stability(
    convergence: Convergence, model: BNN, idata: xr.DataTree, test: Any, seed: int
) -> Stability | None:
    """Whether halves of the chains predict the same, where that is not known and may be asked."""
    errors = convergence.errors
    asked = not errors or any(map(of_mixing, errors))
    return check_stability(model, idata, test, seed) if asked and convergence.problems else None
