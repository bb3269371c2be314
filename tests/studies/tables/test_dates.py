"""Dates of new rows have a time zone if those of training had one."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies import InputError, prepare
from pymc_bnn.studies.tables.encoding import Encoding

ROWS = 40
DAYS = pd.date_range("2019-12-20", periods=ROWS, freq="9D")


def sales(sold: Any) -> pd.DataFrame:
    return pd.DataFrame({"sold": sold, "price": np.random.default_rng(2).normal(size=ROWS)})


PLAIN = {
    "moments": DAYS,
    "texts": DAYS.strftime("%Y-%m-%d"),
    "times": DAYS.strftime("%Y-%m-%d %H:%M"),
    "objects": pd.Series([*DAYS.to_pydatetime()], dtype=object),
    "days": list(DAYS.date),
    "months": DAYS.to_period("M"),
    "arrow": pd.Series(DAYS).astype("timestamp[us][pyarrow]"),
}
ZONED = {
    "moments": DAYS.tz_localize("Europe/Berlin"),
    "texts": DAYS.strftime("%Y-%m-%dT%H:%M:%SZ"),
    "offsets": DAYS.strftime("%Y-%m-%d %H:%M+02:00"),
    "several": [f"{day}T10:00-0{k % 5}:00" for k, day in enumerate(DAYS.strftime("%Y-%m-%d"))],
    "objects": pd.Series([*DAYS.tz_localize("UTC").to_pydatetime()], dtype=object),
    "arrow": pd.Series(DAYS.tz_localize("UTC")).astype("timestamp[us, tz=UTC][pyarrow]"),
}


@pytest.mark.parametrize("plain", PLAIN)
@pytest.mark.parametrize("zoned", ZONED)
def test_a_zone_in_training_or_new_rows_alone_is_refused(plain: str, zoned: str) -> None:
    without, with_zone = sales(PLAIN[plain]), sales(ZONED[zoned])
    encoding = prepare(without, "price").encoding
    assert len(encoding.inputs(without)) == ROWS
    with pytest.raises(InputError, match="'sold' have a time zone, and had none in training; give"):
        encoding.inputs(with_zone)
    encoding = prepare(with_zone, "price").encoding
    assert len(encoding.inputs(with_zone)) == ROWS
    with pytest.raises(InputError, match="'sold' have no time zone, and had one in training; give"):
        encoding.inputs(without)


@pytest.mark.parametrize("zoned", ZONED)
def test_encodings_of_older_fits_take_dates_with_and_without(zoned: str) -> None:
    prepared = prepare(sales(ZONED[zoned]), "price")
    described = prepared.encoding.to_dict()
    assert described["columns"][0].pop("zoned") is True
    older = Encoding.from_dict(described)
    assert older.to_dict() == described
    for dates in (PLAIN["texts"], ZONED[zoned]):
        assert np.isfinite(older.inputs(sales(dates))).all(axis=None)


def test_a_zone_does_not_change_what_a_fit_is_known_by() -> None:
    zoned = DAYS.tz_localize("UTC")
    assert prepare(sales(DAYS), "price").digest == prepare(sales(zoned), "price").digest
