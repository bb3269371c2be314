"""What a comparison says on the console, beside its progress."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from ..fits.fitting import Fits
from ..fits.settings import Settings
from ..reports.report import format_number
from ..structure.choosing import named
from ..structure.pilots import Pilot
from ..tables.table import Prepared
from .comparison import Comparison


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


def announce_pilot(console: Console, pilot: Pilot) -> None:
    """Say what a pilot of hidden layers gave."""
    console.print(
        f"Pilot of hidden layers {named(pilot.hidden)}: log score "
        f"{pilot.log_score.mean():.3f} in {pilot.seconds:.1f} s.",
        highlight=False,
        soft_wrap=True,
    )


def announce_likelihood(console: Console, name: str, pilot: Pilot) -> None:
    """Say what a pilot of a likelihood gave."""
    console.print(
        f"Pilot of likelihood {name}: log score {pilot.log_score.mean():.3f} in "
        f"{pilot.seconds:.1f} s.",
        highlight=False,
        soft_wrap=True,
    )


def announce_fits(variants: Sequence[str], settings: Settings, console: Console) -> None:
    """Say what is going to be sampled."""
    console.print(
        f"Fitting {len(variants)} variant(s), {settings.chains} chains of {settings.tune} + "
        f"{settings.draws} draws each. The first run on a machine compiles for a few minutes.",
        highlight=False,
        soft_wrap=True,
    )


def notes_on_interruption(
    fits: Fits, variants: Sequence[str], settings: Settings
) -> tuple[str, ...]:
    """What a run lacks that the user stopped."""
    if fits.interrupted is None:
        return ()
    notes = []
    if fits.interrupted in fits.draws:
        sizes = fits.draws[fits.interrupted]["posterior"].sizes
        notes.append(
            f"Interrupted: of {fits.interrupted}, {sizes['draw']} of {settings.draws} draws of "
            f"{sizes['chain']} of {settings.chains} chains are kept."
        )
    else:
        notes.append(f"Interrupted before {fits.interrupted} had a draw to keep.")
    skipped = [name for name in variants if name not in fits.draws]
    if skipped:
        notes.append(f"Not fitted: {', '.join(skipped)}.")
    return tuple(notes)


def summary_table(comparison: Comparison) -> Table:
    """The table of a comparison, with the columns that a console has room for."""
    table = Table(box=None, pad_edge=False)
    wanted = {"elpd_diff": 1, "dse": 1, "weight": 2, "rmse": 3, "error_rate": 3, "log_score": 3}
    wanted |= {"log_evidence": 1, "log_evidence_se": 1, "probability": 2}
    shown = {name: digits for name, digits in wanted.items() if name in comparison.table}
    for name in ("model", *shown, "draws"):
        table.add_column(name, justify="left" if name == "model" else "right")
    for name, row in comparison.table.iterrows():
        numbers = [format_number(row[key], digits) for key, digits in shown.items()]
        table.add_row(str(name), *numbers, row["answer"])
    return table
