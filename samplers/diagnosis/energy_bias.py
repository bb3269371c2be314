"""By how much the mean energy of biased draws is off, against an exact run."""

import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import xarray as xr

from ...models.description import ATTRIBUTE as MODEL
from ...models.description import CASES
from ...models.loading import load
from ..options import check_whole
from ..recommended import recommended_method, recommended_steps
from ..sampling import sample

ATTRIBUTE = "pymc_bnn_energy_bias"
FEWEST_DRAWS = 4  # of a chain, of which an error can be told
SAME = {MODEL: "models", CASES: "training cases", "temperature": "temperatures"}


@dataclass(frozen=True)
class EnergyBias:
    r"""Difference of mean energies, with its Monte Carlo standard error.

    The energy is the negative log posterior density up to a constant, of the weights and of the
    hyperparameters on the scale they are sampled on.

    Parameters
    ----------
    difference : float
        Mean energy of the biased draws less that of the exact ones, in nats.
    mcse : float
        Its Monte Carlo standard error, from both runs.
    sd : float
        Standard deviation of the energy under the exact draws: what a difference compares with.

    Examples
    --------
    >>> from pymc_bnn import samplers
    >>> print(samplers.EnergyBias(difference=12.0, mcse=0.5, sd=4.0))
    mean energy 12.0 ± 0.5 above that of an exact run (z = 24.0, 3.0 of its standard deviations)
    """

    difference: float
    mcse: float
    sd: float

    @property
    def z(self) -> float:
        """Difference in standard errors."""
        return self.difference / self.mcse

    def __str__(self) -> str:
        side = "above" if self.difference >= 0 else "below"
        return (
            f"mean energy {abs(self.difference):.1f} ± {self.mcse:.1f} {side} that of an exact run "
            f"(z = {self.z:.1f}, {abs(self.difference) / self.sd:.1f} of its standard deviations)"
        )

    def attach(self, idata: xr.DataTree) -> xr.DataTree:
        """Keep the result with the draws, where reports find it; return them."""
        idata.attrs[ATTRIBUTE] = json.dumps(asdict(self))
        return idata


def energy_bias(idata: xr.DataTree, exact: xr.DataTree) -> EnergyBias:
    r"""Compare the mean energy of biased draws with that of an exact run.

    .. math:: \Delta = \bar E - \bar E_\mathrm{exact}, \qquad
              \mathrm{MCSE}^2 = \mathrm{MCSE}(\bar E)^2 + \mathrm{MCSE}(\bar E_\mathrm{exact})^2

    with the statistic ``lp``, the log posterior density, as :math:`-E`. Discretization and noisy
    gradients heat the draws up, so that the difference is positive as a rule; it also has the
    bias of a run that has not converged.

    Parameters
    ----------
    idata : DataTree
        Draws of :class:`SGLD` or :class:`SGHMC`.
    exact : DataTree
        Draws from the same model by an exact sampler, such as :class:`StaticHMC`.

    Returns
    -------
    EnergyBias

    Raises
    ------
    ValueError
        If a run lacks ``lp``, or has too few draws, or they are not of the same model, cases and
        temperature, or the exact one is biased too.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn import samplers
    >>> def run(energy):
    ...     lp = np.random.default_rng(0).normal(-energy, 1.0, size=(4, 100))
    ...     return xr.DataTree.from_dict({
    ...         "posterior": xr.Dataset(),
    ...         "sample_stats": xr.Dataset({"lp": (("chain", "draw"), lp)})})
    >>> round(samplers.energy_bias(run(12.0), run(10.0)).difference, 6)
    2.0
    """
    import arviz as az  # takes a second or two, which no draw needs to wait for

    biased_lp, exact_lp = _log_posterior(idata, "idata"), _log_posterior(exact, "exact")
    _check_same_variables(idata, exact)
    _check_same_model(idata, exact)
    errors = np.array([float(az.mcse(lp, method="mean")) for lp in (biased_lp, exact_lp)])
    difference = float(exact_lp.mean() - biased_lp.mean())
    return EnergyBias(difference, float(np.sqrt((errors**2).sum())), float(exact_lp.std()))


def measure_energy_bias(
    idata: xr.DataTree,
    draws: int = 200,
    tune: int = 200,
    chains: int = 2,
    seed: int | np.random.Generator | None = None,
    **pm_sample: Any,
) -> EnergyBias:
    """Measure the bias of draws by a short exact run from where they ended.

    Parameters
    ----------
    idata : DataTree
        Draws of :class:`SGLD` or :class:`SGHMC` from a ``pymc_bnn`` network.
    draws, tune : int
        Of each chain of the exact run, by the recommended steps, at the temperature of the draws.
    chains : int
        Of the exact run; each starts at the last draw of one of the biased chains.
    seed : int or Generator, optional
        For the exact run.
    **pm_sample
        More arguments of :func:`sample`.

    Returns
    -------
    EnergyBias

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> model = models.normal_inverse_gamma(X, X[:, 0] ** 2, hidden=(4,))
    >>> steps = [samplers.GibbsPrecision(model=model), samplers.SGLD(1e-4, 5, model=model)]
    >>> quiet = {"progressbar": False, "quiet": True, "cores": 1, "chains": 2, "seed": 1}
    >>> idata = samplers.sample(model, draws=20, tune=20, step=steps, **quiet)
    >>> found = samplers.measure_energy_bias(idata, draws=20, tune=20, **quiet)
    >>> found.mcse > 0
    True
    """
    _log_posterior(idata, "idata")
    check_whole(1, chains=chains)
    check_whole(FEWEST_DRAWS, draws=draws)
    if own := sorted({"temperature", "step", "initvals"} & set(pm_sample)):
        raise ValueError(f"{', '.join(own)}: of the exact run these are set; leave them out.")
    model = load(idata)
    missing = [str(rv.name) for rv in model.free_RVs if rv.name not in idata["posterior"]]
    if missing:
        raise ValueError(
            f"idata lacks {', '.join(missing)}, where the exact run would start; sample without "
            "var_names."
        )
    last = idata["posterior"].dataset.isel(draw=-1)
    of_chain = np.arange(chains) % last.sizes["chain"]
    starts = [
        {rv.name: last[rv.name].isel(chain=c).values for rv in model.free_RVs} for c in of_chain
    ]
    steps = recommended_steps(model, recommended_method(model))
    given = {"temperature": idata.attrs.get("temperature", 1.0), "initvals": starts, **pm_sample}
    exact = sample(model, draws, tune, chains, seed=seed, step=steps, **given)
    return energy_bias(idata, exact)


def attached_energy_bias(idata: xr.DataTree) -> EnergyBias | None:
    """Return what :meth:`EnergyBias.attach` kept with the draws, if anything."""
    if ATTRIBUTE not in idata.attrs:
        return None
    return EnergyBias(**json.loads(idata.attrs[ATTRIBUTE]))


def is_biased(idata: xr.DataTree) -> bool:
    """Whether a step without an accept test made the draws, by the statistic ``biased``.

    Parameters
    ----------
    idata : DataTree
        Any draws.

    Returns
    -------
    bool

    Examples
    --------
    >>> import xarray as xr
    >>> from pymc_bnn.samplers.diagnosis.energy_bias import is_biased
    >>> is_biased(xr.DataTree())
    False
    """
    if "sample_stats" not in idata or "biased" not in idata["sample_stats"]:
        return False
    return bool(idata["sample_stats"]["biased"].any())


def _log_posterior(idata: Any, argument: str) -> xr.DataArray:
    known = isinstance(idata, xr.DataTree) and {"posterior", "sample_stats"} <= set(idata.children)
    if not known:
        raise ValueError(f"{argument} has no draws: give what samplers.sample returned.")
    stats = idata["sample_stats"].dataset
    lp = stats["lp"] if "lp" in stats else xr.DataArray(0.0)
    # of several steps each says it once; the last one says that of the draw
    lp = lp.isel({dim: -1 for dim in lp.dims if dim not in ("chain", "draw")})
    if not np.any(lp != 0):  # PyMC writes zeros where no step knows it
        raise ValueError(
            f"{argument} has no log posterior 'lp' in its sample_stats: give the step that "
            "moves the weights as the last one."
        )
    if set(lp.dims) != {"chain", "draw"} or lp.sizes["draw"] < FEWEST_DRAWS:
        raise ValueError(
            f"{argument} has {dict(lp.sizes)}: give chains of {FEWEST_DRAWS} draws or more, "
            "selected by isel(chain=[...]) or slices."
        )
    return lp


def _check_same_model(idata: xr.DataTree, exact: xr.DataTree) -> None:
    if is_biased(exact):
        raise ValueError("exact is biased too: give draws of a step with an accept test.")
    for name, words in SAME.items():
        usual = 1.0 if name == "temperature" else None
        here, there = (tree.attrs.get(name, usual) for tree in (idata, exact))
        if here != there and None not in (here, there):
            raise ValueError(
                f"idata and exact are of different {words}: their energies compare in the same "
                "model, at the same temperature, only."
            )


def _check_same_variables(idata: xr.DataTree, exact: xr.DataTree) -> None:
    names = [set(map(str, tree["posterior"].data_vars)) for tree in (idata, exact)]
    if names[0] != names[1]:
        raise ValueError(
            f"idata and exact differ in {', '.join(sorted(names[0] ^ names[1]))}: their energies "
            "compare in the same model and parametrization only."
        )
