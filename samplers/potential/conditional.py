"""Posterior of a block of variables given all others, as the samplers need it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pymc.blocking import PointType
from pytensor.graph.basic import Variable
from pytensor.graph.replace import graph_replace
from pytensor.graph.traversal import ancestors
from pytensor.tensor.random.basic import NormalRV
from pytensor.tensor.variable import TensorVariable

from ...models.bnn import BNN
from ...models.data.choices import choose
from ...models.simd.lanes import WIDTH
from ..compiled.entries import Entry
from ..compiled.memory import remembered
from .cases.cases_in_blocks import CasesInBlocks
from .gamma_density import gamma_density
from .graphs.graph_rest import graph_rest
from .graphs.mapped_network import mapped_network
from .graphs.parts import parts_of
from .graphs.prior_numbers import logp_terms, prior_numbers, with_numbers
from .layout import Layout
from .likelihood_kernels import kernel_of
from .network_plan import NetworkData, NetworkLayout, network_layout
from .network_potential import network_entry
from .parameters import ParameterGraph, Parameters
from .recognition import likelihood_of, why_no_kernel
from .rest import ALONE, WITH_GRADIENT, EnergyData, Rest, rest_of_entries
from .temperature import inverse_temperature


class _Terms(NamedTuple):
    """Log posterior around a block: its normal priors, what else depends on it, what does not."""

    normal: dict[str, tuple[TensorVariable, TensorVariable]]
    rest: dict[TensorVariable, TensorVariable]
    outer: list[TensorVariable]


class Conditional:
    r"""Potential energy of a block of variables with all others held.

    .. math:: E(q) = \tfrac12 \sum_i \tau_i (q_i - m_i)^2 + E_\mathrm{rest}(q)

    The quadratic part collects the block's normal priors whose mean and scale depend on held
    variables only. If the block is all weights of a centred :class:`pymc_bnn.models.BNN` and the
    rest is nothing but its likelihood, the rest is a fused kernel. If weights or noise of such a
    network depend on the block in another way, the rest is a graph with that kernel in it (see
    :mod:`.graphs.mapped_network`). Otherwise it is the graph of the model's log posterior.

    Parameters
    ----------
    model : pm.Model
        The model.
    names : iterable of str
        Names of the block's value variables; continuous ones.
    precision : {"float64", "float32"}
        Of the pass through the network.

    Attributes
    ----------
    layout : Layout
        Where the block's variables lie in its vector.
    held : list of TensorVariable
        Value variables that are held fixed.
    normal : dict of str to tuple
        Symbolic mean and scale of each conditionally normal prior.
    outer : list of TensorVariable
        Log densities that do not depend on the block.
    fused : bool
        Whether the rest is a fused kernel.
    mapped : MappedNetwork or None
        The network, if the rest is a graph with its fused kernel in it.

    Raises
    ------
    ValueError
        If single precision is asked for and the rest has no fused kernel.
    """

    def __init__(self, model: pm.Model, names: Iterable[str], precision: str = "float64"):
        self.model, self.precision = model, precision
        self.layout = Layout(model, names)
        self._block = [v for v in model.value_vars if v.name in self.layout.slices]
        self.held = [v for v in model.value_vars if v.name not in self.layout.slices]
        self._split_terms()
        self.fused = self._is_network()
        choose("precision", precision, WIDTH)
        self.mapped = None if self.fused else mapped_network(self)
        if precision != "float64" and not self.fused and self.mapped is None:
            raise ValueError(
                f"precision={precision!r} needs a pymc_bnn network whose likelihood has a kernel, "
                "and PyTensor's numba backend; leave precision out."
            )
        self._cases: dict[str, CasesInBlocks] = {}
        self._graph = ParameterGraph(self)
        self.closed_form: Callable[[PointType], Parameters] | None = None
        self.inverse_temperature = inverse_temperature(model)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the copy of the data behind."""
        return {**self.__dict__, "_cases": {}}

    @property
    def power(self) -> float:
        """Power of the likelihood: the model's inverse temperature."""
        return float(self.inverse_temperature.get_value(borrow=True))

    def depends_on_block(self, *expressions: Variable) -> bool:
        """Whether one of the expressions contains a variable of the block."""
        return not set(self._block).isdisjoint(ancestors(expressions))

    def _split_terms(self) -> None:
        """Sort the log posterior into normal priors of the block, rest, and outer terms."""
        key = "terms around a block", tuple(self.layout.names)
        self.normal, self.rest, self.outer = remembered(self.model, key, self._sorted_terms)

    def _sorted_terms(self) -> "_Terms":
        model, found = self.model, _Terms({}, {}, [])
        for variable, term in logp_terms(model).items():
            value = model.rvs_to_values.get(variable)
            moments = self._normal_moments(variable) if value in self._block else None
            if moments is not None:
                found.normal[value.name] = moments
            elif self.depends_on_block(term):
                found.rest[variable] = term
            else:
                density = gamma_density(model, variable)
                found.outer.append(term if density is None else density)
        return found

    def _normal_moments(
        self, variable: TensorVariable
    ) -> tuple[TensorVariable, TensorVariable] | None:
        """Mean and scale of a normal prior, if the block does not influence them."""
        node = variable.owner
        if not isinstance(node.op, NormalRV) or self.model.rvs_to_transforms[variable] is not None:
            return None
        moments = self.model.replace_rvs_by_values(node.op.dist_params(node))
        mean, scale = with_numbers(moments, prior_numbers(self.model))
        return None if self.depends_on_block(mean, scale) else (mean, scale)

    def _is_network(self) -> bool:
        """Whether the kernel of a network computes the rest."""
        model = self.model
        if why_no_kernel(model) is not None or model.parametrization != "centered":
            return False
        weights = {v.name for v in model.declaration.weights.values()}
        return set(self.normal) == weights == set(self.layout.names) and set(self.rest) == set(
            model.declaration.observed
        )

    @property
    def rest_names(self) -> list[str]:
        """Names of the variables and potentials whose density is the rest."""
        return [str(variable.name) for variable in self.rest]

    @property
    def normal_names(self) -> list[str]:
        """Names of the variables whose density is a conditionally normal prior."""
        return list(self.normal)

    @property
    def rest_terms(self) -> list[TensorVariable]:
        """Log densities of the rest, elementwise; that of a fused kernel is there too."""
        return list(self.rest.values())

    def fallback(self) -> str | None:
        """Say why the graph of a centred network's likelihood is used, if it is, for a log."""
        model = self.model
        if self.fused or self.mapped or not isinstance(model, BNN):
            return None
        reason = why_no_kernel(model) if model.parametrization == "centered" else None
        return reason and f"The model's own graph is sampled, not its fused kernel: {reason}."

    def energy(
        self, q: TensorVariable, terms: Sequence[TensorVariable] | None = None
    ) -> TensorVariable:
        """Symbolic energy of the rest, or of other terms, with the block taken from ``q``."""
        chosen = self.rest_terms if terms is None else terms
        energy = -sum((term.sum() for term in chosen), pt.zeros(()))
        return graph_replace(energy, self.parts(q), strict=False)

    def parts(self, q: TensorVariable) -> dict[Variable, Variable]:
        """Take the block's value variables from its vector."""
        parts = parts_of(q, tuple(self.layout.shapes.values()))
        return dict(zip(self._block, parts, strict=True))

    def compile_rest(self, gradient: bool) -> Rest:
        """Compile the energy of the rest, with or without its gradient."""
        if self.fused:
            return self._network_rest(gradient)
        if self.mapped is not None:
            return self.mapped.compile(gradient)
        q = pt.vector("q", shape=(self.layout.size,), dtype="float64")
        return graph_rest(self.energy(q), q, self.held, gradient)

    def _network_rest(self, gradient: bool) -> Rest:
        activation = self.model.activation
        kernel = kernel_of(likelihood_of(self.model)).energy
        word = WITH_GRADIENT if gradient else ALONE
        entries = {word: network_entry(activation, kernel, gradient, self.precision)}
        if self.precision == "float64":
            return rest_of_entries(lambda p: EnergyData(self.words(p.curvature, entries)), gradient)
        double = {ALONE: network_entry(activation, kernel, gradient=False)}

        def both(parameters: Parameters) -> EnergyData:
            single = self.words(parameters.curvature, entries, self.precision)
            return EnergyData(single, self.words(parameters.curvature, double))

        return rest_of_entries(both, gradient)

    def data(self, rest: Rest, point: PointType, parameters: Parameters) -> Any:
        """What the compiled rest needs besides the block."""
        if self.fused:
            return rest.pack(parameters)
        return rest.pack([point[variable.name] for variable in self.held])

    def data_at(self, rest: Rest, point: PointType) -> Any:
        """The same, with no more parameters evaluated than a kernel reads."""
        if not self.fused:
            return rest.pack([point[variable.name] for variable in self.held])
        return rest.pack((self.closed_form or self._graph.curvature_alone)(point))

    def network_data(
        self,
        parameters: Parameters,
        entries: Mapping[int, Entry] = MappingProxyType({}),
    ) -> NetworkData:
        """What the fused kernel needs in double precision, for entries that compute with it."""
        words = self.words(parameters.curvature, entries)
        data = self._cases["float64"].data(self.model, parameters.curvature, self.power)
        return data._replace(words=words)

    def words(
        self, curvature: np.ndarray, entries: Mapping[int, Entry], precision: str = "float64"
    ) -> np.ndarray:
        """What entries of the fused kernel read, given the precision of each output's noise."""
        if precision not in self._cases:
            found = CasesInBlocks(self.network_layout, self.layout.size, precision)
            self._cases[precision] = found
        return self._cases[precision].words(self.model, entries, curvature, self.power)

    @cached_property
    def network_layout(self) -> NetworkLayout:
        """Units of each layer, and where its weights and biases start (-1: none)."""
        model, slices = self.model, self.layout.slices
        starts = {group: slices[model.free_name(group)].start for group in model.groups}
        return network_layout(model, starts)

    def parameters(self, point: PointType) -> Parameters:
        """Evaluate what the held variables of a point say about the block."""
        return (self.closed_form or self._graph)(point)

    def parameters_once(self, point: PointType) -> Parameters:
        """Evaluate them in Python, which takes longer than compiled code but need not compile."""
        return self._graph.once(point)
