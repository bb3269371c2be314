"""The command line: ``pymc-bnn compare``, ``pymc-bnn predict`` and ``pymc-bnn study``."""

import atexit
import gc
import os
import sys
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer
from rich.console import Console

from .cli_examples import COMPARE_EXAMPLES, PREDICT_EXAMPLES, STUDY_EXAMPLES
from .errors import InputError, UnitError, one_line_errors, writing_to
from .fits.compiled_code import find_room_for_compiled_code
from .fits.interruption import ended_as_interrupted

app = typer.Typer(
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Bayesian neural networks that are sampled, not approximated.",
)


@app.command(epilog=COMPARE_EXAMPLES)
def compare(
    table: Annotated[
        Path | None,
        typer.Argument(help="CSV, Parquet or Excel file; without one, a shipped data set."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(help="Shipped data: autompg, diabetes, digits, mnist, breast_cancer or wine."),
    ] = None,
    target: Annotated[str | None, typer.Option(help="Column to predict.")] = None,
    task: Annotated[
        str | None, typer.Option(help="regression, classification or counts; guessed if not given.")
    ] = None,
    variants: Annotated[
        str | None,
        typer.Option(
            help="Priors to compare, separated by commas; by default all but horseshoe, logistic "
            "and student_t."
        ),
    ] = None,
    likelihood: Annotated[
        str | None,
        typer.Option(
            help="gaussian, student_t or heteroscedastic for numbers, poisson or negative_binomial "
            "for counts, bernoulli, categorical or ordered for classes; auto chooses by pilot "
            "runs, and tries ordered where classes may have an order: ordered categories of a "
            "Parquet file, or 3 to 7 numbers. By default gaussian or classes."
        ),
    ] = None,
    hidden: Annotated[
        str,
        typer.Option(
            help="Units of each hidden layer, as in 16,16; 0 for a linear model; auto chooses by "
            "pilot runs."
        ),
    ] = "auto",
    activation: Annotated[
        str, typer.Option(help="tanh, relu, logistic, softplus, identity or step.")
    ] = "tanh",
    draws: Annotated[int, typer.Option(min=10, help="Draws of each chain to keep.")] = 1000,
    tune: Annotated[int, typer.Option(min=10, help="Warm-up draws of each chain.")] = 500,
    chains: Annotated[int, typer.Option(min=1, help="Chains of each model.")] = 4,
    target_accept: Annotated[
        float | None, typer.Option(help="Acceptance to learn step sizes for; nearer to 1 is safer.")
    ] = None,
    cores: Annotated[
        int | None, typer.Option(min=1, help="Processes; by default one per processor.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same result.")] = 0,
    test_fraction: Annotated[float, typer.Option(help="Share of rows held out.")] = 0.25,
    ignore: Annotated[list[str] | None, typer.Option(help="Column to leave out; or more.")] = None,
    drop_missing: Annotated[
        bool, typer.Option("--drop-missing", help="Drop rows with missing values.")
    ] = False,
    mark_missing: Annotated[
        bool,
        typer.Option(
            "--mark-missing",
            help="Give missing inputs the mean of their column, and an input that says so.",
        ),
    ] = False,
    period: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of dates and a period, year, week or day, as in sold=year: where in it a "
            "date is matters too; may be repeated."
        ),
    ] = None,
    moment_match: Annotated[
        bool, typer.Option("--moment-match", help="Repair leave-one-out by moment matching.")
    ] = False,
    refit: Annotated[
        bool, typer.Option("--refit", help="Refit for each case where leave-one-out fails.")
    ] = False,
    evidence: Annotated[
        bool,
        typer.Option(
            "--evidence",
            help="Add log evidence and model probabilities; takes about twenty times as long.",
        ),
    ] = False,
    minutes: Annotated[
        float | None,
        typer.Option(help="Wall time to keep to, by fewer draws, pilots and, last of all, priors."),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(help="Address of a scheduler of Dask, whose workers fit a prior each."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the report and the fits.")] = Path("report"),
) -> None:
    """Fit several priors to a table, and report which predicts best; run again to go on."""
    begun = monotonic()
    _find_room_for_compiled_code()
    from .comparison.comparing import run_comparison
    from .comparison.request import Request

    request = Request(
        table=table,
        data=data,
        target=target,
        task=task,
        variants=variants,
        likelihood=likelihood,
        target_accept=target_accept,
        hidden=hidden,
        activation=activation,
        draws=draws,
        tune=tune,
        chains=chains,
        cores=cores,
        seed=seed,
        test_fraction=test_fraction,
        ignore=tuple(ignore or ()),
        drop_missing=drop_missing,
        mark_missing=mark_missing,
        periods=tuple(period or ()),
        moment_match=moment_match,
        refit=refit,
        evidence=evidence,
        minutes=minutes,
        scheduler=scheduler,
        out=out,
    )
    raise typer.Exit(run_comparison(request, _console(), begun))


@app.command(epilog=PREDICT_EXAMPLES)
def predict(
    fit: Annotated[Path, typer.Argument(help="A fit that compare saved, NAME.zarr.")],
    table: Annotated[Path, typer.Argument(help="CSV, Parquet or Excel file with new rows.")],
    out: Annotated[Path, typer.Option(help="CSV file to write.")] = Path("predictions.csv"),
    interval: Annotated[
        float | None,
        typer.Option(help="Probability of an interval to write, as in 0.9; by default quantiles."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same result.")] = 0,
) -> None:
    """Predict new rows from a saved fit."""
    _find_room_for_compiled_code()
    from .tables.predicting import predict_table

    if out.parent.is_file():
        raise InputError(f"--out {out}: {out.parent} is a file; give a file in a folder.")
    if out.resolve() == table.resolve():
        raise InputError(f"--out {out}: that is the table with new rows; give another file.")
    with one_line_errors():
        predictions = predict_table(fit, table, seed, interval)
    with writing_to(out.parent):
        out.parent.mkdir(parents=True, exist_ok=True)
        predictions.to_csv(out, index=False)
    for said in filter(None, map(predictions.attrs.get, ("draws", "chains", "tails"))):
        _console().print(said, highlight=False, soft_wrap=True)
    written = f"Wrote {len(predictions)} predictions to {out}."
    _console().print(written, highlight=False, soft_wrap=True)


@app.command(epilog=STUDY_EXAMPLES)
def study(
    name: Annotated[str, typer.Argument(help="The study; an unknown name lists them.")],
    budget: Annotated[
        str,
        typer.Option(
            help="How much to sample: smoke, desk, or paper as published; of baldock2019 also gpu."
        ),
    ] = "desk",
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results; by default the study's name.")
    ] = None,
    cores: Annotated[
        int | None, typer.Option(min=1, help="Processes; by default one per processor.")
    ] = None,
    docs: Annotated[
        Path | None, typer.Option(help="Folder of the documentation to write a page into.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same result.")] = 0,
    keep: Annotated[
        bool, typer.Option("--keep", help="Use results that earlier code made.")
    ] = False,
    redo: Annotated[
        bool, typer.Option("--redo", help="Make results of earlier code anew.")
    ] = False,
    scheduler: Annotated[
        str | None,
        typer.Option(help="Address of a scheduler of Dask, whose workers do the work."),
    ] = None,
) -> None:
    """Reproduce a published study; run it again to go on where it stopped."""
    _find_room_for_compiled_code()
    from .reproduction.changed_code import Changed
    from .reproduction.studying import StudyRequest, find_study

    if keep and redo:
        raise InputError("give --keep or --redo, not both.")
    if cores is not None and scheduler is not None:
        raise InputError("give --cores or --scheduler, not both: its workers say how many.")
    changed: Changed = "keep" if keep else "redo" if redo else "ask"
    found = find_study(name)
    request = StudyRequest(name, budget, out or Path(name), cores, docs, seed, changed, scheduler)
    raise typer.Exit(found.run(request, _console()))


def _find_room_for_compiled_code() -> None:
    if (said := find_room_for_compiled_code()) is not None:
        _console().print(said, highlight=False, soft_wrap=True)


def _console() -> Console:
    # brackets and colons in names of columns and files are no markup
    return Console(stderr=True, markup=False, emoji=False)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; an error of the user is one line and exit code 2.

    Parameters
    ----------
    arguments : list of str, optional
        By default those of the process.
    """
    # Chains run in processes of their own; threads inside each would only get in the way.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Python looks through all that is left as it ends, for two to four seconds of a comparison
    atexit.register(gc.freeze)
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        with ended_as_interrupted():
            status = app(args=arguments or ["--help"], standalone_mode=False)
    except typer.TyperException as error:
        _fail(error.format_message())
    except (InputError, UnitError, OSError) as error:
        _fail(str(error))
    except (typer.Abort, KeyboardInterrupt):
        _fail("interrupted.", 130)
    sys.exit(status or 0)


def _fail(message: str, status: int = 2) -> None:
    print(f"error: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(status)
