"""The table says whether predictions are stable, of draws that are called nearly so too."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from pymc_bnn import studies
from pymc_bnn.studies.chains.stability import Stability
from pymc_bnn.studies.comparison.comparison import put_together


def test_a_file_tells_no_from_what_nobody_knows(
    wave_comparison: studies.Comparison, tmp_path: Path
) -> None:
    line = wave_comparison.results["line"]
    found = {
        "yes": Stability(1.0, 0.0, 20),
        "no": Stability(0.9, 0.0, 20),
        "too few chains": Stability(np.nan, np.nan, 20),
        "not asked": None,
    }
    each = {name: replace(line, stability=stability) for name, stability in found.items()}
    table = put_together(each)
    assert set(table.table["answer"]) == {"nearly"}
    assert table.table["stable"].sum() == 1
    written = pd.read_csv(table.to_csv(tmp_path / "numbers.csv"), index_col="model", dtype=str)
    said = written["stable"].fillna("").to_dict()
    assert said == {"yes": "True", "no": "False", "too few chains": "", "not asked": ""}
