"""What stands at the head of the page."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from ...pages.drawing import WIDTH
from ...pages.in_short import Answer, InShort
from ...pages.sections import Picture

KINDS = {"likeliest": "the most probable class", "drawn": "a drawn class"}


def printed_and_ours(table: pd.DataFrame) -> Figure | None:
    """Draw both of our test errors of each row against the one that the thesis prints."""
    if table.empty:
        return None
    figure, ax = plt.subplots(figsize=(WIDTH, 3.6), layout="constrained")
    for kind, title in KINDS.items():
        ax.errorbar(
            table["printed"],
            table[kind],
            2 * table[f"± of {kind}"],
            fmt="o",
            alpha=0.6,
            elinewidth=0.8,
            label=title,
        )
    ends = [0.0, float(table[["printed", *KINDS]].max().max())]
    ax.plot(ends, ends, color="0.6", linewidth=0.8, label="equal")
    ax.set(xlabel="test error that the thesis prints, %", ylabel="ours, % (± 2 standard errors)")
    ax.legend()
    return figure


PRINTED = Picture(
    "printed",
    "Test errors of the rows of the thesis's tables against the printed ones: ours of the most "
    "probable class, and of classes drawn from the predictive probabilities. Those by stochastic "
    "gradients (Tables 4.5-4.8) are among them.",
    printed_and_ours,
)
IN_SHORT = InShort(
    (
        Answer(
            "Do committees of two early-stopped networks, scikit-learn's at its defaults, err more "
            "than a Bayesian network?",
            "Early stopping (Table 4.1)",
            "Committees of two",
        ),
        Answer(
            "Is plain Gibbs sampling of the variance stuck, where joint sampling of non-centred "
            "weights moves?",
            "Gibbs and joint sampling (Table 4.3)",
            "Plain Gibbs sampling does not",
            numbers=False,
        ),
        Answer(
            "Do all hierarchical priors err more than the normal one, which is more than the "
            "thesis says: that they are not necessarily better?",
            "By chains that agree",
            "All hierarchical priors",
            numbers=False,
        ),
        Answer(
            "Do scaled priors err more than unscaled ones?",
            "By chains that agree",
            "Scaled priors err more",
        ),
        Answer(
            "Are all test errors that the thesis prints, but for those by stochastic gradients, "
            "those of drawn classes?",
            "Drawn classes",
            "All test errors that the thesis prints",
        ),
        Answer(
            "Does the network on codes that the training cases chose among the candidates err less "
            "than every other classifier on digits that no choice of a network has used?",
            "Tried on other digits",
            "Every other classifier",
        ),
    ),
    PRINTED.name,
)
