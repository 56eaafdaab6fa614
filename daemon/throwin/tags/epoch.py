"""NMEA sentences to Fixes: all sentences of one epoch make one.

An epoch is a source and a time of day. Sentences of different epochs, or of two devices on one
line, are never mixed; a fix goes out with the sentence that ends its source's cycle, so that
nothing waits for a time-out. No clock here: time comes with the bytes and with flush.
"""

from typing import Final

from throwin.tags import reading
from throwin.tags.calendar import (
    DAY_NS,
    day_of,
    nearest_day,
    time_of_day_ns,
    without_rollover,
)
from throwin.tags.nmea import BYTE_BIT_NS, GST, RMC, VTG, Sentence, SentenceReader
from throwin.tags.observation import Malformed, Observation
from throwin.tags.source import Fields, Source

HOLD_NS: Final = 40_000_000  # a silence longer than this ends an epoch
SOURCES_MAX: Final = 256  # sources remembered; the longest known goes first
CLOCK_SET_NS: Final = 946_684_800_000_000_000  # 2000-01-01: a host clock before it was never set

_Out = list[Observation | Malformed]


class NmeaDecoder:
    """Decodes one port's NMEA. tag: the port's only tag; None = TAG blocks name them.

    baud: the line's, to give each epoch the time of its first byte rather than that of the read
    that brought it.
    Reasons of Malformed: the reader's (nmea.py) and no_tag (no TAG block names the source),
    digits (another number of decimals), mixed_devices (two places at one time), zero_position,
    date, and rollover (the date was 1024 weeks off and has been moved; told once a source).
    """

    __slots__ = ("_baud", "_hint_ns", "_only", "_reader", "_sources")

    def __init__(self, tag: str | None, baud: int) -> None:
        self._baud = baud
        self._reader = SentenceReader(baud)
        self._only = None if tag is None else Source(tag)
        self._sources = {} if self._only is None else {self._only.tag: self._only}
        self._hint_ns: int | None = None

    def hint_utc(self, t_utc_ns: int) -> None:
        """Take the host's wall clock: it picks a date where no RMC gave one, nothing else."""
        if t_utc_ns < CLOCK_SET_NS:
            return
        if self._hint_ns is None or abs(t_utc_ns - self._hint_ns) > DAY_NS:
            for source in self._sources.values():
                source.date = None
        self._hint_ns = t_utc_ns

    def feed(self, data: bytes, t_host_ns: int) -> list[Observation | Malformed]:
        """Take one chunk whose last byte arrived at t_host_ns; never raises on its content."""
        out: _Out = []
        only = self._only
        if only is not None:
            if t_host_ns - self._wire_ns(len(data)) - only.end_ns > HOLD_NS:
                self._pause(only, out)
            only.end_ns = t_host_ns
        for item in self._reader.feed(data, t_host_ns):
            if isinstance(item, Malformed):
                out.append(item)
            elif only is not None:
                self._take(only, item, out)
            elif item.source:
                self._take_named(item.source, item, out)
            elif item.source is None:
                out.append(Malformed("no_tag", item.raw))
        return out

    def flush(self, t_host_ns: int) -> list[Observation | Malformed]:
        """Give out epochs whose source has been silent for more than 40 ms.

        A port's only tag is silent when the port is: any byte keeps its epoch open.
        """
        out: _Out = []
        for source in self._sources.values():
            if t_host_ns - source.end_ns > HOLD_NS:
                self._pause(source, out)
        return out

    def _wire_ns(self, count: int) -> int:
        return count * BYTE_BIT_NS // self._baud

    def _pause(self, source: Source, out: _Out) -> None:
        source.has_paused = True
        if source.is_open:
            self._close(source, out)

    def _take_named(self, tag: str, sentence: Sentence, out: _Out) -> None:
        source = self._sources.get(tag)
        if source is None:
            if len(self._sources) >= SOURCES_MAX:
                self._pause(self._sources.pop(next(iter(self._sources))), out)
            source = self._sources[tag] = Source(tag)
        if sentence.t_host_ns - source.end_ns > HOLD_NS:
            self._pause(source, out)
        source.end_ns = sentence.t_host_ns + self._wire_ns(len(sentence.raw))
        self._take(source, sentence, out)

    def _take(self, source: Source, sentence: Sentence, out: _Out) -> None:
        kind, _, t_host_ns, fields, raw = sentence
        if kind == VTG:
            self._take_vtg(source, fields, out)
            return
        position = b"" if kind == GST else fields[1]
        if position and not source.has_known_digits(kind, position):
            out.append(Malformed("digits", raw))
            return
        if source.is_next(kind, fields):
            if source.is_open:
                self._close(source, out)
            source.begin(fields[0], t_host_ns)
        elif kind in source.seen:
            # Two talkers of one receiver may give two solutions: the first one stands.
            if _talker(raw) == _talker(source.raw):
                _check_place(source, position, raw, out)
            return
        source.seen[kind] = fields
        if source.is_open or not source.has_paused:
            source.last_kind = kind
        if kind != GST:
            self._take_place(source, kind, fields, raw, out)
        if source.is_complete():
            self._close(source, out)

    def _take_place(
        self, source: Source, kind: bytes, fields: Fields, raw: bytes, out: _Out
    ) -> None:
        position = fields[1]
        if not position:
            source.has_void = True
            return
        if not source.position:
            source.position, source.raw = position, raw
            source.lat_deg, source.lon_deg = reading.position_deg(position)
            if source.lat_deg == source.lon_deg == 0.0:
                out.append(Malformed("zero_position", raw))
                source.has_void = True
        elif position != source.position:
            _check_place(source, position, raw, out)
        if kind == RMC:
            self._take_date(source, fields[4], raw, out)

    def _take_vtg(self, source: Source, fields: Fields, out: _Out) -> None:
        """Take a VTG, which has no time: it belongs to the epoch that it follows without a pause.

        Where there is an RMC it is not needed, and nothing waits for it.
        """
        if source.has_paused or RMC in source.seen or VTG in source.seen:
            return
        source.seen[VTG] = fields
        source.last_kind = VTG
        if source.is_complete():
            self._close(source, out)

    def _take_date(self, source: Source, date: bytes, raw: bytes, out: _Out) -> None:
        if date != source.date:
            source.date = date
            source.day = self._read_date(source, date, raw, out)
        if source.day is not None and source.time:
            t_utc_ns = source.day * DAY_NS + (time_of_day_ns(source.time) or 0)
            source.utc = (t_utc_ns, source.t_host_ns)
            source.is_dated = True

    def _read_date(self, source: Source, date: bytes, raw: bytes, out: _Out) -> int | None:
        day = day_of(date)
        if day is None:
            if date:
                out.append(Malformed("date", raw))
            return None
        if self._hint_ns is None:
            return day
        moved = without_rollover(day, self._hint_ns)
        if moved != day and not source.has_rolled:
            source.has_rolled = True
            out.append(Malformed("rollover", raw))
        return moved

    def _close(self, source: Source, out: _Out) -> None:
        source.is_open = False
        fix = source.make_fix(self._utc_ns(source))
        if fix is not None:
            out.append(fix)

    def _utc_ns(self, source: Source) -> int | None:
        """Give the epoch's time by its own date, else within 12 h of the last or the host's."""
        known = source.utc
        if known is not None and source.is_dated:
            return known[0]
        time_ns = time_of_day_ns(source.time) if source.time else None
        reference_ns = self._hint_ns
        if known is not None:
            reference_ns = known[0] + source.t_host_ns - known[1]
        if time_ns is None or reference_ns is None:
            return None
        return nearest_day(time_ns, reference_ns) * DAY_NS + time_ns


def _check_place(source: Source, position: bytes, raw: bytes, out: _Out) -> None:
    """Withhold an epoch that is at two places: neither is sure to be the tag's."""
    if position and source.position and not reading.is_same_place(position, source.position):
        out.append(Malformed("mixed_devices", raw))
        source.has_mixed = True


def _talker(raw: bytes) -> bytes:
    start = raw.rfind(b"$") + 1
    return raw[start : start + 2]
