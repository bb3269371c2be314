r"""Energy of a network whose weights are functions of a block of variables.

.. math:: E(q) = \beta\, E_\mathrm{likelihood}(w(q), \tau(q)) + E_\mathrm{extra}(q)

The weights :math:`w` may be any function of the block and the held variables: raw coordinates times
scales that are in the block too (Choo 2000, Eq. 4.10), a reflection at walls, the inverse of a
distribution function. So may the precisions :math:`\tau` of Gaussian noise. Function and extra
terms stay PyTensor's graph; the likelihood is one operation in it, whose compiled form is the
fused kernel and whose pullback is the kernel's gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pytensor.tensor as pt
from pymc.blocking import PointType
from pytensor.graph.replace import graph_replace
from pytensor.graph.traversal import ancestors
from pytensor.tensor.variable import TensorVariable

from ...compiled.entries import Entry
from ..cases.cases_in_blocks import CasesInBlocks
from ..network_plan import NetworkLayout, network_layout
from ..parameters import noise_precision
from ..recognition import has_integrated_noise, likelihood_of, why_no_kernel
from ..rest import EnergyData, Rest
from ..tape.function import evaluated
from ..temperature import current
from .graph_rest import graph_rest
from .logistic_weights import levels_of, weights_from
from .network_energy import NetworkEnergy, pass_for
from .parts import joined
from .prior_numbers import prior_numbers, with_numbers

if TYPE_CHECKING:
    from ..conditional import Conditional


class MappedNetwork:
    """Likelihood of a network whose weights or noise depend on a block by a graph.

    Parameters
    ----------
    conditional : Conditional
        The block.
    """

    def __init__(self, conditional: Conditional):
        self.conditional, self.model = conditional, conditional.model
        self.precision = conditional.precision
        self.shapes = tuple(group.shape for group in self.model.groups.values())
        self._cases: dict[str, CasesInBlocks] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave the copy of the data and what is compiled behind."""
        left = {name: value for name, value in vars(self).items() if name != "_weights"}
        return {**left, "_cases": {}}

    def compile(self, gradient: bool) -> Rest:
        """Compile the energy of the rest, with or without its gradient."""
        rest = self._rest(gradient, self.precision)
        if self.precision == "float64":
            return rest
        double = self._rest(False, "float64")

        def both(values: Sequence[Any]) -> EnergyData:
            return EnergyData(rest.pack(values).words, double.pack(values).words)

        return rest._replace(pack=both)

    def _rest(self, gradient: bool, precision: str) -> Rest:
        """Compile it in one precision."""
        conditional, model, network = self.conditional, self.model, pt.lvector("network")
        q = pt.vector("q", shape=(conditional.layout.size,), dtype="float64")
        observed = model.declaration.observed
        levels = levels_of(conditional)
        known = levels.names if levels else frozenset()
        others = [
            term
            for variable, term in conditional.rest.items()
            if variable not in observed and variable.name not in known
        ]
        graphs = [*others, self._noise(), *([] if levels else self._groups())]
        given: list[Any] = graph_replace(graphs, conditional.parts(q), strict=False)
        count, likelihood = len(others), likelihood_of(model)
        weights = weights_from(q, levels) if levels else joined(given[count + 1 :], self.shapes)
        minus = NetworkEnergy(likelihood, gradient).energy(weights, given[count], network)
        energy = conditional.energy(q, [*given[:count], -minus])
        rest = graph_rest(energy, q, [*conditional.held, network], gradient)
        entries = pass_for(model.activation, likelihood, gradient, precision)

        def pack(values: Sequence[Any]) -> EnergyData:
            return rest.pack([*values, self.words(precision, entries)])

        return rest._replace(pack=pack)

    def _groups(self) -> list[TensorVariable]:
        """Weights that the network computes with, in terms of value variables."""
        computed = self.model.declaration.computed.values()
        return with_numbers(
            self.model.replace_rvs_by_values(list(computed)), prior_numbers(self.model)
        )

    def _noise(self) -> TensorVariable:
        """Precisions of the noise, in terms of value variables."""
        return noise_precision(self.model) if self.model.likelihood.noisy else pt.ones(())

    def weights(self, point: PointType) -> np.ndarray:
        """Weights that the network computes with, one group after the other, at a point."""
        names, evaluate = self._weights
        return evaluate(*[point[name] for name in names])[0]

    @cached_property
    def _weights(self) -> tuple[list[str], Callable[..., Sequence[np.ndarray]]]:
        """Value variables that the weights depend on, and a function of these."""
        vector = joined(self._groups(), self.shapes)
        used = set(ancestors([vector]))
        inputs = [v for v in self.model.value_vars if v in used]
        return [str(v.name) for v in inputs], evaluated(inputs, [vector])

    @cached_property
    def _layout(self) -> NetworkLayout:
        """Where the groups lie in the vector of all weights."""
        starts = np.cumsum([0, *map(np.prod, self.shapes)])
        return network_layout(self.model, dict(zip(self.model.groups, starts, strict=False)))

    def words(self, precision: str, entries: Mapping[int, Entry]) -> np.ndarray:
        """What the kernel needs besides weights and precisions of the noise."""
        layout, model = self._layout, self.model
        if precision not in self._cases:
            weights = int(sum(map(np.prod, self.shapes)))
            self._cases[precision] = CasesInBlocks(layout, weights, precision)
        outputs = np.ones(len(model.output_units))
        return self._cases[precision].words(model, entries, outputs, current(model))


def mapped_network(conditional: Conditional) -> MappedNetwork | None:
    """The likelihood of a network that depends on a block, if there is a kernel for it."""
    model = conditional.model
    if why_no_kernel(model) is not None and not has_integrated_noise(model):
        return None
    return MappedNetwork(conditional) if model.declaration.observed[0] in conditional.rest else None
