"""Compiled models that many tests share."""

import pytest
from pymc_bnn import models, samplers
from pymc_bnn.studies.benchmark.problems import choo_network


@pytest.fixture(scope="session")
def choo_model() -> models.BNN:
    return choo_network()


@pytest.fixture(scope="session")
def choo_step(choo_model: models.BNN) -> samplers.StaticHMC:
    return samplers.StaticHMC(n_leapfrog=30, step_scale=0.4, model=choo_model)


@pytest.fixture(scope="session")
def choo_gibbs(choo_model: models.BNN) -> samplers.GibbsPrecision:
    return samplers.GibbsPrecision(model=choo_model)
