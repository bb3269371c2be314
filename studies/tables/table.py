"""Read a table, check it, and prepare it for a comparison of models."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
import pandas as pd
from pandas.api.types import is_float_dtype, is_numeric_dtype
from sklearn.model_selection import train_test_split

from ...models.data.choices import choose, is_whole
from ..errors import InputError, one_line_errors
from .checks import (
    check_columns,
    check_inputs,
    check_no_infinite,
    check_target,
    listed,
    with_columns,
    with_text_names,
)
from .cleaning import note_repeated, with_dates, without_missing, without_row_numbers
from .datasets import DataSet
from .encoding import Encoding, learn_encoding
from .numbers import as_numbers
from .numerals import check_no_stray

TASKS = ("regression", "classification", "counts")
MOST_GUESSED_CLASSES = 10
MOST_SEED = 2**32 - 1
STRAY_TARGET = "write a number there, drop these rows, or say --task classification"


@dataclass(frozen=True)
class Prepared:
    """Encoded training and test cases of a table.

    Parameters
    ----------
    name, source : str
        What the table is, for reports.
    encoding : Encoding
        How it was encoded.
    X, X_test : DataFrame
        Encoded inputs.
    y, y_test : ndarray or Series
        Encoded targets.
    notes : tuple of str
        What was decided on the way, to be said aloud.
    """

    name: str
    source: str
    encoding: Encoding
    X: pd.DataFrame
    y: np.ndarray | pd.Series
    X_test: pd.DataFrame
    y_test: np.ndarray | pd.Series
    notes: tuple[str, ...] = ()

    @property
    def likelihood(self) -> str:
        """Name of the likelihood that suits the target."""
        if self.encoding.task == "regression":
            return "gaussian_noise"
        if self.encoding.task == "counts":
            return "poisson"
        return "bernoulli" if pd.Series(self.y).nunique() == 2 else "categorical"

    @property
    def digest(self) -> str:
        """A digest of all cases, by which a saved fit is known to be of the same ones."""
        described = self.encoding.to_dict()
        for column in described["columns"]:
            column.pop("zoned", None)  # which fits of older versions lack
        found = sha256(json.dumps(described, default=str).encode())
        for part in (self.X, self.y, self.X_test, self.y_test):
            values = part if isinstance(part, pd.DataFrame) else pd.Series(part)
            found.update(pd.util.hash_pandas_object(values, index=False).to_numpy().tobytes())
        if getattr(self.y.dtype, "ordered", False):  # of others the order does not matter
            order = list(pd.Series(self.y).cat.categories)
            found.update(json.dumps(order, default=str).encode())
        return found.hexdigest()


def guess_task(values: pd.Series) -> str:
    """Guess from the target what to do with it.

    Parameters
    ----------
    values : Series
        The target column.

    Returns
    -------
    {"regression", "classification"}
        Classification for texts, and for whole numbers with few distinct values.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.table import guess_task
    >>> guess_task(pd.Series(["yes", "no"])), guess_task(pd.Series([1.5, 2.5, 3.25]))
    ('classification', 'regression')
    """
    if not is_numeric_dtype(values):
        return "classification"
    known = as_numbers(values.dropna())
    whole = not is_float_dtype(known) or bool((known % 1 == 0).all())
    few = known.nunique() <= MOST_GUESSED_CLASSES
    return "classification" if whole and few else "regression"


def prepare(
    data: DataSet | pd.DataFrame,
    target: str | int | None = None,
    task: str | None = None,
    *,
    name: str = "table",
    ignore: str | int | Sequence[str | int] = (),
    drop_missing: bool = False,
    mark_missing: bool = False,
    periods: Mapping[str, str] | None = None,
    test_fraction: float = 0.25,
    seed: int = 0,
) -> Prepared:
    """Check a table, split it and encode it.

    Parameters
    ----------
    data : DataSet or DataFrame
        The table.
    target : str or int, optional
        Its target column; a data set knows its own.
    task : {"regression", "classification", "counts"}, optional
        What to do with the target; guessed if not given. Counts are never guessed.
    name : str
        What to call a DataFrame.
    ignore : str, int or sequence of these
        Columns to leave out.
    drop_missing : bool
        Whether to drop rows with missing values instead of refusing them.
    mark_missing : bool
        Whether to give missing inputs the mean of their column, or a category of their own, and
        the network an input that says so.
    periods : mapping of str to {"year", "week", "day"}, optional
        Periods of columns of dates: where a date is in its period becomes inputs too.
    test_fraction : float
        Share of the rows held out, by chance; for classes, within each class.
    seed : int
        For the split.

    Returns
    -------
    Prepared

    Raises
    ------
    InputError
        If the table cannot be used; the message says why and how to mend it.

    Examples
    --------
    >>> from pymc_bnn import studies
    >>> prepared = studies.prepare(studies.load_dataset("wine"))
    >>> prepared.likelihood, len(prepared.X), len(prepared.X_test)
    ('categorical', 133, 45)
    """
    notes: list[str] = []
    source = ""
    if isinstance(data, DataSet):
        frame, name, source = data.frame, data.name, data.source
        target = data.target if target is None else target
        if task is None and target == data.target:
            task = data.task
    elif isinstance(data, pd.DataFrame):
        frame = data
    else:
        given = type(data).__name__
        raise InputError(f"data is of type {given}; give a DataFrame, or what load_dataset makes.")
    frame, target = _choose_columns(frame, target, ignore)
    frame = without_row_numbers(frame, target, notes)
    if len(frame) < 2:
        raise InputError(f"the table has {len(frame)} row(s); training and test need 2 each.")
    frame = with_dates(frame, target, periods or {}, notes)
    frame = without_missing(frame, target, drop_missing, mark_missing, notes)
    frame = with_columns(frame, {target: as_numbers(frame[target])})
    check_no_infinite(frame[[target]])
    if task is None:
        check_no_stray(frame[target], STRAY_TARGET)
        task = guess_task(frame[target])
        notes.append(f"Guessed the task from {target!r}: {task} (change it with --task).")
    with one_line_errors():
        check_target(frame[target], choose("task", task, TASKS))
    check_columns(frame, target)
    note_repeated(frame, notes)
    training, test = _split(frame[target], task, test_fraction, seed)
    encoding = learn_encoding(frame, target, task, training, periods)
    X, y = encoding.inputs(frame), frame[target]
    check_inputs(X)
    parts = [(X.iloc[rows], encoding.targets(y.iloc[rows])) for rows in (training, test)]
    return Prepared(name, source, encoding, *parts[0], *parts[1], notes=tuple(notes))


def _choose_columns(
    frame: pd.DataFrame, target: str | int | None, ignore: str | int | Sequence[str | int]
) -> tuple[pd.DataFrame, str]:
    frame = with_text_names(frame).reset_index(drop=True)
    if target is None:
        raise InputError(
            f"which column is the target? Name it with --target; there are {listed(frame.columns)}."
        )
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise InputError(f"column name(s) {listed(repeated)} occur more than once.")
    names = [ignore] if isinstance(ignore, str | int) else ignore
    with one_line_errors():
        target = choose("target column", str(target), frame.columns)
        dropped = [choose("column to ignore", str(name), frame.columns) for name in names]
    if target in dropped:
        raise InputError(f"the target {target!r} cannot be ignored.")
    return frame.drop(columns=dropped), target


def _split(
    values: pd.Series, task: str, test_fraction: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    if not 0 < test_fraction < 1:
        raise InputError(f"--test-fraction {test_fraction}: give a number between 0 and 1.")
    if not is_whole(seed, 0) or seed > MOST_SEED:
        raise InputError(f"seed={seed!r}: give a whole number of at least 0, below 2**32.")
    rows = np.arange(len(values))
    classes = values if task == "classification" else None
    outputs = 1 if classes is None else values.nunique()
    least = max(outputs, 2)
    if min(len(rows) * test_fraction, len(rows) * (1 - test_fraction)) < least:
        raise InputError(
            f"{len(rows)} rows are too few: training and test need at least {least} each."
        )
    training, test = train_test_split(
        rows, test_size=test_fraction, random_state=seed, stratify=classes
    )
    if classes is not None and (absent := set(classes) - set(classes.iloc[training])):
        raise InputError(
            f"class(es) {listed(sorted(absent, key=str))} of {values.name!r} would be absent from "
            "training; lower --test-fraction, or merge or drop them."
        )
    return np.sort(training), np.sort(test)
