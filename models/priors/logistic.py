"""Logistic prior, whose scale is unknown; in coordinates in which all of it is uniform."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
from pytensor.tensor.variable import TensorVariable

from ..bnn import BNN
from .base import Group, Prior
from .reflection import Reflected

SD = np.float64(np.pi / np.sqrt(3.0))  # of the standard logistic distribution
LEVELS = 0.0, 1.0
GROUP = r"[wb]\d+|skip"  # names of groups, without that of their network


@dataclass(frozen=True)
class Logistic(Prior):
    r"""Logistic weights of an unknown scale (Neal 1992, Eqs. 28-29).

    .. math:: w_i = \frac{s}{1 - s} \log \frac{a_i}{1 - a_i}, \qquad
              s \sim U(0, 1), \quad a_i \sim U(0, 1)

    The logistic distribution of scale :math:`s / (1 - s)` has the shape of a normal one of standard
    deviation :math:`\frac{\pi}{\sqrt 3} \frac{s}{1 - s}`, with heavier tails. With
    ``parametrization="noncentered"`` the free variables of a group ``w0`` are the report's:
    ``w0_raw``, the levels :math:`a_i`, and ``w0_scale_level``, the level :math:`s`. Their
    coordinates run over the whole line, through mirrored copies of the interval (see
    :class:`.reflection.Reflected`), and the prior has no part in the energy. With ``"centered"``
    the weights themselves are free. ``w0_scale`` is :math:`s / (1 - s)`.

    Parameters
    ----------
    scale_of : str, optional
        Group of weights whose scale this one has too, ``"w1"`` for example: one before it, with a
        logistic prior. With the name of the first group, one prior for all groups gives all of them
        one scale. By default a group has a scale of its own.

    Examples
    --------
    The report's three scales: of the weights of the inputs, of the hidden biases, and of all
    weights of the outputs.

    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> own = models.Logistic()
    >>> prior = {"w0": own, "b0": own, "w1": own, "b1": models.Logistic(scale_of="w1")}
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> model = models.logistic(
    ...     X, X[:, 0] ** 2, hidden=(4,), prior=prior, parametrization="noncentered"
    ... )
    >>> [variable.name for variable in model.free_RVs if "level" in variable.name]
    ['w0_scale_level', 'b0_scale_level', 'w1_scale_level']
    """

    scale_of: str | None = None

    def __post_init__(self) -> None:
        given = self.scale_of
        if given is not None and not (isinstance(given, str) and re.fullmatch(GROUP, given)):
            raise ValueError(
                f"Logistic(scale_of={given!r}): give the name of a group such as 'w0', or leave it "
                "out."
            )

    def scale(self, group: Group) -> TensorVariable:
        """Declare the scale of the group, or find that of another, and return the sd."""
        prefix, own = _parts(group)
        owner = self.scale_of or own
        if owner != own:
            return SD * _declared(f"{prefix}{owner}_scale", own, owner)
        level = pm.Uniform(
            f"{group.name}_scale_level", *LEVELS, default_transform=Reflected(*LEVELS)
        )
        return SD * pm.Deterministic(f"{group.name}_scale", level / (1.0 - level))

    def declare(
        self, group: Group, scale: TensorVariable | np.float64, parametrization: str
    ) -> TensorVariable:
        """Declare the weights of a group."""
        unit = scale / SD
        if parametrization == "centered":
            return pm.Logistic(group.name, np.float64(0), unit, dims=group.dims)
        level = pm.Uniform(
            f"{group.name}_raw", *LEVELS, dims=group.dims, default_transform=Reflected(*LEVELS)
        )
        return pm.Deterministic(group.name, unit * pm.math.logit(level), dims=group.dims)

    def initial_values(
        self, group: Group, rng: np.random.Generator, spread: float, parametrization: str
    ) -> dict[str, np.ndarray]:
        r"""Draw levels of weights of sd ``spread`` times :math:`1 / \sqrt{N_\mathrm{in}}`.

        A uniform level of the scale would make units so steep that no chain comes back.
        """
        weights, scale = level_names(self, group)
        size = spread / np.sqrt(group.fan_in) / SD
        own = self.scale_of in (None, _parts(group)[1])
        found = {scale: np.asarray(size / (1.0 + size))} if own else {}
        if parametrization == "noncentered":
            found[weights] = rng.uniform(*LEVELS, size=group.shape)
        return found

    def words(self) -> str:
        """Say the prior in words."""
        if self.scale_of is not None:
            return f"logistic, of the scale of {self.scale_of}"
        return "logistic, one scale s / (1 - s) per group, s ~ uniform(0, 1)"


def level_names(prior: Logistic, group: Group) -> tuple[str, str]:
    """Names of the levels of a group's weights, and of the level of their scale.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.models.priors.logistic import level_names
    >>> model = models.logistic(np.eye(3), np.zeros(3), hidden=(2,))
    >>> level_names(model.priors["w0"], model.groups["w0"])
    ('w0_raw', 'w0_scale_level')
    """
    prefix, own = _parts(group)
    return f"{group.name}_raw", f"{prefix}{prior.scale_of or own}_scale_level"


def _parts(group: Group) -> tuple[str, str]:
    """What comes before the name of a group, if it is one of several networks, and the name."""
    found = re.fullmatch(rf"(.*?)({GROUP})", group.name)
    assert found is not None
    return found[1], found[2]


def _declared(name: str, group: str, owner: str) -> TensorVariable:
    """Find the scale of another group in the model at hand."""
    model = pm.modelcontext(None)
    if model.name_for(name) not in model.named_vars:
        raise ValueError(
            f"Logistic(scale_of={owner!r}) for {group}: {owner} is no group before it that has a "
            "logistic prior with a scale of its own; name one."
        )
    return model[name]


def logistic(X: Any, y: Any, hidden: tuple[int, ...] = (8,), **arguments: Any) -> BNN:
    """Build a network with logistic priors (Neal 1992, Eqs. 28-29).

    Every group of weights has a scale of its own, if no other ``prior`` is given. The weights are
    free variables, in which NUTS moves more freely than in the report's reflected coordinates,
    those of ``parametrization="noncentered"``. These may reach scales near 0 that divergent
    transitions miss, where a scale has a few weights only.

    Parameters
    ----------
    X, y, hidden, **arguments
        As for :class:`pymc_bnn.models.BNN`.

    Returns
    -------
    BNN

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> model = models.logistic(X, X[:, 0] ** 2, hidden=(4,))
    >>> [variable.name for variable in model.value_vars][:2]
    ['w0_scale_level_reflected__', 'w0']
    >>> model.reparametrized("noncentered").value_vars[1].name
    'w0_raw_reflected__'
    """
    arguments.setdefault("prior", Logistic())
    return BNN(X, y, hidden, **arguments)
