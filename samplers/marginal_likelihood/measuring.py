"""The evidence of a model, measured from its prior to its posterior."""

import inspect
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pymc as pm
from xarray import DataTree

from ...models.data.choices import choose
from ..options import check_free, check_whole, model_at_hand, one_seed
from ..sampling import sample
from ..tempering.groups import ladder_records, what_diverged
from ..tempering.ladder import PILOT, PILOT_DRAWS, equal_acceptance
from ..tempering.rungs import check_ladder
from ..tempering.travel import travel_of
from .annealing import AnnealedEvidence, annealed_evidence
from .biased_steps import refuse_biased_draws, refuse_biased_steps
from .bridges.bridging import bridge_evidence
from .estimators import METHODS
from .evidence import FEWEST_DRAWS, Evidence, estimate, with_potentials
from .sequential import sequential_evidence

DRAWS, TUNE, CHAINS = 1000, 500, 4
SWAPS = 0.5
# what needs no ladder to be recorded, and has arguments of its own
ELSEWHERE: dict[str, Callable[..., Any]] = {
    "annealed": annealed_evidence,
    "bridge": bridge_evidence,
    "sequential": sequential_evidence,
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

    Potentials count as likelihood, as they do for temperatures; of draws at hand nothing tells
    whether the model has some.

    Evidence depends on how wide the priors are, also where the posterior does not: it asks how
    probable the data were before anything was learnt. Leave-one-out scores do not.

    Parameters
    ----------
    model : pm.Model or DataTree, optional
        The model, by default that of the context; or the result of
        ``samplers.sample(temperature=[1, ..., inf])``, which is then evaluated as it is.
    method : str
        Of a ladder: ``"mbar"``, reweighting of all draws at once (Shirts & Chodera 2008),
        ``"stepping_stone"``, products of ratios between neighbours (Xie et al. 2011), or
        ``"thermodynamic_integration"``, the integral of the mean log likelihood with its trapezia
        corrected (Friel et al. 2014; Baldock & Marzari 2019, Eq. 24), which needs log likelihoods
        of finite variance under the prior. ``"annealed"``, ``"bridge"`` and ``"sequential"`` record
        no ladder, and take the arguments of :func:`.annealed_evidence`, whose two bounds are
        joined, of :func:`.bridge_evidence` and of :func:`.sequential_evidence`.
    draws, tune, chains
        Of the ladder, as for ``samplers.sample``; the pilot run is shorter.
    temperatures : sequence of float, optional
        The ladder, with 1 and infinity.
    seed : int or Generator, optional
        Of both runs.
    **options
        More arguments of ``samplers.sample``, or of the method's own function.

    Returns
    -------
    Evidence
        Log evidence, standard error, what was assumed, and cautions that the draws give.

    Raises
    ------
    ValueError
        If the ladder lacks 1 or infinity, the draws have no ladder, steps are without an accept
        test, or an argument is none of the method's.

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
    choose("method", method, (*METHODS, *ELSEWHERE))
    numbers = {"draws": (draws, DRAWS), "tune": (tune, TUNE), "chains": (chains, CHAINS)}
    others = {"temperatures": temperatures, "seed": seed}
    given = {name: one for name, (one, usual) in numbers.items() if one != usual}
    given |= {name: one for name, one in others.items() if one is not None} | options
    if method in ELSEWHERE:
        return _elsewhere(method, model, given)
    if isinstance(model, DataTree):
        if given:
            raise ValueError(f"{', '.join(given)}: for new draws; leave out with draws at hand.")
        refuse_biased_draws(model)
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
    answer = with_potentials(_told(estimate(*ladder_records(found), method), found), model)
    if _made(found) == (chains, draws):
        return answer
    stopped = "The run was interrupted: {} chains of {} draws were made.".format(*_made(found))
    return replace(answer, cautions=(stopped, *answer.cautions))


def _elsewhere(method: str, model: pm.Model | DataTree | None, given: dict[str, Any]) -> Evidence:
    """Call the function of a method that has no ladder, which checks its own arguments."""
    function = ELSEWHERE[method]
    known = inspect.signature(function).parameters
    own = set(given) - {"draws", "chains", "temperatures"} if "options" in known else set()
    if strange := sorted(set(given) - set(known) - own):
        raise ValueError(f'{", ".join(strange)}: not for method="{method}"; leave out.')
    if isinstance(model, DataTree):
        raise ValueError(f'model: method="{method}" makes its own draws; give the model.')
    found = function(model, **given)
    if isinstance(found, AnnealedEvidence):
        value, error = found.both
        found = Evidence(value, error, method, found.assumed, found.cautions)
    return found


def _told(answer: Evidence, idata: DataTree) -> Evidence:
    """Add what trajectories of the ladder say, and how replicas went through it."""
    travel = travel_of(idata)
    still = f"{travel.still}; draw longer." if travel is not None and travel.still else ""
    every = what_diverged(idata), *answer.cautions, still
    return replace(answer, cautions=tuple(sentence for sentence in every if sentence))


def _made(idata: DataTree) -> tuple[int, int]:
    """Chains and draws, of which PyMC leaves out those that Ctrl-C cut short."""
    sizes = idata["posterior"].sizes
    return sizes["chain"], sizes["draw"]


def _check(options: dict[str, Any], draws: int, temperatures: Any) -> None:
    """Refuse what would only be found after sampling."""
    check_whole(FEWEST_DRAWS, draws=draws)
    refuse_biased_steps(options.get("step"))
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
