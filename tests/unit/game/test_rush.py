"""C10: who rushes the umpire does it by his own speed, toward him, and near."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from throwin.field.units import YARD_M
from throwin.game.rules import Measure, measure_rush
from throwin.tags.observation import FixKind
from throwin.tracking.state import State

NEAR_M = 12 * YARD_M
LIMIT_MPS = 3.0
VAR_M2, VAR_V_M2PS2 = 0.03**2, 0.15**2


def state(
    x_m: float, y_m: float, vx_mps: float = 0.0, vy_mps: float = 0.0, var_m2: float = VAR_M2
) -> State:
    return State(
        "r1", 0, 0, FixKind.RTK_FIXED, x_m, y_m, vx_mps, vy_mps, var_m2, 0.0, var_m2, VAR_V_M2PS2
    )


def measure(rider: State, umpire: State | None = None) -> Measure:
    return measure_rush(rider, umpire or state(0.0, 0.0), LIMIT_MPS, NEAR_M)


@pytest.mark.parametrize(
    ("rider", "is_rush"),
    [
        pytest.param(state(-8.0, 0.0, 4.0), True, id="straight_at_him"),
        pytest.param(state(-8.0, 0.0, -4.0), False, id="away_from_him"),
        pytest.param(state(-8.0, 0.0, 0.0, 6.0), False, id="past_him"),
        pytest.param(state(-8.0, 0.0, 2.0), False, id="at_a_walk"),
        pytest.param(state(-13.0, 0.0, 8.0), False, id="still_far_off"),
        pytest.param(state(0.0, 0.0, 8.0), False, id="at_his_very_place"),
    ],
)
def test_rider_rushes_or_not(rider: State, is_rush: bool) -> None:
    """A rush is surely one, and what is none surely not."""
    found = measure(rider)
    assert (found.p >= 0.999, found.p <= 0.05) == (is_rush, not is_rush)


def test_umpire_who_rides_in_makes_nobody_rush() -> None:
    """The player's own speed counts, not how fast the gap closes."""
    assert measure(state(-8.0, 0.0), state(0.0, 0.0, -6.0)).p < 1e-6


def test_limit_itself_is_half() -> None:
    """At the limit nobody can tell."""
    assert measure(state(-6.0, 0.0, LIMIT_MPS)).p == pytest.approx(0.5, abs=1e-3)


@given(
    angle=st.floats(0.0, 2 * math.pi),
    away_m=st.floats(0.5, 15.0),
    toward_mps=st.floats(-8.0, 8.0),
    across_mps=st.floats(-8.0, 8.0),
)
def test_direction_of_the_field_does_not_matter(
    angle: float, away_m: float, toward_mps: float, across_mps: float
) -> None:
    """Turned about the umpire, all is as before."""
    ux, uy = math.cos(angle), math.sin(angle)
    turned = state(
        -away_m * ux,
        -away_m * uy,
        toward_mps * ux - across_mps * uy,
        toward_mps * uy + across_mps * ux,
    )
    straight = state(-away_m, 0.0, toward_mps, across_mps)
    assert measure(turned).p == pytest.approx(measure(straight).p, abs=1e-9)


@given(away_m=st.floats(0.5, 15.0), toward_mps=st.floats(-8.0, 8.0), var_m2=st.floats(VAR_M2, 25.0))
def test_wider_error_never_makes_it_surer(away_m: float, toward_mps: float, var_m2: float) -> None:
    """A worse position takes from what is sure."""
    rider = state(-away_m, 0.0, toward_mps, 3.0)
    worse = state(-away_m, 0.0, toward_mps, 3.0, var_m2)
    sure = max(measure(rider).p, 0.5)
    assert measure(worse).p <= sure + 1e-9
