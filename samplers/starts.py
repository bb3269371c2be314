"""Starting points: dispersed ones, which custom steps do not get from ``pm.sample``, and bad ones.

All weights at zero, PyMC's default, is a saddle point of every network, and the same one for all
chains, so that they could not disagree.
"""

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np
import pymc as pm
from pymc.blocking import PointType
from pymc.exceptions import SamplingError
from pymc.initial_point import make_initial_point_fns_per_chain
from pymc.logprob.transforms import Transform
from pytensor.tensor.variable import TensorVariable

from ..models.bnn import BNN
from ..models.priors.base import Prior
from .compiled.interpreted import in_python
from .compiled.memory import initial_point
from .given_starts import check_initvals, check_points
from .potential.agreement import density_of
from .potential.recognition import why_no_kernel

REDRAWS, WIDE = 20, 6  # how often a start is drawn again, and how often as far from the middle


def dispersed_starts(
    model: pm.Model, chains: int, rng: np.random.Generator
) -> list[dict[str, np.ndarray]]:
    r"""Draw a starting point for each chain.

    The weights of a network start as their prior says (:meth:`pymc_bnn.models.Prior.initial`), at a
    spread :math:`s` where :math:`\log_2 s` is uniform on (-1, 1) and differs by chain; a layer then
    starts neither saturated nor dead. Other continuous variables get uniform noise on (-1, 1) on
    their unconstrained scale, as PyMC does for NUTS. Where the density of that is not finite,
    others are drawn, at last ever closer to the model's initial point, which is where the chain
    starts if none of them has one.

    Parameters
    ----------
    model : pm.Model
        The model.
    chains : int
        Number of points.
    rng : Generator
        Where the random numbers come from.

    Returns
    -------
    list of dict
        ``initvals`` for ``pm.sample``.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.samplers.starts import dispersed_starts
    >>> model = models.gaussian(np.eye(3), np.arange(3.0), hidden=(2,))
    >>> len(dispersed_starts(model, 4, np.random.default_rng(0)))
    4
    """
    return [_start_with_density(model, child) for child in rng.spawn(chains)]


def one_of_chains(
    model: pm.Model, seed: int, chain: int, chains: int
) -> tuple[dict[str, np.ndarray], np.random.Generator]:
    """Start and random numbers by which one chain is sampled as it is among others.

    Parameters
    ----------
    model : pm.Model
        The model.
    seed : int
        Of all chains.
    chain, chains : int
        Which one, of how many.

    Returns
    -------
    start : dict
        For ``initvals`` of :func:`.sampling.sample`, whose ``chains`` is 1.
    rng : Generator
        For its ``seed``.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> from pymc_bnn.samplers.starts import one_of_chains
    >>> model = models.gaussian(np.eye(3), np.arange(3.0), hidden=())
    >>> short = {"draws": 5, "tune": 5, "cores": 1, "progressbar": False, "quiet": True}
    >>> both = samplers.sample(model, chains=2, seed=1, **short)
    >>> start, rng = one_of_chains(model, 1, chain=1, chains=2)
    >>> alone = samplers.sample(model, chains=1, seed=rng, initvals=[start], **short)
    >>> bool((alone["posterior"]["w0"][0] == both["posterior"]["w0"][1]).all())
    True
    """
    start = dispersed_starts(model, chains, np.random.default_rng(seed))[chain]
    # streams of all starts come first, then those of all draws; a chain alone takes one of each
    spawned = np.random.SeedSequence(seed, n_children_spawned=chains - 1 + chain)
    return start, np.random.default_rng(spawned)


def chain_starts(
    model: pm.Model,
    chains: int,
    rng: np.random.Generator,
    initvals: Any,
    asks: str,
    argument: str = "initvals",
) -> list[PointType]:
    """Starting points for chains, as given or dispersed.

    Parameters
    ----------
    model : pm.Model
        The model.
    chains : int
        Number of points.
    rng : Generator
        Where random numbers come from.
    initvals : dict or sequence of dict, optional
        As for ``pm.sample``; what they lack is at the model's initial point.
    asks : str
        What is to start there, for the message.
    argument : str
        What the user called the values.

    Returns
    -------
    list of dict
        Values of the value variables; given ones are checked.

    Raises
    ------
    SamplingError
        If the log density at a given point is not finite.
    ValueError
        If a given point has a variable that the model lacks, or one of another shape, or points
        are not as many as chains.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.starts import chain_starts
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x")
    >>> starts = chain_starts(model, 2, np.random.default_rng(0), {"x": 2.0}, "NUTS")
    >>> [float(start["x"]) for start in starts]
    [2.0, 2.0]
    """
    if initvals is None:
        return dispersed_starts(model, chains, rng)
    check_initvals(model, initvals, argument)
    check_points(argument, initvals, chains)
    own = isinstance(initvals, Mapping)  # PyMC knows dicts alone
    initvals = dict(initvals) if own else [None if one is None else dict(one) for one in initvals]
    functions = make_initial_point_fns_per_chain(
        model=model, overrides=initvals, jitter_rvs=set(), chains=chains
    )
    seeds = [int(child.integers(2**30)) for child in rng.spawn(chains)]
    starts = [function(seed) for function, seed in zip(functions, seeds, strict=True)]
    for start in starts:  # Gibbs draws may lead to where the density is finite, or seem to
        check_start(density_of(model)(start).total, model, start, asks)
    return starts


def _start_with_density(model: pm.Model, rng: np.random.Generator) -> dict[str, np.ndarray]:
    point, start = initial_point(model), _start(model, rng)
    if why_no_kernel(model) is None and not model.added:
        return start  # all outputs have a density, and with many cases it takes long to compute
    for k in range(REDRAWS):
        with np.errstate(all="ignore"):
            if isfinite(density_of(model)({**point, **start}).total):
                return start
        share, start = 0.5 ** max(k + 1 - WIDE, 0), _start(model, rng)
        if share < 1:
            start = {name: point[name] + share * (v - point[name]) for name, v in start.items()}
    return {name: point[name] for name in start}


def _start(model: pm.Model, rng: np.random.Generator) -> dict[str, np.ndarray]:
    spread = 2.0 ** rng.uniform(-1, 1)
    groups = model.groups if isinstance(model, BNN) else {}
    own = _starts_of_priors(model, rng, spread) if groups else {}
    start, point = {}, initial_point(model)
    for value in model.continuous_value_vars:
        transform = model.rvs_to_transforms[model.values_to_rvs[value]]
        if transform is not None and transform.name.startswith(("cholesky", "zerosum")):
            continue  # PyMC cannot turn a start of these back
        default, name = point[value.name], model.values_to_rvs[value].name
        if name in own:
            start[value.name] = own[name]
        elif name in groups and _says_weights(model.priors[name], transform):
            weights = model.priors[name].initial(groups[name], rng, spread)
            start[value.name] = _transformed(model, value, weights, {**point, **start})
        else:
            start[value.name] = default + rng.uniform(-1, 1, size=default.shape)
    return start


def _says_weights(prior: Prior, transform: Transform | None) -> bool:
    """Whether a prior says what weights to start from: the usual ones may be out of its bounds."""
    return transform is None or type(prior).initial is not Prior.initial


def _transformed(
    model: BNN, value: TensorVariable, weights: np.ndarray, point: PointType
) -> np.ndarray:
    """Coordinates of weights that a prior starts from, on the unconstrained scale."""
    variable = model.values_to_rvs[value]
    transform = model.rvs_to_transforms[variable]
    if transform is None:
        return weights
    [found] = model.replace_rvs_by_values([transform.forward(weights, *variable.owner.inputs)])
    given = [v for v in model.value_vars if v is not value]
    with np.errstate(all="ignore"):
        [coordinates] = in_python(given, [found])(*(point[v.name] for v in given))
    if not np.isfinite(coordinates).all():
        raise ValueError(
            f"{type(model.priors[variable.name]).__name__}.initial returned weights where "
            f"{variable.name} has no density; return weights from its support, and not coordinates "
            "on the unconstrained scale."
        )
    return coordinates


def _starts_of_priors(model: BNN, rng: np.random.Generator, spread: float) -> dict[str, np.ndarray]:
    """What the priors of a network say about starts, by random variable."""
    found: dict[str, np.ndarray] = {}
    for name, group in model.groups.items():
        found |= model.priors[name].initial_values(group, rng, spread, model.parametrization)
    return found


def check_start(energy: float, model: pm.Model, start: PointType, step: str) -> None:
    """Refuse a start at which the energy is not finite: no step can lead away from there.

    Parameters
    ----------
    energy : float
        Energy that the step found at the start.
    model : pm.Model
        The model.
    start : dict
        Values of the value variables.
    step : str
        Name of the step.

    Raises
    ------
    SamplingError
        If the energy is infinite or undefined; it says of which variables.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.starts import check_start
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x")
    >>> check_start(float("inf"), model, {"x": 1e200}, "NUTS")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    pymc.exceptions.SamplingError: NUTS cannot start: the log density of x (-inf) is not finite...
    """
    if isfinite(energy):
        return
    bad = [name for name, value in start.items() if not np.isfinite(value).all()]
    if bad:
        found = f"the start of {', '.join(bad)}"
    else:
        with np.errstate(all="ignore"):
            terms = density_of(model)(start).terms  # which need not be compiled
        off = [f"{name} ({value})" for name, value in terms.items() if not isfinite(value)]
        found = f"the log density of {', '.join(off) or 'the model'}"
    raise SamplingError(
        f"{step} cannot start: {found} is not finite; give other initvals, or mend the data."
    )
