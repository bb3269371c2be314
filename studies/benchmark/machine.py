"""What the benchmark ran on."""

import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("pymc-bnn", "pymc", "pytensor", "numba", "numpy", "scipy", "nutpie")


def cpu_name() -> str:
    """Name of the processor.

    Returns
    -------
    str

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.machine import cpu_name
    >>> len(cpu_name()) > 0
    True
    """
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def machine() -> dict[str, str]:
    """Describe processor, system and versions.

    Returns
    -------
    dict of str
        ``cpu``, ``system``, ``date``, ``python``, and the version of each package or ``"none"``.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.machine import machine
    >>> {"cpu", "python", "pymc"} <= set(machine())
    True
    """
    found = {
        "cpu": cpu_name(),
        "system": f"{platform.system()} {platform.machine()}",
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "none"
    return found
