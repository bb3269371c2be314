"""The part of the documentation that shows results: a page of tables and a plot."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from .tables import grids, markdown_table

NOTE = "<!-- written by python -m pymc_bnn.studies.benchmark --docs -->"


def write_page(results: dict[str, Any], docs: Path) -> list[Path]:
    """Write ``benchmark_results.md`` and, with scaling, ``_static/benchmark.png``.

    Parameters
    ----------
    results : dict
        What the benchmark writes to its JSON file.
    docs : Path
        Folder of the documentation.

    Returns
    -------
    list of Path
        The files written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.benchmark.page import write_page
    >>> [path.name for path in write_page({"machine": {"cpu": "abacus"}}, Path("."))]
    ['benchmark_results.md']
    """
    page = docs / "benchmark_results.md"
    tables = [markdown_table(grid) for grid in grids(results)]
    page.write_text("\n\n".join([NOTE, *tables]) + "\n", encoding="utf-8")
    if not results.get("scaling"):
        return [page]
    plot = docs / "_static" / "benchmark.png"
    plot.parent.mkdir(exist_ok=True)
    plot_scaling(results["scaling"], plot)
    return [page, plot]


def plot_scaling(scaling: dict[str, Any], path: Path) -> None:
    """Plot leapfrog steps per second against width, depth and cases, with the limit.

    Parameters
    ----------
    scaling : dict
        From :func:`.scaling.measure_scaling`.
    path : Path
        Image to write.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.benchmark.page import plot_scaling
    >>> point = {"sweep": "width", "value": 8, "limit": 2e5}
    >>> point["rate"] = {"median": 1e5, "low": 9e4, "high": 1.1e5}
    >>> base = {"inputs": 8, "width": 32, "depth": 1, "cases": 500}
    >>> plot_scaling({"points": [point], "base": base}, Path("scaling.png"))
    >>> Path("scaling.png").exists()
    True
    """
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), sharey=True, layout="constrained")
    for ax, sweep in zip(axes, ("width", "depth", "cases"), strict=True):
        points = [point for point in scaling["points"] if point["sweep"] == sweep]
        _plot_sweep(ax, points)
        held = {k: v for k, v in scaling["base"].items() if k not in (sweep, "inputs")}
        ax.set_xlabel({"width": "units per layer", "depth": "hidden layers"}.get(sweep, sweep))
        ax.set_title(", ".join(f"{name} {value}" for name, value in held.items()), fontsize=9)
    axes[0].set_ylabel("leapfrog steps per second")
    axes[0].legend(frameon=False)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _plot_sweep(ax: Axes, points: list[dict[str, Any]]) -> None:
    values = [point["value"] for point in points]
    medians = [point["rate"]["median"] for point in points]
    below = [point["rate"]["median"] - point["rate"]["low"] for point in points]
    above = [point["rate"]["high"] - point["rate"]["median"] for point in points]
    ax.plot(values, [p["limit"] for p in points], "--", color="0.5", label="arithmetic limit")
    ax.errorbar(values, medians, [below, above], fmt="o-", markersize=4, label="StaticHMC")
    ax.set_xscale("log", base=10 if max(values, default=1) > 1000 else 2)
    ax.set_yscale("log")
    if max(values, default=0) <= 256:
        ax.set_xticks(values, [str(value) for value in values])
        ax.minorticks_off()
