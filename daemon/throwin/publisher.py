"""Findings, tracks and health as the messages of the contract, each with its envelope. Pure."""

import math
from collections.abc import Iterator
from typing import Any, Literal, cast

from throwin import __version__
from throwin.contract.payload import (
    Alert,
    Answer,
    Cue,
    EntityRow,
    Evidence,
    Heartbeat,
    Lineup,
    MatchEvent,
    Message,
    Picture,
    Status,
    TagHealth,
    VerdictRow,
    rfc3339,
)
from throwin.event import Command, Tick
from throwin.field.units import show
from throwin.game.desk import Reply
from throwin.game.finding import AlertChange, CueOrder, Finding, Happened
from throwin.game.judgement import Judgement
from throwin.game.match import Phase
from throwin.game.roster import Member
from throwin.game.view import View
from throwin.health import TagRow
from throwin.tracking.state import State

R95 = 2.4477  # radius of 95 % of a circular 2-D Gaussian, in sigmas: sqrt(-2 ln 0.05)


class Publisher:
    """Makes the messages of one start of the daemon; ids and sequences come from counters."""

    __slots__ = ("_boot", "_clk", "_seq", "_utc_ns", "_valid_ms", "now_ns")

    def __init__(self, *, boot: str, valid_ms: int) -> None:
        self._boot = boot
        self._valid_ms = valid_ms
        self._seq: dict[str, int] = {}
        self._utc_ns = 0  # UTC less the monotonic clock, of the last tick
        self.now_ns = 0
        self._clk: Literal["gps", "ntp", "free"] = "free"

    def tick(self, tick: Tick) -> None:
        """Take what the wall clock says; it is for people only."""
        self._utc_ns = tick.t_utc_ns - tick.t_host_ns
        self._clk = cast("Literal['gps', 'ntp', 'free']", tick.clock)

    def at(self, now_ns: int) -> None:
        """Set the instant, on the monotonic clock, of the event that what follows comes of."""
        self.now_ns = now_ns

    def found(self, finding: Finding) -> Message:
        """Give the message of one finding."""
        match finding:
            case CueOrder():
                return self._cue(finding)
            case AlertChange():
                return self._alert(finding)
            case Happened():
                return MatchEvent(
                    **self._head("e", "events"),
                    what=finding.what,
                    trigger=finding.trigger,
                    detail=dict(finding.detail),
                )

    def heartbeat(self, phase: Phase, umpires: tuple[str, ...]) -> Heartbeat:
        """Give the sign of life; umpires: the ids of those who are known."""
        head = self._head("h", "hb")
        return Heartbeat(**head, phase=phase.value, armed=phase is Phase.ARMED, umpires=umpires)

    def lineup(self, view: View) -> Lineup:
        """Give the state of the line-up."""
        return Lineup(
            **self._head("l", "lineup"),
            phase=view.phase.value,
            trigger=view.trigger,
            ready=view.is_ready,
            covers=view.covers,
            missing=view.missing,
            red_attacks_expected=view.red_expected,
            red_attacks_in_force=view.red_in_force,
            throwing_umpire=view.throwing,
            in_lineup=view.in_lineup,
            late=view.late,
            verdicts=tuple(_verdict(judgement) for judgement in view.judgements),
        )

    def picture(
        self, t_picture_ns: int, rows: Iterator[tuple[str, Member | None, State]]
    ) -> Picture:
        """Give all entities at one instant; rows: (name, member or None for a spare tag, state)."""
        return Picture(
            **self._head("p", "picture"),
            t_picture_mono_ms=t_picture_ns / 1e6,
            entities=tuple(self._entity(*row) for row in rows),
        )

    def tag(self, row: TagRow, entity: str | None) -> TagHealth:
        """Give one tag's health."""
        return TagHealth(
            **self._head("t", f"tags/{row.tag}"),
            tag=row.tag,
            entity=entity,
            port=row.port,
            fix=row.kind.name.lower(),
            sigma_m=None if row.sigma_m is None else round(row.sigma_m, 3),
            age_ms=None if row.age_ns is None else row.age_ns / 1e6,
            rate_hz=round(row.rate_hz, 1),
            lost=row.lost,
            rejected=row.rejected,
            battery_pct=row.battery_pct,
        )

    def status(self, reasons: tuple[str, ...] | None, counters: dict[str, int]) -> Status:
        """Give the daemon's state; reasons None = still coming up."""
        if reasons is None:
            state: Literal["init", "ready", "degraded"] = "init"
        else:
            state = "degraded" if reasons else "ready"
        return Status(
            **self._head("s", "status"),
            state=state,
            reasons=reasons or (),
            version=__version__,
            counters=dict(sorted(counters.items())),
        )

    def answer(self, command: Command, reply: Reply, phase: Phase) -> Answer:
        """Give the answer to a command."""
        return Answer(
            **self._head("r", "answers"),
            command_id=command.id,
            ok=reply.is_done,
            reason=reply.reason,
            phase=phase.value,
            reply_to=command.reply_to,
            correlation=command.correlation,
        )

    def _cue(self, order: CueOrder) -> Cue:
        return Cue(
            **self._head("c", f"cue/{order.umpire}"),
            umpire=order.umpire,
            pattern=order.pattern.value,
            say_en=order.say.en,
            say_es=order.say.es,
            valid_ms=self._valid_ms,
            alert_id=order.alert_id,
            next_ms=order.next_ms,
            covers=order.covers,
            fix_age_ms=None if order.age_ns is None else order.age_ns / 1e6,
        )

    def _alert(self, change: AlertChange) -> Alert:
        proof = change.proof
        return Alert(
            **self._head("m", "alerts"),
            alert_id=change.alert_id,
            state=cast("Literal['new', 'update', 'end']", change.state),
            severity=change.severity.value,
            rule=change.clause,
            clause=change.clause,
            subjects=change.subjects,
            say_en=change.say.en,
            say_es=change.say.es,
            hint=_hint(change),
            evidence=None
            if proof is None
            else Evidence(
                measure=proof.measure,
                unit=proof.unit,
                value=round(proof.value, 3),
                limit=round(proof.limit, 3),
                sigma=round(proof.sigma, 4),
                p=proof.p,
                age_ms=proof.age_ns / 1e6,
                point="rider",
            ),
            acknowledged=change.is_acknowledged,
        )

    def _entity(self, name: str, member: Member | None, state: State) -> EntityRow:
        kind: Literal["player", "umpire", "ball", "other"] = "other"
        if member is not None and member.team is not None:
            kind = "player"
        elif member is not None:
            kind = "ball" if member.umpire_id is None else "umpire"
        team = None if member is None or member.team is None else member.team.value
        return EntityRow(
            entity=name,
            kind=kind,
            team=team,
            x_field_m=round(state.x_field_m, 3),
            y_field_m=round(state.y_field_m, 3),
            vx_field_mps=round(state.vx_field_mps, 2),
            vy_field_mps=round(state.vy_field_mps, 2),
            r95_m=round(r95_m(state.var_x_m2, state.cov_xy_m2, state.var_y_m2), 3),
            age_ms=(self.now_ns - state.t_fix_ns) / 1e6,
            fix=state.kind.name.lower(),
        )

    def _head(self, letter: str, stream: str) -> dict[str, Any]:
        """Give the envelope; each stream of messages counts for itself."""
        seq = self._seq.get(stream, 0) + 1
        self._seq[stream] = seq
        where = stream.partition("/")[2]
        return {
            "id": f"{self._boot}-{letter}{'-' + where + '-' if where else ''}{seq}",
            "boot": self._boot,
            "seq": seq,
            "t": rfc3339(self.now_ns + self._utc_ns),
            "clk": self._clk,
            "mono_ms": self.now_ns / 1e6,
        }


def r95_m(var_x_m2: float, cov_xy_m2: float, var_y_m2: float) -> float:
    """Give the 95 % radius of a position, from its worse axis: never less than the truth."""
    half = (var_x_m2 + var_y_m2) / 2
    spread = math.hypot((var_x_m2 - var_y_m2) / 2, cov_xy_m2)
    return R95 * math.sqrt(max(half + spread, 0.0))


def _verdict(judgement: Judgement) -> VerdictRow:
    return VerdictRow(
        rule=judgement.rule.clause.value,
        subjects=judgement.subjects,
        verdict=judgement.verdict.value,
        p=None if judgement.measure is None else judgement.measure.p,
        reason=judgement.reason,
    )


def _hint(change: AlertChange) -> str:
    """Say the measured value in yards beside what to do."""
    proof = change.proof
    if proof is None:
        return change.hint
    return f"{show(proof.value, proof.unit)} {proof.measure}: {change.hint}"
