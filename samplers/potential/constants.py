"""Expressions of a model that are the same at every point."""

from collections.abc import Iterable, Sequence

import numpy as np
import pymc as pm
from pytensor.graph.basic import Variable
from pytensor.graph.traversal import ancestors

from ..compiled.interpreted import in_python


def is_constant(expressions: Iterable[Variable], model: pm.Model) -> bool:
    """Whether expressions depend on no variable and no data container of a model."""
    return set(ancestors(expressions)).isdisjoint([*model.value_vars, *model.data_vars])


def constant_values(expressions: Sequence[Variable]) -> list[np.ndarray]:
    """Evaluate constant expressions; it is done in Python, as compiling takes longer.

    Parameters
    ----------
    expressions : sequence of Variable
        Expressions that depend on no variable.

    Returns
    -------
    list of ndarray

    Examples
    --------
    >>> import pytensor.tensor as pt
    >>> from pymc_bnn.samplers.potential.constants import constant_values
    >>> [float(value) for value in constant_values([pt.constant(2.0) ** 2])]
    [4.0]
    """
    return in_python([], expressions)()
