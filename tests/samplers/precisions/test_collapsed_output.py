"""Moves of precisions with the last layer's weights integrated out."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numba import njit
from pymc_bnn import models
from pymc_bnn.samplers import GibbsHMC
from pymc_bnn.samplers.compiled import engine
from pymc_bnn.samplers.potential.conditional import Conditional
from pymc_bnn.samplers.potential.layout import Layout
from pymc_bnn.samplers.potential.rest import FEATURES
from pymc_bnn.samplers.precisions.closed_form import ClosedForm
from pymc_bnn.samplers.precisions.collapsed_output import (
    collapsed_energy,
    collapsed_moves,
    draw_output_weights,
    features_entry,
    fill_features,
    find_form,
    new_room,
)
from pymc_bnn.samplers.precisions.conjugacy import conjugate_names
from pymc_bnn.samplers.precisions.hierarchy import Hierarchy, find_hierarchy
from pymc_bnn.samplers.precisions.output_regression import FORMS
from scipy.stats import multivariate_normal

LIMIT = 4.5  # standard errors, of the largest of about a hundred z-scores


class Collapsed:
    """A network at a random point, with the compiled functions under test."""

    def __init__(self, model: models.BNN, form: str):
        self.model, rng = model, np.random.default_rng(7)
        self.conditional = Conditional(model, list(model.groups))
        self.layout = self.conditional.layout
        self.hierarchy = find_hierarchy(self.conditional, True, "a test")
        self.conditional.closed_form = ClosedForm(self.conditional, self.hierarchy)
        point = model.initial_point()
        self.precisions = Layout(model, conjugate_names(model))
        self.q = rng.normal(size=self.layout.size)
        self.log_precision = rng.normal(0.5, 1.0, self.hierarchy.shape.size)
        point = self.layout.unravel(self.q, self.precisions.unravel(self.log_precision, point))
        self.data = self.conditional.network_data(
            self.conditional.parameters(point), {FEATURES: features_entry(model.activation)}
        )
        self.bound = compile_functions(form)

    def energy(self, log_precision: np.ndarray, rescaled: float = 1.0) -> float:
        """Energy after the weights were rescaled, with features computed once or again."""
        return self.bound[0](self.q, log_precision, rescaled, self.data, self.hierarchy)

    def draws(self, count: int) -> np.ndarray:
        return self.bound[1](
            np.random.default_rng(3), self.log_precision, self.q, count, self.data, self.hierarchy
        )

    def exact(self, log_precision: np.ndarray, rescaled: float = 1.0) -> Any:
        """Features, prior variances and noise variance, by NumPy."""
        weights = {
            name: rescaled * self.q[self.layout.slices[name]].reshape(group.shape)
            for name, group in self.model.groups.items()
        }
        units = self.model["X"].get_value()
        last = len(self.model.hidden)
        for layer in range(last):
            units = units @ weights[f"w{layer}"] + weights.get(f"b{layer}", 0.0)
            units = self.model.activation.array(units)
        hierarchy, at = self.hierarchy, self.at(last)
        if f"b{last}" in weights:
            units = np.column_stack([units, np.ones(len(units))])
        precision = np.append(np.exp(log_precision), 1.0)
        variance = 1.0 / (hierarchy.weight * precision[hierarchy.unit])[at]
        return units, variance, 1.0 / precision[hierarchy.noise], at

    def at(self, last: int) -> np.ndarray:
        """Where each output's weights lie, shape (weights, outputs)."""
        positions = np.arange(self.layout.size)
        names = [name for name in (f"w{last}", f"b{last}") if name in self.model.groups]
        found = [positions[self.layout.slices[name]] for name in names]
        return np.vstack([where.reshape(-1, len(self.model.outputs)) for where in found])


@cache
def compile_functions(form: str) -> tuple[Callable, Callable]:
    bound = FORMS[form]
    fill = engine.bind(fill_features, summarize=bound["summarize"])
    room_for = engine.bind(new_room, order=bound["order"])
    regression = {"fill_features": fill, "factorize": bound["factorize"]}
    energy_of = engine.bind(collapsed_energy, **regression)
    draw = engine.bind(draw_output_weights, sample_weights=bound["sample_weights"], **regression)

    @njit
    def energy(q, log_precision, rescaled, data, hierarchy):
        joint = (data, hierarchy)
        room = room_for(joint)
        energy_of(q, np.zeros(log_precision.size), True, room, joint)
        if rescaled != 1.0:
            return energy_of(rescaled * q, log_precision, True, room, joint)
        return energy_of(q, log_precision, False, room, joint)

    @njit
    def draws(rng, log_precision, q, count, data, hierarchy):
        joint = (data, hierarchy)
        room = room_for(joint)
        found = np.empty((count, q.size))
        for i in range(count):
            found[i] = q
            draw(rng, log_precision, found[i], room, joint)
        return found

    return energy, draws


def network(name: str, cases: int = 12) -> models.BNN:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(cases, 3))
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=cases)
    several = np.column_stack([y, X[:, 1] ** 2])
    return {
        "one output": lambda: models.normal_inverse_gamma(X, y, hidden=(4,)),
        "two outputs, two layers": lambda: models.normal_inverse_gamma(X, several, hidden=(3, 9)),
        "no biases": lambda: models.normal_inverse_gamma(X, y, hidden=(20,), biases=False),
        "a precision for each unit": lambda: models.ard(X, y, hidden=(5,)),
    }[name]()


NAMES = ("one output", "two outputs, two layers", "no biases", "a precision for each unit")


@pytest.fixture(params=[(name, form) for name in NAMES for form in FORMS], ids=str)
def collapsed(request: pytest.FixtureRequest) -> Collapsed:
    name, form = request.param
    return Collapsed(network(name), form)


def test_energy_is_that_of_normal_targets(collapsed: Collapsed) -> None:
    rng, y = np.random.default_rng(5), collapsed.model["y"].get_value().reshape(12, -1)
    for rescaled in (1.0, 0.3):
        log_precision = collapsed.log_precision + rng.normal(size=collapsed.log_precision.size)
        features, variance, noise, _ = collapsed.exact(log_precision, rescaled)
        expected = -0.5 * y.size * np.log(2 * np.pi)
        for k in range(y.shape[1]):
            covariance = (features * variance[:, k]) @ features.T + noise[k] * np.eye(len(y))
            expected -= multivariate_normal(np.zeros(len(y)), covariance).logpdf(y[:, k])
        assert collapsed.energy(log_precision, rescaled) == pytest.approx(expected, rel=1e-9)


def test_weights_of_the_last_layer_have_their_conditional_distribution(
    collapsed: Collapsed,
) -> None:
    count, y = 4000, collapsed.model["y"].get_value().reshape(12, -1)
    draws = collapsed.draws(count)
    features, variance, noise, at = collapsed.exact(collapsed.log_precision)
    before = np.setdiff1d(np.arange(collapsed.layout.size), at)
    assert (draws[:, before] == collapsed.q[before]).all()
    for k in range(y.shape[1]):
        precision = features.T @ features / noise[k] + np.diag(1.0 / variance[:, k])
        covariance = np.linalg.inv(precision)
        mean = covariance @ features.T @ y[:, k] / noise[k]
        root = np.linalg.cholesky(precision)
        standard = (draws[:, at[:, k]] - mean) @ root  # independent, of variance 1
        assert np.abs(standard.mean(axis=0)).max() * count**0.5 < LIMIT
        products = standard.T @ standard / count - np.eye(len(mean))
        spread = np.where(np.eye(len(mean)) > 0, 2.0, 1.0)
        assert (np.abs(products) * (count / spread) ** 0.5).max() < LIMIT


def moves_of(hierarchy: Hierarchy) -> list[tuple[list[int], int]]:
    moves = hierarchy.moves
    precisions = np.split(moves.precision, moves.first[1:-1])
    return [(p.tolist(), n) for p, n in zip(precisions, np.diff(moves.start), strict=True)]


def test_noise_moves_and_no_move_rescales_the_last_layer() -> None:
    collapsed = Collapsed(network("one output"), "weights")
    found = collapsed_moves(collapsed.model, collapsed.hierarchy, collapsed.layout)
    # weights and biases of the hidden layer, its biases, then the last layer's and the noise
    assert moves_of(found) == [([0, 1], 16), ([1], 4), ([2], 0), ([3], 0), ([4], 0)]
    assert found.interweaved.tolist() == list(range(5))


def test_smaller_matrix_is_factorized() -> None:
    for name, form in (("one output", "weights"), ("no biases", "weights")):
        case = Collapsed(network(name), form)
        assert find_form(case.model, case.hierarchy, case.layout) == form
    wide = Collapsed(models.normal_inverse_gamma(np.eye(3), np.arange(3.0), hidden=(9,)), "cases")
    assert find_form(wide.model, wide.hierarchy, wide.layout) == "cases"


def test_step_collapses_where_it_can_and_says_where_it_cannot() -> None:
    gaussian = network("one output")
    assert GibbsHMC(2, model=gaussian).collapses
    assert not GibbsHMC(2, model=gaussian, collapse=False).collapses
    assert not GibbsHMC(2, model=gaussian, interweave=False).collapses
    classifier = models.normal_inverse_gamma(
        np.eye(4), np.array([0, 1, 0, 1]), hidden=(2,), likelihood="bernoulli"
    )
    assert not GibbsHMC(2, model=classifier).collapses
    with pytest.raises(ValueError, match="collapse=True needs normal noise"):
        GibbsHMC(2, model=classifier, collapse=True)
    with pytest.raises(ValueError, match="collapse=True needs interweave=True"):
        GibbsHMC(2, model=gaussian, collapse=True, interweave=False)
    linear = models.normal_inverse_gamma(np.eye(4), np.arange(4.0), hidden=())
    assert not GibbsHMC(2, model=linear).collapses
    # what is left of squares of 9 beside a noise of 1e-4 or less
    y, noise = 9.0 + 1e-4 * np.arange(4.0), models.GaussianNoise(sd=1e-4)
    far = models.normal_inverse_gamma(np.eye(4), y, hidden=(2,), likelihood=noise)
    assert not GibbsHMC(2, model=far).collapses
    with pytest.raises(ValueError, match="no more than 1000 times as far from 0"):
        GibbsHMC(2, model=far, collapse=True)
    # noise of 1e-8, which this prior would follow down, of targets of some units
    vague = models.GaussianNoise(sd=1.0, alpha=1e-16)
    narrow = models.normal_inverse_gamma(np.eye(4), np.arange(4.0), hidden=(2,), likelihood=vague)
    assert not GibbsHMC(2, model=narrow).collapses
    later = GibbsHMC(2, model=gaussian)
    near = gaussian["y"].get_value()
    gaussian["y"].set_value(1e5 + near)
    with pytest.raises(ValueError, match="got targets that lie more than 1000 times as far from 0"):
        later.setup_chain(np.random.default_rng(1), 0, 1)
    # one case spreads by nothing, and leaves the noise as wide as its prior
    gaussian["y"].set_value(np.full_like(near, near[0, 0]))
    later.setup_chain(np.random.default_rng(1), 0, 1)
    gaussian["y"].set_value(near)
