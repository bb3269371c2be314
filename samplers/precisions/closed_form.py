"""What the precisions of a network say about its weights, in closed form."""

import numpy as np
from pymc.blocking import PointType

from ..compiled.memory import initial_point
from ..potential.conditional import Conditional
from ..potential.layout import Layout
from ..potential.parameters import Parameters
from .conjugacy import conjugate_names
from .hierarchy import Hierarchy


class ClosedForm:
    r"""Parameters of a block of all weights of a network of conjugate precisions.

    The log posterior plus the block's potential energy is
    :math:`\sum_j a_j \lambda_j - b_j e^{\lambda_j}` up to a constant, with the log precisions
    :math:`\lambda`, the shapes :math:`a` of their conditional gamma distributions and the rates
    :math:`b` of their priors. A compiled graph, which :class:`.conditional.Conditional` needs for
    other models, takes seconds to compile for the same numbers.

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
