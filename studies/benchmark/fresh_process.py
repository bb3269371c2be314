"""Run a program in a Python process of its own, with a cache of its own."""

import os
import subprocess
import sys
from pathlib import Path


def run_fresh(program: str, cache: Path, *arguments: object) -> str:
    """Run a program in a fresh Python process that keeps all it compiles in a folder.

    Parameters
    ----------
    program : str
        Source of the program.
    cache : Path
        Folder for what PyTensor, numba and Python compile; an empty one is a cold start.
    *arguments : object
        The program's ``sys.argv[1:]``.

    Returns
    -------
    str
        What the program printed.

    Raises
    ------
    RuntimeError
        If the program fails.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.benchmark.fresh_process import run_fresh
    >>> run_fresh("import sys; print(sys.argv[1])", Path("cache"), 42)
    '42'
    """
    cache = cache.absolute()
    flags = [os.environ.get("PYTENSOR_FLAGS", ""), f"base_compiledir={cache}"]
    environment = {
        **os.environ,
        "PYTENSOR_FLAGS": ",".join(filter(None, flags)),
        "PYTHONPYCACHEPREFIX": str(cache / "bytecode"),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", program, *map(str, arguments)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"a program of the benchmark failed:\n{run.stderr}")
    return run.stdout.strip()
