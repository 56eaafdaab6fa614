"""NMEA epochs to Fixes: the sentences of one device and one instant become one Fix.

Fields of different instants or devices are never mixed. The sentence that ends a device's cycle
is learned, so that a fix is given out with it and not with the next cycle.
"""

import math

from throwin.field.units import KNOT_MPS
from throwin.tags.calendar import DAY_NS, day_of, nearest_day, time_of_day_ns, without_rollover
from throwin.tags.nmea import Groups, Sentence, SentenceReader
from throwin.tags.observation import Fix, FixKind, Malformed, Observation

HOLD_NS = 40_000_000  # a companion that has not come by then comes no more
STANDSTILL_MPS = 0.1  # below it a receiver may leave the course blank
SAME_PLACE_DEG = 1e-5  # 1 m: sentences of one instant and one receiver agree better than this
RELEARN = 5  # so many of another length in a row are a new setting, not lost bytes
CONFIRM = 2  # cycles that ended alike, before it is relied on
TAGS_MAX = 256

# GGA, field 6; what is not here is an estimate of the receiver's own
_QUALITY = {
    b"0": FixKind.NO_FIX,
    b"1": FixKind.SINGLE,
    b"2": FixKind.DGNSS,
    b"3": FixKind.SINGLE,
    b"4": FixKind.RTK_FIXED,
    b"5": FixKind.RTK_FLOAT,
}
# RMC and GNS modes; precise (P) is a single receiver with corrections
_MODE = {
    "N": FixKind.NO_FIX,
    "A": FixKind.SINGLE,
    "D": FixKind.DGNSS,
    "P": FixKind.DGNSS,
    "F": FixKind.RTK_FLOAT,
    "R": FixKind.RTK_FIXED,
}


class _Epoch:
    """What the sentences of one instant have said so far."""

    __slots__ = (
        "course", "cov", "date", "has_place", "hdop", "is_mixed", "kind", "lat_deg", "lon_deg",
        "mode", "speed", "t_host_ns", "t_last_ns", "time",
    )  # fmt: skip

    def __init__(self, time: bytes | None, t_host_ns: int) -> None:
        self.time = time
        self.t_host_ns = t_host_ns
        self.t_last_ns = t_host_ns
        self.has_place = False
        self.is_mixed = False
        self.lat_deg = self.lon_deg = 0.0
        self.kind: FixKind | None = None  # of GGA or GNS
        self.mode: FixKind | None = None  # of RMC
        self.date: bytes | None = None
        self.hdop: bytes | None = None
        self.speed: bytes | None = None
        self.course: bytes | None = None
        self.cov: tuple[float, float, float] | None = None


class _Source:
    """What is known of one device from epoch to epoch."""

    __slots__ = (
        "_day",
        "_day_key",
        "_digits",
        "_odd",
        "_time",
        "_time_ns",
        "cycle_kinds",
        "cycle_time",
        "ends_with",
        "epoch",
        "t_host_ns",
        "t_utc_ns",
        "times_ended",
    )  # fmt: skip

    def __init__(self) -> None:
        self.epoch: _Epoch | None = None
        self.cycle_time: bytes | None = None
        self.cycle_kinds: list[bytes] = []
        self.ends_with = b""
        self.times_ended = 0
        self.t_utc_ns: int | None = None  # last instant whose date a sentence told
        self.t_host_ns = 0
        self._digits: dict[bytes, int] = {}
        self._odd: dict[bytes, tuple[int, int]] = {}
        self._day_key: tuple[bytes, int] | None = None
        self._day = 0

    def begin(self, time: bytes | None, t_host_ns: int) -> _Epoch:
        """Begin a new cycle, and learn how the last one ended."""
        kinds = self.cycle_kinds
        if kinds:
            if kinds[-1] == self.ends_with:
                self.times_ended += 1
            else:
                self.ends_with, self.times_ended = kinds[-1], 1
            self.cycle_kinds = []
        self.cycle_time = time
        self.epoch = _Epoch(time, t_host_ns)
        return self.epoch

    def has_lost_digits(self, kind: bytes, lat: bytes, lon: bytes) -> bool:
        """Say whether a position has another number of digits than this device's always has.

        Two equal bytes lost leave the checksum right, and move a position by many metres.
        """
        length = len(lat) * LENGTHS + len(lon)
        known = self._digits.get(kind)
        if known == length or known is None:
            self._digits[kind] = length
            self._odd.pop(kind, None)
            return False
        odd, times = self._odd.get(kind, (length, 0))
        times = times + 1 if odd == length else 1
        if times >= RELEARN:
            self._digits[kind] = length
            self._odd.pop(kind, None)
            return False
        self._odd[kind] = (length, times)
        return True

    def to_utc_ns(self, epoch: _Epoch, hint_ns: int | None) -> int | None:
        """Give UTC of an epoch: its own date, else the day nearest to what is known."""
        if epoch.time is None:
            return None
        of_day_ns = time_of_day_ns(epoch.time)
        if of_day_ns is None:
            return None
        reference_ns = hint_ns
        if self.t_utc_ns is not None:
            reference_ns = self.t_utc_ns + epoch.t_host_ns - self.t_host_ns
        day = self._own_day(epoch.date, hint_ns)
        if day is not None:
            t_utc_ns = day * DAY_NS + of_day_ns
            self.t_utc_ns, self.t_host_ns = t_utc_ns, epoch.t_host_ns
            return t_utc_ns
        if reference_ns is None:
            return None
        return nearest_day(of_day_ns, reference_ns) * DAY_NS + of_day_ns

    def _own_day(self, date: bytes | None, hint_ns: int | None) -> int | None:
        """Give the day of a sentence's date; the last one is remembered."""
        if date is None:
            return None
        hint_day = 0 if hint_ns is None else hint_ns // DAY_NS
        if self._day_key == (date, hint_day):
            return self._day
        day = day_of(date)
        if day is None:
            return None
        if hint_ns is not None:
            day = without_rollover(day, hint_ns)
        self._day_key, self._day = (date, hint_day), day
        return day


LENGTHS = 64  # more than any field of a position is long


class NmeaDecoder:
    """Decodes one port's NMEA. tag: the port's only tag, None when TAG blocks name them.

    Reasons of Malformed: those of SentenceReader (checksum_X, shape_X, no_checksum, noise,
    overlong, tag_block, tag_id) and no_tag, digits, mixed_devices, zero_position.
    """

    __slots__ = ("_hint_ns", "_reader", "_sources", "_tag")

    def __init__(self, tag: str | None, baud: int) -> None:
        self._tag = tag
        self._reader = SentenceReader(baud)
        self._sources: dict[str, _Source] = {}
        self._hint_ns: int | None = None

    def hint_utc(self, t_utc_ns: int) -> None:
        """Take the host's wall clock: it picks the date where a device tells none."""
        self._hint_ns = t_utc_ns

    def feed(self, data: bytes, t_host_ns: int) -> list[Observation | Malformed]:
        """Take one chunk whose last byte arrived at t_host_ns; never raises on its content."""
        out: list[Observation | Malformed] = []
        for one in self._reader.feed(data, t_host_ns):
            if isinstance(one, Sentence):
                self._take(one, t_host_ns, out)
            else:
                out.append(one)
        return out

    def flush(self, t_host_ns: int) -> list[Observation | Malformed]:
        """Give out what was held back for companions that have not come."""
        out: list[Observation | Malformed] = []
        for tag, source in self._sources.items():
            epoch = source.epoch
            if epoch is not None and t_host_ns - epoch.t_last_ns > HOLD_NS:
                self._emit(tag, source, epoch, out)
        return out

    def _take(self, sentence: Sentence, t_now_ns: int, out: list[Observation | Malformed]) -> None:
        kind, groups, named, t_host_ns, raw = sentence
        tag = named or self._tag
        if tag is None:
            out.append(Malformed("no_tag", raw))
            return
        source = self._sources.get(tag)
        if source is None:
            if len(self._sources) >= TAGS_MAX:
                del self._sources[next(iter(self._sources))]
            source = self._sources[tag] = _Source()
        epoch = source.epoch
        if kind == b"VTG":  # it has no time: it goes with what it follows at once
            if epoch is None or t_now_ns - epoch.t_last_ns > HOLD_NS:
                return
        elif groups[0] != source.cycle_time or kind in source.cycle_kinds:
            if epoch is not None:
                self._emit(tag, source, epoch, out)
            epoch = source.begin(groups[0], t_host_ns)
        source.cycle_kinds.append(kind)
        if epoch is None:
            return  # its fix is out already: the next cycle waits for this sentence
        epoch.t_last_ns = t_now_ns
        fault = _FILL[kind](epoch, source, groups)
        if fault:
            out.append(Malformed(fault, raw))
        if kind == source.ends_with and source.times_ended >= CONFIRM:
            self._emit(tag, source, epoch, out)

    def _emit(
        self, tag: str, source: _Source, epoch: _Epoch, out: list[Observation | Malformed]
    ) -> None:
        """Close an epoch, and give out the Fix that it makes, if it makes one."""
        source.epoch = None
        kind, mode = epoch.kind, epoch.mode
        if epoch.is_mixed or (kind is None and mode is None):
            return
        t_utc_ns = source.to_utc_ns(epoch, self._hint_ns)
        if kind is FixKind.NO_FIX or mode is FixKind.NO_FIX:
            out.append(Fix(tag, epoch.t_host_ns, t_utc_ns, FixKind.NO_FIX, 0.0, 0.0))
            return
        if not epoch.has_place:
            return
        east_mps, north_mps = _velocity(epoch.speed, epoch.course)
        ee, en, nn = epoch.cov or (None, None, None)
        out.append(
            Fix(
                tag,
                epoch.t_host_ns,
                t_utc_ns,
                kind or mode or FixKind.SINGLE,
                epoch.lat_deg,
                epoch.lon_deg,
                ee,
                en,
                nn,
                east_mps,
                north_mps,
                None,
                None if epoch.hdop is None else float(epoch.hdop),
            )
        )


def _velocity(speed: bytes | None, course: bytes | None) -> tuple[float | None, float | None]:
    """Give (east, north), m/s; at a standstill the course may be blank."""
    if speed is None:
        return None, None
    speed_mps = float(speed) * KNOT_MPS
    if course is None:
        return (0.0, 0.0) if speed_mps < STANDSTILL_MPS else (None, None)
    angle = math.radians(float(course))
    return speed_mps * math.sin(angle), speed_mps * math.cos(angle)


def _fill_gga(epoch: _Epoch, source: _Source, groups: Groups) -> str:
    epoch.kind = _QUALITY.get(groups[7] or b"", FixKind.ESTIMATED)
    if groups[1] is None or epoch.kind is FixKind.NO_FIX:
        epoch.kind = FixKind.NO_FIX
        return ""
    epoch.hdop = groups[8]
    return _fill_place(epoch, source, b"GGA", groups, 1)


def _fill_gns(epoch: _Epoch, source: _Source, groups: Groups) -> str:
    modes = (groups[7] or b"").decode("ascii")
    kinds = [_MODE.get(mode, FixKind.ESTIMATED) for mode in modes]
    epoch.kind = max(kinds, default=FixKind.NO_FIX)
    if groups[1] is None or epoch.kind is FixKind.NO_FIX:
        epoch.kind = FixKind.NO_FIX
        return ""
    epoch.hdop = groups[8]
    return _fill_place(epoch, source, b"GNS", groups, 1)


def _fill_rmc(epoch: _Epoch, source: _Source, groups: Groups) -> str:
    mode = groups[11]
    epoch.mode = _MODE.get(mode.decode("ascii"), FixKind.ESTIMATED) if mode else FixKind.SINGLE
    epoch.date = groups[10]
    if groups[1] == b"V" or groups[2] is None:
        epoch.mode = FixKind.NO_FIX
        return ""
    epoch.speed, epoch.course = groups[8], groups[9]
    return _fill_place(epoch, source, b"RMC", groups, 2)


def _fill_place(epoch: _Epoch, source: _Source, kind: bytes, groups: Groups, at: int) -> str:
    lat_d, lat_m, north_south, lon_d, lon_m, east_west = groups[at : at + 6]
    if not (lat_d and lat_m and lon_d and lon_m):
        return f"shape_{kind.decode('ascii')}"
    if source.has_lost_digits(kind, lat_m, lon_m):
        return "digits"
    lat_minutes, lon_minutes = float(lat_m), float(lon_m)
    lat_deg = int(lat_d) + lat_minutes / 60.0
    lon_deg = int(lon_d) + lon_minutes / 60.0
    if lat_deg == 0.0 and lon_deg == 0.0:
        return "zero_position"
    if lat_minutes >= 60.0 or lon_minutes >= 60.0 or lat_deg > 90.0 or lon_deg > 180.0:
        return f"shape_{kind.decode('ascii')}"
    if north_south == b"S":
        lat_deg = -lat_deg
    if east_west == b"W":
        lon_deg = -lon_deg
    if not epoch.has_place:
        epoch.lat_deg, epoch.lon_deg, epoch.has_place = lat_deg, lon_deg, True
        return ""
    off_deg = max(abs(lat_deg - epoch.lat_deg), abs(lon_deg - epoch.lon_deg))
    if off_deg > SAME_PLACE_DEG:
        epoch.is_mixed = True
        return "mixed_devices"
    return ""


def _fill_gst(epoch: _Epoch, _source: _Source, groups: Groups) -> str:
    """Take the claimed covariance: sigmas of latitude and longitude, tilted by the ellipse."""
    lat_m, lon_m = groups[5], groups[6]
    if lat_m is None or lon_m is None:
        return ""
    sigma_n_m, sigma_e_m = float(lat_m), float(lon_m)
    if sigma_n_m <= 0.0 or sigma_e_m <= 0.0:
        return ""  # zero is unknown, not perfect
    en = 0.0
    major, minor, orient = groups[2], groups[3], groups[4]
    if major is not None and minor is not None and orient is not None:
        turn = math.radians(2.0 * float(orient))
        en = 0.5 * (float(major) ** 2 - float(minor) ** 2) * math.sin(turn)
        limit = 0.999 * sigma_n_m * sigma_e_m
        en = min(max(en, -limit), limit)
    epoch.cov = (sigma_e_m * sigma_e_m, en, sigma_n_m * sigma_n_m)
    return ""


def _fill_vtg(epoch: _Epoch, _source: _Source, groups: Groups) -> str:
    if epoch.speed is None:
        epoch.course, epoch.speed = groups[0], groups[1]
    return ""


_FILL = {
    b"GGA": _fill_gga,
    b"RMC": _fill_rmc,
    b"GNS": _fill_gns,
    b"GST": _fill_gst,
    b"VTG": _fill_vtg,
}
