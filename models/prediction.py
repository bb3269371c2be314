"""Predictions of new cases from posterior draws, in batches of cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from pytensor.graph.traversal import ancestors

from .data.targets import as_inputs
from .forward_pass import Hyperparameters, PosteriorDraws, batches, blocks, outputs
from .likelihoods.comparing import compare_draws
from .likelihoods.contract import of_shape, predicted_names, simulated

if TYPE_CHECKING:
    from .bnn import BNN

QUANTILES = (0.05, 0.5, 0.95)


def predict(
    model: BNN,
    idata: xr.DataTree,
    X: Any,
    *,
    draws: bool | Sequence[str] = True,
    quantiles: Sequence[float] = QUANTILES,
    seed: int | np.random.Generator | None = None,
) -> xr.DataTree:
    r"""Predict new cases from posterior draws.

    For each draw :math:`\theta` the network output :math:`f(x; \theta)`, a target
    :math:`y \sim p(y \mid f, \theta)` and, for classes, their probabilities. Cases are handled
    in batches: memory holds the results asked for and one batch.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.
    X : array, DataFrame or DataArray, shape (cases, inputs)
        New inputs, in the scale of the training inputs; a DataFrame may have its columns in
        any order.
    draws : bool or sequence of str
        Which variables to return draw by draw, besides their summary: ``"f"``, ``"y"``,
        ``"probability"`` or others that the likelihood predicts. One million cases and
        4000 draws are 30 GiB a variable: pass ``False`` there.
    quantiles : sequence of float
        Quantiles of the summary.
    seed : int or Generator, optional
        For the simulated targets.

    Returns
    -------
    DataTree
        Group ``predictions`` with ``f``, ``y`` and, for classes, ``probability`` (dimensions
        chain, draw, obs, output; ``y`` holds class codes and has no output then), or what
        else the likelihood predicts: :class:`.HeteroscedasticNoise` the standard deviation
        ``noise_sd`` of each case's noise, :class:`.Poisson` the mean ``rate``. Group
        ``summary`` with ``mean``, ``sd`` and ``quantiles`` of ``f`` and of ``y`` or, for
        classes, ``probability``, along the dimension ``variable``.

    Raises
    ------
    ValueError
        If X does not fit the model or idata lacks its draws, or a likelihood that a user wrote
        draws other targets than it declares.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import models
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> model = models.gaussian(X, X[:, 0] ** 2, hidden=(4,))
    >>> with model:
    ...     idata = pm.sample_prior_predictive(draws=5, random_seed=1)
    >>> idata["posterior"] = idata["prior"]
    >>> prediction = model.predict(idata, [[0.5]], seed=1)
    >>> prediction["predictions"]["f"].dims
    ('chain', 'draw', 'obs', 'output')
    >>> prediction["summary"]["mean"].sel(variable="y").dims
    ('obs', 'output')
    """
    values, _ = as_inputs(X, model.inputs)
    posterior = PosteriorDraws(model, idata)
    rng, levels = _generator(seed), _levels(quantiles)
    kept = _kept(model, draws)
    results = _Results(model, posterior, len(values), kept, levels)
    compare_draws(model, idata)
    posterior.hyperparameters = Hyperparameters(
        model.likelihood.completed(posterior.hyperparameters, rng)
    )
    for rows in batches(model, posterior, len(values)):
        drawn: dict[str, list[np.ndarray]] = {}
        for samples in blocks(model, posterior, len(values[rows])):
            part = posterior.part(samples)
            for name, array in _draw(model, part, values[rows], rng, results.predicted).items():
                drawn.setdefault(name, []).append(array)
        for name in list(drawn):  # memory holds one of them twice at most
            results.add(name, rows, np.concatenate(drawn.pop(name)))
    return results.tree()


def check_drawn_alone(model: BNN, outs: Any, inputs: Any) -> None:
    """Refuse to draw targets given posterior draws where they depend on the training targets too.

    ``pm.sample_posterior_predictive`` compiles a function from posterior draws to targets. It knows
    the distribution of targets given the draws alone, and not given the training targets as well.
    ``pm.sample_prior_predictive`` has no inputs.

    Parameters
    ----------
    model : BNN
        The model.
    outs : Variable or sequence of Variable
        What is compiled.
    inputs : sequence of Variable, optional
        What it takes.

    Raises
    ------
    ValueError
        If there are inputs, targets are drawn, and cases are not independent given the draws.
    """
    if model.likelihood.independent or not inputs:
        return
    listed = outs if isinstance(outs, list | tuple) else [outs]
    plain: list[Any] = [getattr(out, "variable", out) for out in listed]  # some are wrapped
    drawn = ancestors(plain)
    if not set(model.observed_RVs).isdisjoint(drawn):
        raise ValueError(
            "pm.sample_posterior_predictive would draw targets of "
            f"{model.likelihood.to_dict()['name']} given the draws alone, and its cases depend on "
            "each other; use predict of the model."
        )


def _draw(
    model: BNN,
    posterior: PosteriorDraws,
    X: np.ndarray,
    rng: np.random.Generator,
    predicted: Sequence[str],
) -> dict[str, np.ndarray]:
    f, likelihood = outputs(model, posterior, X), model.likelihood
    hyperparameters, cells = posterior.hyperparameters, f.shape[:2]
    y = simulated(model, f, hyperparameters, rng)
    found = {**likelihood.predicted(f, hyperparameters), "y": y}
    classes = len(model.outputs)
    if other := found.keys() ^ {*predicted, "y"}:
        raise ValueError(
            f"{type(likelihood).__name__}.predicted returns {', '.join(sorted(other))} for some "
            "draws and not for others; return the same names for all."
        )
    for name in found.keys() - {"y"}:
        of_shape(found[name], (*cells, classes), likelihood, f"predicted[{name!r}]")
    return found


def _generator(seed: Any) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ValueError(f"seed={seed!r}: give a whole number from 0 on, or a Generator.") from None


def _levels(quantiles: Any) -> np.ndarray:
    try:
        levels = np.asarray(quantiles, dtype=np.float64)
    except (TypeError, ValueError):
        levels = np.array([np.nan])
    if levels.ndim != 1 or not np.all((levels >= 0) & (levels <= 1)):
        raise ValueError(f"quantiles={quantiles!r}: give several numbers from 0 to 1, or ().")
    return levels


def _kept(model: BNN, draws: bool | Sequence[str]) -> set[str]:
    available = [*predicted_names(model), "y"]
    if isinstance(draws, bool):
        return set(available) if draws else set()
    names = {draws} if isinstance(draws, str) or not isinstance(draws, Iterable) else set(draws)
    if names - set(available):
        raise ValueError(f"draws={draws!r}: the variables are {', '.join(available)}.")
    return names


class _Results:
    """Arrays that fill up batch by batch."""

    def __init__(
        self,
        model: BNN,
        posterior: PosteriorDraws,
        cases: int,
        kept: set[str],
        quantiles: np.ndarray,
    ):
        self.posterior, self.cases, self.kept = posterior, cases, kept
        self.predicted = predicted_names(model)
        self.variables = list(self.predicted)
        if not model.likelihood.classifies:  # codes of classes have no mean
            self.variables.append("y")
        self.draws: dict[str, np.ndarray] = {}
        shape = (len(self.variables), cases, len(model.outputs))
        self.mean, self.sd = np.empty(shape), np.empty(shape)
        self.quantiles = np.empty((len(quantiles), *shape))
        self.levels = quantiles
        self.coordinates = {
            **posterior.coordinates,
            "obs": np.arange(cases),
            "output": list(model.outputs),
            "variable": self.variables,
            "quantile": self.levels,
        }

    def add(self, name: str, rows: slice, values: np.ndarray) -> None:
        """Take in draws of one variable for a batch, shape (samples, batch[, outputs])."""
        if name in self.kept:
            if name not in self.draws:
                shape = (self.posterior.size, self.cases, *values.shape[2:])
                self.draws[name] = np.empty(shape, values.dtype)
            self.draws[name][:, rows] = values
        if name in self.variables:
            i = self.variables.index(name)
            with np.errstate(invalid="ignore", over="ignore"):  # counts may be infinite, without sd
                self.mean[i, rows] = values.mean(axis=0)
                self.sd[i, rows] = values.std(axis=0)
                self.quantiles[:, i, rows] = self._quantiles(values)

    def _quantiles(self, values: np.ndarray) -> np.ndarray:
        """Quantiles of draws, which may be infinite: between two such NumPy finds no number."""
        found = np.quantile(values, self.levels, axis=0)
        if np.isnan(found).any():
            above = np.quantile(values, self.levels, axis=0, method="higher")
            found = np.where(np.isnan(found), above, found)
        return found

    def tree(self) -> xr.DataTree:
        """Label everything."""
        cells = ("variable", "obs", "output")
        summary = {
            "mean": (cells, self.mean),
            "sd": (cells, self.sd),
            "quantiles": (("quantile", *cells), self.quantiles),
        }
        draws = {
            name: (
                ("chain", "draw", "obs", "output")[: values.ndim + 1],
                values.reshape(*self.posterior.shape, *values.shape[1:]),
            )
            for name, values in self.draws.items()
        }
        groups = {"summary": self._dataset(summary)}
        if draws:
            groups["predictions"] = self._dataset(draws)
        return xr.DataTree.from_dict(groups)

    def _dataset(self, variables: dict) -> xr.Dataset:
        used = {dim for dims, _ in variables.values() for dim in dims}
        coordinates = {d: v for d, v in self.coordinates.items() if d in used}
        return xr.Dataset(variables, coords=coordinates)
