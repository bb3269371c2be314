"""The elementary functions are exact to a few units in the last place, and safe at the ends.

Each is called from a compiled loop, as the kernels call it, so that what is tested is the SIMD
code. The reference is NumPy in extended precision.
"""

from collections.abc import Callable

import numpy as np
import pytest
from numba import njit
from pymc_bnn.models.simd import elementary

# A result may be off by three half-units in the last place: one rounding of the polynomial, one
# of the scale, one of the quotient. One Taylor term less is off by more.
RELATIVE_ERROR = 6e-16
SMALLEST = 5e-324  # the smallest subnormal number
LARGEST = np.finfo(np.float64).max

Array = np.ndarray


def vectorized(function: Callable[[float], float]) -> Callable[[Array], Array]:
    @njit(error_model="numpy")
    def loop(x: Array) -> Array:
        out = np.empty(x.size)
        for i in range(x.size):
            out[i] = function(x[i])
        return out

    return loop


COMPILED = {
    name: vectorized(getattr(elementary, name))
    for name in ("tanh", "logistic", "exp", "softplus", "expm1_nonpositive", "log1p_unit")
}


def exact_logistic(x: Array) -> Array:
    small = np.exp(-abs(x))
    return np.where(x >= 0, 1, small) / (1 + small)


def exact_softplus(x: Array) -> Array:
    return np.maximum(x, 0) + np.log1p(np.exp(-abs(x)))


EXACT: dict[str, Callable[[Array], Array]] = {
    "tanh": np.tanh,
    "logistic": exact_logistic,
    "exp": np.exp,
    "softplus": exact_softplus,
    "expm1_nonpositive": np.expm1,
    "log1p_unit": np.log1p,
}
DOMAIN = {"expm1_nonpositive": (-np.inf, 0.0), "log1p_unit": (0.0, 1.0)}


def arguments(name: str) -> Array:
    """The whole range: dense where the function bends, and every magnitude on both sides."""
    magnitudes = 10.0 ** np.random.default_rng(0).uniform(-320, 3, 20_000)
    x = np.concatenate(
        [
            np.linspace(-745.1, 709.7, 100_001),
            np.linspace(-50, 50, 100_001),
            np.linspace(-1, 1, 50_001),
            magnitudes,
            -magnitudes,
        ]
    )
    low, high = DOMAIN.get(name, (-np.inf, np.inf))
    return x[(x >= low) & (x <= high)]


@pytest.mark.parametrize("name", COMPILED)
def test_relative_error_is_a_few_units_in_the_last_place(name: str) -> None:
    x = arguments(name)
    with np.errstate(over="ignore", under="ignore"):
        exact = EXACT[name](x.astype(np.longdouble))
    normal = (abs(exact) >= np.finfo(np.float64).tiny) & (abs(exact) <= LARGEST)
    error = abs(COMPILED[name](x)[normal] - exact[normal]) / abs(exact[normal])
    assert normal.sum() > 20_000
    assert error.max() < RELATIVE_ERROR


@pytest.mark.parametrize("name", ["exp", "logistic", "softplus"])
def test_a_subnormal_result_is_off_by_two_units_at_most(name: str) -> None:
    x = np.linspace(-745.1, -708.4, 10_001)
    exact = EXACT[name](x.astype(np.longdouble))
    assert (abs(COMPILED[name](x) - exact) <= 2 * SMALLEST).all()


@pytest.mark.parametrize("name", ["tanh", "logistic", "exp", "softplus", "expm1_nonpositive"])
def test_nan_is_passed_on_wherever_it_stands_in_a_vector(name: str) -> None:
    x = np.full(9, -0.5)
    for i in range(x.size):
        x_i = np.where(np.arange(x.size) == i, np.nan, x)
        assert np.array_equal(np.isnan(COMPILED[name](x_i)), np.isnan(x_i))


@pytest.mark.parametrize(
    ("name", "at_minus_infinity", "at_plus_infinity"),
    [
        ("tanh", -1.0, 1.0),
        ("logistic", 0.0, 1.0),
        ("exp", 0.0, np.inf),
        ("softplus", 0.0, np.inf),
    ],
)
def test_limits_at_infinity(name: str, at_minus_infinity: float, at_plus_infinity: float) -> None:
    limits = COMPILED[name](np.array([-np.inf, np.inf]))
    assert limits.tolist() == [at_minus_infinity, at_plus_infinity]


def test_expm1_reaches_minus_one_and_stays_there() -> None:
    assert (COMPILED["expm1_nonpositive"](np.array([-40.0, -1e3, -1e300, -np.inf])) == -1).all()


def test_exp_overflows_where_the_exact_function_does() -> None:
    last = np.log(LARGEST)
    x = np.array([last - 1e-9, np.nextafter(last, np.inf) + 1e-9, 1e4, -746.0, -1e4])
    finite, *rest = COMPILED["exp"](x)
    assert np.isfinite(finite)
    assert rest == [np.inf, np.inf, 0.0, 0.0]


def test_softplus_of_a_large_number_is_the_number() -> None:
    x = np.array([50.0, 1e6, LARGEST])
    assert np.array_equal(COMPILED["softplus"](x), x)


@pytest.mark.parametrize("name", ["tanh", "expm1_nonpositive"])
def test_zero_keeps_its_sign(name: str) -> None:
    x = np.array([0.0, -0.0])
    assert np.signbit(COMPILED[name](x)).tolist() == [False, True]
    assert (COMPILED[name](x) == 0).all()


def test_tanh_is_odd_to_the_last_bit() -> None:
    x = np.concatenate([np.linspace(0, 25, 10_001), [SMALLEST, 1e-310, LARGEST]])
    assert np.array_equal(COMPILED["tanh"](-x), -COMPILED["tanh"](x))


def test_tanh_of_a_tiny_number_is_the_number() -> None:
    subnormal = np.array([SMALLEST, 1e-310, -SMALLEST])
    assert np.array_equal(COMPILED["tanh"](subnormal), subnormal)
    small = np.array([1e-300, 1e-100, -1e-9])
    np.testing.assert_allclose(COMPILED["tanh"](small), small, rtol=RELATIVE_ERROR)


@pytest.mark.parametrize("name", ["tanh", "logistic"])
def test_a_bounded_function_saturates_at_its_bound_and_never_beyond(name: str) -> None:
    x = np.linspace(-1e3, 1e3, 400_001)
    values = COMPILED[name](x)
    assert values.max() == 1
    assert values.min() >= EXACT[name](np.float64(-1e3))
    assert (values[x > 40] == 1).all()


@pytest.mark.parametrize("name", ["tanh", "logistic", "exp", "softplus", "expm1_nonpositive"])
def test_functions_rise_but_for_rounding(name: str) -> None:
    x = np.linspace(-700, 700, 400_001)
    values = COMPILED[name](x[x <= 0] if name == "expm1_nonpositive" else x)
    falls = -np.diff(values)
    assert (falls <= RELATIVE_ERROR * abs(values[1:])).all()
