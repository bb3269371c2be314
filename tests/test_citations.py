"""The page that says where an equation is finds it where it is."""

import pytest

from docs.citations import cited, index


@pytest.mark.parametrize(
    ("paper", "kind", "number", "file"),
    [
        ("Neal 1992", "equation", "24", "samplers/dynamics/annealing.py"),
        ("Neal 1992", "equation", "25", "samplers/dynamics/dummies.py"),
        ("Neal 1995", "section", "3.5", "samplers/dynamics/partial_gradients.py"),
        ("Choo 2000", "algorithm", "4", "samplers/sweeps/split/trajectory.py"),
        ("Lau 2018", "algorithm", "13", "samplers/dynamics/trees/exhaustion.py"),
        ("Baldock & Marzari 2019", "algorithm", "3", "samplers/cooling/descent.py"),
    ],
)
def test_places_are_found_in_the_files_that_have_them(
    paper: str, kind: str, number: str, file: str
) -> None:
    found = index().set_index(["paper", "kind", "number"])["file"]
    assert file in found[paper, kind, number].split(", ")


def test_places_are_read_from_what_is_said_of_papers() -> None:
    text = "As Neal (1992, Eqs. 28-29 and 31) does\n(Choo 2000, 3.4, Algorithm 4; see 9.9), Eq. 5."
    assert list(cited(text)) == [
        ("Neal 1992", "equation", "28-29"),
        ("Neal 1992", "equation", "31"),
        ("Choo 2000", "section", "3.4"),
        ("Choo 2000", "algorithm", "4"),
        ("Choo 2000", "equation", "5"),
    ]
    assert list(cited("Eq. 5; Gelman (2013, 3.4)")) == []
    assert list(cited("Eq. 5", "Lau 2018")) == [("Lau 2018", "equation", "5")]
