"""Yards and metres."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from throwin.field.units import FOOT_M, KNOT_MPS, YARD_M, m_to_yd, yd_to_m


@pytest.mark.parametrize(
    ("length_yd", "length_m"), [(5, 4.572), (30, 27.432), (160, 146.304), (300, 274.32)]
)
def test_yards_of_the_rules_are_exact_metres(length_yd: float, length_m: float) -> None:
    """The international yard is 0.9144 m by definition (1959)."""
    assert yd_to_m(length_yd) == pytest.approx(length_m, rel=1e-15)


@given(st.floats(-1e6, 1e6))
def test_yards_to_metres_and_back_are_the_same(length_yd: float) -> None:
    """Both directions use one constant."""
    assert m_to_yd(yd_to_m(length_yd)) == pytest.approx(length_yd, rel=1e-15)


def test_three_feet_are_one_yard() -> None:
    """The two constants agree."""
    assert pytest.approx(YARD_M, rel=1e-15) == 3 * FOOT_M


def test_knot_is_a_nautical_mile_an_hour() -> None:
    """1,852 m in 3,600 s."""
    assert pytest.approx(1852.0, rel=1e-15) == KNOT_MPS * 3600
