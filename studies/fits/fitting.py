"""Fit several variants of a network to one table, and keep what has been sampled."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import xarray as xr

from ...models import VARIANTS
from ...models.bnn import BNN
from ...samplers import GibbsHMC, recommended_method, recommended_steps, sample
from ...samplers.options import options_of
from ...samplers.potential.recognition import why_no_kernel
from ...samplers.recommended import recommended_step
from ..tables.table import Prepared
from ..tables.target_likelihood import likelihood_for
from .fit_store import TABLE_ATTRIBUTE, save_or_rescue
from .interruption import Interruption
from .progress import Progress
from .settings import Settings, is_complete

NUTS_SETTINGS = {"target_accept": 0.9, "max_treedepth": 9}
WORK = 250_000  # weights times cases that a draw passes through, in some 20 ms
FEWEST_SWEEPS, MOST_SWEEPS = 2, 20


def step_settings(model: BNN, target_accept: float | None = None) -> dict[str, Any]:
    """Settings of the recommended steps of a model, of those that these steps have.

    Small networks of few cases make more sweeps for each draw, so that a fit takes about as long,
    and its draws depend less on each other. The pass through a network is in single precision, if
    it has a kernel, which the accept test, in double precision, leaves as right.

    Parameters
    ----------
    model : BNN
        The model.
    target_accept : float, optional
        Acceptance that step sizes are learnt for; by default that of the recommended steps.

    Returns
    -------
    dict

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.studies.fits.fitting import step_settings
    >>> X, y = np.eye(3), np.arange(3.0)
    >>> for prior in (models.ARD(), models.Horseshoe()):
    ...     print(step_settings(models.BNN(X, y, prior=prior)))
    {'thin': 20, 'precision': 'float32'}
    {'target_accept': 0.9, 'max_treedepth': 9}
    """
    settings: dict[str, Any] = NUTS_SETTINGS
    if recommended_method(model) == "gibbs_hmc":
        weights = sum(np.prod(group.shape) for group in model.groups.values())
        sweeps = round(WORK / (weights * len(model["X"].get_value(borrow=True))))
        if recommended_step(model) is not GibbsHMC:
            sweeps //= 2  # steps in turn take about twice as long
        settings = {"thin": min(max(sweeps, FEWEST_SWEEPS), MOST_SWEEPS)}
        if why_no_kernel(model) is None:
            settings["precision"] = "float32"
    if target_accept is not None:
        settings = {**settings, "target_accept": target_accept}
    taken = {"thin", *options_of(recommended_step(model))}  # which recommended_steps takes itself
    return {name: value for name, value in settings.items() if name in taken}


@dataclass
class Fits:
    """Draws of each variant, as far as they got.

    Parameters
    ----------
    draws : dict of str to DataTree
        By variant.
    paths : dict of str to Path
        Where they are saved.
    interrupted : str or None
        The variant at which the user stopped, if so.
    """

    draws: dict[str, xr.DataTree]
    paths: dict[str, Path]
    interrupted: str | None = None


def build_models(prepared: Prepared, variants: Sequence[str], settings: Settings) -> dict[str, BNN]:
    """Declare all variants, which checks the settings before anything is sampled.

    Parameters
    ----------
    prepared : Prepared
        The table.
    variants : sequence of str
        Names from ``models.VARIANTS``.
    settings : Settings
        Network and sampler.

    Returns
    -------
    dict of str to BNN
    """
    likelihood = likelihood_for(prepared, settings.likelihood)
    return {
        name: VARIANTS[name](
            prepared.X,
            prepared.y,
            settings.hidden,
            activation=settings.activation,
            likelihood=likelihood,
        )
        for name in variants
    }


def fit_models(
    models: Mapping[str, BNN],
    prepared: Prepared,
    settings: Settings,
    out: Path,
    progress: Progress,
    saved: Mapping[str, xr.DataTree] | None = None,
    finished: Callable[[str, xr.DataTree], None] = lambda name, idata: None,
) -> Fits:
    """Sample all models in turn and save each as soon as it is done.

    Ctrl-C ends the model at hand and skips the rest; what has been drawn is kept and saved.

    Parameters
    ----------
    models : mapping of str to BNN
        The models.
    prepared : Prepared
        The table.
    settings : Settings
        Network and sampler.
    out : Path
        Folder for the fits, ``NAME.zarr`` each; the caller holds it.
    progress : Progress
        Shows how far it is.
    saved : mapping of str to DataTree, optional
        Fits of an earlier run, which are not sampled again; see :func:`.resuming.saved_fits`.
    finished : callable, optional
        Called with each model's name and draws, once they are saved.

    Returns
    -------
    Fits
    """
    fits = Fits({}, {})
    saved = saved or {}
    for name, model in models.items():
        if name in saved:
            progress.skip(name)
            fits.draws[name], fits.paths[name] = saved[name], out / f"{name}.zarr"
            finished(name, saved[name])
            continue
        try:
            with Interruption() as interruption:
                begin = perf_counter()
                progress.start(name)
                idata = _sample(model, settings, progress, interruption)
        except KeyboardInterrupt:
            idata = None
        complete = idata is not None and is_complete(idata, settings)
        gradients = progress.finish("done" if complete else "interrupted")
        if idata is not None:
            idata.attrs |= _attributes(prepared, settings, gradients, perf_counter() - begin)
            fits.draws[name], fits.paths[name] = idata, save_or_rescue(idata, out / f"{name}.zarr")
            finished(name, idata)
        if not complete:
            fits.interrupted = name
            break
    return fits


def _sample(
    model: BNN, settings: Settings, progress: Progress, interruption: Interruption
) -> xr.DataTree | None:
    def take_in(trace: Any, draw: Any) -> None:
        interruption.check()
        progress.draw(trace, draw)

    steps = recommended_steps(model, **step_settings(model, settings.target_accept))
    interruption.check()
    try:
        return sample(
            model,
            draws=settings.draws,
            tune=settings.tune,
            chains=settings.chains,
            cores=settings.cores,
            seed=settings.seed,
            step=steps,
            callback=take_in,
            progressbar=False,
            quiet=True,
            compute_convergence_checks=False,
        )
    except ValueError as error:
        if "Not enough samples" in str(error):  # interrupted during warm-up
            return None
        raise


def _attributes(
    prepared: Prepared, settings: Settings, gradients: int, seconds: float
) -> dict[str, Any]:
    """Describe the fit in JSON-able values, for predictions and reports."""
    table = {"name": prepared.name, "source": prepared.source}
    return {
        TABLE_ATTRIBUTE: json.dumps({**table, "encoding": prepared.encoding.to_dict()}),
        "settings": json.dumps(asdict(settings)),
        "cases": prepared.digest,
        "gradient_evaluations": gradients,
        "seconds": seconds,
        "versions": json.dumps(
            {name: version(name) for name in ("pymc-bnn", "pymc", "pytensor", "arviz", "numba")}
        ),
    }
