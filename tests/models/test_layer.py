"""The fused layer is the same function, with the same derivatives, as PyTensor's own operations."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pymc_bnn.models.activations import ACTIVATIONS
from pymc_bnn.models.layer import InputPullback, Layer, LayerPullback, layer
from pymc_bnn.models.simd import kernels
from pymc_bnn.models.simd.function_digest import function_digest
from pytensor.compile.mode import Mode
from pytensor.graph.replace import vectorize_graph
from pytensor.graph.traversal import ancestors

from .conftest import interpreter

Arrays = list[np.ndarray]

# (cases, source units, target units), below, at and above the size from which BLAS is called
SIZES = [
    (1, 1, 1),
    (7, 1, 1),
    (1, 5, 3),
    (5, 3, 4),
    (511, 1, 1),
    (512, 1, 1),
    (8, 8, 8),
    (1, 64, 10),
    (200, 2, 16),
    (65, 33, 17),
    # around multiples of the width of SIMD registers
    *((cases, 3, 5) for cases in (1, 2, 7, 8, 9, 16, 17, 65, 300)),
    (300, 1, 1),
    (9, 8, 16),
]


def plain(
    x: pt.TensorVariable, w: pt.TensorVariable, b: pt.TensorVariable | None, name: str
) -> pt.TensorVariable:
    """Build the layer from PyTensor's own operations, which differentiate by its own rules."""
    affine = x @ w if b is None else x @ w + b
    return ACTIVATIONS[name].symbolic(affine)


@dataclass
class Compiled:
    """Output and gradients for x, weights (and bias) of ``sum(c * layer)``, with and without it."""

    fused: Callable[..., Arrays]
    plain: Callable[..., Arrays]

    def __call__(self, *arrays: np.ndarray) -> dict[str, tuple[Arrays, Arrays]]:
        """Return (fused, plain) results with and without the bias."""
        ours, theirs = self.fused(*arrays), self.plain(*arrays)
        return {"bias": (ours[:4], theirs[:4]), "no bias": (ours[4:], theirs[4:])}


def graphs() -> tuple[pt.TensorVariable, ...]:
    return pt.matrix("x"), pt.matrix("w"), pt.vector("b"), pt.matrix("c")


def build(name: str, mode: str | Mode, reference: Mode) -> Compiled:
    x, w, b, c = graphs()

    def function(make: Callable, mode: str | Mode) -> Callable[..., Arrays]:
        outputs = []
        for bias in (b, None):
            h = make(x, w, bias, name)
            wanted = [x, w] if bias is None else [x, w, bias]
            outputs += [h, *pytensor.grad((c * h).sum(), wanted)]
        return pytensor.function([x, w, b, c], outputs, mode=mode)

    return Compiled(function(layer, mode), function(plain, reference))


@pytest.fixture(scope="module", params=ACTIVATIONS)
def compiled(request: pytest.FixtureRequest) -> tuple[str, Compiled]:
    with interpreter() as reference:
        return request.param, build(request.param, "NUMBA", reference)


def random_arrays(cases: int, sources: int, targets: int, seed: int = 0) -> Arrays:
    rng = np.random.default_rng([seed, cases, sources, targets])
    shapes = [(cases, sources), (sources, targets), (targets,), (cases, targets)]
    return [rng.normal(size=shape) for shape in shapes]


def assert_same(results: dict[str, tuple[Arrays, Arrays]], tolerance: float = 1e-12) -> None:
    for fused, expected in results.values():
        assert len(fused) == len(expected)
        for ours, theirs in zip(fused, expected, strict=True):
            assert ours.shape == theirs.shape
            scale = abs(theirs).max()  # entries near zero are differences of large ones
            np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance * scale)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_layer_and_its_gradient_equal_pytensors_own(
    compiled: tuple[str, Compiled], size: tuple[int, int, int]
) -> None:
    assert_same(compiled[1](*random_arrays(*size)))


def test_sizes_lie_on_both_sides_of_the_blas_threshold() -> None:
    products = [np.prod(size) for size in SIZES]
    assert min(products) < kernels.BLAS_FROM < max(products)
    assert kernels.BLAS_FROM in products


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_layout_of_the_arrays_does_not_matter(name: str) -> None:
    x, w, b, c = graphs()
    # strides inside of the graph: the layouts of its inputs would have numba compile it anew
    h = layer(x[::2], w.T, b[::-1], name)
    outputs = [h, *pytensor.grad((c.T * h).sum(), [x, w, b])]
    function = pytensor.function([x, w, b, c], outputs, mode="NUMBA")
    array, slope = ACTIVATIONS[name].array, np.vectorize(ACTIVATIONS[name].slope)
    for size in ((1, 3, 5), (7, 2, 3), (9, 3, 5), (300, 3, 5), (65, 33, 17)):
        X, W, B, C = random_arrays(*size)
        H = array(X @ W + B)
        d = C * slope(H)
        expected = [H, np.repeat(d @ W.T, 2, axis=0), (X.T @ d).T, d.sum(axis=0)[::-1]]
        expected[1][1::2] = 0.0
        doubled = np.repeat(X, 2, axis=0)
        results = function(doubled, W.T.copy(), B[::-1].copy(), C.T.copy())
        assert_same({"bias": (results, expected)})


def test_gradient_equals_finite_differences(compiled: tuple[str, Compiled]) -> None:
    arrays = random_arrays(6, 3, 4, seed=1)
    c, step = arrays[3], 1e-6
    gradients = compiled[1](*arrays)["bias"][0][1:]
    rng = np.random.default_rng(2)
    for i, gradient in enumerate(gradients):
        direction = rng.normal(size=arrays[i].shape)
        ends = []
        for sign in (1, -1):
            moved = list(arrays)
            moved[i] = arrays[i] + sign * step * direction
            ends.append((c * compiled[1](*moved)["bias"][0][0]).sum())
        expected = (ends[0] - ends[1]) / (2 * step)
        assert (gradient * direction).sum() == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("size", [(6, 3, 4), (100, 8, 8)], ids=str)
@pytest.mark.parametrize("magnitude", [1e2, 1e6, 1e100])
def test_huge_preactivations_stay_finite(
    compiled: tuple[str, Compiled], size: tuple[int, int, int], magnitude: float
) -> None:
    x, w, b, c = random_arrays(*size)
    x *= magnitude
    x[0] = 0.0  # a case without signal
    w[0] = 0.0  # an input without influence
    results = compiled[1](x, w, b, c)
    assert all(np.isfinite(a).all() for pair in results.values() for a in pair[0])
    # without its gradient: conventions differ for the slope of relu at exactly zero
    assert_same({key: (fused[:1], own[:1]) for key, (fused, own) in results.items()})


@pytest.mark.parametrize("columns", [2, 4])
def test_inputs_that_do_not_fit_the_weights_are_refused(
    compiled: tuple[str, Compiled], columns: int
) -> None:
    """Weights would be left out, or memory behind them be read."""
    x, w, b, c = random_arrays(6, 3, 4)
    with pytest.raises(ValueError, match="other columns than its weights have rows"):
        compiled[1].fused(np.ones((6, columns)), w, b, c)
    compiled[1].fused(x, w, b, c)


@pytest.mark.parametrize("biases", [1, 3, 5])
def test_biases_that_do_not_fit_the_weights_are_refused(
    compiled: tuple[str, Compiled], biases: int
) -> None:
    x, w, _, c = random_arrays(6, 3, 4)
    with pytest.raises(ValueError, match="other biases than its weights have columns"):
        compiled[1].fused(x, w, np.ones(biases), c)


def test_nan_weight_is_not_hidden(compiled: tuple[str, Compiled]) -> None:
    x, w, b, c = random_arrays(6, 3, 4)
    w[1, 2] = np.nan
    for fused, _ in compiled[1](x, w, b, c).values():
        assert np.isnan(fused[0]).any(axis=0).tolist() == [False, False, True, False]


def test_numba_runs_the_kernels_and_not_pytensors_graph() -> None:
    x, w, b, c = graphs()
    gradients = pytensor.grad((c * layer(x, w, b, "tanh")).sum(), [x, w, b])
    rewritten = pytensor.function([x, w, b, c], gradients, mode="NUMBA").maker.fgraph
    kinds = {type(node.op) for node in rewritten.toposort()}
    assert {Layer, LayerPullback, InputPullback} <= kinds


def test_gradient_for_weights_does_not_compute_one_for_the_data() -> None:
    x, w, b, c = graphs()
    gradients = pytensor.grad((c * layer(x, w, b, "tanh")).sum(), [w, b])
    owners = [v.owner.op for v in ancestors(gradients) if v.owner is not None]
    assert not any(isinstance(op, InputPullback) for op in owners)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_other_backends_compute_the_same(name: str, python_mode: Mode) -> None:
    assert_same(build(name, python_mode, python_mode)(*random_arrays(20, 5, 7)))


@pytest.mark.parametrize("name", ["tanh", "logistic", "softplus"])
def test_second_derivative_equals_pytensors_own(name: str, python_mode: Mode) -> None:
    x, w, b, c = graphs()
    products = []
    for make in (layer, plain):
        gradient = pytensor.grad((c * make(x, w, b, name)).sum(), w)
        products.append(pytensor.grad((gradient**2).sum(), w))
    ours, expected = pytensor.function([x, w, b, c], products, mode=python_mode)(
        *random_arrays(6, 3, 4)
    )
    np.testing.assert_allclose(ours, expected, rtol=1e-11)


@pytest.mark.parametrize("backend", ["numba", "python"])
def test_layer_and_gradient_vectorize_over_draws_of_the_weights(
    backend: str, python_mode: Mode
) -> None:
    x, w, b, _ = graphs()
    h = layer(x, w, b, "tanh")
    results = [h, *pytensor.grad(h.sum(), [w, b])]
    w_draws, b_draws = pt.tensor3("w_draws"), pt.matrix("b_draws")
    vectorized = vectorize_graph(results, {w: w_draws, b: b_draws})
    mode = "NUMBA" if backend == "numba" else python_mode
    function = pytensor.function([x, w_draws, b_draws], vectorized, mode=mode)
    rng = np.random.default_rng(3)
    X, W, B = rng.normal(size=(5, 3)), rng.normal(size=(7, 3, 4)), rng.normal(size=(7, 4))
    value = np.tanh(X @ W + B[:, None, :])
    slope = 1 - value**2
    for ours, expected in zip(
        function(X, W, B), [value, X.T @ slope, slope.sum(axis=1)], strict=True
    ):
        np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-13)


def test_a_layer_without_biases_vectorizes_over_draws_of_the_weights() -> None:
    x, w, _, _ = graphs()
    draws = pt.tensor3("draws")
    vectorized = vectorize_graph([layer(x, w, None, "tanh")], {w: draws})
    rng = np.random.default_rng(3)
    X, W = rng.normal(size=(5, 3)), rng.normal(size=(7, 3, 4))
    [found] = pytensor.function([x, draws], vectorized, mode="NUMBA")(X, W)
    np.testing.assert_allclose(found, np.tanh(X @ W), rtol=1e-12)


def test_lists_and_arrays_are_accepted() -> None:
    h = layer([[1.0, 2.0]], [[1.0], [-1.0]], None, "identity")  # type: ignore[arg-type]
    assert h.type.ndim == 2


def test_unknown_activation_is_refused() -> None:
    x, w, b, _ = graphs()
    with pytest.raises(ValueError, match="unknown activation 'relux'; did you mean 'relu'"):
        layer(x, w, b, "relux")


def test_digest_depends_on_the_kernel_and_the_activation() -> None:
    found = [
        kernels.layer_forward(ACTIVATIONS["tanh"], True),
        kernels.layer_forward(ACTIVATIONS["relu"], True),
        kernels.layer_forward(ACTIVATIONS["tanh"], False),
        kernels.layer_pullback(ACTIVATIONS["tanh"]),
    ]
    digests = {function_digest(kernel) for kernel in found}
    assert len(digests) == 4
    assert None not in digests
    kernels.layer_forward.cache_clear()
    assert function_digest(kernels.layer_forward(ACTIVATIONS["tanh"], True)) in digests
