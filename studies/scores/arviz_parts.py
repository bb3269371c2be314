"""What ArviZ does not make public of its estimates, each name from here alone."""

from arviz_stats.loo import mm_from_pymc
from arviz_stats.utils import ELPDData, ELPDDataLOO, get_log_likelihood

__all__ = ["ELPDData", "ELPDDataLOO", "get_log_likelihood", "mm_from_pymc"]
