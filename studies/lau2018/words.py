"""Which of the thesis's conclusions stand, computed from the numbers."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import xarray as xr

from .judgements import no_difference, says, sign, verdict, worse
from .results import Results
from .tables import DRAWN, PERCENT, difference, drawn, predictive

NO_RESULTS = "No results to judge yet."


def fits_of(results: Results, name: str) -> dict[str, xr.Dataset]:
    """Results of a table by row."""
    return {row.row: fit for row, fit in results.table(name)}


def compare(fits: dict[str, xr.Dataset], first: str, second: str) -> tuple[float, float] | None:
    """Difference of two rows' test errors with its standard error, if both are there."""
    if first not in fits or second not in fits:
        return None
    return difference(fits[first], fits[second])


def _sentence(claim: str, judged: tuple[bool | None, str], more: str = "") -> str:
    stands, text = judged
    return f"{claim} {verdict(stands)} {text}.{more}" if text else NO_RESULTS


def committees(results: Results) -> str:
    """Committees, 4.2."""
    found = results.load("committee-raw")
    network = fits_of(results, "priors").get("normal")
    if found is None or network is None:
        return NO_RESULTS
    errors = PERCENT * found["test_error"]
    small, large = float(errors.sel(size=2)), float(errors[-1])
    scores = predictive(network["probability"].values)
    margin = scores["error %"] + 2 * scores["± cases"]
    return (
        "Small committees of early-stopped networks are worse than a Bayesian network, large ones "
        f"match it. {verdict(small > margin and large <= margin)} On raw inputs two members err on "
        f"{small:.1f}%, {int(found['size'][-1])} on {large:.1f}%; the network on "
        f"{scores['error %']:.1f} ± {scores['± cases']:.1f}%."
    )


def termination(results: Results) -> str:
    """XHMC against GNUTS, 4.3."""
    fits = fits_of(results, "termination")
    gaps = {name: compare(fits, name, "nuts") for name in fits if name != "nuts"}
    claim = "XHMC does as well as NUTS, whatever its threshold; test errors against NUTS's:"
    return _sentence(claim, no_difference(gaps), _effective(fits))


def _effective(fits: dict[str, xr.Dataset]) -> str:
    rates = {
        name: float(fit["outputs_median_ess"]) / float(fit["seconds"]) for name, fit in fits.items()
    }
    text = ", ".join(f"{name} {rate:.2g}" for name, rate in rates.items())
    return f" Effective draws of the median output per second: {text}."


def hyperparameter(results: Results) -> str:
    """Gibbs against joint sampling, 4.4."""
    fits = fits_of(results, "hyperparameter")
    ess = {name: float(fit["variances_min_ess"]) for name, fit in fits.items()}
    if not {"gibbs-interweaved", "joint-noncentered"} <= set(ess):
        return NO_RESULTS
    text = ", ".join(f"{name} {value:.0f}" for name, value in ess.items())
    claim = "Gibbs sampling of the variance fails where joint sampling succeeds."
    per = {name: ess[name] / float(fits[name]["seconds"]) for name in ess}
    stands = per["gibbs-interweaved"] < per["joint-noncentered"]
    rates = ", ".join(f"{name} {value:.2g}" for name, value in per.items())
    return (
        f"{claim} {verdict(stands)} Effective draws of the variance: {text}; per second: {rates}. "
        "What failed is the fixed step, not Gibbs sampling."
    )


def priors(results: Results) -> str:
    """Priors, 4.5."""
    fits = fits_of(results, "priors")
    gaps = {name: compare(fits, name, "normal") for name in fits if name != "normal"}
    claim = "The normal prior predicts better than any hierarchical one; errors against its:"
    return _sentence(claim, worse(gaps))


def stochastic_gradients(results: Results) -> str:
    """Stochastic gradients, 4.6."""
    fits = fits_of(results, "stochastic_gradients")
    network = fits_of(results, "priors").get("normal")
    every = {name: predictive(fit["probability"].values)["error %"] for name, fit in fits.items()}
    errors = {name: error for name, error in every.items() if np.isfinite(error)}
    if not errors or network is None:
        return NO_RESULTS
    best = min(errors, key=lambda name: errors[name])
    reference = predictive(network["probability"].values)["error %"]
    gap, error = difference(fits[best], network)
    spread = f"from {errors[best]:.1f}% to {max(errors.values()):.1f}%"
    stands = gap < 2 * error and max(errors.values()) > 2 * errors[best]
    return (
        "SGHMC can match the exact sampler, but depends on its settings. "
        f"{verdict(stands)} Errors go {spread} over the grid; exact sampling errs on "
        f"{reference:.1f}%. The best setting is {best}, {gap:+.1f} ± {error:.1f} points from that."
        + _heat(fits[best])
    )


def _heat(fit: xr.Dataset) -> str:
    if "energy_bias" not in fit:
        return ""
    off, error = float(fit["energy_bias"]), float(fit["energy_bias_mcse"])
    return f" Its mean energy is off by {off:.0f} ± {error:.0f} nats."


def scaled_priors(results: Results) -> str:
    """Scaled priors, 4.7."""
    fits = fits_of(results, "scaled_priors")
    widths = [name.split("-")[1] for name in fits if name.startswith("scaled")]
    gaps = {f"{w} units": compare(fits, f"scaled-{w}", f"normal-{w}") for w in widths}
    return _sentence("Scaled priors predict worse; errors against unscaled ones:", worse(gaps))


def metrics(results: Results) -> str:
    """Metrics, 4.8."""
    fits = fits_of(results, "metrics")
    diag = {name: fit for name, fit in fits.items() if name.startswith("normal-")}
    if "normal-dense" not in diag or "normal-diag" not in diag:
        return NO_RESULTS
    ess = {name: float(fit["outputs_median_ess"]) for name, fit in diag.items()}
    text = ", ".join(f"{name} {value:.0f}" for name, value in ess.items())
    stands = ess["normal-dense"] < ess["normal-diag"]
    claim = "A dense metric costs more and mixes worse than a diagonal one."
    return f"{claim} {verdict(stands)} Median ESS of outputs: {text}."


def layers(results: Results) -> str:
    """Layers, 4.9."""
    fits = fits_of(results, "layers")
    gap = compare(fits, "4", "2")
    if gap is None:
        return NO_RESULTS
    return _sentence(
        "Four hidden layers overfit and err far more than two; the difference:",
        worse({"4 against 2 layers": gap}),
    )


def precision(results: Results) -> str:
    """Single precision, 4.10."""
    fits = fits_of(results, "precision")
    gaps = {
        name: compare(fits, f"{name}-float32", f"{name}-float64")
        for name in ("normal", "normal_inverse_gamma")
    }
    return _sentence("Single precision does no harm; errors against double:", no_difference(gaps))


def trajectories(results: Results) -> str:
    """Static against dynamic, 4.11."""
    fits = fits_of(results, "trajectories")
    gaps = {name: compare(fits, name, "dynamic") for name in fits if name != "dynamic"}
    claim = "Neither trajectory length nor windows matter; errors against dynamic trajectories:"
    return _sentence(claim, no_difference(gaps), _effective(fits))


def information_criterion(results: Results) -> str:
    """WAIC, 4.12."""
    fits = fits_of(results, "information_criterion")
    if len(fits) < 2:
        return NO_RESULTS
    waic = {name: float(fit["waic"].sum()) for name, fit in fits.items()}
    errors = {name: predictive(fit["probability"].values)["error %"] for name, fit in fits.items()}
    by_waic = max(waic, key=lambda name: waic[name])
    by_error = min(errors, key=lambda name: errors[name])
    gap = difference(fits[by_waic], fits[by_error])
    return (
        "WAIC does not choose the width of the least test error. "
        f"{verdict(None if sign(gap) == 0 else True)} It chooses {by_waic} units, the test cases "
        f"{by_error}; the difference is {says(gap)}, so that they can hardly tell."
    )


def why(results: Results) -> str:
    """Why the thesis's networks err on 23%."""
    fits = {row.row: fit for row, fit in results.fits(results.budget.factors())}
    if "raw-unit-plain" not in fits:
        return NO_RESULTS
    fits = {name: fit for name, fit in fits.items() if "codes" not in name}
    errors = {n: predictive(fit["probability"].values)["error %"] for n, fit in fits.items()}
    of_classes = {name: drawn(fit)[DRAWN] for name, fit in fits.items()}
    return (
        "What the thesis says of predictions is that they are made *by drawing from the empirical "
        "distribution* (3.6). Classes drawn from the predictive probabilities of its network err "
        f"on {of_classes['raw-unit-plain']:.1f}%, where its tables have 20.6% to 28.6%; the most "
        f"probable class errs on {errors['raw-unit-plain']:.1f}%. That is nearly the whole "
        "difference: inputs, prior, biases and length of the chains move the error of the most "
        f"probable class between {min(errors.values()):.1f}% and {max(errors.values()):.1f}%, that "
        f"of drawn ones between {min(of_classes.values()):.1f}% and "
        f"{max(of_classes.values()):.1f}%."
    )


CONCLUSIONS: dict[str, Callable[[Results], str]] = {
    function.__name__: function
    for function in (
        committees,
        termination,
        hyperparameter,
        priors,
        stochastic_gradients,
        scaled_priors,
        metrics,
        layers,
        precision,
        trajectories,
        information_criterion,
    )
}


def misleading(table: pd.DataFrame) -> str:
    """Say how far diagnostics of single weights mislead."""
    if table.empty:
        return NO_RESULTS
    both = table[["R-hat > 1.05, weights", "R-hat > 1.05, outputs"]].dropna()
    if both.empty:
        return NO_RESULTS
    weights, outputs = (both[name].to_numpy() for name in both)
    alarm = int(((weights > 0.05) & (outputs <= 0.05)).sum())
    missed = int(((weights <= 0.05) & (outputs > 0.05)).sum())
    return (
        f"On average {np.mean(weights):.0%} of the weights and {np.mean(outputs):.0%} of the class "
        f"probabilities have an R-hat above 1.05. Of {len(both)} fits {alarm} look unconverged by "
        f"their weights and converged by what they predict, and {missed} the other way round."
    )
