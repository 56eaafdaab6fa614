"""What a tag said, in the tag's own terms: the values that every decoder gives.

Nothing here is in field coordinates and nothing is judged; a value that the device did not
give is None, never a default.
"""

import enum
from typing import NamedTuple, Protocol


class FixKind(enum.IntEnum):
    """How a position was obtained; ordered from worthless to best."""

    NO_FIX = 0
    ESTIMATED = 1  # dead reckoning, manual or simulated input of the receiver: never used
    SINGLE = 2
    DGNSS = 3
    RTK_FLOAT = 4
    RTK_FIXED = 5
    UWB = 6


class Fix(NamedTuple):
    """One GNSS epoch of one tag, or its statement that it has no fix.

    t_host_ns: host monotonic clock at the arrival of the epoch's first byte.
    t_utc_ns: UTC of measurement, ns since 1970, None when the tag gave no usable time.
    lat_deg, lon_deg: WGS84, meaningless (0.0) when kind is NO_FIX.
    cov_*_m2: horizontal covariance claimed by the device, 1 sigma squared, None = not claimed.
    vel_*_mps: ground velocity, None when not given (a blank course at a standstill with a
    given speed below 0.1 m/s is a velocity of zero).
    sigma_v_mps: claimed 1 sigma of velocity per axis.
    hdop: horizontal dilution of precision where the format has one.
    """

    tag: str
    t_host_ns: int
    t_utc_ns: int | None
    kind: FixKind
    lat_deg: float
    lon_deg: float
    cov_ee_m2: float | None = None
    cov_en_m2: float | None = None
    cov_nn_m2: float | None = None
    vel_e_mps: float | None = None
    vel_n_mps: float | None = None
    sigma_v_mps: float | None = None
    hdop: float | None = None
    lag_s: float | None = None


class UwbPosition(NamedTuple):
    """One position in a UWB system's own frame, metres, or its statement that it has none.

    t_tag_ns: the device's counter unwrapped to ns, or None; quality 0..1, 0 = no position.
    """

    tag: str
    t_host_ns: int
    t_tag_ns: int | None
    x_uwb_m: float
    y_uwb_m: float
    sigma_m: float | None
    quality: float | None = None


class Press(enum.Enum):
    """A button of a tag or of the umpire's device."""

    READY = "ready"
    THROW = "throw"
    GOAL = "goal"
    CANCEL = "cancel"


class Button(NamedTuple):
    """A button was pressed."""

    tag: str
    t_host_ns: int
    press: Press


class Imu(NamedTuple):
    """Attitude and shock of a tag; heading_deg clockwise from true north, None = not known."""

    tag: str
    t_host_ns: int
    heading_deg: float | None
    shock_mps2: float | None


class TagStatus(NamedTuple):
    """A tag's own health report."""

    tag: str
    t_host_ns: int
    battery_pct: int | None
    temperature_c: float | None


class Loss(NamedTuple):
    """Messages of one tag that never arrived, seen as a gap in its sequence numbers."""

    tag: str
    t_host_ns: int
    missing: int


class Malformed(NamedTuple):
    """Bytes that were not understood: a counted value, never an exception.

    reason: a short fixed word ("checksum", "shape", ...), the counter's name.
    """

    reason: str
    raw: bytes


Observation = Fix | UwbPosition | Button | Imu | TagStatus | Loss


class Decoder(Protocol):
    """Bytes in, Observations and Malformed values out; keeps what is incomplete."""

    def feed(self, data: bytes, t_host_ns: int) -> list[Observation | Malformed]:
        """Take one chunk whose last byte arrived at t_host_ns; never raises on its content."""
        ...

    def flush(self, t_host_ns: int) -> list[Observation | Malformed]:
        """Give out an epoch that was held back for companions which have not come."""
        ...
