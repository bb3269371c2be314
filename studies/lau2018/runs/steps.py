"""From declarations to models and step methods."""

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from .... import samplers
from ....models import BNN, ScaleWarning
from ....models.data.choices import choose
from ..design.declarations import Network, Sampler
from ..design.digits import digits
from .coding import codes, known_noise

# Samplers of one step move hyperparameters together with the weights if they can.
NUTPIE = "nutpie"
RECOMMENDED = "recommended"  # what sample takes by itself
JOINT = ("nuts", "xhmc", "static")
STEPS: dict[str, tuple[str, ...]] = {
    "nuts": ("NUTS",),
    "xhmc": ("XHMC",),
    "static": ("StaticHMC",),
    "gibbs_hmc": ("GibbsHMC",),
    "gibbs_nuts": ("GibbsPrecision", "NUTS"),
    "sghmc": ("SGHMC",),
    RECOMMENDED: (),
    NUTPIE: (),  # samples by itself
}


def build_network(network: Network, rows: Any = slice(None)) -> BNN:
    """Build a declared network on the training cases, or on some rows of them.

    Parameters
    ----------
    network : Network
        The declaration.
    rows : slice or ndarray of int
        Which of the training cases.

    Returns
    -------
    BNN

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.declarations import Network
    >>> from pymc_bnn.studies.lau2018.runs.steps import build_network
    >>> [variable.name for variable in build_network(Network()).free_RVs]
    ['w0', 'w1']
    """
    data = digits(network.inputs)
    y = data.y[rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScaleWarning)  # what raw grey levels do is a question here
        return BNN(
            data.X[rows],
            y if network.noise is None else codes(y),
            network.hidden,
            network.activation,
            network.prior(),
            "categorical" if network.noise is None else known_noise(network.noise),
            network.biases,
            network.parametrization,
        )


def build_steps(sampler: Sampler, model: BNN) -> list[Any]:
    """Build the step methods of a declared sampler; the last of them takes its options.

    Parameters
    ----------
    sampler : Sampler
        The declaration.
    model : BNN
        What they move.

    Returns
    -------
    list of step methods

    Raises
    ------
    ValueError
        If there is no such sampler, or the package lacks one of its step methods.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.declarations import Network, Sampler
    >>> from pymc_bnn.studies.lau2018.runs.steps import build_network, build_steps
    >>> model = build_network(Network(hidden=(2,)))
    >>> [step.name for step in build_steps(Sampler("static", {"n_leapfrog": 5}), model)]
    ['static_hmc']
    """
    names = STEPS[choose("sampler", sampler.name, STEPS)]
    if sampler.name == RECOMMENDED:
        return list(samplers.recommended_steps(model, **sampler.options))
    kinds = [_step_method(name) for name in names]
    # interweaving is GibbsHMC's; this is the Gibbs sampler of the thesis
    first = [kind(model=model, interweave=False) for kind in kinds[:-1]]
    moved = {variable for step in first for variable in step.vars}
    options = dict(sampler.options)
    if sampler.name in JOINT:
        options["vars"] = list(model.continuous_value_vars)
    elif first:
        options["vars"] = [v for v in model.value_vars if v not in moved]
    return [*first, kinds[-1](model=model, **options)]


def is_available(sampler: Sampler) -> bool:
    """Whether the package has the step methods of a sampler, or another package is there.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.declarations import Sampler
    >>> from pymc_bnn.studies.lau2018.runs.steps import is_available
    >>> is_available(Sampler("nuts"))
    True
    """
    if sampler.name == NUTPIE:
        return find_spec(NUTPIE) is not None
    return all(hasattr(samplers, name) for name in STEPS[sampler.name])


def _step_method(name: str) -> Callable[..., Any]:
    if not hasattr(samplers, name):
        raise ValueError(f"sampler {name}: this version of the package does not have it.")
    found: Callable[..., Any] = getattr(samplers, name)
    return found
