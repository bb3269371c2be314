"""Predictions for the rows of a new table, from a saved fit alone."""

import json
from numbers import Real
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from ...models import load
from ...models.bnn import BNN
from ...models.likelihoods.contract import mean_name
from ..chains.chain_stacking import predicting_draws, weights_where_apart
from ..chains.convergence import STABLE, check_convergence
from ..chains.stability import answer_of
from ..errors import InputError
from ..fits.fit_store import TABLE_ATTRIBUTE, load_fit
from ..fits.settings import draws_of
from ..scores.tails import beyond_draws, resting_on_few_draws
from .encoding import Encoding
from .reading import read_table

CAUTIONS = {
    "converged": "",
    "nearly": "The draws are less exact than they should be ({names}).",
    STABLE: "Chains disagree or mix slowly, but halves of them predict the training cases alike.",
    "not yet": "The draws cannot be used yet. {problem}",
}
QUANTILES = {"q5": 0.05, "q50": 0.5, "q95": 0.95}


def predict_table(
    fit: str | Path | xr.DataTree,
    table: str | Path | pd.DataFrame,
    seed: int = 0,
    interval: float | None = None,
) -> pd.DataFrame:
    """Predict new rows in the units of the table that a model was fitted to.

    Parameters
    ----------
    fit : str, Path or DataTree
        A fit that ``pymc-bnn compare`` saved.
    table : str, Path or DataFrame
        New rows, with the columns of the original table; others are ignored.
    seed : int
        For simulated targets.
    interval : float, optional
        Probability of the interval from ``lower`` to ``upper``, which then take the places of the
        quantiles; for numbers alone.

    Returns
    -------
    DataFrame
        With the index of the table. For numbers ``mean``, ``sd``, ``q5``, ``q50`` and ``q95`` of
        the predictive distribution; for classes ``predicted`` and a column ``probability_CLASS``
        for each class. Chains that stay apart are weighed as in the report of a comparison;
        ``attrs["chains"]`` says so. ``attrs["draws"]`` says what is wrong with the draws, if
        something is, and ``attrs["tails"]`` where ``sd`` of a target that is no
        count rests on few draws, and where an interval does.

    Raises
    ------
    InputError
        If the fit or the table cannot be used; the message says why.
    """
    idata = fit if isinstance(fit, xr.DataTree) else load_fit(fit)
    if not isinstance(table, pd.DataFrame | str | Path):
        raise InputError(f"table is a {type(table).__name__}; give a DataFrame or a file's path.")
    if TABLE_ATTRIBUTE not in idata.attrs:
        raise InputError(
            "the fit does not say what its table was, as one that compare saved does; use predict "
            "of the model."
        )
    encoding = Encoding.from_dict(json.loads(idata.attrs[TABLE_ATTRIBUTE])["encoding"])
    texts = [column.name for column in encoding.columns if column.holds_texts]
    frame = table if isinstance(table, pd.DataFrame) else read_table(Path(table), texts)
    model = load(idata)
    if model.classes is None and len(model.outputs) > 1:
        raise InputError(
            f"the fit has {len(model.outputs)} outputs, and a table of predictions is of one; use "
            "predict of the estimator or of the model."
        )
    X = encoding.inputs(frame)
    if list(X.columns) != list(model.inputs):
        raise InputError("the fit's description of its table does not match its model.")
    if interval is not None and model.classes is not None:
        raise InputError("--interval is for numbers, and this fit predicts classes; leave it out.")
    convergence = check_convergence(model, idata)
    weights = weights_where_apart(model, idata, convergence)
    predicting = predicting_draws(idata, weights)
    columns = QUANTILES if interval is None else _ends(interval)
    quantiles = tuple(columns.values())
    prediction = model.predict(predicting, X, draws=False, quantiles=quantiles, seed=seed)
    summary = prediction["summary"].dataset
    if model.classes is not None:
        found = _class_probabilities(summary, model.classes)
    else:
        found = _numbers(summary.isel(output=0), mean_name(model), encoding, columns)
    found.index = frame.index
    found.attrs["draws"] = CAUTIONS[answer_of(model, idata, convergence)].format(
        problem=next(iter(convergence.problems), ""),
        names=", ".join(dict.fromkeys(finding.name for finding in convergence.warnings)),
    )
    few = "" if interval is None else beyond_draws(interval, draws_of(predicting))
    found.attrs["tails"] = " ".join(filter(None, (_tails(model, summary), few and f"{few}.")))
    found.attrs["chains"] = "" if weights is None else weights.words()
    return found


def _ends(interval: float) -> dict[str, float]:
    """Columns of an interval, and their quantiles."""
    if not isinstance(interval, Real) or not 0 < interval < 1:
        raise InputError(f"--interval {interval!r}: give a probability between 0 and 1, as in 0.9.")
    return {"lower": (1 - interval) / 2, "median": 0.5, "upper": (1 + interval) / 2}


def _tails(model: BNN, summary: xr.Dataset) -> str:
    """Where ``sd`` rests on few draws.

    Of counts nothing is said: few of them differ, and intervals are far from as wide as a normal's.
    """
    if model.classes is not None or model.likelihood.counts:
        return ""
    said = resting_on_few_draws(summary.sel(variable="y"))
    return f"sd {said}." if said else ""


def _numbers(
    summary: xr.Dataset, mean: str, encoding: Encoding, columns: dict[str, float]
) -> pd.DataFrame:
    """Mean, standard deviation and quantiles in the unit of the table."""
    y, known = summary.sel(variable="y"), summary["mean"].sel(variable=mean)
    moved = {"mean": known.values * encoding.sd + encoding.mean, "sd": y["sd"] * encoding.sd}
    for place, name in enumerate(columns):
        moved[name] = y["quantiles"].isel(quantile=place).values * encoding.sd + encoding.mean
    return pd.DataFrame({name: np.asarray(values) for name, values in moved.items()})


def _class_probabilities(summary: xr.Dataset, classes: tuple) -> pd.DataFrame:
    probability = summary["mean"].sel(variable="probability").values
    if probability.shape[1] == 1:
        columns = {classes[0]: 1 - probability[:, 0], classes[1]: probability[:, 0]}
    else:
        columns = {label: probability[:, k] for k, label in enumerate(classes)}
    table = pd.DataFrame({f"probability_{label}": p for label, p in columns.items()})
    best = table.to_numpy().argmax(axis=1)
    table.insert(0, "predicted", pd.Series(classes, dtype=object).to_numpy()[best])
    return table
