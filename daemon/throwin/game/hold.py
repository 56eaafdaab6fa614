"""The HOLD of one umpire: sent again while it lasts, so that silence never means fine.

One alert leads and is repeated; another that comes while it stands is told once, and leads when
the first has ended. An acknowledged alert is closed for the hand at once, so that no receiver
waits for its repeat.
"""

from collections.abc import Callable

from throwin.game.finding import SILENT, CueOrder, Pattern, Words
from throwin.game.profile import Profile

GAP_NS = 1_000_000_000  # a hand tells no two HOLDs apart that are nearer than this
MS = 1_000_000


class _Standing:
    """One alert that holds the throw."""

    __slots__ = ("age_ns", "alert_id", "is_quiet", "is_told", "say")

    def __init__(self, alert_id: str, say: Words, age_ns: int) -> None:
        self.alert_id = alert_id
        self.say = say
        self.age_ns: int | None = age_ns
        self.is_quiet = False
        self.is_told = False


class Hold:
    """All alerts that hold one umpire's throw; emit takes the cues in order."""

    __slots__ = ("_emit", "_last_ns", "_next_ns", "_profile", "_sent", "_standing", "_umpire")

    def __init__(self, umpire: str, profile: Profile, emit: Callable[[CueOrder], None]) -> None:
        self._umpire = umpire
        self._profile = profile
        self._emit = emit
        self._standing: list[_Standing] = []
        self._last_ns: int | None = None
        self._next_ns = 0
        self._sent = 0

    @property
    def is_active(self) -> bool:
        """Say whether any alert holds the throw."""
        return bool(self._standing)

    def begin(self, alert_id: str, say: Words, now_ns: int, age_ns: int) -> None:
        """Let an alert hold the throw from now on."""
        self._standing.append(_Standing(alert_id, say, age_ns))
        if len(self._standing) == 1:
            self._sent = 0
        self.tick(now_ns)

    def end(self, alert_id: str, now_ns: int) -> None:
        """Let an alert hold it no longer; if its HOLD was felt, an `end` closes it."""
        leader = self._leader()
        for standing in self._standing[:]:
            if standing.alert_id == alert_id:
                self._standing.remove(standing)
                self._close(standing)
        self._hand_over(leader, now_ns)
        self.tick(now_ns)

    def acknowledge(self, alert_id: str, now_ns: int) -> None:
        """Take it that the umpire knows: closed for his hand, though it still holds the throw."""
        leader = self._leader()
        for standing in self._standing:
            if standing.alert_id == alert_id:
                standing.is_quiet = True
                self._close(standing)
        self._hand_over(leader, now_ns)

    def renew(self, alert_id: str, now_ns: int, age_ns: int) -> None:
        """Let an acknowledged alert be felt again: it has got worse."""
        leader = self._leader()
        for standing in self._standing:
            if standing.alert_id == alert_id:
                standing.is_quiet = False
                standing.age_ns = age_ns
        self._hand_over(leader, now_ns)
        self.tick(now_ns)

    def tick(self, now_ns: int) -> None:
        """Send what is due: an alert not yet told, else the leader's repeat."""
        if self._last_ns is not None and now_ns - self._last_ns < GAP_NS:
            return
        leader = self._leader()
        if leader is None:
            return
        untold = [one for one in self._standing if not one.is_told and not one.is_quiet]
        if untold:
            self._send(untold[0], now_ns, is_leader=untold[0] is leader)
        elif now_ns >= self._next_ns:
            self._send(leader, now_ns, is_leader=True)

    def _leader(self) -> _Standing | None:
        return next((one for one in self._standing if not one.is_quiet), None)

    def _hand_over(self, before: _Standing | None, now_ns: int) -> None:
        """Let a new leader be told soon, and its repeats counted anew."""
        if self._leader() is not before:
            self._sent = 0
            self._next_ns = now_ns

    def _close(self, standing: _Standing) -> None:
        if standing.is_told:
            standing.is_told = False
            self._emit(CueOrder(self._umpire, Pattern.END, SILENT, standing.alert_id))

    def _send(self, standing: _Standing, now_ns: int, *, is_leader: bool) -> None:
        profile = self._profile
        next_ms: int | None = None
        if is_leader:
            is_fast = self._sent < profile.repeats
            next_ms = profile.repeat_ms if is_fast else profile.slow_repeat_ms
            self._sent += 1
            self._next_ns = now_ns + next_ms * MS
        self._last_ns = now_ns
        standing.is_told = True
        age_ns, standing.age_ns = standing.age_ns, None
        self._emit(
            CueOrder(
                self._umpire,
                Pattern.HOLD,
                standing.say,
                alert_id=standing.alert_id,
                next_ms=next_ms,
                age_ns=age_ns,
            )
        )
