"""Expressions of a model that are the same at every point."""

from collections.abc import Iterable, Sequence

import numpy as np
import pymc as pm
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Variable
from pytensor.graph.traversal import ancestors
from pytensor.tensor.random.type import RandomType

from ..compiled.interpreted import in_python


def data_of(model: pm.Model) -> list[Variable]:
    """What a model's density depends on and a user may change between two runs.

    Parameters
    ----------
    model : pm.Model
        The model.

    Returns
    -------
    list of Variable
        Its data containers, and shared variables of PyTensor.

    Examples
    --------
    >>> import pymc as pm
    >>> import pytensor
    >>> from pymc_bnn.samplers.potential.constants import data_of
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x", 0.0, pytensor.shared(2.0, name="sd"))
    >>> data_of(model)
    [sd]
    """
    shared = [v for v in ancestors([*model.basic_RVs, *model.potentials]) if _is_number(v)]
    return list(dict.fromkeys([*model.data_vars, *shared]))


def _is_number(variable: Variable) -> bool:
    """Whether a variable is shared and no generator of random numbers."""
    return isinstance(variable, SharedVariable) and not isinstance(variable.type, RandomType)


def is_constant(expressions: Iterable[Variable], model: pm.Model) -> bool:
    """Whether expressions depend on no variable and no data of a model."""
    return set(ancestors(expressions)).isdisjoint([*model.value_vars, *data_of(model)])


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
