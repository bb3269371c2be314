"""Weights between walls: where the walls stand, and how they reflect."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models
from pymc_bnn.models.priors.base import Group
from pymc_bnn.models.priors.reflection import Reflected


def bounced(start: float, path: float, lower: float, upper: float) -> float:
    """Where a ball ends that flies a path between two walls."""
    place, left, direction = start, abs(path), np.sign(path)
    while left > 0:
        wall = upper if direction > 0 else lower
        stretch = min(left, abs(wall - place))
        place, left, direction = place + direction * stretch, left - stretch, -direction
    return place


def test_coordinates_fly_on_where_points_bounce() -> None:
    rng, fold = np.random.default_rng(0), Reflected(-0.5, 2.0)
    starts, paths = rng.uniform(-0.5, 2.0, size=200), rng.normal(scale=8, size=200)
    expected = [bounced(a, b, -0.5, 2.0) for a, b in zip(starts, paths, strict=True)]
    found = fold.backward(fold.forward(starts) + paths).eval()
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(("fan_in", "shape"), [(256, (256, 40)), (40, (10,))])
def test_walls_stand_where_the_paper_has_them(fan_in: int, shape: tuple[int, ...]) -> None:
    group = Group("w0", shape, ("a", "b")[: len(shape)], fan_in)
    assert models.Box(50).wall(group) == pytest.approx(50 / np.sqrt(fan_in + 1), rel=1e-15)


@pytest.mark.parametrize(
    ("hidden", "weights", "log_volume"), [(3, 13_970, 28_960), (1, 10_690, 19_946)]
)
def test_prior_volumes_are_those_the_paper_prints(
    hidden: int, weights: int, log_volume: float
) -> None:
    X, y = np.random.default_rng(0).normal(size=(10, 256)), np.arange(10)
    model = models.BNN(X, y, (40,) * hidden, "logistic", models.Box(50), "categorical")
    walls = {name: model.priors[name].wall(group) for name, group in model.groups.items()}
    sizes = {name: int(np.prod(group.shape)) for name, group in model.groups.items()}
    assert sum(sizes.values()) == weights
    found = sum(sizes[name] * np.log(2 * walls[name]) for name in sizes)
    assert found == pytest.approx(log_volume, abs=0.5)


def test_prior_draws_fill_the_box() -> None:
    X = np.eye(3)
    model = models.BNN(X, X[:, 0], hidden=(2,), prior=models.Box(2), likelihood="gaussian_noise")
    with model:
        idata = pm.sample_prior_predictive(draws=2000, random_seed=1)
    for name in model.groups:
        scale, values = model.scales[name], idata["prior"][name].values
        assert abs(values).max() < scale * np.sqrt(3)
        assert values.std() == pytest.approx(scale, rel=0.05)
    assert models.load(idata).priors == model.priors


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Box\(factor=-1\): factor must be a positive number."):
        models.Box(-1)
    with pytest.raises(ValueError, match="walls"):
        models.Box(walls="absorb")
    with pytest.raises(ValueError, match='parametrization="noncentered"'):
        models.BNN(np.eye(3), np.arange(3.0), prior=models.Box(), parametrization="noncentered")
