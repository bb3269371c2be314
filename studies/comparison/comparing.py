"""The main job: from a table to a report."""

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic

import xarray as xr
from rich.console import Console

from ...models.bnn import BNN
from ..distribution.beforehand import reach_workers, time_for_workers
from ..distribution.fitting import fit_models_elsewhere
from ..errors import InputError, one_line_errors
from ..fits.fitting import Fits, build_models, fit_models
from ..fits.folder_lock import held
from ..fits.manifest import remove_partial
from ..fits.progress import Progress
from ..fits.resuming import check_same_models, notes_on_versions, saved_fits
from ..fits.schedule import Schedule
from ..fits.settings import Settings
from ..fits.time_limit import TimeLimit, shortened
from ..model_evidence.measured import Measured
from ..model_evidence.measuring import PILOT_ITERATIONS, label, measure_models
from ..model_evidence.store import save_evidence, saved_evidence
from ..reports.running_report import RunningReport
from ..tables.table import Prepared
from ..tables.target_likelihood import AUTO as BY_PILOTS
from .announcing import (
    announce,
    announce_fits,
    notes_on_interruption,
    say_verdicts,
    summary_table,
)
from .asked import settings_of, table_of, variants_of
from .beside import ReportBeside, pays
from .piloting import Chosen, choose_by_pilots
from .request import AUTO, Request
from .timing import check_enough, notes_on_time, say_time, seconds_of_evaluation, time_models

SHORT = 0.25  # of the draws that were asked for, by which evaluations within a limit are planned


def run_comparison(request: Request, console: Console, begun: float | None = None) -> int:
    """Fit, compare and report.

    Parameters
    ----------
    request : Request
        What the user asked for.
    console : Console
        Where to say what happens.
    begun : float, optional
        When the command began, by ``time.monotonic``; by default now. Its minutes count from there.

    Returns
    -------
    int
        Exit code: 0, or 130 if the user interrupted.

    Raises
    ------
    InputError
        If something in the request cannot be used, or its workers; nothing has been written then.
    """
    begun = monotonic() if begun is None else begun
    with one_line_errors():
        variants = variants_of(request)
        settings = settings_of(request)
        prepared = table_of(request)
        models = build_models(prepared, variants, settings)
        if request.out.exists() and not request.out.is_dir():
            raise InputError(f"--out {str(request.out)!r} is a file; name a folder.")
    limit = None
    if settings.minutes is not None:
        short = shortened(settings, SHORT)
        evaluation = seconds_of_evaluation(len(prepared.X), short)
        limit = TimeLimit(settings.minutes, begun, monotonic(), evaluation)
    fits = request.out / "fits"
    try:
        with held(fits):
            remove_partial(fits)
            reach_workers(request.scheduler, fits, variants)
            return _run(request, models, prepared, settings, limit, console)
    except KeyboardInterrupt:
        left = "only the pilots were" if any(fits.glob("*.json")) else "nothing was"
        console.print(f"Interrupted before the first fit of this run; {left} written.")
        return 130
    finally:
        _remove_empty(fits, request.out)


def _run(
    request: Request,
    models: Mapping[str, BNN],
    prepared: Prepared,
    settings: Settings,
    limit: TimeLimit | None,
    console: Console,
) -> int:
    fits, variants, chosen = request.out / "fits", list(models), Chosen(settings)
    by_pilots = request.hidden == AUTO or request.likelihood == BY_PILOTS
    timed = {}
    if limit is not None and not any(fits.glob("*.zarr")):
        timed = check_enough(variants[0], models[variants[0]], settings, limit)
    if by_pilots:
        announce(prepared, console)
        chosen = choose_by_pilots(request, variants, prepared, settings, limit, console)
    if chosen.settings != settings:
        settings, timed = chosen.settings, {}
        models = build_models(prepared, variants, settings)
    saved = saved_fits(fits, variants, prepared, settings)
    check_same_models(fits, saved, models)
    measured = saved_evidence(fits, variants, prepared, settings) if request.evidence else {}
    if not by_pilots:
        announce(prepared, console)
    announce_fits(variants, settings, console)
    todo = {name: model for name, model in models.items() if name not in saved}
    if request.scheduler is None:
        timed = time_models(todo, settings, limit, console, timed, one_at_least=not saved)
    else:
        time_for_workers(todo, settings, console)
    schedule = Schedule(settings, timed, limit, list(todo), one_at_least=not saved)
    kind = ReportBeside if pays(request, schedule) else RunningReport
    report = kind(request, prepared, variants, measured, *chosen[1:])
    return _fit_and_report(report, models, schedule, saved, console)


def _fit_and_report(
    report: RunningReport,
    models: Mapping[str, BNN],
    schedule: Schedule,
    saved: Mapping[str, xr.DataTree],
    console: Console,
) -> int:
    def finished(name: str, idata: xr.DataTree) -> None:
        report.add(name, models[name], idata, schedule.goes_on(name))

    try:
        with report.at_work(models):
            fits = _fit(report, models, schedule, saved, finished, console)
            if not fits.draws:
                return _nothing(report, schedule, fits, console)
            whole = fits.interrupted is None
            if whole and report.request.evidence:
                whole = _measure(report, models, schedule.settings, console)
            report.timing = say_time(schedule, console)
            notes = *_notes(report, schedule, fits), *notes_on_versions(saved)
            _conclude(report, notes, console)
    except KeyboardInterrupt:
        _say_interrupted(report, console)
        return 130
    return 0 if whole or schedule.late else 130


def _fit(
    report: RunningReport,
    models: Mapping[str, BNN],
    schedule: Schedule,
    saved: Mapping[str, xr.DataTree],
    finished: Callable[[str, xr.DataTree], None],
    console: Console,
) -> Fits:
    folder, settings = report.request.out / "fits", schedule.settings
    if (scheduler := report.request.scheduler) is not None:
        given = list(models), report.prepared, schedule, folder, console, scheduler
        return fit_models_elsewhere(*given, saved, finished)
    progress = Progress(list(models), settings.chains, settings.tune, settings.draws, console)
    with progress:
        return fit_models(models, report.prepared, schedule, folder, progress, saved, finished)


def _say_interrupted(report: RunningReport, console: Console) -> None:
    written = report.path if report.path.exists() else "not there yet"
    folder = report.request.out / "fits"
    console.print(f"Interrupted: the report is {written}.", highlight=False, soft_wrap=True)
    console.print(f"The fits are in {folder}.", highlight=False, soft_wrap=True)
    console.print("Run the same command again to go on from there.")


def _notes(report: RunningReport, schedule: Schedule, fits: Fits) -> tuple[str, ...]:
    """What the run lacks."""
    notes = notes_on_time(schedule, report.variants, fits)
    if schedule.late is None:
        notes += notes_on_interruption(fits, schedule, report.variants)
    return (*notes, *_notes_on_evidence(report))


def _nothing(report: RunningReport, schedule: Schedule, fits: Fits, console: Console) -> int:
    """Say that there is no draw, or not enough."""
    none = report.structure is None and report.likelihood is None
    left = "nothing was" if none else "only the pilots were"
    if fits.paths:
        left = "the few draws were"
    if fits.apart:
        left = "only single chains were"
    if schedule.late is not None:
        raise InputError(
            f"--minutes {report.request.minutes:g} ended in the warm-up of {schedule.late}, which "
            f"took longer than was estimated; {left} written. Give more minutes."
        )
    first = "there were enough draws to be judged" if fits.paths else "the first draw was kept"
    first = "all chains of a model were there" if fits.apart else first
    console.print(f"Interrupted before {first}; {left} written.", highlight=False, soft_wrap=True)
    if fits.apart:
        console.print("Run the same command again to go on from there.")
    return 130


def _measure(
    report: RunningReport, models: Mapping[str, BNN], settings: Settings, console: Console
) -> bool:
    """Measure the evidence of models that have none yet; false if Ctrl-C ended that."""
    left = {name: model for name, model in models.items() if name not in report.measured}
    labels = [label(name) for name in left]

    def finished(name: str, measured: Measured) -> None:
        folder = report.request.out / "fits"
        save_evidence(folder, name, measured, report.prepared, settings)
        report.add_evidence(name, measured)

    warm_up = PILOT_ITERATIONS + settings.tune
    with Progress(labels, settings.chains, warm_up, settings.draws, console) as progress:
        return measure_models(left, settings, progress, finished)


def _notes_on_evidence(report: RunningReport) -> tuple[str, ...]:
    if not report.request.evidence:
        return ()
    left = [name for name in report.variants if name not in report.measured]
    return (f"Evidence not measured: {', '.join(left)}.",) if left else ()


def _remove_empty(*folders: Path) -> None:
    for folder in folders:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _conclude(report: RunningReport, notes: tuple[str, ...], console: Console) -> None:
    for note in notes:
        console.print(note, highlight=False, soft_wrap=True)
    comparison = report.write(notes)
    console.print(summary_table(comparison))
    say_verdicts(comparison, console)
    fits = report.request.out / "fits"
    usable = comparison.explained
    tables = [report.numbers, report.predictions, *([report.dependence] if usable else [])]
    said = [f"Wrote {report.path}, {', '.join(map(str, tables))} and the fits in {fits}."]
    if usable is not None:
        fit = shlex.quote(str(fits / f"{usable.name}.zarr"))
        said.append(f"New rows are predicted by: pymc-bnn predict {fit} NEW.csv")
    for line in said:
        console.print(line, highlight=False, markup=False, soft_wrap=True)
