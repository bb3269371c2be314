"""Moves of packs with the last layer integrated out: those of single chains, to the last digits."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numba import njit
from pymc_bnn import models, samplers
from pymc_bnn.models.activations import Activation
from pymc_bnn.samplers.batch.network.potential import compile_potential
from pymc_bnn.samplers.batch.network.registers import WIDTH, pointers
from pymc_bnn.samplers.batch.state import allocate_pack, allocate_randomness
from pymc_bnn.samplers.batch.statistics import EVALUATIONS, STATISTICS
from pymc_bnn.samplers.batch.sweep import bind_moves
from pymc_bnn.samplers.compiled import engine
from pymc_bnn.samplers.potential.rest import FEATURES
from pymc_bnn.samplers.potential.temperature import at_temperature
from pymc_bnn.samplers.precisions.collapsed_output import (
    collapsed_energy,
    draw_output_weights,
    features_entry,
    fill_features,
    new_room,
)
from pymc_bnn.samplers.precisions.interweaving import UNIFORMS, interweave
from pymc_bnn.samplers.precisions.output_regression import FORMS

from tests.samplers.packs import POWERS, Both, by_chain

SWEEP = 1  # of the random numbers


@cache
def single_functions(form: str) -> tuple[Callable, Callable]:
    """Moves and draws of single chains, by the matrix of the pack."""
    bound = FORMS[form]
    regression = {
        "fill_features": engine.bind(fill_features, summarize=bound["summarize"]),
        "factorize": bound["factorize"],
    }
    room = engine.bind(new_room, order=bound["order"])
    energy = engine.bind(collapsed_energy, **regression)
    sample = engine.bind(draw_output_weights, sample_weights=bound["sample_weights"], **regression)

    @njit
    def draw(rng, log_precision, q, joint):
        sample(rng, log_precision, q, room(joint), joint)

    return engine.specialize(interweave, allocate=room, rest=energy), draw


@cache
def pack_function(activation: Activation, form: str) -> Callable:
    move = bind_moves(compile_potential(activation, models.GaussianNoise), form)

    @njit
    def run(pack, random, hierarchy, network, counts):
        pack, random = pointers(pack), pointers(random)
        move(pack, random, SWEEP, pointers(hierarchy), pointers(network), counts)

    return run


def network(hidden: tuple[int, ...], cases: int, outputs: int = 1, **arguments: Any) -> models.BNN:
    rng = np.random.default_rng(cases)
    X, y = rng.normal(size=(cases, 2)), rng.normal(size=(cases, outputs))
    return models.BNN(X, y, hidden=hidden, **arguments)


EACH = models.GaussianNoise(sd=0.5, per_output=True)
NETWORKS = {
    "groups": network((3,), 9, prior=models.NormalInverseGamma()),
    "units, two outputs": network((4, 3), 7, 2, prior=models.ARD(), likelihood=EACH),
    "no biases": network((3,), 8, prior=models.NormalInverseGamma(), biases=False),
    "more units than cases": network((9,), 4, prior=models.ARD()),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NETWORKS)
def test_moves_and_draws_are_those_of_single_chains(name: str, form: str) -> None:
    model = NETWORKS[name]
    step = samplers.GibbsHMC(2, collapse=True, model=model)
    both, hierarchy = Both(model, seed=6), step.moving
    logs = np.array([step.precisions.ravel(point) for point in both.points])
    curvature = both.parameters[0].curvature
    pack = allocate_pack(both.q, logs, curvature, hierarchy, both.network, form)
    pack.noise[:] = both.noise(POWERS)
    random, counts = allocate_randomness(pack, 3), np.zeros((WIDTH, len(STATISTICS)))
    both.rng.random(out=random.uniforms)
    for chain, back in ((0, 1), (1, 2), (2, 3)):  # these moves seldom find a shift
        first = random.uniforms_each - back * UNIFORMS
        random.uniforms[chain, SWEEP, first + 3 : first + UNIFORMS] = 0.0
    for chain in range(WIDTH):
        last = random.outputs[chain, SWEEP]
        last[:] = np.random.default_rng(chain).standard_normal(last.size)
    pack_function(model.activation, form)(pack, random, hierarchy, both.network, counts)
    move, draw = single_functions(form)
    entries = {FEATURES: features_entry(model.activation)}
    for chain in range(WIDTH):
        q, log_precision = both.q[chain].copy(), logs[chain].copy()
        chosen = hierarchy.interweaved
        uniforms = random.uniforms[chain, SWEEP, -chosen.size * UNIFORMS :]
        uniforms = uniforms.reshape(chosen.size, UNIFORMS)
        with at_temperature(model, 1 / POWERS[chain] if POWERS[chain] else np.inf):
            data = both.conditional.network_data(both.parameters[chain], entries)
        joint = data, hierarchy
        scales = hierarchy.mean, hierarchy.moves, hierarchy.shape, hierarchy.rate
        passes = move(log_precision, q, *scales, chosen, uniforms, joint)
        draw(np.random.default_rng(chain), log_precision, q, joint)
        moved = (log_precision != logs[chain])[hierarchy.moves.precision]
        assert moved.all() if chain > 2 else moved.any()
        np.testing.assert_allclose(by_chain(pack.log_precision)[chain], log_precision, rtol=1e-8)
        np.testing.assert_allclose(by_chain(pack.q)[chain], q, rtol=1e-7, atol=1e-9)
        # a single chain looks once more where it stays, if a move finds no shift
        assert counts[chain, EVALUATIONS] in ((passes, passes + 1)[chain > 2 :])


@pytest.mark.parametrize("form", FORMS)
def test_energies_after_the_moves_are_those_of_the_likelihood(form: str) -> None:
    """The trajectory that follows is accepted by them."""
    model = NETWORKS["units, two outputs"]
    step = samplers.GibbsHMC(2, model=model)
    both = Both(model, seed=3)
    logs = np.array([step.precisions.ravel(point) for point in both.points])
    curvature = both.parameters[0].curvature
    pack = allocate_pack(both.q, logs, curvature, step.moving, both.network, form)
    pack.noise[:] = both.noise()
    random, counts = allocate_randomness(pack, 2), np.zeros((WIDTH, len(STATISTICS)))
    both.rng.random(out=random.uniforms)
    both.rng.standard_normal(out=random.outputs)
    pack_function(model.activation, form)(pack, random, step.moving, both.network, counts)
    for chain in range(WIDTH):
        f = model["X"].get_value()
        point = step.conditional.layout.unravel(by_chain(pack.q)[chain], both.points[chain])
        for layer in range(3):
            f = f @ point[f"w{layer}"] + point[f"b{layer}"]
            f = np.tanh(f) if layer < 2 else f
        noise = np.exp(by_chain(pack.log_precision)[chain][step.hierarchy.noise])
        np.testing.assert_allclose(by_chain(pack.noise)[chain], [*noise, 1.0], rtol=1e-12)
        energy = 0.5 * (noise * (f - model["y"].get_value()) ** 2).sum()
        assert pack.energy[chain] == pytest.approx(energy, rel=1e-10)


def test_a_chain_that_rounding_spoils_keeps_its_state() -> None:
    """A hidden layer of equal units, whose weights have a vague prior and whose noise is tiny."""
    model, form = NETWORKS["more units than cases"], "weights"
    step = samplers.GibbsHMC(2, collapse=True, model=model)
    both = Both(model, seed=2)
    logs = np.array([step.precisions.ravel(point) for point in both.points])
    spoilt = 3
    both.q[spoilt] = np.sqrt(2.0)  # equal units, whose products are not whole numbers
    logs[spoilt] = -30.0
    logs[spoilt, step.hierarchy.noise] = 30.0
    curvature = both.parameters[0].curvature
    pack = allocate_pack(both.q, logs, curvature, step.moving, both.network, form)
    random, counts = allocate_randomness(pack, 2), np.zeros((WIDTH, len(STATISTICS)))
    both.rng.random(out=random.uniforms)
    both.rng.standard_normal(out=random.outputs)
    pack_function(model.activation, form)(pack, random, step.moving, both.network, counts)
    assert np.isfinite(pack.q).all()
    np.testing.assert_array_equal(by_chain(pack.q)[spoilt], both.q[spoilt])
    np.testing.assert_array_equal(by_chain(pack.log_precision)[spoilt], logs[spoilt])
    assert (by_chain(pack.q) != both.q).any(axis=1).sum() == WIDTH - 1
    entries = {FEATURES: features_entry(model.activation)}
    joint = both.conditional.network_data(both.parameters[spoilt], entries), step.moving
    single_functions(form)[1](
        np.random.default_rng(1), logs[spoilt], q := both.q[spoilt].copy(), joint
    )
    np.testing.assert_array_equal(q, both.q[spoilt])  # as of single chains
