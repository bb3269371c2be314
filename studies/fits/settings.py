"""How the models of a comparison are fitted."""

from dataclasses import dataclass

import xarray as xr


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
