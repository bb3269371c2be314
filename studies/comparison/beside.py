"""A running report in a process of its own, which evaluates a model while the next is sampled.

A fit keeps as many cores busy as there are chains, and an evaluation only one. What is evaluated,
and what the report says, is the same as in one process.

The other process is forked, as PyMC's workers are, so that it has all modules and the compiled
models. That happens while this process has a single thread of Python: a fork takes along locks
that other threads hold.
"""

import multiprocessing
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import active_count
from typing import Any, NamedTuple

import xarray as xr

from ...models.bnn import BNN
from ..fits.schedule import Schedule
from ..reports.running_report import RunningReport
from .comparison import Comparison
from .model_results import ModelResult
from .request import Request

LOST = EOFError, OSError  # what a pipe raises whose other end is gone


class Work(NamedTuple):
    """Draws of a model that are to be evaluated; see :meth:`.RunningReport.add`."""

    name: str
    idata: xr.DataTree
    more: bool


class Written(NamedTuple):
    """What the other process knows when it has written the last report.

    Attributes
    ----------
    results : dict of str to ModelResult
        Without models and draws, which are here.
    state : dict of str to object
        Attributes of the report: simpler models, and plots.
    warned : list of tuple
        Warnings, which are said here.
    """

    results: dict[str, ModelResult]
    state: dict[str, Any]
    warned: list[tuple[Any, ...]]


def pays(request: Request, schedule: Schedule) -> bool:
    """Whether a process for the report is worth it, and nothing is in its way.

    A limit of time is planned with evaluations that follow each other, refits and evidence keep
    all cores busy themselves, and fits so short that nothing was timed gain nothing.

    Parameters
    ----------
    request : Request
        What the user asked for.
    schedule : Schedule
        How long each model is to be sampled.

    Returns
    -------
    bool

    Examples
    --------
    >>> from pymc_bnn.studies.comparison.beside import pays
    >>> from pymc_bnn.studies.comparison.request import Request
    >>> from pymc_bnn.studies.fits.schedule import Schedule
    >>> from pymc_bnn.studies.fits.settings import Settings
    >>> pays(Request(), Schedule(Settings(draws=20)))  # nothing was timed
    False
    """
    wanted = bool(schedule.timed) and not (request.refit or request.evidence)
    safe = sys.platform == "linux" and active_count() == 1
    return wanted and safe and schedule.limit is None


class ReportBeside(RunningReport):
    """A running report that another process makes, as long as that lives.

    If it is lost, the report is made here, from the draws that are here too. So is one in which
    anything fails, so that errors are those of this process.
    """

    _ours: Connection | None = None

    @contextmanager
    def at_work(self, models: Mapping[str, BNN]) -> Iterator[None]:
        """Have the other process for a while; at the end it finishes what it was given.

        So nothing is lost of models that were sampled before an error. Who interrupts that ends it.
        """
        self._models, self._sent = models, list[Work]()
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        process = context.Process(target=self._serve, args=(ours, theirs), daemon=True)
        # that of a terminal is for those who sample; the other process never sees it
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # threads of BLAS only wait
                process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
        self._ours = ours
        try:
            yield
        finally:
            self._ours = None
            self._dismiss(process, ours)

    def _dismiss(self, process: BaseProcess, ours: Connection) -> None:
        try:
            with suppress(*LOST):
                ours.send(None)  # processes that were forked meanwhile have this end open too
            ours.close()
            process.join()
        finally:
            process.kill()
            process.join()
            self.remove_partial()

    def add(self, name: str, model: BNN, idata: xr.DataTree, more: bool = True) -> None:
        """Have a model evaluated; see :meth:`.RunningReport.add`."""
        self._sent.append(Work(name, idata, more))
        if self._ours is None:
            super().add(name, model, idata, more)
            return
        try:
            self._ours.send(self._sent[-1])
        except LOST:
            self._make_up()

    def write(self, notes: tuple[str, ...]) -> Comparison:
        """Have the report written; see :meth:`.RunningReport.write`."""
        if self._ours is None:
            return super().write(notes)
        try:
            self._ours.send((notes, self.timing))
            self._take_in(self._ours.recv())
        except LOST:
            self._make_up()
            return super().write(notes)
        return self.comparison(notes)

    def _make_up(self) -> None:
        """Do what the other process was to do."""
        self._ours = None
        for work in self._sent:
            super().add(work.name, self._models[work.name], work.idata, work.more)

    def _take_in(self, written: Written) -> None:
        draws = {work.name: work.idata for work in self._sent}
        for name, result in written.results.items():
            idata = draws[name]
            if result.bias is not None:
                idata = result.bias.attach(idata.copy())
            self.results[name] = replace(result, model=self._models[name], idata=idata)
        vars(self).update(written.state)
        for message, category, filename, line in written.warned:
            warnings.warn_explicit(message, category, filename, line)

    def _serve(self, ours: Connection, theirs: Connection) -> None:
        """What the other process does: it is silent, and ends as soon as anything fails."""
        ours.close()  # so that this process ends with the other
        try:
            with warnings.catch_warnings(record=True) as warned:
                self._prepare()
                while isinstance(received := theirs.recv(), Work):
                    super().add(received.name, self._models[received.name], *received[1:])
                if received is None:  # no report is wanted
                    return
                notes, self.timing = received
                super().write(notes)
            theirs.send(self._written(warned))
        except BaseException:  # what it is, the other process will find out
            return

    def _prepare(self) -> None:
        """Do what needs no draws, while the first ones are made."""
        from ..reports import report  # noqa: F401  # plots take a while to import

        self.fit_baselines(next(iter(self._models.values())))

    def _written(self, warned: list[warnings.WarningMessage]) -> Written:
        results = {
            name: replace(result, model=None, idata=None)  # type: ignore[arg-type]
            for name, result in self.results.items()
        }
        state = {"baselines": self.baselines, "drawn": self.drawn}
        said = [(str(one.message), one.category, one.filename, one.lineno) for one in warned]
        return Written(results, state, said)
