"""Compiled models that many tests share."""

import gc

import pytest
from pymc_bnn import models, samplers
from pymc_bnn.studies.choo2000.design.network import choo_network


@pytest.fixture(scope="module")
def quick_graphs() -> None:
    """Spare tests that build many small graphs the search for garbage in all that is kept."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def choo_model() -> models.BNN:
    return choo_network()


@pytest.fixture(scope="session")
def choo_step(choo_model: models.BNN) -> samplers.StaticHMC:
    return samplers.StaticHMC(n_leapfrog=30, step_scale=0.4, model=choo_model)


@pytest.fixture(scope="session")
def choo_gibbs(choo_model: models.BNN) -> samplers.GibbsPrecision:
    return samplers.GibbsPrecision(model=choo_model)
