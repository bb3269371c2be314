"""The evidence of a model, measured from its prior to its posterior."""

import logging
from typing import Any

import numpy as np
import pymc as pm
from xarray import DataTree

from ...models.data.choices import choose
from ..options import model_at_hand
from ..sampling import sample
from .estimators import METHODS
from .evidence import Evidence, estimate
from .groups import EXCHANGE
from .ladder import equal_acceptance

PILOT = np.array([1.0, 2.0, 4.0, 1e1, 3e1, 1e2, 1e3, 1e4, 1e6, np.inf])
PILOT_DRAWS = 200
SWAPS = 0.5

_log = logging.getLogger("pymc")


def evidence(
    model: pm.Model | DataTree | None = None,
    method: str = "mbar",
    draws: int = 1000,
    tune: int = 500,
    chains: int = 4,
    temperatures: Any = None,
    seed: int | np.random.Generator | None = None,
    **options: Any,
) -> Evidence:
    r"""Estimate the log evidence of a model, :math:`\log \int p(y \mid \theta) p(\theta) d\theta`.

    Replicas at temperatures from 1, the posterior, to infinity, the prior, exchange places (see
    :class:`.ReplicaExchange`), and what their log likelihoods say of each other gives the ratio of
    the two normalising constants. Without ``temperatures`` a pilot run finds out how many it takes
    for neighbours to swap half of the time.

    Evidence depends on how wide the priors are, also where the posterior does not: it asks how
    probable the data were before anything was learnt. Leave-one-out scores do not.

    Parameters
    ----------
    model : pm.Model or DataTree, optional
        The model, by default that of the context; or the result of
        ``samplers.sample(temperature=[1, ..., inf])``, which is then evaluated as it is.
    method : {"mbar", "stepping_stone", "thermodynamic_integration"}
        Reweighting of all draws at once (Shirts & Chodera 2008), products of ratios between
        neighbours (Xie et al. 2011), or the integral of the mean log likelihood with its trapezia
        corrected (Friel et al. 2014; Baldock & Marzari 2019, Eq. 24), which needs log likelihoods
        of finite variance under the prior.
    draws, tune, chains
        Of the ladder, as for ``samplers.sample``; the pilot run is shorter.
    temperatures : sequence of float, optional
        The ladder, with 1 and infinity.
    seed : int or Generator, optional
        Of both runs.
    **options
        More arguments of ``samplers.sample``.

    Returns
    -------
    Evidence
        Log evidence, standard error, what was assumed, and cautions that the draws give.

    Raises
    ------
    ValueError
        If the ladder lacks 1 or infinity, or the draws have no ladder.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x")
    ...     y = pm.Normal("y", x, observed=np.array([1.0]))
    >>> found = samplers.evidence(model, temperatures=[1, 4, np.inf], draws=400, seed=1,
    ...                           cores=1, progressbar=False, quiet=True)
    >>> exact = -0.25 - 0.5 * np.log(4 * np.pi)
    >>> bool(abs(found.log_evidence - exact) < 4 * found.standard_error < 0.2)
    True
    """
    choose("method", method, tuple(METHODS))
    if not isinstance(model, DataTree):
        rng = np.random.default_rng(seed)
        run = {"chains": chains, "seed": rng, **options}
        model = model_at_hand(model)
        if temperatures is None:
            pilot = sample(model, PILOT_DRAWS, PILOT_DRAWS, temperature=PILOT.tolist(), **run)
            temperatures = _ladder(pilot, SWAPS)
            _log.info(f"The ladder from posterior to prior has {len(temperatures)} temperatures.")
        model = sample(model, draws, tune, temperature=temperatures, **run)
    return estimate(*_records(model), method)


def _ladder(pilot: DataTree, acceptance: float) -> list[float]:
    """Temperatures whose neighbours swap with a given probability, by a pilot run."""
    with np.errstate(divide="ignore"):
        return np.sort(1.0 / equal_acceptance(*_records(pilot), acceptance)).tolist()


def _records(idata: DataTree) -> tuple[np.ndarray, np.ndarray]:
    """Log likelihoods of all replicas, and their inverse temperatures."""
    if EXCHANGE not in idata.children:
        raise ValueError(
            "The draws have no ladder of temperatures; give samplers.evidence the model, or draws "
            "of samplers.sample(temperature=[1, ..., inf])."
        )
    found = idata[EXCHANGE].to_dataset()
    values = found["log_likelihood"].transpose("chain", "draw", "temperature").to_numpy()
    return values, 1.0 / found["temperature"].to_numpy()
