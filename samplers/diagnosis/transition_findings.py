"""Findings about the transitions of a sampler: bias, divergences, energies, trees, acceptance."""

from collections.abc import Iterator

import xarray as xr

from .evidence import Evidence
from .findings import (
    BFMI,
    DIVERGENT,
    ESS,
    LEAST_ACCEPTANCE,
    MOST_ACCEPTANCE,
    SATURATED,
    WORST_DIVERGENT,
    WORST_ESS,
    Finding,
)
from .rounding import beside


def bias(seen: Evidence) -> Iterator[Finding]:
    """Draws of stochastic gradients are biased (Lau 2018, 3.3)."""
    if not seen.biased:
        return
    much = "by an unknown amount" if seen.bias is None else f"with a {seen.bias}"
    measure = "; samplers.measure_energy_bias tells by how much." if seen.bias is None else "."
    yield Finding(
        "bias",
        "error",
        float("nan") if seen.bias is None else seen.bias.difference,
        0.0,
        "",
        f"The draws are biased, {much}: stochastic gradients without an accept test made them.",
        f"Use GibbsHMC, StaticHMC or NUTS, or smaller steps and larger minibatches{measure}",
    )


def divergences(seen: Evidence) -> Iterator[Finding]:
    """Energies that run away (Lau 2018, 2.6)."""
    if seen.divergences == 0:
        return
    draws = seen.chains * seen.draws
    few = "at least " if seen.at_least else ""
    said = f"{few}{seen.diverging} of {seen.transitions or draws} transitions diverged"
    if seen.divergences > seen.diverging:
        of = "" if seen.transitions is None else f" of {seen.transitions}"
        said = (
            f"{few}{seen.divergences}{of} transitions diverged, {seen.diverging} of them among the "
            f"{draws} that are recorded"
        )
    steps = (
        "a smaller step size or learning rate"
        if seen.biased
        else "smaller steps: a higher target_accept or a lower step_scale; if some remain, the "
        "non-centred parametrization"
    )
    severity = _severity(seen)
    consequence = (
        "draws may miss where the posterior bends most, and even a few can bias them."
        if severity != "note"
        else f"fewer than one in {1 / DIVERGENT:.0f}, too few to move a tail by much."
    )
    yield Finding(
        "divergences",
        severity,
        seen.divergences,
        0.0,
        "",
        f"{said}: {consequence}",
        f"Use {steps}.",
    )


def _severity(seen: Evidence) -> str:
    """How bad divergences are; where transitions are not counted, any of them is a warning."""
    share = seen.diverging / (seen.chains * seen.draws)
    if seen.transitions is not None:
        share = seen.divergences / seen.transitions
    if share > WORST_DIVERGENT:
        return "error"
    return "note" if seen.transitions is not None and share < DIVERGENT else "warning"


def energy(seen: Evidence) -> Iterator[Finding]:
    """Momenta that change the energy too little (Betancourt 2016).

    Where Gibbs draws change it as well, the momenta's share says nothing, and what counts is how
    many effective draws the energy has.
    """
    if seen.bfmi is None or seen.biased or not float(seen.bfmi.min()) < BFMI:
        return
    value, chain = _of_chain(seen.bfmi, smallest=True)
    low = f"E-BFMI of {chain} is {beside(value, BFMI, digits=2)}, below {BFMI}"
    remedy = (
        "Run longer, or sample hyperparameters another way: GibbsPrecision with interweaving, or "
        "the non-centred parametrization."
    )
    if seen.energy_ess is None:
        said = f"{low}: the energy changes little from draw to draw, and the tails may be missed."
        yield Finding("E-BFMI", "error", value, BFMI, chain, said, remedy)
    elif not seen.energy_ess >= ESS:
        few = beside(seen.energy_ess, ESS, WORST_ESS)
        said = f"Few effective draws of the energy: {few}, below {ESS:.0f}; {low}."
        worst = "warning" if seen.energy_ess >= WORST_ESS else "error"
        yield Finding("bulk ESS", worst, seen.energy_ess, ESS, "energy", said, remedy)


def tree_depth(seen: Evidence) -> Iterator[Finding]:
    """Trees that are cut before they turn around."""
    if seen.saturation is None or not float(seen.saturation.max()) > SATURATED:
        return
    value, chain = _of_chain(seen.saturation, smallest=False)
    yield Finding(
        "tree depth",
        "warning",
        value,
        SATURATED,
        chain,
        f"{value:.0%} of the trees of {chain} reached the largest depth: they were cut before "
        "they turned around, and draws move slowly.",
        "Raise max_treedepth, or use a metric or parametrization that suits the posterior.",
    )


def acceptance(seen: Evidence) -> Iterator[Finding]:
    """Trajectories that are rejected too often, or never."""
    if seen.acceptance is None:
        return
    value, chain = _of_chain(seen.acceptance, smallest=True)
    if value < LEAST_ACCEPTANCE:
        yield Finding(
            "acceptance",
            "warning",
            value,
            LEAST_ACCEPTANCE,
            chain,
            f"Trajectories of {chain} are accepted with probability {value:.2f} only.",
            "Use smaller steps: a lower step_scale, or target_accept=0.8 and a longer warm-up.",
        )
    elif value > MOST_ACCEPTANCE:
        yield Finding(
            "acceptance",
            "note",
            value,
            MOST_ACCEPTANCE,
            "",
            f"Trajectories are hardly ever rejected (acceptance {value:.3f}): steps are smaller "
            "than they need be.",
            "Use larger steps: a higher step_scale, or target_accept=0.8.",
        )


def _of_chain(values: xr.DataArray, smallest: bool) -> tuple[float, str]:
    """Worst value and the chain it belongs to."""
    where = (values.argmin if smallest else values.argmax)("chain")
    return float(values[where]), f"chain {values['chain'].values[int(where)]}"


CHECKS = (bias, divergences, energy, tree_depth, acceptance)
