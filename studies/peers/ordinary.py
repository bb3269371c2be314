"""Eight tables of numbers that ship with packages; five were not looked at before."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
from mlxtend.data import boston_housing_data

from ..errors import InputError
from ..tables.datasets import DataSet, autompg, diabetes

# what the study needs besides the project's own dependencies, in the versions that it ran with
MORE = ("sklearn-contrib-bde==1.0.2", "statsmodels==0.15.0", "plotly==7.1.0")


def boston() -> DataSet:
    """Value of homes in 506 districts, by 13 properties of these."""
    X, y = boston_housing_data()
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]).assign(value=y)
    return DataSet("boston", frame, "value", "regression", "Boston housing, via mlxtend")


def star98() -> DataSet:
    """Share of pupils above the median of a test in 303 districts of California."""
    frame = _statsmodels("star98")
    share = frame["NABOVE"] / (frame["NABOVE"] + frame["NBELOW"])
    inputs = frame.iloc[:, 2:14]  # the others are products of these
    return DataSet("star98", inputs.assign(share=share), "share", "regression", "via statsmodels")


def grunfeld() -> DataSet:
    """Investment of 11 firms in 20 years, by their value and their capital."""
    frame = _statsmodels("grunfeld")
    return DataSet("grunfeld", frame, "invest", "regression", "Grunfeld, via statsmodels")


def co2() -> DataSet:
    """Carbon dioxide at Mauna Loa in 2225 weeks, by year and day of the year."""
    found = _statsmodels("co2")["co2"].dropna()
    days = pd.DatetimeIndex(found.index)
    inputs = {"year": days.year.astype(float), "day": days.day_of_year.astype(float)}
    frame = pd.DataFrame({**inputs, "co2": found.to_numpy()})
    return DataSet("co2", frame, "co2", "regression", "Mauna Loa, via statsmodels")


def tips() -> DataSet:
    """Tips of 244 guests, by their bill and the day."""
    frame = _plotly("tips")
    return DataSet("tips", frame, "tip", "regression", "Bryant & Smith (1995), via plotly")


def gapminder() -> DataSet:
    """Life expectancy in 142 countries and 12 years, by continent, population and income."""
    frame = _plotly("gapminder")[["continent", "year", "pop", "gdpPercap", "lifeExp"]]
    return DataSet("gapminder", frame, "lifeExp", "regression", "Gapminder, via plotly")


TABLES: dict[str, Callable[[], DataSet]] = {
    loader.__name__: loader
    for loader in (autompg, boston, diabetes, star98, grunfeld, co2, tips, gapminder)
}


def load(name: str, rows: int | None, seed: int) -> DataSet:
    """Load a table, its rows in a random order.

    Parameters
    ----------
    name : str
        From :data:`TABLES`.
    rows : int or None
        How many rows; all by default.
    seed : int
        For the order.

    Returns
    -------
    DataSet

    Raises
    ------
    InputError
        If the package that has the table is not there.

    Examples
    --------
    >>> from pymc_bnn.studies.peers.ordinary import load
    >>> len(load("boston", 50, seed=0).frame)
    50
    """
    found = TABLES[name]()
    order = np.random.default_rng(seed).permutation(len(found.frame))[:rows]
    frame = found.frame.iloc[order].reset_index(drop=True)
    return DataSet(found.name, frame, found.target, found.task, found.source)


def _statsmodels(name: str) -> pd.DataFrame:
    return _part_of(f"statsmodels.datasets.{name}").load_pandas().data


def _plotly(name: str) -> pd.DataFrame:
    return getattr(_part_of("plotly.data"), name)()


def _part_of(module: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError:
        package = module.partition(".")[0]
        more = " ".join(f"--with {name}" for name in MORE)
        raise InputError(
            f"--budget: its tables need the package {package}; run uv run {more} pymc-bnn study "
            "peers, or take --budget smoke."
        ) from None
