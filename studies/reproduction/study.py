"""A study as a value: what to run at each length, in which order, and what is shown of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ...models.data.choices import choose
from ..distribution.cluster import count_workers
from ..errors import one_line_errors, writing_to
from ..pages.page import Page, write_page
from .changed_code import settle_changed_code
from .results import Results
from .studying import FIRST_TIME, StudyRequest
from .unit_progress import UnitProgress
from .unit_store import claim_folder
from .units import Unit, check_units, describe_units, run_units


@dataclass(frozen=True)
class Stage:
    """Units of work that do not depend on each other.

    Parameters
    ----------
    title : str
        What they are.
    units : callable
        Declares them, when the stages before are done.
    expected : callable, optional
        Declares as many units of about that length, where the stages before decide which; they say
        how long the study will take.
    """

    title: str
    units: Callable[[], Sequence[Unit]]
    expected: Callable[[], Sequence[Unit]] | None = None


@dataclass(frozen=True)
class Study[B]:
    """A study.

    Parameters
    ----------
    name : str
        Its name.
    version : int
        Of what a result means: raise it when old results no longer go with new ones.
    budgets : mapping of str to object
        What to sample, at each length that a user may ask for. A budget has a ``name``.
    settings : callable
        From the budget to everything that results depend on, as values that JSON can hold.
    stages : callable
        From the folder of results, the budget and the seed to the stages, in order.
    results : callable
        From the folder of results and the budget to :class:`.results.Results`.
    page : Page
        What the documentation shows.
    summary : callable
        From the results to a table for the terminal.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.study import STUDY
    >>> sorted(STUDY.declare(STUDY.budget("smoke"), seed=0))
    ['budget', 'seed', 'settings', 'study', 'version']
    """

    name: str
    version: int
    budgets: Mapping[str, B]
    settings: Callable[[B], Mapping[str, Any]]
    stages: Callable[[Path, B, int], Sequence[Stage]]
    results: Callable[[Path, B], Results[B]]
    page: Page
    summary: Callable[[Any], Table]

    def budget(self, name: str) -> B:
        """Look a budget up.

        Raises
        ------
        InputError
            If there is none of this name.
        """
        with one_line_errors():
            return self.budgets[choose("budget", name, self.budgets)]

    def declare(self, budget: B, seed: int) -> dict[str, Any]:
        """Everything that the results depend on."""
        named: dict[str, Any] = {"study": self.name, "version": self.version, "seed": seed}
        named["budget"] = getattr(budget, "name", "")
        return dict(self.settings(budget)) | named

    def run(self, request: StudyRequest, console: Console) -> int:
        """Run the study, or what is missing of it.

        Parameters
        ----------
        request : StudyRequest
            What the user asked for.
        console : Console
            Where to say what happens.

        Returns
        -------
        int
            Exit code.
        """
        budget = self.budget(request.budget)
        units = claim_folder(request.out, self.declare(budget, request.seed)) / "units"
        progress = UnitProgress(console)
        stages = self.stages(units, budget, request.seed)
        known = [unit for stage in stages if stage.expected is None for unit in stage.units()]
        check_units(known)
        known += [unit for stage in stages if stage.expected for unit in stage.expected()]
        cores = request.cores
        if request.scheduler is not None:
            cores = count_workers(request.scheduler, [unit.function for unit in known])
        length = describe_units(known, units, cores)
        progress.say(f"{self.name}, {request.budget}: {length}")
        settle_changed_code({unit.key: unit.function for unit in known}, units, request.changed)
        progress.say(FIRST_TIME)
        for stage in stages:
            declared = stage.units()
            given = stage.title, request.changed, request.scheduler
            run_units(declared, units, request.cores, progress, *given)
        results = self.results(units, budget)
        console.print(self.summary(results))
        if request.docs is not None:
            with writing_to(request.docs):
                progress.say(f"Written: {write_page(self.page, results, request.docs)[0]}.")
        progress.say(f"All results are in {units}.")
        return 0
