"""Predictions for the rows of a new table, from a saved fit alone."""

import json
from pathlib import Path

import pandas as pd
import xarray as xr

from ...models import load
from ..errors import InputError
from ..fits.fit_store import TABLE_ATTRIBUTE, load_fit
from .encoding import Encoding
from .table import read_table


def predict_table(
    fit: str | Path | xr.DataTree, table: Path | pd.DataFrame, seed: int = 0
) -> pd.DataFrame:
    """Predict new rows in the units of the table that a model was fitted to.

    Parameters
    ----------
    fit : str, Path or DataTree
        A fit that ``pymc-bnn compare`` saved.
    table : Path or DataFrame
        New rows, with the columns of the original table; others are ignored.
    seed : int
        For simulated targets.

    Returns
    -------
    DataFrame
        For numbers ``mean``, ``sd``, ``q5``, ``q50`` and ``q95`` of the predictive distribution;
        for classes ``predicted`` and a column ``probability_CLASS`` for each class.

    Raises
    ------
    InputError
        If the fit or the table cannot be used; the message says why.
    """
    idata = fit if isinstance(fit, xr.DataTree) else load_fit(fit)
    frame = table if isinstance(table, pd.DataFrame) else read_table(table)
    encoding = Encoding.from_dict(json.loads(idata.attrs[TABLE_ATTRIBUTE])["encoding"])
    model = load(idata)
    X = encoding.inputs(frame)
    if list(X.columns) != list(model.inputs):
        raise InputError("the fit's description of its table does not match its model.")
    prediction = model.predict(idata, X, draws=False, seed=seed)
    summary = prediction["summary"].dataset
    if model.classes is not None:
        return _class_probabilities(summary, model.classes)
    y = summary.sel(variable="y").isel(output=0)
    moved = {
        "mean": y["mean"] * encoding.sd + encoding.mean,
        "sd": y["sd"] * encoding.sd,
    }
    for level in y["quantile"].values:
        quantile = y["quantiles"].sel(quantile=level)
        moved[f"q{100 * level:.0f}"] = quantile * encoding.sd + encoding.mean
    return pd.DataFrame({name: values.values for name, values in moved.items()})


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
