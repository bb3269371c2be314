"""Priors, scales, layers and widths again, by chains that agree.

Each network of Tables 4.4, 4.9, 4.11 and 4.14 is sampled by what mixes best on its prior, and
predicts all 1297 digits that are not trained on. Rows whose chains do not agree do not count.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

from ....models import ConjugateHorseshoe, Prior, Scaled
from .declarations import Experiment, Network, Sampler
from .experiments import NIG, NORMAL, ON_OUTPUT, WIDTHS
from .pairs import BESIDE, BETWEEN

TABLE, WAYS = "agreed", "ways"
LEAPFROGS = 200
_FIXED = {"n_leapfrog": LEAPFROGS, "target_accept": 0.8, "jitter": "uniform"}
GIBBS, STATIC = "gibbs", "static"
SAMPLERS: dict[str, Sampler] = {
    GIBBS: Sampler("recommended", {"method": "gibbs_hmc", **_FIXED}),
    STATIC: Sampler("static", {"step_sizes": "adapt", **_FIXED}),
}
# the same prior, so declared that all its scales have conjugate conditionals
CONJUGATE: dict[str, Prior] = {
    "normal": NORMAL,
    "normal_inverse_gamma": NIG,
    "normal_ard": ON_OUTPUT["normal_ard"],
    "horseshoe": ConjugateHorseshoe(),
    "horseshoe_ard": ConjugateHorseshoe(ard=True, by="source"),
}
SCALED_WIDTHS = (35, 50, 65)
LAYERS = (2, 3, 4)
USUAL = 35  # units


def width_row(units: int) -> str:
    """Name the row of the normal prior with so many units."""
    return "normal" if units == USUAL else f"normal-{units}"


_WIDTHS = [width_row(units) for units in WIDTHS]
# by table of the thesis: rows, and where it has them
PLACES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "priors": {name: {"prior": name} for name in ON_OUTPUT},
    "scaled_priors": {
        row: {"prior": prior, "hidden_units": units}
        for units in SCALED_WIDTHS
        for row, prior in ((width_row(units), "normal"), (f"scaled-{units}", "scaled"))
    },
    "layers": {str(count): {"layers": count} for count in LAYERS},
    "information_criterion": {width_row(units): {"hidden_units": units} for units in WIDTHS},
}
# what has most effective outputs a second of those that are tried
BEST = dict.fromkeys(ON_OUTPUT, STATIC) | {
    "normal_inverse_gamma": GIBBS,
    "horseshoe": GIBBS,
    "horseshoe_ard": GIBBS,
}


def ways() -> list[Experiment]:
    """Ways of sampling each prior of the output weights, beside the thesis's of Table 4.4.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.agreed import ways
    >>> [row.row for row in ways() if "horseshoe_ard" in row.row]
    ['regularized_horseshoe_ard-static', 'horseshoe_ard-gibbs', 'horseshoe_ard-static']
    """
    return [
        _by(way, prior, WAYS, f"{prior}-{way}")
        for prior in ON_OUTPUT
        for way in SAMPLERS
        if way != GIBBS or prior in CONJUGATE
    ]


def agreed() -> list[Experiment]:
    """All networks, each by what mixes best on it.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.agreed import PLACES, agreed
    >>> {row.row for row in agreed()} == {row for table in PLACES.values() for row in table}
    True
    """
    priors = [_by(BEST[name], name, TABLE, name) for name in ON_OUTPUT]
    usual = priors[0]

    def other(row: str, **changes: Any) -> Experiment:
        return replace(usual, row=row, network=replace(usual.network, **changes))

    widths = sorted({*SCALED_WIDTHS, *WIDTHS} - {USUAL})
    scaled = (NORMAL, Scaled())
    return [
        *priors,
        *(other(width_row(units), hidden=(units,)) for units in widths),
        *(other(f"scaled-{units}", hidden=(units,), priors=scaled) for units in SCALED_WIDTHS),
        *(other(str(count), hidden=(USUAL,) * count, priors=(NORMAL,)) for count in LAYERS),
    ]


def compared_pairs() -> list[tuple[str, str, str]]:
    """Table of the thesis, first and second row of all differences that claims are about.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.agreed import compared_pairs
    >>> [pair for pair in compared_pairs() if pair[0] == "layers"]
    [('layers', '3', '2'), ('layers', '4', '2')]
    """
    beside = [(name, row, BESIDE[name]) for name in ("priors", "layers") for row in PLACES[name]]
    scaled = [("scaled_priors", f"scaled-{units}", width_row(units)) for units in SCALED_WIDTHS]
    widths = [("information_criterion", two, one) for one, two in combinations(_WIDTHS, 2)]
    between = [("priors", *pair) for pair in BETWEEN["priors"]]
    return [*(pair for pair in beside if pair[1] != pair[2]), *between, *scaled, *widths]


def _by(way: str, prior: str, table: str, row: str) -> Experiment:
    conjugate = way == GIBBS
    declared = CONJUGATE[prior] if conjugate else ON_OUTPUT[prior]
    network = Network(
        (NORMAL, declared), parametrization="centered" if conjugate else "noncentered"
    )
    return Experiment(table, row, network, SAMPLERS[way], steps_per_draw=LEAPFROGS)
