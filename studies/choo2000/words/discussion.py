"""What the page says of chapter 6 of the thesis, around each table and figure."""

from ...pages.sections import Section
from ..figures import pictures
from ..numbers import judged
from . import chapter_6, discussed
from .ruled import BOTH, INTERVAL, of

CHAPTER_6 = (
    Section(
        "From large scales to the middle",
        "Chains that start in G, and where their means lie (Fig. 6.1).",
        "from_the_tail",
        of("from_the_tail", discussed.from_the_tail, INTERVAL),
        (pictures.FROM_THE_TAIL,),
    ),
    Section(
        "Rejections and trajectory length",
        "All rates weight the strata of start states by their shares of the posterior. To be "
        f"flat, a rate after 2000 leapfrog steps may be {judged.GROWTH:g} times that after 50, to "
        "rise it has to be more, and two rates are alike within this factor. Intervals of the "
        "table are 90%; statements are judged by those behind them, which hold with 95% for all "
        "statements at once. A bootstrap of start states that are nearly all alike says too "
        "little: where a rate is within a fortieth of 0 or 1, its interval is at least Wilson's of "
        "40 draws, as many as start outside G. Where it is within a fortieth of 1 it can grow no "
        "further: that such rates rise less than others is undecided.",
        "thesis_curves",
        of("thesis_curves", chapter_6.chapter_6, INTERVAL),
        (pictures.REJECTIONS, pictures.ENERGIES),
    ),
    Section(
        "Slow precisions",
        r"$g$ of Dynamical B with $\eta_h = \eta_p / 100$ at $l = 17067$, $\eta_p = 0.32$, the "
        "best setting that the thesis found so (6.2.3), and over that of B at its best setting in "
        "this run, from the same start states. Intervals are 90%, those of statements 95%. The "
        "thesis gives no error: that of its logarithm is taken to be ours, for 20 chains in the "
        "place of 50 (Fig. 6.6). Other lengths were not run.",
        "slowed",
        of("slowed", discussed.slowed, BOTH),
    ),
    Section(
        "Why B's step sizes fail",
        r"The product $\sigma_u^2 \sigma_v^2$ in states of the interweaved master run. B's step "
        "sizes take that of the prior in its place (6.2.5), and are as many times too large as "
        "the root of the ratio of both. That the product ranges so far is confirmed where the "
        "thesis's run of that network, of as many kept states as Table 5.7 gives, is to have more "
        "than one such state by the whole 95% interval, refuted where fewer.",
        "scale_products",
        of("scale_products", discussed.scale_products, INTERVAL),
    ),
)
