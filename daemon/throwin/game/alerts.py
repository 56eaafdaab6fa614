"""From judgements to alerts: raised at the sure level, ended below one half, each by its dwell.

One alert per rule and unordered pair; its id stays the same from the first warning to its end.
"""

from collections.abc import Callable
from dataclasses import dataclass

from throwin.game import words
from throwin.game.finding import (
    AlertChange,
    CueOrder,
    Finding,
    Pattern,
    Proof,
    Severity,
    Words,
)
from throwin.game.hold import Hold
from throwin.game.judgement import Judgement, Stage
from throwin.game.lineup import Lineup
from throwin.game.panel import Panel
from throwin.game.person import Person
from throwin.game.profile import Profile
from throwin.game.rules import Clause


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRow:
    """One row of the table: how much a stage of an alert weighs, and what to do about it."""

    clause: Clause
    stage: Stage
    severity: Severity
    pattern: Pattern | None
    hint: str


ALERTS: tuple[AlertRow, ...] = (
    AlertRow(
        clause=Clause.C5,
        stage=Stage.NOTICE,
        severity=Severity.INFO,
        pattern=None,
        hint="the line-up still forms: nothing to do yet",
    ),
    AlertRow(
        clause=Clause.C5,
        stage=Stage.HOLD,
        severity=Severity.HOLD,
        pattern=Pattern.HOLD,
        hint="do not throw; send him to the side of the goal that his team defends",
    ),
    AlertRow(
        clause=Clause.C6,
        stage=Stage.NOTICE,
        severity=Severity.INFO,
        pattern=None,
        hint="the line-up still forms: nothing to do yet",
    ),
    AlertRow(
        clause=Clause.C6,
        stage=Stage.WARNING,
        severity=Severity.WARNING,
        pattern=Pattern.WARN,
        hint="at his present speed he is within 5 yards in less than a second",
    ),
    AlertRow(
        clause=Clause.C6,
        stage=Stage.HOLD,
        severity=Severity.HOLD,
        pattern=Pattern.HOLD,
        hint="do not throw; send him back, out of 5 yards",
    ),
    AlertRow(
        clause=Clause.C10,
        stage=Stage.HOLD,
        severity=Severity.HOLD,
        pattern=Pattern.HOLD,
        hint="do not throw; he rides at the umpire: no player may rush him",
    ),
    AlertRow(
        clause=Clause.C12,
        stage=Stage.NOTICE,
        severity=Severity.INFO,
        pattern=None,
        hint="the umpire's spot: more than 20 yards from the boards is right",
    ),
    AlertRow(
        clause=Clause.C12,
        stage=Stage.HOLD,
        severity=Severity.HOLD,
        pattern=Pattern.HOLD,
        hint="do not throw; the line-up moves along the line, away from the boards",
    ),
    AlertRow(
        clause=Clause.C18,
        stage=Stage.NOTICE,
        severity=Severity.INFO,
        pattern=None,
        hint="the line-up forms the wrong way round: tell the umpire, or correct the ends",
    ),
    AlertRow(
        clause=Clause.C18,
        stage=Stage.HOLD,
        severity=Severity.HOLD,
        pattern=Pattern.HOLD,
        hint="do not throw; both teams change sides, or the command ends says what is right:"
        " once it is thrown there is no redress",
    ),
)
_ROWS = {(row.clause, row.stage): row for row in ALERTS}
_ENDED = "nothing to do"
_ALL = "everybody stands the wrong way round: see C18"


class Alerts:
    """The alerts of all judgements, and the HOLD of each umpire."""

    __slots__ = ("_boot", "_count", "_emit", "_holds", "_lineup", "_panel", "_profile")

    def __init__(
        self,
        *,
        panel: Panel,
        lineup: Lineup,
        umpires: tuple[Person, ...],
        profile: Profile,
        boot: str,
        first: int,
        emit: Callable[[Finding], None],
    ) -> None:
        self._panel = panel
        self._lineup = lineup
        self._profile = profile
        self._boot = boot
        self._count = first
        self._emit = emit
        self._holds = {
            umpire.member.umpire_id or "": Hold(umpire.member.umpire_id or "", profile, emit)
            for umpire in umpires
        }

    @property
    def count(self) -> int:
        """How many alerts there have been."""
        return self._count

    @property
    def is_holding(self) -> bool:
        """Say whether any umpire's throw is held."""
        return any(hold.is_active for hold in self._holds.values())

    def is_holding_for(self, umpire_id: str) -> bool:
        """Say whether one umpire feels that the throw is held."""
        hold = self._holds.get(umpire_id)
        return hold is not None and hold.is_active

    def follow(
        self, judgement: Judgement, now_ns: int, *, is_armed: bool, is_deferred: bool
    ) -> None:
        """Let a judgement raise, change or end its alert.

        is_deferred: horses have just started; what it may be is not known for a moment yet.
        """
        if judgement.is_quiet:
            return
        stage = judgement.stage
        is_relevant = self._panel.is_relevant(judgement)
        if stage is not Stage.NONE and judgement.has_left(self._profile, is_relevant=is_relevant):
            self._end(judgement, now_ns, "its rider has left the line-up")
            return
        if stage is Stage.HOLD:
            if judgement.is_over:
                self._end(judgement, now_ns, _ENDED)
            elif judgement.is_worse(self._profile):
                self._renew(judgement, now_ns)
        elif not judgement.is_sure or not is_relevant:
            is_near = is_armed and not is_deferred and is_relevant
            self._warn(judgement, now_ns, is_near=is_near)
        elif is_armed and not is_deferred:
            self._begin(judgement, Stage.HOLD, now_ns)
        elif not is_armed and stage is Stage.NONE:
            self._begin(judgement, Stage.NOTICE, now_ns)

    def _warn(self, judgement: Judgement, now_ns: int, *, is_near: bool) -> None:
        """Warn of one who closes in; let a warning or a notice end that no longer holds."""
        stage = judgement.stage
        if stage is Stage.NONE:
            if is_near and judgement.is_closing(self._profile) and not judgement.has_warned:
                judgement.has_warned = True
                self._set(judgement, Stage.WARNING, now_ns)
        elif judgement.is_over and (stage is Stage.NOTICE or self._is_calm(judgement)):
            self._end(judgement, now_ns, _ENDED)
        if judgement.has_warned and self._is_calm(judgement):
            judgement.has_warned = False

    def _begin(self, judgement: Judgement, stage: Stage, now_ns: int) -> None:
        """Tell a breach; a line-up that is all the wrong way round is told once, as such."""
        clause = judgement.rule.clause
        if clause is Clause.C5 and self._panel.is_wrong_way:
            judgement.covered_ns = judgement.t_ns
            return
        self._set(judgement, stage, now_ns)
        if clause is Clause.C18:
            for one in self._panel.all:
                if one.rule.clause is Clause.C5 and one.stage is not Stage.NONE:
                    self._end(one, now_ns, _ALL)

    def _renew(self, judgement: Judgement, now_ns: int) -> None:
        """Tell an acknowledged breach again, which has become deeper."""
        judgement.is_acknowledged = False
        self._tell(judgement, "update", now_ns, "it has become worse since it was acknowledged")
        for hold in self._holds.values():
            hold.renew(judgement.alert_id, now_ns, _age(judgement, now_ns))

    def lose(self, now_ns: int) -> None:
        """End what rests on inputs that are lost: the umpire is told that he is blind."""
        for judgement in self._panel.all:
            if judgement.stage is not Stage.NONE and judgement.measure is None:
                people = (judgement.rider, judgement.umpire)
                if not all(
                    p is None or p.is_within(now_ns, self._profile.lost_age_ns) for p in people
                ):
                    self._end(judgement, now_ns, "its positions are lost")

    def clear(self, now_ns: int, hint: str) -> None:
        """End all alerts."""
        for judgement in self._panel.all:
            if judgement.stage is not Stage.NONE:
                self._end(judgement, now_ns, hint)

    def tick(self, now_ns: int) -> None:
        """Send again what holds the throw."""
        for hold in self._holds.values():
            hold.tick(now_ns)

    def acknowledge(self, alert_id: str, now_ns: int) -> bool:
        """Quiet one alert for both umpires until it ends; False when there is no such alert."""
        for judgement in self._panel.all:
            if judgement.stage is not Stage.NONE and judgement.alert_id == alert_id:
                judgement.is_acknowledged = True
                if judgement.measure is not None:
                    judgement.acknowledged = judgement.measure.value
                for hold in self._holds.values():
                    hold.acknowledge(alert_id, now_ns)
                self._tell(judgement, "update", now_ns, _ROWS[_key(judgement)].hint)
                return True
        return False

    def _is_calm(self, judgement: Judgement) -> bool:
        last_ns = judgement.last_closing_ns
        return last_ns is None or judgement.t_ns - last_ns >= self._profile.warning_rearm_ns

    def _set(self, judgement: Judgement, stage: Stage, now_ns: int) -> None:
        state = "update"
        if judgement.stage is Stage.NONE:
            state = "new"
            self._count += 1
            judgement.alert_id = f"{self._boot}-a{self._count}"
            judgement.is_acknowledged = False
        judgement.stage = stage
        row = _ROWS[_key(judgement)]
        self._tell(judgement, state, now_ns, row.hint)
        match row.pattern:
            case Pattern.HOLD:
                hold = self._holds.get(self._umpire_id(judgement))
                if hold is not None:
                    hold.begin(judgement.alert_id, _say(judgement), now_ns, _age(judgement, now_ns))
            case Pattern.WARN:
                order = CueOrder(
                    self._umpire_id(judgement),
                    Pattern.WARN,
                    _say(judgement),
                    alert_id=judgement.alert_id,
                    age_ns=_age(judgement, now_ns),
                )
                self._emit(order)
            case _:
                pass

    def _end(self, judgement: Judgement, now_ns: int, hint: str) -> None:
        self._tell(judgement, "end", now_ns, hint)
        judgement.stage = Stage.NONE
        judgement.left_since_ns = None
        for hold in self._holds.values():
            hold.end(judgement.alert_id, now_ns)

    def _tell(self, judgement: Judgement, state: str, now_ns: int, hint: str) -> None:
        measure = judgement.measure
        proof = None
        if measure is not None:
            proof = Proof(
                judgement.rule.measure,
                judgement.rule.unit,
                measure.value,
                measure.limit,
                measure.sigma,
                measure.p,
                _age(judgement, now_ns),
            )
        self._emit(
            AlertChange(
                judgement.alert_id,
                state,
                _ROWS[_key(judgement)].severity,
                judgement.rule.clause.value,
                judgement.subjects,
                _say(judgement),
                hint,
                proof,
                judgement.is_acknowledged,
            )
        )

    def _umpire_id(self, judgement: Judgement) -> str:
        """Give whose hand it is for: the umpire whose 5 yd it is, else who throws."""
        umpire = judgement.umpire or self._lineup.throwing
        return "" if umpire is None else umpire.member.umpire_id or ""


def _key(judgement: Judgement) -> tuple[Clause, Stage]:
    return judgement.rule.clause, judgement.stage


def _say(judgement: Judgement) -> Words:
    return words.breach(judgement.rider, judgement.rule.clause)


def _age(judgement: Judgement, now_ns: int) -> int:
    """Give the age of the older fix that it rests on."""
    people = (judgement.rider, judgement.umpire)
    return max(now_ns - person.track.t_fix_ns for person in people if person is not None)
