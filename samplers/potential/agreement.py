r"""Hold compiled kernels against PyTensor's own graph of a model before they run.

A kernel knows a model by what the model declared. Whether both mean the same posterior is checked
where a step binds the kernel: energies, gradients, and shapes and rates of conditional gamma
distributions, at two random points. The gradient of the log density by a log precision
:math:`\lambda` whose conditional has shape :math:`a` and rate :math:`b` is
:math:`a - b e^\lambda`. The graph is evaluated in Python, as written, which shares no code with the
kernels and needs no compilation.
"""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple, cast

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt
from pymc.blocking import PointType
from pymc.exceptions import SamplingError
from pymc.logprob.utils import ParameterValueError

from ...models.simd.one_thread import COMPILING
from ..compiled.interpreted import QUICK, in_python
from ..compiled.memory import initial_point, remembered
from .conditional import Conditional
from .graphs.prior_numbers import logp_terms
from .layout import Layout
from .rest import Potential
from .temperature import at_temperature

TOLERANCE = {"float64": 1e-6, "float32": 1e-2}
SPREADS = (0.5, 0.1, 0.01)
TEMPERATURES = (1.0, 1.7)  # of the two points; steps that know no temperature are checked at 1


class DisagreementError(RuntimeError):
    """A compiled kernel computes something else than the model's graph."""


class Density(NamedTuple):
    """Log density of a model at a point.

    Attributes
    ----------
    terms : mapping of str to float
        By random variable or potential.
    gradient : mapping of str to ndarray
        By value variable, of the sum of all terms.
    """

    terms: Mapping[str, float]
    gradient: Mapping[str, np.ndarray]

    @property
    def total(self) -> float:
        """Sum of all terms."""
        return float(sum(self.terms.values()))


def density_of(model: pm.Model) -> Callable[[PointType], Density]:
    """Return a function for the log density of a model and its gradient, run by Python alone.

    The density is that at the model's temperature.

    Parameters
    ----------
    model : pm.Model
        The model.

    Returns
    -------
    callable
        Takes a point.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.potential.agreement import density_of
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x", 0, 2)
    >>> [float(slope) for slope in density_of(model)({"x": np.array(1.0)}).gradient.values()]
    [-0.25]
    """
    return remembered(model, "density in Python", lambda: _density_of(model))


def _density_of(model: pm.Model) -> Callable[[PointType], Density]:
    with COMPILING, pytensor.config.change_flags(**QUICK):
        return _in_python(model)


def _in_python(model: pm.Model) -> Callable[[PointType], Density]:
    terms = {variable: term.sum() for variable, term in logp_terms(model).items()}
    values = [v for v in model.value_vars if v in model.continuous_value_vars]
    total = sum(terms.values(), pt.zeros(()))
    slopes = cast(list, pytensor.grad(total, values, disconnected_inputs="ignore"))
    evaluate = in_python(model.value_vars, [*terms.values(), *slopes])

    def density(point: PointType) -> Density:
        try:
            found = evaluate(*(point[v.name] for v in model.value_vars))
        except ParameterValueError:  # compiled by PyMC, this is a density of zero
            undefined = {str(v.name): np.full(np.shape(point[v.name]), np.nan) for v in values}
            return Density({str(v.name): -np.inf for v in terms}, undefined)
        sums = {str(v.name): float(t) for v, t in zip(terms, found, strict=False)}
        return Density(sums, {v.name: g for v, g in zip(values, found[len(terms) :], strict=True)})

    return density


def random_points(model: pm.Model) -> list[PointType]:
    """Two points near the initial one with finite log density, the same every time.

    Those with finite slopes come first.

    Parameters
    ----------
    model : pm.Model
        The model.

    Returns
    -------
    list of dict
        Two points; fewer where fewer have been met.

    Raises
    ------
    SamplingError
        If the log density is finite at none of them, nor at the initial point.
    """
    rng, start, density = np.random.default_rng(0), initial_point(model), density_of(model)
    continuous = [v.name for v in model.continuous_value_vars]
    points: list[PointType] = []
    rough: list[PointType] = []
    for spread in SPREADS:
        for _ in range(2 - len(points)):
            away = {name: spread * rng.normal(size=np.shape(start[name])) for name in continuous}
            point = {name: np.asarray(v + away.get(name, 0)) for name, v in start.items()}
            found = density(point)
            if _is_smooth(found):
                points.append(point)
            elif isfinite(found.total):
                rough.append(point)
    points = [*points, *rough][:2]
    if not points and not isfinite(density(start).total):
        raise SamplingError(_nothing_to_compare(density(start)))
    return points


def _is_smooth(found: Density) -> bool:
    """Whether a log density and all its slopes are finite."""
    return bool(np.isfinite([found.total, *map(np.sum, found.gradient.values())]).all())


def _nothing_to_compare(found: Density) -> str:
    terms = [f"{name} ({value:g})" for name, value in found.terms.items() if not isfinite(value)]
    return (
        f"the log density of {', '.join(terms)} is not finite at the model's initial point, nor "
        "around it, so that no step can be checked; mend the model, or give its variables an "
        "initval there, as pm.Normal(..., initval=...) does: starts that a sampler is given come "
        "too late."
    )


def check_potential(conditional: Conditional, potential: Potential, step: str) -> None:
    """Compare energy and gradient of a block with those of the model's graph.

    Parameters
    ----------
    conditional : Conditional
        The block.
    potential : callable
        Returns its compiled energy and the gradient at a point.
    step : str
        Which step asks, for the message.

    Raises
    ------
    DisagreementError
        If they differ; the message names the term.
    """
    model = conditional.model
    for point, temperature in zip(random_points(model), TEMPERATURES, strict=False):
        with at_temperature(model, temperature):
            check_energy(conditional, point, *potential(point), step)


def check_energy(
    conditional: Conditional, point: PointType, energy: float, gradient: np.ndarray, step: str
) -> None:
    """Compare a compiled energy of a block and its gradient with the model's graph.

    Parameters
    ----------
    conditional : Conditional
        The block.
    point : dict
        Where.
    energy : float
        Energy of the block, with its conditionally normal priors, in double precision.
    gradient : ndarray, shape (size,)
        Its gradient.
    step : str
        Which step asks, for the message.

    Raises
    ------
    DisagreementError
        If they differ; the message names the term.
    """
    expected, parameters = density_of(conditional.model)(point), conditional.parameters(point)
    if not isfinite(energy) and not _is_smooth(expected):
        return  # a trajectory that ends there is rejected
    close = Comparison(step, conditional.precision)
    exactly = Comparison(step, "float64")  # the energy by which draws are accepted
    for name, where in conditional.layout.slices.items():
        close(f"the gradient by {name}", -gradient[where], expected.gradient[name].ravel())
    terms = ", ".join([*conditional.normal_names, *conditional.rest_names])
    exactly(f"the energy of {terms}", parameters.log_constant - energy, expected.total)


def check_conditionals(
    model: pm.Model,
    layout: Layout,
    parameters: Callable[[PointType], tuple[np.ndarray, np.ndarray]],
    step: str,
    temperatures: Sequence[float] = TEMPERATURES,
) -> None:
    """Compare shapes and rates of precisions with the gradient of the model's graph.

    Parameters
    ----------
    model : pm.Model
        The model.
    layout : Layout
        Where the log precisions lie in a vector.
    parameters : callable
        Returns shapes and rates at a point, in vectors of this layout.
    step : str
        Which step asks, for the message.
    temperatures : sequence of float
        Of the model, at the two points.

    Raises
    ------
    DisagreementError
        If they differ; the message names the precision.
    """
    close = Comparison(step, "float64")
    for point, temperature in zip(random_points(model), temperatures, strict=False):
        with at_temperature(model, temperature):
            shape, rate = parameters(point)
            expected = density_of(model)(point).gradient
        slopes = shape - rate * np.exp(layout.ravel(point))
        for name, where in layout.slices.items():
            what = f"the conditional distribution of {name.removesuffix('_log__')}"
            close(what, slopes[where], expected[name].ravel())


class Comparison:
    """Raises where numbers of a step differ from those of the graph."""

    def __init__(self, step: str, precision: str):
        self.step, self.tolerance = step, TOLERANCE[precision]

    def __call__(self, what: str, found: Any, expected: Any) -> None:
        """Raise if they differ by more than the precision explains, where the graph has a number.

        As it is written, it may have no slope where what is compiled of it has one.
        """
        known = np.isfinite(expected)
        found, expected = np.asarray(found)[known], np.asarray(expected)[known]
        largest = float(np.max(np.abs(found - expected), initial=0.0))
        if not largest <= self.tolerance * (1 + float(np.max(np.abs(expected), initial=0.0))):
            raise DisagreementError(
                f"{self.step}: {what} is off by {largest:.3g} from PyTensor's graph of the model; "
                "sample it with pm.NUTS, and report this model."
            )
