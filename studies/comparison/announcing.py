"""What a comparison says on the console, beside its progress."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

from ..fits.fitting import Fits
from ..fits.schedule import Schedule
from ..fits.settings import Settings
from ..reports.report import format_number, format_probability
from ..structure.pilots import Pilot
from ..tables.table import Prepared
from .comparison import Comparison


class Column(NamedTuple):
    """A column of the console's table.

    Attributes
    ----------
    key : str
        Of the comparison's table.
    heading : str
        What stands above it.
    digits : int
        After the point; probabilities have their own.
    error : str, optional
        Key of its standard error, which goes with it.
    """

    key: str
    heading: str
    digits: int
    error: str = ""

    def cell(self, row: pd.Series) -> str:
        """The number of a model, with its standard error."""
        if self.key == "probability":  # which no evidence makes certain
            return format_probability(row[self.key])
        number = format_number(row[self.key], self.digits)
        return f"{number} ± {format_number(row[self.error], self.digits)}" if self.error else number


COLUMNS = (
    Column("elpd_diff", "Δ elpd ± se", 1, "dse"),
    Column("weight", "weight", 2),
    Column("rmse", "RMSE", 3),
    Column("error_rate", "errors", 3),
    Column("log_score", "log\nscore", 3),
    Column("log_evidence", "log\nevidence", 1, "log_evidence_se"),
    Column("probability", "prob.", 2),
)


def announce(prepared: Prepared, console: Console) -> None:
    """Say what the table is, and how it is understood."""
    for note in prepared.notes:
        console.print(note, highlight=False, soft_wrap=True)
    encoding = prepared.encoding
    console.print(
        f"{prepared.name}: {encoding.task} of {encoding.target} from {len(encoding.columns)} "
        f"columns ({prepared.X.shape[1]} inputs); {len(prepared.X)} training and "
        f"{len(prepared.X_test)} test cases.",
        highlight=False,
        soft_wrap=True,
    )


def announce_pilot(console: Console, sd: float, what: str, pilot: Pilot) -> None:
    """Say what a pilot gave, with the log score in the unit of the table as at the end.

    Parameters
    ----------
    console : Console
        Where to say it.
    sd : float
        What targets were divided by.
    what : str
        What the pilot is of.
    pilot : Pilot
        The pilot.
    """
    console.print(
        f"Pilot of {what}: log score {pilot.log_score.mean() - np.log(sd):.3f} in "
        f"{pilot.seconds:.1f} s.",
        highlight=False,
        soft_wrap=True,
    )


def announce_fits(variants: Sequence[str], settings: Settings, console: Console) -> None:
    """Say what is going to be sampled."""
    console.print(
        f"Fitting {len(variants)} variant(s), {settings.chains} chains of {settings.tune} + "
        f"{settings.draws} draws each. The first run on a machine compiles for a minute more.",
        highlight=False,
        soft_wrap=True,
    )


def notes_on_interruption(
    fits: Fits, schedule: Schedule, variants: Sequence[str]
) -> tuple[str, ...]:
    """What a run lacks that the user stopped."""
    if fits.interrupted is None:
        return ()
    notes = []
    if fits.interrupted in fits.draws:
        notes.append(f"Interrupted: {kept_of(fits, schedule)}.")
    else:
        few = "the draws to be judged by" if fits.interrupted in fits.paths else "a draw to keep"
        few = "all chains" if fits.interrupted in fits.apart else few
        notes.append(f"Interrupted before {fits.interrupted} had {few}.")
    skipped = [name for name in variants if name not in fits.draws]
    if skipped:
        notes.append(f"Not fitted: {', '.join(skipped)}.")
    if fits.apart:
        chains = schedule.settings.chains
        kept = ", ".join(f"{name} {count} of {chains}" for name, count in fits.apart.items())
        notes.append(f"Chains kept until the others are there: {kept}.")
    return tuple(notes)


def kept_of(fits: Fits, schedule: Schedule) -> str:
    """What there is of the model at which sampling was stopped."""
    name = str(fits.interrupted)
    sizes, given = fits.draws[name]["posterior"].sizes, schedule.given[name]
    return (
        f"of {name}, {sizes['draw']} of {given.draws} draws of {sizes['chain']} of {given.chains} "
        "chains are kept"
    )


def summary_table(comparison: Comparison) -> Table:
    """The table of a comparison, with the columns that a console has room for.

    Where it is narrow, names of models and answers go on in the next line, and nothing is cut.
    """
    table = Table(box=None, pad_edge=False)
    table.add_column("model", overflow="fold")
    shown = [column for column in COLUMNS if column.key in comparison.table]
    for column in shown:
        table.add_column(column.heading, justify="right", no_wrap=True)
    table.add_column("draws", overflow="fold")
    for name, row in comparison.table.iterrows():
        table.add_row(str(name), *(column.cell(row) for column in shown), row["answer"])
    return table


def say_verdicts(comparison: Comparison, console: Console) -> None:
    """Print what was found, a line for each sentence."""
    for sentences in comparison.findings:
        for sentence in sentences:
            console.print(f"- {sentence}", highlight=False, markup=False, soft_wrap=True)
