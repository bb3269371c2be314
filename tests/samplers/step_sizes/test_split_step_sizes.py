"""Step sizes of split trajectories are those of Choo (2000), sections 4.5, 4.7 and 4.8."""

import numpy as np
import pytest
from pymc_bnn import models

from tests.samplers.split_path import Path, Phase, Point

SD = {"w0": 1.0, "b0": 0.7, "w1": 0.5, "b1": 0.8, "w2": 0.6, "b2": 0.9}
ALPHA, NOISE_ALPHA, NOISE_SD = 3.0, 5.0, 0.4
CASES, INPUTS = 5, 2
KINDS = {
    "one hidden layer": {"hidden": (3,)},
    "two hidden layers": {"hidden": (3, 2)},
    "so many units that BLAS multiplies them": {"hidden": (40,)},
    "precisions of source units": {"hidden": (3,), "by": "source"},
    "precisions of target units": {"hidden": (3, 2), "by": "target"},
    "two outputs": {"hidden": (3,), "outputs": 2},
    "precision of each output's noise": {"hidden": (3,), "outputs": 2, "per_output": True},
}


def network(
    parametrization: str,
    hidden: tuple[int, ...],
    by: str | None = None,
    outputs: int = 1,
    per_output: bool = False,
) -> models.BNN:
    rng = np.random.default_rng(1)
    prior = {}
    for i in range(len(hidden) + 1):
        for group in (f"w{i}", f"b{i}"):
            sd = SD[group]
            prior[group] = models.ARD(sd, ALPHA, by) if by else models.NormalInverseGamma(sd, ALPHA)
    return models.BNN(
        rng.normal(size=(CASES, INPUTS)),
        rng.normal(size=(CASES, outputs)),
        hidden=hidden,
        prior=prior,
        likelihood=models.GaussianNoise(NOISE_SD, NOISE_ALPHA, per_output),
        parametrization=parametrization,
    )


@pytest.fixture(scope="module", params=KINDS)
def raw(request: pytest.FixtureRequest) -> Path:
    return Path(network("noncentered", **KINDS[request.param]), step_scale=1.0)


@pytest.fixture(scope="module", params=[kind for kind in KINDS if "each" not in kind])
def centered(request: pytest.FixtureRequest) -> Path:
    return Path(network("centered", **KINDS[request.param]), step_scale=1.0)


def second_derivatives(path: Path, at: Phase, part: str) -> np.ndarray:
    """Of minus the model's log posterior, by each component of a part of a phase."""
    logp = path.model.compile_logp(mode="FAST_COMPILE")
    h, found = 1e-3, []
    for direction in np.eye(getattr(at, part).size):
        energies = [
            -float(logp(path.point(at._replace(**{part: getattr(at, part) + k * h * direction}))))
            for k in (-1, 0, 1)
        ]
        found.append((energies[0] - 2 * energies[1] + energies[2]) / h**2)
    return np.array(found)


def flat(point: Point, names: tuple[str, ...]) -> np.ndarray:
    return np.concatenate([np.ravel(point[name]) for name in names])


def by_weight(path: Path, point: Point, group: str) -> np.ndarray:
    """Precision of each weight of a group, from its log precisions."""
    shape = path.model.groups[group].shape
    precision = np.exp(point[f"{group}_precision_log__"])
    prior = path.model.priors[group]
    if isinstance(prior, models.ARD) and prior.by == "source" and precision.ndim:
        precision = precision[:, None]
    return np.broadcast_to(precision, shape)


def outputs_noise(path: Path, point: Point) -> np.ndarray:
    return np.broadcast_to(np.exp(point["noise_precision_log__"]), len(path.model.outputs))


def curvature_of_log_precisions(path: Path, at: Phase) -> dict[str, np.ndarray]:
    """Eqs. 4.36-4.42 at the given log precisions, case by case and unit by unit."""
    model, point = path.model, path.point(at)
    layers = len(model.hidden) + 1
    tau = {group: by_weight(path, point, group) for group in model.groups}
    w = {group: point[f"{group}_raw"] / np.sqrt(t) for group, t in tau.items()}
    noise = outputs_noise(path, point)
    above = [np.zeros(0)] * layers  # (4.32) and (4.40)
    above[-1] = noise
    for layer in range(layers - 1, 0, -1):
        units = w[f"w{layer}"].shape[0]
        above[layer - 1] = np.zeros(units)
        for i in range(units):
            for j in range(above[layer].size):
                above[layer - 1][i] += above[layer][j] * w[f"w{layer}"][i, j] ** 2
    found = {}
    for group in (*model.groups, "noise"):
        lam = point[f"{group}_precision_log__"]
        sd = NOISE_SD if group == "noise" else SD[group]
        alpha = NOISE_ALPHA if group == "noise" else ALPHA
        found[group] = np.atleast_1d(alpha / (2 * sd**-2) * np.exp(lam))
    for x, y in zip(model["X"].get_value(), model["y"].get_value(), strict=True):
        h = [x]
        for layer in range(layers):
            g = h[layer] @ w[f"w{layer}"] + w[f"b{layer}"]
            h.append(g if layer == layers - 1 else np.tanh(g))
        d = noise * (h[-1] - y)  # (4.22)
        for output, residual in enumerate(h[-1] - y):
            which = output if found["noise"].size > 1 else 0
            found["noise"][which] += noise[output] * residual**2 / 2
        for layer in range(layers - 1, -1, -1):
            for j in range(d.size):
                b = w[f"b{layer}"][j]  # (4.26), (4.39) and (4.41)
                found[f"b{layer}"][0] += 0.25 * d[j] * b + 0.25 * above[layer][j] * b**2
                for unit in range(found[f"w{layer}"].size):
                    mu = 0.0  # (4.24), of the weights that hang on this precision
                    for i in range(h[layer].size):
                        if hangs(path, f"w{layer}", i, j, unit):
                            mu += h[layer][i] * w[f"w{layer}"][i, j]
                    # (4.25), (4.39) and (4.42)
                    found[f"w{layer}"][unit] += 0.25 * d[j] * mu + 0.25 * above[layer][j] * mu**2
            if layer:
                d = (w[f"w{layer}"] @ d) * (1 - h[layer] ** 2)  # (4.23)
    return found


def hangs(path: Path, group: str, i: int, j: int, unit: int) -> bool:
    prior = path.model.priors[group]
    if not isinstance(prior, models.ARD):
        return True
    return unit == (i if prior.by == "source" else j)


def at_estimates(path: Path, seed: int) -> Phase:
    return path.start(seed, spread=0.0)


def test_steps_of_log_precisions_of_raw_weights_follow_choos_equations(raw: Path) -> None:
    for seed in range(3):
        at = at_estimates(raw, seed)
        found = curvature_of_log_precisions(raw, at)
        expected = [found[n.removesuffix("_precision_log__")] for n in raw.step.precisions.names]
        sizes, _ = raw.step_sizes(at)
        np.testing.assert_allclose(sizes, abs(np.concatenate(expected)) ** -0.5, rtol=1e-8)


def test_steps_of_log_precisions_of_raw_weights_ignore_their_current_values(raw: Path) -> None:
    at = at_estimates(raw, 3)
    moved = at._replace(log_precision=at.log_precision + 0.7)
    np.testing.assert_allclose(raw.step_sizes(moved)[0], raw.step_sizes(at)[0], rtol=1e-8)


def test_steps_at_the_output_are_exact(raw: Path) -> None:
    """Noise (4.28), last weights and biases (4.39), and raw output biases (4.31)."""
    last = len(raw.model.hidden)
    at = at_estimates(raw, 5)
    sizes, raw_sizes = raw.step_sizes(at)
    exact = abs(second_derivatives(raw, at, "log_precision"))
    for name in ("noise", f"w{last}", f"b{last}"):
        where = raw.step.precisions.slices[f"{name}_precision_log__"]
        np.testing.assert_allclose(sizes[where] ** -2.0, exact[where], rtol=1e-4, atol=1e-5)
    where = raw.step.weights.slices[f"b{last}_raw"]
    exact = second_derivatives(raw, at, "position")
    np.testing.assert_allclose(raw_sizes[where] ** -2.0, exact[where], rtol=1e-4)


def check_steps_of_weights(path: Path) -> None:
    """Eqs. 4.27 and 4.30-4.34 at the current precisions, whatever the weights."""
    at, other = path.start(6, spread=0.8), path.start(7)
    point, model = path.point(at), path.model
    tau = {group: by_weight(path, point, group) for group in model.groups}
    above, curvature = outputs_noise(path, point), {}
    squares = (model["X"].get_value() ** 2).sum(axis=0)
    for layer in range(len(model.hidden), -1, -1):
        w, b = f"w{layer}", f"b{layer}"
        curvature[w], curvature[b] = np.zeros(tau[w].shape), np.zeros(tau[b].shape)
        below = np.zeros(tau[w].shape[0])
        for j in range(above.size):
            curvature[b][j] = CASES * above[j]
            for i in range(below.size):
                curvature[w][i, j] = above[j] * (squares[i] if layer == 0 else CASES)
                below[i] += above[j] / tau[w][i, j]
        above = below
    for group, c in curvature.items():
        curvature[group] = tau[group] + c if path.step.centered else 1 + c / tau[group]
    named = {model.free_name(group): c for group, c in curvature.items()}
    expected = flat(named, path.step.weights.names) ** -0.5
    for phase in (at, other._replace(log_precision=at.log_precision)):
        np.testing.assert_allclose(path.step_sizes(phase)[1], expected, rtol=1e-8)


def test_steps_of_raw_weights_follow_choos_equations(raw: Path) -> None:
    check_steps_of_weights(raw)


def test_steps_of_centred_weights_follow_choos_equations(centered: Path) -> None:
    check_steps_of_weights(centered)


def test_steps_of_log_precisions_of_centred_weights_are_exact_at_their_means(
    centered: Path,
) -> None:
    """Eqs. 4.47-4.48 where each precision is at its mean given the weights: the shape."""
    at = centered.start(8)
    model, point = centered.model, centered.point(at)
    f = model["X"].get_value()
    for layer in range(len(model.hidden) + 1):
        f = f @ point[f"w{layer}"] + point[f"b{layer}"]
        f = f if layer == len(model.hidden) else np.tanh(f)
    shapes, means = [], []
    for name in centered.step.precisions.names:
        group = name.removesuffix("_precision_log__")
        if group == "noise":
            members, sd, alpha = f - model["y"].get_value(), NOISE_SD, NOISE_ALPHA
            each = members.T if point[name].ndim else members.reshape(1, -1)
        else:
            members, sd, alpha = point[group], SD[group], ALPHA
            by_source = point[name].ndim and model.priors[group].by == "source"
            each = members if by_source else members.T
            each = each if point[name].ndim else members.reshape(1, -1)
        for row in each:
            shapes.append(alpha / 2 + row.size / 2)
            means.append(shapes[-1] / (alpha / (2 * sd**-2) + (row**2).sum() / 2))
    sizes, _ = centered.step_sizes(at)
    np.testing.assert_allclose(sizes, np.array(shapes) ** -0.5, rtol=1e-9)
    at = at._replace(log_precision=np.log(means))
    exact = second_derivatives(centered, at, "log_precision")
    np.testing.assert_allclose(sizes**-2.0, exact, rtol=1e-4)


def test_given_estimates_replace_the_prior_means(raw: Path) -> None:
    """Steps with estimates are those of Eqs. 4.36-4.42 at these."""
    given = {"w0_precision": 0.3, "noise_precision": 2.0}
    path = Path(raw.model, step_scale=1.0, step_sizes=given)
    at = path.start(9, spread=0.0)
    for name, value in given.items():
        where = path.step.precisions.slices[f"{name}_log__"]
        np.testing.assert_allclose(at.log_precision[where], np.log(value))
    found = curvature_of_log_precisions(path, at)
    expected = [found[n.removesuffix("_precision_log__")] for n in path.step.precisions.names]
    sizes, _ = path.step_sizes(at)
    np.testing.assert_allclose(sizes, abs(np.concatenate(expected)) ** -0.5, rtol=1e-8)
