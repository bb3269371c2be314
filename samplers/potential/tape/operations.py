"""Where operations of PyTensor find how they become instructions, by their class."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import TYPE_CHECKING

import numpy as np
from pytensor.compile.builders import SymbolicOp
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op

from .layout import UntranslatedError, View

if TYPE_CHECKING:
    from .translation import Translation

type Value = View | np.ndarray  # the latter is known beforehand


@singledispatch
def instruct(op: Op, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    """Translate one operation, by its class.

    Parameters
    ----------
    op : Op
        The operation.
    node : Apply
        Where it is applied.
    given : sequence of View or ndarray
        Its inputs; some are known beforehand.
    tape : Translation
        What the instructions are added to.

    Returns
    -------
    list of View or ndarray
        Its outputs.

    Raises
    ------
    UntranslatedError
        If no instruction does this.
    """
    raise UntranslatedError(type(op).__name__)


@instruct.register(SymbolicOp)
def _(op: SymbolicOp, node: Apply, given: Sequence[Value], tape: Translation) -> list[Value]:
    """Refuse what has other code than its graph, such as layers of networks."""
    raise UntranslatedError(type(op).__name__)


def is_translated(op: Op) -> bool:
    """Whether there are instructions for an operation of this class."""
    return instruct.dispatch(type(op)) not in map(instruct.dispatch, (object, SymbolicOp))
