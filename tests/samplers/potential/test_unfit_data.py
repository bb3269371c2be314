"""Data that do not fit are refused wherever samplers take them in; nothing here is compiled."""

from collections.abc import Callable

import numpy as np
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.batch.network.potential import network_of
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.dynamics.minibatch import Minibatches
from pymc_bnn.samplers.potential.conditional import Conditional

X = np.linspace(-1, 1, 20).reshape(10, 2)


def network(**options: str) -> models.BNN:
    targets = np.arange(10) % 3 if options else X[:, 0]
    return models.gaussian(X, targets, hidden=(2,), **options)


def shortened() -> models.BNN:
    """Five cases beside ten targets, of which the first, third, ... would be paired with them."""
    model = network()
    model["X"].set_value(X[:5])
    return model


def miscoded() -> models.BNN:
    """A class beyond the last one."""
    model = network(likelihood="categorical")
    model["y"].set_value(np.full(10, 3, dtype=np.int32))
    return model


UNFIT = pytest.mark.parametrize(
    ("unfit", "message"),
    [
        (shortened, "X has 5 cases and y has 10"),
        (miscoded, "y holds the code 3, no class of the model"),
    ],
)


@UNFIT
def test_no_block_of_weights_takes_them(unfit: Callable[[], models.BNN], message: str) -> None:
    model = unfit()
    conditional = Conditional(model, model.groups)
    parameters = conditional.parameters_once(initial_point(model))
    with pytest.raises(ValueError, match=message):
        conditional.network_data(parameters)


@pytest.mark.parametrize("step", [samplers.GibbsPrecision, samplers.GibbsHMC, samplers.NUTS])
def test_no_step_is_built_on_them(step: type) -> None:
    with pytest.raises(ValueError, match="X has 5 cases and y has 10"):
        step(model=shortened())


@UNFIT
def test_no_batch_of_chains_takes_them(unfit: Callable[[], models.BNN], message: str) -> None:
    model = unfit()
    with pytest.raises(ValueError, match=message):
        network_of(model, Conditional(model, model.groups).network_layout)


@UNFIT
def test_no_minibatch_takes_them(unfit: Callable[[], models.BNN], message: str) -> None:
    model = unfit()
    with pytest.raises(ValueError, match=message):
        Minibatches(Conditional(model, model.groups), 2)


@UNFIT
@pytest.mark.parametrize("method", ["gibbs_hmc", "nuts"])
def test_sample_refuses_them_before_it_compiles(
    method: str, unfit: Callable[[], models.BNN], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        samplers.sample(unfit(), method=method, cores=1)


def test_they_are_refused_when_the_data_change_under_a_conditional() -> None:
    model = network()
    conditional = Conditional(model, model.groups)
    parameters = conditional.parameters_once(initial_point(model))
    assert conditional.network_data(parameters).cases == 10
    model["X"].set_value(X[:5])
    with pytest.raises(ValueError, match="X has 5 cases and y has 10"):
        conditional.network_data(parameters)
