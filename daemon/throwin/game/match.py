"""The match: the phase of the throw-in, and who attacks which end; table-driven.

Every change says what triggered it. C7, C16, C18 and K6..K8 come with the rest of Rule 20; here
the ends are what the draw, a goal or a command says they are.
"""

import enum
from typing import NamedTuple

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
    Row(Cause.BALL_OUT, (Phase.THROWN,), Phase.OPEN),
    Row(Cause.DISPERSED, (Phase.THROWN,), Phase.OPEN),
    Row(Cause.ABORT, _ANY, Phase.BETWEEN),
    Row(Cause.WHISTLE, _ANY, Phase.BETWEEN),
    Row(Cause.GOAL, _ANY, Phase.BETWEEN),
    Row(Cause.PERIOD, _ANY, Phase.BETWEEN),
)
_NEXT = {(phase, row.cause): row.to for row in TRANSITIONS for phase in row.phases}


class End(enum.Enum):
    """The goal that a team attacks, as the field file names them."""

    NORTH = "north"
    SOUTH = "south"
    UNKNOWN = "unknown"

    @property
    def other(self) -> "End":
        """The opposite end; unknown stays unknown."""
        return _OTHER[self]


_OTHER = {End.NORTH: End.SOUTH, End.SOUTH: End.NORTH, End.UNKNOWN: End.UNKNOWN}


class Match:
    """Phase and ends of one match."""

    __slots__ = ("_before_throw", "_is_settled", "expected", "in_force", "phase")

    def __init__(self, red_attacks: End) -> None:
        self.phase = Phase.BETWEEN
        self.expected = red_attacks
        self.in_force = End.UNKNOWN
        self._is_settled = False  # a throw since the last draw, goal or period start
        self._before_throw = (False, End.UNKNOWN)

    @property
    def standing(self) -> End:
        """The end that red attacks as far as a line-up is judged now."""
        return self.in_force if self._is_settled else self.expected

    def after(self, cause: Cause) -> Phase | None:
        """Give the phase that a cause would lead to, None where it leads nowhere."""
        return _NEXT.get((self.phase, cause))

    def move(self, cause: Cause) -> Phase | None:
        """Let a cause act; gives the phase that it leads to, None where it leads nowhere.

        A goal or the end of a period counts in every phase, also when the phase stays.
        """
        to = self.after(cause)
        if to is None:
            return None
        if to is Phase.THROWN:
            self._settle()
        elif self.phase is Phase.THROWN and to in (Phase.FORMING, Phase.ARMED):
            self._is_settled, self.in_force = self._before_throw
        elif cause is Cause.GOAL:
            self.expected = self.in_force.other if self._is_settled else self.expected
            self._is_settled = False
        elif cause is Cause.PERIOD:
            self._is_settled = False
        self.phase = to
        return to

    def _settle(self) -> None:
        """Take the ends as they are expected, at the first throw since they were last open."""
        self._before_throw = (self._is_settled, self.in_force)
        if not self._is_settled:
            self.in_force = self.expected
            self._is_settled = True

    def set_ends(self, red_attacks: End) -> None:
        """Take the word of the draw or of a command."""
        self.expected = red_attacks
        if self._is_settled:
            self.in_force = red_attacks


def wrong_side_sign(team: Team, red_attacks: End) -> int:
    """Give the sign of x_field on which a team stands wrong (C5), 0 when nobody knows.

    A team stands on the side of the goal that it defends, so it is wrong where it attacks.
    """
    north = {End.NORTH: 1, End.SOUTH: -1, End.UNKNOWN: 0}[red_attacks]
    return north if team is Team.RED else -north
