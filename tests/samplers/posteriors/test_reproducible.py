"""The same seed gives the same draws, wherever and by whatever code chains run."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
from pymc.blocking import PointType, StatsType
from pymc_bnn import samplers
from pymc_bnn.samplers.compiled import engine
from pymc_bnn.samplers.pymc_steps import BlockedStep
from threadpoolctl import threadpool_info, threadpool_limits

PROGRAM = """
import hashlib, sys
import pymc as pm
from pymc_bnn import samplers

with pm.Model() as model:
    scale = pm.Normal("scale")
    x = pm.Normal("x", shape=40)
    pm.Potential("squares", -0.5 * ((x * pm.math.exp(scale))**2).sum())
    step = samplers.NUTS(list(model.continuous_value_vars))
for start in sys.argv[1:]:
    where = {"cores": 1} if start == "sequential" else {"cores": 2, "mp_ctx": start}
    idata = samplers.sample(model, draws=30, tune=60, chains=2, seed=2, step=[step], quiet=True,
                            progressbar=False, compute_convergence_checks=False, **where)
    print(hashlib.sha256(idata["posterior"]["x"].values.tobytes()).hexdigest())
"""


def digests(cache: Path, *starts: str) -> list[str]:
    """Digests of draws from a new process, by the way in which chains are started."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, *starts],
        env={**os.environ, "PYTENSOR_FLAGS": f"base_compiledir={cache}"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be forked")
def test_same_seed_same_draws_compiled_or_loaded_in_one_process_or_several(tmp_path: Path) -> None:
    cold = digests(tmp_path, "sequential")
    warm = digests(tmp_path, "sequential", "fork", "spawn")
    assert len(warm) == 3
    assert len({*cold, *warm}) == 1


def test_the_compiler_may_not_reorder_sums() -> None:
    if not engine.available():
        pytest.skip("another backend than numba")
    x = pt.vector("x", shape=(3,), dtype="float64")
    function: Any = engine.compile_graph([x], [x.sum()]).function
    assert not function.targetoptions["fastmath"]


class Threads(BlockedStep):
    """A step that does nothing but to record how many threads BLAS may use."""

    name = "threads"
    stats_dtypes_shapes = {"threads": (np.int64, []), "tune": (bool, [])}  # noqa: RUF012

    def __init__(self, vars: list, model: pm.Model | None = None, blocked: bool = True):
        self.vars, self.tune = vars, True

    def step(self, point: PointType) -> tuple[PointType, StatsType]:
        pools = threadpool_info()
        threads = [pool["num_threads"] for pool in pools if pool["user_api"] == "blas"]
        return point, [{"threads": max(threads), "tune": self.tune}]

    @staticmethod
    def _make_progressbar_update_functions() -> tuple:
        return (lambda stats: stats,)


@pytest.mark.parametrize(("cores", "mp_ctx"), [(1, "fork"), (2, "fork"), (1, "spawn")])
@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be forked")
def test_each_chain_has_one_thread_of_blas(cores: int, mp_ctx: str) -> None:
    with pm.Model() as model:
        pm.Normal("x")
        step = Threads(model.value_vars)
    options = {"draws": 2, "tune": 1, "chains": 2, "progressbar": False, "quiet": True}
    where: dict[str, Any] = {"cores": cores, "mp_ctx": mp_ctx, "compute_convergence_checks": False}
    with threadpool_limits(2, user_api="blas"):
        idata = samplers.sample(model, step=[step], seed=1, **options, **where)
    assert (idata["sample_stats"]["threads"] == 1).all()
