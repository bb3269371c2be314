"""Columns of a comparison's table about evidence."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .measured import Measured
from .probabilities import Probability, model_probabilities

UNKNOWN = Probability(np.nan, np.nan, np.nan)


def evidence_columns(found: Mapping[str, Measured | None]) -> dict[str, dict[str, Any]]:
    """Log evidence of each model, and its probability among those that can be judged.

    Parameters
    ----------
    found : mapping of str to Measured or None
        What was measured of each model.

    Returns
    -------
    dict of str to dict
        Columns by model; no model if nothing was measured of any.
    """
    measured = {name: one for name, one in found.items() if one is not None}
    judged = {name: one for name, one in measured.items() if one.judged}
    probable: dict[str, Probability] = {}
    if len(judged) > 1:
        both = zip(
            *((one.log_evidence, one.standard_error) for one in judged.values()), strict=True
        )
        probable = dict(zip(judged, model_probabilities(*both), strict=True))
    return {
        name: {
            "log_evidence": one.log_evidence,
            "log_evidence_se": one.standard_error,
            "probability": probable.get(name, UNKNOWN).value,
            "probability_low": probable.get(name, UNKNOWN).low,
            "probability_high": probable.get(name, UNKNOWN).high,
            "evidence_obstacle": one.obstacle,
        }
        for name, one in measured.items()
    }
