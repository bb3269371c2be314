"""The evidence of a model, measured from its prior to its posterior."""

import logging
from dataclasses import replace
from typing import Any

import numpy as np
import pymc as pm
from xarray import DataTree

from ...models.data.choices import choose
from ..options import check_free, check_whole, model_at_hand, one_seed
from ..sampling import sample
from ..tempering.groups import ladder_records, what_diverged
from ..tempering.ladder import equal_acceptance
from ..tempering.rungs import check_ladder
from .estimators import METHODS
from .evidence import FEWEST_DRAWS, Evidence, estimate

PILOT = np.array([1.0, 2.0, 4.0, 1e1, 3e1, 1e2, 1e3, 1e4, 1e6, np.inf])
PILOT_DRAWS = 200
DRAWS, TUNE, CHAINS = 1000, 500, 4
SWAPS = 0.5
# what needs no ladder to be recorded, and has arguments and a result of its own
ELSEWHERE = {
    "annealed": "annealed_evidence",
    "bridge": "bridge_evidence",
    "sequential": "sequential_evidence",
}

_log = logging.getLogger("pymc")


def evidence(
    model: pm.Model | DataTree | None = None,
    method: str = "mbar",
    draws: int = DRAWS,
    tune: int = TUNE,
    chains: int = CHAINS,
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
        of finite variance under the prior. :func:`.annealed_evidence`, :func:`.bridge_evidence`
        and :func:`.sequential_evidence` are functions of their own.
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
    _check_method(method)
    if isinstance(model, DataTree):
        numbers = {"draws": (draws, DRAWS), "tune": (tune, TUNE), "chains": (chains, CHAINS)}
        others = {"temperatures": temperatures, "seed": seed}
        given = [
            *options,
            *(name for name, (one, usual) in numbers.items() if one != usual),
            *(name for name, one in others.items() if one is not None),
        ]
        if given:
            raise ValueError(f"{', '.join(given)}: for new draws; leave out with draws at hand.")
        return _told(estimate(*ladder_records(model), method), model)
    _check(options, draws, temperatures)
    rng = one_seed(seed, options.pop("random_seed", None))
    run = {"chains": chains, "seed": rng, **options}
    model = model_at_hand(model)
    check_free(model, "evidence")
    if temperatures is None:
        pilot = sample(model, PILOT_DRAWS, PILOT_DRAWS, temperature=PILOT.tolist(), **run)
        if _made(pilot) != (chains, PILOT_DRAWS):
            raise KeyboardInterrupt
        temperatures = _ladder(pilot, SWAPS)
        _log.info(f"The ladder from posterior to prior has {len(temperatures)} temperatures.")
    found = sample(model, draws, tune, temperature=temperatures, **run)
    answer = _told(estimate(*ladder_records(found), method), found)
    if _made(found) == (chains, draws):
        return answer
    stopped = "The run was interrupted: {} chains of {} draws were made.".format(*_made(found))
    return replace(answer, cautions=(stopped, *answer.cautions))


def _check_method(method: str) -> None:
    """Refuse what is no estimator of a ladder, and name the function that is asked for."""
    if function := ELSEWHERE.get(str(method)):
        raise ValueError(
            f'method="{method}" is a function of its own: call samplers.{function}(model).'
        )
    choose("method", method, tuple(METHODS))


def _told(answer: Evidence, idata: DataTree) -> Evidence:
    """Add what trajectories of the ladder say to the cautions."""
    said = what_diverged(idata)
    return replace(answer, cautions=(said, *answer.cautions)) if said else answer


def _made(idata: DataTree) -> tuple[int, int]:
    """Chains and draws, of which PyMC leaves out those that Ctrl-C cut short."""
    sizes = idata["posterior"].sizes
    return sizes["chain"], sizes["draw"]


def _check(options: dict[str, Any], draws: int, temperatures: Any) -> None:
    """Refuse what would only be found after sampling."""
    check_whole(FEWEST_DRAWS, draws=draws)
    if "temperature" in options:
        raise ValueError("temperature: the ladder of evidence is temperatures=[1, ..., inf].")
    if not options.get("return_inferencedata", True):
        raise ValueError("return_inferencedata=False: evidence needs the groups; leave it out.")
    if temperatures is not None and not np.isinf(check_ladder(temperatures)[-1]):
        raise ValueError(
            f"temperatures={temperatures!r}: end with infinity, the prior's, for the evidence."
        )


def _ladder(pilot: DataTree, acceptance: float) -> list[float]:
    """Temperatures whose neighbours swap with a given probability, by a pilot run."""
    with np.errstate(divide="ignore"):
        return np.sort(1.0 / equal_acceptance(*ladder_records(pilot), acceptance)).tolist()
