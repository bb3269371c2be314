"""Trajectories of weights and log precisions: reversible, of unit Jacobian, true to the energy."""

from typing import Any

import numpy as np
import pytest
from pymc_bnn import models
from pymc_bnn.samplers.sweeps.split.trajectory import PRECISIONS_FIRST, SYMMETRIC, WEIGHTS_FIRST

from tests.samplers.geweke import tiny_network
from tests.samplers.split_path import REVERSED, Path

ORDERS = {
    "weights first": WEIGHTS_FIRST,
    "precisions first": PRECISIONS_FIRST,
    "symmetric": SYMMETRIC,
}
ARD = models.ARD(sd=1.0, alpha=6.0)


def deep_network(parametrization: str) -> models.BNN:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(5, 1))
    return models.BNN(
        X,
        np.sin(X[:, 0]),
        hidden=(2, 2),
        prior=models.NormalInverseGamma(sd=1.0, alpha=6.0),
        parametrization=parametrization,
        likelihood=models.GaussianNoise(sd=0.5, alpha=8.0),
    )


MODELS = {
    "centred": lambda: tiny_network(),
    "raw": lambda: tiny_network(parametrization="noncentered"),
    "centred with precisions of units": lambda: tiny_network(ARD),
    "raw with precisions of units": lambda: tiny_network(ARD, "noncentered"),
    "centred with two hidden layers": lambda: deep_network("centered"),
    "raw with two hidden layers": lambda: deep_network("noncentered"),
}
GIVEN = {"w0_precision": 0.3, "noise_precision": 9.0}
CASES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in MODELS),
    ("centred", {"hyper_splits": 3}),
    ("centred", {"parameter_splits": 2, "hyper_step_scale": 0.7}),
    ("centred", {"tether": 0.5, "hyper_splits": 2}),
    ("centred with precisions of units", {"tether": 0.3}),
    ("raw", {"hyper_splits": 3, "hyper_step_scale": 0.5}),
    ("raw", {"parameter_splits": 2, "step_sizes": "learnt"}),
    ("raw", {"step_sizes": GIVEN}),
]


@pytest.fixture(scope="module")
def networks() -> dict[str, models.BNN]:
    return {name: build() for name, build in MODELS.items()}


@pytest.fixture(
    scope="module", params=CASES, ids=lambda case: " ".join(map(str, (case[0], *case[1].items())))
)
def path(request: pytest.FixtureRequest, networks: dict[str, models.BNN]) -> Path:
    name, options = request.param
    path = Path(networks[name], **{"step_scale": 0.3, "n_leapfrog": 5, **options})
    if options.get("step_sizes") == "learnt":
        path.step.estimate = path.step.first_estimate + 0.5
    return path


@pytest.mark.parametrize("order", ORDERS)
def test_way_back_leads_to_the_start(order: str, path: Path) -> None:
    """Backwards, the other block moves first (Choo 2000, 4.1.2)."""
    for seed in range(3):
        start = path.start(seed)
        end, energies = path.follow(start, 12, ORDERS[order])
        assert np.abs(end.position - start.position).max() > 0.1
        assert np.abs(energies[-1] - energies[0]) > 1e-6  # not too easy
        back, _ = path.follow(end.reversed, 12, REVERSED[ORDERS[order]])
        for found, expected in zip(back.reversed, start, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_trajectory_conserves_volume(order: str, path: Path) -> None:
    start, h = path.start(4), 1e-5
    size = 2 * (start.position.size + start.log_precision.size)
    columns = []
    for direction in np.eye(size):
        ends = [
            np.concatenate(path.follow(start.pushed(sign * h * direction), 3, ORDERS[order])[0])
            for sign in (1, -1)
        ]
        columns.append((ends[0] - ends[1]) / (2 * h))
    jacobian = np.array(columns)
    assert np.abs(jacobian - np.eye(size)).max() > 0.1
    assert abs(abs(np.linalg.det(jacobian)) - 1) < 1e-5


@pytest.mark.parametrize("order", ORDERS)
def test_energy_error_is_of_second_order(order: str, path: Path) -> None:
    """Steps half as large, and twice as many, err by a quarter; so each kick is the gradient's."""
    errors = []
    for scale, steps in ((0.1, 20), (0.05, 40)):
        ends = [path.follow(path.start(s), steps, ORDERS[order], scale)[1] for s in range(60)]
        errors.append([e[-1] - e[0] for e in ends])
    # not of their means: steps have no bound where the curvature passes zero (Eq. 4.43)
    ratio = np.nanmedian(np.abs(np.divide(*errors)))
    assert abs(ratio / 4 - 1) < 0.2, ratio


def test_symmetric_order_differs_from_both_others(networks: dict[str, models.BNN]) -> None:
    path = Path(networks["centred"], step_scale=0.3)
    ends = [path.follow(path.start(1), 4, order)[0] for order in ORDERS.values()]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert np.abs(ends[i].position - ends[j].position).max() > 1e-3


def test_parts_of_an_update_have_smaller_steps(networks: dict[str, models.BNN]) -> None:
    """Updates cover the same distance in however many parts (Choo 2000, 6.2.2 and 6.2.4)."""
    for name in ("centred", "raw"):
        whole = Path(networks[name], step_scale=1e-4)
        start = whole.start(2)
        expected = whole.follow(start, 1, WEIGHTS_FIRST)[0]
        for option in ("hyper_splits", "parameter_splits"):
            parts = Path(networks[name], step_scale=1e-4, **{option: 4})
            found = parts.follow(start, 1, WEIGHTS_FIRST)[0]
            for a, b, c in zip(found, expected, start, strict=True):
                np.testing.assert_allclose(a - c, b - c, rtol=1e-3, atol=1e-9)
