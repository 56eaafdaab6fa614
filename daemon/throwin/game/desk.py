"""The desk: commands and the umpire's buttons, made into what the referee does.

A command has an id and acts once; every command is answered, with the reason when it is refused.
"""

from typing import NamedTuple, assert_never

from throwin.event import Command, Verb
from throwin.game import record
from throwin.game.ends import End, EndsState, Way
from throwin.game.finding import Happened
from throwin.game.match import Cause, Phase
from throwin.game.referee import Referee
from throwin.game.roster import Roster, RosterError, Team
from throwin.tags.observation import Button, Press

REMEMBERED = 256  # commands whose answer is given again when they come again

TWICE_NS = 10_000_000_000  # no goal follows another so soon
_TEAMS = {team.value: team for team in Team}
_GOALS = {end.value: end for end in (End.NORTH, End.SOUTH)}

_PLAIN = {
    Verb.READY: Cause.READY,
    Verb.THROW: Cause.THROW,
    Verb.RETAKE: Cause.RETAKE,
    Verb.ABORT: Cause.ABORT,
    Verb.WHISTLE: Cause.WHISTLE,
    Verb.BALL_OUT: Cause.BALL_OUT,
    Verb.PERIOD: Cause.PERIOD,
}
_PRESSED = {
    Press.READY: Cause.READY,
    Press.THROW: Cause.THROW,
    Press.GOAL: Cause.GOAL,
    Press.CANCEL: Cause.CANCEL,
}


class Reply(NamedTuple):
    """The answer to one command."""

    is_done: bool
    reason: str


class _Before(NamedTuple):
    """What the last command found, so that it can be undone; phase: to go back to, if any."""

    what: str
    ends: EndsState
    roster: Roster
    phase: Phase


class Desk:
    """Takes commands and presses for one referee."""

    __slots__ = ("_answered", "_before", "_goal_ns", "_referee")

    def __init__(self, referee: Referee) -> None:
        self._referee = referee
        self._answered: dict[str, Reply] = {}
        self._before: _Before | None = None
        self._goal_ns: int | None = None

    def take(self, command: Command) -> Reply:
        """Act on a command once; the same id again gets the same answer."""
        known = self._answered.get(command.id)
        if known is not None:
            return known
        reply = self._act(command)
        self._answered[command.id] = reply
        if len(self._answered) > REMEMBERED:
            del self._answered[next(iter(self._answered))]
        return reply

    def press(self, button: Button) -> bool:
        """Act on an umpire's button; False for one that nobody may press, or that does nothing."""
        member = next((m for m in self._referee.roster.umpires if m.tag == button.tag), None)
        if member is None:
            return False
        cause = _PRESSED[button.press]
        if cause is Cause.GOAL:
            return self._press_goal(f"button {member.entity}", button.t_host_ns)
        if cause is Cause.READY and self._referee.match.after(cause) is not None:
            self._referee.position(member.umpire_id, button.t_host_ns)
        return self._referee.move(
            cause, f"button {member.entity}", button.t_host_ns, by_umpire=True
        )

    def _act(self, command: Command) -> Reply:
        args = dict(command.args)
        trigger = f"command {command.source}"
        match command.verb:
            case (
                Verb.READY
                | Verb.THROW
                | Verb.RETAKE
                | Verb.ABORT
                | Verb.WHISTLE
                | Verb.BALL_OUT
                | Verb.PERIOD
            ):
                return self._move(_PLAIN[command.verb], trigger, command, args.get("umpire"))
            case Verb.GOAL:
                return self._goal(trigger, command, args)
            case Verb.DRAW:
                return self._draw(trigger, args.get("red_attacks", ""))
            case Verb.ENDS:
                return self._say_ends(trigger, args.get("red_attacks", ""))
            case Verb.UNDO:
                return self._undo(trigger, command)
            case Verb.ASSIGN:
                return self._assign(trigger, command, args.get("tag", ""), args.get("on"))
            case Verb.ACKNOWLEDGE:
                alert_id = args.get("alert_id", "")
                if self._referee.acknowledge(alert_id, command.t_host_ns):
                    return Reply(True, "")
                return Reply(False, f"alert_id: expected an alert that stands, got {alert_id!r}")
            case _:
                assert_never(command.verb)

    def _move(self, cause: Cause, trigger: str, command: Command, umpire: str | None) -> Reply:
        phase = self._referee.match.phase
        ids = [member.umpire_id for member in self._referee.roster.umpires]
        if umpire is not None and umpire not in ids:
            known = ", ".join(one for one in ids if one)
            return Reply(False, f"umpire: expected one of {known}, got {umpire!r}")
        if self._referee.match.after(cause) is None:
            return Reply(False, f"{cause.value} does nothing while the throw-in is {phase.value}")
        if cause is Cause.READY:
            self._referee.position(umpire, command.t_host_ns)
        elif cause is Cause.PERIOD:
            self._keep("period")
        self._referee.move(cause, trigger, command.t_host_ns)
        return Reply(True, "")

    def _goal(self, trigger: str, command: Command, args: dict[str, str]) -> Reply:
        """Credit a goal: by = the team it counts for, or at = the goal that the ball went through.

        penalty=1 is one that a penalty awards: it needs no play, and changes no ends.
        """
        ends = self._referee.match.ends
        by, at = args.get("by", ""), args.get("at", "")
        team: Team | None
        if by in _TEAMS and not at:
            team = _TEAMS[by]
        elif at in _GOALS and not by:
            team = ends.team_at(_GOALS[at])
            if team is None:
                return Reply(False, "at: which end red attacks is not known; say ends first, or by")
        else:
            return Reply(
                False, f"expected by=red or blue, or at=north or south, got by={by!r} at={at!r}"
            )
        is_penalty = args.get("penalty") == "1"
        if not (is_penalty or ends.is_goal_possible or ends.state.is_owed):
            return Reply(
                False,
                "no throw-in since the draw, the last goal or period: expected throw first"
                " (or penalty=1 for a goal that a penalty awards)",
            )
        self._keep("goal")
        if is_penalty:
            ends.score(team)
        elif ends.state.is_owed:
            ends.settle(team)
        else:
            self._goal_ns = command.t_host_ns
            self._referee.move(Cause.GOAL, trigger, command.t_host_ns, by=team)
        self._referee.record(record.goal(ends, trigger, team.value, at))
        return Reply(True, "")

    def _press_goal(self, trigger: str, now_ns: int) -> bool:
        """Take the umpire's word that a goal was made; whose it is, a command says.

        Soon after another it is a slip of the thumb. Later, where no throw has been seen, one has
        been missed: then nobody knows which ends were in force.
        """
        if self._goal_ns is not None and now_ns - self._goal_ns < TWICE_NS:
            return False
        ends = self._referee.match.ends
        self._keep("goal")
        self._goal_ns = now_ns
        if not ends.is_goal_possible:
            ends.throw(Way.UNKNOWN)
        self._referee.move(Cause.GOAL, trigger, now_ns)
        self._referee.record(record.goal(ends, trigger, "unknown", ""))
        return True

    def _draw(self, trigger: str, red_attacks: str) -> Reply:
        ends = self._referee.match.ends
        if red_attacks not in _GOALS:
            return Reply(False, f"red_attacks: expected north or south, got {red_attacks!r}")
        if ends.is_drawn:
            return Reply(
                False,
                f"the ends are drawn already, red attacks {ends.standing.value}:"
                " say ends to correct them",
            )
        self._keep("draw")
        ends.draw(_GOALS[red_attacks])
        self._referee.record(Happened("draw", trigger, (("red_attacks", red_attacks),)))
        return Reply(True, "")

    def _say_ends(self, trigger: str, red_attacks: str) -> Reply:
        if red_attacks not in [end.value for end in End]:
            return Reply(
                False, f"red_attacks: expected north, south or unknown, got {red_attacks!r}"
            )
        self._keep("ends")
        self._referee.match.ends.say(End(red_attacks))
        self._referee.record(Happened("ends", trigger, (("red_attacks", red_attacks),)))
        return Reply(True, "")

    def _keep(self, what: str) -> None:
        match = self._referee.match
        self._before = _Before(what, match.ends.state, self._referee.roster, match.phase)

    def _undo(self, trigger: str, command: Command) -> Reply:
        """Put back what the last goal, period, draw, ends or assign found."""
        before, self._before = self._before, None
        if before is None:
            return Reply(
                False, "nothing to undo: only the last goal, period, draw, ends or assign is kept"
            )
        now_ns = command.t_host_ns
        if before.roster is not self._referee.roster:
            self._referee.assign(before.roster, now_ns)
        self._referee.match.ends.restore(before.ends)
        self._goal_ns = None
        if before.phase in (Phase.THROWN, Phase.OPEN):
            self._referee.move(Cause.UNDO, trigger, now_ns)
        self._referee.record(Happened("undo", trigger, (("what", before.what),)))
        return Reply(True, "")

    def _assign(self, trigger: str, command: Command, tag: str, on: str | None) -> Reply:
        if on is None or not tag:
            return Reply(False, "assign: expected tag and on, e.g. tag=r2 on='red 2'")
        if not self._referee.knows(tag):
            return Reply(False, f"tag: expected one of the field file, got {tag!r}")
        try:
            roster = self._referee.roster.assign(tag, on)
        except RosterError as error:
            return Reply(False, f"on: {error}")
        self._keep("assign")
        self._referee.assign(roster, command.t_host_ns)
        self._referee.record(Happened("assign", trigger, (("tag", tag), ("on", on))))
        return Reply(True, "")
