"""What the page of the study says around each table and figure."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from ..figures import performance_figures, posterior_figures, rejection_figures, thesis_figures
from ..numbers import beside, beyond, judged, saturation, tables
from ..numbers.results import Results
from . import chapter_6
from . import table_words as words

Table = Callable[[Results], pd.DataFrame]
Draw = Callable[[Results], Figure | None]
Plot = Callable[[pd.DataFrame], Figure | None]


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Parameters
    ----------
    title : str
        Its heading.
    text : str
        What is shown.
    table : callable, optional
        Makes the table of what was measured; its name is that of the CSV file.
    judge : callable, optional
        Adds the columns that follow from others: the thesis's numbers, differences and verdicts.
    words : callable, optional
        Says what the table says.
    figures : tuple of callable
        Draw the figures, each with its name and what it shows in its docstring.
    plots : tuple of callable
        Draw figures from the table.
    folded : bool
        Whether the table is long and shows only if asked for.
    """

    title: str
    text: str
    table: Table | None = None
    judge: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    words: Callable[[pd.DataFrame], str] | None = None
    figures: tuple[Draw, ...] = ()
    plots: tuple[Plot, ...] = ()
    folded: bool = False


THESIS = (
    Section(
        "Master runs",
        "Rejection rates of the long runs by the old method, with its settings (Table 5.7). The "
        "thesis gives no errors: its are taken to be ours, scaled by the lengths of the runs.",
        tables.master_rejections,
        beside.master_rejections,
        words.master_rejections,
    ),
    Section(
        "Inefficiency",
        r"Trajectories of a master run that are worth one independent draw of $\log\sigma_u$ "
        "(Table 5.8). Trajectories with interweaving have 50 leapfrog steps, the others 400.",
        tables.inefficiencies,
        beside.inefficiencies,
        words.inefficiency,
    ),
    Section(
        "Share of the region G",
        r"Posterior probability of $\log\sigma_u > 4$ or $\log\sigma_a > 4$ (Table 5.9), from "
        "both kinds of master runs. The error of the thesis's is that of as many independent "
        "draws as its run has inefficiency factors.",
        tables.region_shares,
        beside.region_shares,
        words.shares,
    ),
    Section(
        "The posterior with 8 hidden units",
        "The predicted surface, and how the scales depend on each other and on what they scale.",
        figures=(posterior_figures.surface, posterior_figures.correlations),
    ),
    Section(
        "Verification",
        "Means and standard deviations of A and B, run at the settings of Table 5.3, beside the "
        "master run with interweaving. The thesis compares histograms by eye.",
        tables.verification,
        beside.verification,
        words.verification,
        (posterior_figures.marginals,),
        folded=True,
    ),
    Section(
        "Best settings",
        "Leapfrog steps $l$ and factor $\\eta$ of the smallest $g$ in the grid (Table 5.11). "
        "Rejection rates compare where the settings are the same.",
        tables.best_settings,
        beside.best_settings,
        words.settings,
        (performance_figures.settings, performance_figures.settings_beyond),
    ),
    Section(
        "Variance of means",
        "At the best settings, with other random numbers (Table 5.12). Methods with as many hidden "
        "units share their start states.",
        tables.variances,
        beside.variances,
        words.variances,
        (performance_figures.hyperparameters,),
        folded=True,
    ),
    Section(
        "Geometric mean",
        "$g$ of Eq. 5.8 with its 90% interval, at about equal passes through the network. The "
        "thesis's is shown as printed and as the geometric mean of the variances in its row; $z$ "
        "is that of the logarithms, against the latter, whose error follows from its variances' "
        "as if they were independent.",
        tables.geometric_means,
        beside.geometric_means,
        words.geometric_means,
        plots=(thesis_figures.width_of_thesis,),
    ),
    Section(
        "Pairwise ratios",
        "Ratios of $g$ with 90% intervals of a bootstrap over start states (Fig. 5.15), beside the "
        "ratios of the thesis's Table 5.12, as printed and of its variances.",
        tables.pairwise_ratios,
        beside.pairwise_ratios,
        words.pairs,
        plots=(thesis_figures.ratios,),
    ),
    Section(
        "From large scales to the middle",
        "Chains that start in G, and where their means lie (Fig. 6.1).",
        figures=(performance_figures.from_the_tail,),
    ),
    Section(
        "Rejections and trajectory length",
        "All rates weight the strata of start states by their shares of the posterior, with 90% "
        "intervals.",
        beyond.thesis_curves,
        beside.thesis_curves,
        chapter_6.chapter_6,
        (rejection_figures.rejections, rejection_figures.energies),
    ),
)
BEYOND = (
    Section(
        "What twelve draws can show",
        "The lengths of trajectories that the thesis tries imply that a chain has 12 "
        "super-transitions, and its means are those of 12 draws, one of each. The variance of such "
        "a mean is at least a twelfth of the posterior's. From here on all recorded draws of the "
        "same chains count, at most 250 of each super-transition.",
        saturation.floors,
        beside.floors,
        saturation.saturation,
    ),
    Section(
        "The gain of interweaving",
        "Ratio of $g$ to Gibbs's from the same start states, at equal passes and at equal seconds: "
        "a variance of means falls as one over the length of chains. Each time is that of one run "
        "of all chains. The target is a ratio of at most 0.05 at equal seconds, whose 90% interval "
        "ends below 0.1.",
        beyond.gains,
        judged.gains,
        words.gains,
        (performance_figures.width_of_all,),
    ),
    Section(
        "Growth with width",
        r"Slope of $\log g$ against $\log$ width with its 90% interval, whose error follows from "
        "the intervals of $g$, beside the thesis's. The target of the recommended method is a "
        "slope of at most 0.1 by its whole interval; growth is shown by an interval above 0. "
        "Networks with 32 and 64 units start from interweaved master runs in all rows.",
        beyond.slopes,
        judged.slopes,
        words.slopes,
    ),
    Section(
        "Split samplers that stay flat",
        "Rejection rates after 50 and 2000 leapfrog steps, their ratio with its 90% interval, and "
        "$g$ over Gibbs's of the method that has these trajectories. The target is a ratio of at "
        "most 1.3 with $g$ no worse than Gibbs's, both by the whole interval.",
        beyond.rejection_growth,
        judged.rejection_growth,
        words.flat,
        (rejection_figures.rejections_beyond,),
    ),
    Section(
        "The far tail",
        "Probabilities of large scales in both kinds of master runs. A run's $u$ and $a$ are taken "
        "as correlated by an unknown amount. Where a plain run never came, its error is that of as "
        "many independent draws as it has inefficiency factors.",
        beyond.tails,
        judged.tails,
        words.tails,
        (posterior_figures.tail,),
        folded=True,
    ),
    Section(
        "Start states",
        "$g$ from start states of either master run, at the same settings.",
        beyond.start_bias,
        judged.start_bias,
        words.starts,
    ),
    Section(
        "Why Gibbs crawls",
        "How one gets from this picture to the other is explained in [](../why_gibbs_crawls.md).",
        figures=(posterior_figures.crawl,),
    ),
)
