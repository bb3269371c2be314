"""Run graphs node by node in Python, where compiling them would take longer."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from pytensor import config
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Variable
from pytensor.graph.fg import FunctionGraph
from pytensor.graph.traversal import graph_inputs
from pytensor.link.basic import PerformLinker

from ...models.simd.one_thread import COMPILING, alone

QUICK = {"traceback__limit": 0, "cxx": ""}  # no notes for users on nodes, no C in inner graphs


def in_python(
    inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> Callable[..., list[np.ndarray]]:
    """Return a function that runs a graph as written, node by node.

    ``pytensor.function`` does the same, copies and rewrites the graph before, and takes ten times
    as long.

    Parameters
    ----------
    inputs : sequence of Variable
        What the function takes; shared variables are read when it is called.
    outputs : sequence of Variable
        What it returns.

    Examples
    --------
    >>> import pytensor.tensor as pt
    >>> from pymc_bnn.samplers.compiled.interpreted import in_python
    >>> x = pt.dscalar("x")
    >>> in_python([x], [x**2])(3.0)
    [array(9.)]
    """
    shared = [v for v in graph_inputs(outputs) if isinstance(v, SharedVariable)]
    with COMPILING, config.change_flags(**QUICK):
        graph = FunctionGraph([*inputs, *shared], list(outputs), clone=False)
        run, cells, results = cast(Any, PerformLinker().accept(graph).make_thunk()[:3])

    @alone
    def evaluate(*values: Any) -> list[np.ndarray]:
        now = [*values, *(v.get_value() for v in shared)]
        for variable, cell, value in zip(graph.inputs, cells, now, strict=True):
            cell.data = variable.type.filter(value, allow_downcast=True)
        run()
        return [np.array(result.data) for result in results]

    return evaluate
