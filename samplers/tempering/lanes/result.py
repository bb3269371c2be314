"""What ladders in lanes have drawn, as the groups that replica exchange has otherwise."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from xarray import DataTree

from ...batch.state import Records
from ...batch.statistics import ACCEPTANCE
from ...batch.trace import samples_of
from ..groups import EXCHANGE, TEMPERED
from .ladder import LadderInLanes


class Ladders:
    """Draws at temperature 1 of several ladders, as of a batch of chains.

    Parameters
    ----------
    parts : sequence of LadderInLanes
        The ladders, one for each chain.

    Attributes
    ----------
    records : Records
        All draws of all chains.
    seconds : ndarray, shape (chains, draws)
        Time that each took.
    """

    def __init__(self, parts: Sequence[LadderInLanes]):
        self.parts, first = parts, parts[0]
        self.step, self.tune, self.sweeps = first.step, first.tune, first.sweeps

    @property
    def records(self) -> Records:
        """All draws of all chains."""
        place, found = self.parts[0].posterior, [part.records for part in self.parts]
        row = found[0].row[place]
        return Records(
            np.array([one.q[row] for one in found]),
            np.array([one.log_precision[row] for one in found]),
            np.array([one.statistics[place] for one in found]),
        )

    @property
    def seconds(self) -> np.ndarray:
        """Time of each draw."""
        return np.array([part.seconds for part in self.parts])


def attach_ladders(idata: DataTree, ladders: Ladders, done: int) -> None:
    """Add the groups of a ladder (see :func:`..groups.regroup`) to draws of its posterior.

    Parameters
    ----------
    idata : DataTree
        Draws at temperature 1; it is changed.
    ladders : Ladders
        The chains.
    done : int
        How many draws they have, those of warm-up among them.
    """
    parts, temperatures = ladders.parts, ladders.parts[0].temperatures
    posterior = idata["posterior"].to_dataset()
    kept = slice(done - posterior.sizes["draw"], done)
    records = [part.records for part in parts]
    acceptance = np.array([r.statistics[:, kept, ACCEPTANCE].T for r in records])
    found = {
        "replica": (np.array([r.replica[kept] for r in records]), "temperature"),
        "log_likelihood": (np.array([r.log_likelihood[kept] for r in records]), "temperature"),
        "acceptance_rate": (acceptance, "temperature"),
        "swap_probability": (np.array([r.swap_probability[kept] for r in records]), "colder"),
    }
    variables = {name: (("chain", "draw", last), values) for name, (values, last) in found.items()}
    coords = {name: posterior.coords[name] for name in ("chain", "draw")}
    coords |= {"temperature": temperatures, "colder": temperatures[:-1]}
    idata[EXCHANGE] = DataTree(xr.Dataset(variables, coords))
    if np.all(records[0].row >= 0):
        idata[TEMPERED] = DataTree(_tempered(posterior, ladders, done, kept))


def _tempered(posterior: xr.Dataset, ladders: Ladders, done: int, kept: slice) -> xr.Dataset:
    """Draws of the variables of the posterior at all temperatures but 1."""
    step, temperatures = ladders.step, ladders.parts[0].temperatures
    hot = np.flatnonzero(temperatures != 1)
    together = Records(
        np.concatenate([part.records.q[hot] for part in ladders.parts]),
        np.concatenate([part.records.log_precision[hot] for part in ladders.parts]),
        np.empty(0),
    )
    outputs = [v for v in step.model.unobserved_value_vars if v.name in posterior]
    variables = {}
    for name, values in samples_of(step, together, done, outputs).items():
        by_chain = values[:, kept].reshape(len(ladders.parts), hot.size, -1, *values.shape[2:])
        dims = ("chain", "draw", "temperature", *posterior[name].dims[2:])
        variables[name] = (dims, np.swapaxes(by_chain, 1, 2))
    return xr.Dataset(variables, {**posterior.coords, "temperature": temperatures[hot]})
