"""Hold kernels of a pack of chains against PyTensor's graph, as :mod:`..potential.agreement`."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numpy as np
from pymc.blocking import PointType

from ..compiled import engine
from ..compiled.memory import remembered
from ..potential.agreement import TEMPERATURES, check_conditionals, check_energy, random_points
from ..potential.recognition import likelihood_of
from ..potential.temperature import at_temperature
from ..steps.gibbs_hmc import GibbsHMC
from .network.potential import Network, compile_potential
from .network.registers import WIDTH, pointers
from .state import allocate_pack
from .updates import fill_rates

energy_of = add_gradient = rates_of = engine.bound_later


def probe(pack, hierarchy, network):
    """Fill energies, gradients of the likelihood, and rates of the precisions."""
    pack, hierarchy, network = pointers(pack), pointers(hierarchy), pointers(network)
    energy_of(pack.q, pack.noise, pack.room, network, pack.energy)
    add_gradient(pack.q, pack.noise, pack.room, network, pack.gradient)
    rates_of(pack, hierarchy, network)


def check_batch(step: GibbsHMC, network: Network) -> None:
    """Compare what a pack computes with the model's graph, once per model.

    Parameters
    ----------
    step : GibbsHMC
        The step whose chains are sampled as a batch.
    network : Network
        The model's data, as the pack has them.

    Raises
    ------
    DisagreementError
        If energy, gradient or a conditional distribution differ; the message names the term.
    """
    remembered(step.model, "batch agrees", lambda: _check(step, network))


def _check(step: GibbsHMC, network: Network) -> None:
    name, activation = "a batch of chains", step.model.activation
    potential = compile_potential(activation, likelihood_of(step.model))
    compiled = engine.specialize(
        probe,
        energy_of=potential.energy,
        add_gradient=potential.add_gradient,
        rates_of=engine.bind(fill_rates, squares_of=potential.squares),
    )

    def at(point: PointType) -> tuple[float, np.ndarray, np.ndarray]:
        parameters, power = step.conditional.parameters(point), step.conditional.power
        q, log_precision = step.conditional.layout.ravel(point), step.precisions.ravel(point)
        lanes = [np.tile(vector, (WIDTH, 1)) for vector in (q, log_precision)]
        pack = allocate_pack(lanes[0], lanes[1], parameters.curvature, step.hierarchy, network)
        pack.noise[:] = np.repeat([*(power * parameters.curvature), power], WIDTH)
        compiled(pack, step.hierarchy, network)
        energy, gradient = parameters.normal_priors(q)
        return (
            energy + float(pack.energy[0]),
            gradient + pack.gradient[::WIDTH],
            pack.rate[::WIDTH],
        )

    for point, temperature in zip(random_points(step.model), TEMPERATURES, strict=False):
        with at_temperature(step.model, temperature):
            check_energy(step.conditional, point, *at(point)[:2], name)
    shapes, precisions = step.closed_form.shapes, step.precisions
    check_conditionals(step.model, precisions, lambda p: (shapes(), at(p)[2]), name)
