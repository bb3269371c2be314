"""How the models of a comparison are fitted."""

import json
from dataclasses import dataclass, replace

import xarray as xr

ESTIMATE_ATTRIBUTE = "estimated_seconds"  # of sampling
LENGTH_ATTRIBUTE = "length"  # draws and warm-up of a fit, which a limit of time may have made fewer


@dataclass(frozen=True)
class Settings:
    """How to fit.

    Parameters
    ----------
    hidden : tuple of int
        Units of each hidden layer.
    activation : str
        Activation of the hidden units.
    draws, tune, chains : int
        Draws kept and warm-up of each chain, and number of chains.
    cores : int or None
        Processes to use.
    seed : int
        For split, starting points and sampling.
    likelihood : str or None
        Name of the likelihood; by default the usual one for the target.
    target_accept : float or None
        Acceptance that step sizes are learnt for; by default that of the recommended steps.
    minutes : float or None
        Wall time of the whole comparison, by which draws and warm-up may become fewer.
    """

    hidden: tuple[int, ...] = (8,)
    activation: str = "tanh"
    draws: int = 1000
    tune: int = 500
    chains: int = 4
    cores: int | None = None
    seed: int = 0
    likelihood: str | None = None
    target_accept: float | None = None
    minutes: float | None = None


def is_complete(idata: xr.DataTree, settings: Settings) -> bool:
    """Whether all chains have all their draws.

    Parameters
    ----------
    idata : DataTree
        Draws of one model.
    settings : Settings
        What was asked for.

    Returns
    -------
    bool
    """
    sizes = idata["posterior"].sizes
    return sizes["chain"] == settings.chains and sizes["draw"] == settings.draws


def draws_of(idata: xr.DataTree) -> int:
    """Number of draws of all chains."""
    sizes = idata["posterior"].sizes
    return sizes["chain"] * sizes["draw"]


def as_scheduled(idata: xr.DataTree, settings: Settings) -> Settings:
    """Settings with the draws and the warm-up that a fit was given of those that were asked for.

    Parameters
    ----------
    idata : DataTree
        Draws of one model.
    settings : Settings
        What was asked for.

    Returns
    -------
    Settings
    """
    given = json.loads(idata.attrs.get(LENGTH_ATTRIBUTE, "{}"))
    return settings if settings.minutes is None else replace(settings, **given)
