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
TEMPERED = "those of the candidates, tempered by K-fold"
BY_EVIDENCE, BY_FOLDS = "most evidence", "least squared error by K-fold"
CHOSEN = OWN, TEMPERED, BY_EVIDENCE, BY_FOLDS  # by the training cases alone
ERROR, BINOMIAL = "error % of the {}", "± cases of the {}"
PARTS = {"500": CASES, "797": OTHERS, "1297": CASES + OTHERS}


def limits(results: Results) -> pd.DataFrame:
    """Errors with scales that training cases choose, and with the best of a grid in hindsight.

    At temperature :math:`T` the variance of the noise is :math:`T` times as large.
    """
    rows = []
    for name, inputs in SEEN.items():
        found = results.load(limit_errors_key(inputs))
        settings = {} if found is None else _settings(found, name)
        for scales, at in settings.items():
            row: dict[str, object] = {
                "inputs": name,
                "scales": scales,
                "sd of the first layer": float(found["first"][at]),
                "noise over sd of outputs": float(found["ratio"][at]),
                "temperature": np.nan,
            }
            if scales in (OWN, TEMPERED):
                ratio = float(found["ratio"][at] / found["ratio"][settings[OWN]])
                row["temperature"] = ratio**2
            for part, wrong in _wrong(found).items():
                share = float(wrong[at]) / PARTS[part]
                error = np.sqrt(share * (1 - share) / PARTS[part])
                row |= {ERROR.format(part): PERCENT * share, BINOMIAL.format(part): PERCENT * error}
            rows.append({**row, "settings": found.sizes["setting"]})
    return pd.DataFrame(rows)


def _settings(found: xr.Dataset, name: str) -> dict[str, int]:
    """Settings that training cases choose, and the first of those that err least on each part."""
    _, first, spread = CODED[name]
    gaps = found["first"].values / first, found["ratio"].values * spread / NOISE
    own = int(np.argmin(sum(abs(np.log(gap)) for gap in gaps)))
    evidence, squares = found["evidence"].values, found["squares"].values
    elsewhere = found["first"].values != found["first"].values[own]
    chosen = (
        own,
        int(np.argmin(np.where(elsewhere, np.inf, squares))),
        int(np.argmax(evidence)),
        int(np.argmin(squares)),
    )
    least = {
        f"least errors on the {part}": int(wrong.argmin()) for part, wrong in _wrong(found).items()
    }
    return dict(zip(CHOSEN, chosen, strict=True)) | least


def _wrong(found: xr.Dataset) -> dict[str, np.ndarray]:
    test, between = found["test"].values, found["between"].values
    return dict(zip(PARTS, (test, between, test + between), strict=True))
