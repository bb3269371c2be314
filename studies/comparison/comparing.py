"""The main job: from a table to a report."""

from collections.abc import Mapping
from pathlib import Path

import xarray as xr
from rich.console import Console

from ...models import VARIANTS
from ...models.bnn import BNN
from ...models.data.choices import choose
from ..errors import InputError, one_line_errors
from ..fits.fitting import build_models, fit_models
from ..fits.folder_lock import held
from ..fits.manifest import remove_partial
from ..fits.progress import Progress
from ..fits.resuming import saved_fits
from ..fits.settings import Settings
from ..model_evidence.measured import Measured
from ..model_evidence.measuring import PILOT_ITERATIONS, label, measure_models
from ..model_evidence.store import save_evidence, saved_evidence
from ..reports.running_report import RunningReport
from ..structure.choosing import named
from ..structure.pilots import CANDIDATES
from ..tables.datasets import load_dataset
from ..tables.dates import named_periods
from ..tables.reading import read_table
from ..tables.table import Prepared, prepare
from ..tables.target_likelihood import AUTO as BY_PILOTS
from ..tables.target_likelihood import named_likelihood, task_for
from .announcing import (
    announce,
    announce_fits,
    notes_on_interruption,
    say_verdicts,
    summary_table,
)
from .piloting import Chosen, choose_by_pilots
from .request import AUTO, Request

# of the two ways to declare a horseshoe the one whose chains mix better, and no walls
NOT_BY_DEFAULT = ("horseshoe", "logistic", "student_t")
DEFAULT_VARIANTS = tuple(name for name in VARIANTS if name not in NOT_BY_DEFAULT)


def run_comparison(request: Request, console: Console) -> int:
    """Fit, compare and report.

    Parameters
    ----------
    request : Request
        What the user asked for.
    console : Console
        Where to say what happens.

    Returns
    -------
    int
        Exit code: 0, or 130 if the user interrupted.

    Raises
    ------
    InputError
        If something in the request cannot be used; nothing has been written then.
    """
    with one_line_errors():
        variants = _variants(request.variants)
        settings = _settings(request)
        prepared = _prepare(request)
        models = build_models(prepared, variants, settings)
        if request.out.exists() and not request.out.is_dir():
            raise InputError(f"--out {str(request.out)!r} is a file; name a folder.")
    fits = request.out / "fits"
    try:
        with held(fits):
            remove_partial(fits)
            return _run(request, models, prepared, settings, console)
    except KeyboardInterrupt:
        console.print("Interrupted before the first fit; nothing was written.")
        return 130
    finally:
        _remove_empty(fits, request.out)


def _run(
    request: Request,
    models: Mapping[str, BNN],
    prepared: Prepared,
    settings: Settings,
    console: Console,
) -> int:
    fits, variants, chosen = request.out / "fits", list(models), Chosen(settings)
    by_pilots = request.hidden == AUTO or request.likelihood == BY_PILOTS
    if by_pilots:
        announce(prepared, console)
        chosen = choose_by_pilots(request, variants, prepared, settings, console)
    if chosen.settings != settings:
        settings = chosen.settings
        models = build_models(prepared, variants, settings)
    saved = saved_fits(fits, variants, prepared, settings)
    measured = saved_evidence(fits, variants, prepared, settings) if request.evidence else {}
    if not by_pilots:
        announce(prepared, console)
    announce_fits(variants, settings, console)
    choices = chosen.structure, chosen.likelihood
    report = RunningReport(request, prepared, variants, measured, *choices)
    return _fit_and_report(report, models, settings, saved, console)


def _fit_and_report(
    report: RunningReport,
    models: Mapping[str, BNN],
    settings: Settings,
    saved: Mapping[str, xr.DataTree],
    console: Console,
) -> int:
    variants, folder = list(models), report.request.out / "fits"
    progress = Progress(variants, settings.chains, settings.tune, settings.draws, console)
    try:
        with progress:
            fits = fit_models(
                models,
                report.prepared,
                settings,
                folder,
                progress,
                saved,
                lambda name, idata: report.add(name, models[name], idata),
            )
        if not fits.draws:
            none = report.structure is None and report.likelihood is None
            left = "nothing was" if none else "only the pilots were"
            console.print(f"Interrupted before the first draw was kept; {left} written.")
            return 130
        whole = fits.interrupted is None
        if whole and report.request.evidence:
            whole = _measure(report, models, settings, console)
        notes = (*notes_on_interruption(fits, variants, settings), *_notes_on_evidence(report))
        _conclude(report, notes, console)
    except KeyboardInterrupt:
        written = report.path if report.path.exists() else "not there yet"
        console.print(f"Interrupted: the report is {written}.", highlight=False, soft_wrap=True)
        console.print(f"The fits are in {folder}.", highlight=False, soft_wrap=True)
        console.print("Run the same command again to go on from there.")
        return 130
    return 0 if whole else 130


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
    written = f"Wrote {report.path}, {report.numbers} and the fits in {fits}."
    console.print(written, highlight=False, markup=False, soft_wrap=True)


def _variants(text: str | None) -> list[str]:
    if text is None:
        return list(DEFAULT_VARIANTS)
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError(f"--variants is empty; choose from {', '.join(VARIANTS)}.")
    return list(dict.fromkeys(choose("variant", name, VARIANTS) for name in names))


def _settings(request: Request) -> Settings:
    """Settings of the request, with the simplest hidden layers where they are to be chosen."""
    given = named(CANDIDATES[0]) if request.hidden == AUTO else request.hidden
    words = [word.strip() for word in given.split(",")]
    likelihood = request.likelihood and named_likelihood(request.likelihood)
    try:
        sizes = tuple(int(word) for word in words)
    except ValueError:
        raise InputError(
            f"--hidden {request.hidden!r}: give whole numbers separated by commas, as in 16,16, "
            "or auto."
        ) from None
    if (accept := request.target_accept) is not None and not 0 < accept < 1:
        raise InputError(f"--target-accept {accept:g}: give a number between 0 and 1, as in 0.95.")
    return Settings(
        hidden=() if sizes == (0,) else sizes,
        activation=request.activation,
        draws=request.draws,
        tune=request.tune,
        chains=request.chains,
        cores=request.cores,
        seed=request.seed,
        likelihood=None if likelihood == BY_PILOTS else likelihood,
        target_accept=accept,
    )


def _prepare(request: Request) -> Prepared:
    if request.table is not None and request.data is not None:
        raise InputError("give a table or --data, not both.")
    if request.table is None:
        data = load_dataset(request.data or "autompg")
        name = data.name
    else:
        data, name = read_table(request.table), request.table.stem
    return prepare(
        data,
        request.target,
        task_for(request.likelihood and named_likelihood(request.likelihood), request.task),
        name=name,
        ignore=request.ignore,
        drop_missing=request.drop_missing,
        mark_missing=request.mark_missing,
        periods=named_periods(request.periods),
        test_fraction=request.test_fraction,
        seed=request.seed,
    )
