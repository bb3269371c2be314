"""What a user's likelihood computes on arrays is held against what it declares."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models
from pymc_bnn.models.data.targets import Targets, numeric_targets
from pymc_bnn.models.likelihoods import Draws, comparing
from pytensor.tensor.variable import TensorVariable
from scipy.stats import lognorm, norm, poisson, t
from xarray import DataTree

X = np.random.default_rng(6).normal(size=(8, 2))
Y = X[:, 0]
COUNTS = np.array([1, 2, 3, 1, 4, 2, 1, 5])  # none of them 0


@dataclass(frozen=True)
class Known(models.Likelihood):
    """Normal noise of a known standard deviation."""

    classifies = False

    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        return numeric_targets(y)

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        pm.Normal("y_obs", f, 0.5, observed=y, dims=("obs", "output"))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return norm.logpdf(y, f, 0.5).sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        return f + 0.5 * rng.standard_normal(f.shape)

    def predicted(self, f: np.ndarray, draws: Draws) -> dict[str, np.ndarray]:
        return {"f": f, "mean": f}

    def words(self) -> str:
        return "normal noise, known"


class Sevens(Known):
    """Draws other targets than it observes."""

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        return np.full(f.shape, 7.0)


class Wide(Known):
    """Draws targets with three times the noise."""

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        return f + 1.5 * rng.standard_normal(f.shape)


class Far(Known):
    """Says another mean."""

    def predicted(self, f: np.ndarray, draws: Draws) -> dict[str, np.ndarray]:
        return {"f": f, "mean": f - 9.0}


class Trained(Known):
    """Hides a wrong density behind a right one of the training cases."""

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return np.zeros(f.shape[:2])

    def log_density_of_trained(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return norm.logpdf(y, f, 0.5).sum(axis=-1)


class Leaving(Known):
    """Says another density of the training cases alone."""

    def log_density_of_trained(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return norm.logpdf(y, f, 0.6).sum(axis=-1)


class Column(Known):
    """Observes the column of targets as a vector."""

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        pm.Normal("y_obs", f[:, 0], 0.5, observed=y[:, 0], dims=("obs",))

    log_density, simulate, predicted = Known.log_density, Known.simulate, Known.predicted


class Twice(Known):
    """Calls something that it predicts as targets are called."""

    def predicted(self, f: np.ndarray, draws: Draws) -> dict[str, np.ndarray]:
        return {"f": f, "y": f}


class Squared(Known):
    """Observes a function of the targets."""

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        pm.Normal("y_obs", f, 0.5, observed=y**2, dims=("obs", "output"))


class Misnamed(Known):
    """Lists a hyperparameter that it calls otherwise."""

    hyperparameters: ClassVar[tuple[str, ...]] = ("alpha",)

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        sd = pm.HalfNormal("size")
        pm.Normal("y_obs", f, sd, observed=y, dims=("obs", "output"))


@dataclass(frozen=True)
class ManyZeros(Known):
    """Counts, more often 0 than a Poisson distribution says; told on arrays or not."""

    told: bool = True

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        pm.ZeroInflatedPoisson("y_obs", 0.6, pm.math.exp(f), observed=y, dims=("obs", "output"))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        zeros = np.where(y == 0, 0.4, 0.0) if self.told else 0.0
        return np.log(zeros + 0.6 * poisson.pmf(y, np.exp(f))).sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        return rng.poisson(np.exp(f)) * (rng.random(f.shape) < 0.6)

    def predicted(self, f: np.ndarray, draws: Draws) -> dict[str, np.ndarray]:
        return {"f": f, "mean": 0.6 * np.exp(f)}


@dataclass(frozen=True)
class Scaled(Known):
    """Noise whose variable starts where its author says."""

    hyperparameters: ClassVar[tuple[str, ...]] = ("size",)
    factor: float = 1.0

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        sd = pm.HalfNormal("size", initval=0.7)
        pm.Normal("y_obs", f, sd, observed=y, dims=("obs", "output"))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return norm.logpdf(y, f, self.factor * draws["size"][:, None, None]).sum(axis=-1)

    def predicted(self, f: np.ndarray, draws: Draws) -> dict[str, np.ndarray]:
        return {"f": f, "mean": f}

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        return f + draws["size"][:, None, None] * rng.standard_normal(f.shape)


@dataclass(frozen=True)
class HeavyTailed(Known):
    """Targets whose mean lies beyond nearly all of them."""

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        pm.LogNormal("y_obs", f, 6.0, observed=y, dims=("obs", "output"))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return lognorm.logpdf(y, 6.0, scale=np.exp(f)).sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        return np.exp(f + 6.0 * rng.standard_normal(f.shape))

    def predicted(self, f: np.ndarray, draws: Draws) -> dict[str, np.ndarray]:
        return {"f": f, "mean": np.exp(f + 18.0)}


@dataclass(frozen=True)
class Augmented(Known):
    """A t distribution, as normal ones whose precisions differ by case."""

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        precision = pm.Gamma("precision", 2.0, 2.0, dims=("obs", "output"))
        pm.Normal("y_obs", f, precision**-0.5, observed=y, dims=("obs", "output"))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return t.logpdf(y, 4.0, f).sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        return f + rng.standard_t(4.0, f.shape)

    def predicted(self, f: np.ndarray, draws: Draws) -> dict[str, np.ndarray]:
        return {"f": f, "mean": f}


@dataclass(frozen=True)
class Measured(Known):
    """Normal noise whose size is known of each training case."""

    errors: tuple[float, ...] = ()
    factor: float = 1.0

    def sd(self) -> np.ndarray:
        return np.array(self.errors)[:, None]

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        pm.Normal("y_obs", f, self.sd(), observed=y, dims=("obs", "output"))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return norm.logpdf(y, f, self.sd()).sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        return f + self.factor * self.sd() * rng.standard_normal(f.shape)

    def predicted(self, f: np.ndarray, draws: Draws) -> dict[str, np.ndarray]:
        return {"f": f, "mean": f}


def network(likelihood: models.Likelihood, y: np.ndarray = Y) -> models.BNN:
    return models.BNN(X, y, hidden=(2,), prior=models.Gaussian(sd=0.5), likelihood=likelihood)


def drawn(model: models.BNN) -> DataTree:
    with model:
        idata = pm.sample_prior_predictive(draws=4, random_seed=1)
    idata["posterior"] = idata["prior"]
    return idata


@pytest.mark.parametrize(
    ("likelihood", "y"), [(Known(), Y), (ManyZeros(), COUNTS), (Scaled(), Y), (Column(), Y)]
)
def test_likelihoods_that_agree_with_themselves_predict_and_score(
    likelihood: models.Likelihood, y: np.ndarray
) -> None:
    model = network(likelihood, y)
    idata = drawn(model)
    assert np.isfinite(model.log_score(idata, X, y))
    assert set(model.predict(idata, X)["predictions"].dataset) >= {"f", "y", "mean"}


def test_threads_compare_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Operations of PyTensor keep values while they run, the network's own among them."""
    running, seen = [], []

    def slowly(function: Callable, *arguments: Any) -> Any:
        running.append(function)
        seen.append(len(running))
        time.sleep(0.02)
        result = function(*arguments)
        running.pop()
        return result

    for name in ("_one_draw", "_compare_at", "_drawn_by_pymc"):
        monkeypatch.setattr(comparing, name, partial(slowly, getattr(comparing, name)))
    model = network(Known())
    idata = drawn(model)
    with ThreadPoolExecutor(4) as pool:
        scores = list(pool.map(lambda _: model.log_score(idata, X, Y), range(4)))
        found = list(pool.map(lambda _: model.predict(idata, X, seed=0), range(4)))
    assert seen == [1] * 5  # at most one thread at a time, and each thing once for the model
    assert len(set(scores)) == 1
    assert all(one["summary"].equals(found[0]["summary"]) for one in found)


def test_targets_that_a_draw_does_not_tell_are_not_compared() -> None:
    model = network(HeavyTailed(), np.exp(Y))
    assert np.isfinite(model.log_score(drawn(model), X, np.exp(Y)))
    model.predict(drawn(model), X)
    model = network(Augmented())
    model.predict(drawn(model), X)


def test_likelihoods_may_know_each_training_case() -> None:
    """As they do where measurements have errors of their own; more cases than are compared."""
    rng = np.random.default_rng(3)
    X, errors = rng.normal(size=(30, 2)), tuple(rng.uniform(0.1, 2.0, 30).tolist())
    for likelihood in (Measured(errors), Measured(errors, factor=2.0)):
        model = models.BNN(X, X[:, 0], hidden=(2,), prior=models.Gaussian(), likelihood=likelihood)
        if likelihood.factor == 1.0:
            assert model.predict(drawn(model), X)["summary"]["mean"].sizes["obs"] == 30
        else:
            with pytest.raises(ValueError, match=r"Measured\.simulate draws other targets"):
                model.predict(drawn(model), X)


def test_other_observed_variables_do_not_matter() -> None:
    with network(Known()) as model:
        pm.Normal("more", model["w0"][0, 0], 1.0, observed=0.3)
    idata = drawn(model)
    assert np.isfinite(model.log_score(idata, X, Y))
    assert model.predict(idata, X)["summary"]["mean"].sizes["variable"] == 3


@pytest.mark.parametrize(
    ("likelihood", "message"),
    [
        (Sevens(), "Sevens.simulate draws other targets than observe declares"),
        (Wide(), "Wide.simulate draws other targets than observe declares"),
        (Far(), "Far.predicted: mean is not that of the targets"),
        (Twice(), "Twice.predicted returns 'y'"),
    ],
)
def test_predictions_of_other_targets_are_refused(
    likelihood: models.Likelihood, message: str
) -> None:
    model = network(likelihood)
    with pytest.raises(ValueError, match=message):
        model.predict(drawn(model), X)


def test_densities_of_other_targets_are_refused() -> None:
    model = network(Trained())
    with pytest.raises(ValueError, match=r"Trained\.log_density is not the density that observe"):
        model.log_score(drawn(model), X, Y)
    model = network(Leaving())
    with pytest.raises(ValueError, match=r"Leaving\.log_density_of_trained is not the density"):
        model.log_likelihood(drawn(model))
    model = network(Scaled(factor=1.1))
    with pytest.raises(ValueError, match=r"Scaled\.log_density is not the density that observe"):
        model.log_likelihood(drawn(model))
    model = network(ManyZeros(told=False), COUNTS)  # no training case shows it
    with pytest.raises(ValueError, match="for a target drawn for case"):
        model.log_score(drawn(model), X, COUNTS)


@pytest.mark.parametrize(
    ("likelihood", "message"),
    [
        (Squared(), "Squared.observe observes a function of y; observe y itself"),
        (Misnamed(), "names 'alpha', which observe does not declare; name .* such as size"),
        (Known, "likelihood=Known: this is a class; give an object of it"),
    ],
)
def test_declarations_that_predictions_would_not_follow_are_refused(
    likelihood: models.Likelihood, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        network(likelihood)
