"""The results as tables for a terminal and for a page of the documentation."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from rich.table import Table

from .measures.ratios import RATIOS
from .peers.leapfrog_steps import PEERS
from .targets import says
from .timing import Spread


class Grid(NamedTuple):
    """A table before it has a form.

    Attributes
    ----------
    title : str
        What it shows.
    columns : list of str
        Heads of the columns.
    rows : list of list of str
        The cells.
    """

    title: str
    columns: list[str]
    rows: list[list[str]]


def grids(results: dict[str, Any]) -> Iterator[Grid]:
    """Lay the results out, one table after another.

    Parameters
    ----------
    results : dict
        What the benchmark writes to its JSON file.

    Yields
    ------
    Grid

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.tables import grids
    >>> next(grids({"machine": {"cpu": "abacus"}})).rows
    [['cpu', 'abacus']]
    """
    machine = [[key, value] for key, value in results["machine"].items()]
    yield Grid("Machine and versions", ["", ""], machine)
    if leapfrog := results.get("leapfrog"):
        yield _times(leapfrog)
        yield _ratios(leapfrog)
    if scaling := results.get("scaling"):
        yield _scaling(scaling)
    if draws := results.get("effective_draws"):
        yield _draws(draws)
    if precisions := results.get("single_precision"):
        yield _precisions(precisions)
    if chains := results.get("chains"):
        yield _chains(chains)
    if start_up := results.get("start_up"):
        yield _start_up(start_up)
    if memory := results.get("memory"):
        yield _memory(memory)


def _times(leapfrog: dict[str, Any]) -> Grid:
    rows = [
        [f"{name}: {problem['title']}", *(_shown(problem["microseconds"][peer]) for peer in PEERS)]
        for name, problem in leapfrog.items()
    ]
    title = "Microseconds per leapfrog step (nutpie: per gradient), median (lowest-highest)"
    return Grid(title, ["problem", *PEERS], rows)


def _ratios(leapfrog: dict[str, Any]) -> Grid:
    rows = []
    for name, *_ in RATIOS:
        rows.append([name, *(says(problem["ratios"][name]) for problem in leapfrog.values())])
    title = "Ratios of the times of a round, median (lowest-highest), and targets"
    return Grid(title, ["ratio", *leapfrog], rows)


def _scaling(scaling: dict[str, Any]) -> Grid:
    peak = scaling["peak"]
    rows = [
        [
            point["sweep"],
            str(point["value"]),
            _shown(point["rate"]),
            f"{point['limit']:.3g}",
            f"{100 * point['rate']['median'] / point['limit']:.0f}%",
        ]
        for point in scaling["points"]
    ]
    title = (
        f"Our leapfrog steps per second; limit from {peak['flops'] / 1e9:.3g} Gflop/s "
        f"and {peak['tanhs'] / 1e6:.3g} million tanh/s"
    )
    return Grid(title, ["grows", "to", "steps per second", "limit", "reached"], rows)


def _draws(draws: dict[str, Any]) -> Grid:
    rows = [
        [
            f"Choo 2-{width}-1",
            *(_shown(case[name]["rate"]) for name in ("ours", "nutpie")),
            says(case["ratio"]),
            " / ".join(str(case[name]["divergences"]) for name in ("ours", "nutpie")),
        ]
        for width, case in draws.items()
    ]
    columns = ["posterior", "ours", "nutpie", "ratio", "divergences"]
    return Grid("Effective draws of log sigma_u per second, median (lowest-highest)", columns, rows)


def _precisions(problems: dict[str, Any]) -> Grid:
    rows = [
        [
            f"{name}: {case['title']}",
            *(_shown(case["microseconds"][precision]) for precision in ("float64", "float32")),
            *(f"{case['energy_error'][p]:.2g}" for p in ("float64", "float32")),
            f"{case['difference']['rms']:.2g}",
            f"{case['difference']['largest']:.2g}",
        ]
        for name, case in problems.items()
    ]
    times, errors = ("µs, float64", "float32"), ("energy error, float64", "float32")
    columns = ["problem", *times, *errors, "rms of H_d - H_f", "largest"]
    return Grid("Single and double precision: time of a step, energy errors", columns, rows)


def _chains(chains: dict[str, Any]) -> Grid:
    timed = ("one", "many", "one, kernel", "many, kernel")
    rows = [
        [
            f"{name}: {problem['title']}",
            *(_shown(problem["microseconds"][key]) for key in timed),
            says(problem["ratio"]),
        ]
        for name, problem in chains.items()
    ]
    columns = ["problem", "1 chain", "64 chains", "1, bare kernel", "64, bare kernel", "64 / 1"]
    title = "Microseconds per chain and leapfrog step on one core, median (lowest-highest)"
    return Grid(title, columns, rows)


def _start_up(start_up: dict[str, Any]) -> Grid:
    rows = [[name, *map(says, kinds.values())] for name, kinds in start_up.items()]
    kinds = next(iter(start_up.values()))
    title = "Seconds from the start of Python to the first draw, median (lowest-highest), target"
    return Grid(title, ["network", *kinds], rows)


def _memory(memory: dict[str, Any]) -> Grid:
    rows = [
        [
            f"{name}: {case['title']}",
            *(_shown(peak) for peak in case["mib"].values()),
            says(case["ratio"]),
        ]
        for name, case in memory.items()
    ]
    samplers = next(iter(memory.values()))["mib"]
    title = "Peak memory of a fit in MiB, median (lowest-highest)"
    return Grid(title, ["problem", *samplers, "ratio"], rows)


def _shown(values: dict[str, float]) -> str:
    return str(Spread(**values))


def rich_table(grid: Grid) -> Table:
    """Turn a table into one for a terminal.

    Parameters
    ----------
    grid : Grid
        The table.

    Returns
    -------
    Table

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.tables import Grid, rich_table
    >>> rich_table(Grid("Sums", ["a", "b"], [["1", "2"]])).row_count
    1
    """
    table = Table(title=grid.title, title_justify="left")
    for i, column in enumerate(grid.columns):
        table.add_column(column, justify="right" if i else "left", overflow="fold")
    for row in grid.rows:
        table.add_row(*(cell.replace(" (", "\n(") for cell in row))
    return table


def markdown_table(grid: Grid) -> str:
    """Turn a table into Markdown.

    Parameters
    ----------
    grid : Grid
        The table.

    Returns
    -------
    str

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.tables import Grid, markdown_table
    >>> print(markdown_table(Grid("Sums", ["a", "b"], [["1", "2"]])))
    **Sums**
    <BLANKLINE>
    | a | b |
    |:--|--:|
    | 1 | 2 |
    """
    rule = "|:--|" + "--:|" * (len(grid.columns) - 1)
    lines = [f"| {' | '.join(cells)} |" for cells in (grid.columns, *grid.rows)]
    return "\n".join([f"**{grid.title}**", "", lines[0], rule, *lines[1:]])
