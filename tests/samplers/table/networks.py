"""The models of the table: small networks, with priors light-tailed enough to compare draws."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pymc as pm
from pymc_bnn import models
from pymc_bnn.models.layer import layer
from pymc_bnn.models.priors.base import Group

from tests.samplers.table.declaration import Cell, is_noncentered

CASES, UNITS = 6, 2
X = np.array([[-1.3, 0.4], [-0.8, -1.1], [-0.1, 0.9], [0.3, -0.5], [0.9, 1.2], [1.4, -0.2]])
PRIORS: dict[str, models.Prior] = {
    "Gaussian": models.Gaussian(sd=1.2),
    "Scaled": models.Scaled(),
    "NormalInverseGamma": models.NormalInverseGamma(sd=1.0, alpha=6.0),
    "ARD by source": models.ARD(sd=1.0, alpha=6.0),
    "ARD by target": models.ARD(sd=1.0, alpha=6.0, by="target"),
    "Horseshoe": models.Horseshoe(),
    "ConjugateHorseshoe": models.ConjugateHorseshoe(),
    "RegularizedHorseshoe": models.RegularizedHorseshoe(),
}
LIKELIHOODS: dict[str, tuple[Any, np.ndarray]] = {
    "GaussianNoise": (models.GaussianNoise(sd=0.5, alpha=8.0), np.zeros((CASES, 1))),
    "GaussianNoise per output": (
        models.GaussianNoise(sd=0.5, alpha=8.0, per_output=True),
        np.zeros((CASES, 2)),
    ),
    "StudentTNoise": (models.StudentTNoise(sd=0.5, alpha=8.0), np.zeros((CASES, 1))),
    "HeteroscedasticNoise": (models.HeteroscedasticNoise(sd=0.5), np.zeros((CASES, 1))),
    "Bernoulli": (models.Bernoulli(), np.arange(CASES) % 2),
    "Categorical": (models.Categorical(), np.arange(CASES) % 3),
}
# the second layer is wide enough for collapsed moves to factorize the matrix of the cases
REPLICATES = 3  # of the noise, which a user adds
HIDDEN = {"two layers": (UNITS, 10), "shared scale": (UNITS, UNITS)}


class Network(NamedTuple):
    """A cell's network in plain words, and the model that declares it.

    Attributes
    ----------
    groups : dict of str to Group
        Groups of weights in the order of the layers.
    owner : dict of str to str
        The group whose scale each of them has; itself, but for a shared scale.
    priors : dict of str to Prior
        Prior of each of these scales.
    """

    model: pm.Model
    groups: dict[str, Group]
    owner: dict[str, str]
    priors: dict[str, models.Prior]
    likelihood: models.Likelihood
    activation: str
    noncentered: bool


def build(cell: Cell) -> Network:
    """Build the model of a cell."""
    prior = PRIORS[cell.prior]
    likelihood, y = LIKELIHOODS[cell.likelihood]
    hidden = HIDDEN.get(cell.structure, (UNITS,))
    if cell.structure == "shared scale":
        return _plain(prior, likelihood, y, hidden)
    noncentered = is_noncentered(cell)
    activation = "relu" if cell.structure == "relu" else "tanh"
    model = models.BNN(
        X,
        y,
        hidden=hidden,
        activation=activation,
        prior=prior,
        likelihood=likelihood,
        biases=cell.structure != "no biases",
        parametrization="noncentered" if noncentered else "centered",
    )
    if cell.structure == "added terms":
        _add_terms(model, outputs=np.shape(y)[1:])
    return network_of(model)


def network_of(model: models.BNN) -> Network:
    """Describe a network that our constructor declared."""
    owner = {name: name for name in model.groups}
    given: Any = model.activation
    noncentered = model.parametrization == "noncentered"
    return Network(
        model, model.groups, owner, model.priors, model.likelihood, given.name, noncentered
    )


def _add_terms(model: models.BNN, outputs: tuple[int, ...]) -> None:
    """Add what a user may add: a potential of weights, and more values of the noise.

    The potential is the log density of other data around the weights, so that these can be drawn.
    """
    with model:
        seen = pm.Data("seen", np.zeros(model.groups["w0"].shape))
        pm.Potential("weights_seen", -0.5 * ((seen - model["w0"]) ** 2).sum())
        if model.likelihood.noisy:
            replicates = pm.Data("replicates", np.zeros((REPLICATES, *outputs)))
            scale = model["noise_precision"] ** -0.5
            pm.Normal("replicates_obs", 0.0, scale, observed=replicates)


def _plain(
    prior: models.Prior, likelihood: models.Likelihood, y: np.ndarray, hidden: tuple[int, ...]
) -> Network:
    """Declare a PyMC model whose first two layers have one scale, without our constructor."""
    outputs = len(likelihood.units(likelihood.encode(y).outputs))
    dims = ("input", *(f"hidden_{i}" for i in range(len(hidden))), "output")
    sizes = (X.shape[1], *hidden, outputs)
    groups = {
        f"w{i}": Group(f"w{i}", (a, b), (dims[i], dims[i + 1]), a)
        for i, (a, b) in enumerate(pairwise(sizes))
    }
    owner = {"w0": "w0", "w1": "w0", "w2": "w2"}
    priors = {"w0": prior, "w2": models.Gaussian()}
    coords = {dim: range(size) for dim, size in zip(dims, sizes, strict=True)}
    with pm.Model(coords=coords) as model:
        units = pm.Data("X", X, dims=("obs", "input"))
        targets = pm.Data("y", y)
        scales = {name: given.scale(groups[name]) for name, given in priors.items()}
        last = list(groups)[-1]
        for name, group in groups.items():
            weights = pm.Normal(name, 0.0, scales[owner[name]], shape=group.shape)
            units = layer(units, weights, None, "identity" if name == last else "tanh")
        likelihood.observe(units, targets)
    return Network(model, groups, owner, priors, likelihood, "tanh", False)
