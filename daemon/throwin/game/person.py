"""One player or umpire on the field: who he is, his track, his motion, his place in the line-up."""

import math

from throwin.game.motion import Motion
from throwin.game.profile import Profile
from throwin.game.roster import Member
from throwin.tracking.track import Track


class Person:
    """One player or umpire.

    member: who. t_fix_ns: of the fix at which his place was last looked at, None before the first.
    lineup_since_ns: in the line-up since then, else None.
    """

    __slots__ = (
        "entity",
        "lineup_since_ns",
        "member",
        "motion",
        "t_fix_ns",
        "track",
        "x_field_m",
        "y_field_m",
    )

    def __init__(self, member: Member, track: Track) -> None:
        self.member = member
        self.entity = member.entity
        self.track = track
        self.motion = Motion()
        self.t_fix_ns: int | None = None
        self.x_field_m = 0.0
        self.y_field_m = 0.0
        self.lineup_since_ns: int | None = None

    def look(self, profile: Profile) -> None:
        """Take his place and his motion at his newest fix."""
        track = self.track
        kalman = track.filter
        if kalman is None or track.t_fix_ns == self.t_fix_ns:
            return
        self.t_fix_ns = track.t_fix_ns
        self.x_field_m, self.y_field_m = kalman.x, kalman.y
        vx, vy = kalman.vx, kalman.vy
        var_v = 0.5 * (kalman.vxx + kalman.vyy)
        self.motion.see(track.t_fix_ns, math.sqrt(vx * vx + vy * vy), math.sqrt(var_v), profile)

    def is_at_rest(self, profile: Profile) -> bool:
        """Say whether he has been at rest for the profile's time."""
        return self.t_fix_ns is not None and self.motion.is_at_rest(self.t_fix_ns, profile)

    @property
    def is_in_lineup(self) -> bool:
        """Say whether he is in the line-up."""
        return self.lineup_since_ns is not None

    def age_ns(self, now_ns: int) -> int | None:
        """Give the age of his position, None when he has none."""
        return now_ns - self.track.t_fix_ns if self.track.is_started else None

    def is_within(self, now_ns: int, age_ns: int) -> bool:
        """Say whether he has a position not older than that."""
        return self.track.is_started and now_ns - self.track.t_fix_ns <= age_ns
