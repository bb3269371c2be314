"""The distribution of all targets whose noise has a precision that is integrated out.

``pm.CustomDist`` makes a class for each variable, of whose density another process knows nothing
when it reads a pickled model. This class stands in a module, which a process imports.
"""

from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pymc.distributions.distribution import SymbolicRandomVariable
from pymc.distributions.shape_utils import implicit_size_from_params, rv_size_is_none
from pymc.pytensorf import normalize_rng_param
from pytensor.tensor.random.utils import normalize_size_param
from pytensor.tensor.variable import TensorVariable


class JointNoiseRV(SymbolicRandomVariable):
    """Draws of all targets, with one precision of their noise from its prior."""

    name = "joint_noise"
    extended_signature = "[rng],[size],(n,k),(),()->[rng],(n,k)"
    _print_name = ("JointNoise", r"\operatorname{JointNoise}")

    @classmethod
    def rv_op(cls, *parameters: Any, size: Any = None, rng: Any = None) -> TensorVariable:
        """Build the graph of a draw from outputs, ``m0`` and ``s0``."""
        f, m0, s0 = map(pt.as_tensor, parameters)
        rng, size = normalize_rng_param(rng), normalize_size_param(size)
        if rv_size_is_none(size):  # each batch of outputs has a precision of its own
            size = implicit_size_from_params(f, m0, s0, ndims_params=cls.ndims_params)
        gamma = {"rng": rng, "size": size, "return_next_rng": True}
        then, precision = pt.random.gamma(shape=m0 / 2, scale=2 / s0, **gamma)
        sd = precision[..., None, None] ** -0.5
        last, y = pt.random.normal(f, sd * pt.ones_like(f), rng=then, return_next_rng=True)
        inputs = [rng, size, f, m0, s0]
        return cls(inputs=inputs, outputs=[last, y])(*inputs)


class JointNoise(pm.Continuous):
    r"""Targets of all cases together, a multivariate t (Neal 1992, Eq. 33).

    Parameters
    ----------
    f : TensorVariable, shape (cases, outputs)
        Outputs of the network.
    m0, s0 : float
        Of the gamma prior of the precision: shape :math:`m_0 / 2` and rate :math:`s_0 / 2`.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn.models.likelihoods.joint_noise import JointNoise
    >>> y = JointNoise.dist(np.zeros((2, 1)), 3.0, 3.0)
    >>> round(float(pm.logp(y, np.zeros((2, 1))).eval()), 3)
    -1.838
    """

    rv_type = JointNoiseRV
    rv_op = JointNoiseRV.rv_op

    @classmethod
    def dist(cls, f: Any, m0: Any, s0: Any, **kwargs: Any) -> TensorVariable:
        """Make a variable that belongs to no model."""
        return super().dist([f, m0, s0], **kwargs)

    @staticmethod
    def support_point(rv: Any, size: Any, f: Any, m0: Any, s0: Any) -> TensorVariable:
        """Give the outputs themselves."""
        return pt.broadcast_to(f, rv.shape)

    @staticmethod
    def logp(y: TensorVariable, f: TensorVariable, m0: Any, s0: Any) -> TensorVariable:
        """Log density of all targets together."""
        m, squares = y.shape[-2] * y.shape[-1], ((y - f) ** 2).sum(axis=(-2, -1))
        constant = pt.gammaln((m0 + m) / 2) - pt.gammaln(m0 / 2) - m / 2 * pt.log(np.pi * s0)
        return constant - (m0 + m) / 2 * pt.log1p(squares / s0)
