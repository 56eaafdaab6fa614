"""The match: the phase of the throw-in, table-driven, and with it the ends.

Every change says what triggered it.
"""

import enum
from typing import NamedTuple

from throwin.game.ends import End, Ends, Way
from throwin.game.roster import Team


class Phase(enum.Enum):
    """Where a throw-in stands."""

    BETWEEN = "between"
    FORMING = "forming"
    ARMED = "armed"
    THROWN = "thrown"
    OPEN = "open"


class Cause(enum.Enum):
    """What can move the phase: a word of someone, or what the tracks show."""

    READY = "ready"
    THROW = "throw"
    BALL_OUT = "ball_out"
    RETAKE = "retake"
    CANCEL = "cancel"
    ABORT = "abort"
    WHISTLE = "whistle"
    GOAL = "goal"
    PERIOD = "period"
    LINEUP_FORMS = "lineup_forms"
    LINEUP_STANDS = "lineup_stands"
    LINEUP_BREAKS = "lineup_breaks"
    LINEUP_GONE = "lineup_gone"
    SURGE = "surge"
    SURGE_ENDS = "surge_ends"
    DISPERSED = "dispersed"
    UNDO = "undo"


class Row(NamedTuple):
    """One row of the table: in one of these phases, this cause leads to that phase."""

    cause: Cause
    phases: tuple[Phase, ...]
    to: Phase


_ANY = tuple(Phase)
TRANSITIONS: tuple[Row, ...] = (
    Row(Cause.LINEUP_FORMS, (Phase.BETWEEN, Phase.OPEN), Phase.FORMING),
    Row(Cause.LINEUP_STANDS, (Phase.FORMING,), Phase.ARMED),
    Row(Cause.READY, (Phase.BETWEEN, Phase.FORMING, Phase.ARMED, Phase.OPEN), Phase.ARMED),
    Row(Cause.LINEUP_BREAKS, (Phase.ARMED,), Phase.FORMING),
    Row(Cause.LINEUP_GONE, (Phase.FORMING,), Phase.BETWEEN),
    Row(Cause.CANCEL, (Phase.ARMED, Phase.THROWN), Phase.FORMING),
    Row(Cause.SURGE, (Phase.ARMED,), Phase.THROWN),
    Row(Cause.SURGE_ENDS, (Phase.THROWN,), Phase.ARMED),
    Row(Cause.THROW, (Phase.BETWEEN, Phase.FORMING, Phase.ARMED), Phase.THROWN),
    Row(Cause.RETAKE, (Phase.THROWN,), Phase.FORMING),
    # From between: play that begins without a throw-in, as with a hit-in or a free hit.
    Row(Cause.BALL_OUT, (Phase.BETWEEN, Phase.THROWN), Phase.OPEN),
    Row(Cause.DISPERSED, (Phase.THROWN,), Phase.OPEN),
    Row(Cause.ABORT, _ANY, Phase.BETWEEN),
    Row(Cause.WHISTLE, _ANY, Phase.BETWEEN),
    Row(Cause.GOAL, _ANY, Phase.BETWEEN),
    Row(Cause.PERIOD, _ANY, Phase.BETWEEN),
    Row(Cause.UNDO, (Phase.BETWEEN,), Phase.OPEN),
)
_NEXT = {(phase, row.cause): row.to for row in TRANSITIONS for phase in row.phases}


class Match:
    """Phase and ends of one match."""

    __slots__ = ("ends", "phase")

    def __init__(self, ends: Ends) -> None:
        self.phase = Phase.BETWEEN
        self.ends = ends

    @property
    def standing(self) -> End:
        """The end that red attacks as far as a line-up is judged now."""
        return self.ends.standing

    def after(self, cause: Cause) -> Phase | None:
        """Give the phase that a cause would lead to, None where it leads nowhere."""
        if cause is Cause.GOAL and not self.ends.is_goal_possible:
            return None
        return _NEXT.get((self.phase, cause))

    def move(self, cause: Cause, *, way: Way = Way.UNKNOWN, by: Team | None = None) -> Phase | None:
        """Let a cause act; gives the phase that it leads to, None where it leads nowhere.

        way: how the line-up stood, of a throw. by: whose a goal is. A period's end counts in every
        phase, also when the phase stays.
        """
        to = self.after(cause)
        if to is None:
            return None
        if to is Phase.THROWN:
            self.ends.throw(way)
        elif self.phase is Phase.THROWN and to in (Phase.FORMING, Phase.ARMED):
            self.ends.take_back()
        elif cause is Cause.GOAL:
            self.ends.goal(by)
        elif cause is Cause.PERIOD:
            self.ends.period()
        self.phase = to
        return to
