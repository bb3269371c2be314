"""Peak memory of a fit, ours and that of PyMC's own steps."""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..fresh_process import run_fresh
from ..problems import PROBLEMS
from ..targets import by_round, judged
from ..timing import spreads

PROGRAM = """
import sys
import pymc as pm
from pymc_bnn.studies.benchmark.measures.memory import peak_mib
from pymc_bnn.studies.benchmark.problems import PROBLEMS

problem, sampler, draws = sys.argv[1:]
model = PROBLEMS[problem].build()
options = dict(draws=int(draws), tune=int(draws), chains=1, cores=1, progressbar=False,
               quiet=True, compute_convergence_checks=False)
if sampler == "ours":
    from pymc_bnn import samplers
    samplers.sample(model, seed=1, **options)
else:
    with model:
        pm.sample(random_seed=1, nuts_sampler="pymc", **options)
print(peak_mib())
"""

SAMPLERS = ("ours", "PyMC's steps")
TARGET = 1.0  # ours over PyMC's, at most


def peak_mib() -> float:
    """Largest amount of memory that this process has held so far, in MiB.

    Returns
    -------
    float

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.measures.memory import peak_mib
    >>> peak_mib() > 10
    True
    """
    status = Path("/proc/self/status")
    if status.exists():  # on Linux getrusage counts the process that started this one too
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return float(fields["VmHWM"].split()[0]) / 1024
    import resource  # not on Windows

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def measure_memory(
    problems: Iterable[str] = "acd", draws: int = 100, repeats: int = 5
) -> dict[str, Any]:
    """Compare the peak memory of fits in processes that find everything compiled.

    Parameters
    ----------
    problems : iterable of str
        Letters of :data:`.problems.PROBLEMS`.
    draws : int
        Of the one chain, and as many of its warm-up.
    repeats : int
        Processes of each sampler, in turn.

    Returns
    -------
    dict
        For each problem its ``title``, for each of :data:`SAMPLERS` the peak in ``mib`` as
        median, low and high, and the ``ratio`` of ours to PyMC's as of :func:`.targets.judged`.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.measures.memory import measure_memory
    >>> measure_memory([])
    {}
    """
    with TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        return {name: _measure(name, draws, repeats, Path(cache)) for name in problems}


def _measure(problem: str, draws: int, repeats: int, cache: Path) -> dict[str, Any]:
    peaks: dict[str, list[float]] = {sampler: [] for sampler in SAMPLERS}
    for sampler in SAMPLERS:
        run_fresh(PROGRAM, cache, problem, sampler, 1)
    for _ in range(repeats):
        for sampler in SAMPLERS:
            peaks[sampler].append(float(run_fresh(PROGRAM, cache, problem, sampler, draws)))
    return {
        "title": PROBLEMS[problem].title,
        "mib": spreads(peaks),
        "ratio": judged(by_round(*peaks.values()), "<=", TARGET),
    }
