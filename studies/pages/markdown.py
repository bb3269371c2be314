"""Tables of the documentation's pages."""

import numpy as np
import pandas as pd


def markdown(table: pd.DataFrame) -> str:
    """Write a table as markdown, numbers with four digits.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.pages.markdown import markdown
    >>> print(markdown(pd.DataFrame({"hidden units": [8], "p": [0.049812], "z": [float("nan")]})))
    | hidden units | p | z |
    |---:|---:|---:|
    | 8 | 0.0498 |  |
    """
    rows = [list(table.columns), *(list(row) for row in table.itertuples(index=False))]
    text = [
        "| " + " | ".join(shown(name, x) for name, x in zip(table, row, strict=True)) + " |"
        for row in rows
    ]
    numeric = [pd.api.types.is_numeric_dtype(table[name]) for name in table]
    rule = "|" + "|".join("---:" if right else "---" for right in numeric) + "|"
    return "\n".join([text[0], rule, *text[1:]])


def shown(name: str, value: object) -> str:
    """Write a number with as many digits as one reads.

    Examples
    --------
    >>> from pymc_bnn.studies.pages.markdown import shown
    >>> shown("z", -1.234), shown("g", 0.078412), shown("passes", 1228800.0), shown("l", 50.0)
    ('-1.2', '0.0784', '1,228,800', '50')
    >>> shown("R-hat", 5.97e15)
    '6e+15'
    """
    if not isinstance(value, float | np.floating):
        return " ".join(str(value).replace("|", "\\|").split("\n"))
    number = float(value)
    if np.isinf(number):
        return "∞" if number > 0 else "-∞"
    if np.isnan(number):
        return ""
    if name == "z" or name.startswith("z "):
        return f"{number:.1f}"
    if abs(number) < 1e-12:  # what rounding leaves of a difference
        return "0"
    if abs(number) >= 1e10:
        return f"{number:.1g}"
    if abs(number) >= 1000 or number.is_integer():
        return f"{number:,.0f}"
    return f"{number:.3g}"
