r"""Step sizes of network weights from the curvature that the hyperparameters imply.

.. math:: \epsilon_i = \eta \left( \frac{\partial^2 E}{\partial q_i^2} \right)^{-1/2}

(Choo 2000, Eq. 2.18; Neal 1995, 3.2.2). The second derivative is estimated from hyperparameters
and inputs alone, which stay fixed along a trajectory; using the weights themselves would make the
trajectory irreversible. At the outputs it is that of the likelihood; it travels backwards with
each weight's square replaced by its prior variance (Choo 2000, Eqs. 4.30-4.34).
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from functools import cached_property

import numpy as np
import pymc as pm

from ...models.bnn import BNN
from ...models.simd.kernels import jit
from ..compiled import engine
from ..potential.conditional import Conditional
from ..potential.parameters import Parameters
from ..potential.recognition import is_network, weight_values


def neal_step_sizes(
    precision, variance, scale, squares, output_curvature, layout, slope, mean_square
):
    r"""Curvature-based step sizes of a block that holds a network's weights.

    The curvature of component ``i`` is :math:`\tau_i + s_i^2 \, c_j \sum_c E[h_{ci}^2]`: its
    prior precision, and for a weight from unit ``i`` to unit ``j`` the likelihood's curvature
    :math:`c_j` at unit ``j`` times the mean square of unit ``i`` over the cases (4.30-4.31).
    Backwards, :math:`c_i = \max|\phi'|^2 \sum_j c_j E[w_{ij}^2]` (4.33-4.34).

    Parameters
    ----------
    precision : ndarray, shape (size,)
        Prior precisions of the components.
    variance : ndarray, shape (size,)
        Prior variances of the network weights they stand for.
    scale : ndarray, shape (size,)
        Network weight per unit of each component.
    squares : ndarray, shape (1 + inputs,)
        Number of cases, then the sum of squares of each input.
    output_curvature : ndarray, shape (outputs,) or (1,)
        Second derivative of a case's energy by each output.
    layout : tuple of ndarray
        Units of each layer, start of each layer's weights, start of its biases or -1.
    slope : float
        Largest slope of the activation.
    mean_square : tuple of float
        Mean square of a hidden unit, as (multiple of its variance, constant).

    Returns
    -------
    ndarray, shape (size,)
        Step sizes for :math:`\eta = 1`.
    """
    sizes, weights_at, bias_at = layout
    layers = sizes.size - 1
    widest = 0
    for size in sizes:
        widest = max(widest, size)
    room = np.empty((layers + 2, widest))
    means, curvature, below = room[:layers], room[layers], room[layers + 1]
    fill_means(means, variance, squares, layout, mean_square)
    for k in range(sizes[layers]):
        curvature[k] = output_curvature[k if output_curvature.size > 1 else 0]
    result = precision.copy()
    for layer in range(layers - 1, -1, -1):
        sources, targets = sizes[layer], sizes[layer + 1]
        for i in range(sources):
            first = weights_at[layer] + i * targets
            for j in range(targets):
                result[first + j] += scale[first + j] ** 2 * curvature[j] * means[layer, i]
        if bias_at[layer] >= 0:
            for j in range(targets):
                at = bias_at[layer] + j
                result[at] += scale[at] ** 2 * curvature[j] * squares[0]
        if layer > 0:
            for i in range(sources):
                total = 0.0
                for j in range(targets):
                    total += curvature[j] * variance[weights_at[layer] + i * targets + j]
                below[i] = slope**2 * total
            curvature, below = below, curvature
    for k in range(result.size):
        result[k] = 1.0 / np.sqrt(result[k])
    return result


@jit
def fill_means(means, variance, squares, layout, mean_square):
    """Sum over cases of each source unit's mean square, for each layer."""
    sizes, weights_at, bias_at = layout
    cases = squares[0]
    for i in range(sizes[0]):  # an assignment to a slice takes numba seconds to compile
        means[0, i] = squares[1 + i]
    for layer in range(sizes.size - 2):
        for j in range(sizes[layer + 1]):
            means[layer + 1, j] = mean_square[1] * cases
        if mean_square[0] == 0.0:
            continue
        for j in range(sizes[layer + 1]):
            total = cases * variance[bias_at[layer] + j] if bias_at[layer] >= 0 else 0.0
            for i in range(sizes[layer]):
                total += means[layer, i] * variance[weights_at[layer] + i * sizes[layer + 1] + j]
            means[layer + 1, j] += mean_square[0] * total


class NealStepSizes:
    """Step sizes of a network's weights at the current hyperparameters.

    Parameters
    ----------
    conditional : Conditional
        A block that holds all weights of a :class:`pymc_bnn.models.BNN`.

    Raises
    ------
    ValueError
        If the model is not such a network.
    """

    def __init__(self, conditional: Conditional):
        check_network(conditional.model, conditional.layout.names)
        check_normal(conditional)
        self.conditional = conditional
        self._squares = np.empty(0)
        self.look_anew()

    @cached_property
    def _compute(self) -> Callable[..., np.ndarray]:
        return engine.specialize(neal_step_sizes)

    def look_anew(self) -> None:
        """Have the squares computed anew, also of the same array, which may have been changed."""
        self._squares_of: np.ndarray | None = None

    def squares(self) -> np.ndarray:
        """Number of cases, then the sum of squares of each input."""
        X = self.conditional.model["X"].get_value(borrow=True)
        if X is not self._squares_of:
            self._squares_of = X
            self._squares = np.concatenate([[float(len(X))], (X**2).sum(axis=0)])
        return self._squares

    def __call__(self, parameters: Parameters) -> np.ndarray:
        """Step sizes for a factor of 1, shape (size,)."""
        activation = self.conditional.model.activation
        scale = parameters.scale
        return self._compute(
            parameters.precision,
            scale**2 / parameters.precision,
            scale,
            self.squares(),
            self.conditional.power * parameters.curvature,
            self.conditional.network_layout,
            activation.largest_slope,
            activation.mean_square,
        )


def check_network(model: pm.Model, names: tuple[str, ...]) -> None:
    """Refuse a block that does not hold all weights of a network, and say what to do."""
    if not (isinstance(model, BNN) and is_network(model)):
        raise ValueError(
            'step_sizes="neal" needs a pymc_bnn network of layers; use step_sizes="adapt" here.'
        )
    needed = weight_values(model)
    if set(names) != set(needed):
        raise ValueError(
            f'step_sizes="neal" needs vars to be all weights, {", ".join(sorted(needed))}; '
            'leave vars out, or use step_sizes="adapt".'
        )


def check_normal(conditional: Conditional) -> None:
    """Refuse weights whose prior has no curvature of its own."""
    if other := [name for name in conditional.layout.names if name not in conditional.normal]:
        raise ValueError(
            f'step_sizes="neal" needs normal priors, which {", ".join(other)} have not; use '
            'step_sizes="adapt".'
        )
