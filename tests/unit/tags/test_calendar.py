"""Dates and times of day as receivers write them, against the standard library's calendar."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from throwin.tags.calendar import (
    DAY_NS,
    ROLLOVER_DAYS,
    day_of,
    nearest_day,
    time_of_day_ns,
    without_rollover,
)

FROM_1980_TO_2079 = st.dates(datetime.date(1980, 1, 1), datetime.date(2079, 12, 31))


@given(FROM_1980_TO_2079)
def test_date_of_two_digits_is_read_as_1980_to_2079(date: datetime.date) -> None:
    """GPS time begins in 1980: two-digit years are of that hundred."""
    days = (date - datetime.date(1970, 1, 1)).days
    assert day_of(date.strftime("%d%m%y").encode()) == days


@pytest.mark.parametrize(
    "text", [b"", b"2208-1", b"300226", b"290225", b"001126", b"1", b"0101261"]
)
def test_date_that_is_none_is_unknown(text: bytes) -> None:
    """Signs, blanks, and days that the calendar doesn't have."""
    assert day_of(text) is None


@given(st.times())
def test_time_of_day_is_ns_since_midnight(time: datetime.time) -> None:
    """Hours, minutes, seconds and a fraction of any length."""
    text = time.strftime("%H%M%S.%f").encode()
    moment = datetime.datetime.combine(datetime.date(1970, 1, 1), time, datetime.UTC)
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
    assert time_of_day_ns(text) == seconds * 1_000_000_000 + moment.microsecond * 1000


@pytest.mark.parametrize(
    ("text", "ns"), [(b"000001", 10**9), (b"000001.", 10**9), (b"235960", DAY_NS)]
)
def test_time_without_fraction_and_leap_second_are_read(text: bytes, ns: int) -> None:
    """A leap second is the next minute's first."""
    assert time_of_day_ns(text) == ns


@pytest.mark.parametrize("text", [b"240000", b"126000", b"120061"])
def test_time_that_no_clock_shows_is_unknown(text: bytes) -> None:
    """Digits alone make no time."""
    assert time_of_day_ns(text) is None


@given(FROM_1980_TO_2079, st.integers(-2, 2))
def test_date_of_any_rollover_is_moved_to_the_reference(date: datetime.date, rolls: int) -> None:
    """Whole 1024 weeks come off, and nothing else."""
    day = (date - datetime.date(1970, 1, 1)).days
    reference_ns = day * DAY_NS + 5 * DAY_NS
    assert without_rollover(day + rolls * ROLLOVER_DAYS, reference_ns) == day


@given(st.integers(0, 40_000), st.integers(0, DAY_NS - 1), st.floats(-11.99, 11.99))
def test_time_of_day_within_twelve_hours_finds_its_day(
    day: int, of_day_ns: int, off_h: float
) -> None:
    """Whatever side of midnight the reference is on."""
    reference_ns = day * DAY_NS + of_day_ns + int(off_h * 3600e9)
    assert nearest_day(of_day_ns, reference_ns) == day
