"""Figures of the posterior: Choo (2000, Figs. 5.3-5.8), its tails, and why Gibbs crawls."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from ..design.methods import METHODS, RECOMMENDED, THESIS
from ..design.network import CHOO_CASES, HYPERPARAMETERS
from ..design.published import published
from ..design.starts import BORDER
from ..numbers.results import Results
from ..numbers.tables import in_region
from ..runs.master import N_LEAPFROG
from .drawing import COLOURS, GREY, PLAIN, SYMBOLS, WOVEN, legend_below, panels

MOST_POINTS = 2000
WINDOW = 2e7  # passes that a trace shows
QUANTILES = (0.02, 0.5, 0.98)  # draws whose conditional densities are shown


def log_sigma_density(log_sigma: np.ndarray, shape: float, rate: float) -> np.ndarray:
    r"""Density of :math:`\log\sigma = -\tfrac12\log\tau` where the precision is gamma.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.choo2000.figures.posterior_figures import log_sigma_density
    >>> at = np.linspace(-20, 20, 4001)
    >>> round(float(log_sigma_density(at, 0.25, 0.25).sum() * 0.01), 2)
    1.0
    """
    precision = np.exp(-2.0 * np.asarray(log_sigma))
    return np.asarray(2 * precision * stats.gamma.pdf(precision, shape, scale=1 / rate))


def gamma_prior(width: int, letter: str) -> tuple[float, float]:
    """Shape and rate of a precision's prior (Choo 2000, Eq. 3.7 and Table 5.6).

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.figures.posterior_figures import gamma_prior
    >>> gamma_prior(8, "u")
    (0.25, 0.25)
    """
    table = published("prior_settings").query("hyperparameter == @letter")
    near = table.iloc[(table["hidden_units"] - width).abs().argmin()]
    return float(near["alpha"]) / 2, float(near["alpha"] / 2 * near["sd"] ** 2)


def values_of(draws: xr.Dataset, letter: str) -> np.ndarray:
    """Draws of a log standard deviation."""
    return np.asarray(draws["log_sigma"].sel(hyperparameter=letter))


def marginals(results: Results) -> Figure | None:
    """Marginals of A and B over the master runs', with the priors (Figs. 5.4, 5.7 and 5.8)."""
    runs = [results.master(8, kind) for kind in (True, False)]
    if runs[0] is None or runs[1] is None:
        return None
    found = {method: results.load(f"verify-{method}") for method in THESIS[1:]}
    figure, axes = panels(2, 3, height=5)
    for ax, letter in zip(axes, HYPERPARAMETERS, strict=False):
        values = values_of(runs[0], letter)
        low, high = np.quantile(values, [0.001, 0.999])
        bins = np.linspace(low, high, 36)
        title = f"master run, {METHODS[RECOMMENDED].title}"
        ax.hist(values, list(bins), density=True, color="#cfd4da", label=title)
        _outline(ax, values_of(runs[1], letter), bins, PLAIN, "master run, Gibbs")
        for method, chains in found.items():
            if chains is not None:
                drawn = chains["posterior"][letter].to_numpy().ravel()
                _outline(ax, drawn, bins, COLOURS[method], METHODS[method].title)
        at = np.linspace(bins[0], bins[-1], 200)
        ax.plot(at, log_sigma_density(at, *gamma_prior(8, letter)), "k:", label="prior")
        ax.set_xlabel(SYMBOLS[letter])
        ax.set_yticks([])
    axes[-1].axis("off")
    axes[-1].legend(*axes[0].get_legend_handles_labels(), loc="center left")
    return figure


def _outline(ax: Axes, values: np.ndarray, bins: np.ndarray, colour: str, label: str) -> None:
    counts, _ = np.histogram(values, bins)
    heights = counts / (values.size * np.diff(bins))
    middle = (bins[1:] + bins[:-1]) / 2
    ax.plot(middle, heights, color=colour, label=label)


def surface(results: Results) -> Figure | None:
    """Predicted surface of the network with 8 hidden units and its spread (Fig. 5.3)."""
    draws = results.master(8, interweave=True)
    if draws is None:
        return None
    draws = thinned(draws, 500)
    side = np.linspace(-1.2, 1.2, 33)
    x = np.stack([z.ravel() for z in np.meshgrid(side, side)], axis=1)
    outputs = np.stack([_predict(draws.isel(draw=i), x) for i in range(draws.sizes["draw"])])
    mean, spread = outputs.mean(0).reshape(33, 33), outputs.std(0).reshape(33, 33)
    figure, axes = panels(1, 2, height=3.4)
    shown = (
        ("posterior mean", mean, CHOO_CASES[:, 2]),
        ("posterior standard deviation", spread, None),
    )
    for ax, (title, values, targets) in zip(axes, shown, strict=True):
        ends: dict[str, Any] = {"vmin": values.min(), "vmax": values.max()}
        filled = ax.contourf(side, side, values, 14, cmap="viridis", **ends)
        colours: dict[str, Any] = {"c": "white", "edgecolors": "white", "linewidths": 1.4}
        if targets is not None:
            colours |= {"c": targets, "cmap": "viridis", **ends}
        ax.scatter(CHOO_CASES[:, 0], CHOO_CASES[:, 1], s=46, **colours)
        figure.colorbar(filled, ax=ax)
        ax.set(title=title, xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
    return figure


def _predict(state: xr.Dataset, x: np.ndarray) -> np.ndarray:
    hidden = np.tanh(x @ state["w0"].to_numpy() + state["b0"].to_numpy())
    return np.asarray(hidden @ state["w1"].to_numpy() + state["b1"].to_numpy())[:, 0]


def thinned(draws: xr.Dataset, most: int = MOST_POINTS) -> xr.Dataset:
    """Evenly spaced draws, at most as many as asked for."""
    every = max(1, -(-draws.sizes["draw"] // most))
    return draws.isel(draw=slice(None, None, every))


def correlations(results: Results) -> Figure | None:
    """Scales with each other, and pinned to what they scale (Figs. 5.5 and 5.6)."""
    draws = results.master(8, interweave=True)
    if draws is None:
        return None
    there = [w for w in results.budget.widths if results.master(w, interweave=True) is not None]
    shown = list(dict.fromkeys((8, max(there))))
    figure, axes = panels(1, 1 + len(shown), height=3.1)
    _scatter(axes[0], values_of(draws, "u"), values_of(draws, "a"), 8, SYMBOLS["u"])
    for ax, width in zip(axes[1:], shown, strict=True):
        draws = results.master(width, interweave=True)
        if draws is not None:
            spread = 0.5 * np.log((draws["b0"] ** 2).mean("hidden").to_numpy())
            _scatter(ax, spread, values_of(draws, "a"), width, "log r.m.s. of hidden biases")
    return figure


def _scatter(ax: Axes, x: np.ndarray, y: np.ndarray, width: int, label: str) -> None:
    every = max(1, -(-x.size // MOST_POINTS))
    ax.scatter(x[::every], y[::every], s=4, alpha=0.5, linewidths=0, color=WOVEN)
    ax.set(xlabel=label, ylabel=SYMBOLS["a"], ylim=np.quantile(y, [0.0005, 0.9995]))
    ax.set_xlim(*np.quantile(x, [0.0005, 0.9995]))
    ax.set_title(f"{width} units, r = {np.corrcoef(x, y)[0, 1]:.3f}")


def tail(results: Results) -> Figure | None:
    """Probability of large scales in both kinds of master runs."""
    widths = both_masters(results)
    if not widths:
        return None
    figure, axes = panels(2, len(widths), height=5, sharex=True, sharey=True)
    for i, (letter, width) in enumerate((a, w) for a in "ua" for w in widths):
        axes[i].set(yscale="log", xlabel="$x$", title=f"{width} hidden units")
        axes[i].axvline(BORDER, color=GREY, linewidth=0.8, linestyle=":")
        _survival(axes[i], [results.master(width, kind) for kind in (False, True)], letter)
        if i % len(widths) == 0:
            axes[i].set_ylabel(f"P({SYMBOLS[letter]} > $x$)")
    legend_below(figure, axes[0], 2)
    return figure


def _survival(ax: Axes, runs: list[xr.Dataset | None], letter: str) -> None:
    at = np.linspace(0, 12, 97)
    for run, method in zip(runs, ("gibbs", RECOMMENDED), strict=True):
        if run is not None:
            above = np.array([in_region(run, letter, x).mean() for x in at])
            shown = np.where(above > 0, above, np.nan)
            ax.step(at, shown, color=COLOURS[method], label=METHODS[method].title)


def crawl(results: Results) -> Figure | None:
    r"""Traces of log sigma_u from both samplers, and how narrow it is given the weights."""
    width = max(both_masters(results), default=None)
    if width is None:
        return None
    found = [results.master(width, kind) for kind in (False, True)]
    runs = [run for run in found if run is not None]
    figure, axes = panels(2, 2, height=4.6, width_ratios=(2.1, 1))
    every = [_passes_per_draw(kind, run) for kind, run in zip((False, True), runs, strict=True)]
    window = min([WINDOW, *(e * run.sizes["draw"] for e, run in zip(every, runs, strict=True))])
    best = METHODS[RECOMMENDED].title
    titles = ("Gibbs: precisions given the weights only", f"{best}: and with the weights")
    for ax, run, each, colour, title in zip(
        axes[::2], runs, every, (PLAIN, WOVEN), titles, strict=True
    ):
        values = values_of(run, "u")[: int(window / each)]
        ax.plot(each * np.arange(values.size) / 1e6, values, color=colour, linewidth=0.8)
        ax.set(title=title, ylabel=SYMBOLS["u"], xlim=(0, window / 1e6))
        ax.set_ylim(*np.quantile(values_of(runs[1], "u"), [0, 0.9995]))
    axes[2].set_xlabel("passes through the network / million")
    sliver(axes[1], runs[1], "u", "w0", width)
    sliver(axes[3], runs[1], "a", "b0", width)
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside lower right", ncols=2)
    return figure


def both_masters(results: Results) -> list[int]:
    """Widths with a master run of either kind."""
    return [
        width
        for width in results.budget.widths
        if results.master(width, False) is not None and results.master(width, True) is not None
    ]


def _passes_per_draw(interweave: bool, run: xr.Dataset) -> float:
    method = METHODS[RECOMMENDED if interweave else "gibbs"]
    each = method.passes * N_LEAPFROG[interweave] + method.sweep_passes
    return float(each * run.attrs["thin"])


def sliver(ax: Axes, draws: xr.Dataset, letter: str, weights: str, width: int) -> None:
    """Draw the posterior of a scale, and its conditional densities given weights of some draws."""
    values = values_of(draws, letter)
    low, high = np.quantile(values, [0.002, 0.998])
    shape, rate = gamma_prior(width, letter)
    squares = (draws[weights] ** 2).sum([d for d in draws[weights].dims if d != "draw"]).to_numpy()
    count = draws[weights].isel(draw=0).size
    at = np.linspace(low - 0.5, high + 0.5, 800)
    ax.hist(values, 50, range=(low, high), density=True, color="#cfd4da", label="posterior")
    for i, quantile in enumerate(QUANTILES):
        chosen = np.argmin(np.abs(values - np.quantile(values, quantile)))
        given = log_sigma_density(at, shape + count / 2, rate + squares[chosen] / 2)
        label = "given the weights" if i == 0 else None
        ax.plot(at, given, color=PLAIN, label=label)
    ax.set(xlabel=SYMBOLS[letter], yticks=[], title=f"{width} units, {count} weights")
