"""Beyond the thesis: what moves the errors of its network, and networks to choose from."""

from ....models import ARD, Gaussian, NormalInverseGamma, Prior
from .declarations import Experiment, Network, Sampler

STEPS = {"n_leapfrog": 50, "target_accept": 0.8, "jitter": "uniform"}
QUICK = Sampler("gibbs_hmc", {**STEPS, "precision": "float32"})
GENTLE = Gaussian(0.5), Gaussian(2.0)  # weights of a size that leaves tanh units unsaturated
NOISE = 0.2  # its standard deviation around codes
# widths; standard deviations of the first layer and of the outputs, the best ones of :mod:`.limit`
CODED = {"pixels": ((35, 70, 140, 300), 0.08, 4.0), "edges": ((35, 70, 140), 0.08, 2.0)}
SEEN = {"pixels": "centred", "edges": "edges"}
UNIT = Gaussian(1.0), Gaussian(1.0)
FACTORS = ("raw", "unit", "standardized")
PIXEL_WIDTHS, EDGE_WIDTHS = (15, 35, 70), (15, 35, 70)
PIXEL_PRIORS: dict[str, tuple[Prior, ...]] = {
    "gentle": GENTLE,
    "sharp": (Gaussian(0.2), Gaussian(5.0)),
    "unit": UNIT,
    "learnt": (NormalInverseGamma(0.3, 4.0), NormalInverseGamma(2.0, 4.0)),
    "ard": (ARD(0.3, 4.0), NormalInverseGamma(2.0, 4.0)),
}
EDGE_PRIORS: dict[str, tuple[Prior, ...]] = {
    "gentle": (Gaussian(0.2), Gaussian(2.0)),
    "sharp": (Gaussian(0.1), Gaussian(5.0)),
    "learnt": (NormalInverseGamma(0.2, 4.0), NormalInverseGamma(2.0, 4.0)),
    "ard": (ARD(0.2, 4.0), NormalInverseGamma(2.0, 4.0)),
}


def factors() -> list[Experiment]:
    """Inputs, size of the prior and biases in all combinations, codes, and length of the chains.

    With raw inputs and standard normal weights, a unit's activation has a standard deviation of
    about 55, so that tanh is a step. Grey levels from 0 to 16 with a weight of 1 are those from 0
    to 1 with a weight of 16: scaling inputs and scaling the prior of the first layer are one thing
    where there are no biases.
    """
    rows = [
        Experiment(
            "factors",
            f"{inputs}-{size}-{'biases' if biases else 'plain'}",
            Network(priors, inputs=inputs, biases=biases),
            QUICK,
            steps_per_draw=50,
        )
        for inputs in FACTORS
        for size, priors in {"unit": UNIT, "gentle": GENTLE}.items()
        for biases in (False, True)
    ]
    coded = [
        Experiment(
            "factors",
            f"{inputs}-{size}-biases-codes",
            Network(priors, inputs=inputs, biases=True, noise=NOISE),
            QUICK,
            steps_per_draw=50,
        )
        for inputs in FACTORS[1:]
        for size, priors in {"unit": UNIT, "gentle": GENTLE}.items()
    ]
    short = [
        Experiment(
            "factors",
            f"{inputs}-unit-plain-short",
            Network(UNIT, inputs=inputs),
            QUICK,
            tune=20,
            draws=20,
            steps_per_draw=50,
        )
        for inputs in ("raw", "unit")
    ]
    return [*rows, *coded, *short]


def candidates() -> list[Experiment]:
    """Networks to choose from by what the training cases say; the test cases have no say.

    One hidden layer on pixels, one on edges, none, and two; and classes as codes.
    """
    pixels = [
        _candidate(f"pixels-{width}-{name}", Network(priors, (width,), "centred", True))
        for width in PIXEL_WIDTHS
        for name, priors in PIXEL_PRIORS.items()
    ]
    filtered = [
        _candidate(f"edges-{width}-{name}", Network(priors, (width,), "edges", True))
        for width in EDGE_WIDTHS
        for name, priors in EDGE_PRIORS.items()
    ]
    wide = [
        _candidate(f"{name}-{width}-{size}", Network(priors[size], (width,), inputs, True))
        for name, priors, inputs in (
            ("pixels", PIXEL_PRIORS, "centred"),
            ("edges", EDGE_PRIORS, "edges"),
        )
        for width, size in ((140, "gentle"), (140, "sharp"), (300, "gentle"))
    ]
    learnt = NormalInverseGamma(0.3, 4.0)
    linear = _candidate("edges-0-learnt", Network((learnt,), (), "edges", True))
    deep = [
        _candidate(
            f"{name}-35-35-learnt",
            Network((learnt, learnt, EDGE_PRIORS["learnt"][1]), (35, 35), inputs, True),
        )
        for name, inputs in (("pixels", "centred"), ("edges", "edges"))
    ]
    relu = _candidate(
        "pixels-140-relu", Network((Gaussian(0.2), Gaussian(0.5)), (140,), "centred", True, "relu")
    )
    coded = [
        _candidate(f"{name}-{width}-codes", _on_codes(first, spread, width, SEEN[name]))
        for name, (widths, first, spread) in CODED.items()
        for width in widths
    ]
    thesis = [_candidate(f"thesis-{width}", Network(hidden=(width,))) for width in (35, 90)]
    return [*pixels, *filtered, *wide, linear, *deep, relu, *coded, *thesis]


def _on_codes(first: float, spread: float, width: int, inputs: str) -> Network:
    last = Gaussian(round(spread * width**-0.5, 3))
    return Network((Gaussian(first), last), (width,), inputs, True, noise=NOISE)


def _candidate(row: str, network: Network) -> Experiment:
    return Experiment("candidates", row, network, QUICK, steps_per_draw=50)


def is_one_layer_on_pixels(experiment: Experiment) -> bool:
    """Whether a network has one hidden layer and sees the pixels themselves.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.candidates import candidates, is_one_layer_on_pixels
    >>> sum(is_one_layer_on_pixels(candidate) for candidate in candidates())
    25
    """
    return len(experiment.network.hidden) == 1 and experiment.network.inputs != "edges"
