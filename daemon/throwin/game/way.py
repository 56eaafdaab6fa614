"""Which way round a whole line-up stands (C18), and how it stood when the ball was thrown."""

from collections import deque
from collections.abc import Sequence

from throwin.game.ends import Way
from throwin.game.judgement import Judgement, Verdict
from throwin.game.person import Person
from throwin.game.profile import Profile
from throwin.game.roster import Team
from throwin.game.rules import Measure, Rule

LATCH_NS = 1_000_000_000  # before the release: the start itself must not tell which way they stood
ODD = 1  # of each team: one who leans over the line, or is not seen, hides no C18 from the umpire


class WayJudgement(Judgement):
    """C18: what is said of all riders of a line-up at once, from what C5 says of each.

    Its rider is the one who is least surely wrong; its P is the least that they all are wrong
    (Boole).
    """

    __slots__ = ("_sides", "is_wrong", "way")

    def __init__(self, rule: Rule, sides: Sequence[Judgement]) -> None:
        self._sides = tuple(sides)
        self.way = Way.UNKNOWN
        self.is_wrong = False
        super().__init__(rule, self._sides[0].rider, None)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Everybody in the line-up."""
        return tuple(side.rider.entity for side in self._sides if side.rider.is_in_lineup)

    @property
    def who(self) -> str:
        """The line-up, in words for the technician."""
        return "the line-up"

    def look(self, profile: Profile) -> None:
        """Judge anew, from the judgements of the sides as they are."""
        sides = [side for side in self._sides if side.rider.is_in_lineup]
        seen = [side for side in sides if side.measure is not None]
        if not seen:
            self.reset("nobody in the line-up can be told to stand right or wrong")
            self.way, self.is_wrong = Way.UNKNOWN, False
            return
        least = min(seen, key=lambda side: side.p)
        self.rider = least.rider
        self.is_wrong = _is_wrong(sides, profile)
        p = max(0.0, 1.0 - sum(1.0 - side.p for side in seen)) if len(seen) == len(sides) else 0.0
        if least.p <= profile.clear:
            self.way = Way.RIGHT
        elif p >= profile.sure and _has_both(sides):
            self.way = Way.WRONG
        else:
            self.way = Way.UNKNOWN
        if least.measure is not None:
            self._take(least.measure._replace(p=p), max(side.t_ns for side in seen), profile)
        self.is_sure = self.is_wrong and any(side.is_sure for side in sides)
        self._decide()

    def _take(self, measure: Measure, t_ns: int, profile: Profile) -> None:
        self.measure = measure
        self.t_ns = t_ns
        if self.is_wrong:
            self._over_since_ns = None
            self.is_over = False
            return
        if self._over_since_ns is None:
            self._over_since_ns = t_ns
        self.is_over = t_ns - self._over_since_ns >= profile.end_ns

    def _decide(self) -> None:
        if self.is_sure:
            self.verdict, self.reason = Verdict.BREACH, ""
        elif self.way is Way.RIGHT:
            self.verdict, self.reason = Verdict.CLEAR, ""
        else:
            self.verdict, self.reason = Verdict.POSSIBLE, "too close to call"


def _is_wrong(sides: Sequence[Judgement], profile: Profile) -> bool:
    """Say whether all of both teams stand wrong, but for one of each who can't be told."""
    for team in Team:
        own = [side for side in sides if side.rider.member.team is team]
        wrong = sum(1 for side in own if side.measure is not None and side.p >= profile.over)
        if not wrong or wrong < len(own) - ODD:
            return False
    return not any(side.measure is not None and side.p <= profile.clear for side in sides)


def _has_both(sides: Sequence[Judgement]) -> bool:
    teams = {side.rider.member.team for side in sides}
    return all(team in teams for team in Team)


class Latch:
    """How a line-up stood, over the last moments before the release."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: deque[tuple[int, Way, tuple[Person, ...]]] = deque()

    def clear(self) -> None:
        """Forget: there is no line-up."""
        self._seen.clear()

    def look(self, now_ns: int, way: Way, in_lineup: tuple[Person, ...]) -> None:
        """Take how it stands now and who is in it; what is older than the latch needs goes."""
        self._seen.append((now_ns, way, in_lineup))
        while len(self._seen) > 1 and now_ns - self._seen[1][0] >= LATCH_NS:
            self._seen.popleft()

    def way(self) -> Way:
        """Give how it stood a moment before the newest look; unknown when nobody looked."""
        return self._seen[0][1] if self._seen else Way.UNKNOWN

    def in_lineup(self) -> tuple[Person, ...]:
        """Give who was in it then."""
        return self._seen[0][2] if self._seen else ()
