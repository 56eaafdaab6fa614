"""The field frame against geodesics, matrix products and many noisy surveys."""

import math
import random

import numpy as np
import numpy.typing as npt
import pyproj
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from throwin.field.frame import FieldFrame, Surveyed, SurveyError, fit_frame
from throwin.field.pitch import Pitch

GEOD = pyproj.Geod(ellps="WGS84")
PITCH = Pitch(length_m=274.32, width_m=146.304, goal_width_m=7.3152)
CORNERS = ("corner_north_left", "corner_north_right", "corner_south_left", "corner_south_right")
POSTS = ("goal_north_left", "goal_north_right", "goal_south_left", "goal_south_right")
SITE = (51.5, -0.12)
AZIMUTH_DEG = 37.0
WHERE_ON_A_LINE_M = 40.0
LOPSIDED = ("corner_north_left", "goal_north_left", "corner_south_left", "boards_left")
SIGMA_M = 0.05


def walk(
    site: tuple[float, float], azimuth_deg: float, x_m: float, y_m: float
) -> tuple[float, float]:
    """Give (lat_deg, lon_deg) of a field place by one geodesic from the centre spot."""
    bearing_deg = azimuth_deg - math.degrees(math.atan2(y_m, x_m))
    lon_deg, lat_deg, _ = GEOD.fwd(site[1], site[0], bearing_deg, math.hypot(x_m, y_m))
    return float(lat_deg), float(lon_deg)


def point(
    name: str,
    *,
    at: str | None = None,
    site: tuple[float, float] = SITE,
    azimuth_deg: float = AZIMUTH_DEG,
    off_m: tuple[float, float] = (0.0, 0.0),
    sigma_m: float = 0.02,
    pitch: Pitch = PITCH,
) -> Surveyed:
    """Give a named place as surveyed, off by so much in field axes; at = what it was called."""
    x_m, y_m = pitch.place(name)
    x_m = WHERE_ON_A_LINE_M if x_m is None else x_m
    y_m = WHERE_ON_A_LINE_M if y_m is None else y_m
    lat_deg, lon_deg = walk(site, azimuth_deg, x_m + off_m[0], y_m + off_m[1])
    return Surveyed(at=at or name, lat_deg=lat_deg, lon_deg=lon_deg, height_m=0.0, sigma_m=sigma_m)


def survey(*names: str, azimuth_deg: float = AZIMUTH_DEG, sigma_m: float = 0.02) -> list[Surveyed]:
    return [point(name, azimuth_deg=azimuth_deg, sigma_m=sigma_m) for name in names]


FRAME = fit_frame(survey(*CORNERS), PITCH)
SITES = st.tuples(st.floats(-75.0, 75.0), st.floats(-180.0, 180.0))
PLACES_M = st.tuples(st.floats(-300.0, 300.0), st.floats(-200.0, 200.0))


def error_of(*points: Surveyed, pitch: Pitch = PITCH) -> str:
    """Give the text of the error that a survey raises."""
    with pytest.raises(SurveyError) as caught:
        fit_frame(points, pitch)
    return str(caught.value)


# Places.


@settings(max_examples=50)
@given(SITES, st.floats(0.0, 360.0), PLACES_M)
def test_place_to_field_is_where_a_geodesic_leads(
    site: tuple[float, float], azimuth_deg: float, place_m: tuple[float, float]
) -> None:
    """Distance and azimuth along the ellipsoid give the same place within a millimetre."""
    frame = fit_frame([point(name, site=site, azimuth_deg=azimuth_deg) for name in CORNERS], PITCH)
    assert frame.to_field(*walk(site, azimuth_deg, *place_m)) == pytest.approx(place_m, abs=1e-3)


@given(PLACES_M)
def test_place_to_wgs84_and_back_is_the_same(place_m: tuple[float, float]) -> None:
    """Within a thousandth of a millimetre."""
    assert FRAME.to_field(*FRAME.to_wgs84(*place_m)) == pytest.approx(place_m, abs=1e-6)


def enu_m(lat_deg: float, lon_deg: float, site: tuple[float, float]) -> npt.NDArray[np.float64]:
    """Give east, north of a place by hand: geodetic to cartesian, then turned (EPSG 9602, 9837)."""
    a_m, f = 6_378_137.0, 1 / 298.257223563
    e2 = f * (2 - f)

    def cartesian(lat: float, lon: float) -> npt.NDArray[np.float64]:
        n_m = a_m / math.sqrt(1 - e2 * math.sin(lat) ** 2)
        return np.array(
            [
                n_m * math.cos(lat) * math.cos(lon),
                n_m * math.cos(lat) * math.sin(lon),
                n_m * (1 - e2) * math.sin(lat),
            ]
        )

    lat0, lon0 = map(math.radians, site)
    away = cartesian(math.radians(lat_deg), math.radians(lon_deg)) - cartesian(lat0, lon0)
    turn = np.array(
        [
            [-math.sin(lon0), math.cos(lon0), 0.0],
            [-math.sin(lat0) * math.cos(lon0), -math.sin(lat0) * math.sin(lon0), math.cos(lat0)],
        ]
    )
    return np.asarray(turn @ away)


@given(PLACES_M)
def test_place_to_field_agrees_with_formulas_worked_out_by_hand(
    place_m: tuple[float, float],
) -> None:
    """East and north about the centre spot, turned to the field's axes."""
    lat_deg, lon_deg = walk(SITE, AZIMUTH_DEG, *place_m)
    east_m, north_m = enu_m(lat_deg, lon_deg, SITE)
    s, c = math.sin(math.radians(AZIMUTH_DEG)), math.cos(math.radians(AZIMUTH_DEG))
    expected = (s * east_m + c * north_m, -c * east_m + s * north_m)
    assert FRAME.to_field(lat_deg, lon_deg) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("height_m", [-30.0, 1500.0, 2600.0])
def test_field_on_a_plateau_keeps_its_length(height_m: float) -> None:
    """At height a degree is longer; with the surveyed height the pitch comes out whole."""
    origin = (*SITE, height_m)
    made = FieldFrame(
        origin_wgs84=origin,
        direction_rad=1.0,
        shift_m=(0.0, 0.0),
        cov=np.zeros((3, 3)),
        residuals=(),
        warnings=(),
    )
    points = []
    for name in CORNERS:
        x_m, y_m = PITCH.place(name)
        lat_deg, lon_deg = made.to_wgs84(x_m or 0.0, y_m or 0.0)
        points.append(
            Surveyed(at=name, lat_deg=lat_deg, lon_deg=lon_deg, height_m=height_m, sigma_m=0.02)
        )
    residuals_m = [residual.residual_m for residual in fit_frame(points, PITCH).residuals]
    assert residuals_m == pytest.approx([0.0] * 4, abs=1e-6)


def test_field_across_the_date_line_is_fitted() -> None:
    """Longitudes of 179.9999 and -179.9999 are neighbours."""
    site = (-16.8, 180.0)
    frame = fit_frame([point(name, site=site) for name in CORNERS], PITCH)
    assert frame.to_field(*walk(site, AZIMUTH_DEG, 20.0, 5.0)) == pytest.approx(
        (20.0, 5.0), abs=1e-3
    )


# Vectors and covariances.


def test_velocity_along_the_fields_azimuth_is_along_x() -> None:
    """What moves toward the north goal has no part across."""
    azimuth = math.radians(AZIMUTH_DEG)
    turned = FRAME.turn_to_field(10 * math.sin(azimuth), 10 * math.cos(azimuth))
    assert turned == pytest.approx((10.0, 0.0), abs=1e-4)


@given(st.floats(-20.0, 20.0), st.floats(-20.0, 20.0))
def test_velocity_to_field_and_back_is_the_same(east: float, north: float) -> None:
    """Turning there and back changes nothing."""
    assert FRAME.turn_to_local(*FRAME.turn_to_field(east, north)) == pytest.approx(
        (east, north), abs=1e-12
    )


@given(st.floats(0.01, 10.0), st.floats(0.01, 10.0), st.floats(-0.999, 0.999))
def test_covariance_is_turned_as_a_matrix_product_turns_it(
    sigma_e: float, sigma_n: float, correlation: float
) -> None:
    """R C R' with the rows of R from what turns a vector."""
    en = correlation * sigma_e * sigma_n
    turn = np.array([FRAME.turn_to_field(1.0, 0.0), FRAME.turn_to_field(0.0, 1.0)]).T
    whole = turn @ np.array([[sigma_e**2, en], [en, sigma_n**2]]) @ turn.T
    assert FRAME.turn_cov(sigma_e**2, en, sigma_n**2) == pytest.approx(
        (whole[0, 0], whole[0, 1], whole[1, 1]), abs=1e-9
    )


# What a survey is worth.


def test_good_survey_has_no_residual_and_no_warning() -> None:
    """Geodesic and plane differ by less than a millimetre over a field."""
    assert (
        [residual.at for residual in FRAME.residuals],
        max(residual.residual_m for residual in FRAME.residuals) < 1e-3,
        FRAME.warnings,
    ) == (list(CORNERS), True, ())


@pytest.mark.parametrize(
    "names",
    [
        CORNERS[:2],
        ("corner_north_left", "goal_south_right"),
        ("centre", "end_north", "boards_left", "corner_south_right"),
        ("centre", "corner_north_left"),
        POSTS,
        ("corner_north_left", "boards_left", "end_south", "boards_right"),
    ],
)
@pytest.mark.parametrize("azimuth_deg", [0.0, 91.0, 180.0, 272.5])
def test_points_that_fix_a_field_give_it(names: tuple[str, ...], azimuth_deg: float) -> None:
    """Two points that are fixed both ways are enough; points on lines help."""
    frame = fit_frame(survey(*names, azimuth_deg=azimuth_deg), PITCH)
    assert frame.to_field(*walk(SITE, azimuth_deg, 100.0, -50.0)) == pytest.approx(
        (100.0, -50.0), abs=2e-3
    )


@pytest.fixture(scope="module")
def noisy_frames() -> list[FieldFrame]:
    """Give 150 surveys of LOPSIDED, each with its own errors of SIGMA_M per axis."""
    seeded = random.Random(7)
    return [
        fit_frame(
            [
                point(
                    name,
                    off_m=(seeded.gauss(0.0, SIGMA_M), seeded.gauss(0.0, SIGMA_M)),
                    sigma_m=SIGMA_M,
                )
                for name in LOPSIDED
            ],
            PITCH,
        )
        for _ in range(150)
    ]


def test_covariance_of_the_fit_is_what_many_surveys_scatter_by(
    noisy_frames: list[FieldFrame],
) -> None:
    """Direction and centre spot of noisy surveys against the claimed covariance."""
    spot = walk(SITE, AZIMUTH_DEG, 0.0, 0.0)
    azimuth = math.radians(AZIMUTH_DEG)
    rows = []
    for frame in noisy_frames:
        along, across = frame.turn_to_field(math.sin(azimuth), math.cos(azimuth))
        rows.append([-math.atan2(across, along), *frame.to_field(*spot)])
    found = np.cov(np.array(rows).T)
    claimed = fit_frame(survey(*LOPSIDED, sigma_m=SIGMA_M), PITCH).cov
    scale = np.sqrt(np.diag(claimed))
    assert found / np.outer(scale, scale) == pytest.approx(
        claimed / np.outer(scale, scale), abs=0.3
    )


@pytest.mark.parametrize("y_m", [-73.0, 0.0, 40.0])
def test_variance_of_the_centre_line_is_what_many_surveys_scatter_by(
    noisy_frames: list[FieldFrame], y_m: float
) -> None:
    """The line's place at y: its spread over noisy surveys is the one that is claimed."""
    spot = walk(SITE, AZIMUTH_DEG, 0.0, y_m)
    found_m = [frame.to_field(*spot)[0] for frame in noisy_frames]
    frame = fit_frame(survey(*LOPSIDED, sigma_m=SIGMA_M), PITCH)
    assert np.var(found_m) == pytest.approx(frame.centre_line_var_m2(y_m), rel=0.3)


def test_boards_are_as_sure_as_the_survey_is() -> None:
    """Four corners, each with 2 cm across: their mean has half of that."""
    frame = fit_frame(survey(*CORNERS, sigma_m=0.02), PITCH)
    assert frame.boards_var_m2 == pytest.approx(0.01**2, rel=0.01)


def test_variance_of_the_centre_line_grows_with_the_sigma() -> None:
    """Twice the sigma is four times the variance."""
    near = fit_frame(survey(*CORNERS, sigma_m=0.02), PITCH).centre_line_var_m2(70.0)
    far = fit_frame(survey(*CORNERS, sigma_m=0.04), PITCH).centre_line_var_m2(70.0)
    assert far == pytest.approx(4 * near, rel=1e-6)


def test_point_with_a_smaller_sigma_has_more_weight() -> None:
    """A tape's corner moves the fit less than an RTK's."""
    good, poor = (
        fit_frame(
            [
                point("corner_north_left", off_m=(0.5, 0.0), sigma_m=sigma_m),
                *survey("corner_north_right", "corner_south_left", "corner_south_right"),
            ],
            PITCH,
        )
        for sigma_m in (0.02, 1.0)
    )
    spot = walk(SITE, AZIMUTH_DEG, 0.0, 0.0)
    assert abs(poor.to_field(*spot)[0]) < 0.1 * abs(good.to_field(*spot)[0])


def test_residuals_larger_than_claimed_widen_the_covariance() -> None:
    """Points that claim 1 mm and miss by 50 mm are not believed."""
    offs = [(0.05, 0.02), (-0.04, 0.05), (0.03, -0.05), (-0.05, -0.03)]
    points = [
        point(name, off_m=off_m, sigma_m=0.001) for name, off_m in zip(CORNERS, offs, strict=True)
    ]
    claimed = fit_frame(survey(*CORNERS, sigma_m=0.001), PITCH).cov
    assert np.all(np.diag(fit_frame(points, PITCH).cov) > 500 * np.diag(claimed))


# Surveys that are amiss.


def test_point_that_is_off_by_half_a_metre_is_warned_of_by_name() -> None:
    """The first warning names it, says how far, and what to do."""
    points = [point("corner_south_left", off_m=(0.0, 0.5)), *survey(*CORNERS[:2], *POSTS)]
    warning = fit_frame(points, PITCH).warnings[0]
    assert warning.startswith("survey: corner_south_left is 0.")
    assert "again" in warning


def test_survey_without_points_is_refused() -> None:
    """The text says how many are needed."""
    assert "at least two" in error_of()


def test_survey_of_one_point_is_refused_by_name() -> None:
    """One point gives no direction."""
    text = error_of(*survey("corner_north_left"))
    assert "at least 20 m apart, got corner_north_left within 0.0 m" in text


def test_points_too_close_together_are_refused_by_name() -> None:
    """Two posts 7 m apart leave the direction loose."""
    text = error_of(*survey(*POSTS[:2]))
    assert "goal_north_left, goal_north_right within 7.3 m" in text


def test_points_on_lines_alone_are_refused_by_name() -> None:
    """Two ends and no more slide along each other."""
    text = error_of(*survey("boards_left", "boards_right"))
    assert "do not fix the field" in text
    assert "boards_left, boards_right" in text


def test_three_points_on_two_parallel_lines_are_refused() -> None:
    """The field could slide along them."""
    points = [*survey("boards_left", "boards_right")]
    lat_deg, lon_deg = walk(SITE, AZIMUTH_DEG, -90.0, PITCH.width_m / 2)
    points.append(
        Surveyed(at="boards_left", lat_deg=lat_deg, lon_deg=lon_deg, height_m=0.0, sigma_m=0.02)
    )
    assert "do not fix the field" in error_of(*points)


def test_mirrored_survey_is_refused_with_the_names_to_swap() -> None:
    """Left and right as seen from the wrong goal."""
    swap = {"left": "right", "right": "left"}
    points = [
        point(name, at="_".join(swap.get(part, part) for part in name.split("_")))
        for name in CORNERS
    ]
    text = error_of(*points)
    assert "mirror image" in text
    assert all(name in text for name in CORNERS)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("corner_north_left", "corner_north_right"),
        ("corner_north_left", "corner_south_left"),
        ("corner_north_left", "corner_south_right"),
    ],
)
def test_two_swapped_corners_are_refused_by_name(one: str, other: str) -> None:
    """The other two are right; the text names one of the wrong ones at least."""
    names = {one: other, other: one}
    text = error_of(*(point(name, at=names.get(name, name)) for name in CORNERS))
    assert "swapped" in text
    assert one in text or other in text


def test_point_under_a_wrong_name_is_refused_by_name() -> None:
    """A post that was called a corner is 70 m out."""
    points = [point("goal_north_left", at="corner_north_left"), *survey(*CORNERS[1:], *POSTS[1:])]
    assert "got corner_north_left" in error_of(*points)


def test_wrong_size_of_the_pitch_is_refused_with_the_size() -> None:
    """275 yd surveyed, 300 yd configured: every corner is 11 m out."""
    small = Pitch(length_m=251.46, width_m=146.304, goal_width_m=7.3152)
    text = error_of(*(point(name, pitch=small) for name in CORNERS))
    assert "274.3 x 146.3 m" in text
    assert "wrong pitch size" in text
    assert "corner_north" in text


def test_pitch_a_yard_too_long_is_warned_of_at_every_corner() -> None:
    """Small enough to play on, large enough to be told."""
    longer = Pitch(length_m=275.2344, width_m=146.304, goal_width_m=7.3152)
    warnings = fit_frame([point(name, pitch=longer) for name in CORNERS], PITCH).warnings
    assert sorted(warning.split()[1] for warning in warnings) == sorted(CORNERS)


def test_survey_of_two_points_is_warned_of() -> None:
    """Two points fit whatever they are called: nothing would show a mistake."""
    frame = fit_frame(survey("corner_north_left", "corner_south_right"), PITCH)
    assert "expected at least 3 points" in frame.warnings[0]
