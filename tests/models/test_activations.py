"""An activation is the same function in all its forms, and its bounds hold."""

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from numba import njit
from pymc_bnn.models.activations import ACTIVATIONS, Activation, activation
from pytensor.compile.mode import Mode

# no zero: relu has no slope there
POINTS = np.concatenate([np.linspace(-30, 30, 1200), np.linspace(-2, 2, 1000)])

each = pytest.mark.parametrize("unit", ACTIVATIONS.values(), ids=list(ACTIVATIONS))


def compiled(unit: Activation, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values, and slopes from the values, by the compiled functions."""
    value, slope = unit.value, unit.slope

    @njit
    def both(g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        h, d = np.empty(g.size), np.empty(g.size)
        for i in range(g.size):
            h[i] = value(g[i])
            d[i] = slope(h[i])
        return h, d

    return both(g)


def test_known_activations() -> None:
    assert set(ACTIVATIONS) == {"tanh", "relu", "logistic", "softplus", "identity", "step"}
    assert all(activation(name).name == name for name in ACTIVATIONS)


@each
def test_symbolic_array_and_compiled_values_agree(unit: Activation, python_mode: Mode) -> None:
    g = pt.vector("g")
    symbolic = pytensor.function([g], unit.symbolic(g), mode=python_mode)(POINTS)
    np.testing.assert_allclose(symbolic, unit.array(POINTS), rtol=1e-14)
    np.testing.assert_allclose(compiled(unit, POINTS)[0], unit.array(POINTS), rtol=2e-15)


@each
def test_values_and_slopes_stay_float64(unit: Activation) -> None:
    g = pt.vector("g", dtype="float64")
    assert unit.symbolic(g).dtype == "float64"
    assert unit.symbolic_slope(unit.symbolic(g)).dtype == "float64"


@each
def test_slope_from_the_output_equals_the_derivative(unit: Activation, python_mode: Mode) -> None:
    step = 1e-6
    expected = (unit.array(POINTS + step) - unit.array(POINTS - step)) / (2 * step)
    h = pt.vector("h")
    outputs = pt.as_tensor(unit.symbolic_slope(h))
    symbolic = pytensor.function([h], outputs, mode=python_mode)(unit.array(POINTS))
    np.testing.assert_allclose(compiled(unit, POINTS)[1], expected, atol=1e-8)
    np.testing.assert_allclose(symbolic, expected, atol=1e-8)


@each
def test_largest_slope_is_reached_and_never_exceeded(unit: Activation) -> None:
    slope = compiled(unit, np.append(POINTS, 0.0))[1]
    assert slope.min() >= 0
    assert slope.max() <= unit.largest_slope
    largest = unit.largest_slope if unit.continuous else 0.0
    assert slope.max() == pytest.approx(largest, rel=1e-12)


@pytest.mark.parametrize("name", ["tanh", "logistic", "step"])
def test_square_of_a_bounded_unit_is_below_its_bound(name: str) -> None:
    unit = activation(name)
    assert unit.mean_square == (0.0, 1.0)
    assert (unit.array(np.linspace(-100, 100, 1001)) ** 2 <= 1).all()


@pytest.mark.parametrize(
    ("name", "tolerance"), [("relu", 1e-6), ("identity", 1e-6), ("softplus", 0.3)]
)
@pytest.mark.parametrize("sd", [0.1, 1.0, 3.0, 30.0])
def test_mean_square_of_an_unbounded_unit(name: str, tolerance: float, sd: float) -> None:
    # expectation over g ~ N(0, sd^2) by quadrature on a fine grid
    z = np.linspace(-12, 12, 20_001)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    expected = np.trapezoid(activation(name).array(sd * z) ** 2 * density, z)
    slope, constant = activation(name).mean_square
    assert slope * sd**2 + constant == pytest.approx(expected, rel=tolerance)


@pytest.mark.parametrize("name", ["tanh", "logistic", "softplus", "relu"])
def test_slope_vanishes_where_the_unit_is_off_or_saturated(name: str) -> None:
    h, slope = compiled(activation(name), np.array([-800.0, -1e6]))
    assert np.isfinite(h).all()
    assert (slope == 0).all()


@each
def test_nan_is_passed_on(unit: Activation) -> None:
    assert np.isnan(compiled(unit, np.array([0.5, np.nan]))[0]).tolist() == [False, True]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("thanh", "unknown activation 'thanh'; did you mean 'tanh'"),
        ("sigmoid!", "unknown activation 'sigmoid!'"),
        (None, "unknown activation None. Valid: tanh, relu"),
    ],
)
def test_unknown_activation_says_the_valid_ones(given: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        activation(given)  # type: ignore[arg-type]
