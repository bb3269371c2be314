"""Which variables of a block walls reflect, how far a step may take them, and where they belong."""

from collections.abc import Sequence

import numpy as np
import pymc as pm

from ...models.priors.reflection import Reflected
from ..potential.layout import Layout


class ReflectingWalls:
    """Variables of a block between walls that reflect.

    Their coordinates run over mirrored copies of the interval (see
    :mod:`pymc_bnn.models.priors.reflection`). Where the target is flat every trajectory is
    accepted, so that warm-up would make steps longer without end, until a coordinate is too large
    to tell two points of an interval apart. A step is therefore no longer than an interval for a
    momentum of 1, and draws are brought back to the first copy.

    Parameters
    ----------
    model : pm.Model
        The model.
    layout : Layout
        Where the variables of the block lie in its vector.

    Attributes
    ----------
    widths : ndarray, shape (size,)
        Widths of the intervals; infinite for variables without such walls.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn.models.priors.reflection import Reflected
    >>> from pymc_bnn.samplers.potential.layout import Layout
    >>> from pymc_bnn.samplers.step_sizes.reflecting_walls import ReflectingWalls
    >>> with pm.Model() as model:
    ...     _ = pm.Normal("a"), pm.Uniform("b", -1, 1, default_transform=Reflected(-1, 1))
    >>> walls = ReflectingWalls(model, Layout(model, ["a", "b_reflected__"]))
    >>> walls.limited(np.array([9.0, 9.0])), walls.folded(np.array([3.5, 3.5]))
    (array([9., 2.]), array([ 3.5, -0.5]))
    """

    def __init__(self, model: pm.Model, layout: Layout):
        self.lower, self.widths = np.zeros(layout.size), np.full(layout.size, np.inf)
        for name, transform in reflected(model, layout.names).items():
            where = layout.slices[name]
            self.lower[where] = transform.lower
            self.widths[where] = transform.upper - transform.lower
        self.where = np.flatnonzero(np.isfinite(self.widths))

    def __bool__(self) -> bool:
        return self.where.size > 0

    def limited(self, step_sizes: np.ndarray) -> np.ndarray:
        """Step sizes, shape (size,), none of them longer than its interval."""
        return np.minimum(step_sizes, self.widths) if self else step_sizes

    def bound(self, step_sizes: np.ndarray) -> bool:
        """Whether all step sizes would be longer than they may be, so that more is no longer."""
        return bool(self) and bool((step_sizes >= self.widths).all())

    def folded(self, q: np.ndarray) -> np.ndarray:
        """The same point in the first copy (Neal 1992, Eqs. 28-29), shape (size,)."""
        if not self:
            return q
        q, lower, width = q.copy(), self.lower[self.where], self.widths[self.where]
        distance = np.mod(q[self.where] - lower, 2 * width)
        q[self.where] = lower + width - np.abs(distance - width)
        return q


def reflected(model: pm.Model, names: Sequence[str]) -> dict[str, Reflected]:
    """Transforms of those value variables that walls reflect, by their names."""
    chosen = set(names)
    values = [v for v in model.value_vars if v.name in chosen]
    transforms = {v.name: model.rvs_to_transforms[model.values_to_rvs[v]] for v in values}
    return {name: t for name, t in transforms.items() if isinstance(t, Reflected)}


def check_not_reflected(model: pm.Model, names: Sequence[str], asks: str) -> None:
    """Refuse variables between walls that reflect, for what is not the same in all copies.

    Parameters
    ----------
    model : pm.Model
        The model.
    names : sequence of str
        Value variables of the block.
    asks : str
        What it is that needs one copy, for the message.

    Raises
    ------
    ValueError
        If there is such a variable.
    """
    values = {v.name: model.values_to_rvs[v].name for v in model.value_vars}
    if found := [str(values[name]) for name in reflected(model, names)]:
        raise ValueError(
            f"{asks} is not the same in all copies of {', '.join(found)}, which walls reflect; "
            "use StaticHMC without it, or NUTS, with a metric that is not dense."
        )
