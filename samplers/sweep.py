"""Gibbs draws, interweaving and trajectories of a network, many iterations in compiled code.

Between two recorded draws of a small network, calls from Python cost more than the arithmetic.
Here a whole sweep, the same updates as :class:`.GibbsPrecision` and :class:`.StaticHMC` make in
turn, is one compiled function, and one call makes as many sweeps as wanted.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import engine
from .conditional import Conditional
from .conjugacy import conjugate_precisions
from .constants import constant_values, is_constant
from .curvature import neal_step_sizes
from .interweaving import MOST_UNITS, UNIFORMS, interweave
from .leapfrog import leapfrog
from .memory import initial_point
from .network_potential import DOUBLE, network_rest, network_squares

move_precisions = step_sizes_of = trajectory = squared_residuals = engine.bound_later
in_double = engine.bound_later


class Hierarchy(NamedTuple):
    """Which precision scales what, as arrays.

    Attributes
    ----------
    shape, rate : ndarray, shape (precisions,)
        Parameters of the gamma priors.
    start, member : ndarray of int, shapes (precisions + 1,) and (members,)
        ``member[start[j] : start[j + 1]]`` are the weights that precision ``j`` scales.
    unit : ndarray of int, shape (weights,)
        The precision of each weight, or -1.
    weight : ndarray, shape (weights,)
        Prior precision of each weight when the precision it hangs on is 1.
    mean : ndarray, shape (weights,)
        Prior mean of each weight.
    noise : ndarray of int, shape (outputs,) or (0,)
        The precision of each output's noise.
    interweaved : ndarray of int
        The precisions that interweaving moves.
    """

    shape: np.ndarray
    rate: np.ndarray
    start: np.ndarray
    member: np.ndarray
    unit: np.ndarray
    weight: np.ndarray
    mean: np.ndarray
    noise: np.ndarray
    interweaved: np.ndarray


def sweep(rng, log_precision, q, factors, n_leapfrog, hierarchy, data, curvature_of):
    """Make as many sweeps as there are factors; update precisions and weights in place.

    A template for :func:`.engine.specialize`.

    Parameters
    ----------
    rng : Generator
        Where all random numbers come from.
    log_precision, q : ndarray
        Logarithms of the precisions, and weights.
    factors : ndarray, shape (sweeps,)
        Step size adjustment factor of each sweep.
    n_leapfrog : int
        Leapfrog steps of a trajectory.
    hierarchy : Hierarchy
        Which precision scales what.
    data : tuple
        What the fused likelihood needs; its noise precisions are renewed in place.
    curvature_of : tuple
        Sums of squared inputs, curvature of a case's energy at the outputs of a classifier,
        largest slope and mean square of the activation.

    Returns
    -------
    acceptance : float
        Mean acceptance probability.
    accepted : bool
        Whether the last trajectory was accepted.
    diverging : int
        Number of diverging trajectories.
    energy_error, potential, kinetic : float
        Of the last trajectory; the energies at the end that was kept.
    evaluations : int
        Passes through the network for interweaving.
    """
    size = q.size
    exact_data = in_double(data)
    precision = np.empty(size)
    ones = np.ones(size)
    noise_precision = data[2]
    squares, output_curvature, slope, mean_square = curvature_of
    layout = (data[3], data[4], data[5])
    n_units = min(MOST_UNITS, hierarchy.interweaved.size)
    units = hierarchy.interweaved.copy()
    acceptance = 0.0
    accepted = False
    diverging = 0
    evaluations = 0
    error = potential = kinetic = 0.0
    for factor in factors:
        draw_precisions(rng, log_precision, q, hierarchy, exact_data)
        if n_units > 0:
            for i in range(n_units):  # the first n_units of a random order
                other = i + int(rng.random() * (units.size - i))
                units[i], units[other] = units[other], units[i]
            chosen = units[:n_units] if n_units < units.size else hierarchy.interweaved
            uniforms = rng.random((n_units, UNIFORMS))
            evaluations += move_precisions(
                log_precision,
                q,
                hierarchy.mean,
                hierarchy.start,
                hierarchy.member,
                hierarchy.shape,
                hierarchy.rate,
                chosen,
                uniforms,
                exact_data,
            )
        for k in range(size):
            unit = hierarchy.unit[k]
            precision[k] = hierarchy.weight[k] * (np.exp(log_precision[unit]) if unit >= 0 else 1.0)
        outputs = noise_precision if hierarchy.noise.size > 0 else output_curvature
        step_sizes = factor * step_sizes_of(
            precision, 1.0 / precision, ones, squares, outputs, layout, slope, mean_square
        )
        momentum = rng.standard_normal(size)
        end, end_momentum, initial, final, _ = trajectory(
            q, momentum, step_sizes, n_leapfrog, hierarchy.mean, precision, data
        )
        start_kinetic = 0.5 * np.sum(momentum * momentum)
        kinetic = 0.5 * np.sum(end_momentum * end_momentum)
        error = final + kinetic - initial - start_kinetic
        accepted = False
        if not error < 1000.0:
            diverging += 1
        else:
            probability = min(1.0, np.exp(-error))
            acceptance += probability
            accepted = rng.random() < probability
        potential = final if accepted else initial
        if accepted:
            q[:] = end
        else:
            kinetic = start_kinetic
    return acceptance / factors.size, accepted, diverging, error, potential, kinetic, evaluations


def draw_precisions(rng, log_precision, q, hierarchy, data):
    """Draw all precisions given weights and residuals (Choo 2000, Eqs. 3.11-3.12)."""
    added_shape = np.zeros(log_precision.size)
    added_rate = np.zeros(log_precision.size)
    for k in range(q.size):
        unit = hierarchy.unit[k]
        if unit >= 0:
            added_shape[unit] += 0.5
            added_rate[unit] += 0.5 * hierarchy.weight[k] * (q[k] - hierarchy.mean[k]) ** 2
    if hierarchy.noise.size > 0:
        residuals = squared_residuals(q, data)
        for output in range(hierarchy.noise.size):
            added_shape[hierarchy.noise[output]] += 0.5 * data[6]
            added_rate[hierarchy.noise[output]] += 0.5 * residuals[output]
    for j in range(log_precision.size):
        gamma = rng.standard_gamma(hierarchy.shape[j] + added_shape[j])
        log_precision[j] = np.log(gamma / (hierarchy.rate[j] + added_rate[j]))
    for output in range(hierarchy.noise.size):
        data[2][output] = np.exp(log_precision[hierarchy.noise[output]])


def find_hierarchy(conditional: Conditional, interweave: bool) -> Hierarchy:
    """Read off a network which of its precisions scales what.

    Parameters
    ----------
    conditional : Conditional
        The block of all weights, with the fused likelihood.
    interweave : bool
        Whether interweaving is wanted.

    Returns
    -------
    Hierarchy

    Raises
    ------
    ValueError
        If a hyperparameter is not a conjugate precision with constant parameters.
    """
    model, layout = conditional.model, conditional.layout
    precisions = conjugate_precisions(model)
    found = {p.value.name for p in precisions} | set(layout.names)
    others = [v.name for v in model.value_vars if v.name not in found]
    constants = is_constant([e for p in precisions for e in (p.shape, p.rate)], model)
    if others or not constants:
        what = ", ".join(others) or "parameters of the precisions' priors"
        raise ValueError(
            "GibbsHMC needs a network of weights and conjugate precisions alone, "
            f"and there are {what}; use GibbsPrecision and StaticHMC, or NUTS."
        )
    parameters = conditional.parameters(initial_point(model))
    unit, weight = np.full(layout.size, -1), parameters.precision.copy()
    noise = np.empty(0, int)
    sizes = [initial_point(model)[p.value.name].size for p in precisions]
    shapes = constant_values([p.shape for p in precisions])
    rates = constant_values([p.rate for p in precisions])
    first = 0
    for precision, size in zip(precisions, sizes, strict=True):
        for child in precision.children:
            if child.variable.name in layout.slices:
                where = layout.slices[child.variable.name]
                unit[where], weight[where] = first + child.unit, child.factor**-2.0
            else:
                noise = first + child.unit[: len(model.outputs)]
        first += size
    order = np.argsort(unit, kind="stable")
    counts = np.bincount(unit[unit >= 0], minlength=first)
    scaling = np.flatnonzero(counts) if interweave else np.empty(0, int)
    return Hierarchy(
        shape=np.concatenate([np.empty(0), *map(np.broadcast_to, shapes, sizes)]),
        rate=np.concatenate([np.empty(0), *map(np.broadcast_to, rates, sizes)]),
        start=np.concatenate([[0], np.cumsum(counts)]),
        member=order[np.count_nonzero(unit < 0) :],
        unit=unit,
        weight=weight,
        mean=parameters.mean.copy(),
        noise=noise,
        interweaved=scaling,
    )


def compile_sweep(
    activation: Any, likelihood: str, precision: str = "float64"
) -> Callable[..., Any]:
    """Compile :func:`sweep` for the networks of one activation and likelihood.

    Parameters
    ----------
    activation : Activation
        Activation of the hidden units.
    likelihood : {"GaussianNoise", "Bernoulli", "Categorical"}
        Class of the likelihood.
    precision : {"float64", "float32"}
        Of trajectories; all else is in double precision.

    Returns
    -------
    callable
    """
    slope = network_rest(activation, likelihood, gradient=True, precision=precision)
    value = network_rest(activation, likelihood, gradient=False)
    allocate = slope.allocate
    squares = network_squares(activation)
    return engine.specialize(
        sweep,
        slope.key,
        draw_precisions=engine.bind(draw_precisions, squared_residuals=squares),
        move_precisions=engine.bind(interweave, allocate=allocate, rest=value.evaluate),
        step_sizes_of=engine.bind(neal_step_sizes),
        trajectory=engine.bind(leapfrog, allocate=allocate, rest=slope.evaluate, exact=slope.exact),
        in_double=DOUBLE[precision],
    )
