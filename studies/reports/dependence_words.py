"""What a report says about inputs: which are shown to matter, and what its plots show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..chains.halves import half_in_words
from ..comparison.model_results import ModelResult
from ..comparison.outcome import listed_in_words
from ..dependence.curve import OUTER, Curve
from ..dependence.functions import Functions
from ..dependence.partial_dependence import PartialDependence
from .dependence_plots import function_limits, mean_label, outside, shown_classes

if TYPE_CHECKING:
    from ..comparison.comparison import Comparison

NOTHING = (
    "Partial dependence and functions are not shown, as they would look like findings: the draws "
    "of no model can be used, or its scores are not finite."
)
SHOWN, NOT_SHOWN = "shown to matter", "not shown to matter"
CAUTIONS = {
    "nearly": "Its draws are less exact than they should be, and so are these bands.",
    "predictions stable": (
        "Its chains disagree or mix slowly, while {half} of them predicts the same: read these "
        "bands as those of predictions, and not as a posterior that has converged."
    ),
}


def standing_in_words(comparison: Comparison, result: ModelResult) -> list[str]:
    """Say which model it is, why this one, and with what caution.

    Parameters
    ----------
    comparison : Comparison
        The models.
    result : ModelResult
        The one whose dependence is shown.

    Returns
    -------
    list of str
    """
    name = result.name
    if len(comparison.results) == 1:
        said = [f"This is {name}, the only model."]
    elif comparison.best == name:
        said = [f"This is {name}, which predicts best{_among(comparison)}."]
    elif result.standing.obstacle is None:
        said = [
            f"This is {name}, the first in the table that can be judged; it is not clearly better "
            "than all others."
        ]
    else:
        said = [f"This is {name}, the first in the table whose predictions can be used."]
    drawn = 0 if result.stability is None else result.stability.drawn
    if result.answer in CAUTIONS:
        said.append(CAUTIONS[result.answer].format(half=half_in_words(drawn)))
    if result.stability is not None and not result.stability.stable:
        told = not np.isnan(result.stability.agreeing)
        said.append(
            "Halves of its chains predict differently."
            if told
            else "Fewer than four chains cannot show whether their halves predict the same."
        )
    if result.chains == "stacked":
        said.append("Chains are weighed by stacking, and so bands are of no posterior.")
    return said


def _among(comparison: Comparison) -> str:
    """Which models the best one is the best of, where it is not the best of all of them."""
    models = comparison.results.values()
    judged = sum(model.standing.obstacle is None for model in models)
    return (
        "" if judged == len(models) else f" among the {judged} of {len(models)} that can be judged"
    )


def findings_in_words(dependence: PartialDependence) -> list[str]:
    """Say which columns are shown to matter, which are not, and which were not looked at closely.

    Parameters
    ----------
    dependence : PartialDependence
        Of the model.

    Returns
    -------
    list of str
    """
    curves = dependence.curves
    said = []
    for shown, words in ((True, SHOWN), (False, NOT_SHOWN)):
        names = [curve.column for curve in curves if curve.shown == shown]
        if names:
            said.append(f"{words[0].upper()}{words[1:]}: {listed_in_words(names)}.")
    if left := dependence.columns - len(curves):
        said.append(
            f"Of {dependence.columns} columns these are the {len(curves)} that matter most in a "
            f"coarser look; nothing is said of the other {left}."
        )
    return said


def number_in_words(value: float, scale: float) -> str:
    """A number with three digits of what it is compared with.

    Examples
    --------
    >>> from pymc_bnn.studies.reports.dependence_words import number_in_words
    >>> number_in_words(21034.4, 50000.0), number_in_words(0.12345, 0.5)
    ('21,034', '0.123')
    """
    usual = np.isfinite(scale) and scale > 0
    digits = int(np.clip(2 - np.floor(np.log10(scale)), 0, 8)) if usual else 3
    return f"{value:,.{digits}f}"


def curve_in_words(curve: Curve, dependence: PartialDependence) -> str:
    """What a panel shows, for those who do not see it."""
    said = [
        f"Partial dependence of the {mean_in_words(dependence)} on {curve.column}, with posterior "
        f"bands of 50% and 90%; {verdict_of(curve.shown)}."
    ]
    for place in shown_classes(curve):
        label = f"{dependence.classes[place]}: " if len(dependence.classes) > 1 else ""
        said.append(f"{label}{_extremes(curve, place)}.")
    return " ".join(said)


def mean_in_words(dependence: PartialDependence) -> str:
    """What is averaged."""
    label = mean_label(dependence)
    return f"{label} of each class" if label == "probability" else label


def _extremes(curve: Curve, place: int) -> str:
    mean, (low, high) = curve.mean[:, place], curve.band(OUTER)
    scale = float(high[:, place].max() - low[:, place].min())

    def at(point: int, where: str) -> str:
        ends = [number_in_words(v[point, place], scale) for v in (low, high)]
        found = number_in_words(mean[point], scale)
        return f"{found} {where} (90% band {ends[0]} to {ends[1]})"

    order = np.argsort(mean, kind="stable")
    known = order[~curve.grid.missing[order]].tolist()
    ends = zip(("lowest", "highest"), (known[0], known[-1]), strict=True) if known else ()
    said = [f"{name} {at(point, f'at {_value(curve, point)}')}" for name, point in ends]
    said += [
        at(point, "where it is missing") for point in np.flatnonzero(curve.grid.missing).tolist()
    ]
    return ", ".join(said)


def _value(curve: Curve, point: int) -> str:
    value = curve.grid.values[point]
    return str(value) if curve.grid.categorical else f"{value:,.6g}"


def functions_in_words(functions: Functions, dependence: PartialDependence) -> str:
    """What is drawn along the first column."""
    label = "" if functions.label is None else " (of the class that changes most)"
    return (
        f"{len(functions.prior)} functions from the prior and {len(functions.posterior)} from the "
        f"posterior, on the same axes: the {function_label(functions, dependence)}{label} along "
        f"{functions.grid.column}, with all other columns at their medians or most frequent "
        "categories. The training cases have other values there."
        f"{_without_number(functions)}{_leaving(functions)}{limit_in_words(functions)}"
    )


def _without_number(functions: Functions) -> str:
    numbers = functions.x.dtype.kind == "f"  # places of categories are whole
    gone = int(np.isnan(functions.x).sum()) if numbers else 0
    column = functions.grid.column
    return f" Training cases without a value of {column} are not drawn: {gone}." if gone else ""


def _leaving(functions: Functions) -> str:
    gone = outside(functions, function_limits(functions))
    return f" {gone} of the functions from the prior leave the axes." if gone else ""


def function_label(functions: Functions, dependence: PartialDependence) -> str:
    """What is on the axis of functions."""
    found = functions.label
    return mean_label(dependence) if found is None else f"probability of {found}"


def sides_in_words(functions: Functions) -> tuple[str, str]:
    """What the plots of prior and posterior show, for those who do not see them."""
    limits = function_limits(functions)
    scale = limits.high - limits.low

    def reach(drawn: np.ndarray) -> str:
        low, high = (number_in_words(v, scale) for v in (np.nanmin(drawn), np.nanmax(drawn)))
        return f"from {low} to {high}"

    column = functions.grid.column
    return (
        f"{len(functions.prior)} functions from the prior along {column}, before any data: they "
        f"reach {reach(functions.prior)}.",
        f"{len(functions.posterior)} functions from the posterior along {column}, after the data: "
        f"they reach {reach(functions.posterior)}.",
    )


def limit_in_words(functions: Functions) -> str:
    """What the prior believes before data, where that has a closed form."""
    if functions.limit is None:
        return ""
    low, high = functions.limit
    scale = float((high - low).max())
    ends = number_in_words(float(low.min()), scale), number_in_words(float(high.max()), scale)
    return (
        " Dashed, where inside the axes: ends of 95% of the functions at each point, before any "
        f"data, if outputs are normal, as those of wide networks are; at most {ends[0]} and "
        f"{ends[1]}."
    )


def caption_of(curve: Curve) -> str:
    """Name of a panel."""
    return f"{curve.column}: {verdict_of(curve.shown)}"


def verdict_of(shown: bool) -> str:
    """What is said of a column."""
    return SHOWN if shown else NOT_SHOWN
