"""Regressions on ordinary tables at temperatures around 1."""

from dataclasses import dataclass

TEMPERATURES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


@dataclass(frozen=True)
class Cold:
    """A network on splits of a table, with noise that is learnt.

    Parameters
    ----------
    table : str
        A data set of the package.
    units : int
        Hidden tanh units.
    splits : int
        Into training and test cases.
    chains, tune, draws : int
        At each temperature.
    """

    table: str
    units: int
    splits: int = 5
    chains: int = 4
    tune: int = 300
    draws: int = 300
