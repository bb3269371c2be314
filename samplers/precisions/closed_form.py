"""What the precisions of a network say about its weights, and these of them, in closed form.

A graph takes seconds to compile for the same numbers.
"""

from collections.abc import Sequence

import numpy as np
import pymc as pm
from pymc.blocking import PointType

from ...models.simd.lane_memory import number, pointer
from ..compiled import engine
from ..compiled.entries import call
from ..compiled.memory import initial_point
from ..potential.conditional import Conditional
from ..potential.layout import Layout
from ..potential.network_potential import squares_entry
from ..potential.parameters import Parameters
from ..potential.recognition import weight_values, why_no_kernel
from ..potential.rest import SQUARES
from .conjugacy import ConjugatePrecision, conjugate_names
from .conjugate_children import Child
from .hierarchy import Hierarchy, find_hierarchy, is_hierarchy


class ClosedForm:
    r"""Parameters of a block of all weights of a network of conjugate precisions.

    The log posterior plus the block's potential energy is
    :math:`\sum_j a_j \lambda_j - b_j e^{\lambda_j}` up to a constant, with the log precisions
    :math:`\lambda`, the shapes :math:`a` of their conditional gamma distributions and the rates
    :math:`b` of their priors.

    Parameters
    ----------
    conditional : Conditional
        The block of all weights, with the fused likelihood.
    hierarchy : Hierarchy
        Which of the precisions scales what.
    """

    def __init__(self, conditional: Conditional, hierarchy: Hierarchy):
        model = conditional.model
        self.hierarchy, self.inputs = hierarchy, model["X"]
        self.conditional = conditional
        self._known_for, self._shapes = -1.0, np.empty(0)
        self.precisions = Layout(model, conjugate_names(model))
        point = initial_point(model)
        there, found = self.precisions.ravel(point), conditional.parameters_once(point)
        self.curvature, self.ones = np.array(found.curvature), np.ones(hierarchy.mean.size)
        self.constant = self.constant_of_a_case = 0.0
        if hierarchy.noise.size:
            known = np.log(found.curvature / (2 * np.pi)).sum() - there[hierarchy.noise].sum()
            self.constant_of_a_case = 0.5 * known
        self.constant = float(found.log_constant - self.log_constant(there))

    @property
    def cases(self) -> int:
        """Number of cases, which may change with the data."""
        return len(self.inputs.get_value(borrow=True))

    def shapes(self) -> np.ndarray:
        """Shapes of the precisions' conditional distributions, shape (precisions,)."""
        cases = self.conditional.power * self.cases
        if cases != self._known_for:
            hierarchy, self._known_for = self.hierarchy, cases
            self._shapes = hierarchy.shape + 0.5 * np.diff(hierarchy.start)
            np.add.at(self._shapes, hierarchy.noise, 0.5 * cases)
        return self._shapes

    def log_constant(self, log_precision: np.ndarray) -> np.ndarray:
        """Log posterior plus potential energy, given log precisions of shape (..., precisions)."""
        linear = log_precision @ self.shapes() - np.exp(log_precision) @ self.hierarchy.rate
        cases = self.conditional.power * self.cases
        return np.asarray(linear + self.constant + cases * self.constant_of_a_case)

    def __call__(self, point: PointType) -> Parameters:
        """Evaluate them at a point."""
        hierarchy, log_precision = self.hierarchy, self.precisions.ravel(point)
        scaling = np.ones(log_precision.size + 1)
        np.exp(log_precision, out=scaling[:-1])
        noise = scaling[hierarchy.noise] if hierarchy.noise.size else self.curvature.copy()
        return Parameters(
            mean=hierarchy.mean,
            precision=hierarchy.weight * scaling[hierarchy.unit],
            log_constant=self.log_constant(log_precision),
            curvature=noise,
            scale=self.ones,
        )


def closed_form_of(conditional: Conditional) -> ClosedForm | None:
    """Return the closed form of a block that has one.

    Parameters
    ----------
    conditional : Conditional
        Any block.

    Returns
    -------
    ClosedForm or None
    """
    if not is_hierarchy(conditional):
        return None
    return ClosedForm(conditional, find_hierarchy(conditional, True, "ClosedForm"))


def fill_squares(q: np.ndarray, squares: np.ndarray, words: np.ndarray) -> None:
    """Compute the sums of squared residuals of each output by the entry for them."""
    at, read = pointer(squares, 0), pointer(words, 0)
    call(number(read, SQUARES), pointer(q, 0), at, at, read)


class NetworkNoise:
    r"""What the residuals of a network add to shapes and rates of its noise's precisions.

    These are :math:`\beta n / 2` and :math:`\beta / 2 \sum_i (y_{ik} - f_k(x_i))^2` for each
    output :math:`k` (Choo 2000, Eq. 3.12), at inverse temperature :math:`\beta`.

    Parameters
    ----------
    conditional : Conditional
        The block of all weights, with the kernel of the likelihood.
    child : Child
        The network's targets, as what a precision scales.
    first : int
        Where the elements of that precision begin among those of all.
    """

    def __init__(self, conditional: Conditional, child: Child, first: int):
        self.conditional, self.child = conditional, child
        self.unit = unit = first + child.unit[: len(conditional.model.outputs)]
        self._inputs, self._ones = conditional.model["X"], np.ones(unit.size)
        self._entries = {SQUARES: squares_entry(conditional.model.activation)}
        self._fill = engine.specialize(fill_squares)

    def _network(self, point: PointType) -> tuple[np.ndarray, np.ndarray]:
        """Weights at a point, and what the kernel reads besides."""
        conditional, mapped = self.conditional, self.conditional.mapped
        if mapped is not None:
            return mapped.weights(point), mapped.words("float64", self._entries)
        return conditional.layout.ravel(point), conditional.words(self._ones, self._entries)

    def add(self, point: PointType, shape: np.ndarray, rate: np.ndarray) -> None:
        """Add to shapes and rates at a point."""
        conditional, squares = self.conditional, np.zeros(self.unit.size)
        weights, words = self._network(point)
        self._fill(weights, squares, words)
        half = 0.5 * conditional.power
        cases = len(self._inputs.get_value(borrow=True))
        if self.unit.size == 1:  # in a fifth of the time
            shape[self.unit[0]] += half * cases
            rate[self.unit[0]] += half * squares[0]
            return
        np.add.at(shape, self.unit, half * cases)
        np.add.at(rate, self.unit, half * squares)


def network_noise(
    model: pm.Model, precisions: Sequence[ConjugatePrecision], first: np.ndarray
) -> NetworkNoise | None:
    """Find the network whose noise hangs on one of some precisions.

    Parameters
    ----------
    model : pm.Model
        Any model.
    precisions : sequence of ConjugatePrecision
        The precisions.
    first : ndarray of int
        Where the elements of each begin among those of all.

    Returns
    -------
    NetworkNoise or None
        None if there is no such network, or no fused kernel for its targets.
    """
    if why_no_kernel(model) is not None:
        return None
    conditional = Conditional(model, weight_values(model))
    if not conditional.fused and conditional.mapped is None:
        return None
    for precision, begin in zip(precisions, first, strict=False):
        for child in precision.children:
            if type(child) is Child and child.variable in model.declaration.observed:
                return NetworkNoise(conditional, child, int(begin))
    return None
