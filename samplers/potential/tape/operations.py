"""Where operations of PyTensor find how they become instructions, by their class."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from pytensor.compile.builders import SymbolicOp
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.op import Op

from .views import UntranslatedError, View

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
    """Refuse what has other code than its graph, where nothing is said about it."""
    raise UntranslatedError(type(op).__name__)


def check_repeated(given: Variable, own: tuple[int, ...], wide: tuple[int, ...]) -> None:
    """Refuse lengths of 1 that PyTensor does not know of, which it does not repeat.

    Parameters
    ----------
    given : Variable
        What is to be repeated.
    own, wide : tuple of int
        Its shape, and the one that it is given.

    Raises
    ------
    UntranslatedError
        If there is such a length.
    """
    known = cast(Any, given.type).shape
    ends = wide[len(wide) - len(own) :]
    if any(a == 1 != b and size != 1 for a, b, size in zip(own, ends, known, strict=True)):
        raise UntranslatedError("a length of 1 that was not known")


def is_translated(op: Op) -> bool:
    """Whether there are instructions for an operation of this class."""
    return instruct.dispatch(type(op)) not in map(instruct.dispatch, (object, SymbolicOp))
