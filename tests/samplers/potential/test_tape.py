"""What the code of a tape computes is what PyTensor's operations compute one by one."""

import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pymc_bnn.samplers.compiled.interpreted import in_python
from pymc_bnn.samplers.potential.graphs.parts import joined, parts_of
from pymc_bnn.samplers.potential.tape import function
from pymc_bnn.samplers.potential.tape.function import TapeFunction, evaluated
from pymc_bnn.samplers.potential.tape.layout import merged
from pymc_bnn.samplers.potential.tape.views import UntranslatedError
from pytensor.compile.builders import OpFromGraph
from scipy.special import psi

VALUES = np.array([-np.inf, -40.0, -1.5, -0.0, 0.0, 0.3, 1.0, 20.0, 35.0, 800.0, np.inf, np.nan])
ONE = {
    "negative": lambda x: -x,
    "reciprocal": pt.reciprocal,
    "square": pt.sqr,
    "square root": pt.sqrt,
    "exp": pt.exp,
    "log": pt.log,
    "log1p": pt.log1p,
    "expm1": pt.expm1,
    "sin": pt.sin,
    "cos": pt.cos,
    "tanh": pt.tanh,
    "abs": pt.abs,
    "sign": pt.sign,
    "log gamma": lambda x: pt.gammaln(pt.maximum(x, -40.5)),  # at -inf libraries differ
    "digamma": pt.psi,
    "error function": pt.erf,
    "complement of the error function": pt.erfc,
    "scaled complement": pt.erfcx,
    "logarithm of one less exp": lambda x: pt.log1mexp(pt.minimum(x, -1e-9)),
    "infinite": lambda x: pt.switch(pt.isinf(x), 1.0, 2.0),
    "no number": lambda x: pt.switch(pt.isnan(x), 1.0, x),
    "sigmoid": pt.sigmoid,
    "softplus": pt.softplus,
    "clipped": lambda x: pt.clip(x, -1.5, 20.0),
    "choice": lambda x: pt.switch(x > 0.0, 2.0 * x, -1.0),
    "not": lambda x: pt.switch(pt.invert(x > 0.0), x, 0.5),
    "truth as number": lambda x: (x >= 0.3).astype("float64") * 3.0,
}
TWO = {
    "sum": lambda x, y: x + y,
    "product": lambda x, y: x * y,
    "difference": lambda x, y: x - y,
    "ratio": lambda x, y: x / y,
    "power": lambda x, y: x**y,
    "remainder": lambda x, y: x % y,
    "larger": pt.maximum,
    "smaller": pt.minimum,
    **{
        name: lambda x, y, compare=compare: pt.switch(compare(x, y), x, -y)
        for name, compare in {
            "equal": pt.eq,
            "unequal": pt.neq,
            "less": pt.lt,
            "at most": pt.le,
            "more": pt.gt,
            "at least": pt.ge,
        }.items()
    },
    "both": lambda x, y: pt.switch((x > 0.0) & (y > 0.3), x, y),
    "either": lambda x, y: pt.switch((x > 0.0) | (y > 0.3), x, y),
}


def _split_twice(v: Any, m: Any) -> Any:
    parts = pt.split(v, [1, 3], n_splits=2)
    return pt.outer(*parts) - pt.split(m, [3, 1], n_splits=2, axis=1)[1].T


ARRAYS: dict[str, Callable[[Any, Any], Any]] = {
    "rows": lambda v, m: v + m,
    "columns": lambda v, m: m * v[:3, None],
    "outer": lambda v, m: v[:, None] * v[None, :],
    "turned": lambda v, m: pt.exp(m.T) - m.T[:, ::-1],
    "sum of all": lambda v, m: (m * 2.0).sum(),
    "sum of rows": lambda v, m: m.sum(axis=1),
    "sum of columns": lambda v, m: (m.T * v[:, None]).sum(axis=0),
    "sum over three axes": lambda v, m: (m[:, :, None] * v[None, None, :]).sum(axis=(0, 2)),
    "three axes": lambda v, m: m[:, None, :] * v[None, :, None] - m[None, :3, :1],
    "all": lambda v, m: pt.switch(pt.all(m > -9.0, axis=1), m[:, 0], v[:3]),
    "slice": lambda v, m: m[1:, ::2] + m[-1, 1],
    "set": lambda v, m: pt.set_subtensor(m[1, :2], v[:2]) + 1.0,
    "added": lambda v, m: pt.inc_subtensor(v[1:3], v[:2] * 2.0),
    "joined": lambda v, m: pt.concatenate([m, v[None, :] * 2.0], axis=0),
    "joined columns": lambda v, m: pt.concatenate([m, m[:, :1] * 2.0], axis=1),
    "stacked": lambda v, m: pt.stack([v[0] * 2.0, m.sum(), v[3]]),
    "reshaped": lambda v, m: pt.exp(m.T).reshape((2, 6)) - m.T.reshape((-1, 6)),
    "filled": lambda v, m: pt.full((2, 4), v[1]) * v + m.shape[0],
    "parts": lambda v, m: parts_of(v, ((), (3, 1)))[1] * 2.0,
    "joined by ours": lambda v, m: joined([m.T, v[:2] * 1.5], ((4, 3), (2,))),
    "nothing": lambda v, m: (m[3:] * 2.0).sum(axis=0),
    "any": lambda v, m: pt.switch(pt.any(m > 0.9, axis=1), m[:, 0], v[:3]),
    "largest of rows": lambda v, m: m.max(axis=1) + m.min(),
    "smallest of columns": lambda v, m: m.min(axis=0) * m.T.max(axis=1),
    "cumulated rows": lambda v, m: pt.cumsum(m.T, axis=1) + m[0, 0],
    "cumulated columns": lambda v, m: pt.cumsum(pt.cumsum(m[::-1], axis=0), axis=1),
    "split": lambda v, m: _split_twice(v, m),
    "columns at places": lambda v, m: m[:, [3, 0, 3]] - m[1, [2, 0, 1]],
    "rows at places": lambda v, m: m.T[np.array([2, 0, 2, -1])] + 1.0,
    "numbers at places": lambda v, m: m[[0, 2, -3], [3, 1, -1]] * v[:3],
    "places in a table": lambda v, m: v[np.array([[0, 3, 3], [1, -2, 0]])],
    "put at places": lambda v, m: pt.set_subtensor(v[[2, 0, 2]], v[:3] * 2.0),
    "rows added at places": lambda v, m: pt.inc_subtensor(m[[1, 1, 0, 2]], m.sum(axis=0) * 2.0),
    "columns added at places": lambda v, m: pt.inc_subtensor(m[:, [1, 1, 0]], m[:, 1:] * v[1:]),
    "axes about places": lambda v, m: pt.outer(v, m).reshape((4, 3, 4))[:, [[0, 2], [1, 1]]] + v,
    "slope of that by places": lambda v, m: pytensor.grad(
        pt.sqr((v[:, None, None] * m)[:, [2, 0, 2, 1]]).sum(), m
    ),
    "numbers added at places": lambda v, m: pt.inc_subtensor(m[[0, 2, 0], [1, 1, 1]], v[1:]),
    "shares": lambda v, m: pt.special.softmax(m, axis=1) + pt.special.softmax(v, axis=0),
    "logarithms of shares": lambda v, m: pt.special.log_softmax(m.T, axis=0),
    "logarithm of a sum": lambda v, m: pt.logsumexp(m, axis=1, keepdims=True),
    "slope of that": lambda v, m: pytensor.grad(pt.logsumexp(m, axis=0) @ v, m),
    "narrow places": lambda v, m: (
        pt.concatenate([v] * 50)[np.array([0, -1], "int8")]
        * pt.concatenate([v] * 70)[np.array([200, 3], "uint8")]
    ),
    "products": lambda v, m: (m @ m.T[:, :2]) @ (m[:2] @ pt.outer(v, v)),
    "products of vectors": lambda v, m: (m @ v) * (v[:3] @ m[:, :3]) + v @ v,
}


@pytest.fixture(autouse=True)
def nothing_else_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph that no tape takes is an error here, and not compiled."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("compiled by PyTensor")

    monkeypatch.setattr(function, "compile_with_pymc", refuse)


def check(inputs: list[Any], outputs: list[Any], *values: Any) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = in_python(inputs, outputs)(*values)
    found = evaluated(inputs, outputs)(*values)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)


@pytest.mark.parametrize("names", [list(ONE)[::2], list(ONE)[1::2]])
def test_functions_of_one_number(names: list[str]) -> None:
    x = pt.dvector("x")
    check([x], [ONE[name](x) for name in names], VALUES)


def test_functions_of_two_numbers() -> None:
    x, y = pt.dvectors("x", "y")
    first, second = (part.ravel() for part in np.meshgrid(VALUES, VALUES))
    check([x, y], [build(x, y) for build in TWO.values()], first, second)


def test_arrays_of_all_shapes() -> None:
    v, m = pt.dvector("v"), pt.dmatrix("m")
    rng = np.random.default_rng(2)
    names = [name for name in ARRAYS if name != "three axes"]
    check(
        [v, m], [ARRAYS[name](v, m) for name in names], rng.normal(size=4), rng.normal(size=(3, 4))
    )


def test_places_are_used_again_only_when_nobody_reads_them() -> None:
    """Chains of random operations, in which most results are read several times."""
    rng = np.random.default_rng(5)
    x = pt.dvector("x")
    known: list[Any] = [x, x.sum(), x[::-1]]
    for _ in range(120):
        a, b = (known[i] for i in rng.integers(max(0, len(known) - 12), len(known), size=2))
        kind = rng.integers(5)
        new = [a + b, pt.tanh(a) * b, pt.switch(a > b, a, 0.5 * b), pt.exp(-pt.sqr(a)), a - b][kind]
        known.append(new.sum() if rng.random() < 0.2 and new.ndim else pt.tanh(new))
    check([x], [sum(part.sum() for part in known), *known[-9:]], rng.normal(size=6))


def test_graphs_that_no_instruction_does_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    x = pt.dvector("x")
    for output in (pt.cumprod(x), (x.astype("float32") * 3.0).sum(), x[pt.argmax(x)]):
        with pytest.raises(UntranslatedError):
            TapeFunction([output], [x])(np.array([1.0, 3.0, 2.0]))
    [found] = evaluated([x], [pt.cumprod(x)])(np.array([1.0, 3.0, 2.0]))
    np.testing.assert_array_equal(found, [1.0, 3.0, 6.0])


def test_places_may_be_computed() -> None:
    """As those that are drawn for each case."""
    m, k, g = pt.dmatrix("m"), pt.lvector("k"), pt.lmatrix("g")
    parts = [m[k], m[k, k[::-1]], m[:, g], m[np.array([0, 2, 1]), k]]
    put = [pt.set_subtensor(m[k], m[:3] * 2.0), pt.inc_subtensor(m[k, k], m[0, :3])]
    total = sum(pt.sqr(part).sum() for part in (*parts, *put))
    values = np.random.default_rng(4).normal(size=(3, 4)), np.array([2, 0, -1])
    outputs = [*parts, *put, pytensor.grad(total, m)]
    check([m, k, g], outputs, *values, np.array([[0, 3], [-4, 1]]))
    for wrong in (3, -4):
        found = evaluated([m, k], [m[k], pt.inc_subtensor(m[k], m)])(
            values[0], np.array([0, wrong, 1])
        )
        np.testing.assert_array_equal(found[0][[0, 2]], values[0][[0, 1]])
        assert np.isnan(found[0][1]).all()
        assert np.isnan(found[1]).all()


def test_graphs_within_graphs_have_inputs_of_their_own() -> None:
    """PyTensor names those of all such graphs alike."""
    x, b, c = pt.dvectors("x", "b", "c")
    inner = OpFromGraph([b], [pt.exp(b)])
    outer = OpFromGraph([c], [inner(2.0 * c) + c, inner(c) * inner(c - 1.0)])
    shares = OpFromGraph([c], [pt.special.log_softmax(2.0 * c, axis=0) * c])
    outputs = [*outer(x), outer(x + 1.0)[0], shares(x)]
    check(
        [x], [*outputs, pytensor.grad(sum(part.sum() for part in outputs), x)], np.array([0, 0.5])
    )


def test_numbers_of_single_precision_are_rounded_to_it() -> None:
    """Constants such as 0.1 are, and what PyTensor makes of them alone."""
    x, y = pt.fvector("x"), pt.dvector("y")
    values = np.array([0.1, 0.7, 3.0], "float32"), np.array([0.1, 0.2, 0.3])
    exact = [pt.sqr(x), 1.0 / x, pt.sqrt(x), (x + x * x) * y, pt.switch(x > y, x, y)]
    check([x, y], exact, *values)
    [found] = evaluated([x], [pt.log(x) + pt.exp(x)])(values[0])
    assert found.dtype == "float32"
    np.testing.assert_allclose(found, np.log(values[0]) + np.exp(values[0]), rtol=2e-7)


def test_digamma_keeps_its_digits_below_zero() -> None:
    x = pt.dvector("x")
    values = np.array([-1e15 - 0.25, -2 + 1e-9, -7.3, -0.5, -3.0])
    found = evaluated([x], [pt.psi(x)])(values)[0]
    near = -1e9 + 0.9227843350984671  # psi(3) less one over how far it is from the pole
    expected = [np.log(1e15) + np.pi, near, *psi(values[2:])]
    np.testing.assert_allclose(found, expected, rtol=1e-7)
    np.testing.assert_allclose(found[2:], expected[2:], rtol=1e-13)


def test_long_sums_are_those_of_numpy() -> None:
    """Several numbers at a time are added."""
    x = pt.dvector("x")
    values = np.random.default_rng(3).normal(size=1003)
    check([x], [pt.sqr(x).sum(), (pt.exp(x)[None] * x).sum(axis=1), x.max()], values)
    assert np.isinf(evaluated([x], [pt.exp(x).sum()])(np.full(200, 800.0))[0])
    assert np.isnan(evaluated([x], [x.sum()])(np.r_[np.full(200, np.inf), -np.inf])[0])


def test_large_products_are_left_to_libraries() -> None:
    m = pt.dmatrix("m")
    with pytest.raises(UntranslatedError, match="large matrices"):
        TapeFunction([m @ m], [m])(np.zeros((9, 9)))


HELD = np.array([1, 2, 0])
DOUBTFUL: dict[str, tuple[Any, Any]] = {
    "a narrower integer": (lambda k: k.astype("int8") * 1.0, HELD + 300),
    "a power of integers": (lambda k: (k**k) * 1.0, HELD),
    "a remainder of integers": (lambda k: (k % k) * 1.0, HELD),
    "a sum of integers": (lambda k: (k + k) * 0.5, HELD),
    "constants beyond real numbers": (lambda k: pt.maximum(k, 2**53 + 1) * 1.0, HELD),
    "integers beyond real numbers": (lambda k: pt.eq(k, k - 1) * 1.0, HELD + 2**60),
    "truth values added": (lambda k: ((k > 0) + (k > 1)) * 1.0, HELD),
    "integers added to": (lambda k: pt.inc_subtensor(k[:2], k[1:]) * 1.0, HELD),
    "integers added at places": (lambda k: pt.inc_subtensor(k[[0, 0]], k[1:]) * 1.0, HELD),
    "truth values as places": (lambda k: (k * 1.0)[k > 0], HELD),
    "a product of integers": (lambda k: pt.dot(k[None], k[:, None]) * 1.0, HELD),
    "integers that are cumulated": (lambda k: pt.cumsum(k) * 1.0, HELD),
    "imaginary numbers": (lambda k: pt.abs(k * 1j), HELD),
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_means_something_else_on_real_numbers_is_not_translated(name: str) -> None:
    build, value = DOUBTFUL[name]
    k = pt.lvector("k")
    with pytest.raises(UntranslatedError):
        TapeFunction([build(k)], [k])(value)


MISFITS: dict[str, Callable[[Any], Any]] = {
    "fewer numbers": lambda x: x.reshape((2,)) * 2.0,
    "rows that are not full": lambda x: x.reshape((-1, 2)) * 2.0,
    "another length": lambda x: pt.specify_shape(x, (4,)) * 2.0,
    "rows of two lengths": lambda x: pt.stack([x, x[1:]]) * 2.0,
    "one number for many": lambda x: x[: x.shape[0] - 2] * x,
    "lengths that differ": lambda x: x[1:] * x,
    "places that are not there": lambda x: x[np.array([0, 3])] * 2.0,
    "parts of another length": lambda x: pt.split(x, [2, 2], n_splits=2)[0] * 2.0,
    "the largest of none": lambda x: x[3:].max() * 2.0,
    "one number for a table": lambda x: pt.full((2, 3), x[: x.shape[0] - 2]) * 2.0,
    "one number put for many": lambda x: pt.set_subtensor(x[[0, 1]], x[: x.shape[0] - 2]),
}


@pytest.mark.parametrize("name", MISFITS)
def test_shapes_that_pytensor_refuses_are_not_translated(name: str) -> None:
    x = pt.dvector("x")
    with pytest.raises(UntranslatedError):
        TapeFunction([MISFITS[name](x)], [x])(np.array([1.0, 2.0, 3.0]))


def test_results_have_the_types_of_the_graph() -> None:
    x = pt.dvector("x")
    found = evaluated([x], [x > 0.0, x.shape[0], x * 2.0])(np.array([1.0, -1.0]))
    assert [array.dtype.kind for array in found] == ["b", "i", "f"]


def test_an_input_may_have_any_name() -> None:
    x = pt.dvector("network")
    [found] = evaluated([x], [x + 1.0])(np.zeros(2))
    np.testing.assert_array_equal(found, [1.0, 1.0])


def test_threads_do_not_get_each_others_results() -> None:
    x = pt.dvector("x")
    evaluate, before = evaluated([x], [pt.tanh(x).sum() + x]), sys.getswitchinterval()
    expected = [evaluate(np.full(50, value))[0] for value in (0.1, 0.2)]
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(2) as pool:
            tasks = [pool.submit(evaluate, np.full(50, (0.1, 0.2)[i % 2])) for i in range(4000)]
            found = [task.result()[0] for task in tasks]
    finally:
        sys.setswitchinterval(before)
    wrong = sum(not np.array_equal(one, expected[i % 2]) for i, one in enumerate(found))
    assert wrong == 0


def test_other_shapes_and_shared_values_are_those_of_now() -> None:
    x, shared = pt.dvector("x"), pytensor.shared(np.array([2.0, 3.0]), shape=(2,))
    evaluate = evaluated([x], [x * shared.sum(), x.shape[0] + shared])
    for size, value in ((2, [2.0, 3.0]), (3, [5.0, 1.0]), (2, [1.0, 2.5])):
        shared.set_value(np.array(value))
        first, second = evaluate(np.ones(size))
        np.testing.assert_array_equal(first, np.full(size, sum(value)))
        np.testing.assert_array_equal(second, size + np.array(value))


def test_results_stay_what_they_are() -> None:
    x = pt.dvector("x")
    evaluate = evaluated([x], [x + 1.0])
    [first] = evaluate(np.zeros(2))
    evaluate(np.ones(2))
    np.testing.assert_array_equal(first, [1.0, 1.0])


def test_neighbouring_axes_that_lie_in_a_row_are_one() -> None:
    assert merged((2, 1, 3), [(3, 0, 1), (0, 5, 0)]) == ((6,), [(1,), (0,)])
    assert merged((2, 3), [(3, 1), (1, 2)]) == ((2, 3), [(3, 1), (1, 2)])
    assert merged((), [()]) == ((), [()])
