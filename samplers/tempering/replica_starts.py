"""Where the replicas of a ladder begin."""

import numpy as np
import pymc as pm
from pymc.blocking import PointType

from ..potential.agreement import density_of
from ..starts import dispersed_starts


def replica_starts(
    model: pm.Model,
    temperatures: np.ndarray,
    start: PointType,
    rng: np.random.Generator,
    together: bool,
) -> list[PointType]:
    """Points where the replicas of a chain begin.

    Parameters
    ----------
    model : pm.Model
        The model.
    temperatures : ndarray, shape (temperatures,)
        The ladder.
    start : dict
        Where the replica of temperature 1 begins.
    rng : Generator
        Where the other points come from.
    together : bool
        Whether all begin there, as where a user gave the point; otherwise each of the others begins
        at a dispersed point of its own, if the model has a density there.

    Returns
    -------
    list of dict
        A point for each temperature.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.tempering.replica_starts import replica_starts
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x")
    >>> given = np.array([1.0, 2.0]), {"x": np.array(3.0)}, np.random.default_rng(1)
    >>> [float(one["x"]) for one in replica_starts(model, *given, together=True)]
    [3.0, 3.0]
    """
    if together:
        return [start for _ in temperatures]
    density = density_of(model)
    starts = dispersed_starts(model, temperatures.size, rng)
    tried = [{k: np.asarray(v) for k, v in (start | own).items()} for own in starts]
    found = [own if np.isfinite(density(own).total) else start for own in tried]
    found[int(np.flatnonzero(temperatures == 1)[0])] = start
    return found
