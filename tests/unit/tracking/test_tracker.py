"""Observations become tracks in the field, or are named for what they are."""

import math

import numpy as np
import pytest

from throwin.field.frame import FieldFrame
from throwin.tags.observation import Fix, FixKind, UwbPosition
from throwin.tracking.track import Outcome, TagSpec
from throwin.tracking.tracker import Tracker, UwbFrame

NS = 1_000_000_000
FRAME = FieldFrame(
    origin_wgs84=(51.0, -1.0, 0.0),
    direction_rad=math.pi / 2,
    shift_m=(0.0, 0.0),
    cov=np.zeros((3, 3)),
    residuals=(),
    warnings=(),
)


def tracker(*, uwb: bool = True) -> Tracker:
    frame = UwbFrame(
        origin_x_field_m=10.0, origin_y_field_m=-5.0, rotation_rad=math.pi / 2, var_m2=0.0025
    )
    return Tracker(
        frame=FRAME,
        tags=[
            TagSpec(tag="g", sensor="rtk", lag_s=0.1),
            TagSpec(tag="u", sensor="uwb", lag_s=0.02),
        ],
        uwb={"anchors": frame} if uwb else {},
    )


def fix(t_ns: int, x_m: float = 0.0, kind: FixKind = FixKind.RTK_FIXED, **more: float) -> Fix:
    lat_deg, lon_deg = FRAME.to_wgs84(x_m, 0.0)
    return Fix("g", t_ns, None, kind, lat_deg, lon_deg, **more)


def uwb(t_ns: int, x_m: float, y_m: float, quality: float | None = 0.9) -> UwbPosition:
    return UwbPosition("u", t_ns, None, x_m, y_m, 0.15, quality)


def test_unknown_tag_is_named() -> None:
    """Unknown tag is named."""
    assert tracker().take("p", fix(1)._replace(tag="x")) is Outcome.UNKNOWN_TAG


def test_estimated_position_is_never_used() -> None:
    """Estimated position is never used."""
    assert tracker().take("p", fix(1, kind=FixKind.ESTIMATED)) is Outcome.ESTIMATED


def test_word_of_no_fix_is_kept() -> None:
    """Word of no fix is kept."""
    assert tracker().take("p", fix(1, kind=FixKind.NO_FIX)) is Outcome.NO_FIX


@pytest.mark.parametrize("x_m", [2500.0, -2500.0])
def test_position_off_the_site_is_named(x_m: float) -> None:
    """Position off the site is named."""
    assert tracker().take("p", fix(1, x_m)) is Outcome.OFF_SITE


def test_fix_without_time_is_measured_a_lag_before_it_came() -> None:
    """Fix without time is measured a lag before it came."""
    made = tracker()
    made.take("p", fix(NS))
    made.take("p", fix(2 * NS))
    assert made.newest_ns == 2 * NS - NS // 10


def test_lag_that_the_frame_tells_is_taken() -> None:
    """Lag that the frame tells is taken."""
    made = tracker()
    made.take("p", fix(NS, lag_s=0.3))
    made.take("p", fix(2 * NS, lag_s=0.3))
    assert made.newest_ns == 2 * NS - 300_000_000


def test_velocity_is_turned_into_the_field() -> None:
    """Velocity is turned into the field."""
    made = tracker()
    for number in range(1, 4):
        made.take("p", fix(number * NS // 10, vel_e_mps=0.0, vel_n_mps=2.0, sigma_v_mps=0.05))
    track = made.track("g")
    assert track is not None
    state = track.at(3 * NS // 10)
    assert state is not None
    assert (state.vx_field_mps > 1.0, abs(state.vy_field_mps) < 0.2) == (True, True)


def test_claimed_covariance_is_turned_into_the_field() -> None:
    """Claimed covariance is turned into the field."""
    made = tracker()
    for number in range(1, 3):
        claim = {"cov_ee_m2": 4.0, "cov_en_m2": 0.0, "cov_nn_m2": 0.25}
        made.take("p", fix(number * NS // 10, kind=FixKind.RTK_FLOAT, **claim))
    track = made.track("g")
    assert track is not None
    state = track.at(NS // 5)
    assert state is not None
    assert state.var_y_m2 > 10 * state.var_x_m2


def test_uwb_position_is_turned_and_shifted_into_the_field() -> None:
    """Uwb position is turned and shifted into the field."""
    made = tracker()
    for number in range(1, 3):
        made.take("anchors", uwb(number * NS // 10, 3.0, 4.0))
    track = made.track("u")
    assert track is not None
    state = track.at(NS // 5)
    assert state is not None
    assert [state.x_field_m, state.y_field_m] == pytest.approx([6.0, -2.0])


def test_uwb_without_a_position_is_no_fix() -> None:
    """Uwb without a position is no fix."""
    assert tracker().take("anchors", uwb(1, 0.0, 0.0, quality=0.0)) is Outcome.NO_FIX


def test_uwb_of_a_port_without_a_frame_is_named() -> None:
    """Uwb of a port without a frame is named."""
    assert tracker(uwb=False).take("anchors", uwb(1, 3.0, 4.0)) is Outcome.NO_FRAME


@pytest.mark.parametrize("x_m", [math.nan, math.inf, 1e7])
def test_uwb_position_that_is_none_is_off_the_site(x_m: float) -> None:
    """Uwb position that is none is off the site."""
    assert tracker().take("anchors", uwb(1, x_m, 0.0)) is Outcome.OFF_SITE


def test_frame_of_uwb_widens_the_position() -> None:
    """Frame of uwb widens the position."""
    made = tracker()
    for number in range(1, 60):
        made.take("anchors", uwb(number * NS // 10, 3.0, 4.0))
    track = made.track("u")
    assert track is not None
    assert track.sigma_m is not None
    assert track.sigma_m > 0.05


@pytest.mark.parametrize("speed_mps", [300.0, math.nan])
def test_velocity_that_no_horse_has_is_left_aside(speed_mps: float) -> None:
    """The position of such a fix is used, its velocity is not."""
    seen = tracker()
    for number in range(1, 4):
        seen.take("p", fix(number * NS // 10, vel_e_mps=speed_mps, vel_n_mps=0.0))
    track = seen.track("g")
    assert track is not None
    state = track.at(track.t_fix_ns)
    assert state is not None
    assert abs(state.vx_field_mps) + abs(state.vy_field_mps) < 1e-3


def test_tags_own_time_orders_its_fixes() -> None:
    """The quicker of two messages tells the clock; the instants are the tag's."""
    seen = tracker()
    for number, t_host_ns in ((1, NS), (2, NS + 80_000_000)):
        seen.take("p", fix(t_host_ns)._replace(t_utc_ns=number * NS // 10))
    track = seen.track("g")
    assert track is not None
    assert (track.is_started, track.t_fix_ns) == (True, NS - 20_000_000)
