"""Activation functions of hidden units, each with what samplers and predictions need to know.

One activation is one :class:`Activation` value; :data:`ACTIVATIONS` registers it by name.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytensor.tensor as pt
from scipy.special import expit

from .data.choices import choose
from .simd import elementary
from .simd.lanes import larger, where_greater
from .simd.linked import linked

Scalar = Callable[[float], float]

_inline = linked(inline="always")


@dataclass(frozen=True)
class Activation:
    r"""One activation function :math:`h = \phi(g)`.

    Parameters
    ----------
    name : str
        Its name in ``models.BNN(activation=...)``.
    symbolic : callable
        :math:`\phi` on PyTensor variables.
    symbolic_slope : callable
        :math:`\phi'(g)` on PyTensor variables, computed from the *output* ``h``.
    array : callable
        :math:`\phi` on NumPy arrays.
    value : callable
        :math:`\phi` of one number or of :mod:`lanes <.lanes>`, compiled, without branches.
    slope : callable
        :math:`\phi'(g)` of the same, compiled, computed from the *output* ``h``.
    largest_slope : float
        :math:`\max |\phi'|`, which bounds how a second derivative travels backwards
        (Choo 2000, Eq. 4.33). Of a step, for which nothing bounds it, that of tanh, which leads to
        moves of a useful size.
    mean_square : tuple of float
        ``(a, c)``: a rough prior mean of :math:`h^2` is ``a * variance(g) + c``. For bounded
        units it is their bound 1 (Choo 2000, Eq. 4.30).
    continuous : bool
        Whether gradients say how the energy changes. Moves that are accepted by the energy are
        right without, as any slope makes a reversible trajectory; moves that are not are wrong.
    """

    name: str
    symbolic: Callable
    symbolic_slope: Callable
    array: Callable
    value: Scalar
    slope: Scalar
    largest_slope: float
    mean_square: tuple[float, float]
    continuous: bool = True


@_inline
def _tanh_slope(h):
    return (1.0 - h) * (1.0 + h)


@_inline
def _logistic_slope(h):
    return h * (1.0 - h)


@_inline
def _relu(g):
    return larger(g, 0.0)


@_inline
def _relu_slope(h):
    return where_greater(h, 0.0, 1.0, 0.0)


@_inline
def _softplus_slope(h):
    return 0.0 - elementary.expm1_nonpositive(0.0 - h)


@_inline
def _step(g):
    return where_greater(g, 0.0, 1.0, where_greater(1.0 - g, 0.0, -1.0, g))  # NaN is passed on


@_inline
def _step_slope(h):
    return 0.0


@_inline
def _identity(g):
    return g


@_inline
def _identity_slope(h):
    return 1.0


TANH = Activation(
    name="tanh",
    symbolic=pt.tanh,
    symbolic_slope=lambda h: 1 - h**2,
    array=np.tanh,
    value=elementary.tanh,
    slope=_tanh_slope,
    largest_slope=1.0,
    mean_square=(0.0, 1.0),
)
LOGISTIC = Activation(
    name="logistic",
    symbolic=pt.sigmoid,
    symbolic_slope=lambda h: h * (1 - h),
    array=expit,
    value=elementary.logistic,
    slope=_logistic_slope,
    largest_slope=0.25,
    mean_square=(0.0, 1.0),
)
RELU = Activation(
    name="relu",
    symbolic=lambda g: pt.maximum(g, np.float64(0)),
    symbolic_slope=lambda h: pt.gt(h, 0).astype("float64"),
    array=lambda g: np.maximum(g, 0.0),
    value=_relu,
    slope=_relu_slope,
    largest_slope=1.0,
    mean_square=(0.5, 0.0),
)
SOFTPLUS = Activation(
    name="softplus",
    symbolic=pt.softplus,
    symbolic_slope=lambda h: -pt.expm1(-h),
    array=lambda g: np.logaddexp(0.0, g),
    value=elementary.softplus,
    slope=_softplus_slope,
    largest_slope=1.0,
    mean_square=(0.5, float(np.log(2.0)) ** 2),
)
STEP = Activation(
    name="step",
    symbolic=lambda g: pt.switch(pt.gt(g, 0), np.float64(1), pt.switch(pt.le(g, 0), -1.0, g)),
    symbolic_slope=pt.zeros_like,
    array=lambda g: np.where(g > 0, 1.0, np.where(g <= 0, -1.0, g)),
    value=_step,
    slope=_step_slope,
    largest_slope=1.0,
    mean_square=(0.0, 1.0),
    continuous=False,
)
IDENTITY = Activation(
    name="identity",
    symbolic=lambda g: g,
    symbolic_slope=pt.ones_like,
    array=lambda g: g,
    value=_identity,
    slope=_identity_slope,
    largest_slope=1.0,
    mean_square=(1.0, 0.0),
)

ACTIVATIONS = {a.name: a for a in (TANH, RELU, LOGISTIC, SOFTPLUS, IDENTITY, STEP)}


def activation(name: str) -> Activation:
    """Look an activation up by its name.

    Parameters
    ----------
    name : {"tanh", "relu", "logistic", "softplus", "identity", "step"}
        The activation.

    Returns
    -------
    Activation

    Raises
    ------
    ValueError
        If there is no such activation; the message says the nearest one.

    Examples
    --------
    >>> from pymc_bnn.models.activations import activation
    >>> activation("tanh").largest_slope
    1.0
    """
    return ACTIVATIONS[choose("activation", name, ACTIVATIONS)]
