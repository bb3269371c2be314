"""Log posterior and gradient of a network's weights, the way the samplers compute them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import pytensor
from pymc_bnn import models
from pymc_bnn.samplers.compiled.engine import specialize
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.potential.conditional import Conditional
from pymc_bnn.samplers.potential.rest import Rest
from pytensor.compile.mode import Mode

Point = dict[str, np.ndarray]

allocate = rest = None


def energy_and_gradient(before, q, data):
    """Template: energy and gradient at ``q``, in a workspace that was used at ``before``."""
    workspace, gradient = allocate(data), np.empty(q.size)
    rest(before, gradient, workspace)
    gradient[:] = np.nan
    energy = rest(q, gradient, workspace)
    return energy, gradient


def energy_only(before, q, data):
    """Template: energy at ``q``, in a workspace that was used at ``before``."""
    workspace = allocate(data)
    rest(before, workspace)
    return rest(q, workspace)


_IN_USE: set[Callable] = set()  # what no one uses is compiled or loaded again


def compiled(given: Rest, template: Callable) -> Callable:
    """Specialize a template, once for all blocks that share a kernel."""
    function = specialize(template, allocate=given.allocate, rest=given.evaluate)
    _IN_USE.add(function)
    return function


@contextmanager
def interpreted() -> Iterator[None]:
    """Let PyTensor interpret graphs as they are: no compiler, no rewrites, no kernel of ours."""
    mode = Mode(linker="py", optimizer=None)
    with pytensor.config.change_flags(cxx="", mode=mode):
        yield


class Evaluation(NamedTuple):
    """What a block computes at a point.

    The energy and slope of the likelihood, the quadratic part and the constant, the gradient of
    the log posterior, and the curvature of each output, for Gaussian noise its precision.
    """

    energy: float
    slope: np.ndarray
    quadratic: float
    constant: float
    gradient: np.ndarray
    curvature: np.ndarray

    @property
    def logp(self) -> float:
        """Log posterior of the model."""
        return self.constant - self.quadratic - self.energy

    @property
    def size(self) -> float:
        """Largest of the terms that the log posterior is the difference of."""
        return max(abs(self.constant), self.quadratic, abs(self.energy))


class Block:
    """All weights of a network as one block."""

    def __init__(self, model: models.BNN):
        self.model = model
        self.conditional = Conditional(model, [model.free_name(name) for name in model.groups])
        self.layout = self.conditional.layout
        self.rest = self.conditional.compile_rest(gradient=True)

    def point(self, seed: int, size: float = 1.0) -> Point:
        """Random weights of a given size and hyperparameters near their initial values."""
        rng = np.random.default_rng(seed)
        start = initial_point(self.model)
        hyper = {k: np.asarray(v + 0.5 * rng.normal(size=v.shape)) for k, v in start.items()}
        return self.layout.unravel(size * rng.normal(size=self.layout.size), hyper)

    def evaluate(self, point: Point, before: Point | None = None) -> Evaluation:
        """Evaluate the block at a point, after another one in the same workspace."""
        conditional = self.conditional
        with interpreted():
            parameters = conditional.parameters(point)
        q = self.layout.ravel(point)
        first = q if before is None else self.layout.ravel(before)
        data = conditional.data(self.rest, point, parameters)
        energy, gradient = compiled(self.rest, energy_and_gradient)(first, q, data)
        distance = q - parameters.mean
        return Evaluation(
            float(energy),
            gradient,
            0.5 * float(parameters.precision @ distance**2),
            float(parameters.log_constant),
            -gradient - parameters.precision * distance,
            parameters.curvature,
        )

    def energy_without_gradient(self, point: Point) -> float:
        """Energy by the kernel that computes no gradient."""
        with interpreted():
            parameters = self.conditional.parameters(point)
        without = self.conditional.compile_rest(gradient=False)
        q = self.layout.ravel(point)
        data = self.conditional.data(without, point, parameters)
        return float(compiled(without, energy_only)(q, q, data))

    def parts(self, q: np.ndarray) -> dict[str, np.ndarray]:
        """Split a vector into the arrays of the groups."""
        shapes, slices = self.layout.shapes, self.layout.slices
        return {name: q[slices[name]].reshape(shapes[name]) for name in self.layout.names}
