"""What the texts of NMEA fields mean: position, kind of fix, velocity, covariance.

Each function takes text whose shape nmea.py has proven; a blank gives None.
"""

import math
from typing import Final

from throwin.field.units import KNOT_MPS
from throwin.tags.observation import FixKind

COURSE_FROM_MPS: Final = 0.1  # receivers leave the course blank at a standstill
HDOP_MAX: Final = 99.0  # 99.99 stands for "none"
SAME_PLACE_MIN: Final = 0.0003  # minutes of arc, 0.56 m of latitude: rounding to four decimals

_QUALITIES: Final = {
    b"1": FixKind.SINGLE,
    b"2": FixKind.DGNSS,
    b"3": FixKind.SINGLE,  # PPS
    b"4": FixKind.RTK_FIXED,
    b"5": FixKind.RTK_FLOAT,
    b"6": FixKind.ESTIMATED,
    b"7": FixKind.ESTIMATED,  # manual input
    b"8": FixKind.ESTIMATED,  # simulator
}
_MODES: Final = {
    b"A": FixKind.SINGLE,
    b"D": FixKind.DGNSS,
    b"P": FixKind.DGNSS,  # precise: of the corrected ones
    b"F": FixKind.RTK_FLOAT,
    b"R": FixKind.RTK_FIXED,
    b"E": FixKind.ESTIMATED,
    b"M": FixKind.ESTIMATED,
    b"S": FixKind.ESTIMATED,
    b"N": FixKind.NO_FIX,
}


def quality_kind(quality: bytes) -> FixKind:
    """Give the kind of GGA's quality 1 to 8."""
    return _QUALITIES[quality]


def mode_kind(mode: bytes) -> FixKind:
    """Give the kind of RMC's mode; absent (before NMEA 2.3) or unknown, the sentence is single."""
    return _MODES.get(mode or b"A", FixKind.SINGLE)


def modes_kind(modes: bytes) -> FixKind:
    """Give the kind of GNS's modes, one letter a constellation: the worst of those in use."""
    kinds = [_MODES.get(modes[i : i + 1], FixKind.SINGLE) for i in range(len(modes))]
    return min((kind for kind in kinds if kind), default=FixKind.NO_FIX)


def position_deg(text: bytes) -> tuple[float, float]:
    """Give (lat_deg, lon_deg) of `ddmm.m..,N,dddmm.m..,E`."""
    lat, north, lon, east = text.split(b",")
    lat_deg = int(lat[:2]) + float(lat[2:]) / 60.0
    lon_deg = int(lon[:3]) + float(lon[3:]) / 60.0
    return lat_deg if north == b"N" else -lat_deg, lon_deg if east == b"E" else -lon_deg


def decimals(text: bytes) -> tuple[int, int]:
    """Give the number of decimals of the minutes of latitude and longitude."""
    lat, _, lon, _ = text.split(b",")
    return len(lat) - 5, len(lon) - 6


def is_same_place(one: bytes, other: bytes) -> bool:
    """Say whether two positions are one that was rounded twice."""
    step_min = 1.5 * 10.0 ** -min(*decimals(one), *decimals(other))
    limit_deg = max(SAME_PLACE_MIN, step_min) / 60.0
    (lat, lon), (other_lat, other_lon) = position_deg(one), position_deg(other)
    return (
        abs(lat - other_lat) <= limit_deg
        and abs(math.remainder(lon - other_lon, 360.0)) <= limit_deg
    )


def velocity_mps(speed: bytes, course: bytes) -> tuple[float, float] | None:
    """Give (east, north) of knots and degrees; a blank course counts as long as nothing moves."""
    if not speed:
        return None
    speed_mps = float(speed) * KNOT_MPS
    if course:
        course_rad = math.radians(float(course))
        return speed_mps * math.sin(course_rad), speed_mps * math.cos(course_rad)
    return (0.0, 0.0) if speed_mps < COURSE_FROM_MPS else None


def dilution(text: bytes) -> float | None:
    """Give the dilution of precision; blank, zero and 99.99 are none."""
    value = float(text) if text else 0.0
    return value if 0.0 < value < HDOP_MAX else None


def covariance_m2(
    major: bytes, minor: bytes, orient: bytes, north: bytes, east: bytes
) -> tuple[float, float, float] | None:
    """Give (ee, en, nn) of GST's fields: m, m, degrees of the major axis from north, m, m.

    The axes' own sigmas are preferred; the ellipse adds their correlation, or stands in:
    nn = a2 cos2 + b2 sin2, ee = a2 sin2 + b2 cos2, en = (a2 - b2) sin cos.
    A sigma of zero is no claim at all.
    """
    ee = en = nn = 0.0
    if major and minor and orient:
        turn_rad = math.radians(float(orient))
        a2, b2 = float(major) ** 2, float(minor) ** 2
        c, s = math.cos(turn_rad), math.sin(turn_rad)
        if a2 > 0.0 and b2 > 0.0:
            ee, en, nn = a2 * s * s + b2 * c * c, (a2 - b2) * s * c, a2 * c * c + b2 * s * s
    if north and east:
        nn, ee = float(north) ** 2, float(east) ** 2
        limit = math.sqrt(ee * nn)
        en = min(max(en, -limit), limit)
    return (ee, en, nn) if ee > 0.0 and nn > 0.0 else None
