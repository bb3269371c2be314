"""What all rooms' tests share."""

import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

mpl.use("Agg")

REFERENCE = Path(__file__).parents[2] / "shared" / "reference"


@pytest.fixture(scope="session")
def choo8() -> dict[str, Any]:
    """Posterior of Choo's 8 cases from an independent system."""
    path = REFERENCE / "choo8.json"
    if not path.exists():
        pytest.skip(f"the reference posterior {path.name} is not here")
    return json.loads(path.read_text())
