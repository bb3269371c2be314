"""The pictures of the page, each with what it shows."""

from ...pages.sections import Picture
from . import performance_figures, posterior_figures, rejection_figures, thesis_figures

WIDTH_OF_THESIS = Picture(
    "width_of_thesis",
    "Performance against width at the best settings (Fig. 5.13), the thesis's beside ours.",
    thesis_figures.width_of_thesis,
)
RATIOS = Picture(
    "ratios",
    "Ratios of performances of pairs of methods against width (Fig. 5.15).",
    thesis_figures.ratios,
)
DATA = Picture(
    "data",
    "The cases and the surface that they were taken from (Figs. 5.1 and 5.2).",
    thesis_figures.data,
)
SHARES = Picture(
    "shares",
    "Share of the region G against width, with standard errors, the thesis's beside ours.",
    thesis_figures.shares,
)
SETTINGS = Picture(
    "settings",
    "Performance of the thesis's methods over their grids (Figs. 5.9-5.12).",
    performance_figures.settings,
)
SETTINGS_BEYOND = Picture(
    "settings_beyond",
    "Performance of the other methods over their grids.",
    performance_figures.settings_beyond,
)
WIDTH_OF_ALL = Picture(
    "width_of_all",
    "Performance of all methods by all draws against width, wide networks included.",
    performance_figures.width_of_all,
)
HYPERPARAMETERS = Picture(
    "hyperparameters",
    "Variance of means of each hyperparameter against width (Fig. 5.14).",
    performance_figures.hyperparameters,
)
FROM_THE_TAIL = Picture(
    "from_the_tail",
    "How chains leave large scales: from their start states to their means (Fig. 6.1).",
    performance_figures.from_the_tail,
)
MARGINALS = Picture(
    "marginals",
    "Marginals of A and B over the master runs', with the priors (Figs. 5.4, 5.7 and 5.8).",
    posterior_figures.marginals,
)
SURFACE = Picture(
    "surface",
    "Predicted surface of the network with 8 hidden units and its spread (Fig. 5.3).",
    posterior_figures.surface,
)
CORRELATIONS = Picture(
    "correlations",
    "Scales with each other, and pinned to what they scale (Figs. 5.5 and 5.6).",
    posterior_figures.correlations,
)
TAIL = Picture(
    "tail", "Probability of large scales in both kinds of master runs.", posterior_figures.tail
)
CRAWL = Picture(
    "crawl",
    "Traces of log sigma_u from both samplers, and how narrow it is given the weights.",
    posterior_figures.crawl,
)
REJECTIONS = Picture(
    "rejections",
    "Rejection rate against the length of trajectories (Figs. 6.2 and 6.5-6.7).",
    rejection_figures.rejections,
)
REJECTIONS_BEYOND = Picture(
    "rejections_beyond",
    "Rejection rate against the length of trajectories of all samplers at all widths.",
    rejection_figures.rejections_beyond,
)
ENERGIES = Picture(
    "energies",
    "Total energy along trajectories of Dynamical B, and its spread (Figs. 6.3 and 6.4).",
    rejection_figures.energies,
)
