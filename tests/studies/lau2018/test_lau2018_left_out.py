"""Which rows of the thesis are not run, and what the page says of them."""

from pymc_bnn.studies.lau2018.design.budgets import BUDGETS
from pymc_bnn.studies.lau2018.design.experiments import THESIS
from pymc_bnn.studies.lau2018.words.page import what_differs


def test_the_page_says_which_rows_are_left_out_and_why() -> None:
    desk, paper = (what_differs(BUDGETS[name]) for name in ("desk", "paper"))
    assert "leaves out: 50, among them 48 of Tables 4.5-4.8, at other scales" in desk
    assert "; 2 of Table 4.10, by the dense metric with other priors" in desk
    assert "leaves out: 0.\n" in paper
    for name in ("scaled_priors", "trajectories", "information_criterion"):
        assert len(BUDGETS["desk"].table(name)) == len(THESIS[name]())
