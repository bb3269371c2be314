r"""Weights with a logistic prior from their reflected coordinates, as one operation.

.. math:: w_i = \frac{s}{1 - s} \log \frac{a_i}{1 - a_i}, \qquad
          \frac{\partial w_i}{\partial a_i} = \frac{s}{1 - s} \frac{1}{a_i (1 - a_i)}, \qquad
          \frac{\partial w_i}{\partial s} = \frac{w_i}{s (1 - s)}

with :math:`s` and :math:`a_i` folded to (0, 1) (Neal 1992, Eqs. 28-29; see
:mod:`....models.priors.logistic`). PyTensor's graph of the same takes twice as long as the pass
through a small network, as its logarithms are computed one by one. Which variables are folded
levels is known from what the model declared; where the block has them all, their uniform densities
are constant and no part of the energy.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import disconnected_type
from pytensor.graph.basic import Apply, Variable
from pytensor.tensor.variable import TensorVariable

from ....models.priors.logistic import Logistic, level_names
from ....models.simd.elementary import log
from ....models.simd.internals import register_funcify_and_cache_key
from ....models.simd.kernels import jit
from .parts import CompiledOp, with_digest

if TYPE_CHECKING:
    from ..conditional import Conditional


class Levels(NamedTuple):
    """Where the levels of all groups lie in a block.

    Attributes
    ----------
    names : set of str
        Names of the random variables.
    places : ndarray of int, shape (groups, 3)
        Of each group, the start of its levels, their number, and where the level of its scale is.
    """

    names: frozenset[str]
    places: np.ndarray


def levels_of(conditional: Conditional) -> Levels | None:
    """Find the levels of a network all of whose groups have logistic priors in a block.

    Parameters
    ----------
    conditional : Conditional
        The block.

    Returns
    -------
    Levels or None
        None where a group has another prior or parametrization, or the block lacks a level.
    """
    model, slices = conditional.model, conditional.layout.slices
    names, places = set(), []
    for group in model.groups.values():
        prior = model.priors[group.name]
        # the formula is that of this prior alone, and a subclass of it may declare another
        if type(prior) is not Logistic or model.parametrization != "noncentered":
            return None
        found = level_names(prior, group)
        values = [model.rvs_to_values[model[name]].name for name in found]
        if not set(values) <= set(slices):
            return None
        raw, scale = (slices[value] for value in values)
        names |= set(found)
        places.append((raw.start, raw.stop - raw.start, scale.start))
    return Levels(frozenset(names), np.array(places, dtype=np.int64))


@jit
def folded(x):
    """Level from 0 to 1 for which a coordinate stands."""
    return 1.0 - abs(x - 2.0 * np.floor(0.5 * x) - 1.0)


@jit
def facing(x):
    """Slope of :func:`folded`: 1, or -1 in a mirrored copy."""
    return 1.0 if x - 2.0 * np.floor(0.5 * x) < 1.0 else -1.0


@jit
def logit(a):
    """Logit of a level; infinite at the walls, where the logarithm of registers is not."""
    inside = log(a / (1.0 - a))
    if a <= 0.0:
        return -np.inf
    return inside if a < 1.0 else np.inf


@jit
def weights_of_levels(q, places):
    """Compute the weights of all groups, one after the other."""
    found = np.empty(places[:, 1].sum())
    at = 0
    for g in range(places.shape[0]):
        start, size, of_scale = places[g]
        s = folded(q[of_scale])
        unit = s / (1.0 - s)
        for i in range(size):
            found[at + i] = unit * logit(folded(q[start + i]))
        at += size
    return found


@jit
def slopes_of_levels(q, places, weights, slopes):
    """Turn the slopes by the weights into those by the block."""
    found = np.zeros(q.size)
    at = 0
    for g in range(places.shape[0]):
        start, size, of_scale = places[g]
        s = folded(q[of_scale])
        unit, along = s / (1.0 - s), 0.0
        for i in range(size):
            a = folded(q[start + i])
            found[start + i] = facing(q[start + i]) * unit * slopes[at + i] / (a * (1.0 - a))
            along += slopes[at + i] * weights[at + i]
        found[of_scale] += facing(q[of_scale]) * along / (s * (1.0 - s))
        at += size
    return found


class SlopesOfLevels(CompiledOp):
    """Slopes by a block, from the block, its places, and the weights with their slopes."""

    __props__ = ()

    def make_node(self, *inputs: Variable) -> Apply:
        """Apply to the four vectors."""
        return Apply(self, inputs, [inputs[0].type()])


class WeightsOfLevels(CompiledOp):
    """All weights of a network, from the block and the places of its levels."""

    __props__ = ()

    def make_node(self, *inputs: Variable) -> Apply:
        """Apply to both."""
        return Apply(self, inputs, [pt.dvector()])

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Places are not differentiated by."""
        return [[True], [False]]

    def pullback(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        cotangents: Sequence[Variable],
    ) -> list[Variable]:
        """Slopes by the block."""
        slopes = SlopesOfLevels().make_node(*inputs, outputs[0], cotangents[0]).outputs[0]
        return [slopes, disconnected_type()]


def weights_from(q: TensorVariable, levels: Levels) -> TensorVariable:
    """Return all weights of a network as a vector, from a block that has all of their levels."""
    node = WeightsOfLevels().make_node(q, pt.constant(levels.places))
    return cast(TensorVariable, node.outputs[0])


@register_funcify_and_cache_key(WeightsOfLevels)
def _compile_weights(op: WeightsOfLevels, node=None, **kwargs):
    return with_digest(weights_of_levels)


@register_funcify_and_cache_key(SlopesOfLevels)
def _compile_slopes(op: SlopesOfLevels, node=None, **kwargs):
    return with_digest(slopes_of_levels)
