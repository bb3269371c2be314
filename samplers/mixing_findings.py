"""Findings about how well chains mix, and whether they can show it (Vehtari et al. 2021)."""

from collections.abc import Iterator

from .findings import ESS_PER_CHAIN, RHAT, WORST_ESS, WORST_RHAT, Evidence, Finding


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
    if seen.draws < ESS_PER_CHAIN:
        unknown = seen.table["ess"].isna().all()
        yield Finding(
            "draws",
            "error" if unknown else "warning",
            seen.draws,
            ESS_PER_CHAIN,
            "",
            f"Chains of {seen.draws} draws are too short to judge.",
            "Keep 100 draws of each chain at least, and better 1000.",
        )


def rhat(seen: Evidence) -> Iterator[Finding]:
    """Chains that disagree."""
    found = seen.table["rhat"].dropna()
    if found.empty or found.max() <= RHAT:
        return
    worst = str(found.idxmax())
    yield Finding(
        "R-hat",
        "error" if found.max() > WORST_RHAT else "warning",
        found.max(),
        RHAT,
        worst,
        f"Chains disagree on {worst}: R-hat is {found.max():.3f}, above {RHAT}.",
        "Run longer; chains that stay apart are in different modes and need longer trajectories "
        "or another parametrization.",
    )


def bulk_ess(seen: Evidence) -> Iterator[Finding]:
    """Too few effective draws for means."""
    least = ESS_PER_CHAIN * seen.chains
    found = seen.table["ess"].dropna()
    if found.empty or found.min() >= least:
        return
    worst = str(found.idxmin())
    yield Finding(
        "bulk ESS",
        "error" if found.min() < WORST_ESS else "warning",
        found.min(),
        least,
        worst,
        f"Few effective draws of {worst}: {found.min():.0f}, below {least:.0f} (100 per chain).",
        "Run longer or thin less; longer trajectories make draws less alike, and interweaving "
        "those of precisions.",
    )


def tail_ess(seen: Evidence) -> Iterator[Finding]:
    """Too few effective draws for quantiles."""
    least = ESS_PER_CHAIN * seen.chains
    found = seen.table["ess_tail"].dropna()
    if found.empty or found.min() >= least:
        return
    worst = str(found.idxmin())
    yield Finding(
        "tail ESS",
        "warning",
        found.min(),
        least,
        worst,
        f"Few effective draws in the tails of {worst}: {found.min():.0f}, below {least:.0f} "
        "(100 per chain).",
        "Run longer before quoting intervals.",
    )


CHECKS = (chains, draws, rhat, bulk_ess, tail_ess)
