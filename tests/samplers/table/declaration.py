"""The table of steps, priors, likelihoods and structures: what is known of every cell.

A cell is *tested* as :mod:`.cells` says, *refused* by an error that :mod:`.test_bindings` asserts,
or runs the *same kernel* as a tested cell, which :mod:`.test_bindings` shows.
"""

from functools import cache
from itertools import product
from typing import NamedTuple

STEPS = (
    "GibbsPrecision, StaticHMC",
    "GibbsHMC",
    "GibbsHMC, collapsed",
    "GibbsHMC, batch",
    "GibbsHMC, batch, collapsed",
    "SplitLeapfrog, centred",
    "SplitLeapfrog, non-centred",
    "StaticHMC",
    "StaticHMC, windows",
    "NUTS",
    "XHMC",
    "SGLD",
    "SGHMC",
)
PRIORS = (
    "Gaussian",
    "Scaled",
    "NormalInverseGamma",
    "ARD by source",
    "ARD by target",
    "Horseshoe",
    "ConjugateHorseshoe",
    "RegularizedHorseshoe",
)
LIKELIHOODS = (
    "GaussianNoise",
    "GaussianNoise per output",
    "StudentTNoise",
    "HeteroscedasticNoise",
    "Bernoulli",
    "Categorical",
)
STRUCTURES = ("one layer", "two layers", "no biases", "relu", "shared scale", "added terms")

FIXED = ("Gaussian", "Scaled")
HORSESHOES = ("Horseshoe", "ConjugateHorseshoe", "RegularizedHorseshoe")
ALONE = ("HeteroscedasticNoise", "Bernoulli", "Categorical")  # without a precision of noise
BIASED = ("SGLD", "SGHMC")
SWEEPS = STEPS[1:5]
COLLAPSED = STEPS[2:5:2]
BATCHES = STEPS[3:5]
SPLITS = STEPS[5:7]
WHOLE = STEPS[7:11]  # steps that are given all variables of the model


class Cell(NamedTuple):
    """One combination."""

    step: str
    prior: str
    likelihood: str
    structure: str

    def __str__(self) -> str:
        return " / ".join(self)


class Sampled(NamedTuple):
    """The step leaves the joint distribution of parameters and data invariant."""


class Refused(NamedTuple):
    """Building the step raises an error, or its draws are marked as biased."""

    words: str


class Same(NamedTuple):
    """The compiled function is made of the functions of tested cells; its arrays differ."""

    tested: tuple[Cell, ...]


Kind = Sampled | Refused | Same

G, E, S, H, B, C = LIKELIHOODS
_TESTED: dict[str, tuple[tuple[str, str, str], ...]] = {
    "GibbsPrecision, StaticHMC": (
        ("Gaussian", G, "one layer"),
        ("Scaled", E, "two layers"),
        ("NormalInverseGamma", B, "no biases"),
        ("NormalInverseGamma", G, "shared scale"),
        ("ARD by source", C, "two layers"),
        ("ARD by target", G, "relu"),
        ("Horseshoe", G, "one layer"),
        ("ConjugateHorseshoe", E, "no biases"),
        ("ConjugateHorseshoe", C, "shared scale"),
        ("RegularizedHorseshoe", E, "two layers"),
        ("NormalInverseGamma", G, "added terms"),
        ("Gaussian", S, "one layer"),
        ("NormalInverseGamma", H, "relu"),
    ),
    "GibbsHMC": (
        ("Gaussian", G, "one layer"),
        ("Scaled", C, "two layers"),
        ("NormalInverseGamma", C, "no biases"),
        ("ARD by source", E, "one layer"),
        ("ARD by target", G, "two layers"),
    ),
    "GibbsHMC, collapsed": (
        ("Gaussian", G, "one layer"),
        ("Scaled", E, "two layers"),
        ("NormalInverseGamma", E, "no biases"),
        ("ARD by source", G, "one layer"),
        ("ARD by target", G, "two layers"),
    ),
    "GibbsHMC, batch": (
        ("Gaussian", G, "no biases"),
        ("Scaled", C, "relu"),
        ("NormalInverseGamma", B, "two layers"),
        ("ARD by source", E, "one layer"),
        ("ARD by target", G, "two layers"),
    ),
    "GibbsHMC, batch, collapsed": (
        ("Gaussian", G, "two layers"),
        ("Scaled", E, "no biases"),
        ("NormalInverseGamma", G, "one layer"),
        ("ARD by source", G, "two layers"),
        ("ARD by target", E, "one layer"),
    ),
    "SplitLeapfrog, centred": (
        ("Gaussian", G, "two layers"),
        ("Scaled", E, "one layer"),
        ("NormalInverseGamma", B, "relu"),
        ("ARD by source", E, "two layers"),
        ("ARD by target", G, "no biases"),
    ),
    "SplitLeapfrog, non-centred": (
        ("Gaussian", G, "one layer"),
        ("Scaled", E, "two layers"),
        ("NormalInverseGamma", C, "relu"),
        ("ARD by source", C, "relu"),
        ("ARD by target", G, "no biases"),
    ),
    "StaticHMC": (
        ("Gaussian", B, "one layer"),
        ("NormalInverseGamma", G, "no biases"),
        ("ARD by target", C, "added terms"),
        ("Gaussian", S, "no biases"),
    ),
    "StaticHMC, windows": (
        ("Scaled", C, "no biases"),
        ("ARD by source", E, "no biases"),
    ),
    "NUTS": (
        ("Gaussian", B, "relu"),
        ("RegularizedHorseshoe", G, "no biases"),
        ("NormalInverseGamma", G, "added terms"),
    ),
    "XHMC": (
        ("Scaled", C, "relu"),
        ("Horseshoe", B, "shared scale"),
    ),
}
TESTED = tuple(Cell(step, *rest) for step, cells in _TESTED.items() for rest in cells)
CELLS = tuple(Cell(*levels) for levels in product(STEPS, PRIORS, LIKELIHOODS, STRUCTURES))


def is_noncentered(cell: Cell) -> bool:
    """Whether the cell's model has the non-centred parametrization."""
    if cell.structure == "shared scale":
        return False
    if cell.step in ("NUTS", "XHMC"):
        return cell.prior not in FIXED
    return cell.step == SPLITS[1] or (
        cell.step == STEPS[0] and cell.prior in ("Horseshoe", "RegularizedHorseshoe")
    )


def refusal(cell: Cell) -> str | None:
    """Words of the error with which a step refuses a cell, or None."""
    step, prior, likelihood, structure = cell
    if structure == "shared scale" and step in (*SWEEPS, *SPLITS, *BIASED):
        return "needs a pymc_bnn network"
    if (prior in HORSESHOES or structure == "added terms") and step in (*SWEEPS, *SPLITS):
        return "needs a network of weights and conjugate precisions alone"
    if likelihood == S and step in (*SWEEPS, *SPLITS):
        return "noise that is not normal"
    if structure == "added terms" and step in BIASED:
        return "nothing added that depends on the weights"
    if step in BIASED:
        return "biased"
    if step in COLLAPSED and likelihood in ALONE:
        return "collapse=True needs normal noise"
    if step in BATCHES and likelihood == H:
        return "a batch of chains has no kernel for HeteroscedasticNoise"
    if step == STEPS[0] and likelihood in ALONE and prior not in (*PRIORS[2:5], PRIORS[6]):
        return "GibbsPrecision finds no gamma precision"
    return None


@cache
def features(cell: Cell) -> frozenset[str]:
    """What a cell's compiled function is made of."""
    step, prior, likelihood, structure = cell
    if structure == "shared scale":
        return frozenset({step, "graph"})
    mapped = structure == "added terms" or (is_noncentered(cell) and step != SPLITS[1])
    if mapped or (step in WHOLE and not (prior in FIXED and likelihood in ALONE)):
        found = {step, "graph", "relu" if structure == "relu" else "tanh"}
        if likelihood in ALONE:
            return frozenset({*found, likelihood, "likelihood in a graph"})
        weighted = {"weighted squares"} if likelihood == S else set()
        return frozenset({*found, "noise in a graph", *weighted})
    batch = " in a batch" if step in BATCHES else ""
    found = {step, ("relu" if structure == "relu" else "tanh") + batch}
    found.add(likelihood.split()[0] + batch)
    if step in SPLITS:
        noise = "no noise" if likelihood in ALONE else likelihood
        found.add(f"{step}, {noise}")
    if step in COLLAPSED:
        found.add(("cases" if structure == "two layers" else "weights") + batch)
    return frozenset(found)


@cache
def kind(cell: Cell) -> Kind | None:
    """What is known of a cell; None would be an empty one."""
    words = refusal(cell)
    if words is not None:
        return Refused(words)
    if cell in TESTED:
        return Sampled()
    wanted = features(cell)
    own = [other for other in TESTED if other.step == cell.step]
    for one in own:
        if wanted == features(one):
            return Same((one,))
    for count in (1, 2):
        for one, *others in product(own, *[TESTED] * count):
            if wanted <= features(one).union(*map(features, others)):
                return Same((one, *others))
    return None
