"""Which precision of a network scales which weights, as arrays for compiled code."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pymc as pm
from pytensor.graph.traversal import ancestors

from ...models.bnn import BNN
from ..compiled.memory import initial_point
from ..potential.conditional import Conditional
from ..potential.constants import constant_values, data_of, is_constant
from ..potential.recognition import check_alone
from .conjugacy import NotConjugateError, conjugate_precisions
from .conjugate_children import Child, MixedChild
from .independent_blocks import independent_blocks
from .moves import Moves, find_moves, hidden_layers


class Hierarchy(NamedTuple):
    """Which precision scales what, as arrays.

    Attributes
    ----------
    shape, rate : ndarray, shape (precisions,)
        Parameters of the gamma priors.
    start, member : ndarray of int, shapes (precisions + 1,) and (members,)
        ``member[start[j] : start[j + 1]]`` are the weights that precision ``j`` scales.
    unit : ndarray of int, shape (weights,)
        The precision of each weight, or -1.
    weight : ndarray, shape (weights,)
        Prior precision of each weight when the precision it hangs on is 1.
    mean : ndarray, shape (weights,)
        Prior mean of each weight.
    noise : ndarray of int, shape (outputs,) or (0,)
        The precision of each output's noise.
    moves : Moves
        Which precisions interweaving can move together.
    interweaved : ndarray of int
        The moves that it makes: all or none.
    """

    shape: np.ndarray
    rate: np.ndarray
    start: np.ndarray
    member: np.ndarray
    unit: np.ndarray
    weight: np.ndarray
    mean: np.ndarray
    noise: np.ndarray
    moves: Moves
    interweaved: np.ndarray


def not_flat(model: pm.Model) -> list[str]:
    """Say which precisions of a model hang on another, or have a prior that is not fixed.

    Parameters
    ----------
    model : pm.Model
        A model without precisions that are not conjugate.

    Returns
    -------
    list of str
        Not empty for instance for the global and local precisions of a conjugate horseshoe.
    """
    precisions = conjugate_precisions(model)
    if len(independent_blocks(precisions)) > 1:
        return ["precisions that depend on each other"]
    return [
        f"a gamma prior of {p.variable.name} that data or other variables change"
        for p in precisions
        if not is_constant([p.shape, p.rate], model)
    ]


def has_normal_noise(model: pm.Model) -> bool:
    """Whether what the precisions of a model scale is normal given them alone.

    Parameters
    ----------
    model : pm.Model
        A model without precisions that are not conjugate.

    Returns
    -------
    bool
        False for the precision of t noise, which is conjugate given weights of the cases.
    """
    children = [child for p in conjugate_precisions(model) for child in p.children]
    return not any(isinstance(child, MixedChild) for child in children)


def changing_priors(model: BNN) -> list[str]:
    """Say which groups of weights have a prior that data or variables but its precision change."""
    precisions = conjugate_precisions(model)
    own = {c.variable: {p.value} for p in precisions for c in p.children}
    everything = {*model.value_vars, *data_of(model)}
    found = []
    for group, variable in model.declaration.weights.items():
        mean, scale = model.replace_rvs_by_values(variable.owner.op.dist_params(variable.owner))
        others = everything - own.get(variable, set())
        for what, expression, changing in (("mean", mean, everything), ("scale", scale, others)):
            if not set(ancestors([expression])).isdisjoint(changing):
                found.append(f"a {what} of {group} that data or other variables change")
    return found


def obstacles(conditional: Conditional) -> tuple[str, ...]:
    """Say what keeps the precisions of a network from being a hierarchy.

    Parameters
    ----------
    conditional : Conditional
        The block of all weights, with the fused likelihood.

    Returns
    -------
    tuple of str
        Variables that are neither weights nor conjugate precisions, and what else is in the way.

    Raises
    ------
    NotConjugateError
        If a precision is not conjugate.
    """
    model = conditional.model
    known = {p.value.name for p in conjugate_precisions(model)} | set(conditional.layout.names)
    others = [str(v.name) for v in model.value_vars if v.name not in known]
    if not others:
        others = not_flat(model)
    if not others and not has_normal_noise(model):
        others = ["noise that is not normal"]
    potentials = [f"the potential {potential.name}" for potential in model.potentials]
    return (*others, *potentials, *changing_priors(model))


def is_hierarchy(conditional: Conditional) -> bool:
    """Whether a block is all of a network but conjugate precisions that hang on nothing else.

    Parameters
    ----------
    conditional : Conditional
        Any block.
    """
    if not conditional.fused or conditional.model.added:
        return False
    try:
        return not obstacles(conditional)
    except NotConjugateError:
        return False


def find_hierarchy(conditional: Conditional, interweave: bool, step: str) -> Hierarchy:
    """Read off a network which of its precisions scales what.

    Parameters
    ----------
    conditional : Conditional
        The block of all weights, with the fused likelihood.
    interweave : bool
        Whether interweaving is wanted.
    step : str
        Which step asks, for the message.

    Returns
    -------
    Hierarchy

    Raises
    ------
    ValueError
        If a hyperparameter is not a conjugate precision, or depends on another one or on data.
    """
    model, layout = conditional.model, conditional.layout
    check_alone(model, step)
    check_alone(model, step, obstacles(conditional))
    precisions = conjugate_precisions(model)
    weights = set(model.declaration.weights.values())
    parameters = conditional.parameters_once(initial_point(model))
    unit, weight = np.full(layout.size, -1), parameters.precision.copy()
    noise = np.empty(0, int)
    dims = [initial_point(model)[p.value.name].shape for p in precisions]
    shapes = constant_values([p.shape for p in precisions])
    rates = constant_values([p.rate for p in precisions])
    first = 0
    for precision, size in zip(precisions, map(math.prod, dims), strict=True):
        for child in precision.children:
            assert isinstance(child, Child)
            if child.variable in weights:
                where = layout.slices[str(child.variable.name)]
                unit[where], weight[where] = first + child.unit, child.factor**-2.0
            else:
                noise = first + child.unit[: len(model.outputs)]
        first += size
    order = np.argsort(unit, kind="stable")
    counts = np.bincount(unit[unit >= 0], minlength=first)
    members = [np.flatnonzero(unit == j) for j in range(first)]
    # with one that is the noise's too the likelihood changes, which no move of weights looks at
    movable = np.setdiff1d(np.flatnonzero(counts), noise)
    moves = find_moves(members, movable, hidden_layers(model, layout))
    return Hierarchy(
        shape=_flat(shapes, dims),
        rate=_flat(rates, dims),
        start=np.concatenate([[0], np.cumsum(counts)]),
        member=order[np.count_nonzero(unit < 0) :],
        unit=unit,
        weight=weight,
        mean=parameters.mean.copy(),
        noise=noise,
        moves=moves,
        interweaved=np.arange(moves.first.size - 1 if interweave else 0),
    )


def _flat(parameters: Sequence[np.ndarray], dims: Sequence[tuple[int, ...]]) -> np.ndarray:
    """Parameters of priors of some shapes, in one vector."""
    parts = [np.broadcast_to(p, d).ravel() for p, d in zip(parameters, dims, strict=True)]
    return np.concatenate([np.empty(0), *parts])
