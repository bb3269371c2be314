r"""Trajectories of all replicas of a ladder at once, as pure functions for JAX.

Each replica follows Hamiltonian dynamics at an inverse temperature :math:`\beta` of its own, on
the log density :math:`\log p(q) + \beta \ell(q)` (Baldock & Marzari 2019, Eq. 10 and Algorithm 1).
Inverse temperatures and step sizes are arguments, so that replicas change places by taking others.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from .energies import Energies


class Moved(NamedTuple):
    """Where trajectories of replicas ended; arrays have a first axis of replicas.

    Attributes
    ----------
    position : array, shape (replicas, size)
        The new positions.
    prior, likelihood : array
        Log densities there, without any temperature.
    acceptance : array
        Probability with which the end of the trajectory was accepted.
    accepted : array of bool
        Whether it was.
    error : array
        Energy at the end less energy at the start; not finite, if a state on the way had none.
    kinetic : array
        Kinetic energy at the end of the trajectory, or at its start if that is where it is.
    """

    position: Any
    prior: Any
    likelihood: Any
    acceptance: Any
    accepted: Any
    error: Any
    kinetic: Any


def compile_trajectories(energies: Energies, lower: Any, widths: Any) -> Callable[..., Moved]:
    """Compile one trajectory of all replicas.

    Parameters
    ----------
    energies : Energies
        Of the model.
    lower, widths : ndarray, shape (size,)
        Of intervals whose walls reflect (:class:`...step_sizes.reflecting_walls.ReflectingWalls`).

    Returns
    -------
    callable
        ``(seed, count, q, inverse, step_sizes, n_leapfrog, *data) -> Moved``, with ``q`` of shape
        (replicas, size), ``inverse`` of (replicas,), and step sizes of (replicas, 1) or (replicas,
        size). Random numbers depend on the first two alone.
    """
    import jax

    return jax.jit(partial(_trajectories, energies, lower, widths))


def _trajectories(
    energies: Energies,
    lower: Any,
    widths: Any,
    seed: Any,
    count: Any,
    q: Any,
    inverse: Any,
    step_sizes: Any,
    n_leapfrog: Any,
    *data: Any,
) -> Moved:
    import jax
    import jax.numpy as jnp

    key = jax.random.fold_in(jax.random.key(seed), count)
    for_momentum, for_choice = jax.random.split(key)
    at = partial(_densities, energies, inverse, data)
    momentum = jax.random.normal(for_momentum, q.shape, q.dtype)
    began = State(q, momentum, *at(q))
    start = _energy(began, inverse)
    steps = jnp.minimum(step_sizes, widths)

    def leap(_: Any, along: tuple[State, Any]) -> tuple[State, Any]:
        state, finite = along
        state = _leapfrog_step(state, steps, at)
        return state, finite & jnp.isfinite(_energy(state, inverse))

    ended, finite = jax.lax.fori_loop(0, n_leapfrog, leap, (began, jnp.isfinite(start)))
    error = jnp.where(finite, _energy(ended, inverse) - start, jnp.inf)
    acceptance = jnp.exp(jnp.minimum(0.0, -error))
    accepted = jax.random.uniform(for_choice, error.shape, error.dtype) < acceptance
    chosen = State(
        *(
            jnp.where(accepted[:, None] if new.ndim > 1 else accepted, new, old)
            for new, old in zip(ended, began, strict=True)
        )
    )
    position = _folded(chosen.position, lower, widths)
    kinetic = 0.5 * jnp.sum(chosen.momentum**2, axis=1)
    return Moved(position, chosen.prior, chosen.likelihood, acceptance, accepted, error, kinetic)


class State(NamedTuple):
    """Where replicas are on their trajectories, and what their densities are there.

    Attributes
    ----------
    position, momentum : array, shape (replicas, size)
        Where, and with which momenta.
    prior, likelihood : array, shape (replicas,)
        Log densities without any temperature.
    slope : array, shape (replicas, size)
        Gradient of the log density at each replica's temperature.
    """

    position: Any
    momentum: Any
    prior: Any
    likelihood: Any
    slope: Any


def _densities(energies: Energies, inverse: Any, data: tuple, position: Any) -> tuple:
    """Log densities of all replicas, and the slope at each one's temperature."""
    import jax
    import jax.numpy as jnp

    of_all = jax.vmap(energies.evaluate, in_axes=(0, *(None for _ in data)))
    prior, likelihood, of_prior, of_likelihood = of_all(position, *data)
    # where nothing is left of the likelihood, its slope need not be finite
    slope = of_prior + jnp.where(inverse[:, None] > 0, inverse[:, None] * of_likelihood, 0.0)
    return prior, likelihood, slope


def _energy(state: State, inverse: Any) -> Any:
    """Potential and kinetic energy at each replica's temperature."""
    import jax.numpy as jnp

    kinetic = 0.5 * jnp.sum(state.momentum**2, axis=1)
    return kinetic - state.prior - jnp.where(inverse > 0, inverse * state.likelihood, 0.0)


def _leapfrog_step(state: State, steps: Any, at: Callable[[Any], tuple]) -> State:
    momentum = state.momentum + 0.5 * steps * state.slope
    position = state.position + steps * momentum
    prior, likelihood, slope = at(position)
    return State(position, momentum + 0.5 * steps * slope, prior, likelihood, slope)


def _folded(q: Any, lower: Any, widths: Any) -> Any:
    """Positions in the first copy of their intervals (Neal 1992, Eqs. 28-29)."""
    import jax.numpy as jnp

    inside = jnp.isfinite(widths)
    width = jnp.where(inside, widths, 1.0)
    distance = jnp.mod(q - lower, 2 * width)
    return jnp.where(inside, lower + width - jnp.abs(distance - width), q)
