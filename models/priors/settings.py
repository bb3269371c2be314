"""Settings of priors and likelihoods: checked, and described in JSON-able values."""

from dataclasses import asdict, is_dataclass
from dataclasses import fields as dataclass_fields
from typing import Any

import numpy as np


def settings(given: Any) -> dict[str, Any]:
    """Fields of a prior or likelihood, with NumPy's numbers turned into Python's.

    Parameters
    ----------
    given : dataclass instance
        A prior or a likelihood.

    Returns
    -------
    dict
    """
    name = type(given).__name__
    if not is_dataclass(given) or isinstance(given, type):
        raise TypeError(f"{name} is no dataclass; decorate it with @dataclass(frozen=True).")
    kind: Any = type(given)
    if not kind.__dataclass_params__.frozen:  # a graph keeps what compiled code would read anew
        raise TypeError(
            f"{name} may change after a model was built of it; decorate it with "
            "@dataclass(frozen=True)."
        )
    for part in dataclass_fields(given):
        if _holds_objects(getattr(given, part.name)):
            raise TypeError(
                f"{name}: {part.name} holds an object with fields, which no description has; give "
                "its numbers as fields, or make a subclass."
            )
    fields = asdict(given)
    for field, value in fields.items():
        if isinstance(value, np.ndarray):
            raise TypeError(
                f"{name}: {field} is an array, which no description holds; give a tuple."
            )
    return {k: v.item() if isinstance(v, np.generic) else v for k, v in fields.items()}


def _holds_objects(value: Any) -> bool:
    """Whether a value is an object with fields, or has one in it."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple | list):
        return any(map(_holds_objects, value))
    return is_dataclass(value)


def positive(owner: str, **values: float) -> None:
    """Refuse a scale or shape that is not a positive finite number.

    Parameters
    ----------
    owner : str
        Name of the prior or likelihood, for the message.
    **values : float
        The numbers by their argument names.

    Raises
    ------
    ValueError
        If one of them is not positive and finite.
    """
    for name, value in values.items():
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not (number and 0 < float(value) < np.inf):
            raise ValueError(f"{owner}({name}={value!r}): {name} must be a positive number.")


def at_most(owner: str, most: float, advice: str, **values: float) -> None:
    """Refuse numbers so large that a density loses its digits.

    Parameters
    ----------
    owner : str
        Name of the prior or likelihood, for the message.
    most : float
        Largest number that is taken.
    advice : str
        What to use instead.
    **values : float
        The numbers by their argument names.

    Raises
    ------
    ValueError
        If one of them is larger.
    """
    for name, value in values.items():
        if value > most:
            raise ValueError(
                f"{owner}({name}={value!r}): above {most:g} densities lose their digits; {advice}."
            )
