"""What a buzzer or an earpiece does with what it hears: play, drop, or say that it is blind. Pure.

A receiver judges lateness by itself: a broker may hold a cue back for seconds after it has said
that it expired. Time is the receiver's own monotonic clock, ms; clocks are never taken for equal.
"""

import enum
from typing import NamedTuple

from throwin.contract.payload import Cue, Heartbeat
from throwin.receiver.pattern import length_ms

SILENCE_MS = 2_000.0  # heartbeats come at 2 Hz; none for so long: blind
BLIND_AGAIN_MS = 10_000.0
REPEAT_MARGIN_MS = 1_000.0  # a repeat that is later than this has been lost
AGING = 1e-4  # ms a ms: how fast the least seen way may lengthen, two crystals' drift and more
REMEMBERED = 256  # ids of cues


class What(enum.Enum):
    """What became of a cue, as the daemon is told."""

    PLAYED = "played"
    DROPPED_LATE = "dropped_late"
    DUPLICATE = "duplicate"


class Play(NamedTuple):
    """Play this now; a more urgent one has stopped what was playing."""

    pattern: str
    say_en: str
    say_es: str


class Report(NamedTuple):
    """Tell the daemon what became of a cue; late_ms None = not known yet."""

    cue_id: str
    what: What
    late_ms: float | None


Action = Play | Report

_URGENCY = {"mute": 5, "hold": 4, "foul": 3, "blind": 2, "ready": 1, "warn": 0, "end": -1}
_NO_LINK = Play("blind", "no link", "sin enlace")
_LOST_HOLD = Play("blind", "no position", "sin posición")


class _Lateness:
    """How late messages of one boot are: the quickest one seen is taken for punctual."""

    __slots__ = ("_boot", "_least_ms", "_t_ms")

    def __init__(self) -> None:
        self._boot = ""
        self._least_ms = 0.0
        self._t_ms = 0.0

    def knows(self, boot: str) -> bool:
        """Say whether anything of this boot has come yet."""
        return boot == self._boot

    def see(self, boot: str, mono_ms: float, t_ms: float) -> float:
        """Take one message; give its lateness over the quickest, ms."""
        way_ms = t_ms - mono_ms
        if boot != self._boot:
            self._boot, self._least_ms, self._t_ms = boot, way_ms, t_ms
            return 0.0
        self._least_ms = min(way_ms, self._least_ms + AGING * (t_ms - self._t_ms))
        self._t_ms = t_ms
        return way_ms - self._least_ms


class Receiver:
    """One receiver of one umpire.

    A cue that comes before any heartbeat of its boot can't be judged late. It is played: cues are
    never retained and expire at the broker, so that one is almost surely fresh, and a HOLD that
    is not played is worse.
    """

    __slots__ = (
        "_awaited_ms",
        "_blind_ms",
        "_busy_until_ms",
        "_heard_ms",
        "_hold_id",
        "_lateness",
        "_playing",
        "_seen",
        "umpire",
    )

    def __init__(self, umpire: str, t_ms: float) -> None:
        self.umpire = umpire
        self._lateness = _Lateness()
        self._seen: dict[str, None] = {}
        self._heard_ms = t_ms
        self._blind_ms: float | None = None
        self._hold_id: str | None = None
        self._awaited_ms: float | None = None
        self._playing = ""
        self._busy_until_ms = t_ms

    @property
    def is_blind(self) -> bool:
        """Say whether the daemon has fallen silent."""
        return self._blind_ms is not None

    def heartbeat(self, beat: Heartbeat, t_ms: float) -> None:
        """Take a sign of life: the clock's reference too."""
        self._lateness.see(beat.boot, beat.mono_ms, t_ms)
        self._heard_ms = t_ms
        self._blind_ms = None

    def cue(self, cue: Cue, t_ms: float) -> list[Action]:
        """Take a cue; give what is to be done."""
        if cue.id in self._seen:
            return [Report(cue.id, What.DUPLICATE, None)]
        self._seen[cue.id] = None
        if len(self._seen) > REMEMBERED:
            del self._seen[next(iter(self._seen))]
        is_known = self._lateness.knows(cue.boot)
        late_ms = self._lateness.see(cue.boot, cue.mono_ms, t_ms)
        if late_ms > cue.valid_ms:
            return [Report(cue.id, What.DROPPED_LATE, late_ms)]
        self._follow(cue, t_ms)
        played = Report(cue.id, What.PLAYED, late_ms if is_known else None)
        if cue.pattern == "end":
            return [played]
        play = Play(cue.pattern, cue.say_en, cue.say_es)
        return [play, played] if self._may_play(cue.pattern, t_ms) else [played]

    def tick(self, t_ms: float) -> list[Action]:
        """Take it that time has passed: silence is told, never borne."""
        if self._awaited_ms is not None and t_ms > self._awaited_ms:
            self._awaited_ms = None
            self._hold_id = None
            return [_LOST_HOLD]
        if t_ms - self._heard_ms < SILENCE_MS:
            return []
        if self._blind_ms is not None and t_ms - self._blind_ms < BLIND_AGAIN_MS:
            return []
        self._blind_ms = t_ms
        self._awaited_ms = None
        return [_NO_LINK]

    def _follow(self, cue: Cue, t_ms: float) -> None:
        """Know which HOLD stands, and when it has to be heard of again."""
        if cue.pattern == "hold" and cue.next_ms is not None:
            self._hold_id = cue.alert_id
            self._awaited_ms = t_ms + cue.next_ms + REPEAT_MARGIN_MS
        elif cue.pattern == "end" and cue.alert_id == self._hold_id:
            self._hold_id = None
            self._awaited_ms = None

    def _may_play(self, pattern: str, t_ms: float) -> bool:
        """Say whether it may be played over what is playing; the more urgent one goes on."""
        if t_ms < self._busy_until_ms and _URGENCY[pattern] < _URGENCY[self._playing]:
            return False
        self._playing = pattern
        self._busy_until_ms = t_ms + length_ms(pattern)
        return True
