"""A verdict names what mends draws: what their diagnosis says, and not always more of them."""

from pymc_bnn.samplers.diagnosis.findings import Finding
from pymc_bnn.studies.comparison.verdict import Verdict, state_verdict

from .test_verdict import model


def warning(name: str, remedy: str) -> Finding:
    return Finding(name, "warning", 1.0, 0.0, "", "Something is wrong.", remedy)


def verdict(**warnings: tuple[Finding, ...]) -> Verdict:
    named = enumerate(warnings.items())
    return state_verdict([model(name, 10 * i, 4, warnings=found) for i, (name, found) in named])


SLOW = warning("R-hat", "Run longer; chains that stay apart need longer trajectories.")
FEW = warning("tail ESS", "Run longer before quoting intervals.")
STEEP = warning("divergences", "Use smaller steps: a higher target_accept.")


def test_a_warning_comes_with_its_own_remedy() -> None:
    """Longer chains of as large steps diverge as often."""
    said = verdict(a=(STEEP,), b=(STEEP,))
    assert said.sentences[1] == (
        "Draws of a and b are less exact than they should be (divergences). Use smaller steps: a "
        "higher target_accept."
    )
    assert "longer" not in str(said)


def test_models_of_which_the_same_is_true_are_named_together() -> None:
    given = {"a": (SLOW, FEW), "b": (STEEP, FEW), "c": (FEW,), "d": (), "e": (SLOW, FEW)}
    _, first, second, third, *rest = verdict(**given).sentences
    assert first == (
        "Draws of a and e are less exact than they should be (R-hat, tail ESS). Run longer."
    )
    assert second == (
        "Draws of b are less exact than they should be (divergences, tail ESS). Use smaller steps: "
        "a higher target_accept. Run longer."
    )
    assert third == "Draws of c are less exact than they should be (tail ESS). Run longer."
    assert not any("Draws of" in sentence for sentence in rest)
