"""Shape and rate of the conditional gamma distributions of precisions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pymc as pm
import pytensor
from pymc.blocking import PointType
from pytensor.graph.traversal import ancestors
from pytensor.tensor.variable import TensorVariable

from ..compiled.memory import initial_point
from ..potential.constants import constant_values, data_of, is_constant
from ..potential.graphs.prior_numbers import prior_numbers, with_numbers
from ..potential.tape.function import evaluated
from ..potential.temperature import current
from .closed_form import network_noise
from .conjugacy import ConjugatePrecision
from .conjugate_children import Child, MixedChild, RateChild, at_one, contribution


@dataclass(frozen=True)
class Members:
    """Free normal variables with constant mean that precisions, and nothing else, scale.

    Parameters
    ----------
    names : tuple of str
        Names of their value variables.
    unit : ndarray of int, shape (members,)
        Which precision each element hangs on, counted over all precisions.
    mean : ndarray, shape (members,)
        Means.
    factor : ndarray, shape (members,)
        Scale at precision 1; not used where other precisions are in it.
    """

    names: tuple[str, ...]
    unit: np.ndarray
    mean: np.ndarray
    factor: np.ndarray


class SufficientStatistics:
    """Parameters of the precisions' conditional gamma distributions at a point.

    Members, the usual weights, are summed up directly, and targets of a network by its kernel. For
    all others, such as targets of other models, a PyTensor graph does it; so it does for the
    factors of members that hang on several precisions. What is constant is not compiled, and arrays
    take their shapes in Python: code for shapes would take longer to compile than all else.

    Parameters
    ----------
    model : pm.Model
        The model.
    precisions : sequence of ConjugatePrecision
        Precisions that are independent given all else, in the order of ``model.value_vars``.
    drawn : sequence of ConjugatePrecision
        All precisions that may be in a member's factor.
    """

    def __init__(
        self,
        model: pm.Model,
        precisions: Sequence[ConjugatePrecision],
        drawn: Sequence[ConjugatePrecision],
    ):
        self.model, self.precisions = model, precisions
        self.point = initial_point(model)
        drawn_values = {precision.value for precision in drawn}
        self._changing = {*model.value_vars, *data_of(model)} - drawn_values
        shapes = [self.point[p.value.name].shape for p in precisions]
        self.first = np.concatenate([[0], np.cumsum([np.prod(s) for s in shapes])]).astype(int)
        parts = map(slice, self.first, self.first[1:])
        self._places = list(zip(parts, shapes, strict=True))
        self.size = int(self.first[-1])
        self.members = self._members()
        self.counts = np.bincount(self.members.unit, minlength=self.size).astype(float)
        self.noise = network_noise(model, precisions, self.first)
        self.mixed = [c for p in precisions for c in p.children if isinstance(c, MixedChild)]
        observed = [model.rvs_to_values[child.variable] for child in self.mixed]
        self._mixing = [value.type() for value in observed]
        self._sizes: Callable[[], Sequence[np.ndarray]] = tuple
        if observed:  # whose shapes change with the data
            graphs = [value.shape for value in observed]
            self._sizes = pytensor.function([], graphs, mode="FAST_COMPILE")
        factors = self._symbolic_factors()
        self._factors = [shape for shape, _ in factors]
        graphs = [*self._symbolic_remainder(), *(graph for _, graph in factors)]
        self.inputs, self.remainder = self._compile(graphs)
        self._known: tuple = (None,)
        if not self.mixed and is_constant(graphs, model):
            self._known = self.remainder, *self.remaining(self.point)

    def _compile(self, graphs: Sequence[TensorVariable]) -> tuple[list[str], Callable]:
        """Names of what graphs depend on, and a function of that and of t variables' weights."""
        varying = [i for i, graph in enumerate(graphs) if not is_constant([graph], self.model)]
        constant = [i for i in range(len(graphs)) if i not in varying]
        values: list[np.ndarray] = [np.empty(0)] * len(graphs)
        for i, value in zip(constant, constant_values([graphs[i] for i in constant]), strict=True):
            values[i] = value
        if not varying:
            return [], lambda *given: values
        outputs = with_numbers([graphs[i] for i in varying], prior_numbers(self.model))
        used = set(ancestors(outputs))
        inputs = [v for v in self.model.value_vars if v in used]
        given = [*inputs, *self._mixing]
        evaluate = evaluated(given, outputs)

        def remainder(*given: np.ndarray) -> list[np.ndarray]:
            found = list(values)
            for i, value in zip(varying, evaluate(*given), strict=True):
                found[i] = value
            return found

        return [str(v.name) for v in inputs], remainder

    def __call__(
        self, point: PointType, rng: np.random.Generator | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Shape and rate of each precision's conditional distribution.

        Parameters
        ----------
        point : dict
            The point.
        rng : Generator, optional
            Where weights of t variables come from; by default they are their means.
        """
        return self.with_members(point, *self.remaining(point, rng))

    def with_members(
        self, point: PointType, shape: np.ndarray, rate: np.ndarray, factor: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Add what members and a network's noise add to what remains without them."""
        members, shape = self.members, shape.copy()
        if members.names:
            x = np.concatenate([point[name].ravel() for name in members.names])
            squares = ((x - members.mean) / factor) ** 2
            rate = rate + 0.5 * np.bincount(members.unit, squares, self.size)
        else:
            rate = rate.copy()
        if self.noise is not None:
            self.noise.add(point, shape, rate)
        return shape + 0.5 * self.counts, rate

    def remaining(
        self, point: PointType, rng: np.random.Generator | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Shape and rate without members and a network's noise, and the members' factors.

        Parameters
        ----------
        point : dict
            The point.
        rng : Generator, optional
            As for :meth:`__call__`.

        Returns
        -------
        shape, rate : ndarray, shape (elements of all precisions,)
            Often the prior's; they are shared by calls, and not to be written to.
        factor : ndarray, shape (members,)
            Scale of each member where its precision is 1.
        """
        if self._known[0] is self.remainder:
            return self._known[1:]
        mixing = []
        for child, shape in zip(self.mixed, self._sizes(), strict=True):
            gamma = np.full(shape, 0.5 * current(self.model) * (child.degrees + 1))
            mixing.append(gamma if rng is None else rng.standard_gamma(gamma))
        given = self.remainder(*[point[name] for name in self.inputs], *mixing)
        shape, rate = np.empty((2, self.size))
        for i, (where, dims) in enumerate(self._places):
            shape[where].reshape(dims)[...] = given[2 * i]
            rate[where].reshape(dims)[...] = given[2 * i + 1]
        scales = given[2 * len(self._places) :]
        factors = [
            (scale if scale.shape == dims else np.broadcast_to(scale, dims)).ravel()
            for scale, dims in zip(scales, self._factors, strict=True)
        ]
        return shape, rate, np.concatenate(factors) if factors else self.members.factor

    def _shape(self, child: Child) -> tuple[int, ...]:
        """Shape of a free variable."""
        return self.point[self.model.rvs_to_values[child.variable].name].shape

    def is_member(self, child: Child | RateChild) -> bool:
        """Whether a child is free, untransformed, and changed by precisions alone."""
        model, variable = self.model, child.variable
        if isinstance(child, RateChild) or variable not in model.free_RVs:
            return False
        if model.rvs_to_transforms[variable] or not is_constant([child.mean], model):
            return False
        return self._changing.isdisjoint(ancestors([child.scale]))

    def _is_noise(self, child: Child | RateChild) -> bool:
        """Whether a child is the targets of a network, whose kernel sums up their residuals."""
        return self.noise is not None and self.noise.child is child

    def is_movable(self, precision: ConjugatePrecision) -> bool:
        """Whether a precision has members and nothing else, so that both can move together."""
        return bool(precision.children) and all(map(self.is_member, precision.children))

    def _scaled(self) -> list[tuple[int, ConjugatePrecision, Child]]:
        """Members with their precision and its place among the elements of all precisions."""
        return [
            (first, precision, child)
            for first, precision in zip(self.first, self.precisions, strict=False)
            for child in precision.children
            if isinstance(child, Child) and self.is_member(child)
        ]

    def _members(self) -> Members:
        names: list[str] = []
        parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        for first, _, child in self._scaled():
            names.append(self.model.rvs_to_values[child.variable].name)
            shape = self._shape(child)
            [mean] = constant_values([child.mean])
            mean = np.broadcast_to(mean, shape).ravel()
            parts.append((first + child.unit, mean, child.factor))
        if not parts:
            return Members((), np.empty(0, int), np.empty(0), np.empty(0))
        unit, mean, factor = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return Members(tuple(names), unit, mean, factor)

    def _symbolic_factors(self) -> list[tuple[tuple[int, ...], TensorVariable]]:
        """Shapes and factors of members, if other precisions are in the scale of one of them."""
        scaled, changing = self._scaled(), set(self.model.value_vars)
        others = [changing - {precision.value} for _, precision, _ in scaled]
        if all(
            set(ancestors([child.scale])).isdisjoint(other)
            for (_, _, child), other in zip(scaled, others, strict=True)
        ):
            return []
        return [
            (self._shape(child), at_one(child.scale, precision.value)[0])
            for _, precision, child in scaled
        ]

    def _symbolic_remainder(self) -> list[TensorVariable]:
        """Prior parameters, plus what variables that are not members add to them."""
        found: list[TensorVariable] = []
        mixed = list(zip(self.mixed, self._mixing, strict=True))
        for precision in self.precisions:
            shape, rate = precision.shape, precision.rate
            for child in precision.children:
                if not self.is_member(child) and not self._is_noise(child):
                    mixing = next((m for c, m in mixed if c is child), None)
                    added_shape, added_rate = contribution(
                        self.model, precision.value, child, mixing
                    )
                    shape, rate = shape + added_shape, rate + added_rate
            found += [shape, rate]
        return found
