"""Predictions are stable where halves of the chains give the same ones, and only there."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
import xarray as xr
from pymc_bnn import models
from pymc_bnn.models import forward_pass
from pymc_bnn.studies import check_stability
from pymc_bnn.studies.chains import stability
from pymc_bnn.studies.chains.halves import MOST_SPLITS, halves
from pymc_bnn.studies.chains.stability import ENOUGH

CHAINS, DRAWS, CASES = 4, 1000, 100
X = np.linspace(-1, 1, CASES)[:, None]


@pytest.fixture(scope="module")
def line() -> models.BNN:
    return models.gaussian(X, X[:, 0], hidden=())


@pytest.fixture(scope="module")
def two_classes() -> models.BNN:
    y = np.where(X[:, 0] > 0, "b", "a")
    return models.gaussian(X, y, hidden=(), likelihood="bernoulli")


def draws(
    chains: int = CHAINS,
    bias: float = 0.0,
    slope: float = 0.0,
    noise: float = 1.0,
    count: int = DRAWS,
    spread: float = 0.05,
) -> xr.DataTree:
    """Independent draws of a line with noise of 1; the first chain has another one."""
    rng = np.random.default_rng(3)
    values = {
        "w0": 1.0 + spread * rng.normal(size=(chains, count, 1, 1)),
        "b0": spread * rng.normal(size=(chains, count, 1)),
        "noise_precision": np.ones((chains, count)),
    }
    values["b0"][0] += bias
    values["w0"][0] += slope
    values["noise_precision"][0] = noise**-2
    data = {
        name: (("chain", "draw", *(f"{name}_{i}" for i in range(v.ndim - 2))), v)
        for name, v in values.items()
    }
    return xr.DataTree.from_dict({"posterior": xr.Dataset(data)})


def test_intervals_alone_may_differ(line: models.BNN) -> None:
    found = check_stability(line, draws(noise=1.15), (X, X[:, 0]))
    assert found.agreeing < 0.1, found


def test_the_worst_split_counts(line: models.BNN) -> None:
    """Two chains with another line are apart from the others in one split of three."""
    idata = draws()
    idata["posterior"]["b0"].values[:2] += 0.4
    found = check_stability(line, idata, (X, X[:, 0] - 1.0))
    assert found.agreeing == 0.0
    assert found.nats > 0.1
    assert not found.stable


@pytest.mark.parametrize("kind", ["drift", "jump"])
def test_chains_that_move_alike_are_not_stable(line: models.BNN, kind: str) -> None:
    idata = draws()
    way = np.linspace(-1, 1, DRAWS) if kind == "drift" else np.sign(np.arange(DRAWS) - 700.5)
    idata["posterior"]["b0"].values[...] += 0.3 * way[:, None]
    found = check_stability(line, idata, (X, X[:, 0] - 1.0))
    assert found.agreeing == 0.0
    assert found.nats > 0.1
    assert not found.stable


@pytest.mark.parametrize("count", [998, 999])
def test_equal_draws_are_stable_whatever_their_number(count: int) -> None:
    """Simulation draws as many random numbers for both halves of the time."""
    model = models.gaussian(X, np.arange(CASES), hidden=(), likelihood="negative_binomial")
    shapes = dict.fromkeys(model.likelihood.hyperparameters, ())
    shapes |= {name: group.shape for name, group in model.groups.items()}
    values = {name: np.ones((CHAINS, count, *shape)) for name, shape in shapes.items()}
    data = {
        name: (("chain", "draw", *(f"{name}_{i}" for i in range(v.ndim - 2))), v)
        for name, v in values.items()
    }
    found = check_stability(model, xr.DataTree.from_dict({"posterior": xr.Dataset(data)}))
    assert found.agreeing == 1.0


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_draws_have_halves_too(line: models.BNN, count: int) -> None:
    found = check_stability(line, draws(count=count), (X, X[:, 0]))
    assert np.isfinite(found.nats)
    assert not found.stable


@pytest.mark.parametrize(
    ("changes", "stable"),
    [
        ({}, True),
        ({"bias": 0.06}, True),  # half of it between halves
        ({"bias": 0.14}, False),
        ({"bias": -0.14}, False),
        ({"noise": 1.03}, True),
        ({"noise": 1.15}, False),  # means agree, and intervals do not
        ({"noise": 0.85}, False),
    ],
)
def test_halves_differ_by_less_than_a_twentieth(
    line: models.BNN, changes: dict[str, float], stable: bool
) -> None:
    found = check_stability(line, draws(**changes), (X, X[:, 0]))
    assert found.stable == stable, found
    assert found.words().startswith(f"Predictions are {'' if stable else 'not '}stable: ")
    assert found.cases == CASES


def test_chains_are_compared_in_all_halves_and_orders(line: models.BNN) -> None:
    idata = draws(bias=0.14)
    expected = check_stability(line, idata)
    assert not expected.stable
    for order in ([1, 0, 2, 3], [3, 2, 1, 0], [2, 3, 0, 1]):
        turned = xr.DataTree.from_dict({"posterior": idata["posterior"].dataset.isel(chain=order)})
        found = check_stability(line, turned)
        assert found.agreeing == expected.agreeing
        assert np.isclose(found.nats, expected.nats)


def test_rows_where_halves_differ_are_named(line: models.BNN) -> None:
    """Lines that turn around the origin differ at both ends."""
    found = check_stability(line, draws(slope=0.18))
    assert 0.3 < found.agreeing < ENOUGH
    assert set(found.worst) <= {*range(20), *range(80, 100)}
    assert found.worst[0] in {*range(5), *range(95, 100)}  # noise decides among neighbours
    assert f"Halves differ most at rows {found.worst[0]}, " in found.words()


def test_rows_have_the_names_of_a_table(line: models.BNN) -> None:
    X, y = line.training_data()
    table = X.set_axis(range(1000, 1100))
    idata = draws(slope=0.18)
    plain, named = (check_stability(line, idata, (given, np.asarray(y))) for given in (X, table))
    assert named.worst == tuple(1000 + row for row in plain.worst)
    assert len(named.worst) == 5


def test_a_few_rows_may_differ_but_not_by_much_in_their_score(line: models.BNN) -> None:
    """Of 100 rows at 0 three lie far out, where lines with another slope predict badly."""
    inputs = np.zeros((CASES, 1))
    inputs[:3] = 20.0
    for y, stable in ((20.0, True), (17.0, False)):
        targets = np.where(inputs[:, 0] > 0, y, 0.0)
        found = check_stability(line, draws(slope=-0.02, spread=0.001), (inputs, targets))
        assert found.agreeing == 0.97
        assert found.stable == stable, found
        assert (found.nats < 0.02) == stable


@pytest.mark.parametrize(("bias", "stable"), [(0.0, True), (0.1, True), (0.5, False)])
def test_probabilities_of_classes(two_classes: models.BNN, bias: float, stable: bool) -> None:
    assert check_stability(two_classes, draws(bias=bias)).stable == stable


@pytest.mark.parametrize(
    ("agreeing", "nats", "said"),
    [
        (0.9496, 0.004, "agree at 94.96% of"),
        (0.95, 0.02004, "differ by 0.02004 nats; 95% and less than 0.02 are wanted"),
        (0.95, 0.01996, "agree at 95% of 200 cases, and mean log scores differ by 0.01996 nats."),
        (0.95, 0.02, "differ by 0.02 nats; 95% and less than 0.02 are wanted"),
    ],
)
def test_numbers_near_a_limit_are_on_its_side(agreeing: float, nats: float, said: str) -> None:
    assert said in stability.Stability(agreeing, nats, 200).words()


def test_few_effective_draws_are_not_called_stable(line: models.BNN) -> None:
    assert not check_stability(line, draws(count=20, spread=1.0)).stable


def test_log_scores_of_many_cases_need_memory_for_a_batch_of_them(
    line: models.BNN, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_gaps(
        model: models.BNN, pieces: Any, X: np.ndarray, splits: Any, seed: int
    ) -> np.ndarray:
        return np.zeros((len(splits), len(X)))  # that has batches of its own

    monkeypatch.setattr(stability, "prediction_gaps", no_gaps)
    many = np.linspace(-1, 1, 2000)[:, None]
    idata = draws(count=200, noise=1.3)
    whole = check_stability(line, idata, (many, many[:, 0])).nats
    monkeypatch.setattr(forward_pass, "BATCH_NUMBERS", 50 * CHAINS * 200)
    tracemalloc.start()
    in_batches = check_stability(line, idata, (many, many[:, 0])).nats
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert in_batches == pytest.approx(whole, rel=1e-10)
    assert peak < 0.5 * CHAINS * 200 * len(many) * 8, peak


def test_fewer_than_four_chains_show_nothing(line: models.BNN) -> None:
    found = check_stability(line, draws(chains=3))
    assert not found.stable
    assert "Fewer than four chains" in found.words()


@pytest.mark.parametrize("chains", [4, 5, 8, 12])
def test_every_chain_is_in_halves(chains: int) -> None:
    found = list(halves(chains))
    assert len(found) <= MOST_SPLITS
    assert len({tuple(first) for first, _ in found}) == len(found)
    for first, second in found:
        assert sorted(first + second) == list(range(chains))
        assert abs(len(first) - len(second)) <= 1
    pairs: Any = {(i, j): 0 for i in range(chains) for j in range(i)}
    for first, _ in found:
        for i, j in pairs:
            pairs[i, j] += (i in first) != (j in first)
    assert min(pairs.values()) > 0  # no two chains are always together


def test_same_seed_same_numbers_and_many_cases_are_thinned(line: models.BNN) -> None:
    many = np.linspace(-1, 1, 1500)[:, None]
    first, second = (check_stability(line, draws(), (many, many[:, 0]), seed=4) for _ in range(2))
    assert first == second
    assert first.cases == 200


@pytest.mark.parametrize("chains", [9, 10, 16, 64, 501])
def test_many_chains_are_halved_by_chance_the_same_way_each_time(chains: int) -> None:
    found = list(halves(chains))
    assert found == list(halves(chains))
    assert len({frozenset(map(tuple, split)) for split in found}) == MOST_SPLITS
    for one, other in found:
        assert sorted([*one, *other]) == list(range(chains))
        assert len(one) == chains // 2
    together = np.mean([(0 in one) == (1 in one) for one, _ in found])
    assert 0.2 < together < 0.8


@pytest.mark.parametrize("chains", [8, 10])
def test_more_than_eight_chains_say_how_many_halves_were_looked_at(
    line: models.BNN, chains: int
) -> None:
    found = check_stability(line, draws(chains=chains, count=20), (X, X[:, 0]))
    assert found.drawn == (MOST_SPLITS if chains > 8 else 0)
    assert ("by chains (35 of all ways) or by time" in found.words()) == (chains > 8)
