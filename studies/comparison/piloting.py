"""What a comparison leaves to pilot runs: hidden layers, and the likelihood."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from ..fits.settings import Settings
from ..fits.time_limit import TimeLimit, seconds_for_pilots
from ..structure.choosing import Structure, named
from ..structure.likelihoods import ChosenLikelihood, find_likelihood_by_pilots
from ..structure.pilots import Pilot
from ..structure.store import find_structure
from ..tables.table import Prepared
from ..tables.target_likelihood import AUTO as BY_PILOTS
from .announcing import announce_pilot
from .request import AUTO, Request


class Chosen(NamedTuple):
    """Settings with what was chosen, and how; None where a user chose.

    Attributes
    ----------
    settings : Settings
        Of the fits.
    structure : Structure or None
        Hidden layers.
    likelihood : ChosenLikelihood or None
        Likelihood.
    """

    settings: Settings
    structure: Structure | None = None
    likelihood: ChosenLikelihood | None = None


def choose_by_pilots(
    request: Request,
    variants: Sequence[str],
    prepared: Prepared,
    settings: Settings,
    limit: TimeLimit | None,
    console: Console,
) -> Chosen:
    """Choose what the request leaves open, and say so; Ctrl-C ends that.

    The likelihood is chosen with the hidden layers that the usual one is best with, whose pilot is
    run once for both choices.
    """
    fits, chosen = request.out / "fits", Chosen(settings)
    made: list[Pilot] = []
    left_open = ["hidden"] * (request.hidden == AUTO)
    left_open += ["likelihood"] * (request.likelihood == BY_PILOTS)
    if request.hidden == AUTO:
        sd = prepared.encoding.sd

        def finished(pilot: Pilot) -> None:
            made.append(pilot)
            announce_pilot(console, sd, f"hidden layers {named(pilot.hidden)}", pilot)

        given = fits, variants, prepared, settings, finished, tuple(left_open)
        structure = find_structure(*given, most_seconds=seconds_for_pilots(limit))
        console.print(structure.words(), highlight=False, soft_wrap=True)
        chosen = chosen._replace(
            settings=replace(settings, hidden=structure.hidden), structure=structure
        )
    if request.likelihood == BY_PILOTS:
        likelihood = _choose_likelihood(
            fits, prepared, chosen.settings, made, seconds_for_pilots(limit), console
        )
        settings = replace(chosen.settings, likelihood=likelihood.name)
        chosen = chosen._replace(settings=settings, likelihood=likelihood)
    return chosen


def _choose_likelihood(
    fits: Path,
    prepared: Prepared,
    settings: Settings,
    made: Sequence[Pilot],
    most_seconds: float,
    console: Console,
) -> ChosenLikelihood:
    def finished(name: str, pilot: Pilot) -> None:
        announce_pilot(console, prepared.encoding.sd, f"likelihood {name}", pilot)

    known = {prepared.likelihood: made}  # which those of hidden layers have
    likelihood = find_likelihood_by_pilots(fits, prepared, settings, finished, most_seconds, known)
    console.print(likelihood.words(), highlight=False, soft_wrap=True)
    return likelihood
