"""Graphs that the code of a tape computes, instead of what numba compiles for each operation.

To compile a graph of a network's hyperparameters took ten to thirty seconds, for code that runs for
some microseconds at a time and takes most of these to make arrays.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Variable
from pytensor.graph.fg import FunctionGraph
from pytensor.graph.rewriting.utils import rewrite_graph
from pytensor.graph.traversal import graph_inputs

from ....models.layer import Layer
from ...compiled.entries import Entry
from ...compiled.words import address, written
from ..graphs.network_energy import NetworkEnergy, network_pass
from ..network_plan import OUTPUTS
from ..rest import addresses
from .code import tape_entry
from .layout import placed
from .translation import Translation
from .views import UntranslatedError, View, is_inexact

# what PyTensor rewrites for all backends, and an invalid parameter to a density of zero
REWRITES = ("fast_run", "canonicalize", "stabilize", "specialize")
CHECKS = "local_check_parameter_to_ninf_switch"
OF_BACKENDS = ("fusion", "inplace", "cxx_only", "BlasOpt")

# numbers that a core has near it; with longer arrays loops over several operations win
LARGEST = 2**15
# and of an energy without a network, which takes longer than all else: with 250 cases a leapfrog
# takes 1.1 to 1.4 times as long as by what numba compiles, in one to fifteen seconds, and with 2000
# cases 1.3 to 1.8 times
LARGEST_ALONE = 2**13
# and of one with layers, most of which is what their kernels read and write: with 300 cases and 16
# units a leapfrog takes 0.9 to 1.15 times as long, with 2000 cases and 32 units up to 1.3 times
LARGEST_LAYERS = 2**16


class Prepared(NamedTuple):
    """A tape for inputs of certain shapes.

    Attributes
    ----------
    entry : Entry
        Its code.
    memory : ndarray of float64
        What it reads and writes, with its constants.
    first : int
        Where the inputs begin that the caller writes, one after the other.
    outputs : list of View
        Where the outputs lie in the memory.
    called : tuple of Entry
        Functions that the code calls.
    """

    entry: Entry
    memory: np.ndarray
    first: int
    outputs: list[View]
    called: tuple[Entry, ...]


class GraphTape:
    """A graph as tapes, one for all inputs of the same shapes.

    Parameters
    ----------
    outputs : sequence of Variable
        What it computes.
    inputs : sequence of Variable
        What it takes.
    q : Variable, optional
        A vector that it takes too, by its address. The outputs are then an energy, and perhaps its
        gradient by that vector.

    Attributes
    ----------
    translates : bool
        Whether it may be a tape: if shapes of shared data are known, until something is found in it
        that no instruction does; if there are layers, whatever the data.
    """

    def __init__(
        self, outputs: Sequence[Variable], inputs: Sequence[Variable], q: Variable | None = None
    ):
        graph = FunctionGraph(outputs=list(outputs), clone=True, copy_inputs=False)
        rewrite_graph(graph, include=(*REWRITES, CHECKS), exclude=OF_BACKENDS)
        self.graph, self.inputs, self.q = graph, list(inputs), q
        self.shared = [v for v in graph_inputs(graph.outputs) if isinstance(v, SharedVariable)]
        passes = (node for node in graph.apply_nodes if isinstance(node.op, NetworkEnergy))
        found = next(passes, None)
        self.network = None if found is None else found.inputs[-1]
        self.network_entry = None if found is None else network_pass(found.op)
        # Data of other lengths than now each get a tape of their own, where what PyTensor compiles
        # serves all. A graph with layers in it takes that tens of seconds, and a tape about one.
        shapes = [getattr(v.type, "shape", (None,)) for v in self.shared]
        self.layers = any(isinstance(node.op, Layer) for node in graph.apply_nodes)
        self.fixed = not any(None in shape for shape in shapes)
        self.translates = self.layers or self.fixed
        self._known: dict[Any, Prepared | UntranslatedError] = {}

    def words(self, values: Sequence[Any], word: int) -> np.ndarray:
        """What the code reads, for values of the inputs.

        Parameters
        ----------
        values : sequence of array
            Values of the inputs, in their order.
        word : int
            Which word says where the code is.

        Raises
        ------
        UntranslatedError
            If the graph does what no instruction does.
        """
        arrays, network = self._given(values)
        prepared = self._prepared(tuple(array.shape for array in arrays), network)
        memory = prepared.memory.copy()
        self._fill(memory, prepared.first, arrays)
        return self._words(prepared, memory, network, word)

    def _given(self, values: Sequence[Any]) -> tuple[list[np.ndarray], np.ndarray | None]:
        """Values of all inputs that are numbers, and the words of the network."""
        arrays = [np.asarray(value) for value in values]
        network = None
        if self.network is not None:
            network = arrays.pop(self.inputs.index(self.network))
        arrays += [np.asarray(v.get_value(borrow=True)) for v in self.shared]
        if any(map(is_inexact, arrays)):
            raise UntranslatedError("integers that real numbers are not near to")
        return arrays, network

    def _fill(self, memory: np.ndarray, at: int, arrays: Sequence[np.ndarray]) -> None:
        if arrays:
            size = sum(array.size for array in arrays)
            np.concatenate([array.ravel() for array in arrays], out=memory[at : at + size])

    def _words(
        self, prepared: Prepared, memory: np.ndarray, network: np.ndarray | None, word: int
    ) -> np.ndarray:
        entry, called = prepared.entry, prepared.called
        numbers = [
            *addresses({word: entry}),
            address(memory),
            0 if network is None else address(network),
            0 if self.network_entry is None else self.network_entry.address,
            *(each.address for each in called),
        ]
        return written(numbers, (entry, called, self.network_entry, memory, network))

    def _prepared(
        self, shapes: tuple[tuple[int, ...], ...], network: np.ndarray | None
    ) -> Prepared:
        """Translate for these shapes, once."""
        key = shapes, None if network is None else int(network[OUTPUTS])
        if key not in self._known:
            try:
                self._known[key] = self._translated(shapes, network)
            except UntranslatedError as error:
                # other data may be translated, and draws must not depend on which came first
                self._known[key] = UntranslatedError(*error.args)
                self.translates = not self.fixed
        found = self._known[key]
        if isinstance(found, UntranslatedError):
            raise UntranslatedError(*found.args)
        return found

    def _translated(
        self, shapes: tuple[tuple[int, ...], ...], network: np.ndarray | None
    ) -> Prepared:
        inputs = [v for v in (*self.inputs, *self.shared) if v is not self.network]
        if len(set(inputs)) < len(inputs):
            raise UntranslatedError("an input that is given twice")
        known = dict(zip(inputs, shapes, strict=True))
        if self.q is not None:
            known = {self.q: self.q.type.shape, **known}
        translation = Translation(self.graph, known, network)
        given = [translation.view(translation.found[v]).buffer for v in known]
        views = [translation.layout.copied(view) for view in translation.outputs]
        found = placed(translation.layout, [*given, *(view.buffer for view in views)])
        if found.memory.size > self._largest(network):
            raise UntranslatedError("a memory that is not near")
        outputs = [v._replace(offset=found.starts[v.buffer] + v.offset) for v in views]
        size = 0 if self.q is None else known[self.q][0]
        slopes = 0 if self.q is None or len(views) == 1 else size
        ends = size, slopes, outputs[0].offset, outputs[-1].offset
        called = tuple(translation.entries)
        return Prepared(tape_entry(found.rows, ends), found.memory, size, outputs, called)

    def _largest(self, network: np.ndarray | None) -> int:
        """Largest memory with which a tape is not slower than what PyTensor compiles."""
        if self.layers:
            return LARGEST_LAYERS
        return LARGEST if self.q is None or network is not None else LARGEST_ALONE
