"""Errors of infinitely wide networks on digits that are not trained on."""

import numpy as np
import pandas as pd
import xarray as xr

from ..design.candidates import CODED, NOISE, SEEN
from ..design.digits import CASES
from ..design.keys import limit_errors_key
from .results import Results

PERCENT = 100.0
OTHERS = 797
OWN = "those of the candidates"
ERROR, BINOMIAL = "error % of the {}", "± cases of the {}"
PARTS = {"500": CASES, "797": OTHERS, "1297": CASES + OTHERS}


def limits(results: Results) -> pd.DataFrame:
    """Errors with the candidates' scales, and with the best of a grid in hindsight."""
    rows = []
    for name, inputs in SEEN.items():
        found = results.load(limit_errors_key(inputs))
        for scales, at in () if found is None else _settings(found, name):
            row: dict[str, object] = {
                "inputs": name,
                "scales": scales,
                "sd of the first layer": float(found["first"][at]),
                "noise over sd of outputs": float(found["ratio"][at]),
            }
            for part, wrong in _wrong(found).items():
                share = float(wrong[at]) / PARTS[part]
                error = np.sqrt(share * (1 - share) / PARTS[part])
                row |= {ERROR.format(part): PERCENT * share, BINOMIAL.format(part): PERCENT * error}
            rows.append({**row, "settings": found.sizes["setting"]})
    return pd.DataFrame(rows)


def _settings(found: xr.Dataset, name: str) -> list[tuple[str, int]]:
    """The candidates' setting, and the first of those that err least on each part."""
    _, first, spread = CODED[name]
    gaps = found["first"].values / first, found["ratio"].values * spread / NOISE
    off = sum(abs(np.log(gap)) for gap in gaps)
    least = {f"least errors on the {part}": wrong for part, wrong in _wrong(found).items()}
    return [
        (OWN, int(np.argmin(off))),
        *((scales, int(wrong.argmin())) for scales, wrong in least.items()),
    ]


def _wrong(found: xr.Dataset) -> dict[str, np.ndarray]:
    test, between = found["test"].values, found["between"].values
    return dict(zip(PARTS, (test, between, test + between), strict=True))
