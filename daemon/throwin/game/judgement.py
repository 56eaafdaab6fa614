"""One rule for one rider (and one umpire): its verdict, and how long it has been so."""

import enum

from throwin.game.person import Person
from throwin.game.profile import Profile
from throwin.game.rules import Clause, Measure, Rule
from throwin.tags.observation import FixKind

BRAKING = 0.7  # of the highest closing speed: below it he slows down
_BEYOND = (Clause.C5, Clause.C18)  # worse as the value grows; the others as it shrinks
SURE_FIXES = 2  # nothing is announced from one fix


class Verdict(enum.Enum):
    """The four answers."""

    BREACH = "breach"
    CLEAR = "clear"
    POSSIBLE = "possible"
    CANNOT_TELL = "cannot_tell"


class Stage(enum.Enum):
    """How far the alert of a judgement has come."""

    NONE = "none"
    NOTICE = "notice"
    WARNING = "warning"
    HOLD = "hold"


class Judgement:
    """What one rule says of one rider; umpire is the one whose 5 yd count, None for the line.

    t_ns: the instant that it is for. is_sure, is_over: at the sure level, or below the level
    where an alert ends, through the dwell.
    """

    __slots__ = (
        "_closing_most_mps",
        "_closing_since_ns",
        "_fixes",
        "_over_since_ns",
        "_rider_fix_ns",
        "_sure_since_ns",
        "acknowledged",
        "alert_id",
        "covered_ns",
        "has_warned",
        "is_acknowledged",
        "is_over",
        "is_sure",
        "last_closing_ns",
        "left_since_ns",
        "measure",
        "reason",
        "rider",
        "rule",
        "stage",
        "t_ns",
        "umpire",
        "verdict",
    )

    def __init__(self, rule: Rule, rider: Person, umpire: Person | None) -> None:
        self.rule = rule
        self.rider = rider
        self.umpire = umpire
        self.alert_id = ""
        self.stage = Stage.NONE
        self.is_acknowledged = False
        self.has_warned = False
        self.acknowledged = 0.0  # its value when it was acknowledged
        self.covered_ns = -1  # until then another alert spoke for it
        self.left_since_ns: int | None = None  # of no account since then
        self.last_closing_ns: int | None = None
        self.reset("not judged yet")

    @property
    def subjects(self) -> tuple[str, ...]:
        """Who it is about."""
        if self.umpire is None:
            return (self.rider.entity,)
        return (self.rider.entity, self.umpire.entity)

    @property
    def who(self) -> str:
        """Who it is about, in words for the technician."""
        return self.rider.entity

    @property
    def p(self) -> float:
        """P(infringed); one half where nothing is known."""
        return 0.5 if self.measure is None else self.measure.p

    def reset(self, reason: str) -> None:
        """Forget: nothing can be told, for this reason."""
        self.t_ns = -1
        self.measure: Measure | None = None
        self.verdict = Verdict.CANNOT_TELL
        self.reason = reason
        self.is_sure = False
        self.is_over = False
        self._sure_since_ns: int | None = None
        self._over_since_ns: int | None = None
        self._closing_since_ns: int | None = None
        self._closing_most_mps = 0.0
        self._rider_fix_ns = -1
        self._fixes = 0

    def take(self, measure: Measure, t_ns: int, profile: Profile) -> None:
        """Take the rule's value at an instant, and decide."""
        self.measure = measure
        self.t_ns = t_ns
        p = measure.p
        self._take_sure(p, t_ns, profile)
        if p < profile.over:
            if self._over_since_ns is None:
                self._over_since_ns = t_ns
            self.is_over = t_ns - self._over_since_ns >= profile.end_ns
        else:
            self._over_since_ns = None
            self.is_over = False
        self._take_closing(measure, t_ns, profile)
        if p <= profile.clear:
            self.verdict, self.reason = Verdict.CLEAR, ""
        elif self.is_sure:
            self.verdict, self.reason = Verdict.BREACH, ""
        elif self._can_decide():
            self.verdict, self.reason = Verdict.POSSIBLE, "too close to call"
        else:
            self.verdict, self.reason = Verdict.CANNOT_TELL, self._why_not()

    def take_far(self, distance_m: float, limit_m: float, t_ns: int, profile: Profile) -> None:
        """Take it that he is so far off that no error brings him near: P is nothing."""
        self.take(Measure(0.0, distance_m, limit_m, 0.0, 0.0, 0.0), t_ns, profile)

    @property
    def is_quiet(self) -> bool:
        """Say whether nothing is to be followed: clear, and it was so before."""
        return (
            self.stage is Stage.NONE
            and self.verdict is Verdict.CLEAR
            and self._closing_since_ns is None
            and not self.has_warned
        )

    def _take_sure(self, p: float, t_ns: int, profile: Profile) -> None:
        if p < profile.sure:
            self._sure_since_ns = None
            self.is_sure = False
            return
        fix_ns = self.rider.track.t_fix_ns
        if self._sure_since_ns is None:
            self._sure_since_ns = t_ns
            self._fixes = 0
            self._rider_fix_ns = -1
        if fix_ns != self._rider_fix_ns:
            self._rider_fix_ns = fix_ns
            self._fixes += 1
        self.is_sure = self._fixes >= SURE_FIXES and t_ns - self._sure_since_ns >= profile.raise_ns

    def _take_closing(self, measure: Measure, t_ns: int, profile: Profile) -> None:
        """Watch for one who will be at the limit soon, at the speed at which he closes in."""
        gap_m = measure.value - measure.limit
        closing_mps = measure.closing_mps
        is_soon = (
            self.rule.clause is Clause.C6
            and closing_mps - measure.sigma_v_mps > profile.warning_closing_mps
            and 0.0 < gap_m < closing_mps * profile.warning_time_s
        )
        if not is_soon:
            self._closing_since_ns = None
            return
        if self._closing_since_ns is None:
            self._closing_since_ns = t_ns
            self._closing_most_mps = closing_mps
        self._closing_most_mps = max(self._closing_most_mps, closing_mps)
        self.last_closing_ns = t_ns

    def is_sure_for(self, duration_ns: int) -> bool:
        """Say whether it has been at the sure level for so long, with nothing said of it."""
        since_ns = self._sure_since_ns
        return since_ns is not None and self.t_ns - max(since_ns, self.covered_ns) > duration_ns

    @property
    def is_nearing(self) -> bool:
        """Say whether he closes in just now."""
        return self._closing_since_ns is not None

    def is_worse(self, profile: Profile) -> bool:
        """Say whether an acknowledged breach has become so much deeper that it is told again."""
        if not self.is_acknowledged or self.measure is None:
            return False
        if self.rule.clause is Clause.C10:
            return False  # a speed comes and goes; another rush is another alert
        deeper_m = self.measure.value - self.acknowledged
        return (deeper_m if self.rule.clause in _BEYOND else -deeper_m) >= profile.worse_m

    def has_left(self, profile: Profile, *, is_relevant: bool) -> bool:
        """Say whether it has been of no account for long enough to end its alert."""
        if is_relevant or self.t_ns < 0:
            self.left_since_ns = None
            return False
        if self.left_since_ns is None:
            self.left_since_ns = self.t_ns
        return self.t_ns - self.left_since_ns >= profile.leave_ns

    def is_closing(self, profile: Profile) -> bool:
        """Say whether he has been closing in for the warning's dwell, and does not brake.

        Who rides up to his place slows down before it: he needs no warning.
        """
        since_ns, measure = self._closing_since_ns, self.measure
        return (
            since_ns is not None
            and measure is not None
            and self.t_ns - since_ns >= profile.warning_dwell_ns
            and measure.closing_mps >= BRAKING * self._closing_most_mps
        )

    def _can_decide(self) -> bool:
        kinds = self.rule.decides
        return self.rider.track.kind in kinds and (
            self.umpire is None or self.umpire.track.kind in kinds
        )

    def _why_not(self) -> str:
        for person in (self.rider, self.umpire):
            if person is not None and person.track.kind not in self.rule.decides:
                kind = FixKind(person.track.kind).name.lower().replace("_", " ")
                return f"{person.entity}: a fix of kind {kind} can't decide it"
        return "too close to call"
