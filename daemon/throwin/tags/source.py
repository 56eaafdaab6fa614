"""One tag's NMEA stream: the epoch at hand, and what the stream has taught.

Learned are the number of decimals that the device writes, which sentence ends its cycle, and
its date. Pure state: who is fed, and when an epoch is given out, is epoch.py's.
"""

from typing import Final

from throwin.tags import reading
from throwin.tags.calendar import time_of_day_ns
from throwin.tags.nmea import GGA, GNS, GST, RMC, VTG
from throwin.tags.observation import Fix, FixKind

DIGITS_AGREE: Final = 5  # so many positions in a row with other decimals are a device's new ways
CYCLES_AGREE: Final = 3  # so many cycles in a row with another last sentence are its new ways

Fields = tuple[bytes, ...]
_NO_FIELDS: Final[Fields] = ()


class Source:
    """State of one tag's stream; epoch.py alone writes to it.

    time, seen, position, raw: the epoch's time of day, its sentences by kind, its place as text
    and the sentence that gave it; kept after it is closed, since late sentences still come.
    end_ns: when the source was last heard. day: days since 1970 of the date as RMC writes it.
    utc: the last moment that RMC dated, and its arrival.
    """

    __slots__ = (
        "_digits",
        "_last_of_cycle",
        "_other_digits",
        "_other_last",
        "_other_last_count",
        "date",
        "day",
        "end_ns",
        "has_mixed",
        "has_paused",
        "has_rolled",
        "has_void",
        "is_dated",
        "is_open",
        "last_kind",
        "lat_deg",
        "lon_deg",
        "position",
        "raw",
        "seen",
        "t_host_ns",
        "tag",
        "time",
        "utc",
    )

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.end_ns = 0
        self.has_paused = True
        self.is_open = False
        self.time: bytes | None = None
        self.seen: dict[bytes, Fields] = {}
        self.t_host_ns = 0
        self.position = b""
        self.lat_deg = self.lon_deg = 0.0
        self.raw = b""
        self.last_kind = b""
        self.has_mixed = self.has_void = self.is_dated = False
        self._last_of_cycle = b""
        self._other_last = b""
        self._other_last_count = 0
        self._digits: dict[bytes, int] = {}
        self._other_digits: dict[bytes, tuple[int, int]] = {}  # and how often in a row
        self.date: bytes | None = None
        self.day: int | None = None
        self.utc: tuple[int, int] | None = None
        self.has_rolled = False

    def begin(self, time: bytes, t_host_ns: int) -> None:
        """Start an epoch; what the last one ended with is known now, late ones included."""
        self._learn_cycle()
        self.is_open = True
        self.time = time
        self.seen = {}
        self.t_host_ns = t_host_ns
        self.position = b""
        self.has_mixed = self.has_void = self.is_dated = self.has_paused = False

    def _learn_cycle(self) -> None:
        last = self.last_kind
        if last == self._last_of_cycle:
            self._other_last_count = 0
            return
        self._other_last_count = self._other_last_count + 1 if last == self._other_last else 1
        self._other_last = last
        if self._other_last_count >= CYCLES_AGREE or not self._last_of_cycle:
            self._last_of_cycle = last
            self._other_last_count = 0

    def is_complete(self) -> bool:
        """Say whether the open epoch's last sentence is the one that ends the cycle."""
        return self.is_open and self.last_kind == self._last_of_cycle

    def is_next(self, kind: bytes, fields: Fields) -> bool:
        """Say whether a sentence starts another epoch.

        A blank time says nothing: its epoch ends when a kind comes again. What comes again at
        the time of an epoch already given out, and says something else, is one more; so is what
        says that there is no fix, since receivers without one may stop their time.
        """
        time = fields[0]
        if time != self.time and not self._is_same_time(time):
            return True
        if kind not in self.seen:
            return not time and not self.is_open
        if not time or self.is_open:
            return not time
        return fields != self.seen[kind] or (kind != GST and not fields[1])

    def _is_same_time(self, time: bytes) -> bool:
        """Say whether it is the epoch's time, written with another number of decimals."""
        if not time or not self.time or len(time) == len(self.time):
            return False
        return time_of_day_ns(time) == time_of_day_ns(self.time)

    def has_known_digits(self, kind: bytes, position: bytes) -> bool:
        """Say whether a position has the decimals that this source writes; learn them.

        Two equal characters lost from a sentence leave its checksum right.
        """
        digits = (len(position) << 8) + position.find(b",")
        known = self._digits.setdefault(kind, digits)
        if digits == known:
            if self._other_digits:
                self._other_digits.pop(kind, None)
            return True
        other, count = self._other_digits.get(kind, (digits, 0))
        count = count + 1 if digits == other else 1
        self._other_digits[kind] = digits, count
        if count < DIGITS_AGREE:
            return False
        self._digits[kind] = digits
        return True

    def make_fix(self, t_utc_ns: int | None) -> Fix | None:
        """Give the fix of the epoch's sentences, None when they make none.

        GGA's word on the kind is better than GNS's or RMC's, since it knows RTK in every
        version of the standard; that there is no fix is believed of any.
        """
        seen = self.seen
        gga = seen.get(GGA, _NO_FIELDS)
        gns = seen.get(GNS, _NO_FIELDS)
        rmc = seen.get(RMC, _NO_FIELDS)
        if self.has_mixed or not (gga or gns or rmc):
            return None
        is_void = self.has_void or (rmc and rmc[5] == b"N") or (gns and not gns[2].strip(b"N"))
        if is_void:
            return Fix(self.tag, self.t_host_ns, t_utc_ns, FixKind.NO_FIX, 0.0, 0.0)
        hdop = None
        if gga:
            kind = reading.quality_kind(gga[2])
            hdop = reading.dilution(gga[3])
        elif gns:
            kind = reading.modes_kind(gns[2])
            hdop = reading.dilution(gns[3])
        else:
            kind = reading.mode_kind(rmc[5])
        velocity = cov = None
        if rmc:
            velocity = reading.velocity_mps(rmc[2], rmc[3])
        elif VTG in seen:
            course, speed = seen[VTG]
            velocity = reading.velocity_mps(speed, course)
        if GST in seen:
            cov = reading.covariance_m2(*seen[GST][1:])
        vel_e_mps, vel_n_mps = velocity or (None, None)
        ee_m2, en_m2, nn_m2 = cov or (None, None, None)
        return Fix(
            self.tag,
            self.t_host_ns,
            t_utc_ns,
            kind,
            self.lat_deg,
            self.lon_deg,
            ee_m2,
            en_m2,
            nn_m2,
            vel_e_mps,
            vel_n_mps,
            None,
            hdop,
        )
