"""Code that was compiled for a model serves other data and other numbers in its priors."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pymc as pm
from pymc_bnn import models
from pymc_bnn.samplers.potential.graphs.prior_numbers import logp_terms, prior_numbers

PROGRAM = """
from pathlib import Path
import numpy as np
import pymc as pm
import pytensor
from pymc_bnn import models, samplers

def network(rows, sd, seed=0):
    X = np.random.default_rng(seed).normal(size=(rows, 2))
    noise = models.GaussianNoise(sd=sd)
    prior = {name: models.NormalInverseGamma(sd=sd) for name in ("w0", "b0", "b1")}
    prior["w1"] = models.Gaussian(sd=sd)
    return models.BNN(X, X[:, 0], hidden=(2,), prior=prior, likelihood=noise)

def regression(rows, sd, seed=0):
    y = np.random.default_rng(seed).normal(size=rows)
    with pm.Model() as model:
        slope = pm.Laplace("slope", 0, np.float64(sd))
        pm.Normal("y", slope, np.float64(sd), observed=pm.Data("data", y))
    return model

def new_files(model):
    before = set(Path(pytensor.config.base_compiledir).rglob("*.nb?"))
    samplers.sample(model, draws=1, tune=0, chains=1, cores=1, seed=len(before), quiet=True,
                    progressbar=False, compute_convergence_checks=False)
    return len(set(Path(pytensor.config.base_compiledir).rglob("*.nb?")) - before)

for build in (network, regression):
    print(new_files(build(8, 1.0)) > 0)
    for rows, sd, seed in ((8, 1.0, 1), (11, 1.0, 0), (8, 0.45, 0)):
        print(new_files(build(rows, sd, seed)))
"""


def test_other_data_rows_and_prior_numbers_compile_nothing(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTENSOR_FLAGS": f"base_compiledir={tmp_path}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.split() == 2 * ["True", "0", "0", "0"], result.stderr


def test_no_draw_waits_for_heavy_imports() -> None:
    """Nor for what else takes long to import, and is needed once there are draws or never."""
    heavy = ("arviz", "matplotlib", "scipy.stats", "sklearn", "zarr")
    program = f"import sys, pymc_bnn.samplers; print([m for m in {heavy} if m in sys.modules])"
    options = {"capture_output": True, "text": True, "check": True}
    said = subprocess.run([sys.executable, "-c", program], **options)
    assert said.stdout.strip() == "[]"


def test_log_density_is_that_of_the_model() -> None:
    X = np.linspace(-1.0, 1.0, 6)[:, None]
    for variant in (models.ard, models.horseshoe, models.gaussian):
        model = variant(X, X[:, 0], hidden=(2,))
        with model:
            pm.Potential("pull", -(model["noise_precision"] ** 2))
        terms = logp_terms(model)
        assert list(terms) == [*model.free_RVs, *model.observed_RVs, *model.potentials]
        point = {
            name: value + 0.1 * (1 + np.arange(value.size).reshape(value.shape))
            for name, value in model.initial_point(0).items()
        }
        ours, expected = (
            model.compile_fn(logps, mode="FAST_COMPILE")(point)
            for logps in (list(terms.values()), model.logp(sum=False))
        )
        for one, other in zip(ours, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)


def test_numbers_are_those_that_a_user_chooses() -> None:
    X = np.linspace(-1.0, 1.0, 6)[:, None]
    prior = {**dict.fromkeys(("w0", "b0", "b1"), models.Horseshoe()), "w1": models.Gaussian(0.3)}
    noise = models.GaussianNoise(sd=2.0, alpha=3.0)
    model = models.BNN(X, X[:, 0], hidden=(2,), prior=prior, likelihood=noise)
    found = [shared.get_value() for shared in prior_numbers(model).values()]
    assert sorted(found) == [0.3, 1.5, 6.0]
