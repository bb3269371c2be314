"""The report of a comparison: one HTML page that a scientist can hand on."""

from __future__ import annotations

from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, select_autoescape

from ...samplers.compiled.memory import initial_point
from ..chains.stability import Stability
from ..comparison.model_results import ModelResult
from ..fits.manifest import written_whole
from ..tables.encoding import Encoding
from . import plots, prediction_plots
from .dependence_words import NOTHING
from .inputs import inputs_of

if TYPE_CHECKING:
    from ..comparison.comparison import Comparison

COLUMNS = {
    "elpd_diff": ("Δ elpd", "difference in expected log predictive density to the best model", 1),
    "dse": ("± se", "its standard error", 1),
    "weight": ("weight", "share of the model in the best mixture (stacking)", 2),
    "rmse": ("RMSE", "root mean squared error on held-out cases", 3),
    "crps": ("CRPS", "continuous ranked probability score on held-out cases", 3),
    "error_rate": ("errors", "share of held-out cases that are misclassified", 3),
    "log_score": ("log score", "mean log predictive density of held-out cases, nats", 3),
    "coverage_90": ("in 90%", "held-out cases inside their 90% interval", 2),
    "calibration_error": (
        "calib. error",
        "gap between probabilities and frequencies, which chance widens where cases are few",
        3,
    ),
    "bad_k": ("bad k", "cases where leave-one-out is not reliable", 0),
    "max_rhat": ("R-hat", "largest R-hat of hyperparameters, log posterior and outputs", 2),
    "min_ess": ("ESS", "smallest effective sample size of the same", 0),
    "min_ess_tail": ("tail ESS", "smallest effective sample size of their tails", 0),
    "seconds": (
        "seconds",
        "wall time of sampling, warm-up included; by a scheduler, of the slowest chain",
        0,
    ),
    "estimated_seconds": ("estimate", "seconds that were estimated before the start", 0),
}
UNKNOWN_UNIT = (
    "Scores, predictions and functions are in the scale that the models were given, which a table "
    "may not be in: fits that no table was prepared for by this package do not tell its unit."
)
DETAILS = {
    "elpd_loo": 1,
    "se": 1,
    "elpd_mcse": 2,
    "p_loo": 1,
    "elpd_waic": 1,
    "se_waic": 1,
    "p_waic": 1,
    "coverage_50": 2,
    "log_score_se": 3,
    "log_score_mcse": 3,
    "divergences": 0,
    "gradient_evaluations": 0,
    "ess_per_second": 2,
}
GRADES = {
    "converged": (
        "good",
        "The sampler has converged",
        "chains agree on hyperparameters, log posterior and network outputs",
    ),
    "predictions stable": (
        "fair",
        "Predictions are stable",
        "they can be used, although chains disagree on other things or have few effective draws",
    ),
    "nearly": ("fair", "The draws can be used", "with these warnings"),
    "not yet": ("bad", "The draws cannot be used yet", "for these reasons"),
}


def write_report(
    comparison: Comparison, path: Path, drawn: dict[str, dict[str, Any]] | None = None
) -> Path:
    """Write the report of a comparison.

    Parameters
    ----------
    comparison : Comparison
        What to report.
    path : Path
        The HTML file; it contains all images.
    drawn : dict, optional
        Images of each model that earlier reports drew; new ones are added.

    Returns
    -------
    Path
    """
    drawn = {} if drawn is None else drawn
    baselines = comparison.baseline_table
    environment = Environment(
        loader=PackageLoader("pymc_bnn.studies.reports"), autoescape=select_autoescape()
    )
    page = environment.get_template("report.html").render(
        comparison=comparison,
        title=_title(comparison),
        scale=scale_in_words(comparison.encoding),
        unit=UNKNOWN_UNIT if of_unknown_unit(comparison) else "",
        columns={k: v for k, v in COLUMNS.items() if k in comparison.table},
        details={k: v for k, v in DETAILS.items() if k in comparison.table},
        number=format_number,
        share=format_probability,
        baselines=baselines,
        simpler={k: v for k, v in COLUMNS.items() if k in baselines},
        ranking=plots.as_image(plots.plot_ranking, comparison),
        inputs=inputs_of(comparison, drawn),
        nothing=NOTHING,
        sections=[_section(comparison, r, drawn) for r in comparison.results.values()],
        grades=GRADES,
        date=datetime.now().strftime("%Y-%m-%d %H:%M"),
        version=version("pymc-bnn"),
    )
    with written_whole(path) as partial:  # whoever has the last one open keeps it
        partial.write_text(page, encoding="utf-8")
    return path


def format_number(value: Any, digits: int) -> str:
    """Format a number for a table; missing ones as a dash, and small ones with two digits at least.

    Examples
    --------
    >>> from pymc_bnn.studies.reports.report import format_number
    >>> [format_number(value, 3) for value in (1234.5, 0.5, 0.0, 1.234e-6)]
    ['1,234.500', '0.500', '0.000', '1.2e-06']
    """
    if pd.isna(value):
        return "–"
    small = digits > 2 and 0 < abs(value) < 10.0 ** (1 - digits)
    return f"{value:.2g}" if small else f"{value:,.{digits}f}"


def format_probability(value: Any) -> str:
    """Format a probability for a table; never as certain, and missing ones as a dash.

    Examples
    --------
    >>> from pymc_bnn.studies.reports.report import format_probability
    >>> [format_probability(value) for value in (0.25, 1e-9, 1 - 1e-9)]
    ['0.250', '< 0.001', '> 0.999']
    """
    if value < 0.001:
        return "< 0.001"
    return "> 0.999" if value > 0.999 else format_number(value, 3)


def _title(comparison: Comparison) -> str:
    if comparison.encoding is None:
        return "Comparison of Bayesian neural networks"
    return f"Which network predicts {comparison.encoding.target} best?"


def of_unknown_unit(comparison: Comparison) -> bool:
    """Whether the fits of numbers say nothing of the table that they are from."""
    first = next(iter(comparison.results.values())).model
    return comparison.encoding is None and first.classes is None


def scale_in_words(encoding: Encoding | None) -> str:
    """In what unit the densities are that a page does not have in the user's.

    Examples
    --------
    >>> from pymc_bnn.studies.reports.report import scale_in_words
    >>> from pymc_bnn.studies.tables.encoding import Encoding
    >>> scale_in_words(Encoding((), "price", "regression", 200.0, 50.0))
    'They are densities of price divided by its standard deviation, 50: in its own unit they are smaller by its logarithm, 3.912, for each case, as the log score of held-out cases is.'
    """  # noqa: E501
    if encoding is None or encoding.sd == 1:
        return ""
    return (
        f"They are densities of {encoding.target} divided by its standard deviation, "
        f"{encoding.sd:.4g}: in its own unit they are smaller by its logarithm, "
        f"{np.log(encoding.sd):.3f}, for each case, as the log score of held-out cases is."
    )


def _section(
    comparison: Comparison, result: ModelResult, drawn: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Everything the page says about one model."""
    if result.name not in drawn:
        drawn[result.name] = _images(result, comparison.encoding)
    return {
        "name": result.name,
        "row": comparison.table.loc[result.name],
        "network": _network_in_words(result),
        "priors": _priors_in_words(result),
        "likelihood": result.model.likelihood.words(),
        "convergence": result.convergence,
        "stability": _stability(result),
        "chain_weights": result.chain_weights,
        "images": drawn[result.name],
    }


def _stability(result: ModelResult) -> Stability | None:
    """Whether halves predict the same; not that they do where draws have another fault."""
    stable = result.stability is not None and result.stability.stable
    return None if stable and result.answer == "not yet" else result.stability


def _images(result: ModelResult, encoding: Encoding | None) -> dict[str, plots.Image]:
    """All plots of one model, by caption."""
    draw = plots.as_image
    several = result.model.classes is None and len(result.model.outputs) > 1
    first = f", the first of {len(result.model.outputs)} outputs" if several else ""
    predictive = draw(prediction_plots.plot_predictive, result, encoding)
    images = {
        "Traces: chains should look alike": draw(plots.plot_traces, result),
        f"Posterior predictive{first}: simulated targets should look like the observed ones": (
            predictive
        ),
        "Pareto k: leave-one-out fails for cases above the line": draw(plots.plot_pareto_k, result),
    }
    if result.scores is not None:
        calibration = draw(prediction_plots.plot_calibration, result)
        images["Calibration on held-out cases"] = calibration
        bands = draw(prediction_plots.plot_bands, result, encoding)
        images[f"Predictions of held-out cases{first}"] = bands
    if plots.has_relevance(result):
        relevance = draw(plots.plot_relevance, result)
        images["Relevance of inputs: scale of the weights out of each"] = relevance
    return images


def _network_in_words(result: ModelResult) -> str:
    model = result.model
    sizes = " – ".join(str(n) for n in (len(model.inputs), *model.hidden, len(model.output_units)))
    weights = sum(int(initial_point(model)[model.free_name(name)].size) for name in model.groups)
    activation = f", {model.activation.name} units" if model.hidden else ", linear"
    return f"{sizes}{activation}, {weights} weights"


def _priors_in_words(result: ModelResult) -> dict[str, str]:
    """Groups of weights by their prior, in words."""
    groups: dict[str, list[str]] = {}
    for name, prior in result.model.priors.items():
        groups.setdefault(prior.words(), []).append(name)
    return {", ".join(names): words for words, names in groups.items()}
