"""Findings about the draws themselves: chains that never move, and values that are no numbers."""

from collections.abc import Iterator

from .evidence import Evidence
from .findings import Finding


def still(seen: Evidence) -> Iterator[Finding]:
    """Chains that never move; R-hat and effective sample sizes do not see them."""
    stuck = {
        name: chains for name, chains in seen.still.items() if not _may_be_constant(name, seen)
    }
    if not stuck:
        return
    chains = sorted({chain for found in stuck.values() for chain in found}, key=str)
    names = ", ".join(stuck)
    which = "Every chain" if len(chains) == seen.chains else _chains(chains)
    yield Finding(
        "still",
        "error",
        len(chains),
        1.0,
        next(iter(stuck)),
        f"{which} stands still: {names} never changed in {seen.draws} draws.",
        "No move was accepted: use smaller or fewer steps (a lower step_scale, fewer leapfrog "
        "steps), a longer warm-up or another start.",
    )


def constant(seen: Evidence) -> Iterator[Finding]:
    """Variables that may be constants, or stand still in every chain at one start."""
    found = [name for name in seen.constant if _may_be_constant(name, seen)]
    if found:
        yield Finding(
            "constant",
            "warning",
            len(found),
            1.0,
            found[0],
            f"{', '.join(found)}: one value in all draws.",
            "Make sure that this is a constant, and not a variable that no step moves.",
        )


def partly_constant(seen: Evidence) -> Iterator[Finding]:
    """Elements that may be constants, of variables that move otherwise."""
    if not seen.partly_constant:
        return
    found = ", ".join(f"{count} of {name}" for name, count in seen.partly_constant.items())
    yield Finding(
        "constant elements",
        "note",
        sum(seen.partly_constant.values()),
        0.0,
        next(iter(seen.partly_constant)),
        f"Elements with one value in all draws: {found}.",
        "Make sure that these are constants; R-hat and effective draws leave them out.",
    )


def _may_be_constant(name: str, seen: Evidence) -> bool:
    """Whether a quantity that never changes need not be a chain that does not move."""
    judged = seen.table.loc[name, "kind"] in ("log posterior", "network outputs")
    everything = set(seen.still) == set(seen.table.index)
    return name in seen.constant and not judged and not everything


def _chains(chains: list) -> str:
    return f"Chain {chains[0]}" if len(chains) == 1 else f"Each of the chains {_listed(chains)}"


def _listed(chains: list) -> str:
    return ", ".join(map(str, chains))


def finite(seen: Evidence) -> Iterator[Finding]:
    """Draws that are no numbers."""
    if not seen.nonfinite:
        return
    worst = max(seen.nonfinite, key=lambda name: seen.nonfinite[name])
    found = ", ".join(f"{name} ({count})" for name, count in seen.nonfinite.items())
    yield Finding(
        "finite",
        "error",
        seen.nonfinite[worst],
        0.0,
        worst,
        f"Draws that are not finite, of {seen.chains * seen.draws}: {found}.",
        "Scale inputs and targets, use proper priors and smaller steps, and sample again.",
    )


CHECKS = (still, finite, constant, partly_constant)
