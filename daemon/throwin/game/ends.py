"""Who attacks which end: what is expected, what is in force, and the score; table-driven.

C7: the draw says what is expected. C15: the first throw after the draw, a goal or a period's end
puts it in force, as the line-up stood. C18: all the wrong way round puts the opposite in force.
C16: a goal counts for the team that attacks that end, by what is in force, and changes the ends.
"""

import enum
from typing import Literal, NamedTuple

from throwin.game.roster import Team


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


class Way(enum.Enum):
    """How a line-up stands: somebody surely right, all surely wrong, or it can't be told."""

    RIGHT = "right"
    WRONG = "wrong"
    UNKNOWN = "unknown"


class Turn(enum.Enum):
    """What can change the ends."""

    DRAW = "draw"
    SAID = "said"  # a command says what they are
    THROWN_RIGHT = "thrown the right way"
    THROWN_WRONG = "thrown the wrong way"
    THROWN_UNSEEN = "thrown, the way unknown"
    GOAL = "goal"
    GOAL_SAME_ENDS = "goal, ends kept"
    PERIOD = "period"
    PERIOD_CHANGE = "period, ends changed"


class Source(enum.Enum):
    """Where the new value of an end comes from."""

    EXPECTED = "expected"
    NOT_EXPECTED = "the opposite of expected"
    IN_FORCE = "in force"
    NOT_IN_FORCE = "the opposite of in force"
    SAID = "as said"
    UNKNOWN = "unknown"


class EndsRow(NamedTuple):
    """One row of the table: a turn, with the ends in force or open, and what it leaves."""

    turn: Turn
    is_in_force: bool
    expected: Source
    in_force: Source
    leaves_in_force: bool


_S = Source
ENDS: tuple[EndsRow, ...] = (
    # Open: no throw since the draw, the last goal or the last period's end.
    EndsRow(Turn.DRAW, False, _S.SAID, _S.UNKNOWN, False),
    EndsRow(Turn.SAID, False, _S.SAID, _S.UNKNOWN, False),
    EndsRow(Turn.THROWN_RIGHT, False, _S.EXPECTED, _S.EXPECTED, True),
    EndsRow(Turn.THROWN_WRONG, False, _S.EXPECTED, _S.NOT_EXPECTED, True),
    EndsRow(Turn.THROWN_UNSEEN, False, _S.EXPECTED, _S.UNKNOWN, True),
    EndsRow(Turn.PERIOD, False, _S.EXPECTED, _S.UNKNOWN, False),
    EndsRow(Turn.PERIOD_CHANGE, False, _S.NOT_EXPECTED, _S.UNKNOWN, False),
    # In force: a restart within the period changes nothing (C18 gives no second warning).
    EndsRow(Turn.SAID, True, _S.EXPECTED, _S.SAID, True),
    EndsRow(Turn.THROWN_RIGHT, True, _S.EXPECTED, _S.IN_FORCE, True),
    EndsRow(Turn.THROWN_WRONG, True, _S.EXPECTED, _S.IN_FORCE, True),
    EndsRow(Turn.THROWN_UNSEEN, True, _S.EXPECTED, _S.IN_FORCE, True),
    # K6: what was in force changes, not what had been expected.
    EndsRow(Turn.GOAL, True, _S.NOT_IN_FORCE, _S.UNKNOWN, False),
    EndsRow(Turn.GOAL_SAME_ENDS, True, _S.EXPECTED, _S.UNKNOWN, False),
    # K7: after a period all wrong, the right direction is the expected one again.
    EndsRow(Turn.PERIOD, True, _S.EXPECTED, _S.UNKNOWN, False),
    EndsRow(Turn.PERIOD_CHANGE, True, _S.NOT_EXPECTED, _S.UNKNOWN, False),
)
_ROWS = {(row.turn, row.is_in_force): row for row in ENDS}
_THROWN = {
    Way.RIGHT: Turn.THROWN_RIGHT,
    Way.WRONG: Turn.THROWN_WRONG,
    Way.UNKNOWN: Turn.THROWN_UNSEEN,
}


class EndsState(NamedTuple):
    """All that the ends and the score are, to be kept and put back.

    expected, in_force: the end that red attacks. last: what was in force until it last ended.
    is_owed: a goal was made whose team nobody has said yet.
    """

    expected: End
    in_force: End
    is_in_force: bool
    is_drawn: bool
    last: End
    is_owed: bool
    red: int
    blue: int


class Ends:
    """Ends and score of one match. change: what changes the ends, by the rulebook."""

    __slots__ = ("_before_throw", "_change", "state")

    def __init__(self, red_attacks: End, change: Literal["goal", "period"] = "goal") -> None:
        self._change = change
        is_drawn = red_attacks is not End.UNKNOWN
        self.state = EndsState(red_attacks, End.UNKNOWN, False, is_drawn, End.UNKNOWN, False, 0, 0)
        self._before_throw = self.state

    @property
    def standing(self) -> End:
        """The end that red attacks as far as a line-up is judged now."""
        return self.state.in_force if self.state.is_in_force else self.state.expected

    @property
    def is_drawn(self) -> bool:
        """Say whether lots have been drawn (C7)."""
        return self.state.is_drawn

    @property
    def is_wrong(self) -> bool:
        """Say whether the play goes on the wrong way round (C18), or in a way nobody knows."""
        state = self.state
        return state.is_in_force and state.in_force is not state.expected

    def draw(self, red_attacks: End) -> None:
        """Take what the lots say."""
        self._turn(Turn.DRAW, red_attacks)
        self.state = self.state._replace(is_drawn=True)

    def say(self, red_attacks: End) -> None:
        """Take the word of a command: of the play that goes on, else of the next line-up."""
        self._turn(Turn.SAID, red_attacks)
        if self.state.expected is End.UNKNOWN:
            self.state = self.state._replace(expected=red_attacks)

    def throw(self, way: Way) -> None:
        """Put the ends in force, as the line-up stood, unless they are already."""
        self._before_throw = self.state
        self._turn(_THROWN[way])

    def take_back(self) -> None:
        """Take it that the throw was none."""
        self.state = self._before_throw

    def goal(self, by: Team | None) -> None:
        """Count a goal for a team, None when nobody has said which, and let the ends change.

        To be called only when `is_goal_possible`.
        """
        last = self.standing
        self._turn(Turn.GOAL if self._change == "goal" else Turn.GOAL_SAME_ENDS)
        self.state = self.state._replace(last=last, is_owed=by is None)
        self.score(by)

    @property
    def is_goal_possible(self) -> bool:
        """Say whether there has been a throw since the draw, the last goal or period."""
        return self.state.is_in_force

    def score(self, by: Team | None) -> None:
        """Count a goal that changes no ends: one owed, or one given by a penalty."""
        if by is None:
            return
        state = self.state
        red, blue = state.red + (by is Team.RED), state.blue + (by is Team.BLUE)
        self.state = state._replace(red=red, blue=blue)

    def settle(self, by: Team) -> None:
        """Say whose goal it was that is owed."""
        self.score(by)
        self.state = self.state._replace(is_owed=False)

    def restore(self, state: EndsState) -> None:
        """Put back what was kept."""
        self.state = state

    def period(self) -> None:
        """End the period."""
        self._turn(Turn.PERIOD if self._change == "goal" else Turn.PERIOD_CHANGE)

    def team_at(self, goal: End) -> Team | None:
        """Give the team for which a goal there counts (C16), None when it is not known."""
        red_attacks = self.state.last if self.state.is_owed else self.standing
        if End.UNKNOWN in (goal, red_attacks):
            return None
        return Team.RED if goal is red_attacks else Team.BLUE

    def _turn(self, turn: Turn, said: End = End.UNKNOWN) -> None:
        state = self.state
        row = _ROWS.get((turn, state.is_in_force))
        if row is None:
            return
        ends = {
            Source.EXPECTED: state.expected,
            Source.NOT_EXPECTED: state.expected.other,
            Source.IN_FORCE: state.in_force,
            Source.NOT_IN_FORCE: state.in_force.other,
            Source.SAID: said,
            Source.UNKNOWN: End.UNKNOWN,
        }
        self.state = state._replace(
            expected=ends[row.expected],
            in_force=ends[row.in_force],
            is_in_force=row.leaves_in_force,
        )


def wrong_side_sign(team: Team, red_attacks: End) -> int:
    """Give the sign of x_field on which a team stands wrong (C5), 0 when nobody knows.

    A team stands on the side of the goal that it defends, so it is wrong where it attacks.
    """
    north = {End.NORTH: 1, End.SOUTH: -1, End.UNKNOWN: 0}[red_attacks]
    return north if team is Team.RED else -north
