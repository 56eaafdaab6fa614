"""Horses that start: a fidget, a breach to come, or the line-up that is off after the ball.

Nobody sees the ball leave the umpire's hand; who starts, with whom and how fast tells it.
"""

from collections.abc import Sequence

from throwin.game.person import Person
from throwin.game.profile import Profile
from throwin.game.roster import Team

CALM_NS = 3_000_000_000  # without a start for so long, the next one is a new one


class Start:
    """Those of an armed line-up who started together, and for how long that explains much."""

    __slots__ = ("_excuse_from_ns", "_excused_ns", "_onset_ns", "_profile", "_riders", "_together")

    def __init__(self, riders: Sequence[Person], profile: Profile) -> None:
        self._riders = riders
        self._profile = profile
        self._onset_ns: int | None = None  # of the first of those who started together
        self._together: list[Person] = []
        self._excused_ns: int | None = None
        self._excuse_from_ns = 0

    def clear(self) -> None:
        """Forget who started."""
        self._onset_ns = None
        self._together = []

    def note(self, person: Person) -> None:
        """Put a rider who starts from the line-up with those who start with him."""
        onset_ns = person.motion.onset_ns
        if person.member.team is None or onset_ns is None or onset_ns != person.t_fix_ns:
            return
        if not person.is_in_lineup:
            return
        if self._onset_ns is None or onset_ns - self._onset_ns > self._profile.surge_defer_ns:
            self._onset_ns = onset_ns
            self._together = []
        if person not in self._together:
            self._together.append(person)

    def is_deferring(self, t_ns: int) -> bool:
        """Say whether horses have just started, so that a HOLD waits for what it may be.

        One who starts alone earns a moment; many of both teams the time in which a throw shows.
        """
        if self._onset_ns is None:
            return False
        profile = self._profile
        is_wide = self._is_enough(self._together)
        return t_ns - self._onset_ns <= (profile.surge_defer_ns if is_wide else profile.defer_ns)

    def is_excuse(self, t_ns: int, now_ns: int) -> bool:
        """Say whether READY may wait for what a start will be: once, not for start after start.

        t_ns: the tracks' newest instant.
        """
        if not self.is_deferring(t_ns):
            return False
        if self._excused_ns is None or now_ns - self._excused_ns > CALM_NS:
            self._excuse_from_ns = now_ns
        self._excused_ns = now_ns
        return now_ns - self._excuse_from_ns <= self._profile.surge_defer_ns

    def is_as_one(self) -> bool:
        """Say whether many of both teams move: then nobody creeps, the line-up does."""
        moving = [r for r in self._riders if r.is_in_lineup and not r.motion.is_slow]
        return self._is_enough(moving)

    def has_surged(self, person: Person) -> bool:
        """Say whether enough of those who started together ride as one does after the ball."""
        if self._onset_ns is None or person not in self._together or person.t_fix_ns is None:
            return False
        if person.t_fix_ns - self._onset_ns > self._profile.surge_defer_ns:
            return False
        fast_mps = self._profile.surge_mps
        return self._is_enough([r for r in self._together if r.motion.speed_mps >= fast_mps])

    def _is_enough(self, riders: Sequence[Person]) -> bool:
        """Say whether so many riders, of both teams, are what a start is told by."""
        teams = [rider.member.team for rider in riders]
        return len(teams) >= self._profile.release_riders and all(team in teams for team in Team)
