"""Dates and times of day as receivers write them, to ns since 1970. Pure arithmetic."""

import datetime

NS = 1_000_000_000
DAY_NS = 86_400 * NS
ROLLOVER_DAYS = 7168  # 1024 weeks: GPS counts weeks in ten bits
CENTURY_TURN = 80  # two-digit years from here on are of the last century
_EPOCH_ORDINAL = datetime.date(1970, 1, 1).toordinal()


def time_of_day_ns(text: bytes) -> int | None:
    """Give ns since midnight of `hhmmss[.s...]`, digits already checked; None = no such time.

    Second 60 is a leap second: the same as second 0 of the next minute.
    """
    hour, minute = int(text[:2]), int(text[2:4])
    if hour > 23 or minute > 59:
        return None
    second = int(text[4:6])
    if second > 60:
        return None
    fraction_ns = int(text[7:].ljust(9, b"0")) if len(text) > 7 else 0
    return ((hour * 60 + minute) * 60 + second) * NS + fraction_ns


def day_of(text: bytes) -> int | None:
    """Give days since 1970 of `ddmmyy`; None for what is no date."""
    if len(text) != 6 or not text.isdigit():
        return None
    year = int(text[4:6])
    year += 1900 if year >= CENTURY_TURN else 2000
    try:
        return datetime.date(year, int(text[2:4]), int(text[:2])).toordinal() - _EPOCH_ORDINAL
    except ValueError:
        return None


def without_rollover(day: int, reference_ns: int) -> int:
    """Move a date by whole 1024 weeks to where it is nearest to the reference."""
    return day + round((reference_ns / DAY_NS - day) / ROLLOVER_DAYS) * ROLLOVER_DAYS


def nearest_day(of_day_ns: int, reference_ns: int) -> int:
    """Give the day that puts a time of day within 12 h of the reference."""
    return round((reference_ns - of_day_ns) / DAY_NS)
