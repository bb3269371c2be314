"""What held variables say about a block: moments of its normal priors, curvature, constants."""

from collections.abc import Callable, Mapping
from functools import cached_property
from threading import get_ident
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytensor.tensor as pt
from pymc.blocking import PointType
from pymc.pytensorf import constant_fold
from pytensor.graph.basic import Constant
from pytensor.graph.traversal import ancestors
from pytensor.tensor.variable import TensorVariable

from ...models.bnn import BNN
from ..compiled.engine import available
from ..compiled.interpreted import in_python
from ..compiled.memory import remembered
from .likelihood_kernels import has_kernel
from .recognition import has_integrated_noise, is_network
from .tape.function import evaluated

if TYPE_CHECKING:
    from .conditional import Conditional

FIRST, MOMENTS = 2, 3  # after two other graphs come mean, precision and scale of each variable


class Parameters(NamedTuple):
    """What the held variables say about the block.

    Attributes
    ----------
    mean, precision : ndarray, shape (size,)
        Of the components' conditionally normal prior; precision 0 where there is none.
    log_constant : ndarray, shape ()
        Log posterior of the model, at its temperature, plus potential energy of the block.
    curvature : ndarray, shape (outputs,)
        Second derivative of a case's energy by each unit of the last layer: the noise precision,
        or what the likelihood gives as its information; 1 for all else.
    scale : ndarray, shape (size,)
        Network weight per unit of each component: 1, or the prior's standard deviation where
        the block holds weights in their raw form.
    """

    mean: np.ndarray
    precision: np.ndarray
    log_constant: np.ndarray
    curvature: np.ndarray
    scale: np.ndarray

    def normal_priors(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """Energy of the conditionally normal priors, and its gradient."""
        slope = self.precision * (q - self.mean)
        return float(0.5 * np.sum(slope * (q - self.mean))), slope


class ParameterGraph:
    """The graphs behind :class:`Parameters`.

    Only what varies is compiled, and arrays take their shapes in Python: code for shapes would
    take longer to compile than a sampler.

    Parameters
    ----------
    conditional : Conditional
        The block.
    """

    def __init__(self, conditional: "Conditional"):
        self.conditional, layout = conditional, conditional.layout
        self.places = [
            (row, layout.slices[name], layout.shapes[name])
            for name in layout.names
            for row in range(MOMENTS)
        ]
        self.outputs = len(conditional.model.output_units) if is_network(conditional.model) else 1

    def __getstate__(self) -> dict[str, Any]:
        """Leave compiled functions behind."""
        left = "_compiled", "_compiled_curvature"
        return {name: value for name, value in vars(self).items() if name not in left}

    def __call__(self, point: PointType) -> Parameters:
        """Evaluate them at a point, in compiled code."""
        evaluate, varying, known, moments = self._compiled
        values = evaluate(*[point[variable.name] for variable in self.conditional.held])
        return self._assembled(dict(zip(varying, values, strict=True)), known, moments.copy())

    def curvature_alone(self, point: PointType) -> Parameters:
        """Evaluate the curvature, which is all that the kernel of a network reads of them."""
        inputs, evaluate = self._compiled_curvature
        [curvature] = evaluate(*[point[name] for name in inputs])
        nothing = np.empty(0)
        return Parameters(nothing, nothing, np.zeros(()), np.full(self.outputs, curvature), nothing)

    @cached_property
    def _compiled_curvature(self) -> tuple[list[str], Callable]:
        """Names of what the curvature depends on, and a function of that."""
        graph = self._curvature()
        if _is_fixed(graph) and (known := _values({0: graph})):
            return [], lambda: [known[0]]
        used = set(ancestors([graph]))
        inputs = [variable for variable in self.conditional.held if variable in used]
        return [str(variable.name) for variable in inputs], evaluated(inputs, [graph])

    def once(self, point: PointType) -> Parameters:
        """Evaluate them in Python, which takes longer than compiled code but need not compile."""
        held = self.conditional.held
        evaluate = in_python(held, self._graphs())
        values = evaluate(*[point[variable.name] for variable in held])
        moments = np.zeros((MOMENTS, self.conditional.layout.size))
        return self._assembled(dict(enumerate(values)), {}, moments)

    @cached_property
    def _compiled(self) -> tuple[Callable, list[int], dict[int, Any], np.ndarray]:
        """What evaluates the graphs, shared by all blocks of the same variables in a thread."""
        names, fused = tuple(self.conditional.layout.names), self.conditional.fused
        key = ("parameters", names, fused, available(), get_ident())
        return remembered(self.conditional.model, key, self._compile)

    def _compile(self) -> tuple[Callable, list[int], dict[int, Any], np.ndarray]:
        """What evaluates the graphs that vary, which these are, and the values of the others."""
        graphs, moments = self._graphs(), np.zeros((MOMENTS, self.conditional.layout.size))
        known = _values({i: graph for i, graph in enumerate(graphs) if _is_fixed(graph)})
        self._put(known, moments)
        varying = [i for i in range(len(graphs)) if i not in known]
        if not varying:
            return lambda *held: (), varying, known, moments
        evaluate = evaluated(self.conditional.held, [graphs[i] for i in varying])
        return evaluate, varying, known, moments

    def _put(self, values: Mapping[int, Any], moments: np.ndarray) -> None:
        """Give moments among the values of the graphs their places and shapes."""
        for i, value in values.items():
            if i >= FIRST:
                row, where, shape = self.places[i - FIRST]
                moments[row, where].reshape(shape)[...] = value

    def _assembled(
        self, values: dict[int, Any], known: Mapping[int, Any], moments: np.ndarray
    ) -> Parameters:
        """Join what varies to what is known, and add the constants of the normal densities."""
        self._put(values, moments)
        mean, precision, scale = moments
        constant = np.asarray(values[0] if 0 in values else known[0])
        curvature = values[1] if 1 in values else known[1]
        curvature = np.full(self.outputs, curvature)  # sweeps write into it
        if self._has_noise:
            constant = np.asarray(constant + self._constant_of_noise(curvature))
        return Parameters(mean, precision, constant, curvature, scale)

    @property
    def _has_noise(self) -> bool:
        """Whether the fused kernel leaves constants of noise to what is known here."""
        return self.conditional.fused and self.conditional.model.likelihood.noisy

    def _constant_of_noise(self, curvature: np.ndarray) -> float:
        """Log density of all cases at their means; a graph of the data could be no tape."""
        conditional = self.conditional
        if conditional.power == 0:  # of precisions that may be zero or infinite
            return 0.0
        cases = len(conditional.model["X"].get_value(borrow=True))
        with np.errstate(all="ignore"):
            return 0.5 * conditional.power * cases * np.log(curvature / (2 * np.pi)).sum()

    def _graphs(self) -> list[TensorVariable]:
        """Constant, curvature, and of each variable mean, precision and scale."""
        conditional, layout = self.conditional, self.conditional.layout
        constant, curvature = pt.zeros(()), self._curvature()
        constant += sum((term.sum() for term in conditional.outer), pt.zeros(()))
        moments = []
        for name in layout.names:
            m, sd = conditional.normal.get(name, (pt.zeros(()), None))
            tau = pt.zeros(()) if sd is None else sd**-2.0
            if sd is not None:
                constant += _log_constant(tau, int(np.prod(layout.shapes[name])))
            moments += [m, tau, self._scale(name)]
        return [constant, curvature, *moments]

    def _curvature(self) -> TensorVariable:
        """Second derivative of a case's energy by each network output."""
        conditional, model = self.conditional, self.conditional.model
        if not has_integrated_noise(model) and (
            not is_network(model) or not has_kernel(type(model.likelihood))
        ):
            return pt.ones(1)
        if not model.likelihood.noisy:
            return pt.constant(model.likelihood.information(self.outputs))
        precision = noise_precision(model)
        return pt.ones(1) if conditional.depends_on_block(precision) else precision.ravel()

    def _scale(self, name: str) -> TensorVariable:
        """Network weight per unit of a variable."""
        model, group = self.conditional.model, name.removesuffix("_raw")
        if not is_network(model) or name == group or group not in model.scales:
            return pt.ones(())
        [scale] = model.replace_rvs_by_values([pt.as_tensor(model.scales[group])])
        return pt.ones(()) if self.conditional.depends_on_block(scale) else scale


def noise_precision(model: BNN) -> TensorVariable:
    """Precision of a network's noise, of each output or of all, by value variables."""
    node = model.declaration.observed[0].owner
    [sd] = model.replace_rvs_by_values([node.op.dist_params(node)[-1]])  # that of t comes last too
    common = all(sd.type.broadcastable)
    return (sd.squeeze() if common else sd.ravel()) ** -2.0


def _is_fixed(graph: TensorVariable) -> bool:
    """Whether a graph has nothing but constants at its ends."""
    return all(isinstance(v, Constant) for v in ancestors([graph]) if v.owner is None)


def _values(graphs: Mapping[int, TensorVariable]) -> dict[int, Any]:
    """Values of the graphs that have one; rewriting others would take longer than all the rest."""
    folded = constant_fold(list(graphs.values()), raise_not_constant=False)
    found = zip(graphs, folded, strict=True)
    return {i: value for i, value in found if isinstance(value, np.ndarray)}


def _log_constant(precision: TensorVariable, size: int) -> TensorVariable:
    """Log density at the means of ``size`` normal variables, which share precisions evenly."""
    return pt.log(precision / (2 * np.pi)).sum() * (0.5 * size / precision.size)
