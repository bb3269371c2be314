"""What all rooms' tests share."""

import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

from .forked_files import pytest_configure

__all__ = ["pytest_configure"]

mpl.use("Agg")

REFERENCE = Path(__file__).parent / "reference"


@pytest.fixture(scope="session")
def choo8() -> dict[str, Any]:
    """Posterior of Choo's 8 cases from an independent system."""
    return json.loads((REFERENCE / "choo8.json").read_text())
