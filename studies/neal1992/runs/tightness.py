r"""How narrow the posterior is along each coordinate of a network's levels.

With the noise integrated out the energy is :math:`\frac{m_0 + m}{2} \log(s_0 + S)` (Eq. 34), so
that its curvature along a coordinate, without what residuals add, is

.. math:: \frac{m_0 + m}{s_0 + S} \sum_{n, k}
          \Bigl(\frac{\partial f_k(x_n)}{\partial q}\Bigr)^2

and leapfrog steps are stable up to 2 over its root, which is here called the largest step. Weights
near a wall change fast with their level, by :math:`\frac{s}{1 - s} / (a (1 - a))`.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from .chains import LEVEL, RAW, SCALES

PRIOR = 0.1  # m0 and s0


class Tightness(NamedTuple):
    """The tightest coordinate of a draw, and its largest weight.

    Attributes
    ----------
    largest : float
        The largest size of a weight.
    wall : float
        The least distance of a level of a weight from a wall.
    largest_step : float
        The largest stable step along the tightest coordinate.
    weight : float
        Size of the weight of this coordinate; undefined where it is a scale.
    """

    largest: float
    wall: float
    largest_step: float
    weight: float


def tightness(levels: dict[str, np.ndarray], X: pd.DataFrame, y: pd.DataFrame) -> Tightness:
    """Find the tightest coordinate of one draw.

    Parameters
    ----------
    levels : dict of str to ndarray
        Levels of the draw.
    X, y : DataFrame
        Training cases.
    """
    inputs, targets = X.to_numpy(), y.to_numpy()
    units = {g: levels[s + LEVEL] / (1.0 - levels[s + LEVEL]) for g, s in SCALES.items()}
    logits = {g: np.log(levels[g + RAW]) - np.log1p(-levels[g + RAW]) for g in SCALES}
    w = {g: units[g] * logits[g] for g in SCALES}
    hidden = np.tanh(inputs @ w["w0"] + w["b0"])
    residuals = targets - hidden @ w["w1"] - w["b1"]
    each = slopes(inputs, hidden, w["w1"])
    squares, sizes = [], []
    for g in SCALES:
        steep = units[g] / (levels[g + RAW] * (1.0 - levels[g + RAW]))
        squares.append(((each[g] ** 2).sum(axis=(0, 1)) * steep**2).ravel())
        sizes.append(np.abs(w[g]).ravel())
    for owner in ("w0", "b0", "w1"):
        along = sum(
            (each[g] * logits[g]).reshape(*each[g].shape[:2], -1).sum(axis=-1)
            for g in SCALES
            if SCALES[g] == owner
        )
        squares.append(np.atleast_1d((along**2).sum() / (1.0 - levels[owner + LEVEL]) ** 4))
        sizes.append(np.array([np.nan]))
    scale = (PRIOR + targets.size) / (PRIOR + (residuals**2).sum())
    curvature, every = scale * np.concatenate(squares), np.concatenate(sizes)
    tightest = int(np.argmax(curvature))
    raw = np.concatenate([levels[g + RAW].ravel() for g in SCALES])
    return Tightness(
        float(np.nanmax(every)),
        float(np.minimum(raw, 1.0 - raw).min()),
        float(2.0 / np.sqrt(curvature[tightest])),
        float(every[tightest]),
    )


def slopes(inputs: np.ndarray, hidden: np.ndarray, out: np.ndarray) -> dict[str, np.ndarray]:
    """Slopes of outputs by each group of weights, shape (cases, outputs, *group)."""
    back = (1.0 - hidden**2)[:, None, :] * out.T  # cases, outputs, hidden
    eye = np.eye(out.shape[1])
    return {
        "w0": inputs[:, None, :, None] * back[:, :, None, :],
        "b0": back,
        "w1": hidden[:, None, :, None] * eye[:, None, :],
        "b1": np.broadcast_to(eye, (len(inputs), *eye.shape)),
    }
