"""What every prior of a group of weights has in common."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import isabstract
from typing import Any, ClassVar

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable

from ..class_digest import agrees, class_digest, full_name, is_ours
from ..data.choices import choose
from .settings import settings

CODE = "__code__"  # of a description: digest of a user's class


@dataclass(frozen=True)
class Group:
    """A group of weights: all those between two layers, or the biases of one.

    Parameters
    ----------
    name : str
        ``w0, b0, w1, b1, ...``: weights and biases of layer 0, 1, ...
    shape : tuple of int
        (source units, target units) for weights, (target units,) for biases.
    dims : tuple of str
        Names of these dimensions.
    fan_in : int
        Number of source units of the layer.
    """

    name: str
    shape: tuple[int, ...]
    dims: tuple[str, ...]
    fan_in: int

    @property
    def is_bias(self) -> bool:
        """Whether the group holds biases."""
        return len(self.shape) == 1


class Prior(ABC):
    """Prior of a group of weights: normal given the scale it declares, unless it says otherwise."""

    registry: ClassVar[dict[str, list[type["Prior"]]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        [known, *_] = Prior.registry.get(cls.__name__, [cls])
        if known.__module__ != cls.__module__:
            raise TypeError(
                f"{cls.__module__}.{cls.__qualname__}: pymc_bnn has a prior of this name, and "
                "saved fits name it; give yours another name."
            )
        Prior.registry.setdefault(full_name(cls), []).append(cls)

    @abstractmethod
    def scale(self, group: Group) -> TensorVariable | np.float64:
        """Declare the hyperparameters of one group and return its standard deviation.

        Parameters
        ----------
        group : Group
            The weights that get the prior.

        Returns
        -------
        TensorVariable or float
            Prior standard deviation of the weights, broadcastable to ``group.shape``.
        """

    def declare(
        self, group: Group, scale: TensorVariable | np.float64, parametrization: str
    ) -> TensorVariable:
        """Declare the weights of a group in the model at hand: normal ones, of a given scale.

        A prior that is not normal overrides this. What it declares stays a PyTensor graph.

        Parameters
        ----------
        group : Group
            The weights.
        scale : TensorVariable or float
            What :meth:`scale` returned for them.
        parametrization : {"centered", "noncentered"}
            Whether the free variables are the weights, or weights in units of their scale.

        Returns
        -------
        TensorVariable
            The weights.
        """
        zero, one = np.float64(0), np.float64(1)
        if parametrization == "centered":
            return pm.Normal(group.name, zero, scale, dims=group.dims)
        raw = pm.Normal(f"{group.name}_raw", zero, one, dims=group.dims)
        return pm.Deterministic(group.name, raw * scale, dims=group.dims)

    def initial(self, group: Group, rng: np.random.Generator, spread: float = 1.0) -> np.ndarray:
        r"""Draw weights to start from, as networks are commonly initialised.

        Parameters
        ----------
        group : Group
            The weights.
        rng : Generator
            Where the random numbers come from.
        spread : float
            Factor of their size.

        Returns
        -------
        ndarray, shape ``group.shape``
            Normal, with standard deviation ``spread`` times :math:`1 / \sqrt{N_\mathrm{in}}`. A
            prior whose weights are bounded overrides it with weights from its support; until it
            does, they start within 1 of their initial values, on the unconstrained scale.
        """
        return rng.normal(scale=spread / np.sqrt(group.fan_in), size=group.shape)

    def initial_values(
        self, group: Group, rng: np.random.Generator, spread: float, parametrization: str
    ) -> dict[str, np.ndarray]:
        """Draw values to start from for other free variables than the weights themselves.

        What is not here starts within 1 of its initial value, on the unconstrained scale. A prior
        where that is far from moderate weights overrides this.

        Parameters
        ----------
        group : Group
            The weights.
        rng : Generator
            Where the random numbers come from.
        spread : float
            Factor of the weights' size.
        parametrization : {"centered", "noncentered"}
            That of the network.

        Returns
        -------
        dict of str to ndarray
            Values of value variables, by the names of their random variables.
        """
        return {}

    @abstractmethod
    def words(self) -> str:
        """Say the prior in words, for reports."""

    def to_dict(self) -> dict[str, Any]:
        """Describe the prior in JSON-able values, and one that a user wrote by its code too."""
        kind = type(self)
        code = {} if is_ours(kind) else {CODE: class_digest(kind)}
        return {"name": full_name(kind), **settings(self), **code}

    @staticmethod
    def from_dict(description: Mapping[str, Any]) -> "Prior":
        """Rebuild a prior from :meth:`to_dict`.

        Raises
        ------
        ValueError
            If there is none of this name, or a user's class has other code than it had then.
        """
        arguments = dict(description)
        name, code = arguments.pop("name"), arguments.pop(CODE, None)
        alike = [one for one in Prior.registry if one.rpartition(".")[2] == name]
        if name not in Prior.registry and len(alike) == 1:  # fits of old tell no modules
            [name] = alike
        name = choose("prior", name, Prior.registry)
        kinds = Prior.registry[name]
        # the newest that is whole: what unpickles a class begins with an empty one
        kind = next((one for one in reversed(kinds) if not isabstract(one)), kinds[-1])
        if code is not None and not agrees(code, kind):
            raise ValueError(
                f"the prior {name} has other code than when it was described; define it as it was "
                "then, or build the model anew and use its functions with the draws."
            )
        return kind(**arguments)


def gamma_precision(
    name: str, sd: float, alpha: float, dims: tuple[str, ...] | None = None
) -> TensorVariable:
    r"""Declare a precision with the gamma prior of Choo (2000), Eq. 3.7.

    .. math:: \tau \sim \mathrm{Gamma}(\text{shape}=\alpha/2,
              \text{rate}=\alpha / (2 \omega)), \quad \omega = \mathrm{sd}^{-2}

    Its mean is :math:`\omega`; a small :math:`\alpha` makes it vague.

    Parameters
    ----------
    name : str
        Name of the variable.
    sd : float
        Typical standard deviation that the precision stands for, in the unit of the weights.
    alpha : float
        Shape of the prior, as degrees of freedom.
    dims : tuple of str, optional
        Dimensions, for one precision per unit; a scalar otherwise.

    Returns
    -------
    TensorVariable
        The precision.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.models.priors.base import gamma_precision
    >>> with pm.Model() as model:
    ...     tau = gamma_precision("tau", sd=0.1, alpha=0.5)
    >>> [variable.name for variable in model.free_RVs]
    ['tau']
    """
    shape = np.float64(alpha) / 2
    return pm.Gamma(name, alpha=shape, beta=shape * np.float64(sd) ** 2, dims=dims)
