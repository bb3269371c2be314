"""Energy of normal noise as compiled code, for noise with a precision and noise without one."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from ..simd.kernels import jit
from ..simd.lane_memory import load, number, put, store, total, width, zeros
from ..simd.lanes import first_lanes


@jit
def squared_error(plan, k, tau, at, y_at, n):
    """Sum of squared errors of an output; replaces the output by ``tau`` times the error."""
    f, y, block = plan.units, plan.y, plan.block
    squares = zeros(f)
    for c in range(0, block, width(f)):
        here = at + k * block + c
        error = first_lanes(load(f, here) - load(y, y_at + k * block + c), n - c, 0.0)
        squares += error * error
        store(f, here, tau * error)
    return total(squares)


@jit
def gaussian_noise(plan, at, y_at, n):
    r"""Energy :math:`\tfrac12 \sum \tau_k (f_k - y_k)^2`."""
    energy = 0.0
    for k in range(plan.outputs):
        tau = plan.power * number(plan.precision, k)
        energy += 0.5 * tau * squared_error(plan, k, tau, at, y_at, n)
    return energy


@jit
def gaussian_noise_with_squares(plan, at, y_at, n):
    """The same; adds the squared errors of each output to numbers behind the precisions."""
    energy, outputs = 0.0, plan.outputs
    for k in range(outputs):
        tau = plan.power * number(plan.precision, k)
        squares = squared_error(plan, k, tau, at, y_at, n)
        put(plan.precision, outputs + k, number(plan.precision, outputs + k) + squares)
        energy += 0.5 * tau * squares
    return energy
