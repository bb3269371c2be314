"""Shape and rate of the conditional gamma distributions of precisions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt
from pymc.blocking import PointType
from pytensor.graph.traversal import ancestors
from pytensor.tensor.variable import TensorVariable

from .conjugacy import Child, ConjugatePrecision
from .constants import constant_values
from .memory import initial_point
from .prior_numbers import prior_numbers, with_numbers


@dataclass(frozen=True)
class Members:
    """Free normal variables with constant mean and factor that the precisions scale.

    Parameters
    ----------
    names : tuple of str
        Names of their value variables.
    unit : ndarray of int, shape (members,)
        Which precision each element hangs on, counted over all precisions.
    mean, factor : ndarray, shape (members,)
        Mean, and scale at precision 1.
    """

    names: tuple[str, ...]
    unit: np.ndarray
    mean: np.ndarray
    factor: np.ndarray


class SufficientStatistics:
    """Parameters of the precisions' conditional gamma distributions at a point.

    Variables whose mean and factor are constants, the usual weights, are summed up directly.
    For all others, such as targets around a network's output, a PyTensor graph does it.

    Parameters
    ----------
    model : pm.Model
        The model.
    precisions : sequence of ConjugatePrecision
        The precisions, in the order of ``model.value_vars``.
    """

    def __init__(self, model: pm.Model, precisions: Sequence[ConjugatePrecision]):
        self.model, self.precisions = model, precisions
        self.point = initial_point(model)
        sizes = [self.point[p.value.name].size for p in precisions]
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
        self.size = int(self.first[-1])
        self.members = self._members()
        self.counts = np.bincount(self.members.unit, minlength=self.size).astype(float)
        outputs = with_numbers(self._symbolic_remainder(), prior_numbers(model))
        used = set(ancestors(outputs))
        inputs = [v for v in model.value_vars if v in used]
        self.inputs = [v.name for v in inputs]
        self.remainder = pytensor.function(inputs, outputs, trust_input=True)

    def __call__(self, point: PointType) -> tuple[np.ndarray, np.ndarray]:
        """Shape and rate of each precision's conditional distribution."""
        shape, rate = self.without_members(point)
        members = self.members
        if members.names:
            x = np.concatenate([point[name].ravel() for name in members.names])
            squares = ((x - members.mean) / members.factor) ** 2
            rate = rate + 0.5 * np.bincount(members.unit, squares, self.size)
        return shape + 0.5 * self.counts, rate

    def without_members(self, point: PointType) -> tuple[np.ndarray, np.ndarray]:
        """Shape and rate given everything but the members; often those of the prior."""
        return tuple(self.remainder(*[point[name] for name in self.inputs]))

    def is_member(self, precision: ConjugatePrecision, child: Child) -> bool:
        """Whether a child is free, untransformed, and has constant mean and factor."""
        model = self.model
        if child.variable not in model.free_RVs or model.rvs_to_transforms[child.variable]:
            return False
        changing = {*model.value_vars, *model.data_vars} - {precision.value}
        return changing.isdisjoint(ancestors([child.mean, child.scale]))

    def _members(self) -> Members:
        names: list[str] = []
        parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        for first, precision in zip(self.first, self.precisions, strict=False):
            for child in precision.children:
                if self.is_member(precision, child):
                    names.append(self.model.rvs_to_values[child.variable].name)
                    shape = self.point[names[-1]].shape
                    [mean] = constant_values([child.mean])
                    mean = np.broadcast_to(mean, shape).ravel()
                    parts.append((first + child.unit, mean, child.factor))
        if not parts:
            return Members((), np.empty(0, int), np.empty(0), np.empty(0))
        unit, mean, factor = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return Members(tuple(names), unit, mean, factor)

    def _symbolic_remainder(self) -> list[TensorVariable]:
        """Prior parameters, plus what variables that are not members add to them."""
        shapes, rates = [], []
        for precision in self.precisions:
            value = precision.value
            shape, rate = precision.shape + 0 * value, precision.rate + 0 * value
            for child in precision.children:
                if not self.is_member(precision, child):
                    count, half_squares = self._contribution(value, child)
                    shape, rate = shape + 0.5 * count, rate + half_squares
            shapes.append(shape.ravel())
            rates.append(rate.ravel())
        return [pt.concatenate(shapes), pt.concatenate(rates)]

    def _contribution(
        self, value: TensorVariable, child: Child
    ) -> tuple[TensorVariable, TensorVariable]:
        r"""Number of variables per precision, and half the sum of their squares.

        With :math:`z = (x - m) \sqrt{\tau} / c`, the derivative of :math:`\sum z^2 / 2` by
        :math:`\log \tau_j` is :math:`\tau_j \sum_{k: j(k) = j} (x_k - m_k)^2 / (2 c_k^2)`.
        """
        [x] = self.model.replace_rvs_by_values([child.variable])
        if child.variable in self.model.observed_RVs:
            x = self.model.rvs_to_values[child.variable]
        scale = child.scale + pt.zeros_like(x, dtype="float64")
        z = (x - child.mean) / scale
        slope = cast(TensorVariable, pytensor.grad(0.5 * (z**2).sum(), value))
        count = -2.0 * cast(TensorVariable, pytensor.grad(pt.log(scale).sum(), value))
        return count, slope / pt.exp(value)
