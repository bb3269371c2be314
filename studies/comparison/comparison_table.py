"""The table of a comparison: one row per model."""

from collections.abc import Mapping
from typing import Any

import arviz as az
import numpy as np
import pandas as pd

from ..model_evidence.columns import evidence_columns
from ..scores.biases import bias_columns
from ..scores.evaluation import summarize_scores
from ..scores.smoothing import quietly
from .model_results import ModelResult
from .verdict import advise_on_pareto_k


def rank(results: Mapping[str, ModelResult]) -> pd.DataFrame:
    """Compare by ArviZ; a model without finite scores comes last, with nothing but its name.

    Parameters
    ----------
    results : mapping of str to ModelResult
        The models.

    Returns
    -------
    DataFrame
        As of ``az.compare``, best model first.
    """
    criteria = {
        name: result.loo for name, result in results.items() if np.isfinite(result.loo.elpd)
    }
    if len(criteria) > 1:
        ranking = quietly(az.compare, criteria, round_to="none")
    else:
        alone = [
            {
                "elpd": loo.elpd,
                "se": loo.se,
                "p": loo.p,
                "weight": 1.0,
                "elpd_diff": 0.0,
                "dse": 0.0,
            }
            for loo in criteria.values()
        ]
        columns = ["rank", "elpd_diff", "dse", "p", "elpd", "se", "weight"]
        ranking = pd.DataFrame(alone, index=list(criteria), columns=columns)
        ranking["rank"] = range(len(criteria))
    return ranking.reindex([*ranking.index, *(name for name in results if name not in criteria)])


def tabulate(results: Mapping[str, ModelResult], ranking: pd.DataFrame, sd: float) -> pd.DataFrame:
    """Put everything into one table, best model first.

    Parameters
    ----------
    results : mapping of str to ModelResult
        The models.
    ranking : DataFrame
        What :func:`rank` returned.
    sd : float
        Standard deviation by which the targets were divided.

    Returns
    -------
    DataFrame
    """
    rows = {
        name: {"rank": place, **_row(results[name], row, sd)}
        for place, (name, row) in enumerate(ranking.iterrows())
    }
    if any(result.bias is not None for result in results.values()):
        rows = {name: {**row, **bias_columns(results[name].bias)} for name, row in rows.items()}
    columns = evidence_columns({name: result.measured for name, result in results.items()})
    rows = {name: {**row, **columns.get(name, {})} for name, row in rows.items()}
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("model")
    return table.astype({"stable": "boolean"})  # which has a missing value that is not false


def _row(result: ModelResult, row: pd.Series, sd: float) -> dict[str, Any]:
    convergence = result.convergence
    scores = {} if result.scores is None else summarize_scores(result.scores, sd)
    cases = int(result.loo.n_data_points)
    return {
        "elpd_loo": row["elpd"],
        "se": row["se"],
        "elpd_diff": row["elpd_diff"],
        "dse": row["dse"],
        "elpd_mcse": result.elpd_mcse,
        "p_loo": row["p"],
        "weight": row["weight"],
        "elpd_waic": result.waic.elpd,
        "se_waic": result.waic.se,
        "p_waic": result.waic.p,
        "bad_k": result.bad_cases,
        "advice": advise_on_pareto_k(result.bad_cases, cases),
        **scores,
        "max_rhat": convergence.largest_rhat,
        "min_ess": convergence.least_ess,
        "min_ess_tail": convergence.least_ess_tail,
        "divergences": convergence.divergences,
        "converged": convergence.converged,
        "grade": convergence.grade,
        "answer": result.answer,
        "stable": result.stable,
        "chains": result.chains,
        "problems": " ".join(convergence.problems),
        "seconds": result.seconds,
        "estimated_seconds": result.estimated_seconds,
        "gradient_evaluations": result.gradient_evaluations,
        "ess_per_second": convergence.least_ess / result.seconds,
    }
