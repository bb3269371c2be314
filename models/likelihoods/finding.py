"""Likelihoods by their names and descriptions."""

from collections.abc import Mapping
from inspect import signature
from typing import Any

from ..data.choices import choose
from .base import Likelihood
from .bernoulli import Bernoulli
from .categorical import Categorical
from .gaussian_noise import GaussianNoise
from .heteroscedastic_noise import HeteroscedasticNoise
from .negative_binomial import NegativeBinomial
from .ordered import Ordered
from .poisson import Poisson
from .student_t_noise import StudentTNoise

LIKELIHOODS: dict[str, type[Likelihood]] = {
    kind.name: kind
    for kind in (
        GaussianNoise,
        StudentTNoise,
        HeteroscedasticNoise,
        Poisson,
        NegativeBinomial,
        Bernoulli,
        Categorical,
        Ordered,
    )
}
"""Likelihoods by name; of those for the same targets the simplest first."""


def likelihood(given: str | Likelihood | Mapping[str, Any]) -> Likelihood:
    """Turn a name or a description into a likelihood.

    Parameters
    ----------
    given : Likelihood, str or mapping
        A likelihood; the name of one, such as ``"gaussian_noise"`` or ``"bernoulli"``, for its
        default settings; or what :meth:`Likelihood.to_dict` returned.

    Returns
    -------
    Likelihood

    Raises
    ------
    ValueError
        If there is no such likelihood, or it is one that a user wrote.

    Examples
    --------
    >>> from pymc_bnn.models.likelihoods import likelihood
    >>> likelihood("bernoulli")
    Bernoulli()
    """
    if isinstance(given, Likelihood):
        return given
    if isinstance(given, type) and issubclass(given, Likelihood):
        raise ValueError(
            f"likelihood={given.__name__}: this is a class; give an object of it, such as "
            f"{given.__name__}()."
        )
    arguments = dict(given) if isinstance(given, Mapping) else {"name": given}
    if "name" not in arguments:
        raise ValueError(f"likelihood={given!r}: give its name too, {', '.join(LIKELIHOODS)}.")
    full = str(arguments.pop("name"))
    name = full.lower()
    if "." in name:
        raise ValueError(
            f"the likelihood {full} is none of pymc_bnn's, and no description tells what "
            "it is; build the model anew, and use its functions with the draws."
        )
    found = LIKELIHOODS[choose("likelihood", _registered(name), LIKELIHOODS)]
    for setting in arguments:
        choose(f"setting of {found.__name__}", setting, signature(found).parameters)
    return found(**arguments)


def _registered(name: str) -> str:
    """Name of a likelihood that was named by its class, or without what all noise ends in."""
    for registered, kind in LIKELIHOODS.items():
        if name in (kind.__name__.lower(), registered.removesuffix("_noise")):
            return registered
    return name
