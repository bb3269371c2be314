"""Command line of the benchmark."""

import json
import logging
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from .machine import machine
from .measures.chains import measure_chains
from .measures.effective_draws import measure_effective_draws
from .measures.memory import measure_memory
from .measures.ratios import measure_leapfrog
from .measures.scaling import measure_scaling
from .measures.single_precision import measure_single_precision
from .measures.start_up import NETWORKS, measure_start_up
from .page import write_page
from .peers.leapfrog_steps import import_nutpie
from .problems import PROBLEMS
from .tables import grids, rich_table
from .targets import check_judged


def _leapfrog(given: Namespace) -> dict[str, Any]:
    """Time a leapfrog step on the five problems, or on some; with ``--quick`` on the first."""
    problems = given.problems or ("a" if given.quick else "".join(PROBLEMS))
    repeats, seconds = (2, 0.1) if given.quick else (given.repeats, 1.0)
    return measure_leapfrog(problems, repeats, seconds)


def _scaling(given: Namespace) -> dict[str, Any]:
    """Time our leapfrog step as networks and data grow; with ``--quick`` the smallest ones."""
    if given.quick:
        return measure_scaling(repeats=2, seconds=0.1, points=1)
    return measure_scaling(given.repeats)


def _effective_draws(given: Namespace) -> dict[str, Any]:
    """Compare whole samplers on Choo's posteriors; with ``--quick`` on the small one."""
    options = {"chains": given.chains, "cores": given.cores}
    if given.quick:
        return measure_effective_draws((8,), **options, draws=100, nutpie_draws=500, repeats=1)
    sizes = {"draws": given.draws, "nutpie_draws": given.nutpie_draws}
    return measure_effective_draws(**options, **sizes, repeats=given.repeats)


def _single_precision(given: Namespace) -> dict[str, Any]:
    """Compare single with double precision; with ``--quick`` on one problem."""
    if given.quick:
        return measure_single_precision("c", repeats=2, seconds=0.1, trajectories=10)
    return measure_single_precision(repeats=given.repeats)


def _chains(given: Namespace) -> dict[str, Any]:
    """Compare many chains with one; with ``--quick`` on the first problem."""
    if given.quick:
        return measure_chains("a", 2, 0.1)
    return measure_chains(repeats=given.repeats)


def _start_up(given: Namespace) -> dict[str, Any]:
    """Time first draws; with ``--quick`` of one network and once of each kind."""
    if given.quick:
        return measure_start_up(list(NETWORKS)[:1], repeats=1)
    return measure_start_up(repeats=given.repeats)


def _memory(given: Namespace) -> dict[str, Any]:
    """Compare peaks of memory; with ``--quick`` on the smallest problem."""
    if given.quick:
        return measure_memory("a", draws=10, repeats=1)
    return measure_memory(given.problems or "acd", repeats=given.repeats)


PARTS: dict[str, Callable[[Namespace], dict[str, Any]]] = {
    "leapfrog": _leapfrog,
    "scaling": _scaling,
    "effective-draws": _effective_draws,
    "single-precision": _single_precision,
    "chains": _chains,
    "start-up": _start_up,
    "memory": _memory,
}


def parser() -> ArgumentParser:
    """Describe the command line.

    Returns
    -------
    ArgumentParser

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.__main__ import parser
    >>> parser().parse_args(["--only", "scaling"]).only
    'scaling'
    """
    command = ArgumentParser(
        prog="python -m pymc_bnn.studies.benchmark",
        description="Measure how fast the samplers are on this machine, which should be idle.",
    )
    command.add_argument("--only", choices=PARTS, help="one part instead of all")
    command.add_argument("--quick", action="store_true", help="a look whether all works")
    command.add_argument("--problems", help="letters of problems, for leapfrog and memory")
    command.add_argument("--repeats", type=int, default=5, help="measurements of each figure")
    command.add_argument("--chains", type=int, default=4, help="of the effective draws")
    command.add_argument("--cores", type=int, default=2, help="of the effective draws")
    command.add_argument("--draws", type=int, default=5_000, help="ours, of 50 sweeps each")
    command.add_argument("--nutpie-draws", type=int, default=5_000, help="nutpie's, per chain")
    command.add_argument("--out", type=Path, default=Path("benchmark.json"), help="JSON to write")
    command.add_argument("--docs", type=Path, help="folder of the documentation to write to")
    command.add_argument("--from", dest="source", type=Path, help="JSON to show, not to measure")
    return command


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, print, and write the results.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; by default those of the process.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.benchmark.__main__ import main
    >>> _ = Path("old.json").write_text('{"machine": {"cpu": "abacus"}}')
    >>> main(["--from", "old.json", "--docs", "."])  # doctest: +ELLIPSIS
    Machine...
    >>> Path("benchmark_results.md").exists()
    True
    """
    given = parser().parse_args(argv)
    if given.source:
        results = json.loads(given.source.read_text(encoding="utf-8"))
        check_judged(results)
    else:
        results = _measure(given)
    console = Console()
    for grid in grids(results):
        console.print(rich_table(grid))
    if given.docs:
        write_page(results, given.docs)


def _measure(given: Namespace) -> dict[str, Any]:
    """Measure all parts, or the one that was asked for, and write the results after each.

    Returns
    -------
    dict
        ``machine``, and what was measured of each part, with underscores in its name.
    """
    unknown = set(given.problems or "") - set(PROBLEMS)
    if unknown:
        raise SystemExit(f"--problems {given.problems}: choose from {', '.join(PROBLEMS)}.")
    if given.only in (None, "leapfrog", "effective-draws"):
        import_nutpie()
    given.out.parent.mkdir(parents=True, exist_ok=True)
    console = Console(stderr=True)
    results: dict[str, Any] = {"machine": machine()}
    for name, part in PARTS.items():
        if given.only in (None, name):
            console.print(f"Measuring {name}; this may take some minutes.")
            results[name.replace("-", "_")] = part(given)
            given.out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return results


if __name__ == "__main__":
    logging.getLogger("pymc").setLevel(logging.ERROR)
    main()
