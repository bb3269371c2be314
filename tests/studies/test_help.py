"""Help names what is registered, which it does not look up: that would import PyMC first."""

import re
from collections.abc import Collection
from typing import Any

import pytest
from pymc_bnn.models.activations import ACTIVATIONS
from pymc_bnn.models.likelihoods import LIKELIHOODS
from pymc_bnn.studies import load_dataset
from pymc_bnn.studies.cli import app
from pymc_bnn.studies.comparison.asked import NOT_BY_DEFAULT
from pymc_bnn.studies.reproduction.studying import STUDIES, find_study
from pymc_bnn.studies.tables.datasets import DATASETS
from pymc_bnn.studies.tables.table import TASKS
from typer.main import get_command


def help_of(command: str, option: str) -> str:
    commands: Any = get_command(app)
    [found] = [one for one in commands.commands[command].params if one.name == option]
    return str(found.help)


def listed(names: Collection[str], word: str) -> str:
    *others, last = names
    return f"{', '.join(others)} {word} {last}"


@pytest.mark.parametrize(
    ("option", "names", "word"),
    [
        ("data", DATASETS, "or"),
        ("task", TASKS, "or"),
        ("variants", NOT_BY_DEFAULT, "and"),
        ("activation", ACTIVATIONS, "or"),
    ],
)
def test_options_of_compare_list_all_that_can_be_named(
    option: str, names: Collection[str], word: str
) -> None:
    assert listed(names, word) in help_of("compare", option)


def test_all_likelihoods_are_named_by_the_tasks_that_they_are_for() -> None:
    named = [name.removesuffix("_noise") for name in LIKELIHOODS]
    said = re.findall(r"\w+", help_of("compare", "likelihood"))
    assert [name for name in named if name not in said] == []


@pytest.mark.parametrize("name", STUDIES)
def test_budgets_of_every_study_are_named(name: str) -> None:
    said = re.findall(r"\w+", help_of("study", "budget"))
    budgets = find_study(name).budgets
    assert {"smoke", "desk", "paper"} <= set(budgets)
    assert [budget for budget in budgets if budget not in said] == []


def test_data_sets_are_named_where_they_are_loaded() -> None:
    quoted = ", ".join(f'"{name}"' for name in DATASETS)
    assert f"name : {{{quoted}}}" in str(load_dataset.__doc__)
