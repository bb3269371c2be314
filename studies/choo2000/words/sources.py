"""Where the tables of the page come from: measured, and set beside the thesis."""

from collections.abc import Mapping

from ...pages.page import Source
from ..numbers import (
    beside,
    beyond,
    discussed,
    judged,
    saturation,
    starts_of_u,
    tables,
    thesis_settings,
)

SOURCES: Mapping[str, Source] = {
    "master_rejections": Source(tables.master_rejections, beside.master_rejections),
    "inefficiencies": Source(tables.inefficiencies, beside.inefficiencies),
    "unthinned": Source(tables.unthinned),
    "region_shares": Source(tables.region_shares, beside.region_shares),
    "region_rejections": Source(discussed.region_rejections, discussed.with_thesis_rate),
    "verification": Source(tables.verification, beside.verification),
    "best_settings": Source(tables.best_settings, beside.best_settings),
    "thesis_settings": Source(thesis_settings.thesis_settings, thesis_settings.all_at_once),
    "variances": Source(tables.variances, beside.variances),
    "references": Source(tables.references, beside.variances),
    "u_by_starts": Source(starts_of_u.u_by_starts, starts_of_u.at_once),
    "geometric_means": Source(tables.geometric_means, beside.geometric_means),
    "pairwise_ratios": Source(tables.pairwise_ratios, beside.pairwise_ratios),
    "from_the_tail": Source(discussed.from_the_tail, discussed.tail_at_once),
    "slowed": Source(discussed.slowed, discussed.with_thesis_g),
    "scale_products": Source(discussed.scale_products, discussed.expected),
    "thesis_curves": Source(beyond.thesis_curves, beside.thesis_curves),
    "floors": Source(saturation.floors, beside.floors),
    "gains": Source(beyond.gains, judged.gains),
    "slopes": Source(beyond.slopes, judged.slopes),
    "rejection_growth": Source(beyond.rejection_growth, judged.rejection_growth),
    "tails": Source(beyond.tails, judged.tails),
    "start_bias": Source(beyond.start_bias, judged.start_bias),
}
