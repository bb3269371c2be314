"""The part of a report on inputs: partial dependence, and functions from prior and posterior."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.figure import Figure

from ..comparison.model_results import ModelResult
from ..dependence.functions import Functions, functions_along
from . import dependence_plots, dependence_words
from .plots import BLUE, Image, as_image

if TYPE_CHECKING:
    from ..comparison.comparison import Comparison


class Panel(NamedTuple):
    """A plot with its words.

    Attributes
    ----------
    caption : str
        What it is.
    image : Image
        The plot.
    alt : str
        What it shows, for those who do not see it.
    """

    caption: str
    image: Image
    alt: str


def inputs_of(comparison: Comparison, drawn: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
    """Everything the page says about inputs of the model that is explained.

    Parameters
    ----------
    comparison : Comparison
        The models.
    drawn : dict
        Plots that earlier reports drew; new ones are added.

    Returns
    -------
    dict or None
        None if no model has draws that can be used: plots of such would look like findings.
    """
    result = comparison.explained
    if result is None:
        return None
    key = f"inputs of {result.name}"
    if key not in drawn:
        drawn[key] = _plots(result)
    dependence = result.dependence
    many = len(dependence.classes) > dependence_plots.MOST_CLASSES
    few = f"; of each column the {dependence_plots.MOST_CLASSES} classes that change most"
    return {
        "standing": dependence_words.standing_in_words(comparison, result),
        "findings": dependence_words.findings_in_words(dependence),
        "rows": _rows(result),
        "mean": dependence_words.mean_in_words(dependence),
        "averaged": dependence.rows,
        "samples": dependence.samples,
        "unit": "" if dependence.classes else f", in the {_scale(comparison)} {dependence.target}",
        "classes": few if many else "",
        **drawn[key],
    }


def _scale(comparison: Comparison) -> str:
    """Whether numbers are in the unit of a table, or in what a model was given."""
    return "unit of" if comparison.encoding is not None else "scale that the model was given for"


def _rows(result: ModelResult) -> list[dict[str, str]]:
    """The table of columns, in words."""
    table = result.dependence.table()
    scale = float(table["upper"].max())
    numbers = ("measure", "lower", "upper")
    return [
        {
            "column": str(column),
            "words": dependence_words.verdict_of(bool(row["shown"])),
            **{n: dependence_words.number_in_words(float(row[n]), scale) for n in numbers},
        }
        for column, row in table.iterrows()
    ]


def _plots(result: ModelResult) -> dict[str, Any]:
    dependence = result.dependence
    limits = dependence_plots.common_limits(dependence)
    panels = [
        Panel(
            dependence_words.caption_of(curve),
            as_image(dependence_plots.plot_curve, curve, dependence, limits),
            dependence_words.curve_in_words(curve, dependence),
        )
        for curve in dependence_plots.panels_of(dependence)
    ]
    return {"panels": panels, **_sides(result)}


def _sides(result: ModelResult) -> dict[str, Any]:
    """Functions from prior and posterior, drawn inside the plots, which may fail alone."""
    dependence = result.dependence
    first = dependence.curves[0]
    most = int(first.spreads.mean(axis=0).argmax())
    label = dependence.classes[most] if dependence.classes else None

    @cache
    def functions() -> Functions:
        return functions_along(result.model, result.predicting, first.column, label=label)

    def draw(side: str, colour: str) -> Figure:
        found = functions()
        mean = dependence_words.function_label(found, dependence)
        limit = found.limit if side == "prior" else None
        return dependence_plots.plot_functions(found, getattr(found, side), mean, colour, limit)

    images = [as_image(draw, "prior", dependence_plots.PURPLE), as_image(draw, "posterior", BLUE)]
    if not all(image.uri for image in images):
        return {"sides": [Panel("", image, "") for image in images], "functions": ""}
    alts = dependence_words.sides_in_words(functions())
    captions = ("Prior: before the data", "Posterior: after the data")
    return {
        "sides": [Panel(*panel) for panel in zip(captions, images, alts, strict=True)],
        "functions": dependence_words.functions_in_words(functions(), dependence),
    }
