"""Where the variables of a block lie in its vector."""

from collections.abc import Iterable

import numpy as np
import pymc as pm
from pymc.blocking import PointType
from pytensor.graph.basic import Variable

from ...models.data.choices import choose
from ..compiled.memory import initial_point


class Layout:
    """Joins some value variables of a model to one vector and back.

    The variables are taken in the order of ``model.value_vars``, whatever order they are named
    in: PyMC evaluates a model in that order.

    Parameters
    ----------
    model : pm.Model
        The model.
    names : iterable of str
        Names of value variables.

    Attributes
    ----------
    names : tuple of str
        The names, in order.
    slices : dict of str to slice
        Where each variable lies.
    size : int
        Length of the vector.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.potential.layout import Layout
    >>> with pm.Model() as model:
    ...     _ = pm.Normal("a", shape=2), pm.Normal("b")
    >>> Layout(model, ["b", "a"]).slices
    {'a': slice(0, 2, None), 'b': slice(2, 3, None)}
    """

    def __init__(self, model: pm.Model, names: Iterable[str]):
        chosen = set(names)
        point = initial_point(model)
        self.names = tuple(v.name for v in model.value_vars if v.name in chosen)
        self.shapes = {name: np.shape(point[name]) for name in self.names}
        self.slices: dict[str, slice] = {}
        self.size = 0
        for name, shape in self.shapes.items():
            start, self.size = self.size, self.size + int(np.prod(shape))
            self.slices[name] = slice(start, self.size)

    def ravel(self, point: PointType) -> np.ndarray:
        """Join the variables of a point to one vector."""
        if not self.names:
            return np.empty(0)
        return np.concatenate([point[name].ravel() for name in self.names])

    def unravel(self, q: np.ndarray, point: PointType) -> PointType:
        """Copy a point, in its own order of variables, with these variables replaced."""
        changed = point.copy()
        for name, where in self.slices.items():
            changed[name] = q[where].reshape(self.shapes[name])
        return changed


def value_names(
    model: pm.Model, variables: Iterable | Variable, argument: str = "vars"
) -> list[str]:
    """Names of value variables, from names, random variables or value variables.

    Parameters
    ----------
    model : pm.Model
        The model.
    variables : iterable of str or Variable
        What a user gave; a single one is fine.
    argument : str
        Which argument it was, for the message.

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        If there is none, or one of them is not a free variable of the model.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.potential.layout import value_names
    >>> with pm.Model() as model:
    ...     tau = pm.Gamma("tau", 1, 1)
    >>> value_names(model, [tau])
    ['tau_log__']
    """
    if isinstance(variables, str | Variable):
        variables = [variables]
    if not isinstance(variables, Iterable):
        raise ValueError(f"{argument}={variables!r}: give names of variables.")
    known = {rv.name: model.rvs_to_values[rv].name for rv in model.free_RVs}
    known |= {value: value for value in known.values()}
    given = [getattr(variable, "name", variable) for variable in variables]
    if not given:
        raise ValueError(f"{argument}={variables!r}: name a variable, or leave it out.")
    return [known[choose(f"variable in {argument}", name, known)] for name in given]
