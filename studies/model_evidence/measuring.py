"""Measure the evidence of the models of a comparison, one after the other."""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ... import samplers
from ...models.bnn import BNN
from ...samplers.tempering.ladder import PILOT_DRAWS
from ..fits.interruption import Interruption
from ..fits.progress import Progress
from ..fits.settings import Settings
from ..fits.step_settings import FEWEST_SWEEPS, step_settings
from .measured import Measured

PILOT_ITERATIONS = 2 * PILOT_DRAWS  # of the run that chooses temperatures
INTERRUPTED = "its run was interrupted; run the same again."


def measure(
    name: str,
    model: BNN,
    settings: Settings,
    callback: Callable[[Any, Any], None] = lambda trace, draw: None,
) -> Measured:
    """Measure the evidence of one model, with the steps that fits of it have.

    The seed and the name of the model give its random numbers, so that errors of models are
    independent of each other. A failure, or Ctrl-C, is a result too: nothing else is lost by it.

    Parameters
    ----------
    name : str
        What the model is called.
    model : BNN
        The model, with its training cases.
    settings : Settings
        Draws, warm-up, chains, cores and seed.
    callback : callable, optional
        Called with every draw, as by ``pm.sample``.

    Returns
    -------
    Measured

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.studies.fits.settings import Settings
    >>> from pymc_bnn.studies.model_evidence.measuring import measure
    >>> line = models.gaussian(np.eye(3), np.arange(3.0), hidden=())
    >>> measure("line", line, Settings(draws=2, cores=1)).failure
    'draws=2: give a whole number of at least 4.'
    """
    with Interruption() as interruption:

        def take_in(trace: Any, draw: Any) -> None:
            interruption.check()
            callback(trace, draw)

        try:
            found = samplers.evidence(
                model,
                draws=settings.draws,
                tune=settings.tune,
                chains=settings.chains,
                cores=settings.cores,
                seed=np.random.default_rng([settings.seed, zlib.crc32(name.encode())]),
                callback=take_in,
                progressbar=False,
                quiet=True,
                compute_convergence_checks=False,
                **_step_settings(model),
            )
        except KeyboardInterrupt:
            return Measured(failure=INTERRUPTED, interrupted=True)
        except Exception as error:  # whatever it is, the fits stay and are reported
            if interruption.pressed:  # PyMC's own errors after too few draws
                return Measured(failure=INTERRUPTED, interrupted=True)
            return Measured(failure=" ".join(str(error).split()) or type(error).__name__)
    return Measured(found, interrupted=interruption.pressed)


def _step_settings(model: BNN) -> dict[str, Any]:
    """Those of a fit, but with the fewest sweeps, as there are many temperatures, and exact."""
    settings = step_settings(model)
    settings.pop("precision", None)  # of energies a sum over a ladder is taken
    return settings | ({"thin": FEWEST_SWEEPS} if "thin" in settings else {})


def measure_models(
    models: Mapping[str, BNN],
    settings: Settings,
    progress: Progress,
    finished: Callable[[str, Measured], None],
) -> bool:
    """Measure models in turn; Ctrl-C ends the one at hand and skips the rest.

    Parameters
    ----------
    models : mapping of str to BNN
        The models that have no evidence yet.
    settings : Settings
        As for :func:`measure`.
    progress : Progress
        Shows how far it is, with models named by :func:`label`.
    finished : callable
        Called with the name of each model and what was measured.

    Returns
    -------
    bool
        Whether all models had their turn.
    """
    for name, model in models.items():
        progress.start(label(name))
        measured = measure(name, model, settings, progress.draw)
        failed = "interrupted" if measured.interrupted else "failed"
        progress.finish("done" if measured.evidence and not measured.interrupted else failed)
        progress.say(f"{label(name)}: {in_words(measured)}")
        finished(name, measured)
        if measured.interrupted:
            return False
    return True


def label(name: str) -> str:
    """What progress calls the run for the evidence of a model."""
    return f"evidence of {name}"


def in_words(measured: Measured) -> str:
    """A line about one measurement, which is kept if the disk is full."""
    if measured.evidence is None:
        return measured.failure
    return f"log evidence {measured.log_evidence:.2f} ± {measured.standard_error:.2f}"


def settings_of_draws(sizes: Mapping[Any, int], seed: int) -> Settings:
    """Settings that follow from a fit: as many chains and draws, and half as much warm-up."""
    settings = Settings(draws=sizes["draw"], chains=sizes["chain"], seed=seed)
    return replace(settings, tune=max(1, settings.draws // 2))
