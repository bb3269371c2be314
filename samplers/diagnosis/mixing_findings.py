"""Findings about how well chains mix, and whether they can show it (Vehtari et al. 2021)."""

from collections.abc import Iterator

from .evidence import Evidence
from .findings import ESS, LEAST_DRAWS, RHAT, WORST_ESS, WORST_RHAT, Finding
from .rounding import beside

LEAST_FOR_RHAT = 4  # draws of each chain, which is split in two


def chains(seen: Evidence) -> Iterator[Finding]:
    """A single chain."""
    if seen.chains < 2:
        yield Finding(
            "chains",
            "error",
            seen.chains,
            2.0,
            "",
            "A single chain cannot show convergence.",
            "Run four chains from dispersed starting points, as samplers.sample does.",
        )


def draws(seen: Evidence) -> Iterator[Finding]:
    """Chains too short to judge."""
    if seen.draws < LEAST_DRAWS:
        yield Finding(
            "draws",
            "error" if seen.draws < LEAST_FOR_RHAT else "warning",
            seen.draws,
            LEAST_DRAWS,
            "",
            f"Chains of {seen.draws} draw{'s' * (seen.draws != 1)} are too short to judge.",
            "Keep 100 draws of each chain at least, and better 1000.",
        )


def rhat(seen: Evidence) -> Iterator[Finding]:
    """Chains that disagree."""
    found = seen.table["rhat"].dropna()
    if found.empty or found.max() <= RHAT:
        return
    worst = str(found.idxmax())
    said = beside(found.max(), RHAT, WORST_RHAT, digits=3)
    yield Finding(
        "R-hat",
        "error" if found.max() > WORST_RHAT else "warning",
        found.max(),
        RHAT,
        worst,
        f"Chains disagree on {worst}: R-hat is {said}, above {RHAT}.",
        "Run longer; chains that stay apart are in different modes and need longer trajectories "
        "or another parametrization.",
    )


def unknown(seen: Evidence) -> Iterator[Finding]:
    """Agreement that cannot be computed, for none of the reasons that have their own finding."""
    known = {*seen.still, *seen.nonfinite}
    names = [str(name) for name in seen.table.index[seen.table["rhat"].isna()]]
    names = [name for name in names if name not in known]
    if names and seen.chains > 1 and seen.draws >= LEAST_FOR_RHAT:
        yield Finding(
            "R-hat",
            "error",
            float("nan"),
            RHAT,
            names[0],
            f"R-hat of {', '.join(names)} cannot be computed.",
            "Look at the draws themselves before using them.",
        )


def bulk_ess(seen: Evidence) -> Iterator[Finding]:
    """Too few effective draws for means."""
    yield from _few(
        seen,
        "ess",
        "bulk ESS",
        "Few effective draws of",
        "Run longer or thin less; longer or jittered trajectories make draws less alike, and "
        "interweaving those of precisions.",
    )


def tail_ess(seen: Evidence) -> Iterator[Finding]:
    """Too few effective draws for quantiles."""
    remedy = "Run longer before quoting intervals."
    yield from _few(seen, "ess_tail", "tail ESS", "Few effective draws in the tails of", remedy)


def _few(seen: Evidence, column: str, name: str, said: str, remedy: str) -> Iterator[Finding]:
    found = seen.table[column].dropna()
    if found.empty or found.min() >= ESS:
        return
    worst = str(found.idxmin())
    yield Finding(
        name,
        "error" if found.min() < WORST_ESS else "warning",
        found.min(),
        ESS,
        worst,
        f"{said} {worst}: {beside(found.min(), ESS, WORST_ESS)}, below {ESS:.0f}.",
        remedy,
    )


CHECKS = (chains, draws, rhat, unknown, bulk_ess, tail_ess)
