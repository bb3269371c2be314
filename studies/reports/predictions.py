"""Predictions of held-out rows by each model of a comparison, for a spreadsheet."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ..comparison.model_results import ModelResult
from ..tables.encoding import Encoding


def prediction_table(
    results: Mapping[str, ModelResult], encoding: Encoding, rows: Sequence
) -> pd.DataFrame:
    """Predictions of held-out rows, in the unit of the user's table.

    Parameters
    ----------
    results : mapping of str to ModelResult
        The models, with scores of held-out cases.
    encoding : Encoding
        How the table was encoded.
    rows : sequence
        Labels of the held-out rows.

    Returns
    -------
    DataFrame
        For each model and row: the ``model``, the ``row`` of the table, counted from 0, its
        ``target``; for numbers the predictive ``mean``, ``lower`` and ``upper`` end of the 90%
        interval, for classes the ``predicted`` one and the ``probability`` of the target's; and
        ``log_score``, the log predictive density of the target.
    """
    parts = []
    for name, result in results.items():
        assert result.scores is not None
        numbers = "quantiles" in result.scores
        found = _numbers(result, encoding) if numbers else _classes(result)
        part = pd.DataFrame({"model": name, "row": list(rows), **found})
        scale = np.log(encoding.sd) if numbers else 0.0
        parts.append(part.assign(log_score=result.scores["log_score"].values - scale))
    return pd.concat(parts, ignore_index=True)


def _numbers(result: ModelResult, encoding: Encoding) -> dict[str, np.ndarray]:
    assert result.scores is not None
    scores = result.scores.isel(output=0)
    found = {
        "target": scores["observed"],
        "mean": scores["mean"],
        "lower": scores["quantiles"].sel(quantile=0.05),
        "upper": scores["quantiles"].sel(quantile=0.95),
    }
    return {name: v.values * encoding.sd + encoding.mean for name, v in found.items()}


def _classes(result: ModelResult) -> dict[str, np.ndarray]:
    assert result.scores is not None
    assert result.model.classes is not None
    classes = np.array(result.model.classes, dtype=object)
    observed = result.scores["observed"].values.astype(int)
    return {
        "target": classes[observed],
        "predicted": classes[result.scores["predicted"].values.astype(int)],
        "probability": np.exp(result.scores["log_score"].values),
    }
