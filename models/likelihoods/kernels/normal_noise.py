"""Energy of normal noise as compiled code, for noise with a precision and noise without one."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from ...simd import registers
from ...simd.kernels import jit
from ...simd.lane_memory import load, number, put, store, total, width, zeros
from ...simd.lanes import first_lanes
from ...simd.registers import TILE, repeat
from .kernel import Kernel, OfChains


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


@jit
def energy_of_chains(f, at, y, y_at, noise, outputs, cases):
    """The same energy, of each of eight chains."""
    energy = repeat(0.0)
    for k in range(outputs):
        squares = repeat(0.0)
        for c in range(cases):
            error = registers.load(f, at + k * TILE + c) - number(y, y_at + k * TILE + c)
            squares += error * error
        energy += 0.5 * registers.load(noise, k) * squares
    return energy


@jit
def derivative_of_chains(f, at, y, y_at, noise, outputs, cases):
    """Replace the outputs of eight chains by the derivative."""
    for k in range(outputs):
        precision = registers.load(noise, k)
        for c in range(TILE):
            i = k * TILE + c
            error = registers.load(f, at + i) - number(y, y_at + i)
            registers.store(f, at + i, precision * error if c < cases else repeat(0.0))


NORMAL_KERNEL = Kernel(
    gaussian_noise,
    gaussian_noise_with_squares,
    of_chains=OfChains(energy_of_chains, derivative_of_chains),
)
