"""A wrong name is answered with the nearest valid one."""

import pytest
from pymc_bnn.models.data.choices import choose

VALID = ["centered", "noncentered"]


def test_a_valid_name_is_returned() -> None:
    assert choose("parametrization", "centered", VALID) == "centered"


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(ValueError, match="unknown parametrization 'centred'; did you mean") as e:
        choose("parametrization", "centred", VALID)
    assert str(e.value).endswith("'centered'? Valid: centered, noncentered.")


@pytest.mark.parametrize("given", ["xyz", None, 3])
def test_anything_else_is_answered_with_the_valid_names(given: object) -> None:
    with pytest.raises(ValueError, match=r"unknown parametrization .*\. Valid: centered") as e:
        choose("parametrization", given, VALID)
    assert "did you mean" not in str(e.value)
