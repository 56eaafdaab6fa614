"""What a buzzer or an earpiece does with what it hears: play, drop, or say that it is blind. Pure.

A receiver judges lateness by itself: a broker may hold a cue back for seconds after it has said
that it expired. Time is the receiver's own monotonic clock, ms; clocks are never taken for equal.
It plays each cue once and repeats none: the daemon does, with a new id. What should come and
doesn't, a heartbeat, a repeat or the end of a HOLD, is felt as BLIND.
"""

import enum
from typing import NamedTuple

from throwin.contract.payload import Cue, Heartbeat
from throwin.receiver.pattern import length_ms

SILENCE_MS = 2_000.0  # heartbeats come at 2 Hz; none for so long: blind
BEAT_VALID_MS = 1_000.0  # a later heartbeat is no sign of life: a cue as late would be dropped
BLIND_AGAIN_MS = 10_000.0
# A repeat that is later than this has been lost: another alert's HOLD may go before it (1 s), and
# it may itself be late by what a cue is valid for (1 s).
REPEAT_MARGIN_MS = 2_000.0
AGING = 1e-4  # ms a ms: how fast the least seen way may lengthen, two crystals' drift and more
REMEMBERED = 256  # ids of cues
BOOTS = 4  # starts of the daemon whose clocks are known


class What(enum.Enum):
    """What became of a cue, as the daemon is told.

    SILENCED: not played, since something more urgent was being felt.
    """

    RECEIVED = "received"
    PLAYED = "played"
    DROPPED_LATE = "dropped_late"
    DUPLICATE = "duplicate"
    SILENCED = "silenced"


class Play(NamedTuple):
    """Play this now, in place of what is still playing; a pattern without spans is words alone."""

    pattern: str
    say_en: str
    say_es: str


class Report(NamedTuple):
    """Tell the daemon what became of a cue; late_ms None = it can't be known."""

    cue_id: str
    what: What
    late_ms: float | None


Action = Play | Report

_URGENCY = {"mute": 5, "hold": 4, "foul": 3, "blind": 2, "ready": 1, "warn": 0, "end": -1}
_NO_LINK = Play("blind", "no link", "sin enlace")
_LOST_HOLD = Play("blind", "no position", "sin posición")


class _Lateness:
    """How late messages are: the quickest one seen of the same start is taken for punctual."""

    __slots__ = ("_least",)

    def __init__(self) -> None:
        self._least: dict[str, tuple[float, float]] = {}

    def see(self, boot: str, mono_ms: float, t_ms: float) -> float | None:
        """Take one message; give its lateness over the quickest, ms; None for a boot's first.

        Each boot has its own reference, so that what was held back of an earlier start is as late
        as it is.
        """
        way_ms = t_ms - mono_ms
        known = self._least.pop(boot, None)
        if known is None:
            self._least[boot] = (way_ms, t_ms)
            if len(self._least) > BOOTS:
                del self._least[next(iter(self._least))]
            return None
        least_ms, seen_ms = known
        least_ms = min(way_ms, least_ms + AGING * (t_ms - seen_ms))
        self._least[boot] = (least_ms, t_ms)
        return way_ms - least_ms


class Receiver:
    """One receiver of one umpire; t_ms is when it starts.

    A cue that comes before anything else of its boot can't be judged late. It is played: cues are
    never retained, a clean start leaves none waiting at the broker, and they expire there in 2 s,
    so that it is almost surely fresh; and a HOLD that is not played is worse than a late one.
    """

    __slots__ = (
        "_awaited_ms",
        "_blind_ms",
        "_busy_until_ms",
        "_heard_ms",
        "_lateness",
        "_playing",
        "_playing_alert",
        "_seen",
        "umpire",
    )

    def __init__(self, umpire: str, t_ms: float) -> None:
        self.umpire = umpire
        self._lateness = _Lateness()
        self._seen: dict[str, None] = {}
        self._heard_ms = t_ms
        self._blind_ms: float | None = None
        self._awaited_ms: dict[str | None, float] = {}
        self._playing = "end"
        self._playing_alert: str | None = None
        self._busy_until_ms = t_ms

    @property
    def is_blind(self) -> bool:
        """Say whether the daemon has fallen silent."""
        return self._blind_ms is not None

    def heartbeat(self, beat: Heartbeat, t_ms: float) -> None:
        """Take a sign of life, unless it is late; it is the clock's reference in any case.

        A daemon that does not know this umpire will never cue him: that is no sign of life.
        """
        late_ms = self._lateness.see(beat.boot, beat.mono_ms, t_ms)
        if beat.umpires and self.umpire not in beat.umpires:
            return
        if late_ms is None or late_ms <= BEAT_VALID_MS:
            self._heard_ms = t_ms
            self._blind_ms = None

    def cue(self, cue: Cue, t_ms: float) -> list[Action]:
        """Take a cue; give what is to be done, in order."""
        late_ms = self._lateness.see(cue.boot, cue.mono_ms, t_ms)
        if cue.id in self._seen:
            return [Report(cue.id, What.DUPLICATE, late_ms)]
        self._seen[cue.id] = None
        if len(self._seen) > REMEMBERED:
            del self._seen[next(iter(self._seen))]
        if cue.pattern == "end":  # true however late, and there is nothing to play
            self._awaited_ms.pop(cue.alert_id, None)
            if self._playing == "hold" and self._playing_alert == cue.alert_id:
                self._busy_until_ms = t_ms  # its rest is no news: READY may follow
        if late_ms is not None and late_ms > cue.valid_ms:
            return [Report(cue.id, What.DROPPED_LATE, late_ms)]
        received = Report(cue.id, What.RECEIVED, late_ms)
        if cue.pattern == "end":
            return [received, Report(cue.id, What.PLAYED, late_ms)]
        if cue.pattern == "hold":
            self._await_next(cue, t_ms)
        if not self._may_play(cue.pattern, t_ms):
            return [received, Report(cue.id, What.SILENCED, late_ms)]
        self._playing_alert = cue.alert_id
        play = Play(cue.pattern, cue.say_en, cue.say_es)
        return [received, play, Report(cue.id, What.PLAYED, late_ms)]

    def tick(self, t_ms: float) -> list[Action]:
        """Take it that time has passed: silence is told, never borne.

        What is more urgent than BLIND is first felt to its end.
        """
        is_busy = t_ms < self._busy_until_ms
        if is_busy and _URGENCY[self._playing] > _URGENCY["blind"]:
            return []
        if t_ms - self._heard_ms >= SILENCE_MS:
            self._awaited_ms.clear()  # one BLIND says it all
            is_told = self._blind_ms is not None and t_ms - self._blind_ms < BLIND_AGAIN_MS
            return [] if is_told else self._be_blind(_NO_LINK, t_ms)
        lost = [alert_id for alert_id, due_ms in self._awaited_ms.items() if t_ms > due_ms]
        for alert_id in lost:
            del self._awaited_ms[alert_id]
        return self._be_blind(_LOST_HOLD, t_ms) if lost else []

    def _await_next(self, cue: Cue, t_ms: float) -> None:
        """Know by when this HOLD has to be heard of again."""
        if cue.next_ms is None:
            self._awaited_ms.pop(cue.alert_id, None)
        else:
            self._awaited_ms[cue.alert_id] = t_ms + cue.next_ms + REPEAT_MARGIN_MS

    def _be_blind(self, play: Play, t_ms: float) -> list[Action]:
        """Play a BLIND of one's own; over a BLIND that is playing there is no need to."""
        if play is _NO_LINK:
            self._blind_ms = t_ms
        if self._playing == "blind" and t_ms < self._busy_until_ms:
            return []
        self._start("blind", t_ms)
        return [play]

    def _may_play(self, pattern: str, t_ms: float) -> bool:
        """Say whether it may be played over what is playing; the more urgent one goes on."""
        if t_ms < self._busy_until_ms and _URGENCY[pattern] < _URGENCY[self._playing]:
            return False
        self._start(pattern, t_ms)
        return True

    def _start(self, pattern: str, t_ms: float) -> None:
        self._playing = pattern
        self._busy_until_ms = t_ms + length_ms(pattern)
