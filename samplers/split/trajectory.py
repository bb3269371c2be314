"""Whole trajectories, many of them in one call of compiled code."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...models.activations import Activation
from .. import engine
from ..interweaving import interweave
from ..network_potential import network_rest, network_squares
from ..sweep import interweave_some
from . import centered, raw
from .products import network_products
from .state import (
    inlined,
    new_state,
    no_squares,
    set_noise,
    squares_of_each_noise,
    squares_of_shared_noise,
)

rest = add_up_squares = engine.bound_later
allocate = place = energy = move_weights = move_precisions = engine.bound_later
update_likelihood = trajectory = interweave_precisions = engine.bound_later

NOISE: dict[str, Callable] = {
    "none": no_squares,
    "shared": squares_of_shared_noise,
    "each": squares_of_each_noise,
}
NOISE_CHANGED: dict[str, Callable] = {
    "none": centered.nothing_changed,
    "shared": centered.shared_noise_changed,
    "each": centered.each_noise_changed,
}
WEIGHTS_FIRST, PRECISIONS_FIRST, SYMMETRIC = 0, 1, 2


def split_trajectory(state, n_leapfrog, order, setting, workspace, data):
    """Move a state, whose likelihood is up to date, along a trajectory (Choo 2000, Algorithm 4).

    Returns
    -------
    int
        Leapfrog steps taken: fewer than asked for if the energy became infinite or undefined.
    """
    if order == SYMMETRIC:
        move_precisions(state, 0.5, setting, workspace, data)
    steps = 0
    while steps < n_leapfrog and np.isfinite(state.likelihood[0]):
        if order == PRECISIONS_FIRST:
            move_precisions(state, 1.0, setting, workspace, data)
        move_weights(state, setting, workspace, data)
        steps += 1
        if order == WEIGHTS_FIRST:
            move_precisions(state, 1.0, setting, workspace, data)
        elif order == SYMMETRIC:
            part = 1.0 if steps < n_leapfrog else 0.5
            move_precisions(state, part, setting, workspace, data)
    return steps


def split_sweep(
    rng, log_precision, position, n_leapfrog, sweeps, symmetric, setting, interweaved, data
):
    """Make as many trajectories as wanted; update log precisions and positions in place.

    A template for :func:`.engine.specialize`.

    Parameters
    ----------
    rng : Generator
        Where all random numbers come from.
    log_precision, position : ndarray
        Where to start.
    n_leapfrog : int
        Leapfrog steps of a trajectory.
    sweeps : int
        Number of trajectories.
    symmetric : bool
        Whether trajectories begin and end with half an update of the precisions; otherwise chance
        says which block moves first.
    setting : Setting
        What stays fixed.
    interweaved : ndarray of int
        Precisions that interweaving moves after each trajectory; may be empty.
    data : tuple
        What the fused likelihood needs; its noise precisions are renewed in place.

    Returns
    -------
    acceptance : float
        Mean acceptance probability.
    accepted : bool
        Whether the last trajectory was accepted.
    diverging, steps, evaluations : int
        Diverging trajectories, leapfrog steps, and passes through the network for interweaving.
    error, potential, kinetic : float
        Of the last trajectory; the energies at the end that was kept.
    offset : float
        Energy at the start minus that of the block of weights given the precisions.
    """
    hierarchy = setting.hierarchy
    workspace = allocate(data)
    state = new_state(position, log_precision, data[2].size)
    units = interweaved.copy()
    acceptance = error = potential = kinetic = offset = 0.0
    diverging = taken = evaluations = 0
    accepted = False
    for sweep in range(sweeps):
        state.position[:] = position
        state.log_precision[:] = log_precision
        state.momentum[:] = rng.standard_normal(position.size)
        state.hyper_momentum[:] = rng.standard_normal(log_precision.size)
        order = PRECISIONS_FIRST if rng.random() < 0.5 else WEIGHTS_FIRST
        place(state, hierarchy)
        update_likelihood(state, hierarchy, workspace, data)
        initial = energy(state, setting, data)
        if sweep == 0:
            offset = initial - state.likelihood[0] + np.sum(np.log(state.scale))
            for k in range(position.size):
                distance = (state.weights[k] - hierarchy.mean[k]) / state.scale[k]
                offset -= 0.5 * state.precision[k] * distance * distance
        start_kinetic = kinetic_energy(state)
        chosen = SYMMETRIC if symmetric else order
        taken += trajectory(state, n_leapfrog, chosen, setting, workspace, data)
        final = energy(state, setting, data)
        kinetic = kinetic_energy(state)
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
            position[:] = state.position
            log_precision[:] = state.log_precision
        else:
            kinetic = start_kinetic
        if interweaved.size > 0:
            set_noise(log_precision, hierarchy, data)
            evaluations += interweave_precisions(
                rng, log_precision, position, hierarchy, units, data
            )
            if sweep == sweeps - 1:
                state.position[:] = position
                state.log_precision[:] = log_precision
                place(state, hierarchy)
                update_likelihood(state, hierarchy, workspace, data)
                potential = energy(state, setting, data)
    return (
        acceptance / sweeps,
        accepted,
        diverging,
        taken,
        evaluations,
        error,
        potential,
        kinetic,
        offset,
    )


def renew(state, hierarchy, workspace, data):
    """Compute the likelihood's energy and gradient at the weights and noise precisions."""
    set_noise(state.log_precision, hierarchy, data)
    state.likelihood[0] = rest(state.weights, state.gradient, workspace, data)
    add_up_squares(state.half_squares, state.weights, state.likelihood[0], data)


@inlined
def kinetic_energy(state):
    """Kinetic energy of both blocks."""
    weights = np.sum(state.momentum * state.momentum)
    return 0.5 * (weights + np.sum(state.hyper_momentum * state.hyper_momentum))


def dynamics(
    activation: Activation, likelihood: str, is_centered: bool, noise: str
) -> dict[str, Callable]:
    """Compile what a trajectory is made of, for networks of one activation and likelihood.

    Parameters
    ----------
    activation : Activation
        Activation of the hidden units.
    likelihood : {"GaussianNoise", "Bernoulli", "Categorical"}
        Class of the likelihood.
    is_centered : bool
        Whether the weights move as they are, or in raw form.
    noise : {"none", "shared", "each"}
        Whether the outputs have noise precisions, one for all or one each.

    Returns
    -------
    dict of str to callable
        By the names under which templates call them.
    """
    form: Any = centered if is_centered else raw
    rest = network_rest(activation, likelihood, gradient=True)
    squares = NOISE[noise]
    if noise == "each":
        squares = engine.bind(squares, squared_residuals=network_squares(activation))
    bound: dict[str, Callable] = {"rest": rest.evaluate, "add_up_squares": squares}
    if is_centered:
        changed = NOISE_CHANGED[noise]
        if noise == "each":
            changed = engine.bind(changed, rest=rest.evaluate)
        precisions: dict[str, Callable] = {"noise_changed": changed}
    else:
        products = network_products(activation, likelihood)
        step_sizes = engine.bind_inline(
            raw.estimated_step_sizes, rest_with_products=products, add_up_squares=squares
        )
        precisions = {**bound, "hyper_step_sizes": step_sizes}
    path = engine.bind_inline(
        split_trajectory,
        move_weights=engine.bind_inline(form.move_weights, **bound),
        move_precisions=engine.bind_inline(form.move_precisions, **precisions),
    )
    return {
        "allocate": rest.allocate,
        "place": form.place,
        "energy": form.energy,
        "update_likelihood": engine.bind_inline(renew, **bound),
        "trajectory": path,
    }


def split_path(state, n_leapfrog, order, setting, energies, data):
    """Follow one trajectory and record its total energy, as a template for the compiler.

    Moves ``state`` in place. ``energies``, shape (points,), gets the energy at the start and then
    after every ``n_leapfrog`` steps; a trajectory that broke off has undefined energies from there
    on.
    """
    workspace = allocate(data)
    place(state, setting.hierarchy)
    update_likelihood(state, setting.hierarchy, workspace, data)
    energies[:] = np.nan
    energies[0] = energy(state, setting, data) + kinetic_energy(state)
    for i in range(1, energies.size):
        if trajectory(state, n_leapfrog, order, setting, workspace, data) < n_leapfrog:
            break
        energies[i] = energy(state, setting, data) + kinetic_energy(state)


def compile_split_path(
    activation: Activation, likelihood: str, is_centered: bool, noise: str
) -> Callable[..., Any]:
    """Compile :func:`split_path`; see :func:`dynamics` for the arguments."""
    return engine.specialize(
        split_path,
        f"path-{activation.name}-{likelihood}-{is_centered}-{noise}",
        **dynamics(activation, likelihood, is_centered, noise),
    )


def compile_split_sweep(
    activation: Activation, likelihood: str, is_centered: bool, noise: str
) -> Callable[..., Any]:
    """Compile :func:`split_sweep`; see :func:`dynamics` for the arguments."""
    value = network_rest(activation, likelihood, gradient=False)
    move = engine.bind(interweave, allocate=value.allocate, rest=value.evaluate)
    return engine.specialize(
        split_sweep,
        f"split-{activation.name}-{likelihood}-{is_centered}-{noise}",
        interweave_precisions=engine.bind(interweave_some, move_precisions=move),
        **dynamics(activation, likelihood, is_centered, noise),
    )
