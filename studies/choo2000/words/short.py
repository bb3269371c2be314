"""What stands at the head of the page."""

from ...pages.in_short import Answer, InShort
from ..figures.pictures import WIDTH_OF_ALL

IN_SHORT = InShort(
    (
        Answer(
            "Are the variances of means those of the thesis, for all its methods together?",
            "Geometric mean",
            "All methods",
        ),
        Answer(
            "Where do precisions that move together with the weights (Dynamical B) explore better "
            "than Gibbs draws, where the ratio of variances is below 1?",
            "Pairwise ratios",
            "Dynamical B / Gibbs",
        ),
        Answer(
            "Does the variance of Gibbs's means grow with width?",
            "Growth with width",
            "Gibbs, 8-64 units, start states interweaved, 200 of them",
        ),
        Answer(
            "What does interweaving with the last layer integrated out leave of that variance?",
            "The gain of interweaving",
            "Collapsed Gibbs",
        ),
        Answer(
            "Do split trajectories without tethers stay flat as they become longer, where the "
            "ratio of rejections is to be at most 1.3?",
            "Split samplers that stay flat",
            "Dynamical A, as Dynamical A",
        ),
    ),
    WIDTH_OF_ALL.name,
)
