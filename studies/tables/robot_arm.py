r"""The robot arm of MacKay (1991, 1992), as Neal (1992) uses it: cases, truth and errors.

.. math:: \hat y_1 = 2 \cos x_1 + 1.3 \cos(x_1 + x_2), \qquad
          \hat y_2 = 2 \sin x_1 + 1.3 \sin(x_1 + x_2)

(Neal 1992, Eqs. 36-37), with normal noise of standard deviation 0.05. MacKay's own cases are not
published; these are new ones of the same distribution.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ...models.data.choices import is_whole

SD = 0.05  # of the noise
NEAR, FAR = 0.453, 1.932  # sizes of the first angle
LOWEST, HIGHEST = 0.534, 3.142  # the second angle
OUTPUTS = 400  # of the report's 200 test cases: the expected error of the truth
TRUTH = 1000  # cases without noise


@dataclass(frozen=True)
class RobotArm:
    """Cases of the robot arm, and how far predictions of them are off.

    Attributes
    ----------
    X, y : DataFrame
        Training cases: two angles in radians, and the noisy position.
    X_test, y_test : DataFrame
        Test cases of the same distribution.
    X_truth, y_truth : DataFrame
        1000 more of them without noise.
    """

    X: pd.DataFrame
    y: pd.DataFrame
    X_test: pd.DataFrame
    y_test: pd.DataFrame
    X_truth: pd.DataFrame
    y_truth: pd.DataFrame

    def test_error(self, mean: np.ndarray) -> float:
        r"""Error of predictions of the test cases on MacKay's scale.

        .. math:: \frac{400}{2 n} \sum_{i=1}^n \frac{|y_i - \hat y_i|^2}{0.05^2}

        Its expected value is 400 for the true positions, as in the report's comparison with MacKay,
        however many test cases there are.

        Parameters
        ----------
        mean : array, shape (test cases, 2)
            Predicted positions.

        Returns
        -------
        float
        """
        return _error(self.y_test, mean)

    def excess_error(self, mean: np.ndarray) -> float:
        """How much the expected test error is above 400, that of the truth, on the same scale.

        It is measured without the noise of test cases, whose share of a test error has a standard
        deviation of 28 for 200 of them.

        Parameters
        ----------
        mean : array, shape (1000, 2)
            Predictions of ``X_truth``.

        Returns
        -------
        float
        """
        return _error(self.y_truth, mean)


def robot_arm(cases: int = 200, tests: int = 200, seed: int = 0) -> RobotArm:
    """Make cases of the robot arm (Neal 1992, Eqs. 36-37).

    The first angle is uniform in [-1.932, -0.453] and [0.453, 1.932], the second one in
    [0.534, 3.142]. With the same seed fewer training cases are the first of more, as the report's
    100 are of its 200, and test cases are the same.

    Parameters
    ----------
    cases, tests : int
        Training and test cases.
    seed : int
        For inputs and noise.

    Returns
    -------
    RobotArm

    Raises
    ------
    ValueError
        If there are no cases.

    Examples
    --------
    >>> from pymc_bnn import studies
    >>> arm = studies.robot_arm(cases=100, seed=1)
    >>> arm.X.shape, arm.y_test.shape, round(arm.excess_error(arm.y_truth + 0.05))
    ((100, 2), (200, 2), 400)
    """
    for name, count in (("cases", cases), ("tests", tests)):
        if not is_whole(count, 1):
            raise ValueError(f"{name}={count!r}: give a positive whole number.")
    streams = iter(np.random.default_rng(seed).spawn(5))
    X, X_test, X_truth = (_angles(count, next(streams)) for count in (cases, tests, TRUTH))
    y, y_test = (_noisy(angles, next(streams)) for angles in (X, X_test))
    return RobotArm(X, y, X_test, y_test, X_truth, arm_position(X_truth))


def robot_arm_grid(side: int = 12) -> pd.DataFrame:
    """Angles on a grid that reaches beyond the training cases on all sides.

    The report has such a grid in its Figure 5, and does not say which; this one goes from -3 to 3
    and from -0.5 to 4.

    Parameters
    ----------
    side : int
        Points along each angle.

    Returns
    -------
    DataFrame
        Columns ``x1``, ``x2`` and ``inside``, whether training cases can be there.

    Examples
    --------
    >>> from pymc_bnn import studies
    >>> studies.robot_arm_grid().shape
    (144, 3)
    """
    first, second = np.meshgrid(np.linspace(-3.0, 3.0, side), np.linspace(-0.5, 4.0, side))
    frame = pd.DataFrame({"x1": first.ravel(), "x2": second.ravel()})
    size = frame["x1"].abs()
    inside = size.between(NEAR, FAR) & frame["x2"].between(LOWEST, HIGHEST)
    return frame.assign(inside=inside)


def arm_position(angles: pd.DataFrame) -> pd.DataFrame:
    """Where the arm is, without noise (Neal 1992, Eqs. 36-37).

    Parameters
    ----------
    angles : DataFrame
        Columns ``x1`` and ``x2``, in radians.

    Returns
    -------
    DataFrame
        Columns ``y1`` and ``y2``.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.robot_arm import arm_position
    >>> arm_position(pd.DataFrame({"x1": [0.0], "x2": [0.0]})).iloc[0].tolist()
    [3.3, 0.0]
    """
    first, both = angles["x1"], angles["x1"] + angles["x2"]
    y1 = 2.0 * np.cos(first) + 1.3 * np.cos(both)
    return pd.DataFrame({"y1": y1, "y2": 2.0 * np.sin(first) + 1.3 * np.sin(both)})


def _angles(count: int, rng: np.random.Generator) -> pd.DataFrame:
    side, first, second = rng.random((count, 3)).T
    size = NEAR + (FAR - NEAR) * first
    x2 = LOWEST + (HIGHEST - LOWEST) * second
    return pd.DataFrame({"x1": np.where(side < 0.5, -size, size), "x2": x2})


def _noisy(angles: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return arm_position(angles) + SD * rng.standard_normal((len(angles), 2))


def _error(observed: pd.DataFrame, mean: np.ndarray) -> float:
    predicted = np.asarray(mean, dtype=np.float64)
    if predicted.shape != observed.shape:
        raise ValueError(f"mean has shape {predicted.shape}; give {observed.shape}.")
    return float(OUTPUTS * ((observed.to_numpy() - predicted) ** 2).mean() / SD**2)
