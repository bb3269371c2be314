"""Partial dependence of a model's predictive mean on each column, with posterior bands."""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from ...models.bnn import BNN
from ...models.description import check_same_cases
from ...models.forward_pass import PosteriorDraws
from ..tables.column import Column
from ..tables.encoding import Encoding
from .curve import INNER, OUTER, Curve
from .grid import columns_of, encoding_of, observed_grid
from .predictive_mean import averages_along, classes_of

MOST_COLUMNS = 20  # that are looked at closely
MOST_PRODUCTS = 4e10  # of the close look at all columns, some seconds


class Look(NamedTuple):
    """How closely to look.

    Attributes
    ----------
    rows : int
        Most training rows to average over.
    samples : int
        Most posterior draws.
    points : int
        Most values of a column.
    """

    rows: int
    samples: int
    points: int


CLOSE, COARSE = Look(100, 400, 20), Look(30, 40, 5)
FEWEST_SAMPLES = 100
UNIT_PRODUCTS = 20  # that computing a hidden unit takes as long as
SEED = 0


@dataclass(frozen=True)
class PartialDependence:
    """Partial dependence on the columns of a table.

    Parameters
    ----------
    curves : tuple of Curve
        One for each column that was looked at closely, that which matters most first.
    target : str
        Name of what is predicted.
    classes : tuple
        Classes whose probabilities they are; empty for numbers and counts.
    columns : int
        Columns of the table.
    rows, samples : int
        Training rows averaged over, and posterior draws.
    """

    curves: tuple[Curve, ...]
    target: str
    classes: tuple
    columns: int
    rows: int
    samples: int

    def table(self) -> pd.DataFrame:
        """The measure by which columns are ranked, its 90% interval, and what is shown.

        Returns
        -------
        DataFrame
            One row per column, in the unit of the target.
        """
        rows = {
            curve.column: {
                "measure": float(curve.measure.mean()),
                "lower": curve.interval[0],
                "upper": curve.interval[1],
                "shown": curve.shown,
            }
            for curve in self.curves
        }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("column")

    def to_frame(self) -> pd.DataFrame:
        """All curves with their bands, for a spreadsheet.

        Returns
        -------
        DataFrame
            For each column, class (none for numbers) and value: ``mean``, ``lower_50``,
            ``upper_50``, ``lower_90`` and ``upper_90``, and whether it is ``shown_to_matter``.
            Rows without a number have the value "(missing)".
        """
        labels = self.classes or (None,)
        parts = []
        for curve in self.curves:
            bands = {"50": curve.band(INNER), "90": curve.band(OUTER)}
            for place, label in enumerate(labels):
                found = {"column": curve.column, "value": curve.grid.labels}
                found |= {} if label is None else {"class": label}
                found["mean"] = curve.mean[:, place]
                for name, (low, high) in bands.items():
                    found[f"lower_{name}"] = low[:, place]
                    found[f"upper_{name}"] = high[:, place]
                parts.append(pd.DataFrame({**found, "shown_to_matter": curve.shown}))
        return pd.concat(parts, ignore_index=True)


def partial_dependence(
    model: BNN, idata: xr.DataTree, encoding: Encoding | None = None
) -> PartialDependence:
    r"""Average a model's predictive mean over the training rows, with one column set to a value.

    .. math:: h_j(v; \theta) = \frac{1}{n} \sum_i E[y \mid x_i \text{ with } x_{ij} = v, \theta]

    (Friedman 2001, section 8.2) for each posterior draw :math:`\theta`, so that its bands are those
    of the function itself. The mean is a class's probability where targets are classes. How much a
    column matters is the standard deviation of :math:`h_j` over the values of the training rows
    (after Greenwell, Boehmke & McCarthy 2018), by each draw.

    Missing numbers, where they are marked, are a value of their own, and so is a number that
    nearly all rows have. Rows, draws and other values are thinned to 100, 400 and 20, draws further
    where the network is large; of more than 20 columns those that matter most in a coarser look are
    looked at.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.
    encoding : Encoding, optional
        How its table was encoded, for the columns and units of the table; by default what the
        draws say.

    Returns
    -------
    PartialDependence
        Of the first output, if there are several.

    Raises
    ------
    InputError
        If the encoding is of another table.
    ValueError
        If idata lacks the model's draws, or the model holds other cases than those beside them, or
        a likelihood does not say the mean of targets.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers, studies
    >>> X = np.random.default_rng(1).normal(size=(60, 2))
    >>> model = models.gaussian(X, 2 * X[:, 0] + 0.1 * np.sin(9 * X[:, 1]), hidden=())
    >>> idata = samplers.sample(model, draws=100, tune=100, chains=2, cores=1, seed=1,
    ...                         progressbar=False, quiet=True)
    >>> studies.partial_dependence(model, idata).table()["shown"].to_dict()
    {'0': True, '1': False}
    """
    check_same_cases(idata, model["X"].get_value(), model["y"].get_value())
    encoding = encoding or encoding_of(idata)
    columns, X = columns_of(model, encoding), model["X"].get_value(borrow=True)
    posterior = PosteriorDraws(model, idata)

    def curves_of(chosen: list[tuple[Column, slice]], look: Look) -> list[Curve]:
        rows, draws = some_rows(X, look.rows), some_draws(posterior, look.samples)
        grids = [observed_grid(X, *column, look.points) for column in chosen]
        found = [Curve(g, averages_along(model, draws, rows, g, encoding)) for g in grids]
        return sorted(found, key=lambda curve: -curve.measure.mean())

    chosen = columns
    if len(columns) > MOST_COLUMNS:
        first = {curve.column for curve in curves_of(columns, COARSE)[:MOST_COLUMNS]}
        chosen = [found for found in columns if found[0].name in first]
    look = _affordable(model, len(chosen))
    curves = curves_of(chosen, look)
    return PartialDependence(
        tuple(curves),
        _target(model, encoding),
        classes_of(model),
        len(columns),
        min(len(X), look.rows),
        len(curves[0].draws),
    )


def some_rows(X: np.ndarray, most: int) -> np.ndarray:
    """Take some rows by chance, as every n-th of a table with a pattern may be all of a kind."""
    if len(X) <= most:
        return X
    return X[np.random.default_rng(SEED).choice(len(X), most, replace=False)]


def some_draws(posterior: PosteriorDraws, most: int) -> PosteriorDraws:
    """Take draws at even distances."""
    return posterior.part(slice(0, None, -(-posterior.size // most)))


def _affordable(model: BNN, columns: int) -> Look:
    """Look less closely with a large network: at fewer draws."""
    sizes = (len(model.inputs), *model.hidden, len(model.output_units))
    products = sum(a * b for a, b in pairwise(sizes)) + UNIT_PRODUCTS * sum(model.hidden)
    passes = MOST_PRODUCTS / products / (columns * CLOSE.points * CLOSE.rows)
    return CLOSE._replace(samples=int(np.clip(passes, FEWEST_SAMPLES, CLOSE.samples)))


def _target(model: BNN, encoding: Encoding | None) -> str:
    if encoding is not None:
        return encoding.target
    return "target" if model.classes or len(model.outputs) == 1 else str(model.outputs[0])
