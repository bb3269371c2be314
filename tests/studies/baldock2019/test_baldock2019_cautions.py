"""What the page says where an estimate comes with cautions: nothing, and why."""

import pytest
from pymc_bnn.studies.baldock2019.words import transitions
from pymc_bnn.studies.baldock2019.words.short import IN_SHORT

from .made_results import held, tables_of

BRIDGE = "The bridge from minima, one for each chain, gives the log evidence of"
CAUTION = "One caution."  # of all bridges that are made up


def bridged(text: str) -> list[str]:
    return [line for line in text.splitlines() if BRIDGE in line]


@pytest.fixture(scope="module")
def warned() -> dict:
    """Tables with bridges that are far from the ladders, and have cautions."""
    return tables_of(held(1.0, 1.0, 2.0))


def test_a_bridge_with_cautions_decides_nothing(warned: dict) -> None:
    lines = bridged(transitions.evidence(warned))
    assert len(lines) == 2
    for line in lines:
        assert "**Undecided.**" in line
        assert f"but the bridge has cautions: {CAUTION} (" in line


def test_and_one_without_is_judged_by_its_interval(warned: dict) -> None:
    """Of M(3) only: each network has cautions of its own."""
    bridges = warned["bridges"].copy()
    bridges.loc[bridges["network"] == "M3", "cautions"] = "none"
    deep, shallow = bridged(transitions.evidence(warned | {"bridges": bridges}))
    assert "M(3). **Does not stand.**" in deep
    assert "cautions" not in deep
    assert "M(1). **Undecided.**" in shallow


def test_claims_that_no_bridge_is_part_of_are_judged_as_before(warned: dict) -> None:
    lines = transitions.evidence(warned).splitlines()
    others = [line for line in lines if line.startswith("- ") and BRIDGE not in line]
    assert len(others) == 4
    assert not any("caution" in line for line in others)
    assert sum("**Does not stand.**" in line for line in others) == 3


def test_the_head_of_the_page_says_why(warned: dict) -> None:
    """It says nothing of the bridge but that nothing is decided, and the cautions."""
    [answer] = [one for one in IN_SHORT.answers if "bridge" in one.question]
    line = answer.write(transitions.evidence(warned))
    assert "**Undecided:**" in line
    assert CAUTION in line
