"""Bayesian deep ensembles (sklearn-contrib-bde) with the settings of their README."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from scipy.special import logsumexp
from scipy.stats import norm

NAME = "bde"
# JAX wants to know of its devices before it is imported, and does not survive a fork
PROGRAM = """
import os, sys, time
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import numpy as np
from bde import BdeRegressor
from bde.loss import GaussianNLL

given = np.load(sys.argv[1])
begun = time.perf_counter()
ensemble = BdeRegressor(
    hidden_layers=[16, 16], n_members=8, seed=int(sys.argv[3]), loss=GaussianNLL(), epochs=200,
    validation_split=0.15, lr=1e-3, weight_decay=1e-4, warmup_steps=5000, n_samples=2000,
    n_thinning=2, patience=10,
)
ensemble.fit(x=given["X"], y=given["y"][:, None])
raw = np.asarray(ensemble.predict(given["new"], raw=True), float)
np.savez(sys.argv[2], raw=raw.reshape(-1, *raw.shape[2:]), seconds=time.perf_counter() - begun)
"""
LEAST_SD = 1e-6  # that an ensemble adds to each of its deviations


def installed() -> bool:
    """Whether the package is there."""
    return find_spec(NAME) is not None


def fit(
    X: np.ndarray, y: np.ndarray, new: np.ndarray, observed: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """Fit an ensemble in a process of its own, and score it.

    Parameters
    ----------
    X, y : ndarray, shape (cases, inputs) and (cases,)
        Training cases, standardised.
    new, observed : ndarray
        Cases that are left out.
    seed : int
        Of the ensemble.

    Returns
    -------
    mean, log_density : ndarray
        Of the cases that are left out, by the mixture of all draws of all members.
    seconds : float
        To fit and to predict, compilation included, imports not.

    Raises
    ------
    RuntimeError
        If the ensemble fails.
    """
    with TemporaryDirectory() as folder:
        given, found = Path(folder, "given.npz"), Path(folder, "found.npz")
        np.savez(given, X=X, y=y, new=new)
        command = [sys.executable, "-c", PROGRAM, str(given), str(found), str(seed)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            raise RuntimeError(f"the ensemble failed: {run.stderr.strip().splitlines()[-1]}")
        with np.load(found) as saved:
            raw, seconds = saved["raw"], float(saved["seconds"])
    return *mixture(raw, observed), seconds


def mixture(raw: np.ndarray, observed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and log density of a mixture of normal distributions.

    Parameters
    ----------
    raw : ndarray, shape (draws, cases, 2)
        Means, and what softplus makes standard deviations of.
    observed : ndarray, shape (cases,)
        Where to take the density.

    Returns
    -------
    mean, log_density : ndarray, shape (cases,)

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.peers.ensembles import mixture
    >>> raw = np.array([[[-1.0, 0.5413]], [[1.0, 0.5413]]])  # sd 1
    >>> [value.round(3).tolist() for value in mixture(raw, np.zeros(1))]
    [[0.0], [-1.419]]
    """
    mean, sd = raw[..., 0], np.logaddexp(0.0, raw[..., 1]) + LEAST_SD
    density = logsumexp(norm.logpdf(observed, mean, sd), axis=0) - np.log(len(raw))
    return mean.mean(axis=0), density
