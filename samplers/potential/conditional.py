"""Posterior of a block of variables given all others, as the samplers need it."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pymc.blocking import PointType
from pymc.pytensorf import compile as compile_with_pymc
from pymc.pytensorf import constant_fold
from pytensor.compile.mode import Mode
from pytensor.graph.basic import Variable
from pytensor.graph.replace import graph_replace
from pytensor.graph.traversal import ancestors
from pytensor.tensor.random.basic import NormalRV
from pytensor.tensor.variable import TensorVariable

from ...models.bnn import BNN
from ...models.data.choices import choose
from ...models.data.renewed_data import check_data
from ...models.simd.lanes import WIDTH
from ..precisions.prior_numbers import logp_terms, prior_numbers, with_numbers
from .blocks import block_size, in_blocks
from .layout import Layout
from .network_plan import NetworkData, workspace
from .network_potential import network_rest
from .recognition import KERNELS, is_network, kernel_name, why_no_kernel
from .rest import Rest, graph_rest


class Parameters(NamedTuple):
    """What the held variables say about the block.

    Attributes
    ----------
    mean, precision : ndarray, shape (size,)
        Of the components' conditionally normal prior; precision 0 where there is none.
    log_constant : ndarray, shape ()
        Log posterior of the model plus potential energy of the block.
    curvature : ndarray, shape (outputs,)
        Second derivative of a case's energy by each network output: the noise precision, or for
        classes the value at equal probabilities; 1 for all else.
    scale : ndarray, shape (size,)
        Network weight per unit of each component: 1, or the prior's standard deviation where
        the block holds weights in their raw form.
    """

    mean: np.ndarray
    precision: np.ndarray
    log_constant: np.ndarray
    curvature: np.ndarray
    scale: np.ndarray


class Conditional:
    r"""Potential energy of a block of variables with all others held.

    .. math:: E(q) = \tfrac12 \sum_i \tau_i (q_i - m_i)^2 + E_\mathrm{rest}(q)

    The quadratic part collects the block's normal priors whose mean and scale depend on held
    variables only. If the block is all weights of a centred :class:`pymc_bnn.models.BNN` and the
    rest is nothing but its likelihood, the rest is a fused kernel; otherwise it is the graph of
    the model's log posterior.

    Parameters
    ----------
    model : pm.Model
        The model.
    names : iterable of str
        Names of the block's value variables; continuous ones.
    precision : {"float64", "float32"}
        Of the pass through the network.

    Raises
    ------
    ValueError
        If single precision is asked for and the rest is not a fused kernel.
    """

    def __init__(self, model: pm.Model, names: Iterable[str], precision: str = "float64"):
        self.model, self.precision = model, precision
        self.layout = Layout(model, names)
        self._block = [v for v in model.value_vars if v.name in self.layout.slices]
        self.held = [v for v in model.value_vars if v.name not in self.layout.slices]
        self._split_terms()
        self.fused = self._is_network()
        choose("precision", precision, WIDTH)
        if precision != "float64" and not self.fused:
            raise ValueError(
                f"precision={precision!r} needs all weights of a centred pymc_bnn network and "
                "PyTensor's numba backend; leave precision out."
            )
        self._blocks: dict[str, tuple] = {}
        self.closed_form: Callable[[PointType], Parameters] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave the compiled function and the copy of the data behind."""
        state = {**self.__dict__, "_blocks": {}}
        state.pop("_evaluate", None)
        return state

    def _depends_on_block(self, *expressions: Variable) -> bool:
        return not set(self._block).isdisjoint(ancestors(expressions))

    def _split_terms(self) -> None:
        """Sort the log posterior into normal priors of the block, rest, and outer terms."""
        model = self.model
        self._normal: dict[str, tuple[TensorVariable, TensorVariable]] = {}
        self._rest: dict[TensorVariable, TensorVariable] = {}
        self._outer: list[TensorVariable] = []
        for variable, term in logp_terms(model).items():
            value = model.rvs_to_values.get(variable)
            moments = self._normal_moments(variable) if value in self._block else None
            if moments is not None:
                self._normal[value.name] = moments
            elif self._depends_on_block(term):
                self._rest[variable] = term
            else:
                self._outer.append(term)

    def _normal_moments(
        self, variable: TensorVariable
    ) -> tuple[TensorVariable, TensorVariable] | None:
        """Mean and scale of a normal prior, if the block does not influence them."""
        node = variable.owner
        if not isinstance(node.op, NormalRV) or self.model.rvs_to_transforms[variable] is not None:
            return None
        moments = self.model.replace_rvs_by_values(node.op.dist_params(node))
        mean, scale = with_numbers(moments, prior_numbers(self.model))
        return None if self._depends_on_block(mean, scale) else (mean, scale)

    def _is_network(self) -> bool:
        """Whether the kernel of a network computes the rest."""
        model = self.model
        if why_no_kernel(model) is not None or model.parametrization != "centered":
            return False
        weights = {v.name for v in model.declaration.weights.values()}
        return set(self._normal) == weights == set(self.layout.names) and set(self._rest) == set(
            model.declaration.observed
        )

    @property
    def rest_names(self) -> list[str]:
        """Names of the variables and potentials whose density is the rest."""
        return [str(variable.name) for variable in self._rest]

    @property
    def normal_names(self) -> list[str]:
        """Names of the variables whose density is a conditionally normal prior."""
        return list(self._normal)

    @property
    def rest_terms(self) -> list[TensorVariable]:
        """Log densities of the rest, elementwise; that of a fused kernel is there too."""
        return list(self._rest.values())

    def fallback(self) -> str | None:
        """Say why the graph of a centred network's likelihood is used, if it is, for a log."""
        model = self.model
        if self.fused or not isinstance(model, BNN) or model.parametrization != "centered":
            return None
        reason = why_no_kernel(model)
        if reason is None and (added := [name for name in self.rest_names if name in model.added]):
            reason = f"{', '.join(added)} depends on the weights"
        return reason and f"The model's own graph is sampled, not its fused kernel: {reason}."

    def energy(self, q: TensorVariable) -> TensorVariable:
        """Symbolic energy of the rest, with the block taken from the vector ``q``."""
        energy = -sum((term.sum() for term in self._rest.values()), pt.zeros(()))
        parts = {
            value: q[self.layout.slices[value.name]].reshape(self.layout.shapes[value.name])
            for value in self._block
        }
        return graph_replace(energy, parts, strict=False)

    def compile_rest(self, gradient: bool) -> Rest:
        """Compile the energy of the rest, with or without its gradient."""
        if self.fused:
            name = kernel_name(self.model)
            return network_rest(self.model.activation, name, gradient, self.precision)
        q = pt.vector("q", shape=(self.layout.size,), dtype="float64")
        return graph_rest(self.energy(q), q, self.held, gradient)

    def data(self, rest: Rest, point: PointType, parameters: Parameters) -> tuple:
        """Arrays that the compiled rest needs besides the block."""
        if self.fused:
            exact = self.network_data(parameters)
            if self.precision == "float64":
                return exact
            return self.network_data(parameters, self.precision)._replace(exact=exact)
        held = (np.asarray(point[variable.name], order="C") for variable in self.held)
        return *held, *(variable.get_value(borrow=True) for variable in rest.shared)

    def network_data(self, parameters: Parameters, precision: str = "float64") -> NetworkData:
        """What the fused kernel needs besides the block."""
        arranged, counts = self._in_blocks(precision)
        return NetworkData(*(*arranged, parameters.curvature, *self.network_layout, *counts))

    def _in_blocks(self, precision: str) -> tuple[tuple, tuple]:
        """Inputs and targets of the fused kernel, and its room, renewed when the data change."""
        X, y = (self.model[name].get_value(borrow=True) for name in ("X", "y"))
        kept = self._blocks.get(precision)
        if kept is None or kept[0] is not X or kept[1] is not y:
            check_data(self.model)
            block = block_size(len(X), self.network_layout[0], precision)
            targets = np.asarray(y).reshape(len(X), -1)
            arranged = tuple(in_blocks(array, block, precision) for array in (X, targets))
            room = workspace(self.network_layout[0], self.layout.size, block, precision)
            kept = X, y, arranged, (len(X), block, targets.shape[1], *room)
            self._blocks[precision] = kept
        return kept[2:]

    @cached_property
    def network_layout(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Units of each layer, and where its weights and biases start (-1: none)."""
        model, slices = self.model, self.layout.slices
        sizes = [len(model.inputs), *model.hidden, len(model.outputs)]
        starts = {group: slices[model.free_name(group)].start for group in model.groups}
        weights = [starts[f"w{i}"] for i in range(len(sizes) - 1)]
        biases = [starts.get(f"b{i}", -1) for i in range(len(sizes) - 1)]
        return np.array(sizes), np.array(weights), np.array(biases)

    def parameters(self, point: PointType) -> Parameters:
        """Evaluate what the held variables of a point say about the block."""
        if self.closed_form is not None:
            return self.closed_form(point)
        return Parameters(*self._evaluate(*[point[name] for name in self.held_names]))

    def parameters_once(self, point: PointType) -> Parameters:
        """Evaluate them in Python, which takes longer than compiled code but need not compile."""
        outputs = self._symbolic_parameters()
        options: dict[str, Any] = {"on_unused_input": "ignore", "trust_input": True}
        mode = Mode(linker="py", optimizer="fast_compile")
        evaluate = compile_with_pymc(self.held, outputs, mode=mode, **options)
        return Parameters(*evaluate(*[point[name] for name in self.held_names]))

    @cached_property
    def held_names(self) -> list[str]:
        """Names of the held variables, in the order in which functions take them."""
        return [variable.name for variable in self.held]

    @cached_property
    def _evaluate(self) -> Callable[..., Sequence[Any]]:
        outputs = self._symbolic_parameters()
        if not self.held:
            constants = constant_fold(outputs, raise_not_constant=False)
            if all(isinstance(value, np.ndarray) for value in constants):
                return lambda: constants
        return compile_with_pymc(self.held, outputs, on_unused_input="ignore", trust_input=True)

    def _symbolic_parameters(self) -> list[TensorVariable]:
        """Graphs of the fields of :class:`Parameters`."""
        constant = sum((term.sum() for term in self._outer), pt.zeros(()))
        mean, precision = [], []
        for name, shape in self.layout.shapes.items():
            m, sd = self._normal.get(name, (pt.zeros(()), None))
            mean.append(pt.broadcast_to(m, shape).ravel())
            tau = pt.zeros(shape) if sd is None else pt.broadcast_to(sd**-2.0, shape)
            precision.append(tau.ravel())
            if sd is not None:
                constant += 0.5 * pt.log(tau / (2 * np.pi)).sum()
        curvature = self._curvature()
        if self.fused and not self.model.likelihood.classifies:
            cases = self.model["X"].shape[0]
            constant += 0.5 * cases * pt.log(curvature / (2 * np.pi)).sum()
        scale = pt.concatenate([self._scale(name) for name in self.layout.names])
        return [pt.concatenate(mean), pt.concatenate(precision), constant, curvature, scale]

    def _curvature(self) -> TensorVariable:
        """Second derivative of a case's energy by each network output."""
        if not is_network(self.model) or type(self.model.likelihood) not in KERNELS:
            return pt.ones(1)
        outputs = len(self.model.outputs)
        if self.model.likelihood.classifies:
            share = np.float64(1 / max(outputs, 2))
            return pt.full(outputs, share * (1 - share))
        node = self.model.declaration.observed[0].owner
        [sd] = self.model.replace_rvs_by_values([node.op.dist_params(node)[1]])
        return pt.ones(1) if self._depends_on_block(sd) else pt.full(outputs, sd.ravel() ** -2.0)

    def _scale(self, name: str) -> TensorVariable:
        """Network weight per unit of a variable, as a vector."""
        shape = self.layout.shapes[name]
        group = name.removesuffix("_raw")
        scale = pt.ones(())
        if is_network(self.model) and name != group and group in self.model.scales:
            [scale] = self.model.replace_rvs_by_values([pt.as_tensor(self.model.scales[group])])
        return pt.broadcast_to(
            pt.ones(()) if self._depends_on_block(scale) else scale, shape
        ).ravel()
