"""What is alive: tags, ports, broker, receivers; and every counter. Pure.

Its words go into `status` and `tags/<tag>`; nothing here decides anything.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from throwin.tags.observation import FixKind
from throwin.tracking.tracker import Tracker

SILENT_NS = 3_000_000_000  # a tag on the field that says nothing for so long is named
START_NS = 2_000_000_000  # until then ports, broker and tags are given time to come up
UNREAD_NS = 2_000_000_000  # bytes that mean nothing for so long, and so many
UNREAD_BYTES = 200
FAR_OFF = "far from the surveyed field: is the survey of this place, are lat_deg and lon_deg right?"
RECEIVERS_MAX = 16  # online at once, of one umpire; and umpires whom nobody knows


class TagRow(NamedTuple):
    """Health of one tag over the last second."""

    tag: str
    port: str | None
    kind: FixKind
    sigma_m: float | None
    age_ns: int | None
    rate_hz: float
    lost: int
    rejected: int
    battery_pct: int | None


class _Tag:
    __slots__ = ("battery_pct", "fixes", "is_off_site", "lost", "port", "since_ns")

    def __init__(self) -> None:
        self.port: str | None = None
        self.fixes = 0
        self.since_ns: int | None = None
        self.lost = 0
        self.battery_pct: int | None = None
        self.is_off_site = False


class _Port:
    """What an open port has brought: bytes, what was understood, and tags nobody has listed."""

    __slots__ = ("detail", "heard", "since_ns", "unlisted")

    def __init__(self) -> None:
        self.detail = "not open yet"
        self.heard = 0  # bytes since anything was understood
        self.since_ns: int | None = None  # the first of them
        self.unlisted = 0


class Health:
    """All that is counted and known to be up or down."""

    __slots__ = (
        "_broker",
        "_host",
        "_ports",
        "_receivers",
        "_start_ns",
        "_tags",
        "_tracker",
        "_umpires",
        "_warnings",
        "counters",
    )

    def __init__(
        self,
        *,
        tags: Sequence[str],
        ports: Sequence[str],
        umpires: Sequence[str],
        warnings: Sequence[str],
        tracker: Tracker,
    ) -> None:
        self.counters: dict[str, int] = {}
        self._tracker = tracker
        self._warnings = tuple(warnings)
        self._tags = {tag: _Tag() for tag in tags}
        self._ports = {name: _Port() for name in ports}
        self._umpires = tuple(umpires)
        self._receivers: dict[str, dict[str, bool]] = {umpire: {} for umpire in umpires}  # online
        self._broker = "not connected yet"
        self._host: dict[str, str] = {}
        self._start_ns: int | None = None

    def count(self, name: str, by: int = 1) -> None:
        """Add to a counter."""
        self.counters[name] = self.counters.get(name, 0) + by

    def heard(self, tag: str, port: str) -> None:
        """Note that a position, or the word that there is none, came from a tag."""
        row = self._tags.get(tag)
        if row is not None:
            row.port = port
            row.fixes += 1

    def lose(self, tag: str, missing: int) -> None:
        """Messages of a tag never came."""
        row = self._tags.get(tag)
        if row is not None:
            row.lost += missing

    def charge(self, tag: str, battery_pct: int | None) -> None:
        """Note what a tag told of its battery."""
        row = self._tags.get(tag)
        if row is not None:
            row.battery_pct = battery_pct

    def port(self, name: str, detail: str, *, is_open: bool) -> None:
        """Note that a port was opened or lost."""
        port = self._ports[name] = _Port()  # a field has the ports of its file
        port.detail = "" if is_open else detail

    def read(self, name: str, size: int, now_ns: int, *, is_understood: bool) -> None:
        """Note that a port has brought so many bytes."""
        port = self._ports[name]
        if is_understood:
            port.heard, port.since_ns, port.unlisted = 0, None, 0
            return
        port.heard += size
        if port.since_ns is None:
            port.since_ns = now_ns

    def unlisted(self, name: str) -> None:
        """Note that a tag spoke that the field file does not list."""
        self._ports[name].unlisted += 1

    def off_site(self, tag: str, *, is_off_site: bool) -> None:
        """Note whether a tag's position is nowhere near the field."""
        row = self._tags.get(tag)
        if row is not None:
            row.is_off_site = is_off_site

    def broker(self, detail: str, *, is_connected: bool) -> None:
        """Note that the broker came or went."""
        self._broker = "" if is_connected else detail

    def receiver(self, umpire: str, name: str, *, is_online: bool) -> None:
        """Note that a receiver came or went; names come from outside: only so many are kept."""
        if not is_online:
            self._receivers.get(umpire, {}).pop(name, None)
            if umpire not in self._umpires and not self._receivers.get(umpire):
                self._receivers.pop(umpire, None)
            return
        strangers = len(self._receivers) - len(self._umpires)
        row = self._receivers.get(umpire, {})
        is_full = umpire not in self._receivers and strangers >= RECEIVERS_MAX
        if is_full or (len(row) >= RECEIVERS_MAX and name not in row):
            self.count("receivers_too_many")
            return
        row[name] = True
        self._receivers[umpire] = row

    def acknowledged(self, umpire: str, what: str) -> None:
        """Count what a receiver said of a cue."""
        self.count(f"ack.{umpire if umpire in self._umpires else 'unknown_umpire'}.{what}")

    def host(self, what: str, detail: str) -> None:
        """Note what is wrong with something of the machine, "" when it is well again."""
        self._host[what] = detail

    def tag_row(self, tag: str, now_ns: int) -> TagRow:
        """Give one tag's health; the rate counts since the last call."""
        row, track = self._tags[tag], self._tracker.track(tag)
        seconds = 0.0 if row.since_ns is None else (now_ns - row.since_ns) / 1e9
        rate_hz = row.fixes / seconds if seconds > 0 else 0.0
        row.fixes, row.since_ns = 0, now_ns
        is_started = track is not None and track.is_started
        return TagRow(
            tag=tag,
            port=row.port,
            kind=FixKind.NO_FIX if track is None else track.kind,
            sigma_m=track.sigma_m if track is not None and is_started else None,
            age_ns=now_ns - track.t_fix_ns if track is not None and is_started else None,
            rate_hz=rate_hz,
            lost=row.lost,
            rejected=0 if track is None else track.rejected,
            battery_pct=row.battery_pct,
        )

    def reasons(self, now_ns: int, fielded: Sequence[tuple[str, str]]) -> tuple[str, ...] | None:
        """Give what is amiss, in words; None while all is still given time to come up.

        fielded: (entity, tag) of everybody on the field.
        """
        if self._start_ns is None:
            self._start_ns = now_ns
        if now_ns - self._start_ns < START_NS:
            return None
        words = list(self._warnings)
        for name, port in self._ports.items():
            words += [f"port {name}: {one}" for one in _amiss(port, now_ns)]
        words += [f"{what}: {detail}" for what, detail in self._host.items() if detail]
        if self._broker:
            words.append(f"broker: {self._broker}")
        for entity, tag in fielded:
            track = self._tracker.track(tag)
            if track is None or not track.is_started:
                where = FAR_OFF if self._tags[tag].is_off_site else "no position yet"
                words.append(f"tag {tag} ({entity}): {where}")
            elif now_ns - track.t_fix_ns > SILENT_NS:
                words.append(f"tag {tag} ({entity}): no position")
        for umpire, receivers in self._receivers.items():
            if umpire not in self._umpires:
                words += [f"receiver {name}: there is no umpire {umpire}" for name in receivers]
            elif not receivers:
                words.append(f"umpire {umpire}: no receiver")
        return tuple(words)


def _amiss(port: _Port, now_ns: int) -> Iterator[str]:
    if port.detail:
        yield port.detail
        return
    if port.since_ns is None or now_ns - port.since_ns < UNREAD_NS or port.heard < UNREAD_BYTES:
        return
    if port.unlisted:
        yield "only tags speak that the field file does not list: compare the ids under tags"
    else:
        yield "bytes come, and no position can be read from them: are format and baud right?"
