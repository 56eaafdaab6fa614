"""NMEA 0183 sentences of a Fix: what a receiver or a gateway would send.

The counterpart of the decoder, for the simulator, the benchmarks and the tests. It writes what
the standard says, not what the decoder happens to accept, and it never reads.
"""

import math

from throwin.field.units import KNOT_MPS
from throwin.tags.observation import Fix, FixKind

CENTISECOND_NS = 10_000_000
DAY_CENTISECONDS = 24 * 3600 * 100
COURSE_FROM_MPS = 0.1  # receivers leave the course blank at a standstill

# FixKind -> (quality in GGA, mode in RMC), NMEA 0183 4.11
_QUALITY: dict[FixKind, tuple[int, str]] = {
    FixKind.NO_FIX: (0, "N"),
    FixKind.SINGLE: (1, "A"),
    FixKind.DGNSS: (2, "D"),
    FixKind.RTK_FIXED: (4, "R"),
    FixKind.RTK_FLOAT: (5, "F"),
    FixKind.ESTIMATED: (6, "E"),
}
_SATELLITES: dict[FixKind, int] = {FixKind.NO_FIX: 0, FixKind.ESTIMATED: 3}


def checksum(body: str) -> int:
    """Give the XOR of all characters between `$` and `*` (or within a TAG block)."""
    total = 0
    for byte in body.encode("ascii"):
        total ^= byte
    return total


def encode_sentence(body: str) -> bytes:
    """Frame one sentence: `$body*hh`, carriage return, line feed."""
    return f"${body}*{checksum(body):02X}\r\n".encode("ascii")


def encode_tag_block(source: str, t_utc_ns: int | None = None) -> bytes:
    r"""Give a TAG block that names the source, and the Unix second when one is given.

    NMEA 0183 4.10, section 7: `\s:tag7,c:1785500000*hh\`; it stands before the `$`.
    """
    body = f"s:{source}"
    if t_utc_ns is not None:
        body += f",c:{t_utc_ns // 1_000_000_000}"
    return f"\\{body}*{checksum(body):02X}\\".encode("ascii")


def encode_gga(fix: Fix, *, talker: str = "GN", minute_decimals: int = 8) -> bytes:
    """Give the GGA sentence of a fix; raises ValueError for a kind that NMEA can't say."""
    quality, _ = _quality(fix)
    sats = _SATELLITES.get(fix.kind, 12)
    head = f"{talker}GGA,{_time(fix)}"
    if fix.kind is FixKind.NO_FIX:
        return encode_sentence(f"{head},,,,,0,{sats:02d},99.99,,,,,,")
    hdop = 0.6 if fix.hdop is None else fix.hdop
    is_corrected = fix.kind in (FixKind.DGNSS, FixKind.RTK_FLOAT, FixKind.RTK_FIXED)
    corrections = "1.0,0001" if is_corrected else ","
    return encode_sentence(
        f"{head},{_position(fix, minute_decimals)},{quality},{sats:02d},{hdop:.2f}"
        f",20.0,M,47.0,M,{corrections}"
    )


def encode_rmc(fix: Fix, *, talker: str = "GN", minute_decimals: int = 8) -> bytes:
    """Give the RMC sentence of a fix (NMEA 4.1 form, with mode and navigational status)."""
    _, mode = _quality(fix)
    head = f"{talker}RMC,{_time(fix)}"
    if fix.kind is FixKind.NO_FIX:
        return encode_sentence(f"{head},V,,,,,,,{_date(fix)},,,N,V")
    speed, course = _speed_and_course(fix)
    return encode_sentence(
        f"{head},A,{_position(fix, minute_decimals)},{speed},{course},{_date(fix)},,,{mode},V"
    )


def encode_gst(fix: Fix, *, talker: str = "GN") -> bytes:
    """Give the GST sentence of a fix: its claimed 1 sigma, blank where nothing is claimed."""
    _quality(fix)
    head = f"{talker}GST,{_time(fix)}"
    ee, nn = fix.cov_ee_m2, fix.cov_nn_m2
    if fix.kind is FixKind.NO_FIX or ee is None or nn is None:
        return encode_sentence(f"{head},,,,,,,")
    major_m, minor_m, orient_deg = _ellipse(ee, fix.cov_en_m2 or 0.0, nn)
    north_m, east_m = math.sqrt(nn), math.sqrt(ee)
    return encode_sentence(
        f"{head},{math.hypot(north_m, east_m):.3f},{major_m:.3f},{minor_m:.3f}"
        f",{orient_deg:.1f},{north_m:.3f},{east_m:.3f},{1.5 * major_m:.3f}"
    )


def encode_epoch(
    fix: Fix,
    *,
    talker: str = "GN",
    source: str | None = None,
    minute_decimals: int = 8,
    with_gst: bool = True,
) -> bytes:
    """Give one epoch as a receiver sends it: RMC, GGA and GST.

    source: name in a TAG block before each sentence; None for one tag a port.
    minute_decimals: 4 for a plain receiver, 7 or 8 for RTK (8 is 0.02 mm).
    Raises ValueError for a fix without time of measurement, or of a kind that NMEA can't say.
    """
    sentences = [
        encode_rmc(fix, talker=talker, minute_decimals=minute_decimals),
        encode_gga(fix, talker=talker, minute_decimals=minute_decimals),
    ]
    if with_gst:
        sentences.append(encode_gst(fix, talker=talker))
    block = b"" if source is None else encode_tag_block(source, fix.t_utc_ns)
    return b"".join(block + sentence for sentence in sentences)


def _quality(fix: Fix) -> tuple[int, str]:
    try:
        return _QUALITY[fix.kind]
    except KeyError:
        raise ValueError(f"kind: expected one that NMEA can say, got {fix.kind.name}") from None


def _centiseconds(fix: Fix) -> int:
    if fix.t_utc_ns is None:
        raise ValueError("t_utc_ns: expected the time of measurement, got None")
    return (fix.t_utc_ns + CENTISECOND_NS // 2) // CENTISECOND_NS


def _time(fix: Fix) -> str:
    seconds, hundredths = divmod(_centiseconds(fix) % DAY_CENTISECONDS, 100)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02d}{minute:02d}{second:02d}.{hundredths:02d}"


def _date(fix: Fix) -> str:
    year, month, day = _civil(_centiseconds(fix) // DAY_CENTISECONDS)
    return f"{day:02d}{month:02d}{year % 100:02d}"


def _civil(days: int) -> tuple[int, int, int]:
    """Give (year, month, day) of days since 1970 (proleptic Gregorian, era of 400 years)."""
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year_of_era + era * 400 + (1 if month <= 2 else 0), month, day


def _position(fix: Fix, decimals: int) -> str:
    lat = _degrees_minutes(fix.lat_deg, 2, decimals)
    lon = _degrees_minutes(fix.lon_deg, 3, decimals)
    north_south = "S" if fix.lat_deg < 0 else "N"
    east_west = "W" if fix.lon_deg < 0 else "E"
    return f"{lat},{north_south},{lon},{east_west}"


def _degrees_minutes(angle_deg: float, degree_digits: int, decimals: int) -> str:
    """Format degrees and minutes; integers carry, so that 59.999.. never becomes 60.0."""
    scale: int = 10**decimals
    degrees, rest = divmod(round(abs(angle_deg) * 60 * scale), 60 * scale)
    minutes, fraction = divmod(rest, scale)
    return f"{degrees:0{degree_digits}d}{minutes:02d}.{fraction:0{decimals}d}"


def _speed_and_course(fix: Fix) -> tuple[str, str]:
    if fix.vel_e_mps is None or fix.vel_n_mps is None:
        return "", ""
    speed_mps = math.hypot(fix.vel_e_mps, fix.vel_n_mps)
    speed = f"{speed_mps / KNOT_MPS:.3f}"
    if speed_mps < COURSE_FROM_MPS:
        return speed, ""
    hundredths = round(math.degrees(math.atan2(fix.vel_e_mps, fix.vel_n_mps)) * 100) % 36_000
    return speed, f"{hundredths / 100:.2f}"


def _ellipse(ee: float, en: float, nn: float) -> tuple[float, float, float]:
    """Give (major m, minor m, degrees of the major axis from north, clockwise)."""
    mean, half = (ee + nn) / 2, math.hypot((ee - nn) / 2, en)
    orient_deg = math.degrees(math.atan2(2 * en, nn - ee)) / 2
    return math.sqrt(mean + half), math.sqrt(max(mean - half, 0.0)), orient_deg % 180.0
