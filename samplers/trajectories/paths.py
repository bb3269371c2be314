"""States along one long trajectory of a network's weights, with all precisions held."""

from collections.abc import Callable

import numpy as np
from pymc.blocking import PointType

from ...models.bnn import BNN
from ..dynamics.leapfrog import compile_leapfrog
from ..potential.conditional import Conditional
from ..potential.recognition import weight_values
from ..step_sizes.curvature import NealStepSizes

Follow = Callable[[PointType, float, np.random.Generator, int, int], list[PointType]]


def compile_path(model: BNN) -> Follow:
    """Compile trajectories that are looked at on their way (Neal 1995, 3.3, Fig. 3.4).

    Parameters
    ----------
    model : BNN
        A network whose weights are normal given its hyperparameters.

    Returns
    -------
    callable
        ``(point, factor, rng, every, count)`` to ``count + 1`` points, the first of them the
        given one, ``every`` leapfrogs apart; step sizes are ``factor`` times those of
        :class:`.NealStepSizes`, and ``rng`` draws the momentum.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.samplers.trajectories.paths import compile_path
    >>> model = models.gaussian(np.eye(3), np.arange(3.0), hidden=(2,))
    >>> follow = compile_path(model)
    >>> len(follow(model.initial_point(0), 0.1, np.random.default_rng(1), 10, 5))
    6
    """
    block = Conditional(model, weight_values(model))
    rest, neal = block.compile_rest(gradient=True), NealStepSizes(block)
    run, layout = compile_leapfrog(block, rest), block.layout

    def follow(
        point: PointType, factor: float, rng: np.random.Generator, every: int, count: int
    ) -> list[PointType]:
        parameters = block.parameters(point)
        sizes, data = factor * neal(parameters), block.data(rest, point, parameters)
        q = layout.ravel(point)
        p = rng.standard_normal(q.size)
        points = [point]
        for _ in range(count):
            end = run(q, p, sizes, every, parameters.mean, parameters.precision, data)
            q, p = end.position, end.momentum
            points.append(layout.unravel(q, point))
        return points

    return follow
