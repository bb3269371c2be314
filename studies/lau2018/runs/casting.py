"""Trajectories all of whose numbers are cast to single precision (Lau 2018, 4.10)."""

from typing import NamedTuple

import numpy as np

from ..design.digits import CLASSES

SHAPE = RATE = 0.5  # of the gamma prior of a precision
SMALL = 0.1  # mean energy error of a step size that is conservative
FIRST_STEP = 0.02

Starts = list[tuple[np.ndarray, np.ndarray]]  # position and momentum


class Posterior(NamedTuple):
    """The thesis's network with output weights ``z / sqrt(precision)``, all numbers of one kind.

    Attributes
    ----------
    X : ndarray, shape (cases, 64)
        Inputs.
    y : ndarray of int, shape (cases,)
        Classes.
    learnt : bool
        Whether the last coordinate is the logarithm of the precision; it is 1 otherwise.
    """

    X: np.ndarray
    y: np.ndarray
    learnt: bool

    def cast(self, kind: type[np.floating]) -> "Posterior":
        """The same in another precision."""
        return self._replace(X=self.X.astype(kind))

    def energy(self, q: np.ndarray) -> tuple[np.floating, np.ndarray]:
        """Potential energy and its gradient, in the precision of the position and the inputs.

        Parameters
        ----------
        q : ndarray
            Input weights, ``z``, and the log precision if it is learnt.
        """
        kind, inputs = q.dtype.type, self.X.shape[1]
        weights = q[:-1] if self.learnt else q
        hidden = weights.size // (inputs + CLASSES)
        w0 = weights[: inputs * hidden].reshape(inputs, hidden)
        z = weights[inputs * hidden :].reshape(hidden, CLASSES)
        sd = np.exp(kind(-0.5) * q[-1]) if self.learnt else kind(1)
        units = np.tanh(self.X @ w0)
        f = units @ (sd * z)
        f -= f.max(axis=1, keepdims=True)
        cases = np.arange(self.y.size)
        total = np.exp(f).sum(axis=1, keepdims=True)
        error = np.exp(f) / total
        energy = kind(0.5) * (weights @ weights) + (np.log(total[:, 0]) - f[cases, self.y]).sum()
        error[cases, self.y] -= kind(1)
        of_outputs = units.T @ error
        of_inputs = self.X.T @ ((error @ (sd * z).T) * (kind(1) - units**2))
        parts = [(w0 + of_inputs).ravel(), (z + sd * of_outputs).ravel()]
        if self.learnt:  # density of the log precision, with that of the change of variables
            precision = np.exp(q[-1])
            energy += kind(RATE) * precision - kind(SHAPE) * q[-1]
            slope = kind(-0.5) * sd * (of_outputs * z).sum() + kind(RATE) * precision - kind(SHAPE)
            parts.append(np.array([slope], kind))
        return energy, np.concatenate(parts)


def end_energy(
    posterior: Posterior, q: np.ndarray, p: np.ndarray, step_size: float, n_leapfrog: int
) -> float:
    """Hamiltonian at the end of a trajectory, all of it in the precision of the inputs.

    Parameters
    ----------
    posterior : Posterior
        What is sampled.
    q, p : ndarray
        Position and momentum of the start, with unit masses.
    step_size : float
        Of a leapfrog step.
    n_leapfrog : int
        How many of them; none gives the Hamiltonian of the start.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.lau2018.runs.casting import Posterior, end_energy
    >>> prior = Posterior(np.zeros((0, 64)), np.zeros(0, int), learnt=False)
    >>> q, p = np.full(148, 0.1), np.full(148, 0.2)
    >>> round(end_energy(prior, q, p, 0.1, 0), 6), round(end_energy(prior, q, p, 0.1, 20), 3)
    (3.7, 3.702)
    """
    kind = posterior.X.dtype.type
    q, p, length = q.astype(kind), p.astype(kind), kind(step_size)
    energy, gradient = posterior.energy(q)
    for _ in range(n_leapfrog):
        p = p - kind(0.5) * length * gradient
        q = q + length * p
        energy, gradient = posterior.energy(q)
        p = p - kind(0.5) * length * gradient
    return float(energy + kind(0.5) * (p @ p))


def conservative_step(posterior: Posterior, starts: Starts, n_leapfrog: int) -> float:
    """Halve a step size until trajectories keep their energy, by 0.1 on average."""
    step_size = FIRST_STEP
    before = np.array([end_energy(posterior, q, p, step_size, 0) for q, p in starts])
    with np.errstate(over="ignore", invalid="ignore"):  # too long a step
        while True:
            after = [end_energy(posterior, q, p, step_size, n_leapfrog) for q, p in starts]
            if np.abs(np.array(after) - before).mean() < SMALL:
                return step_size
            step_size /= 2


def cast_differences(posterior: Posterior, starts: Starts, n_leapfrog: int) -> np.ndarray:
    """Hamiltonians at the ends of trajectories in double less those in single precision.

    Parameters
    ----------
    posterior : Posterior
        What is sampled.
    starts : list of (position, momentum)
        Of the trajectories, which have one step size that keeps their energies.
    n_leapfrog : int
        Leapfrog steps of each.
    """
    double, single = (posterior.cast(kind) for kind in (np.float64, np.float32))
    step_size = conservative_step(double, starts, n_leapfrog)
    ends = [
        [end_energy(kind, q, p, step_size, n_leapfrog) for q, p in starts]
        for kind in (double, single)
    ]
    return np.subtract(*np.array(ends))
