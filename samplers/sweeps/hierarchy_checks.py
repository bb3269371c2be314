"""What a sweep takes a network's precisions for, held against PyTensor's graph of the model."""

import numpy as np
from pymc.blocking import PointType

from ...models.bnn import BNN
from ..compiled import engine
from ..compiled.memory import initial_point
from ..potential.agreement import (
    DisagreementError,
    check_conditionals,
    density_of,
    random_points,
)
from ..potential.conditional import Conditional
from ..potential.layout import Layout
from ..potential.network_potential import squares_entry
from ..potential.rest import SQUARES
from ..precisions.hierarchy import Hierarchy
from .gibbs import conditional_parameters


def check_hierarchy(
    conditional: Conditional, hierarchy: Hierarchy, precisions: Layout, step: str
) -> None:
    """Compare compiled shapes and rates of a network's precisions with the model's graph.

    Parameters
    ----------
    conditional : Conditional
        The block of all weights, with the fused likelihood.
    hierarchy : Hierarchy
        Which precision scales what.
    precisions : Layout
        Where the log precisions lie in their vector.
    step : str
        Which step asks, for the message.

    Raises
    ------
    DisagreementError
        If they differ; the message names the precision.
    """
    compiled = engine.specialize(conditional_parameters)
    entries = {SQUARES: squares_entry(conditional.model.activation)}

    def parameters(point: PointType) -> tuple[np.ndarray, np.ndarray]:
        data = conditional.network_data(conditional.parameters(point), entries)
        return compiled(conditional.layout.ravel(point), hierarchy, data)

    check_conditionals(conditional.model, precisions, parameters, step)
    if hierarchy.interweaved.size:
        check_moves(conditional.model, hierarchy, precisions, step)


def check_moves(model: BNN, hierarchy: Hierarchy, precisions: Layout, step: str) -> None:
    """Refuse moves of precisions with weights where more of the model's graph depends on them.

    Parameters
    ----------
    model : BNN
        The network.
    hierarchy : Hierarchy
        Which precisions move with which weights.
    precisions : Layout
        Where the log precisions lie in their vector.
    step : str
        Which step asks, for the message.

    Raises
    ------
    DisagreementError
        If a term other than a precision's own prior and those of weights changes with it.
    """
    density, point = density_of(model), [*random_points(model), initial_point(model)][0]
    before = density(point).terms
    weights = {str(variable.name) for variable in model.declaration.weights.values()}
    for name, where in precisions.slices.items():
        moving = np.isin(np.arange(where.start, where.stop), hierarchy.moves.precision)
        if not moving.any():
            continue
        shift = 0.5 * moving.reshape(np.shape(point[name]))
        after = density({**point, name: point[name] + shift}).terms
        own = name.removesuffix("_log__")
        for term in before.keys() - weights - {own}:
            if not np.isclose(before[term], after[term], rtol=1e-12, atol=0.0):
                raise DisagreementError(
                    f"{step}: {term} depends on {own}, which would move with its weights alone; "
                    "leave these moves out by interweave=False, and report this model."
                )
