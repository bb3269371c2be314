"""What the page of the study says around each table and figure."""

from ...pages.sections import Section
from ..figures import pictures
from ..numbers import saturation
from . import beyond_words, discussed, text
from . import table_words as words
from .discussion import CHAPTER_6
from .ruled import AGREEMENT, BOTH, INTERVAL, TARGET, of, ruled

THESIS = (
    Section(
        "The data",
        "Cases of Table 5.1 (Fig. 5.1) beside the surface that they were taken from (Eq. 5.1, "
        "Fig. 5.2).",
        "cases",
        of("cases", discussed.noise_of, AGREEMENT),
        plots=(pictures.DATA,),
        folded=True,
    ),
    Section(
        "Master runs",
        "Rejection rates of the long runs by the old method, with its settings (Table 5.7). The "
        "thesis gives no errors: its are taken to be ours, scaled by the lengths of the runs.",
        "master_rejections",
        of("master_rejections", words.master_rejections, AGREEMENT),
    ),
    Section(
        "Inefficiency",
        r"Trajectories of a master run that are worth one independent draw of $\log\sigma_u$ "
        "(Table 5.8). Trajectories with interweaving have 50 leapfrog steps, the others 400.",
        "inefficiencies",
        of("inefficiencies", words.inefficiency),
    ),
    Section(
        "Share of the region G",
        r"Posterior probability of $\log\sigma_u > 4$ or $\log\sigma_a > 4$ (Table 5.9), from "
        "both kinds of master runs. The error of the thesis's is that of as many independent "
        "draws as its run has inefficiency factors. Whether the share depends on the width follows "
        "from chi squared at 5%, and that it does not is never shown.",
        "region_shares",
        of("region_shares", words.shares, AGREEMENT),
        plots=(pictures.SHARES,),
    ),
    Section(
        "Rejections in the region G",
        "Trajectories by the settings of the plain master run, one from each of many states of the "
        "interweaved one. The thesis speaks of a somewhat higher rejection rate in G, around 12% "
        "for 20 hidden units (5.4.3), and gives no error: its is taken to be ours. Whether more "
        "are rejected follows from the 95% interval of the difference.",
        "region_rejections",
        of("region_rejections", discussed.region_rejections, BOTH),
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
        of("verification", words.verification, AGREEMENT),
        (pictures.MARGINALS,),
        folded=True,
    ),
    Section(
        "Best settings",
        "Leapfrog steps $l$ and factor $\\eta$ of the smallest $g$ in the grid (Table 5.11). "
        "Rejection rates compare where the settings are the same; their errors are of 50 chains, "
        "so that $z$ has Student's $t$ as that of $g$ has.",
        "best_settings",
        of("best_settings", words.settings, AGREEMENT),
        (pictures.SETTINGS, pictures.SETTINGS_BEYOND),
    ),
    Section(
        "Settings that the thesis found best",
        "Where the grid has nothing like the thesis's best setting of a method and width, it was "
        "added for that width, after all others had been seen: $g$ there, in the best other "
        "setting of the grid, and the ratio of both, from the same chains as those of the grid. "
        "The best other one is the best of several, which makes its $g$ somewhat too small and "
        "the ratio too large. Pictures of grids show these settings as single points.",
        "thesis_settings",
        of("thesis_settings", discussed.thesis_settings, INTERVAL),
    ),
    Section(
        "Variance of means",
        "At the best settings, with other random numbers (Table 5.12). Methods with as many hidden "
        "units share their start states.",
        "variances",
        of("variances", words.variances, AGREEMENT),
        (pictures.HYPERPARAMETERS,),
        folded=True,
    ),
    Section(
        "By the means of the plain runs",
        "Trials at best settings, with true means and the share of the region G once from the "
        "interweaved master runs and once from the plain ones, as in the thesis. Those may miss "
        "the far tail (below): would that explain larger variances of our means of $u$?",
        "references",
        of("references", words.references, AGREEMENT),
        folded=True,
    ),
    Section(
        "How much larger the variances of u are",
        "Geometric means over methods and widths of our variances over the thesis's, with "
        "intervals that hold with 95% for all rows at once. Methods of one width are taken as "
        "wholly correlated. Ratios were chosen after larger variances of $u$ had been seen. That "
        "true means come from interweaved runs is not the reason, if those from plain runs give "
        "ratios no smaller for the same trials. The number of super-transitions, which had to be "
        "guessed, would change the ratios of all hyperparameters alike: where that of $u$ is "
        "larger than the geometric mean of the others, by an interval that takes them as "
        "independent, the guess is not the reason.",
        "larger",
        of("larger", discussed.times_thesis, INTERVAL),
    ),
    Section(
        "Start states and the variances of u",
        "The same ratio for Gibbs alone, the geometric mean over widths, from the start states of "
        "its trials and from many more: the plain master runs of the thesis may have given it "
        "others. *As low* is the share of sets of 40 chains from outside G and 10 from inside, "
        "drawn from those that there are, whose geometric mean is at most the thesis's: how often "
        "as few chains as the thesis's come out as it says. Intervals hold with 95% for all rows "
        "at once. What interweaved start states give is compared with what plain ones give as "
        "well; the thesis's errors, without which *ours of it* is left of an error, cancel there.",
        "u_by_starts",
        of("u_by_starts", discussed.by_starts, INTERVAL),
    ),
    Section(
        "Geometric mean",
        "$g$ of Eq. 5.8 with its 90% interval, at about equal passes through the network. The "
        "thesis's is shown as printed and as the geometric mean of the variances in its row; $z$ "
        "is that of the logarithms, against the latter. Its error is that of its variances, with "
        "an unknown part in common: taken as independent, or, which gives the least $z$, as one "
        "number. All methods are those of the thesis only if each of them is.",
        "geometric_means",
        of("geometric_means", words.geometric_means, AGREEMENT),
        plots=(pictures.WIDTH_OF_THESIS,),
    ),
    Section(
        "Pairwise ratios",
        "Ratios of $g$ with 90% intervals of a bootstrap over start states (Fig. 5.15), beside the "
        "ratios of the thesis's Table 5.12, as printed and of its variances. Whether a ratio is "
        "below or above 1 is judged by intervals that hold with 95% for all widths of a pair at "
        "once: each side is made wider as that of a normal distribution of the logarithm. By all "
        "recorded draws of the same chains, which tell methods apart better than 12 of each do, "
        "the ratios to Gibbs are those of [the gain of interweaving](#the-gain-of-interweaving), "
        "whose intervals are made wider in the same way.",
        "pairwise_ratios",
        lambda kept: ruled(words.pairs(kept), INTERVAL),
        plots=(pictures.RATIOS,),
    ),
    *CHAPTER_6,
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
        of("floors", saturation.saturation),
    ),
    Section(
        "Interweaved sampling, unthinned",
        r"Trajectories of 50 leapfrog steps that are worth one independent draw of $\log\sigma_u$, "
        "with the step sizes of the master runs and every trajectory kept, and the largest such "
        "number of all log standard deviations. Errors are those of the mean of four chains.",
        "unthinned",
        of("unthinned", discussed.unthinned),
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
        of("gains", beyond_words.gains, TARGET),
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
        "slope has a small error takes many start states: Gibbs's last rows have the most.",
        "slopes",
        of("slopes", beyond_words.slopes, INTERVAL),
    ),
    Section(
        "Split samplers that stay flat",
        "Rejection rates after 50 and 2000 leapfrog steps, their ratio with its 90% interval, and "
        "$g$ over Gibbs's of the method that has these trajectories. The target is a ratio of at "
        "most 1.3 with $g$ no worse than Gibbs's, both by the whole interval that holds with 95% "
        "for all widths of a sampler at once: each side of the 90% interval is made wider as that "
        "of a normal distribution of the logarithm.",
        "rejection_growth",
        of("rejection_growth", beyond_words.flat, TARGET),
        (pictures.REJECTIONS_BEYOND,),
    ),
    Section(
        "The far tail",
        "Probabilities of large scales in both kinds of master runs. A run's $u$ and $a$ are taken "
        "as correlated by an unknown amount. The error of a plain run is at least that of as many "
        "independent draws as it has inefficiency factors, at the other run's probability.",
        "tails",
        of("tails", beyond_words.tails, AGREEMENT),
        (pictures.TAIL,),
        folded=True,
    ),
    Section(
        "Start states",
        "$g$ from start states of either master run, at the same settings.",
        "start_bias",
        of("start_bias", beyond_words.starts, AGREEMENT),
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
