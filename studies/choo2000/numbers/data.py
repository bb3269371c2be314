"""The data of the study beside the surface that the thesis took them from (Figs. 5.1 and 5.2)."""

from typing import Any

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ..design.network import CHOO_CASES

NOISE = 0.1  # standard deviation that the thesis added to the surface


def surface(x: Any, y: Any) -> Any:
    r"""Surface of the thesis's Fig. 5.2.

    .. math:: f(x, y) = 0.3 + 1.2 x + 0.7 (y - 0.2)^2 + 2.3 y (x + 0.1)^2

    (Choo 2000, Eq. 5.1).

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.numbers.data import surface
    >>> round(surface(0.0, 0.2), 4)
    0.3046
    """
    return 0.3 + 1.2 * x + 0.7 * (y - 0.2) ** 2 + 2.3 * y * (x + 0.1) ** 2


def cases(tables: Tables) -> pd.DataFrame:
    """Cases of Table 5.1 with their distance from the surface; they need no run.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.numbers.data import cases
    >>> cases({})["residual"].round(2).tolist()
    [-0.04, -0.17, 0.01, 0.03, -0.11, 0.12, 0.12, -0.0]
    """
    table = pd.DataFrame(CHOO_CASES, columns=["x", "y", "target"])
    below = surface(table["x"], table["y"])
    return table.assign(surface=below, residual=table["target"] - below)


def noise(table: pd.DataFrame) -> tuple[float, float]:
    """Standard deviation of normal noise around a known surface, and its standard error.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.numbers.data import cases, noise
    >>> [round(number, 3) for number in noise(cases({}))]
    [0.095, 0.024]
    """
    sd = float(np.sqrt((table["residual"] ** 2).mean()))
    return sd, sd / float(np.sqrt(2 * len(table)))
