"""What the page of the study says around each table and figure."""

from collections.abc import Callable, Mapping

import pandas as pd

from ...pages.kept_tables import Tables
from ...pages.page import Source
from ...pages.sections import Section
from ..figures import pictures
from ..numbers import beside, beyond, judged, saturation, tables
from . import chapter_6, text
from . import table_words as words

SOURCES: Mapping[str, Source] = {
    "master_rejections": Source(tables.master_rejections, beside.master_rejections),
    "inefficiencies": Source(tables.inefficiencies, beside.inefficiencies),
    "unthinned": Source(tables.unthinned),
    "region_shares": Source(tables.region_shares, beside.region_shares),
    "verification": Source(tables.verification, beside.verification),
    "best_settings": Source(tables.best_settings, beside.best_settings),
    "variances": Source(tables.variances, beside.variances),
    "references": Source(tables.references, beside.variances),
    "geometric_means": Source(tables.geometric_means, beside.geometric_means),
    "pairwise_ratios": Source(tables.pairwise_ratios, beside.pairwise_ratios),
    "thesis_curves": Source(beyond.thesis_curves, beside.thesis_curves),
    "floors": Source(saturation.floors, beside.floors),
    "gains": Source(beyond.gains, judged.gains),
    "slopes": Source(beyond.slopes, judged.slopes),
    "rejection_growth": Source(beyond.rejection_growth, judged.rejection_growth),
    "tails": Source(beyond.tails, judged.tails),
    "start_bias": Source(beyond.start_bias, judged.start_bias),
}


def _of(table: str, say: Callable[[pd.DataFrame], str]) -> Callable[[Tables], str]:
    """Words about one table."""
    return lambda kept: say(kept[table])


THESIS = (
    Section(
        "Master runs",
        "Rejection rates of the long runs by the old method, with its settings (Table 5.7). The "
        "thesis gives no errors: its are taken to be ours, scaled by the lengths of the runs.",
        "master_rejections",
        _of("master_rejections", words.master_rejections),
    ),
    Section(
        "Inefficiency",
        r"Trajectories of a master run that are worth one independent draw of $\log\sigma_u$ "
        "(Table 5.8). Trajectories with interweaving have 50 leapfrog steps, the others 400.",
        "inefficiencies",
        _of("inefficiencies", words.inefficiency),
    ),
    Section(
        "Share of the region G",
        r"Posterior probability of $\log\sigma_u > 4$ or $\log\sigma_a > 4$ (Table 5.9), from "
        "both kinds of master runs. The error of the thesis's is that of as many independent "
        "draws as its run has inefficiency factors.",
        "region_shares",
        _of("region_shares", words.shares),
    ),
    Section(
        "The posterior with 8 hidden units",
        "The predicted surface, and how the scales depend on each other and on what they scale.",
        pictures=(pictures.SURFACE, pictures.CORRELATIONS),
    ),
    Section(
        "Verification",
        "Means and standard deviations of A and B, run at the settings of Table 5.3, beside the "
        "master run with interweaving. Differences are shares of the posterior's standard "
        "deviation. The thesis compares histograms by eye.",
        "verification",
        _of("verification", words.verification),
        (pictures.MARGINALS,),
        folded=True,
    ),
    Section(
        "Best settings",
        "Leapfrog steps $l$ and factor $\\eta$ of the smallest $g$ in the grid (Table 5.11). "
        "Rejection rates compare where the settings are the same.",
        "best_settings",
        _of("best_settings", words.settings),
        (pictures.SETTINGS, pictures.SETTINGS_BEYOND),
    ),
    Section(
        "Variance of means",
        "At the best settings, with other random numbers (Table 5.12). Methods with as many hidden "
        "units share their start states.",
        "variances",
        _of("variances", words.variances),
        (pictures.HYPERPARAMETERS,),
        folded=True,
    ),
    Section(
        "By the means of the plain runs",
        "Trials at these settings, with true means and the share of the region G once from the "
        "interweaved master runs and once from the plain ones, as in the thesis. Those may miss "
        "the far tail (below): would that explain larger variances of our means of $u$?",
        "references",
        _of("references", words.references),
        folded=True,
    ),
    Section(
        "Geometric mean",
        "$g$ of Eq. 5.8 with its 90% interval, at about equal passes through the network. The "
        "thesis's is shown as printed and as the geometric mean of the variances in its row; $z$ "
        "is that of the logarithms, against the latter, whose error follows from its variances' "
        "as if they were independent.",
        "geometric_means",
        _of("geometric_means", words.geometric_means),
        plots=(pictures.WIDTH_OF_THESIS,),
    ),
    Section(
        "Pairwise ratios",
        "Ratios of $g$ with 90% intervals of a bootstrap over start states (Fig. 5.15), beside the "
        "ratios of the thesis's Table 5.12, as printed and of its variances. Whether a ratio is "
        "below or above 1 is judged by intervals that hold with 95% for all widths of a pair at "
        "once: each side is made wider as that of a normal distribution of the logarithm.",
        "pairwise_ratios",
        _of("pairwise_ratios", words.pairs),
        plots=(pictures.RATIOS,),
    ),
    Section(
        "From large scales to the middle",
        "Chains that start in G, and where their means lie (Fig. 6.1).",
        pictures=(pictures.FROM_THE_TAIL,),
    ),
    Section(
        "Rejections and trajectory length",
        "All rates weight the strata of start states by their shares of the posterior. To be "
        f"flat, a rate after 2000 leapfrog steps may be {judged.GROWTH:g} times that after 50, to "
        "rise it has to be more, and two rates are alike within this factor. Intervals of the "
        "table are 90%; statements are judged by those behind them, which hold with 95% for all "
        "statements at once. A bootstrap of start states that are nearly all alike says too "
        "little: where a rate is within a fortieth of 0 or 1, its interval is at least Wilson's of "
        "40 draws, as many as start outside G.",
        "thesis_curves",
        _of("thesis_curves", chapter_6.chapter_6),
        (pictures.REJECTIONS, pictures.ENERGIES),
    ),
)
BEYOND = (
    Section(
        "What twelve draws can show",
        "The lengths of trajectories that the thesis tries imply that a chain has 12 "
        "super-transitions, and its means are those of 12 draws, one of each. Independent draws "
        "give such a mean a twelfth of the posterior's variance, and draws that are like those "
        "before them more. From here on all recorded draws of the same chains count, at most 250 "
        "of each super-transition.",
        "floors",
        _of("floors", saturation.saturation),
    ),
    Section(
        "Interweaved sampling, unthinned",
        r"Trajectories of 50 leapfrog steps that are worth one independent draw of $\log\sigma_u$, "
        "with the step sizes of the master runs and every trajectory kept, and the largest such "
        "number of all log standard deviations. Errors are those of the mean of four chains.",
        "unthinned",
        _of("unthinned", words.unthinned),
    ),
    Section(
        "The gain of interweaving",
        "Ratio of $g$ to Gibbs's from the same start states, at equal passes and at equal seconds: "
        "a variance of means falls as one over the length of chains. Intervals at equal passes are "
        "90%. Those at equal seconds hold with 95% for all widths of a method at once: each side "
        "is made wider as that of a normal distribution of the logarithm. They have no error of "
        "seconds, as each time is that of one run of all chains. The target is a ratio of at most "
        "0.05 at equal seconds, by the whole interval.",
        "gains",
        _of("gains", words.gains),
        (pictures.WIDTH_OF_ALL,),
    ),
    Section(
        "Growth with width",
        r"Slope of $\log g$ against $\log$ width, with intervals that hold for all of them at once "
        "with 95%. Its error follows from "
        "the intervals of $g$, beside the thesis's. The target of the recommended method is a "
        "slope of at most 0.1 by its whole interval; growth is shown by an interval above 0, "
        "refuted by one below, and undecided as well where more start states do not repeat it. "
        "Networks with 32 and 64 units start from interweaved master runs in all rows. That the "
        "slope has a small error takes many start states: Gibbs's last rows have four times as "
        "many.",
        "slopes",
        _of("slopes", words.slopes),
    ),
    Section(
        "Split samplers that stay flat",
        "Rejection rates after 50 and 2000 leapfrog steps, their ratio with its 90% interval, and "
        "$g$ over Gibbs's of the method that has these trajectories. The target is a ratio of at "
        "most 1.3 with $g$ no worse than Gibbs's, both by the whole interval that holds with 95% "
        "for all widths of a sampler at once: each side of the 90% interval is made wider as that "
        "of a normal distribution of the logarithm.",
        "rejection_growth",
        _of("rejection_growth", words.flat),
        (pictures.REJECTIONS_BEYOND,),
    ),
    Section(
        "The far tail",
        "Probabilities of large scales in both kinds of master runs. A run's $u$ and $a$ are taken "
        "as correlated by an unknown amount. The error of a plain run is at least that of as many "
        "independent draws as it has inefficiency factors, at the other run's probability.",
        "tails",
        _of("tails", words.tails),
        (pictures.TAIL,),
        folded=True,
    ),
    Section(
        "Start states",
        "$g$ from start states of either master run, at the same settings.",
        "start_bias",
        _of("start_bias", words.starts),
    ),
    Section(
        "Why Gibbs crawls",
        "How one gets from this picture to the other is explained in [](../why_gibbs_crawls.md).",
        pictures=(pictures.CRAWL,),
    ),
)
DIFFERS = (
    Section(
        "Here and in the thesis",
        "The table has the trajectories of plain master runs. Besides:",
        "lengths",
        text.what_differs,
    ),
)
