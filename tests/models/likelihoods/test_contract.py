"""What users write is used as they mean it, or refused in one line."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
import xarray as xr
from pymc_bnn import models, samplers, studies
from pymc_bnn.models.data.class_targets import class_targets
from pymc_bnn.models.data.targets import Targets, numeric_targets
from pymc_bnn.models.likelihoods import Draws
from pymc_bnn.models.priors.base import Group
from pytensor.tensor.variable import TensorVariable
from scipy.special import expit
from scipy.stats import norm, t
from xarray import DataTree

X = np.random.default_rng(6).normal(size=(8, 2))
Y = X[:, 0]
CLASSES = np.where(Y > 0, "yes", "no")


@dataclass(frozen=True)
class Known(models.Likelihood):
    """Normal noise of a known standard deviation."""

    sd: float = 0.5
    classifies = False

    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        return numeric_targets(y)

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        pm.Normal("y_obs", f, self.sd, observed=y, dims=("obs", "output"))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return norm.logpdf(y, f, self.sd).sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        return f + self.sd * rng.standard_normal(f.shape)

    def words(self) -> str:
        return "normal noise, known"


@dataclass(frozen=True)
class Wider(Known):
    """Says another density on arrays than it samples."""

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return norm.logpdf(y, f, 1.1 * self.sd).sum(axis=-1)


@dataclass(frozen=True)
class Unsummed(Known):
    """Forgets to sum over outputs."""

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return norm.logpdf(y, f, self.sd)


@dataclass(frozen=True)
class SumOfCases(Known):
    """Sums over cases, which NumPy would stretch over them again."""

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return norm.logpdf(y, f, self.sd).sum(axis=1)


@dataclass(frozen=True)
class OneDraw(Known):
    """Draws one target for all cases."""

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        return f[:, :1]


@dataclass(frozen=True)
class Unlisted(Known):
    """Asks for a hyperparameter that it does not list."""

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return norm.logpdf(y, f, draws["scale"][:, None, None]).sum(axis=-1)


@dataclass(frozen=True)
class Silent(Known):
    """Observes nothing."""

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        pm.Deterministic("mean", f)


@dataclass(frozen=True)
class Named(Known):
    """Calls what it observes by another name."""

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        pm.Normal("targets", f, self.sd, observed=y)


class Undecorated(Known):
    """Is a data class as its base, with a field that no description holds."""

    def __init__(self) -> None:
        object.__setattr__(self, "sd", np.ones(3))


@dataclass(frozen=True)
class Probit(models.Bernoulli):
    """Two classes by the normal distribution, with the probabilities of logistic ones."""

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        pm.Bernoulli("y_obs", p=pm.math.invprobit(f[:, 0]), observed=y, dims=("obs",))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return norm.logcdf(np.where(y == 1, f[..., 0], -f[..., 0]))

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        return (rng.random(f.shape[:-1]) < norm.cdf(f[..., 0])).astype(int)


@dataclass(frozen=True)
class Whole(Probit):
    """The same with probabilities of its own."""

    def probability(self, f: np.ndarray, draws: Draws) -> np.ndarray:
        return norm.cdf(f)


@dataclass(frozen=True)
class Cut(models.Likelihood):
    """Two classes at a cut that is learnt, on which probabilities depend."""

    classifies = True
    hyperparameters: ClassVar[tuple[str, ...]] = ("cut",)

    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        return class_targets(y, classes, exactly=2)

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        cut = pm.Normal("cut")
        pm.Bernoulli("y_obs", logit_p=f[:, 0] - cut, observed=y, dims=("obs",))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        log_odds = f[..., 0] - draws["cut"][:, None]
        return np.log(expit(np.where(y == 1, log_odds, -log_odds)))

    def probability(self, f: np.ndarray, draws: Draws) -> np.ndarray:
        return expit(f - draws["cut"][:, None, None])

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        return (rng.random(f.shape[:2]) < self.probability(f, draws)[..., 0]).astype(int)

    def words(self) -> str:
        return "two classes at a cut"


@dataclass(frozen=True)
class Censored(models.Likelihood):
    """Targets that are known down to zero, of which PyMC derives the density."""

    classifies = False
    hyperparameters: ClassVar[tuple[str, ...]] = ("sigma",)

    def encode(self, y: Any, classes: tuple | None = None) -> Targets:
        return numeric_targets(y)

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        normal = pm.Normal.dist(f, pm.HalfNormal("sigma"))
        pm.Censored("y_obs", normal, lower=0.0, upper=None, observed=y, dims=("obs", "output"))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        sigma = draws["sigma"].reshape(-1, 1, 1)
        densities = np.where(y <= 0, norm.logcdf(0.0, f, sigma), norm.logpdf(y, f, sigma))
        return densities.sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        sigma = draws["sigma"].reshape(-1, 1, 1)
        return np.maximum(f + sigma * rng.normal(size=f.shape), 0.0)

    def words(self) -> str:
        return "normal noise, known down to zero"


class CensoredElsewhere(Censored):
    """The same with a density that knows of no censoring."""

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return norm.logpdf(y, f, draws["sigma"].reshape(-1, 1, 1)).sum(axis=-1)


@dataclass(frozen=True)
class Shifted(Censored):
    """Noise that is made of another distribution, of which PyMC finds the density."""

    def observe(self, f: TensorVariable, y: TensorVariable) -> None:
        def dist(f: Any, sigma: Any, size: Any) -> Any:
            shape = f.shape if size is None else size
            return f + sigma * pm.StudentT.dist(nu=4.0, mu=0.0, sigma=1.0, size=shape)

        sigma = pm.HalfNormal("sigma")
        pm.CustomDist("y_obs", f, sigma, dist=dist, observed=y, dims=("obs", "output"))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Draws) -> np.ndarray:
        return t.logpdf(y, 4.0, f, draws["sigma"].reshape(-1, 1, 1)).sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Draws, rng: np.random.Generator) -> np.ndarray:
        return f + draws["sigma"].reshape(-1, 1, 1) * rng.standard_t(4.0, size=f.shape)


@dataclass(frozen=True)
class LogNormal(models.Prior):
    """Positive weights; as they should be, or as the exponential of a variable of their name."""

    named: bool

    def scale(self, group: Group) -> np.float64:
        return np.float64(0.5)

    def declare(self, group: Group, scale: Any, parametrization: str) -> TensorVariable:
        if self.named:
            return pm.LogNormal(group.name, 0.0, scale, dims=group.dims)
        return pt.exp(pm.Normal(group.name, 0.0, scale, dims=group.dims))

    def words(self) -> str:
        return "log-normal"


@dataclass(frozen=True)
class Around(models.Prior):
    """Normal weights around one, with a scale that is no precision; only centred."""

    def scale(self, group: Group) -> TensorVariable:
        return pm.HalfNormal(f"{group.name}_scale")

    def declare(self, group: Group, scale: Any, parametrization: str) -> TensorVariable:
        return pm.Normal(group.name, 1.0, scale, dims=group.dims)

    def words(self) -> str:
        return "normal around one"


def network(likelihood: models.Likelihood, y: np.ndarray = Y, **more: Any) -> models.BNN:
    return models.BNN(X, y, hidden=(2,), likelihood=likelihood, **more)


def drawn(model: models.BNN) -> DataTree:
    with model:
        idata = pm.sample_prior_predictive(draws=4, random_seed=1)
    idata["posterior"] = idata["prior"]
    return idata


@pytest.mark.parametrize(
    ("likelihood", "y"),
    [
        (Known(), Y),
        (Whole(), CLASSES),
        (Cut(), CLASSES),
        (Censored(), np.maximum(Y, 0.0)),
        (Shifted(), Y),
    ],
    ids=str,
)
def test_likelihoods_that_keep_it_are_scored_as_their_graphs_say(
    likelihood: models.Likelihood, y: np.ndarray
) -> None:
    model = network(likelihood, y)
    idata = drawn(model)
    with model:
        graph = pm.compute_log_likelihood(idata, progressbar=False)["log_likelihood"]["y_obs"]
    found = model.log_likelihood(idata, X, y)
    np.testing.assert_allclose(found, graph.values.reshape(found.shape), rtol=1e-6)


@pytest.mark.parametrize(
    ("likelihood", "message"),
    [
        (Wider(), r"Wider.log_density is not the density that observe declares: \S+ for training"),
        (Unsummed(), r"Unsummed.log_density\S* returned shape \(\d, 8, 1\), and \(\d, 8\)"),
        (SumOfCases(), r"SumOfCases.log_density\S* returned shape \(\d, 1\), and \(\d, 8\)"),
        (CensoredElsewhere(), r"CensoredElsewhere.log_density is not the density that observe"),
        (Unlisted(), r"asks for draws of 'scale', and its hyperparameters are none; list all"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_densities_that_are_not_what_is_sampled_are_refused(
    likelihood: models.Likelihood, message: str
) -> None:
    model = network(likelihood)
    for score in (model.log_score, model.log_likelihood, model.log_score):  # also the second time
        with pytest.raises(ValueError, match=message):
            score(drawn(model), X, Y)


def test_predictions_of_another_shape_are_refused() -> None:
    model = network(OneDraw())
    with pytest.raises(ValueError, match=r"OneDraw.simulate returned shape \(\d+, 1, 1\)"):
        model.predict(drawn(model), X)


@pytest.mark.parametrize(
    ("likelihood", "kind", "message"),
    [
        (Silent(), ValueError, "Silent.observe declares nothing as observed; declare one"),
        (Named(), ValueError, "Named.observe declares targets as observed; declare one"),
        (Undecorated(), TypeError, "Undecorated: sd is an array, which no description holds"),
    ],
)
def test_likelihoods_without_what_a_model_needs_are_refused(
    likelihood: models.Likelihood, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        network(likelihood)


class Watching(models.Gaussian):
    """A prior that observes something of its own."""

    def scale(self, group: Group) -> float:
        pm.Normal(f"{group.name}_seen", 0.0, 1.0, observed=[0.5])
        return 1.0


def test_a_prior_that_observes_is_refused_by_its_own_name() -> None:
    with pytest.raises(ValueError, match="a prior declares w0_seen, b0_seen as observed; add what"):
        models.BNN(X, Y, hidden=(), prior=Watching())


def test_probabilities_of_another_distribution_are_not_inherited() -> None:
    model = network(Probit(), CLASSES)
    with pytest.raises(ValueError, match="inherits probability for another distribution"):
        model.predict(drawn(model), X)
    model = network(Whole(), CLASSES)
    found = model.predict(drawn(model), X)["predictions"]
    np.testing.assert_allclose(found["probability"], norm.cdf(found["f"]))


def test_probabilities_are_those_of_each_draws_hyperparameters() -> None:
    model = network(Cut(), CLASSES)
    idata = drawn(model)
    found = model.predict(idata, X)["predictions"].dataset
    expected = expit(found["f"] - idata["posterior"].dataset["cut"])
    np.testing.assert_allclose(found["probability"], expected)
    scores = studies.score_cases(model, idata, X, CLASSES)
    np.testing.assert_allclose(scores["probability"], expected.mean(("chain", "draw")))
    one = idata["posterior"].dataset
    twice = xr.concat([one, one], "draw").assign_coords(draw=range(2 * one.sizes["draw"]))
    four = xr.concat([twice.assign_coords(chain=[chain]) for chain in range(4)], "chain")
    idata["posterior"] = xr.DataTree(four)
    assert studies.check_stability(model, idata, (X, CLASSES)).agreeing == 1


def test_weights_have_to_be_the_variable_that_predictions_read() -> None:
    with pytest.raises(ValueError, match="declare returns something else than the model's"):
        network(Known(), prior=LogNormal(named=False))
    model = network(Known(), prior=LogNormal(named=True))
    assert (model.predict(drawn(model), X)["predictions"]["f"] == 0).sum() == 0


def test_two_priors_of_one_name_are_told_apart() -> None:
    def made(module: str, factor: float) -> type[models.Prior]:
        def scale(self: Any, group: Group) -> np.float64:
            return np.float64(factor)

        members = {"scale": scale, "words": lambda self: "own", "__module__": module}
        return dataclass(frozen=True)(type("Own", (models.Prior,), members))

    first, second = made("tests.first", 2.0), made("tests.second", 3.0)
    for kind, factor in ((first, 2.0), (second, 3.0)):
        idata = drawn(models.BNN(X, Y, hidden=(), prior=kind()))
        assert float(models.load(idata).scales["w0"]) == factor
    with pytest.raises(ValueError, match="unknown prior 'Own'"):
        models.Prior.from_dict({"name": "Own"})


def test_a_fit_with_a_users_likelihood_says_that_it_cannot_be_loaded() -> None:
    with pytest.raises(ValueError, match=r"test_contract.Known is none of pymc_bnn's"):
        models.load(drawn(network(Known())))


def test_priors_of_one_parametrization_stay_in_it() -> None:
    """What is recommended would else ask for raw weights that the prior does not declare."""
    model = models.BNN(X, Y, hidden=(2,), prior=Around())
    run: dict[str, Any] = {"draws": 5, "tune": 5, "chains": 1, "cores": 1, "seed": 1}
    idata = samplers.sample(model, progressbar=False, quiet=True, **run)
    assert "w0" in idata["posterior"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"quantiles": 0.5}, "quantiles=0.5: give several numbers from 0 to 1"),
        ({"quantiles": ["a"]}, "give several numbers from 0 to 1"),
        ({"quantiles": [2.0]}, "give several numbers from 0 to 1"),
        ({"draws": None}, "draws=None: the variables are f, y"),
        ({"seed": -1}, "seed=-1: give a whole number from 0 on"),
        ({"seed": "x"}, "seed='x': give a whole number"),
    ],
)
def test_arguments_of_predictions_are_checked(arguments: dict[str, Any], message: str) -> None:
    model = network(Known())
    with pytest.raises(ValueError, match=message):
        model.predict(drawn(model), X, **arguments)
