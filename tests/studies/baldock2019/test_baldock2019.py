"""The networks, budgets and runs of the study of Baldock and Marzari."""

from typing import Any
from urllib.error import URLError

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.potential.conditional import Conditional
from pymc_bnn.samplers.potential.rest import compile_probe
from pymc_bnn.samplers.potential.temperature import at_temperature
from pymc_bnn.studies.baldock2019.design import images
from pymc_bnn.studies.baldock2019.design.budgets import BUDGETS
from pymc_bnn.studies.baldock2019.design.images import cases
from pymc_bnn.studies.baldock2019.design.logistic_outputs import LogisticOutputs
from pymc_bnn.studies.baldock2019.design.networks import (
    FLOOR,
    NETWORKS,
    start,
    walls_of,
)
from pymc_bnn.studies.baldock2019.design.printed import LOG_VOLUME
from pymc_bnn.studies.baldock2019.design.sweeps import Sweep
from pymc_bnn.studies.baldock2019.runs import bridging
from pymc_bnn.studies.baldock2019.runs.measuring import measure
from pymc_bnn.studies.baldock2019.runs.stages import stages_of
from pymc_bnn.studies.baldock2019.runs.sweeps import static
from pymc_bnn.studies.errors import InputError
from pymc_bnn.studies.tables import datasets
from scipy.special import expit, softmax

RNG_SEED = 4
CLASSES = 10


@pytest.fixture(scope="module")
def squashed() -> models.BNN:
    data = cases(50)
    return NETWORKS["M3star"].build(data.X[:, :3], data.y)


def test_each_digit_is_trained_on_equally_often_and_the_rest_tests() -> None:
    data = cases(500)
    assert np.bincount(data.y).tolist() == [50] * CLASSES
    assert len(data.y_test) == 4500
    assert not {row.tobytes() for row in data.X} & {row.tobytes() for row in data.X_test}
    assert cases(500).X is data.X


def test_large_sets_are_of_all_of_mnist(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first images are those to train on; the paper's set of 5000 is fetched before all."""
    pixels = np.random.default_rng(2).integers(256, size=(400, 784)).astype(float)
    digits = np.arange(400) % CLASSES

    def fetch(name: str, **options: Any) -> tuple[np.ndarray, np.ndarray]:
        assert (name, options["version"]) == ("mnist_784", 1)
        return pixels, digits.astype(str)

    monkeypatch.setattr(datasets.sklearn_datasets, "fetch_openml", fetch)
    monkeypatch.setattr(images, "MOST_SHIPPED", 40)
    monkeypatch.setattr(images, "TRAINING", 300)
    found = images.cases.__wrapped__(100)
    assert np.bincount(found.y).tolist() == [10] * CLASSES
    assert len(found.y_test) == 300
    everything, _ = datasets.whole_mnist()
    scaled = ((everything - everything.mean()) / everything.std()).reshape(400, -1)
    np.testing.assert_array_equal(found.X_test[-100:], scaled[300:])  # none is trained on
    assert {row.tobytes() for row in found.X} <= {row.tobytes() for row in scaled[:300]}
    assert next(iter(stages_of(BUDGETS["paper"], 0))) == "images"
    assert "images" not in stages_of(BUDGETS["desk"], 0)


def test_without_a_network_large_sets_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*given: Any, **options: Any) -> None:
        raise URLError("no network")

    monkeypatch.setattr(datasets.sklearn_datasets, "fetch_openml", unreachable)
    with pytest.raises(InputError, match=r"all of MNIST comes from openml\.org.* a budget without"):
        images.cases.__wrapped__(5000)


@pytest.mark.parametrize("name", ["M3", "M1"])
def test_boxes_have_the_volume_that_the_paper_prints(name: str) -> None:
    data = cases(50)
    model = NETWORKS[name].build(data.X, data.y)
    walls = walls_of(model)
    volume = sum(np.prod(g.shape) * np.log(2 * walls[n]) for n, g in model.groups.items())
    assert abs(volume - LOG_VOLUME[name]) < 1


def test_logistic_outputs_are_what_the_model_observes(squashed: models.BNN) -> None:
    """The graph's log likelihood is that of the softmax of logistic functions, case by case."""
    rng = np.random.default_rng(RNG_SEED)
    y = rng.integers(CLASSES, size=6)
    f = 3 * rng.normal(size=(6, CLASSES))
    with pm.Model(coords={"obs": range(6)}) as model:
        LogisticOutputs().observe(pm.Deterministic("f", pm.math.constant(f)), pm.math.constant(y))
    graph = model.compile_logp(sum=False, mode="FAST_COMPILE")({})[0]
    exact = expit(f)[np.arange(6), y] - np.log(np.exp(expit(f)).sum(axis=-1))
    np.testing.assert_allclose(graph, exact)
    np.testing.assert_allclose(LogisticOutputs().log_density(f[None], y, {})[0], exact)
    assert np.all(-exact > FLOOR)
    probability = LogisticOutputs().probability(f[None], {})
    np.testing.assert_allclose(np.log(probability[0, np.arange(6), y]), exact)


@pytest.mark.parametrize("spread", [1.0, 50.0])
def test_logistic_outputs_have_the_energy_and_gradient_of_their_graph(
    squashed: models.BNN, spread: float
) -> None:
    """In single precision the gradient is rounded, and the energy that counts is not."""
    point = start(squashed, np.random.default_rng(RNG_SEED), spread)
    exact = -squashed.compile_logp(vars=[squashed["y_obs"]], mode="FAST_COMPILE")(point)
    gradient = -squashed.compile_dlogp(mode="FAST_COMPILE")(point)
    for precision, near in (("float64", 1e-11), ("float32", 1e-4)):
        conditional = Conditional(squashed, list(point), precision)
        assert conditional.mapped is not None
        energies = compile_probe(conditional, conditional.compile_rest(gradient=True))
        energy, slope = energies(point)
        np.testing.assert_allclose(slope, gradient, rtol=0, atol=near * abs(gradient).max())
        with at_temperature(squashed, np.inf):
            prior = energies(point)[0]
        assert np.isclose(energy - prior, exact, rtol=1e-11)


def test_the_papers_trajectories_are_of_the_graph(squashed: models.BNN) -> None:
    """A step is made, with gradients in single precision, and what it starts from is compared."""
    assert static(squashed, 2).conditional.precision == "float32"


def test_simulated_classes_have_the_probabilities_of_logistic_outputs() -> None:
    rng = np.random.default_rng(RNG_SEED)
    f = np.tile(np.linspace(-4, 4, CLASSES), (20_000, 1))
    drawn = np.bincount(LogisticOutputs().simulate(f[None], {}, rng)[0], minlength=CLASSES)
    expected = LogisticOutputs().probability(f[0][None], {})[0] * len(f)
    z = (drawn - expected) / np.sqrt(expected)
    assert np.abs(z).max() < 4


def test_ladders_have_the_posterior_and_the_prior() -> None:
    for name in NETWORKS:
        ladder = Sweep(name, 50).temperatures()
        assert np.isclose(ladder, 1.0).any()
        assert ladder[-1] == np.inf
        assert np.all(np.diff(ladder) > 0)


def test_units_have_names_of_their_own() -> None:
    for budget in BUDGETS.values():
        keys = [unit.key for units in stages_of(budget, 0).values() for unit in units]
        assert len(keys) == len(set(keys))


def test_minima_outside_the_walls_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    data = cases(50)
    model = NETWORKS["M1"].build(data.X, data.y, "reject")
    walls = list(walls_of(model).values())
    made: list[dict] = []

    def minimise(model: models.BNN, steps: int, begin: dict, of: str) -> samplers.Minima:
        point = {name: np.zeros_like(value) for name, value in begin.items()}
        first = next(iter(point))
        point[first].flat[0] = 0.5 * walls[0] if len(made) % 2 else 1.5 * walls[0]
        made.append(point)
        return samplers.Minima((point,), (np.zeros(1),), (1,))

    monkeypatch.setattr(bridging, "minimize", minimise)
    found = bridging.minima_within(model, 2, np.random.default_rng(RNG_SEED))
    assert found == [made[1], made[3]]
    monkeypatch.setattr(bridging, "TRIES", 1)
    made.clear()
    with pytest.raises(ValueError, match="2 starts lead to 1 minima"):
        bridging.minima_within(model, 2, np.random.default_rng(RNG_SEED))


@pytest.mark.parametrize("name", ["M3", "M3star"])
def test_what_is_measured_of_draws_is_what_the_likelihood_says_of_them(name: str) -> None:
    """Errors of averaged probabilities, and wrong classes: a likelihood of ours and the study's."""
    data = cases(50)
    data = data._replace(X_test=data.X_test[:40], y_test=data.y_test[:40])
    model = NETWORKS[name].build(data.X, data.y)
    with model:
        idata = pm.sample_prior_predictive(
            draws=6, var_names=list(model.groups), random_seed=RNG_SEED
        )
    idata["posterior"] = idata["prior"]
    measured = measure(model, idata, data, tested=6)
    f = model.predict(idata, data.X_test)["predictions"]["f"].values[0]
    probability = softmax(f if name == "M3" else expit(f), axis=-1)
    mean = probability.mean(axis=0)
    exact = -np.log(mean[np.arange(40), data.y_test]).mean()
    np.testing.assert_allclose(measured["predictive"], exact)
    assert float(measured["wrong"]) == np.mean(mean.argmax(axis=-1) != data.y_test)
