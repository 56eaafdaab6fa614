"""One player or umpire on the field: who he is, his track, his motion, his place in the line-up."""

from throwin.game.motion import Motion
from throwin.game.roster import Member
from throwin.tracking.state import State
from throwin.tracking.track import Track


class Person:
    """One player or umpire. member: who. lineup_since_ns: in the line-up since then, else None."""

    __slots__ = ("entity", "lineup_since_ns", "member", "motion", "state", "track")

    def __init__(self, member: Member, track: Track) -> None:
        self.member = member
        self.entity = member.entity
        self.track = track
        self.motion = Motion()
        self.state: State | None = None  # at its newest fix
        self.lineup_since_ns: int | None = None

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
