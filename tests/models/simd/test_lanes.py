"""Registers full of numbers compute as single numbers do, lane by lane, in both precisions."""

from collections.abc import Callable

import numpy as np
import pytest
from numba import njit
from pymc_bnn.models.activations import ACTIVATIONS
from pymc_bnn.models.simd import elementary, lane_memory, lanes
from pymc_bnn.models.simd.lanes import WIDTH

# half-units in the last place of single precision: as many as in double precision
RELATIVE_ERROR = {"float64": 6e-16, "float32": 3.5e-7}
EXACT: dict[str, Callable] = {
    "tanh": np.tanh,
    "logistic": lambda x: np.where(x >= 0, 1, np.exp(-abs(x))) / (1 + np.exp(-abs(x))),
    "exp": np.exp,
    "softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-abs(x))),
    "expm1_nonpositive": np.expm1,
    "log1p_unit": np.log1p,
    "log": np.log,
}
RANGE = {"expm1_nonpositive": (-80, 0), "log1p_unit": (0, 1), "log": (1, 1e4)}

Array = np.ndarray


def in_lanes(function: Callable) -> Callable[[Array], Array]:
    @njit(error_model="numpy")
    def loop(x):
        out = np.empty_like(x)
        for i in range(0, x.size, lane_memory.width(x)):
            lane_memory.store(out, i, function(lane_memory.load(x, i)))
        return out

    return loop


COMPILED = {name: in_lanes(getattr(elementary, name)) for name in EXACT}


@pytest.mark.parametrize("dtype", WIDTH)
@pytest.mark.parametrize("name", EXACT)
def test_elementary_functions_are_as_accurate_in_lanes(name: str, dtype: str) -> None:
    low, high = RANGE.get(name, (-80, 80))
    x = np.linspace(low, high, 160_000).astype(dtype)
    exact = EXACT[name](x.astype(np.longdouble))
    found = COMPILED[name](x)
    zero = exact == 0
    assert found.dtype == dtype
    assert (found[zero] == 0).all()
    relative = abs(found[~zero] - exact[~zero]) / abs(exact[~zero])
    assert relative.max() < RELATIVE_ERROR[dtype]


@pytest.mark.parametrize(
    ("dtype", "terms", "most"), [("float64", 10395.0, 5e-16), ("float32", 15.0, 2e-7)]
)
def test_each_precision_takes_the_terms_it_needs(dtype: str, terms: float, most: float) -> None:
    t = np.linspace(0, np.log(2) / 4, 16 * WIDTH[dtype]).astype(dtype)
    u, q = (in_lanes(f)(t) for f in (elementary.tanh_numerator, elementary.tanh_denominator))
    assert q[0] == terms
    exact = np.tanh(t[1:].astype(np.longdouble))
    assert abs(u[1:].astype(np.longdouble) / q[1:] / exact - 1).max() < most


@pytest.mark.parametrize("dtype", WIDTH)
@pytest.mark.parametrize("name", ["tanh", "logistic", "exp", "softplus"])
def test_nan_and_infinity_stay_in_their_lanes(name: str, dtype: str) -> None:
    x = np.full(WIDTH[dtype], 0.5, dtype)
    x[1:4] = np.nan, np.inf, -np.inf
    found = COMPILED[name](x)
    upper = {"tanh": 1.0, "logistic": 1.0}.get(name, np.inf)
    lower = {"tanh": -1.0}.get(name, 0.0)
    assert np.isnan(found[1])
    assert found[2:4].tolist() == [upper, lower]
    assert (found[4:] == found[0]).all()


@pytest.mark.parametrize("dtype", WIDTH)
def test_single_precision_overflows_and_vanishes_where_it_must(dtype: str) -> None:
    x = np.zeros(WIDTH[dtype], dtype)
    x[:4] = 88.0, 89.5, -87.0, -110.0
    found = COMPILED["exp"](x)
    with np.errstate(over="ignore"):
        expected = np.exp(x.astype(np.float64)).astype(dtype)
    np.testing.assert_allclose(found, expected, rtol=RELATIVE_ERROR[dtype])


@pytest.mark.parametrize("dtype", WIDTH)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_and_slopes_agree_with_numpy(name: str, dtype: str) -> None:
    activation = ACTIVATIONS[name]
    g = np.linspace(-9, 9, 16 * WIDTH[dtype]).astype(dtype)
    h = in_lanes(activation.value)(g)
    exact = activation.array(g.astype(np.float64))
    np.testing.assert_allclose(h, exact, rtol=RELATIVE_ERROR[dtype], atol=1e-300)
    slope_of = activation.slope
    slope = in_lanes(njit(lambda h: (h - h) + slope_of(h)))(h)
    expected = activation.symbolic_slope(h.astype(np.float64))
    expected = expected if isinstance(expected, Array) else expected.eval()
    atol = np.finfo(dtype).eps
    np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=atol)


@njit
def _arithmetic(a, b, n, out):
    step = lane_memory.width(a)
    x, y = lane_memory.load(a, 0), lane_memory.load(b, 0)
    lane_memory.store(out, 0, (x + 2.0) * y - 3 / x)
    lane_memory.store(out, step, lanes.first_lanes(x, n, -1.0))
    lane_memory.store(out, 2 * step, lanes.where_greater(x, y, 1.0, x))
    lane_memory.store(out, 3 * step, lanes.where_equal(x, 2, y, 0.0))
    second = lane_memory.splat(lane_memory.number(b, 1))
    lane_memory.store(out, 4 * step, lane_memory.zeros(a) + second)
    return lane_memory.total(x * y)


@pytest.mark.parametrize("dtype", WIDTH)
def test_arithmetic_and_selection(dtype: str) -> None:
    width = WIDTH[dtype]
    a = np.arange(1, width + 1).astype(dtype)
    b = (np.arange(width)[::-1] + 0.5).astype(dtype)
    out = np.zeros(5 * width, dtype)
    total = _arithmetic(a, b, 3, out)
    rows = out.reshape(5, width)
    np.testing.assert_allclose(rows[0], (a + 2) * b - 3 / a, rtol=1e-6)
    assert rows[1].tolist() == [1, 2, 3] + [-1] * (width - 3)
    assert rows[2].tolist() == np.where(a > b, 1, a).tolist()
    assert rows[3].tolist() == np.where(a == 2, b, 0).tolist()
    assert (rows[4] == b[1]).all()
    assert total == (a.astype(float) * b).sum()


@njit
def _add_four(x, out):
    n = lane_memory.width(x)
    a, b = lane_memory.load(x, 0), lane_memory.load(x, n)
    lane_memory.add_totals(out, 1, a, b, lane_memory.load(x, 2 * n), lane_memory.load(x, 3 * n))


@pytest.mark.parametrize("dtype", WIDTH)
def test_four_totals_are_added_in_order_and_in_double_precision(dtype: str) -> None:
    x = np.random.default_rng(1).normal(size=4 * WIDTH[dtype]).astype(dtype)
    x[0] = 1e7  # single precision would lose what is added to it
    out = np.arange(6.0)
    _add_four(x, out)
    sums = x.astype(np.float64).reshape(4, -1).sum(axis=1)
    np.testing.assert_allclose(out, [0, *(np.arange(1.0, 5.0) + sums), 5], rtol=0, atol=1e-14)


@njit
def _split(x):
    return lanes.exponent(x), lanes.mantissa(x), lanes.power_of_two(lanes.exponent(x))


@pytest.mark.parametrize("x", [1.0, 1.75, 2.0, 1e300, 3e-300])
def test_a_number_is_its_mantissa_times_a_power_of_two(x: float) -> None:
    exponent, mantissa, power = _split(x)
    assert mantissa * power == x
    assert 1 <= mantissa < 2
    assert exponent == np.floor(np.log2(x))


@njit
def _swap_ends(a):
    p = lane_memory.pointer(a, 1)
    first = lane_memory.number(p, 0)
    lane_memory.put(p, 0, lane_memory.number(p, 2))
    lane_memory.put(p, 2, first)


def test_a_pointer_reads_and_writes_the_vector_it_points_into() -> None:
    a = np.arange(5.0)
    _swap_ends(a)
    assert a.tolist() == [0, 3, 2, 1, 4]
