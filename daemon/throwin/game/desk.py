"""The desk: commands and the umpire's buttons, made into what the referee does.

A command has an id and acts once; every command is answered, with the reason when it is refused.
"""

from typing import NamedTuple, assert_never

from throwin.event import Command, Verb
from throwin.game.finding import Happened
from throwin.game.match import Cause, End
from throwin.game.referee import Referee
from throwin.game.roster import RosterError, Team
from throwin.tags.observation import Button, Press

REMEMBERED = 256  # commands whose answer is given again when they come again

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


class Desk:
    """Takes commands and presses for one referee."""

    __slots__ = ("_answered", "_referee")

    def __init__(self, referee: Referee) -> None:
        self._referee = referee
        self._answered: dict[str, Reply] = {}

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
                return self._goal(trigger, command, args.get("by", ""))
            case Verb.DRAW | Verb.ENDS:
                return self._ends(trigger, command.verb, args.get("red_attacks", ""))
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
        self._referee.move(cause, trigger, command.t_host_ns)
        return Reply(True, "")

    def _goal(self, trigger: str, command: Command, by: str) -> Reply:
        if by not in [team.value for team in Team]:
            return Reply(False, f"by: expected red or blue, got {by!r}")
        self._referee.record(Happened("goal", trigger, (("by", by),)))
        self._referee.move(Cause.GOAL, trigger, command.t_host_ns)
        return Reply(True, "")

    def _ends(self, trigger: str, verb: Verb, red_attacks: str) -> Reply:
        if red_attacks not in [end.value for end in End]:
            return Reply(
                False, f"red_attacks: expected north, south or unknown, got {red_attacks!r}"
            )
        self._referee.match.set_ends(End(red_attacks))
        self._referee.record(Happened(verb.value, trigger, (("red_attacks", red_attacks),)))
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
        self._referee.assign(roster, command.t_host_ns)
        self._referee.record(Happened("assign", trigger, (("tag", tag), ("on", on))))
        return Reply(True, "")
