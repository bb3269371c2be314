"""Predictions and scores of new cases from posterior draws, in batches of cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from scipy.special import logsumexp

from .targets import as_inputs, check_outputs

if TYPE_CHECKING:
    from .network import BNN

BATCH_NUMBERS = 2**24  # float64 numbers of one intermediate array: 128 MiB
QUANTILES = (0.05, 0.5, 0.95)


class PosteriorDraws:
    """Weights and hyperparameters of a model's draws, as arrays with one leading axis.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws, with the group ``posterior``.
    """

    def __init__(self, model: BNN, idata: xr.DataTree):
        if "posterior" not in idata:
            raise ValueError("idata has no group 'posterior'; sample the model first.")
        posterior = idata["posterior"].dataset
        names = [*model.groups, *model.likelihood.hyperparameters]
        missing = [name for name in names if name not in posterior]
        if missing:
            raise ValueError(f"idata's posterior lacks {', '.join(missing)}.")
        for name, group in model.groups.items():
            if (shape := posterior[name].shape[2:]) != group.shape:
                raise ValueError(
                    f"idata's {name} has shape {shape}, the model's {group.shape}; "
                    "these are draws of another network."
                )
        self.shape = (posterior.sizes["chain"], posterior.sizes["draw"])
        self.coordinates = {dim: posterior.coords[dim].values for dim in ("chain", "draw")}
        flat = {n: posterior[n].values.reshape(-1, *posterior[n].shape[2:]) for n in names}
        self.weights = {name: flat[name] for name in model.groups}
        self.hyperparameters = {name: flat[name] for name in model.likelihood.hyperparameters}
        self.size = self.shape[0] * self.shape[1]


def outputs(model: BNN, draws: PosteriorDraws, X: np.ndarray) -> np.ndarray:
    r"""Network outputs of every draw, :math:`f(x; \theta)` (Choo 2000, Eqs. 3.1-3.2).

    Parameters
    ----------
    model : BNN
        The model.
    draws : PosteriorDraws
        Its draws.
    X : ndarray, shape (cases, inputs)
        Inputs.

    Returns
    -------
    ndarray, shape (samples, cases, outputs)
    """
    units = np.broadcast_to(X, (draws.size, *X.shape))
    last = len(model.hidden)
    for i in range(last + 1):
        units = units @ draws.weights[f"w{i}"]
        if f"b{i}" in draws.weights:
            units += draws.weights[f"b{i}"][:, None, :]
        if i < last:
            units = model.activation.array(units)
    return units


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
    draws : bool or sequence of {"f", "y", "probability"}
        Which variables to return draw by draw, besides their summary. One million cases and
        4000 draws are 30 GiB a variable: pass ``False`` there.
    quantiles : sequence of float
        Quantiles of the summary.
    seed : int or Generator, optional
        For the simulated targets.

    Returns
    -------
    DataTree
        Group ``predictions`` with ``f``, ``y`` and, for classes, ``probability`` (dimensions
        chain, draw, obs, output; ``y`` holds class codes and has no output then). Group
        ``summary`` with ``mean``, ``sd`` and ``quantiles`` of ``f`` and of ``y`` or, for
        classes, ``probability``, along the dimension ``variable``.

    Raises
    ------
    ValueError
        If X does not fit the model or idata lacks its draws.

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
    rng = np.random.default_rng(seed)
    kept = _kept(model, draws)
    results = _Results(model, posterior, len(values), kept, quantiles)
    for rows in batches(model, posterior, len(values)):
        f = outputs(model, posterior, values[rows])
        results.add("f", rows, f)
        results.add("y", rows, model.likelihood.simulate(f, posterior.hyperparameters, rng))
        if model.likelihood.classifies:
            results.add("probability", rows, model.likelihood.probability(f))
    return results.tree()


def log_likelihood(model: BNN, idata: xr.DataTree, X: Any, y: Any) -> xr.DataArray:
    r"""Log density of cases under each draw, :math:`\log p(y_i \mid x_i, \theta_s)`.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.
    X : array, DataFrame or DataArray, shape (cases, inputs)
        Inputs.
    y : array or Series, shape (cases,) or (cases, outputs)
        Targets, as given to the model.

    Returns
    -------
    DataArray
        Dimensions chain, draw, obs.

    Raises
    ------
    ValueError
        If X and y do not fit the model or each other.
    """
    values, _ = as_inputs(X, model.inputs)
    encoded = model.likelihood.encode(y, model.classes)
    check_outputs(encoded, model.outputs)
    targets = encoded.values
    if len(values) != len(targets):
        raise ValueError(f"X has {len(values)} cases and y has {len(targets)}; they must match.")
    posterior = PosteriorDraws(model, idata)
    result = np.empty((posterior.size, len(values)))
    for rows in batches(model, posterior, len(values)):
        f = outputs(model, posterior, values[rows])
        result[:, rows] = model.likelihood.log_density(f, targets[rows], posterior.hyperparameters)
    return xr.DataArray(
        result.reshape(*posterior.shape, -1),
        dims=("chain", "draw", "obs"),
        coords={**posterior.coordinates, "obs": np.arange(len(values))},
        name="y_obs",
    )


def log_score(model: BNN, idata: xr.DataTree, X: Any, y: Any) -> float:
    r"""Mean log predictive density of cases.

    .. math:: \frac{1}{n} \sum_i \log \frac{1}{S} \sum_s p(y_i \mid x_i, \theta_s)

    (Lau 2018, 3.6), in nats per case, in the scale of the model's targets.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.
    X, y
        Cases, as given to the model.

    Returns
    -------
    float
    """
    pointwise = log_likelihood(model, idata, X, y).values
    samples = pointwise.shape[0] * pointwise.shape[1]
    return float(np.mean(logsumexp(pointwise, axis=(0, 1)) - np.log(samples)))


def batches(model: BNN, draws: PosteriorDraws, cases: int) -> Iterator[slice]:
    """Cut cases into batches whose largest intermediate array fits ``BATCH_NUMBERS``."""
    widest = max(len(model.outputs), *model.hidden, 1)
    size = max(1, BATCH_NUMBERS // (draws.size * widest))
    for start in range(0, cases, size):
        yield slice(start, min(start + size, cases))


def _kept(model: BNN, draws: bool | Sequence[str]) -> set[str]:
    available = ["f", "y"] + ["probability"] * model.likelihood.classifies
    if isinstance(draws, bool):
        return set(available) if draws else set()
    names = {draws} if isinstance(draws, str) else set(draws)
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
        quantiles: Sequence[float],
    ):
        self.posterior, self.cases, self.kept = posterior, cases, kept
        self.variables = ["f", "probability"] if model.likelihood.classifies else ["f", "y"]
        self.draws: dict[str, np.ndarray] = {}
        shape = (len(self.variables), cases, len(model.outputs))
        self.mean, self.sd = np.empty(shape), np.empty(shape)
        self.quantiles = np.empty((len(quantiles), *shape))
        self.levels = np.asarray(quantiles, dtype=np.float64)
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
            self.mean[i, rows] = values.mean(axis=0)
            self.sd[i, rows] = values.std(axis=0)
            self.quantiles[:, i, rows] = np.quantile(values, self.levels, axis=0)

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
