"""Seconds from the start of a Python process to the first draw."""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from ..fresh_process import run_fresh
from ..targets import judged

PROGRAM = """
import sys
import numpy as np
from pymc_bnn import models, samplers

prior, inputs, cases, sd, seed = sys.argv[1], *map(float, sys.argv[2:])
X = np.random.default_rng(int(seed)).standard_normal((int(cases), int(inputs)))
model = models.BNN(
    X,
    np.sin(X[:, 0]),
    hidden=(8,),
    prior=getattr(models, prior)(**({} if prior == "Horseshoe" else {"sd": sd})),
    likelihood=models.GaussianNoise(sd=sd),
    parametrization="noncentered" if prior == "Horseshoe" else "centered",
)
samplers.sample(
    model, draws=1, tune=0, chains=1, cores=1, seed=int(seed), progressbar=False, quiet=True,
    compute_convergence_checks=False,
)
"""

# prior, inputs and cases: Choo's network, and two of the size of Auto MPG
NETWORKS: dict[str, tuple[str, int, int]] = {
    "2-8-1, one precision per group": ("NormalInverseGamma", 2, 8),
    "7-8-1, one precision per unit": ("ARD", 7, 392),
    "7-8-1, horseshoe (NUTS)": ("Horseshoe", 7, 392),
}
COLD = "empty cache"
# cases more than at first, number in the priors, seed of the data
AGAIN: dict[str, tuple[int, float, int]] = {
    "new data": (0, 0.5, 2),
    "other number of cases": (3, 0.5, 3),
    "other number in the priors": (0, 0.45, 1),
}
TARGETS = {COLD: 60.0, **dict.fromkeys(AGAIN, 6.0)}


def measure_start_up(networks: Iterable[str] = tuple(NETWORKS), repeats: int = 5) -> dict[str, Any]:
    """Time the first draw with nothing compiled, and then in processes that find a cache.

    Parameters
    ----------
    networks : iterable of str
        Names from :data:`NETWORKS`.
    repeats : int
        Processes of each kind, in turn: one that finds no cache, and others that find its.

    Returns
    -------
    dict
        For each network and kind of start the seconds as of :func:`.targets.judged`.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.measures.start_up import measure_start_up
    >>> measure_start_up([])
    {}
    """
    return {name: _measure(*NETWORKS[name], repeats) for name in networks}


def _measure(prior: str, inputs: int, cases: int, repeats: int) -> dict[str, Any]:
    seconds: dict[str, list[float]] = {kind: [] for kind in TARGETS}
    for _ in range(repeats):
        with TemporaryDirectory(ignore_cleanup_errors=True) as cache:
            for kind, (more, sd, seed) in {COLD: (0, 0.5, 1), **AGAIN}.items():
                seconds[kind].append(_seconds(Path(cache), prior, inputs, cases + more, sd, seed))
    return {kind: judged(values, "<=", TARGETS[kind]) for kind, values in seconds.items()}


def _seconds(cache: Path, *arguments: object) -> float:
    begin = perf_counter()
    run_fresh(PROGRAM, cache, *arguments)
    return perf_counter() - begin
