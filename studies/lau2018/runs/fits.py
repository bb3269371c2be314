"""Units of work: sample a declared experiment, and keep what its tables need."""

import json
from typing import Any

import arviz as az
import numpy as np
import xarray as xr

from ....models import BNN
from ...scores.biases import bias_of
from ...scores.information_criterion import waic
from ...scores.refitting import leave_one_out, with_log_likelihood
from ...scores.smoothing import quietly
from ..design.declarations import Experiment
from ..design.digits import CASES, CLASSES, digits
from .coding import class_probability
from .sampling import draw
from .scores import diagnose, thinned_outputs


def fit_experiment(experiment: Experiment) -> xr.Dataset:
    """Sample an experiment and summarize it.

    Parameters
    ----------
    experiment : Experiment
        The declaration.

    Returns
    -------
    Dataset
        ``probability``: mean class probabilities of the test cases by chain; of each training
        case ``waic``, ``loo`` and ``pareto_k``; diagnostics of :func:`.scores.diagnose` as
        ``weights_*``, ``outputs_*`` and ``variances_*`` (ESS of the hyperparameters); ``seconds``
        of sampling, ``leapfrogs``, ``divergences``, ``acceptance`` and ``bfmi``; of draws without
        an accept test ``energy_bias``, with its standard error ``energy_bias_mcse``. The
        declaration is in ``attrs``.
    """
    return _summarized(experiment, *draw(experiment))


def fit_on_others(experiment: Experiment) -> xr.Dataset:
    """Sample an experiment, and also predict the digits between the two sets.

    Parameters
    ----------
    experiment : Experiment
        The declaration.

    Returns
    -------
    Dataset
        As :func:`fit_experiment`, with ``between``: mean class probabilities of these digits by
        chain.
    """
    model, idata, seconds = draw(experiment)
    X = digits(experiment.network.inputs).X_between
    means = class_probability(model, idata, X).mean("draw").values.astype(np.float32)
    result = _summarized(experiment, model, idata, seconds)
    return result.assign(between=(("chain", "other", "class"), means))


def _summarized(
    experiment: Experiment, model: BNN, idata: xr.DataTree, seconds: float
) -> xr.Dataset:
    data = digits(experiment.network.inputs)
    posterior = idata["posterior"].dataset
    probability = class_probability(model, idata, data.X_test)
    summary = {
        **_sampling(idata),
        **_bias(idata, experiment.seed),
        **_named("weights", diagnose(_flat(posterior, list(model.groups)))),
        **_named("outputs", diagnose(thinned_outputs(probability))),
        "seconds": seconds,
        "dimension": float(experiment.network.dimension()),
    }
    others = _hyperparameters(model, posterior)
    if others:
        summary |= _named("variances", diagnose(_flat(posterior, others)))
    means = probability.mean("draw").values.astype(np.float32)
    result = xr.Dataset({"probability": (("chain", "case", "class"), means)}).assign(summary)
    result = result.assign(_criteria(model, idata))
    result.attrs["declaration"] = json.dumps(experiment.declaration())
    return result


def fit_fold(experiment: Experiment, fold: int, folds: int) -> xr.Dataset:
    """Sample an experiment without a block of the training cases, and predict them.

    Images that follow each other are by the same writers, so a block is left out as a whole: what
    is predicted is handwriting that has not been seen, as it is in the test cases.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    fold : int
        Which block, from 0.
    folds : int
        Number of blocks.

    Returns
    -------
    Dataset
        ``probability`` of the classes of the left-out cases, along ``row``.
    """
    rows = fold_rows(folds)[fold]
    others = np.setdiff1d(np.arange(CASES), rows)
    model, idata, seconds = draw(experiment, others)
    data = digits(experiment.network.inputs)
    mean = class_probability(model, idata, data.X[rows]).mean(["chain", "draw"]).values
    full = np.zeros((len(rows), CLASSES))
    known = range(CLASSES) if model.classes is None else model.classes
    full[:, np.asarray(known)] = mean  # a class may be missing from the others
    return xr.Dataset(
        {"probability": (("row", "class"), full), "seconds": seconds}, coords={"row": rows}
    )


def fold_rows(folds: int) -> list[np.ndarray]:
    """Cut the training cases into blocks of neighbours.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.runs.fits import fold_rows
    >>> [len(rows) for rows in fold_rows(4)], int(fold_rows(4)[1][0])
    ([125, 125, 125, 125], 125)
    """
    return np.array_split(np.arange(CASES), folds)


def _sampling(idata: xr.DataTree) -> dict[str, float]:
    stats = idata["sample_stats"].dataset
    found = {
        "leapfrogs": float(stats["n_steps"].sum()) if "n_steps" in stats else np.nan,
        "divergences": float(stats["diverging"].sum()) if "diverging" in stats else np.nan,
        "acceptance": _mean(stats, "acceptance_rate"),
        "step_size": _mean(stats, "step_size"),
        "bfmi": np.nan,
    }
    if "energy" in stats and bool(np.isfinite(stats["energy"]).all()):
        found["bfmi"] = float(np.min(az.bfmi(idata)["energy"]))
    return found


def _bias(idata: xr.DataTree, seed: int) -> dict[str, float]:
    bias = bias_of(idata, seed, cores=1)
    return {} if bias is None else {"energy_bias": bias.difference, "energy_bias_mcse": bias.mcse}


def _mean(stats: xr.Dataset, name: str) -> float:
    return float(stats[name].mean()) if name in stats else np.nan


def _criteria(model: BNN, idata: xr.DataTree) -> dict[str, Any]:
    """Log predictive densities of the training cases by WAIC and PSIS-LOO.

    Undefined for a regression on codes, whose densities cannot be compared with probabilities.
    """
    missing = ("row", np.full(CASES, np.nan))
    undefined = {"waic": missing, "loo": missing, "pareto_k": missing, "p_waic": np.nan}
    if not model.likelihood.classifies:
        return undefined
    idata = with_log_likelihood(model, idata)
    if not bool(np.isfinite(idata["log_likelihood"].dataset["y_obs"]).all()):  # it has diverged
        return undefined
    by_variance = quietly(waic, idata)
    columns = {"waic": by_variance.elpd_i} | _smoothed(model, idata)
    rows: dict[str, Any] = {n: ("row", np.asarray(values)) for n, values in columns.items()}
    return rows | {"p_waic": float(by_variance.p)}


def _smoothed(model: BNN, idata: xr.DataTree) -> dict[str, Any]:
    """PSIS-LOO, undefined for chains that stand still: equal weights have no tail to fit."""
    try:
        loo = leave_one_out(model, idata)
    except ValueError:
        missing = np.full(CASES, np.nan)
        return {"loo": missing, "pareto_k": missing}
    return {"loo": loo.elpd_i, "pareto_k": loo.pareto_k}


def _hyperparameters(model: BNN, posterior: xr.Dataset) -> list[str]:
    weights = {*model.groups, *(f"{name}_raw" for name in model.groups)}
    return [str(name) for name in posterior.data_vars if name not in weights]


def _flat(posterior: xr.Dataset, names: list[str]) -> xr.DataArray:
    shape = (posterior.sizes["chain"], posterior.sizes["draw"], -1)
    values = [posterior[name].values.reshape(shape) for name in names]
    return xr.DataArray(np.concatenate(values, axis=2), dims=("chain", "draw", "quantity"))


def _named(prefix: str, found: dict[str, float]) -> dict[str, float]:
    return {f"{prefix}_{name}": value for name, value in found.items()}
