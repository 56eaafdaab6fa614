"""All tracks: observations of tags, brought into the field and onto the host's clock."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from throwin.field.frame import FieldFrame
from throwin.tags.observation import Fix, FixKind, UwbPosition
from throwin.tracking.sensor import Errors, errors_of, split
from throwin.tracking.track import Outcome, TagSpec, Track

SITE_M = 2000.0  # nothing of a polo field is further from its centre
FASTEST_MPS = 25.0  # no horse's velocity is more, nor what its error makes of it
NS = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class UwbFrame:
    """Where a port's UWB frame lies in the field: turn counter-clockwise, then shift."""

    origin_x_field_m: float
    origin_y_field_m: float
    rotation_rad: float
    var_m2: float


class _Turn:
    """A UWB frame, ready for use."""

    __slots__ = ("_c", "_s", "_x_m", "_y_m", "var_m2")

    def __init__(self, frame: UwbFrame) -> None:
        self._c, self._s = math.cos(frame.rotation_rad), math.sin(frame.rotation_rad)
        self._x_m, self._y_m = frame.origin_x_field_m, frame.origin_y_field_m
        self.var_m2 = frame.var_m2

    def to_field(self, x_uwb_m: float, y_uwb_m: float) -> tuple[float, float]:
        return (
            self._c * x_uwb_m - self._s * y_uwb_m + self._x_m,
            self._s * x_uwb_m + self._c * y_uwb_m + self._y_m,
        )


class Tracker:
    """The tracks of all tags of a field file. uwb: frames by port.

    newest_ns: the newest instant of measurement over all tags, host clock: the picture's instant.
    """

    __slots__ = ("_frame", "_tracks", "_uwb", "newest_ns")

    def __init__(
        self, *, frame: FieldFrame, tags: Sequence[TagSpec], uwb: Mapping[str, UwbFrame]
    ) -> None:
        self._frame = frame
        self._tracks = {spec.tag: Track(spec) for spec in tags}
        self._uwb = {port: _Turn(row) for port, row in uwb.items()}
        self.newest_ns = 0

    def track(self, tag: str) -> Track | None:
        """Give the track of a tag, None for one that the field file does not have."""
        return self._tracks.get(tag)

    def take(self, port: str, observation: Fix | UwbPosition) -> Outcome:
        """Take what a tag said of its position."""
        track = self._tracks.get(observation.tag)
        if track is None:
            return Outcome.UNKNOWN_TAG
        if isinstance(observation, Fix):
            outcome = self._take_fix(track, observation)
        else:
            outcome = self._take_uwb(track, port, observation)
        self.newest_ns = max(self.newest_ns, track.t_fix_ns)
        return outcome

    def _take_fix(self, track: Track, fix: Fix) -> Outcome:
        kind = fix.kind
        if kind is FixKind.NO_FIX:
            track.lose_fix()
            return Outcome.NO_FIX
        if kind is FixKind.ESTIMATED:
            return Outcome.ESTIMATED
        frame = self._frame
        x_m, y_m = frame.to_field(fix.lat_deg, fix.lon_deg)
        if not (-SITE_M < x_m < SITE_M and -SITE_M < y_m < SITE_M):
            return Outcome.OFF_SITE
        ee, nn = fix.cov_ee_m2, fix.cov_nn_m2
        if ee is None or nn is None:
            errors = errors_of(kind, None, 0.0, None)
        else:
            xx, xy, yy = frame.turn_cov(ee, fix.cov_en_m2 or 0.0, nn)
            errors = errors_of(kind, xx, xy, yy)
        velocity = None
        if fix.vel_e_mps is not None and fix.vel_n_mps is not None:
            vx, vy = frame.turn_to_field(fix.vel_e_mps, fix.vel_n_mps)
            if vx * vx + vy * vy < FASTEST_MPS * FASTEST_MPS:
                velocity = vx, vy
        t_ns = _measured_ns(track, fix.t_utc_ns, fix.t_host_ns, fix.lag_s)
        return track.take(t_ns, kind, (x_m, y_m), errors, velocity, fix.sigma_v_mps)

    def _take_uwb(self, track: Track, port: str, seen: UwbPosition) -> Outcome:
        if seen.quality == 0.0:
            track.lose_fix()
            return Outcome.NO_FIX
        turn = self._uwb.get(port)
        if turn is None:
            return Outcome.NO_FRAME
        x_m, y_m = turn.to_field(seen.x_uwb_m, seen.y_uwb_m)
        if not (-SITE_M < x_m < SITE_M and -SITE_M < y_m < SITE_M):
            return Outcome.OFF_SITE
        var_m2 = None if seen.sigma_m is None else seen.sigma_m * seen.sigma_m
        own = errors_of(FixKind.UWB, var_m2, 0.0, var_m2)
        errors = own if turn.var_m2 <= 0.0 else _with_slow(own, turn.var_m2)
        t_ns = _measured_ns(track, seen.t_tag_ns, seen.t_host_ns, None)
        return track.take(t_ns, FixKind.UWB, (x_m, y_m), errors, None, None)


def _measured_ns(track: Track, t_tag_ns: int | None, t_host_ns: int, lag_s: float | None) -> int:
    lag_ns = int((track.spec.lag_s if lag_s is None else lag_s) * NS)
    if t_tag_ns is None:
        return t_host_ns - lag_ns
    return track.alignment.to_host_ns(t_tag_ns, t_host_ns, lag_ns)


def _with_slow(errors: Errors, var_m2: float) -> Errors:
    """Add what the frame's own place leaves open: as slow as an error can be."""
    total_m2 = errors.fast_xx + errors.slow_xx + var_m2
    return split(total_m2, 0.0, total_m2, errors.fast_xx / total_m2)
