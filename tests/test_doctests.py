"""Every example in a docstring runs and prints what it says."""

import doctest
import importlib
import pkgutil

import pytest
from pymc_bnn import models, samplers, studies


def modules() -> list[str]:
    """Names of all modules of the package."""
    names = []
    for room in (models, samplers, studies):
        names.append(room.__name__)
        found = pkgutil.walk_packages(room.__path__, f"{room.__name__}.")
        names.extend(module.name for module in found)
    return names


@pytest.mark.parametrize("name", modules())
def test_examples_of(
    name: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module(name)
    monkeypatch.chdir(tmp_path_factory.mktemp("doctest"))  # an example may write files
    result = doctest.testmod(module, verbose=False)
    assert result.failed == 0


def test_all_modules_are_found() -> None:
    names = modules()
    assert {"pymc_bnn.models.priors.ard", "pymc_bnn.samplers.compiled.engine"} <= set(names)
    assert len(names) == len(set(names)) > 30
