"""The field frame: WGS84 to field coordinates, fitted to surveyed points.

The one user of pyproj. The whole chain (geodetic to cartesian, topocentric, turn and shift) is
one PROJ pipeline, so a position costs one call.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyproj
from pyproj.enums import TransformDirection

from throwin.field.pitch import Pitch

RESIDUAL_WARN_M = 0.10  # profile of this product: a survey worse than this is looked at
RESIDUAL_ERROR_M = 2.0  # no tape, walk or RTK survey is this wrong: points are mixed up
CHECKED_POINTS = 3
MIN_SPREAD_M = 20.0  # nearer points leave the line's direction too loose for C5

_Array = npt.NDArray[np.float64]


class SurveyError(ValueError):
    """A survey that gives no field frame; says what was expected and which points are amiss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveyed:
    """One surveyed point: name as in pitch.PLACES, WGS84 degrees, 1 sigma per axis."""

    at: str
    lat_deg: float
    lon_deg: float
    height_m: float
    sigma_m: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Residual:
    """How far a point was found from where the fitted field has it."""

    at: str
    residual_m: float


class FieldFrame:
    """One fitted frame: positions and velocities into the field, and back.

    residuals: one a survey point, in the order given. warnings: in words, for the
    technician, the worst point first.
    cov: 3 x 3 covariance of (direction rad, x m, y m) of the fit.
    """

    __slots__ = ("_c", "_height_m", "_s", "_transform", "_turn", "cov", "residuals", "warnings")

    def __init__(
        self,
        *,
        origin_wgs84: tuple[float, float, float],
        direction_rad: float,
        shift_m: tuple[float, float],
        cov: _Array,
        residuals: tuple[Residual, ...],
        warnings: tuple[str, ...],
    ) -> None:
        lat_deg, lon_deg, height_m = origin_wgs84
        self._c, self._s = math.cos(direction_rad), math.sin(direction_rad)
        self._turn = pyproj.Transformer.from_pipeline(
            _topocentric(lat_deg, lon_deg, height_m)
            + f" +step +proj=affine +xoff={shift_m[0]!r} +yoff={shift_m[1]!r}"
            f" +s11={self._c!r} +s12={self._s!r} +s21={-self._s!r} +s22={self._c!r}"
        )
        self._transform = self._turn.transform
        self._height_m = height_m
        self.cov = cov
        self.residuals = residuals
        self.warnings = warnings

    def to_field(self, lat_deg: float, lon_deg: float) -> tuple[float, float]:
        """Give (x_field_m, y_field_m).

        The field's own height is used for every tag: 10 m of height moves a point 150 m from
        the centre by 0.2 mm.
        """
        x_field_m, y_field_m, _ = self._transform(lon_deg, lat_deg, self._height_m)
        return x_field_m, y_field_m

    def to_wgs84(self, x_field_m: float, y_field_m: float) -> tuple[float, float]:
        """Give (lat_deg, lon_deg); exact inverse of to_field on the field's tangent plane."""
        lon_deg, lat_deg, _ = self._turn.transform(
            x_field_m, y_field_m, 0.0, direction=TransformDirection.INVERSE
        )
        return lat_deg, lon_deg

    def turn_to_field(self, east: float, north: float) -> tuple[float, float]:
        """Turn a vector (velocity) from east, north to field axes."""
        return self._c * east + self._s * north, -self._s * east + self._c * north

    def turn_to_local(self, along_x: float, along_y: float) -> tuple[float, float]:
        """Turn a vector from field axes to east, north."""
        return self._c * along_x - self._s * along_y, self._s * along_x + self._c * along_y

    def turn_cov(self, ee: float, en: float, nn: float) -> tuple[float, float, float]:
        """Turn a covariance (m2) from east, north to field axes: (xx, xy, yy)."""
        c, s = self._c, self._s
        cc, cs, ss = c * c, c * s, s * s
        return (
            cc * ee + 2 * cs * en + ss * nn,
            cs * (nn - ee) + (cc - ss) * en,
            ss * ee - 2 * cs * en + cc * nn,
        )

    def centre_line_var_m2(self, y_field_m: float) -> float:
        """Give the variance of the centre line's place, at y, that the survey leaves."""
        cov = self.cov
        return float(cov[1, 1] + 2 * y_field_m * cov[0, 1] + y_field_m * y_field_m * cov[0, 0])

    @property
    def boards_var_m2(self) -> float:
        """The variance of the boards' place along y, at the centre line, that the survey leaves."""
        return float(self.cov[2, 2])


def _topocentric(lat_deg: float, lon_deg: float, height_m: float) -> str:
    return (
        "+proj=pipeline +step +proj=unitconvert +xy_in=deg +xy_out=rad"
        " +step +proj=cart +ellps=WGS84"
        f" +step +proj=topocentric +ellps=WGS84 +lat_0={lat_deg!r} +lon_0={lon_deg!r}"
        f" +h_0={height_m!r}"
    )


def fit_frame(points: Sequence[Surveyed], pitch: Pitch) -> FieldFrame:
    """Fit direction and place of the field to its surveyed points, least squares.

    Rigid: the pitch's size is given, so a wrong size shows in the residuals. The covariance is
    scaled up when the residuals are larger than the claimed sigmas.

    Raises SurveyError when the points do not fix a field, are mirrored, or are mixed up.
    """
    if not points:
        raise SurveyError("survey: expected at least two named points, got none")
    first_deg = points[0].lon_deg  # a mean of longitudes themselves fails at the date line
    east_deg = sum(math.remainder(p.lon_deg - first_deg, 360.0) for p in points) / len(points)
    origin = (
        sum(p.lat_deg for p in points) / len(points),
        math.remainder(first_deg + east_deg, 360.0),
        sum(p.height_m for p in points) / len(points),
    )
    local = pyproj.Transformer.from_pipeline(_topocentric(*origin))
    seen = np.array([local.transform(p.lon_deg, p.lat_deg, origin[2])[:2] for p in points])
    places = [pitch.place(p.at) for p in points]
    sigma_m = np.array([p.sigma_m for p in points])
    _check_spread(points, seen)

    direct = _best_fit(seen, places, sigma_m)
    flipped = _best_fit(seen * np.array([-1.0, 1.0]), places, sigma_m)
    worst_m = max(direct.misses_m)
    if worst_m > RESIDUAL_ERROR_M and max(flipped.misses_m) < worst_m / 3:
        raise SurveyError(
            "survey: the points are a mirror image of the pitch: expected left and right as seen"
            f" from the centre spot toward the north goal, got {_names(points)} the other way"
            " round; swap the names left and right, or mend a sign: is a minus missing from"
            " lat_deg or lon_deg?"
        )
    if worst_m > RESIDUAL_ERROR_M:
        raise SurveyError(_mixed_up(points, direct.misses_m, pitch))
    if not np.all(np.isfinite(direct.cov)):
        raise SurveyError(
            "survey: the points do not fix the field: expected at least two points apart that fix"
            f" both directions (corners, posts, centre), got {_names(points)}"
        )
    residuals = tuple(
        Residual(at=p.at, residual_m=miss) for p, miss in zip(points, direct.misses_m, strict=True)
    )
    worst_first = sorted(residuals, key=lambda r: r.residual_m, reverse=True)
    warnings = tuple(
        f"survey: {r.at} is {r.residual_m:.2f} m from where the other points put it"
        f" (expected at most {RESIDUAL_WARN_M:.2f} m): measure it again"
        for r in worst_first
        if r.residual_m > RESIDUAL_WARN_M
    )
    if len(points) < CHECKED_POINTS:
        few = (
            f"survey: expected at least {CHECKED_POINTS} points, got {_names(points)}: two fix the"
            " field, and nothing would show that one of them is wrong or has another's name"
        )
        warnings = (few, *warnings)
    return FieldFrame(
        origin_wgs84=origin,
        direction_rad=float(direct.state[0]),
        shift_m=(float(direct.state[1]), float(direct.state[2])),
        cov=_about_centre(direct),
        residuals=residuals,
        warnings=warnings,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fit:
    state: _Array  # direction rad, shift x m, shift y m
    cov: _Array
    cost: float
    misses_m: list[float]


def _about_centre(fit: _Fit) -> _Array:
    """Re-express the covariance for a turn about the centre spot instead of the origin."""
    turn = np.eye(3)
    turn[1, 0] = -fit.state[2]
    turn[2, 0] = fit.state[1]
    return turn @ fit.cov @ turn.T


def _names(points: Sequence[Surveyed]) -> str:
    return ", ".join(p.at for p in points)


def _check_spread(points: Sequence[Surveyed], seen: _Array) -> None:
    spread_m = float(np.max(np.linalg.norm(seen[:, None, :] - seen[None, :, :], axis=2)))
    if spread_m < MIN_SPREAD_M:
        raise SurveyError(
            f"survey: expected points at least {MIN_SPREAD_M:.0f} m apart, got {_names(points)}"
            f" within {spread_m:.1f} m: survey corners, posts or ends of the line"
        )


def _best_fit(
    seen: _Array, places: Sequence[tuple[float | None, float | None]], sigma_m: _Array
) -> _Fit:
    fits = [_fit_from(seen, places, sigma_m, k * math.pi / 6) for k in range(12)]
    best = min(fits, key=lambda f: f.cost)
    for other in fits:
        turn_rad = abs(math.remainder(float(other.state[0] - best.state[0]), math.tau))
        if turn_rad > 0.01 and max(other.misses_m) < max(RESIDUAL_WARN_M, 2 * max(best.misses_m)):
            return _Fit(
                state=best.state,
                cov=np.full((3, 3), math.inf),
                cost=best.cost,
                misses_m=best.misses_m,
            )
    return best


def _fit_from(
    seen: _Array,
    places: Sequence[tuple[float | None, float | None]],
    sigma_m: _Array,
    start_rad: float,
) -> _Fit:
    """Gauss-Newton on (direction, x, y); a point on a line gives one equation, others two."""
    state = np.array([start_rad, 0.0, 0.0])
    for _ in range(30):
        rows, gaps, _, _ = _equations(seen, places, sigma_m, state)
        step, *_ = np.linalg.lstsq(rows, gaps, rcond=None)
        state = state + step
        if float(np.max(np.abs(step))) < 1e-12:
            break
    rows, gaps, misses_m, count = _equations(seen, places, sigma_m, state)
    cost = float(gaps @ gaps)
    normal = rows.T @ rows
    if count < 3 or float(np.linalg.cond(normal)) > 1e12:
        cov = np.full((3, 3), math.inf)
    else:
        scale = max(1.0, cost / (count - 3)) if count > 3 else 1.0
        cov = np.linalg.inv(normal) * scale
    return _Fit(state=state, cov=cov, cost=cost, misses_m=misses_m)


def _equations(
    seen: _Array,
    places: Sequence[tuple[float | None, float | None]],
    sigma_m: _Array,
    state: _Array,
) -> tuple[_Array, _Array, list[float], int]:
    c, s = math.cos(state[0]), math.sin(state[0])
    rows, gaps, misses_m = [], [], []
    for (east, north), (x_m, y_m), sigma in zip(seen, places, sigma_m, strict=True):
        along, across = c * east + s * north, -s * east + c * north
        miss = 0.0
        if x_m is not None:
            rows.append([across / sigma, 1 / sigma, 0.0])
            gaps.append((x_m - along - state[1]) / sigma)
            miss = math.hypot(miss, x_m - along - state[1])
        if y_m is not None:
            rows.append([-along / sigma, 0.0, 1 / sigma])
            gaps.append((y_m - across - state[2]) / sigma)
            miss = math.hypot(miss, y_m - across - state[2])
        misses_m.append(miss)
    return np.array(rows), np.array(gaps), misses_m, len(rows)


def _mixed_up(points: Sequence[Surveyed], misses_m: list[float], pitch: Pitch) -> str:
    worst = sorted(zip(misses_m, (p.at for p in points), strict=True), reverse=True)[:3]
    named = ", ".join(f"{at} {miss:.1f} m" for miss, at in worst)
    return (
        f"survey: the points do not fit a pitch of {pitch.length_m:.1f} x {pitch.width_m:.1f} m:"
        f" expected residuals under {RESIDUAL_ERROR_M:.0f} m, got {named}:"
        " two names swapped, lat_deg and lon_deg swapped, a wrong point, or a wrong pitch size"
    )
