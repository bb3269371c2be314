"""The steps that suit a model."""

import logging
from collections.abc import Collection
from typing import Any, TypeGuard

import pymc as pm
import pytensor.tensor as pt
from pytensor.graph.traversal import ancestors

from ..models.bnn import BNN
from ..models.class_digest import is_ours
from ..models.layer import Layer
from ..models.priors.base import Prior
from ..models.rebuilding import take_deterministics
from .compiled.engine import compiles
from .options import check_taken, check_whole
from .potential.conditional import Conditional
from .potential.recognition import is_network, weight_values
from .precisions.conjugacy import conjugate_names
from .precisions.hierarchy import is_hierarchy
from .pymc_steps import BlockedStep, CompoundStep
from .repeated import Repeated
from .steps.gibbs_hmc import GibbsHMC
from .steps.gibbs_precision import GibbsPrecision
from .steps.nuts import NUTS
from .steps.static_hmc import StaticHMC

N_LEAPFROG = 300  # of a trajectory
# Where networks are parts of a model, other terms may take the place of their biases, and such
# ridges may want longer trajectories. From dispersed starts 300 draws of warm-up may end on the way
# to the typical set, with scales of that way; chains that search by longer steps arrive sooner.
IN_PARTS: dict[str, Any] = {"n_leapfrog": 600, "search_accept": 0.65}
# With noise of its own for each case steps of the usual length diverge, 2% of them on 300 cases
# with 4 units; at 0.95 it was 0.15%, with as many effective draws.
ACCEPT, STEEP_ACCEPT = 0.8, 0.95

_log = logging.getLogger("pymc")


def recommended_method(model: pm.Model) -> str:
    """Say which method suits a model.

    Parameters
    ----------
    model : pm.Model
        The model.

    Returns
    -------
    {"gibbs_hmc", "nuts"}
        ``"gibbs_hmc"`` if all hyperparameters of a network are conjugate precisions, or, for
        other models, if there is a conjugate precision and nothing discrete.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.samplers.recommended import recommended_method
    >>> X = np.eye(4)
    >>> recommended_method(models.ard(X, X[:, 0])), recommended_method(models.horseshoe(X, X[:, 0]))
    ('gibbs_hmc', 'nuts')
    """
    conjugate = conjugate_names(model)
    if isinstance(model, BNN) and is_network(model):
        scales = ancestors([pt.as_tensor(scale) for scale in model.scales.values()])
        hyperparameters = {model.rvs_to_values[v].name for v in scales if v in model.free_RVs}
        centered = model.parametrization == "centered"
        return "gibbs_hmc" if centered and hyperparameters <= conjugate else "nuts"
    others = {v.name for v in model.value_vars} - conjugate
    continuous = {v.name for v in model.continuous_value_vars}
    return "gibbs_hmc" if conjugate and others and others <= continuous else "nuts"


@compiles
def recommended_steps(
    model: pm.Model, method: str | None = None, **options: Any
) -> list[BlockedStep | CompoundStep]:
    """Build the steps of a method for a model; this compiles them.

    Parameters
    ----------
    model : pm.Model
        The model.
    method : {"gibbs_hmc", "nuts"}, optional
        By default :func:`recommended_method`.
    **options
        Arguments of :class:`GibbsHMC` or :class:`StaticHMC`, or of :class:`NUTS`, to use instead
        of the recommended ones. All but NUTS take ``thin``.

    Returns
    -------
    list of step methods
        For a network of weights and conjugate precisions alone one :class:`GibbsHMC`; for other
        models of the first method, weights that are not normal, t noise, and precisions that
        depend on each other as those of :class:`pymc_bnn.models.ConjugateHorseshoe`,
        :class:`GibbsPrecision` and :class:`StaticHMC`, with variables a user added to a network
        left to PyMC's own steps; for the second one :class:`NUTS`. Trajectories have 300 leapfrogs,
        and 600 where :func:`pymc_bnn.models.network` is part of a model.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.samplers.recommended import recommended_steps
    >>> model = models.gaussian(np.eye(3), np.arange(3.0), hidden=(2,))
    >>> [step.name for step in recommended_steps(model)]
    ['gibbs_hmc']
    """
    step = recommended_step(model, method)
    passes = options.pop("thin", 1) if step is StaticHMC else 1
    check_whole(1, thin=passes)
    check_taken(step, options)
    if step is NUTS:
        moved = list(model.continuous_value_vars)
        return [NUTS(moved, model=model, **options)] if moved else []
    accept = STEEP_ACCEPT if isinstance(model, BNN) and model.likelihood.steep else ACCEPT
    usual: dict[str, Any] = {"n_leapfrog": N_LEAPFROG, "target_accept": accept, "jitter": "uniform"}
    settings = usual | (IN_PARTS if has_networks_as_parts(model) else {}) | options
    if step is GibbsHMC:
        return [GibbsHMC(model=model, **settings)]
    conjugate = conjugate_names(model)
    if not _has_curvature(model) or _more_to_move(model, conjugate):
        moved = [v for v in model.continuous_value_vars if v.name not in conjugate]
        settings = {"vars": moved, "step_sizes": "adapt", **settings}
    elif model.added:
        _log.info(
            f"GibbsPrecision and StaticHMC sample this network, not GibbsHMC, because of what was "
            f"added to it: {', '.join(model.added)}."
        )
    gibbs = [GibbsPrecision(sorted(conjugate), model=model)] if conjugate else []
    steps = [*gibbs, StaticHMC(model=model, **settings)]
    return steps if passes == 1 else [Repeated(steps, passes)]


def recommended_step(model: pm.Model, method: str | None = None) -> type:
    """Say which step moves the weights of a model, or most of its variables.

    Parameters
    ----------
    model : pm.Model
        The model.
    method : {"gibbs_hmc", "nuts"}, optional
        By default :func:`recommended_method`.

    Returns
    -------
    type
        :class:`GibbsHMC`, :class:`StaticHMC` or :class:`NUTS`.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.samplers.recommended import recommended_step
    >>> X, y = np.eye(3), np.arange(3.0)
    >>> [recommended_step(models.BNN(X, y, prior=p)).__name__ for p in (models.ARD(), models.Box())]
    ['GibbsHMC', 'StaticHMC']
    """
    if (method or recommended_method(model)) == "nuts":
        return NUTS
    if not _has_curvature(model):
        return StaticHMC
    return GibbsHMC if is_hierarchy(Conditional(model, model.groups)) else StaticHMC


def _more_to_move(model: BNN, conjugate: Collection[str]) -> bool:
    """Whether a likelihood has hyperparameters that trajectories have to move with the weights."""
    own = [model[name] for name in model.likelihood.hyperparameters]
    values = [model.rvs_to_values[variable] for variable in own if variable in model.free_RVs]
    return any(value.name not in conjugate for value in values)


def _has_curvature(model: pm.Model) -> TypeGuard[BNN]:
    """Whether step sizes follow from the curvature of a network."""
    return isinstance(model, BNN) and is_network(model) and has_normal_weights(model)


def has_networks_as_parts(model: pm.Model) -> bool:
    """Whether a model that is no network has one of :func:`pymc_bnn.models.network` in it.

    Parameters
    ----------
    model : pm.Model
        The model.

    Returns
    -------
    bool

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import models
    >>> from pymc_bnn.samplers.recommended import has_networks_as_parts
    >>> X = np.eye(3)
    >>> with pm.Model() as model:
    ...     _ = pm.Normal("y", models.network(X) + pm.Normal("shift"), observed=np.arange(3.0))
    >>> has_networks_as_parts(model), has_networks_as_parts(models.BNN(X, X[:, 0]))
    (True, False)
    """
    if isinstance(model, BNN):
        return False
    parts = [*model.basic_RVs, *model.deterministics, *model.potentials]
    return any(v.owner is not None and isinstance(v.owner.op, Layer) for v in ancestors(parts))


def has_normal_weights(model: BNN) -> bool:
    """Whether all weights of a network are normal given its hyperparameters.

    Parameters
    ----------
    model : BNN
        The network.

    Returns
    -------
    bool

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.samplers.recommended import has_normal_weights
    >>> X, y = np.eye(3), np.arange(3.0)
    >>> [has_normal_weights(models.BNN(X, y, prior=p)) for p in (models.Scaled(), models.Box())]
    [True, False]
    """
    weights = weight_values(model)
    return set(weights) <= set(Conditional(model, weights).normal)


def for_nuts(model: BNN) -> BNN:
    """Build a network in the parametrization for NUTS, if nothing of it would be lost."""
    if not has_normal_weights(model):
        return model
    own = [p for p in model.priors.values() if type(p).declare is not Prior.declare]
    if is_network(model) and not model.added and all(is_ours(type(prior)) for prior in own):
        raw = model.reparametrized("noncentered")
        if take_deterministics(model, raw):
            return raw
    _log.info(
        "NUTS samples this model in its centred parametrization, as it is more than a network "
        'declares; parametrization="noncentered" may mix better.'
    )
    return model
