"""One tag's track: its filter, the gates before it, and what it is worth now."""

import enum
import math
from dataclasses import dataclass
from typing import Literal

from throwin.tags.observation import FixKind
from throwin.tracking.alignment import Alignment
from throwin.tracking.kalman import DENSITY_M2PS3, Kalman
from throwin.tracking.sensor import Errors
from throwin.tracking.state import State

NS = 1_000_000_000
GATE = 25.0  # innovation squared: 5 sigma in the worst direction
SPEED_MPS = 17.0  # a polo pony at full gallop
SPEED_SLACK_M = 0.5
REOPEN_NS = NS  # rejected for so long: the track is wrong, not the fixes
SLOW_CHANGE = 0.25  # share of the slow error's variance that may change between two fixes
SILENCE_NS = 5 * NS  # after it nothing can be said of a single fix: two must agree again
AGREE_S = 2.0  # two fixes further apart than this agree only where nobody moves
STANDING_S = 30.0
STANDING_M = 2.0
MUCH_BETTER = 4.0  # a slow variance smaller by this: the receiver has found another solution
START_VAR_V_M2PS2 = 36.0
SIGMA_V_MPS = 0.15  # of a device that gives a velocity and claims nothing
SIGMA_V_FLOOR_MPS = 0.05
SIGMA_V_MOST_MPS = 20.0  # a claim of more, or of infinity, says no more than this
DOUBT_NS = 4 * NS  # a jump is doubted for so long, less and less
DOUBT_MOST_M = 6.0
DOUBT_SHARE = 0.5  # of the jump: 1 sigma of the doubt
ALIGNMENT_S = 0.005  # error of bringing the tag's clock to the host's


class Outcome(enum.Enum):
    """What became of a fix."""

    USED = "used"
    FIRST = "first"
    REOPENED = "reopened"
    CANDIDATE = "candidate"
    NO_FIX = "no_fix"
    LATE = "late"
    REPEAT = "repeat"
    REJECTED_SPEED = "rejected_speed"
    REJECTED_INNOVATION = "rejected_innovation"
    OFF_SITE = "off_site"
    ESTIMATED = "estimated"
    UNKNOWN_TAG = "unknown_tag"
    NO_FRAME = "no_frame"


@dataclass(frozen=True, slots=True, kw_only=True)
class TagSpec:
    """One tag of the field file; lag_s: from measurement to first byte, when no message says."""

    tag: str
    sensor: Literal["rtk", "uwb", "gnss"]
    lag_s: float


class Candidate:
    """A fix that was not believed: a second one that agrees with it will be."""

    __slots__ = ("t_ns", "var_m2", "x_m", "y_m")

    def __init__(self, t_ns: int, x_m: float, y_m: float, var_m2: float) -> None:
        self.t_ns = t_ns
        self.x_m = x_m
        self.y_m = y_m
        self.var_m2 = var_m2


class Track:
    """One tag's track, in the field frame, on the host's clock.

    is_started: two fixes that agree have come. t_fix_ns: instant of measurement of the last fix
    used. kind: of the last word of the tag, NO_FIX when it says so. rejected, late: counts.
    """

    __slots__ = (
        "_candidate",
        "_doubt_m2",
        "_doubt_ns",
        "_given",
        "_late_since_ns",
        "_rejected_since_ns",
        "_slow",
        "alignment",
        "filter",
        "is_started",
        "kind",
        "late",
        "rejected",
        "spec",
        "t_fix_ns",
    )

    def __init__(self, spec: TagSpec) -> None:
        self.spec = spec
        self.alignment = Alignment()
        self.is_started = False
        self.t_fix_ns = 0
        self.kind = FixKind.NO_FIX
        self.rejected = 0
        self.late = 0
        self.filter: Kalman | None = None
        self._slow = (0.0, 0.0, 0.0)
        self._candidate: Candidate | None = None
        self._doubt_m2 = 0.0  # of a jump that was believed: which of the two places is wrong?
        self._doubt_ns = 0
        self._given: State | None = None  # the last answer of at(), while nothing has changed
        self._late_since_ns: int | None = None
        self._rejected_since_ns: int | None = None

    @property
    def sigma_m(self) -> float | None:
        """1 sigma of the position at the last fix, along its worse field axis."""
        state = self.at(self.t_fix_ns)
        return None if state is None else max(state.var_x_m2, state.var_y_m2) ** 0.5

    def is_surely_slower(self, limit_mps: float) -> bool:
        """Say whether the speed at the last fix is below a limit by five sigmas and more."""
        kalman = self.filter
        if kalman is None:
            return False
        vx, vy = kalman.vx, kalman.vy
        sigma_mps = max(kalman.vxx, kalman.vyy) ** 0.5
        room_mps: float = limit_mps - 5.0 * sigma_mps
        return room_mps > 0.0 and vx * vx + vy * vy < room_mps * room_mps

    def take(
        self,
        t_ns: int,
        kind: FixKind,
        place_m: tuple[float, float],
        errors: Errors,
        velocity_mps: tuple[float, float] | None,
        sigma_v_mps: float | None,
    ) -> Outcome:
        """Take one fix, measured at t_ns on the host's clock; say what became of it."""
        x, y = place_m
        kalman = self.filter
        if kalman is None:
            return self._start(t_ns, kind, place_m, errors, velocity_mps, Outcome.FIRST)
        dt_ns = t_ns - self.t_fix_ns
        if dt_ns <= 0:
            return self._take_late(t_ns)
        self._late_since_ns = None
        if dt_ns > SILENCE_NS:
            return self._start(t_ns, kind, place_m, errors, velocity_mps, Outcome.FIRST)
        fxx, fxy, fyy, sxx, sxy, syy = errors
        oxx, oxy, oyy = self._slow
        is_other = kind is not self.kind or MUCH_BETTER * (sxx + syy) < oxx + oyy
        if is_other:  # another solution: nothing of the old slow error need remain
            wxx, wxy, wyy = sxx + oxx, sxy + oxy, syy + oyy
        else:
            wxx, wxy, wyy = SLOW_CHANGE * sxx, SLOW_CHANGE * sxy, SLOW_CHANGE * syy
        gxx, gxy, gyy = wxx + fxx, wxy + fxy, wyy + fyy
        dx, dy = x - kalman.x, y - kalman.y
        reach_m = SPEED_MPS * dt_ns * 1e-9 + SPEED_SLACK_M
        if dx * dx + dy * dy > (reach_m + 5.0 * (gxx + gyy + kalman.pxx + kalman.pyy) ** 0.5) ** 2:
            return self._reject(t_ns, kind, place_m, errors, velocity_mps, Outcome.REJECTED_SPEED)
        self._given = None
        kalman.predict(t_ns)
        if kalman.innovation2(x, y, gxx, gxy, gyy) > GATE:
            return self._reject(
                t_ns, kind, place_m, errors, velocity_mps, Outcome.REJECTED_INNOVATION
            )
        if is_other:  # the filter's place has its source's slow error in it
            kalman.widen(wxx, wxy, wyy)
        kalman.take_position(x, y, fxx, fxy, fyy)
        if velocity_mps is not None:
            vx, vy = velocity_mps
            var_v = _var_v(sigma_v_mps)
            dvx, dvy = vx - kalman.vx, vy - kalman.vy
            if dvx * dvx + dvy * dvy < GATE * (kalman.vxx + kalman.vyy + 2.0 * var_v):
                kalman.take_velocity(vx, vy, var_v)
        self._accept(t_ns, kind, errors)
        return Outcome.USED

    def lose_fix(self) -> None:
        """Take the tag's word that it has no fix."""
        self._given = None
        self.kind = FixKind.NO_FIX

    def at(self, t_ns: int) -> State | None:
        """Give the state at an instant, None before the track has started.

        Before the last fix it goes back along the velocity: meant for a fraction of a second.
        """
        given = self._given
        if given is not None and given.t_state_ns == t_ns:
            return given
        kalman = self.filter
        if kalman is None:
            return None
        dt = (t_ns - kalman.t_ns) * 1e-9
        vx, vy = kalman.vx, kalman.vy
        slow_xx, slow_xy, slow_yy = self._slow
        clock = (ALIGNMENT_S * ALIGNMENT_S) * (vx * vx + vy * vy)
        pxx = kalman.pxx + slow_xx + clock
        pxy = kalman.pxy + slow_xy
        pyy = kalman.pyy + slow_yy + clock
        vvv = 0.5 * (kalman.vxx + kalman.vyy)
        if self._doubt_m2:
            doubt = self._doubt_m2 * max(0.0, 1.0 - (t_ns - self._doubt_ns) / DOUBT_NS)
            pxx += doubt
            pyy += doubt
        if dt != 0.0:
            dt2 = dt * dt
            noise = DENSITY_M2PS3 * abs(dt) * dt2 / 3.0
            pxx += 2.0 * dt * kalman.cxx + dt2 * kalman.vxx + noise
            pxy += dt * (kalman.cxy + kalman.cyx) + dt2 * kalman.vxy
            pyy += 2.0 * dt * kalman.cyy + dt2 * kalman.vyy + noise
        self._given = given = State(
            self.spec.tag,
            self.t_fix_ns,
            t_ns,
            self.kind,
            kalman.x + vx * dt,
            kalman.y + vy * dt,
            vx,
            vy,
            pxx,
            pxy,
            pyy,
            vvv,
        )
        return given

    def _accept(self, t_ns: int, kind: FixKind, errors: Errors) -> None:
        self.t_fix_ns = t_ns
        self.kind = kind
        self._slow = errors[3:]
        self._candidate = None
        self._rejected_since_ns = None

    def _start(
        self,
        t_ns: int,
        kind: FixKind,
        place_m: tuple[float, float],
        errors: Errors,
        velocity_mps: tuple[float, float] | None,
        outcome: Outcome,
    ) -> Outcome:
        """Begin at a fix that agrees with the one before it; else keep it as a candidate."""
        candidate = self._candidate
        x, y = place_m
        var_m2 = errors.fast_xx + errors.fast_yy + errors.slow_xx + errors.slow_yy
        if candidate is None or not self._agree(candidate, t_ns, x, y, var_m2):
            self._candidate = Candidate(t_ns, x, y, var_m2)
            return Outcome.CANDIDATE
        if velocity_mps is None:
            dt_s = (t_ns - candidate.t_ns) * 1e-9
            velocity_mps = ((x - candidate.x_m) / dt_s, (y - candidate.y_m) / dt_s)
            var_v = min(START_VAR_V_M2PS2, 2.0 * errors.fast_xx / (dt_s * dt_s) + 1.0)
        else:
            var_v = 1.0
        self.filter = Kalman(
            t_ns=t_ns,
            place_m=place_m,
            cov_m2=(errors.fast_xx, errors.fast_xy, errors.fast_yy),
            velocity_mps=velocity_mps,
            var_v_m2ps2=var_v,
        )
        self.is_started = True
        self._given = None
        self._late_since_ns = None
        self._accept(t_ns, kind, errors)
        return outcome

    def _agree(self, one: Candidate, t_ns: int, x: float, y: float, var_m2: float) -> bool:
        dt_s = (t_ns - one.t_ns) * 1e-9
        if not 0.0 < dt_s <= STANDING_S:
            return False
        reach_m = SPEED_MPS * dt_s if dt_s <= AGREE_S else STANDING_M
        reach_m += 3.0 * math.sqrt(SLOW_CHANGE * (one.var_m2 + var_m2))
        return math.hypot(x - one.x_m, y - one.y_m) <= reach_m

    def _reject(
        self,
        t_ns: int,
        kind: FixKind,
        place_m: tuple[float, float],
        errors: Errors,
        velocity_mps: tuple[float, float] | None,
        outcome: Outcome,
    ) -> Outcome:
        """Don't believe a fix, unless a second agrees with it or none has been used for long."""
        self.rejected += 1
        if self._rejected_since_ns is None:
            self._rejected_since_ns = t_ns
        if t_ns - self._rejected_since_ns >= REOPEN_NS:
            self._candidate = Candidate(t_ns - NS // 10, *place_m, 0.0)
        before = self.filter
        begun = self._start(t_ns, kind, place_m, errors, velocity_mps, Outcome.REOPENED)
        if begun is Outcome.CANDIDATE or before is None:
            return outcome
        jump_m = math.hypot(place_m[0] - before.x, place_m[1] - before.y)
        self._doubt_m2 = (DOUBT_SHARE * min(jump_m, DOUBT_MOST_M)) ** 2
        self._doubt_ns = t_ns
        return begun

    def _take_late(self, t_ns: int) -> Outcome:
        """Count a fix that is not newer than the last; after a second of nothing else, begin anew.

        The same instant again is a repeat.
        """
        if t_ns == self.t_fix_ns:
            return Outcome.REPEAT
        self.late += 1
        if self._late_since_ns is None or t_ns < self._late_since_ns:
            self._late_since_ns = t_ns
        elif t_ns - self._late_since_ns >= REOPEN_NS:
            self.filter = None
            self._given = None
            self.is_started = False
            self._candidate = None
        return Outcome.LATE


def _var_v(sigma_v_mps: float | None) -> float:
    if sigma_v_mps is None or not sigma_v_mps > 0.0:
        return SIGMA_V_MPS * SIGMA_V_MPS
    sigma = min(max(SIGMA_V_FLOOR_MPS, sigma_v_mps), SIGMA_V_MOST_MPS)
    return sigma * sigma
