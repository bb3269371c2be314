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
        Of intervals whose walls reflect (see :class:`...step_sizes.ReflectingWalls`).

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

    of_all = jax.vmap(energies.evaluate, in_axes=(0, *(None for _ in data)))
    steps = jnp.minimum(step_sizes, widths)

    def at(position: Any) -> tuple[Any, Any, Any]:
        """Log densities, and the slope at each replica's temperature."""
        prior, likelihood, of_prior, of_likelihood = of_all(position, *data)
        # where nothing is left of the likelihood, its slope need not be finite
        warm = inverse[:, None] > 0
        slope = of_prior + jnp.where(warm, inverse[:, None] * of_likelihood, 0.0)
        return prior, likelihood, slope

    def total(prior: Any, likelihood: Any, momentum: Any) -> Any:
        kinetic = 0.5 * jnp.sum(momentum**2, axis=1)
        return kinetic - prior - jnp.where(inverse > 0, inverse * likelihood, 0.0)

    def leap(_: Any, state: tuple) -> tuple:
        position, momentum, _, _, slope, finite = state
        momentum = momentum + 0.5 * steps * slope
        position = position + steps * momentum
        prior, likelihood, slope = at(position)
        momentum = momentum + 0.5 * steps * slope
        finite = finite & jnp.isfinite(total(prior, likelihood, momentum))
        return position, momentum, prior, likelihood, slope, finite

    key = jax.random.fold_in(jax.random.key(seed), count)
    for_momentum, for_choice = jax.random.split(key)
    momentum = jax.random.normal(for_momentum, q.shape, q.dtype)
    prior, likelihood, slope = at(q)
    start = total(prior, likelihood, momentum)
    began = q, momentum, prior, likelihood, slope, jnp.isfinite(start)
    ended = jax.lax.fori_loop(0, n_leapfrog, leap, began)
    error = jnp.where(ended[-1], total(ended[2], ended[3], ended[1]) - start, jnp.inf)
    acceptance = jnp.exp(jnp.minimum(0.0, -error))
    accepted = jax.random.uniform(for_choice, error.shape, error.dtype) < acceptance
    chosen = [
        jnp.where(accepted[:, None] if new.ndim > 1 else accepted, new, old)
        for new, old in zip(ended[:4], began[:4], strict=True)
    ]
    kinetic = 0.5 * jnp.sum(chosen[1] ** 2, axis=1)
    position = _folded(chosen[0], lower, widths)
    return Moved(position, chosen[2], chosen[3], acceptance, accepted, error, kinetic)


def _folded(q: Any, lower: Any, widths: Any) -> Any:
    """Positions in the first copy of their intervals (Neal 1992, Eqs. 28-29)."""
    import jax.numpy as jnp

    inside = jnp.isfinite(widths)
    width = jnp.where(inside, widths, 1.0)
    distance = jnp.mod(q - lower, 2 * width)
    return jnp.where(inside, lower + width - jnp.abs(distance - width), q)
