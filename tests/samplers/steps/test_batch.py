"""Chains in packs: the numbers of single chains, chains that do not see each other, results."""

import itertools
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
import pymc as pm
import pytest
from numba import njit
from pymc.exceptions import SamplingError
from pymc_bnn import models, samplers
from pymc_bnn.models.activations import ACTIVATIONS
from pymc_bnn.samplers.batch import sampling as batches
from pymc_bnn.samplers.batch.adaptation import learn, start_factors
from pymc_bnn.samplers.batch.chains import BatchOfChains
from pymc_bnn.samplers.batch.interweaving import interweave as batch_interweave
from pymc_bnn.samplers.batch.leapfrog import bind_leapfrog
from pymc_bnn.samplers.batch.network.potential import compile_potential, workspace
from pymc_bnn.samplers.batch.network.registers import WIDTH, pointers, room_for
from pymc_bnn.samplers.batch.state import allocate_pack, allocate_randomness
from pymc_bnn.samplers.batch.statistics import EVALUATIONS, STATISTICS
from pymc_bnn.samplers.batch.step_sizes import neal_step_sizes
from pymc_bnn.samplers.batch.step_sizes import workspace as step_workspace
from pymc_bnn.samplers.batch.sweep import energy_of_weights
from pymc_bnn.samplers.compiled import engine
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.dynamics.leapfrog import compile_leapfrog
from pymc_bnn.samplers.potential.layout import Layout
from pymc_bnn.samplers.potential.rest import called_with_gradient, words_of
from pymc_bnn.samplers.precisions.conjugacy import conjugate_names
from pymc_bnn.samplers.precisions.hierarchy import find_hierarchy
from pymc_bnn.samplers.precisions.interweaving import UNIFORMS, compile_moves, interweave
from pymc_bnn.samplers.pymc_steps import DualAverageAdaptation
from pymc_bnn.samplers.starts import dispersed_starts
from pymc_bnn.samplers.step_sizes.curvature import NealStepSizes
from scipy.stats import kstest
from xarray import DataTree

from tests.samplers.geweke import WIDEST
from tests.samplers.packs import LIKELIHOODS, POWERS, Both, by_chain, lanes, network

QUIET = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}


@cache
def compiled_pack(activation: str, likelihood: type[models.Likelihood]) -> Callable:
    energy, add_gradient, *_ = compile_potential(ACTIVATIONS[activation], likelihood)

    @njit
    def run(q, noise, room, network, out, gradient):
        q, noise, room = pointers(q), pointers(noise), pointers(room)
        energy(q, noise, room, pointers(network), pointers(out))
        add_gradient(q, noise, room, pointers(network), pointers(gradient))

    return run


@njit
def single(q, gradient, data):
    return called_with_gradient(q, gradient, words_of(data))


DEPTHS: list[tuple[tuple[int, ...], int]] = [((), 5), ((3,), 8), ((4, 3), 9), ((2, 5, 3), 4)]
NETWORKS = [
    *((likelihood, *depth, "tanh") for likelihood in LIKELIHOODS for depth in DEPTHS),
    *(("gaussian_noise", (4, 3), 7, name) for name in ACTIVATIONS if name != "tanh"),
]


@pytest.mark.parametrize(("likelihood", "hidden", "cases", "activation"), NETWORKS)
def test_energies_and_gradients_are_those_of_single_chains(
    likelihood: str, hidden: tuple[int, ...], cases: int, activation: str
) -> None:
    both = Both(network(likelihood, hidden, cases, activation))
    names = activation, type(both.model.likelihood)
    energies, gradient, room = room_for(1), room_for(both.size), workspace(both.network.sizes)
    noise, run = both.noise(POWERS), compiled_pack(*names)
    run(lanes(both.q), noise, room, both.network, energies, gradient)
    gradients = by_chain(gradient)
    for chain in range(WIDTH):
        gradient = np.empty(both.size)
        energy = single(both.q[chain].copy(), gradient, both.data(chain, power=POWERS[chain]))
        assert energies[chain] == pytest.approx(energy, rel=1e-12)
        error = 1e-12 * np.abs(gradient).max()
        np.testing.assert_allclose(gradients[chain], gradient, rtol=1e-12, atol=error)


@pytest.fixture(scope="module")
def both() -> Both:
    return Both(network("gaussian_noise", (4, 3), 7), seed=3)


@cache
def compiled_path(activation: str) -> Callable:
    potential = compile_potential(ACTIVATIONS[activation], models.GaussianNoise)
    parts = bind_leapfrog(potential.add_gradient)
    slope, move = parts["slope"], parts["follow"]

    @njit
    def run(q, p, steps, n, mean, precision, noise, gradient, room, network):
        given = (
            pointers(mean),
            pointers(precision),
            (pointers(noise), pointers(room), pointers(network)),
        )
        slope(pointers(q), pointers(gradient), mean.size, *given)
        move(pointers(q), pointers(p), pointers(gradient), n, mean.size, pointers(steps), *given)

    return run


def follow(both: Both, q: np.ndarray, p: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    q, p = lanes(q), lanes(p)
    steps, mean = lanes(step_sizes(both)), both.parameters[0].mean
    noise, room = both.noise(), workspace(both.network.sizes)
    precision, gradient = both.vectors("precision"), room_for(both.size)
    run = compiled_path(both.model.activation.name)
    run(q, p, steps, n, mean, precision, noise, gradient, room, both.network)
    return by_chain(q), by_chain(p)


def step_sizes(both: Both) -> np.ndarray:
    scale = 0.2 * np.exp(0.3 * np.random.default_rng(5).normal(size=both.q.shape))
    return scale * np.array([NealStepSizes(both.conditional)(p) for p in both.parameters])


def test_trajectories_are_those_of_single_chains(both: Both) -> None:
    p = both.rng.normal(size=both.q.shape)
    q_end, p_end = follow(both, both.q, p, 40)
    single, steps = compile_leapfrog(both.conditional, both.rest), step_sizes(both)
    for chain, parameters in enumerate(both.parameters):
        arguments = steps[chain], 40, parameters.mean, parameters.precision, both.data(chain)
        q_one, p_one, *_ = single(both.q[chain].copy(), p[chain].copy(), *arguments)
        assert np.abs(q_one - both.q[chain]).max() > 0.1
        np.testing.assert_allclose(q_end[chain], q_one, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(p_end[chain], p_one, rtol=1e-10, atol=1e-10)


def test_a_diverging_chain_does_not_disturb_the_others(both: Both) -> None:
    p = both.rng.normal(size=both.q.shape)
    undisturbed = follow(both, both.q, p, 10)
    p[3] *= 1e200
    disturbed = follow(both, both.q, p, 10)
    assert not np.isfinite(disturbed[0][3]).all()
    others = np.arange(WIDTH) != 3
    for a, b in zip(undisturbed, disturbed, strict=True):
        np.testing.assert_array_equal(a[others], b[others])


@pytest.mark.parametrize(
    ("likelihood", "hidden"), [("gaussian_noise", (4, 3)), ("categorical", ())]
)
def test_step_sizes_are_those_of_single_chains(likelihood: str, hidden: tuple[int, ...]) -> None:
    both = Both(network(likelihood, hidden, 7, "softplus"))

    @njit
    def run(precision, weights, curvature, network, room, out):
        precision, curvature, room = pointers(precision), pointers(curvature), pointers(room)
        neal_step_sizes(precision, weights, curvature, pointers(network), room, pointers(out))

    out, room = room_for(both.size), step_workspace(both.network.sizes)
    curvature = both.vectors("curvature")
    run(both.vectors("precision"), both.size, curvature, both.network, room, out)
    single = [NealStepSizes(both.conditional)(p) for p in both.parameters]
    np.testing.assert_allclose(by_chain(out), single, rtol=1e-13)


def test_interweaving_is_that_of_single_chains() -> None:
    both = Both(network("gaussian_noise", (4, 3), 7), seed=6)
    model, hierarchy = (
        both.model,
        find_hierarchy(both.conditional, interweave=True, step="GibbsHMC"),
    )
    precisions = Layout(model, conjugate_names(model))
    logs = np.array([precisions.ravel(point) for point in both.points])
    pack = allocate_pack(both.q, logs, both.parameters[0].curvature, hierarchy, both.network)
    pack.noise[:] = both.noise()
    random, counts = allocate_randomness(pack, 3), np.zeros((WIDTH, len(STATISTICS)))
    both.rng.random(out=random.uniforms)
    names = model.activation, type(model.likelihood)
    likelihood = compile_potential(*names).energy
    energy = engine.bind(energy_of_weights, likelihood_of_pack=likelihood)
    move = engine.bind(batch_interweave, energy_of=energy)
    rest = both.conditional.compile_rest(gradient=False)
    alone = engine.specialize(interweave, **compile_moves(rest))

    @njit
    def run(pack, random, hierarchy, network, counts):
        pack, random = pointers(pack), pointers(random)
        hierarchy, network = pointers(hierarchy), pointers(network)
        energy(pack, pack.q, pack.log_precision, hierarchy, network, pack.energy)
        move(pack, random, 1, hierarchy, network, counts)

    run(pack, random, hierarchy, both.network, counts)
    scales = hierarchy.mean, hierarchy.moves, hierarchy.shape, hierarchy.rate
    for chain in range(WIDTH):
        q, log_precision = both.q[chain].copy(), logs[chain].copy()
        moves = hierarchy.interweaved
        uniforms = random.uniforms[chain, 1, -moves.size * UNIFORMS :].reshape(moves.size, -1)
        data = both.data(chain, rest)
        passes = alone(log_precision, q, *scales, moves, uniforms, data)
        assert (log_precision != logs[chain])[hierarchy.moves.precision].all()
        np.testing.assert_allclose(by_chain(pack.log_precision)[chain], log_precision, rtol=1e-10)
        np.testing.assert_allclose(by_chain(pack.q)[chain], q, rtol=1e-10)
        assert counts[chain, EVALUATIONS] == passes


def test_factors_are_learnt_as_by_single_chains() -> None:
    rng = np.random.default_rng(1)
    factors = start_factors(0.3, 0.8)
    singles = [DualAverageAdaptation(0.3, 0.8, 0.05, 0.75, 10) for _ in range(WIDTH)]
    for acceptance in rng.random((20, WIDTH)):
        for chain, single in enumerate(singles):
            learn(factors, chain, acceptance[chain])
            single.update(acceptance[chain], True)
    for logs, tune in ((factors.log_factor, True), (factors.log_mean, False)):
        expected = [single.current(tune) for single in singles]
        np.testing.assert_allclose(np.exp(logs), expected, rtol=1e-12)


def batch_of(
    step: samplers.GibbsHMC, chains: Iterable[int], tune: int, draws: int, seed: int = 1
) -> BatchOfChains:
    """Some of many chains, in the order given."""
    begin, generators = np.random.default_rng(seed).spawn(2)
    starts, rngs = dispersed_starts(step.model, 20, begin), generators.spawn(20)
    chains = list(chains)
    batch = BatchOfChains(step, [starts[i] for i in chains], [rngs[i] for i in chains], tune, draws)
    for _ in batch.blocks():
        pass
    return batch


@pytest.fixture(scope="module")
def step() -> samplers.GibbsHMC:
    options = {"n_leapfrog": 9, "thin": 2, "jitter": "uniform", "target_accept": 0.8}
    return samplers.GibbsHMC(model=network("gaussian_noise", (4, 3), 7), **options)


@pytest.mark.parametrize("chains", [range(3), range(11), [12, 2, 5, 0, 1, 7, 19, 3, 11]])
def test_draws_of_a_chain_do_not_depend_on_the_batch(
    chains: Iterable[int], step: samplers.GibbsHMC
) -> None:
    everything, some = batch_of(step, range(20), 30, 30), batch_of(step, chains, 30, 30)
    for i, chain in enumerate(chains):
        for whole, part in zip(everything.records, some.records, strict=True):
            np.testing.assert_array_equal(whole[chain], part[i])
    assert len({draws.tobytes() for draws in everything.records.q}) == 20


def test_draws_do_not_depend_on_how_many_follow(step: samplers.GibbsHMC) -> None:
    few, many = batch_of(step, range(8), 10, 10), batch_of(step, range(8), 10, 3000)
    np.testing.assert_array_equal(few.records.q, many.records.q[:, :20])
    assert many.block_draws < 3000


def test_random_numbers_are_new_for_every_sweep_of_every_chain(step: samplers.GibbsHMC) -> None:
    starts, rngs = [initial_point(step.model)] * 11, np.random.default_rng(1).spawn(11)
    batch = BatchOfChains(step, starts, rngs, 0, 1)
    full, last = batch.packs
    arrays = {
        name: getattr(full.random, name) for name in ("normals", "gammas", "uniforms", "outputs")
    }
    arrays["jitter"] = full.random.jitter
    blocks = []
    for _ in range(3):
        batch._draw_randomness(full)
        blocks.append({name: array.copy() for name, array in arrays.items()})
    drawn = {name: np.stack([block[name] for block in blocks]) for name in arrays}
    for name, numbers in drawn.items():
        assert np.unique(numbers).size == numbers.size, name
    assert kstest(drawn["uniforms"].ravel(), "uniform").pvalue > 1e-4
    for name in ("normals", "outputs"):
        assert kstest(drawn[name].ravel(), "norm").pvalue > 1e-4
    for j, shape in enumerate(batch.gamma_shapes):
        assert kstest(drawn["gammas"][..., j].ravel(), "gamma", (shape,)).pvalue > 1e-4
    batch._draw_randomness(last)
    for name in arrays:
        numbers = getattr(last.random, name)
        assert np.unique(numbers[:3]).size == numbers[:3].size, name
        np.testing.assert_array_equal(numbers[3:], numbers[[2] * 5])


def test_moves_of_a_large_layer_take_turns() -> None:
    rng = np.random.default_rng(4)
    model = models.ard(rng.normal(size=(4, 40)), rng.normal(size=4), hidden=(2,))
    batch = batch_of(samplers.GibbsHMC(n_leapfrog=2, model=model), range(8), 0, 3)
    [chains, *_] = batch.packs
    pack = chains.state[0]
    assert pack.moves.shape == (8, 32)
    assert pack.order.shape[1] > 40
    for moves, order in zip(pack.moves, pack.order, strict=True):
        assert len(set(moves)) == 32
        assert sorted(order) == sorted(batch.step.moving.interweaved)
    assert len({tuple(moves) for moves in pack.moves}) == 8


@pytest.mark.parametrize("likelihood", ["bernoulli", "categorical"])
def test_classifiers_get_the_posterior_of_single_chains(likelihood: str) -> None:
    model = network(likelihood, (2,), 9)
    step = samplers.GibbsHMC(n_leapfrog=8, step_scale=0.7, thin=2, model=model)
    batch = batch_of(step, range(16), 100, 400)
    idata = samplers.sample(
        model, draws=3200, tune=100, chains=2, cores=1, seed=3, step=step, **QUIET
    )
    single = np.log([idata["posterior"][f"{g}_precision"].values for g in model.groups])
    many = np.moveaxis(batch.records.log_precision[:, 100:], -1, 0)
    for a, b in zip(single, many, strict=True):
        error = np.hypot(*(float(pm.stats.mcse(x, method="mean")) for x in (a, b)))
        assert abs(a.mean() - b.mean()) < WIDEST * error


def described(tree: DataTree) -> dict[str, Any]:
    """Groups of a result with names, types, sizes and attributes."""
    found: dict[str, Any] = {"": set(tree.attrs)}
    for name, group in tree.children.items():
        variables = {k: (v.dtype, v.dims, v.shape) for k, v in group.dataset.variables.items()}
        found[name] = list(variables), variables, set(group.attrs)
    return found


@pytest.fixture(scope="module")
def decorated() -> models.BNN:
    with models.ard(np.eye(5), np.arange(5.0), hidden=(2,)) as model:
        pm.Deterministic("slope", model["w0"].sum() * model["noise_precision"])
        pm.Deterministic("squares", model["w1"] ** 2)
    return model


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"discard_tuned_samples": False},
        {"var_names": ["slope", "w0_precision"]},
        {"idata_kwargs": {"include_transformed": True}},
    ],
    ids=lambda options: next(iter(options), "defaults"),
)
def test_result_is_what_pm_sample_gives(
    options: dict, decorated: models.BNN, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = {"draws": 9, "tune": 10, "chains": 9, "cores": 1, "seed": 1, "n_leapfrog": 3}
    arguments |= {"thin": 2, **QUIET, **options}
    ours = samplers.sample(decorated, **arguments)
    monkeypatch.setattr(batches, "is_faster", lambda *_: False)
    theirs = samplers.sample(decorated, **arguments)
    a, b = described(ours), described(theirs)
    for name in b:
        if name.endswith("sample_stats"):  # PyMC takes the names from a set
            assert set(a[name][0]) == set(b[name][0])
            assert a[name][1:] == b[name][1:]
        else:
            assert a[name] == b[name], name
    assert list(a) == list(b)
    assert (ours["sample_stats"]["n_steps"] == 6).all()


@pytest.mark.parametrize(
    ("cases", "hidden", "likelihood", "options", "faster"),
    [
        (64, 8, "gaussian_noise", {}, True),
        (65, 8, "gaussian_noise", {}, False),
        (64, 20, "gaussian_noise", {}, False),
        (8, 12, "gaussian_noise", {}, True),
        (8, 13, "gaussian_noise", {}, True),  # by the matrix of the cases
        (8, 13, "gaussian_noise", {"collapse": False}, True),
        (8, 8, "gaussian_noise", {"collapse": True}, True),
        (64, 8, "bernoulli", {}, True),
        (65, 8, "bernoulli", {}, False),
        (64, 20, "bernoulli", {}, False),
    ],
)
def test_batch_is_taken_where_it_gives_more_effective_draws_per_second(
    cases: int, hidden: int, likelihood: str, options: dict[str, Any], faster: bool
) -> None:
    X = np.random.default_rng(1).normal(size=(cases, 6))
    y = (X[:, 0] > 0).astype(int) if likelihood == "bernoulli" else X[:, 0]
    model = models.normal_inverse_gamma(X, y, hidden=(hidden,), likelihood=likelihood)
    step = samplers.GibbsHMC(2, model=model, **options)
    assert batches.is_faster([step], 16, 1) is faster
    assert not batches.is_faster([step], 7, 1)


def test_a_start_of_density_zero_is_refused(step: samplers.GibbsHMC) -> None:
    initvals = {"w1": np.full((4, 3), 1e200)}
    with pytest.raises(SamplingError, match=r"batch of chains cannot start: the log density of w1"):
        batches.sample_batch(
            step, 9, 10, 9, 1, np.random.default_rng(1), initvals=initvals, **QUIET
        )


def test_statistics_have_the_types_that_the_step_declares(step: samplers.GibbsHMC) -> None:
    rng = np.random.default_rng(1)
    tree = batches.sample_batch(step, 9, 10, 9, 1, rng, discard_tuned_samples=False, **QUIET)
    names = {name: {"model_logp": "lp"}.get(name, name) for name in step.stats_dtypes_shapes}
    for group, draws in (("sample_stats", 9), ("warmup_sample_stats", 10)):
        stats = tree[group].dataset
        for name, (dtype, shape) in step.stats_dtypes_shapes.items():
            assert stats[names[name]].dtype == np.dtype(dtype), name
            assert stats[names[name]].shape == (9, draws, *shape), name
        assert set(names.values()) <= set(stats)


def test_acceptance_is_that_of_metropolis() -> None:
    model = network("gaussian_noise", (3,), 9)
    step = samplers.GibbsHMC(n_leapfrog=3, step_scale=1.4, thin=1, model=model)
    tree = batches.sample_batch(step, 40, 0, 9, 1, np.random.default_rng(1), **QUIET)
    found = tree["sample_stats"]
    expected = np.minimum(1.0, np.exp(-found["energy_error"]))
    assert expected.min() < 0.5
    np.testing.assert_allclose(found["acceptance_rate"], expected, rtol=1e-12)


def test_recorded_values_belong_together(decorated: models.BNN) -> None:
    idata = samplers.sample(
        decorated, draws=9, tune=5, chains=9, cores=1, seed=1, n_leapfrog=5, **QUIET
    )
    logp = decorated.compile_logp(mode="FAST_COMPILE")
    for chain, draw in itertools.product((0, 8), (0, 4)):
        values = {k: v.values[chain, draw] for k, v in idata["posterior"].data_vars.items()}
        point = {}
        for name in initial_point(decorated):
            free = name.removesuffix("_log__")
            point[name] = np.asarray(np.log(values[free]) if name != free else values[free])
        recorded = float(idata["sample_stats"]["lp"][chain, draw])
        assert recorded == pytest.approx(float(logp(point)), rel=1e-9)
        slope = values["w0"].sum() * values["noise_precision"]
        assert values["slope"] == pytest.approx(slope, rel=1e-12)
        np.testing.assert_allclose(values["squares"], values["w1"] ** 2, rtol=1e-12)


def test_divergences_are_counted_after_warm_up() -> None:
    model = network("gaussian_noise", (2,), 5)
    step = samplers.GibbsHMC(n_leapfrog=5, step_scale=1.5, model=model)
    idata = batches.sample_batch(step, 60, 20, 9, 1, np.random.default_rng(1), **QUIET)
    stats = idata["sample_stats"]
    assert 0 < int(stats["diverging"].sum()) < stats["diverging"].size
    np.testing.assert_array_equal(stats["divergences"], stats["diverging"].cumsum("draw"))
    assert np.isfinite(stats["lp"]).all()


def test_threads_give_the_same_draws(step: samplers.GibbsHMC) -> None:
    options = {"draws": 40, "tune": 20, "chains": 17, **QUIET}
    one, two = (
        batches.sample_batch(step, cores=cores, rng=np.random.default_rng(1), **options)
        for cores in (1, 2)
    )
    assert one["posterior"].dataset.equals(two["posterior"].dataset)


def test_interrupted_chains_have_the_same_length(
    step: samplers.GibbsHMC, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BatchOfChains, "block_draws", 7)
    advance, calls = BatchOfChains._advance, itertools.count()

    def interrupted(self: BatchOfChains, *arguments: Any) -> None:
        if next(calls) == 7:  # in the second pack of the fourth block
            raise KeyboardInterrupt
        advance(self, *arguments)

    monkeypatch.setattr(BatchOfChains, "_advance", interrupted)
    rng = np.random.default_rng(1)
    idata = batches.sample_batch(step, 100, 7, 12, 1, rng, **QUIET)
    assert dict(idata["posterior"].sizes)["draw"] == 14
    assert dict(idata["posterior"].sizes)["chain"] == 12
    assert idata["posterior"].attrs["tuning_steps"] == 7


def test_initial_values_start_the_chains(step: samplers.GibbsHMC) -> None:
    weights = np.full(step.model.groups["w0"].shape, 3.0)
    for given in ({"w0": weights}, [{"w0": weights}] * 9):
        tiny = samplers.GibbsHMC(1, 1e-9, model=step.model, interweave=False)
        rng = np.random.default_rng(1)
        idata = batches.sample_batch(tiny, 9, 0, 9, 1, rng, initvals=given, **QUIET)
        np.testing.assert_allclose(idata["posterior"]["w0"], 3.0, rtol=1e-6)


def test_progress_and_messages_are_shown(
    step: samplers.GibbsHMC,
    capsys: pytest.CaptureFixture,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    with caplog.at_level("INFO", logger="pymc"):
        batches.sample_batch(
            *(step, 150, 150, 9, 1, np.random.default_rng(1)), compute_convergence_checks=False
        )
    assert "Batch sampling (9 chains, 8 at a time)" in caplog.text
    assert "Sampling 9 chains" in caplog.text
    assert "Divergences" in capsys.readouterr().out


def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., bool]:
    """Choose how to sample, and say whether that was a batch."""
    called = []

    def sample_batch(*arguments: Any, **options: Any) -> DataTree:
        called.append(True)
        return DataTree()

    monkeypatch.setattr(batches, "sample_batch", sample_batch)
    monkeypatch.setattr(pm, "sample", lambda **given: None)
    monkeypatch.setattr(samplers.NUTS, "_compile", lambda step: None)

    def was_batch(model: models.BNN, **options: Any) -> bool:
        called.clear()
        samplers.sample(model, draws=9, tune=0, cores=1, seed=1, **QUIET, **options)
        return bool(called)

    return was_batch


def test_many_chains_of_a_small_network_are_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    was_batch, model = counted(monkeypatch), network("gaussian_noise", (2,), 5)
    assert was_batch(model, chains=8, n_leapfrog=2)
    assert not was_batch(model, chains=7, n_leapfrog=2)
    assert not was_batch(model, chains=8, n_leapfrog=2, callback=lambda **_: None)
    assert not was_batch(model, chains=8, step=samplers.GibbsHMC(2, model=model))
    assert not was_batch(network("gaussian_noise", (2,), 65), chains=8, n_leapfrog=2)
    assert not was_batch(models.horseshoe(np.eye(4), np.arange(4.0), hidden=(1,)), chains=8)


def test_options_of_the_steps_are_taken_or_refused() -> None:
    model = network("gaussian_noise", (2,), 5)
    idata = samplers.sample(
        model, draws=2, tune=0, chains=1, cores=1, n_leapfrog=3, thin=4, **QUIET
    )
    assert (idata["sample_stats"]["n_steps"] == 12).all()
    for options in ({"method": "nuts"}, {"step": samplers.GibbsHMC(2, model=model)}):
        with pytest.raises(ValueError, match="n_leapfrog"):
            samplers.sample(model, n_leapfrog=3, **options)


def test_unknown_variables_are_refused(step: samplers.GibbsHMC) -> None:
    with pytest.raises(ValueError, match="var_names: the model has no w7"):
        batches.sample_batch(
            *(step, 2, 0, 8, 1, np.random.default_rng(1)), var_names=["w7"], **QUIET
        )
