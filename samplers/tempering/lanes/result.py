"""What ladders in lanes have drawn, as the groups that replica exchange has otherwise."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from xarray import DataTree

from ...batch.network.registers import stacked
from ...batch.state import Records
from ...batch.statistics import ACCEPTANCE, DIVERGING
from ...batch.trace import samples_of
from ..groups import EXCHANGE, TEMPERED
from .ladder import LadderInLanes
from .state import LadderRecords


class Ladders:
    """Draws at temperature 1 of several ladders, as of a batch of chains.

    Parameters
    ----------
    parts : sequence of LadderInLanes
        The ladders, one for each chain, before their first draw.

    Attributes
    ----------
    all : LadderRecords
        All draws at all temperatures; arrays have an axis more, of the chains.
    records : Records
        Draws of all chains at temperature 1.
    seconds : ndarray, shape (chains, draws)
        Time that each took.
    """

    def __init__(self, parts: Sequence[LadderInLanes]):
        self.parts, first = parts, parts[0]
        self.step, self.tune, self.sweeps = first.step, first.tune, first.sweeps
        self.all = stacked([part.records for part in parts])
        self.seconds = np.empty((len(parts), first.total))
        for i, part in enumerate(parts):  # each goes on to write into its part
            part.records = LadderRecords(*(array[i] for array in self.all))
            part.seconds = self.seconds[i]
        place = first.posterior
        row = first.records.row[place]
        drawn = self.all.q[:, row], self.all.log_precision[:, row]
        self.records = Records(*drawn, self.all.statistics[:, place])


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
    temperatures, records = ladders.parts[0].temperatures, ladders.all
    posterior = idata["posterior"].to_dataset()
    kept = slice(done - posterior.sizes["draw"], done)
    acceptance, diverging = (
        np.swapaxes(records.statistics[:, :, kept, of], 1, 2) for of in (ACCEPTANCE, DIVERGING)
    )
    found = {
        "replica": (records.replica[:, kept], "temperature"),
        "log_likelihood": (records.log_likelihood[:, kept], "temperature"),
        "acceptance_rate": (acceptance, "temperature"),
        "diverging": (diverging > 0, "temperature"),
        "swap_probability": (records.swap_probability[:, kept], "colder"),
    }
    variables = {name: (("chain", "draw", last), values) for name, (values, last) in found.items()}
    coords: dict[str, Any] = {name: posterior.coords[name] for name in ("chain", "draw")}
    coords |= {"temperature": temperatures, "colder": temperatures[:-1]}
    idata[EXCHANGE] = DataTree(xr.Dataset(variables, coords))
    if np.all(records.row >= 0):
        idata[TEMPERED] = DataTree(_tempered(posterior, ladders, done, kept))


def _tempered(posterior: xr.Dataset, ladders: Ladders, done: int, kept: slice) -> xr.Dataset:
    """Draws of the variables of the posterior at all temperatures but 1."""
    step, temperatures = ladders.step, ladders.parts[0].temperatures
    hot = np.flatnonzero(temperatures != 1)
    q, logs = ladders.all.q[:, hot], ladders.all.log_precision[:, hot]
    replicas = q.shape[0] * q.shape[1]
    drawn = [array.reshape(replicas, *array.shape[2:]) for array in (q, logs)]
    together = Records(drawn[0], drawn[1], np.empty(0))
    outputs = [v for v in step.model.unobserved_value_vars if v.name in posterior]
    variables = {}
    for name, values in samples_of(step, together, done, outputs).items():
        shape = len(ladders.parts), hot.size, kept.stop - kept.start, *values.shape[2:]
        by_chain = values[:, kept].reshape(shape)
        dims = ("chain", "draw", "temperature", *posterior[name].dims[2:])
        variables[name] = (dims, np.swapaxes(by_chain, 1, 2))
    return xr.Dataset(variables, {**posterior.coords, "temperature": temperatures[hot]})
