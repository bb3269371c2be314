"""Trajectories of weights and log precisions, in either parametrization."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable
from typing import Any

import numpy as np

from ....models.activations import Activation
from ....models.likelihoods import Likelihood
from ....models.simd.kernels import dot, inlined
from ...compiled import engine
from ...compiled.entries import Entry
from ...potential.likelihood_kernels import kernel_of
from ...potential.network_potential import network_entry, squares_entry
from ...potential.rest import (
    ALONE,
    PRODUCTS,
    SQUARES,
    WITH_GRADIENT,
    called_with_gradient,
    words_of,
)
from ...precisions.hierarchy import Hierarchy
from . import centered, raw
from .products import products_entry
from .state import (
    add_up_squares,
    drift_weights,
    kick_weights,
    scale_by,
    set_noise,
    tension,
)

place = energy = moor = move_weights = move_precisions = engine.bound_later
update_likelihood = trajectory = unscaled_steps = engine.bound_later

WEIGHTS_FIRST, PRECISIONS_FIRST, SYMMETRIC = 0, 1, 2


def split_trajectory(state, n_leapfrog, order, setting, workspace, data):
    """Move a state, whose likelihood is up to date, along a trajectory (Choo 2000, Algorithm 4).

    Returns
    -------
    int
        Leapfrog steps taken: fewer than asked for if the energy became infinite or undefined.
    """
    first, last = 1.0, 0.0  # parts of the first and of the last update of the precisions
    if order == WEIGHTS_FIRST:
        first, last = 0.0, 1.0
    elif order == SYMMETRIC:
        first = last = 0.5
    steps = 0
    for update in range(n_leapfrog + 1):
        part = first if update == 0 else last if update == n_leapfrog else 1.0
        if part > 0.0:  # the only place that says so, since it is compiled into where it is called
            move_precisions(state, part, setting, workspace, data)
        if update == n_leapfrog or not np.isfinite(state.likelihood[0]):
            break
        move_weights(state, setting, workspace, data)
        steps += 1
    return steps


def step_weights(state, setting, workspace, data):
    """One leapfrog update of the weights, with the log precisions held."""
    step_sizes = unscaled_steps(state, setting, data)
    scale_by(step_sizes, setting.factor / setting.splits)
    for _ in range(setting.splits):
        kick_weights(state, step_sizes, 0.5, setting)
        drift_weights(state, step_sizes, setting)
        state.likelihood[0] = called_with_gradient(state.weights, state.gradient, workspace)
        kick_weights(state, step_sizes, 0.5, setting)
    add_up_squares(state.half_squares, state.weights, state.likelihood[0], setting.hierarchy, data)


@inlined
def renew(state, hierarchy, workspace, data):
    """Compute the likelihood's energy and gradient at the weights and noise precisions."""
    set_noise(state.log_precision, hierarchy, data)
    state.likelihood[0] = called_with_gradient(state.weights, state.gradient, workspace)
    add_up_squares(state.half_squares, state.weights, state.likelihood[0], hierarchy, data)


@inlined
def kinetic_energy(state):
    """Kinetic energy of both blocks."""
    weights = dot(state.momentum, state.momentum)
    return 0.5 * (weights + dot(state.hyper_momentum, state.hyper_momentum))


def dynamics(is_centered: bool) -> dict[str, Callable]:
    """Compile what a trajectory is made of, by the names under which templates call it.

    Parameters
    ----------
    is_centered : bool
        Whether the weights move as they are, or in raw form.
    """
    form: Any = centered if is_centered else raw
    path = engine.bind_inline(
        split_trajectory,
        move_weights=engine.bind_inline(step_weights, unscaled_steps=form.unscaled_steps),
        move_precisions=form.move_precisions,
    )
    parts = {"place": form.place, "energy": form.energy, "moor": form.moor}
    return {**parts, "update_likelihood": renew, "trajectory": path}


def entries_of(
    activation: Activation,
    likelihood: type[Likelihood],
    is_centered: bool,
    hierarchy: Hierarchy,
    interweaves: bool,
) -> dict[int, Entry]:
    """Compile what trajectories, and moves after them, call of a network.

    Parameters
    ----------
    activation, likelihood
        As for :func:`..gibbs.entries_of`.
    is_centered : bool
        As for :func:`dynamics`.
    hierarchy : Hierarchy
        Which precision scales what.
    interweaves : bool
        Whether there are moves.

    Returns
    -------
    dict of int to Entry
    """
    kernel, noise = kernel_of(likelihood).energy, hierarchy.noise
    entries = {WITH_GRADIENT: network_entry(activation, kernel, gradient=True)}
    if interweaves:
        entries[ALONE] = network_entry(activation, kernel, gradient=False)
    if np.any(noise != noise[:1]):
        entries[SQUARES] = squares_entry(activation)
    if not is_centered:
        entries[PRODUCTS] = products_entry(activation, likelihood)
    return entries


def split_path(state, n_leapfrog, order, setting, energies, data):
    """Follow one trajectory and record its total energy, as a template for the compiler.

    Moves ``state`` in place. ``energies``, shape (points,), gets the energy at the start and then
    after every ``n_leapfrog`` steps; a trajectory that broke off has undefined energies from there
    on.
    """
    workspace = words_of(data)
    place(state, setting.hierarchy)
    moor(state, setting, data)
    update_likelihood(state, setting.hierarchy, workspace, data)
    energies[:] = np.nan
    energies[0] = energy(state, setting, data) + tension(state, setting) + kinetic_energy(state)
    for i in range(1, energies.size):
        if trajectory(state, n_leapfrog, order, setting, workspace, data) < n_leapfrog:
            break
        potential = energy(state, setting, data) + tension(state, setting)
        energies[i] = potential + kinetic_energy(state)


def compile_split_path(is_centered: bool) -> Callable[..., Any]:
    """Compile :func:`split_path`; see :func:`dynamics` for the argument."""
    return engine.specialize(split_path, **dynamics(is_centered))
