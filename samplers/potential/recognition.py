"""Which models the kernels of a network stand for, by what the network declared.

A kernel is used where a model is exactly what :class:`pymc_bnn.models.BNN` declared: it is of that
class and not of a subclass, its likelihood has a kernel that it did not inherit, and its variables
are those of its declaration, by identity. Names decide nothing.
"""

import pymc as pm

from ...models.bnn import BNN
from ...models.likelihoods import Likelihood
from ..compiled import engine
from .likelihood_kernels import has_kernel, integrates


def is_network(model: pm.Model) -> bool:
    """Whether a model is a network of layers of ours: not of a subclass, which may be anything."""
    return type(model) is BNN and not model.skip


def weight_values(model: BNN) -> list[str]:
    """Names of the value variables behind a network's groups of weights, in their order."""
    return [str(model.rvs_to_values[v].name) for v in model.declaration.weights.values()]


def why_no_kernel(model: pm.Model) -> str | None:
    """Say why no fused kernel computes a model's likelihood.

    Parameters
    ----------
    model : pm.Model
        The model.

    Returns
    -------
    str or None
        A reason that follows "because"; None if there is a kernel for it.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.potential.recognition import why_no_kernel
    >>> why_no_kernel(pm.Model())
    'it is no pymc_bnn network'
    """
    if not isinstance(model, BNN):
        return "it is no pymc_bnn network"
    if model.skip:
        return "its inputs are connected to its outputs directly too"
    if not is_network(model):
        return f"its class {type(model).__name__} may declare more than a network"
    if not has_kernel(type(model.likelihood)):
        return f"there is no kernel for its likelihood {type(model.likelihood).__name__}"
    if not engine.available():
        return "kernels need PyTensor's numba backend"
    return None


def likelihood_of(model: BNN) -> type[Likelihood]:
    """Class of a network's likelihood, which has its kernel."""
    return type(model.likelihood)


def has_integrated_noise(model: pm.Model) -> bool:
    """Whether a kernel computes the energy of a network's noise, which is integrated out.

    Such a network has a kernel, and is none that :func:`why_no_kernel` finds one for: steps that
    draw or assume a precision of the noise, or take cases apart, refuse it.
    """
    return (
        isinstance(model, BNN)
        and is_network(model)
        and integrates(type(model.likelihood))
        and engine.available()
    )


def check_alone(model: pm.Model, step: str, others: tuple[str, ...] = ()) -> None:
    """Refuse a model that is more than a network of weights and conjugate precisions.

    Parameters
    ----------
    model : pm.Model
        The model.
    step : str
        Which step asks, for the message.
    others : tuple of str
        What else was found that the step cannot sample.

    Raises
    ------
    ValueError
        If there is anything that the network did not declare.
    """
    if isinstance(model, BNN) and model.skip:
        others = ("connections from inputs to outputs", *others)
    elif isinstance(model, BNN) and not is_network(model):
        others = (f"what its class {type(model).__name__} declares", *others)
    found = (*(model.added if isinstance(model, BNN) else ()), *others)
    if found:
        raise ValueError(
            f"{step} needs a network of weights and conjugate precisions alone, "
            f"and there are {', '.join(found)}; recommended_steps(model) chooses others."
        )
