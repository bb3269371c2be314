"""The same networks in PyMC's own operations, as any PyMC user can write them today."""

from itertools import pairwise

import numpy as np
import pymc as pm
import pytensor.tensor as pt

from ....models import BNN, Gaussian, GaussianNoise, NormalInverseGamma


def plain_model(network: BNN) -> pm.Model:
    """Write a centred tanh network without our layers.

    Parameters
    ----------
    network : BNN
        With biases and Gaussian or normal-inverse-gamma priors; it regresses or classifies.

    Returns
    -------
    pm.Model
        The same posterior with the same names of variables.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.peers.plain import plain_model
    >>> from pymc_bnn.studies.choo2000.design.network import choo_network
    >>> sorted(v.name for v in plain_model(choo_network()).free_RVs)[:3]
    ['b0', 'b0_precision', 'b1']
    """
    sizes = [len(network.inputs), *network.hidden, len(network.outputs)]
    with pm.Model() as model:
        f = pm.Data("X", network["X"].get_value())
        y = pm.Data("y", network["y"].get_value())
        for i, (m, n) in enumerate(pairwise(sizes)):
            w = pm.Normal(f"w{i}", 0.0, _sd(network, f"w{i}"), shape=(m, n))
            b = pm.Normal(f"b{i}", 0.0, _sd(network, f"b{i}"), shape=n)
            f = f @ w + b
            f = pt.tanh(f) if i < len(sizes) - 2 else f
        if network.likelihood.classifies:
            pm.Categorical("y_obs", logit_p=f, observed=y)
        else:
            noise = network.likelihood
            assert isinstance(noise, GaussianNoise)
            sd = _precision("noise_precision", noise.sd, noise.alpha) ** np.float64(-0.5)
            pm.Normal("y_obs", f, sd, observed=y)
    return model


def _sd(network: BNN, group: str) -> pt.TensorVariable | np.float64:
    prior = network.priors[group]
    if isinstance(prior, Gaussian):
        return np.float64(prior.sd)
    assert isinstance(prior, NormalInverseGamma)
    return _precision(f"{group}_precision", prior.sd, prior.alpha) ** np.float64(-0.5)


def _precision(name: str, sd: float, alpha: float) -> pt.TensorVariable:
    shape = np.float64(alpha) / 2
    return pm.Gamma(name, shape, shape * np.float64(sd) ** 2)
