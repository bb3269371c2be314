"""Prior and likelihood of a model, and their slopes, as a function that JAX compiles.

The graph is PyTensor's, differentiated by PyTensor, and translated by its JAX backend; data and the
numbers of priors are arguments, so that they are no constants of compiled code. Before anything
runs, the function is held against the graph, run by Python.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt
from pymc.blocking import PointType
from pymc.exceptions import SamplingError
from pymc.pytensorf import rewrite_pregrad
from pytensor.compile import SharedVariable, mode
from pytensor.graph.basic import Variable
from pytensor.graph.fg import FunctionGraph
from pytensor.graph.traversal import graph_inputs

from ...compiled.engine import compiles
from ...compiled.memory import remembered
from ...potential.agreement import TEMPERATURES, Comparison, density_of, random_points
from ...potential.graphs.prior_numbers import logp_terms
from ...potential.layout import Layout
from ...potential.temperature import at_temperature

WHO = 'backend="jax"'
RAN: list[bool] = []  # not empty once JAX has run in this process, whose threads no fork survives


class Energies(NamedTuple):
    """Log densities of a model for JAX.

    Attributes
    ----------
    layout : Layout
        Where all value variables lie in a vector.
    evaluate : callable
        ``(q, *data) -> prior, likelihood, slope of the prior, slope of the likelihood``, of one
        vector: log densities without any temperature.
    shared : tuple of SharedVariable
        What ``data`` are the values of.
    """

    layout: Layout
    evaluate: Callable[..., tuple]
    shared: tuple[SharedVariable, ...]

    def data(self) -> list[np.ndarray]:
        """Current values of data and of the numbers of priors."""
        return [np.asarray(variable.get_value(borrow=True)) for variable in self.shared]


def jax_energies(model: pm.Model) -> Energies:
    """Translate the log density of a model, and hold it against PyTensor's graph.

    Parameters
    ----------
    model : pm.Model
        The model; all its free variables are continuous.

    Returns
    -------
    Energies

    Raises
    ------
    ValueError
        If a variable is discrete, nothing is free or observed, JAX is not installed or computes in
        single precision, or PyTensor has no JAX version of a part of the model.
    DisagreementError
        If what JAX computes is something else than the graph.
    """
    if discrete := [str(v.name) for v in model.value_vars if v not in model.continuous_value_vars]:
        raise ValueError(
            f"{WHO} cannot move the discrete variable(s) {', '.join(discrete)}; leave it out."
        )
    if not (model.observed_RVs or model.potentials):
        raise ValueError(
            f"{WHO}: nothing in the model is observed; use pm.sample_prior_predictive."
        )
    if not model.value_vars:
        raise ValueError("The model has no free variable to sample.")
    check_installed()
    RAN.append(True)
    return remembered(model, "energies for JAX", lambda: _checked(model))


def check_installed() -> None:
    """Refuse where there is no JAX, or one that computes in single precision, and say the mend."""
    try:
        import jax
        import pytensor.link.jax.dispatch  # noqa: F401  # which sets the precision, the first time
    except ImportError:
        raise ValueError(
            f'{WHO} needs JAX: pip install "pymc-bnn[gpu]", or leave it out.'
        ) from None
    if not jax.config.jax_enable_x64:
        raise ValueError(
            f'{WHO} computes in double precision: jax.config.update("jax_enable_x64", True).'
        )


@compiles
def _checked(model: pm.Model) -> Energies:
    try:
        energies = _translated(model)
        probe = _probe(energies)
        found = [probe(point) for point in random_points(model)]
    except SamplingError:
        found = []
    except Exception as error:
        first = str(error).strip().split("\n")[0]
        raise ValueError(
            f"{WHO} has no version of a part of this model ({type(error).__name__}: {first}); "
            "leave it out."
        ) from error
    if not found:
        raise ValueError(
            f"{WHO}: no point near the initial one has a finite density, at which to compare with "
            "PyTensor's graph; give the variables initval=..., or leave it out."
        )
    _check(model, energies, found)
    return energies


def _translated(model: pm.Model) -> Energies:
    """Build the function, without any check."""
    from pytensor.link.jax.dispatch import jax_funcify

    terms, free = logp_terms(model), set(model.free_RVs)
    outputs: list[Variable] = []
    for chosen in (free, set(terms) - free):
        parts = [term.sum() for variable, term in terms.items() if variable in chosen]
        energy = rewrite_pregrad(sum(parts, pt.zeros(())))
        slopes = pytensor.grad(energy, model.value_vars, disconnected_inputs="ignore")
        outputs += [energy, *cast(list, slopes)]
    found = dict.fromkeys(graph_inputs(outputs))
    shared = [variable for variable in found if isinstance(variable, SharedVariable)]
    graph = FunctionGraph([*model.value_vars, *shared], outputs, clone=True)
    # impossible parameters have no density; JAX would leave the checks for them out
    mode.JAX.including("local_check_parameter_to_ninf_switch").optimizer.rewrite(graph)
    layout = Layout(model, [v.name for v in model.value_vars])
    with warnings.catch_warnings():
        # about shapes, which are those of the model's data
        warnings.filterwarnings("ignore", "Skipping Assert", UserWarning)
        translated = jax_funcify(graph)
    return Energies(layout, _of_vector(translated, layout), tuple(shared))


def _of_vector(translated: Callable[..., Sequence], layout: Layout) -> Callable[..., tuple]:
    """Make of a function of value variables one of their vector."""
    import jax.numpy as jnp

    def evaluate(q: Any, *data: Any) -> tuple:
        values = [q[where].reshape(layout.shapes[name]) for name, where in layout.slices.items()]
        found = translated(*values, *data)
        each = len(found) // 2
        pairs = [
            (part[0], jnp.concatenate([jnp.ravel(slope) for slope in part[1:]]))
            for part in (found[:each], found[each:])
        ]
        (prior, of_prior), (likelihood, of_likelihood) = pairs
        return prior, likelihood, of_prior, of_likelihood

    return evaluate


def _probe(energies: Energies) -> Callable[[PointType], list[np.ndarray]]:
    """Evaluate at one point."""
    import jax

    compiled, data = jax.jit(energies.evaluate), energies.data()
    return lambda point: [np.asarray(v) for v in compiled(energies.layout.ravel(point), *data)]


def _check(model: pm.Model, energies: Energies, found: list[list[np.ndarray]]) -> None:
    """Compare with the graph at two points and temperatures."""
    close, free = Comparison(WHO, "float64"), {str(v.name) for v in model.free_RVs}
    for point, temperature, values in zip(random_points(model), TEMPERATURES, found, strict=False):
        prior, likelihood, of_prior, of_likelihood = values
        with at_temperature(model, temperature):
            expected = density_of(model)(point)
        close("the log prior", prior, sum(v for k, v in expected.terms.items() if k in free))
        rest = sum(v for k, v in expected.terms.items() if k not in free)
        close("the log likelihood", likelihood / temperature, rest)
        slopes = of_prior + of_likelihood / temperature
        for name, where in energies.layout.slices.items():
            close(f"the gradient by {name}", slopes[where], expected.gradient[name].ravel())
