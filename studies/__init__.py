"""What was found: data sets, evaluation, comparison and reports.

Names are imported when they are first used, so that the command line answers at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .chains.bootstrap import Interval
    from .chains.convergence import Convergence, check_convergence
    from .chains.exchange import exchange_summary, plot_exchange
    from .chains.performance import (
        compare_performance,
        geometric_mean_performance,
        variance_of_means,
    )
    from .chains.stability import Stability, check_stability
    from .comparison.comparison import Comparison, ModelResult, compare
    from .dependence.curve import Curve
    from .dependence.partial_dependence import PartialDependence, partial_dependence
    from .errors import InputError
    from .estimators.classifier import BNNClassifier
    from .estimators.regressor import BNNRegressor
    from .fits.fit_store import load_fit
    from .scores.evaluation import calibration_error, crps, score_cases, summarize_scores
    from .scores.information_criterion import ELPDDataWAIC, waic
    from .structure.choosing import Structure, choose_structure
    from .tables.datasets import DataSet, load_dataset
    from .tables.predicting import predict_table
    from .tables.reading import read_table
    from .tables.robot_arm import RobotArm, robot_arm, robot_arm_grid
    from .tables.table import Prepared, prepare

__all__ = [
    "BNNClassifier",
    "BNNRegressor",
    "Comparison",
    "Convergence",
    "Curve",
    "DataSet",
    "ELPDDataWAIC",
    "InputError",
    "Interval",
    "ModelResult",
    "PartialDependence",
    "Prepared",
    "RobotArm",
    "Stability",
    "Structure",
    "calibration_error",
    "check_convergence",
    "check_stability",
    "choose_structure",
    "compare",
    "compare_performance",
    "crps",
    "exchange_summary",
    "geometric_mean_performance",
    "load_dataset",
    "load_fit",
    "partial_dependence",
    "plot_exchange",
    "predict_table",
    "prepare",
    "read_table",
    "robot_arm",
    "robot_arm_grid",
    "score_cases",
    "summarize_scores",
    "variance_of_means",
    "waic",
]

_MODULES = {
    "chains.bootstrap": ("Interval",),
    "comparison.comparison": ("Comparison", "ModelResult", "compare"),
    "chains.convergence": ("Convergence", "check_convergence"),
    "chains.exchange": ("exchange_summary", "plot_exchange"),
    "chains.stability": ("Stability", "check_stability"),
    "dependence.curve": ("Curve",),
    "dependence.partial_dependence": ("PartialDependence", "partial_dependence"),
    "tables.datasets": ("DataSet", "load_dataset"),
    "errors": ("InputError",),
    "estimators.classifier": ("BNNClassifier",),
    "estimators.regressor": ("BNNRegressor",),
    "scores.evaluation": ("calibration_error", "crps", "score_cases", "summarize_scores"),
    "fits.fit_store": ("load_fit",),
    "scores.information_criterion": ("ELPDDataWAIC", "waic"),
    "chains.performance": (
        "compare_performance",
        "geometric_mean_performance",
        "variance_of_means",
    ),
    "structure.choosing": ("Structure", "choose_structure"),
    "tables.predicting": ("predict_table",),
    "tables.robot_arm": ("RobotArm", "robot_arm", "robot_arm_grid"),
    "tables.reading": ("read_table",),
    "tables.table": ("Prepared", "prepare"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
