"""Dates of NMEA epochs: midnight, week rollover, malformed ones, and the host's clock."""

import pytest
from tests.unit.tags.conftest import MS, NOON_NS, Line, decode, gga, one_fix, rmc, utc

from throwin.tags.nmea_encoder import encode_sentence
from throwin.tags.observation import FixKind

# Dates.


def test_date_of_rmc_beats_the_hosts() -> None:
    """A host whose clock is a month off doesn't move a dated fix."""
    assert one_fix(rmc("120000.10"), hint_ns=NOON_NS + 30 * 86_400_000 * MS).t_utc_ns == (
        NOON_NS + 100 * MS
    )


def test_gga_read_after_the_hosts_midnight_keeps_its_day() -> None:
    """23:59:59.9 read at 00:00:00.69 is of the day before."""
    midnight_ns = NOON_NS + 12 * 3600 * 1000 * MS
    fix = one_fix(gga("235959.90"), hint_ns=midnight_ns + 690 * MS)
    assert fix.t_utc_ns == midnight_ns - 100 * MS


def test_gga_ahead_of_the_hosts_midnight_takes_the_next_day() -> None:
    """00:00:00.1 read when the host still has the old day is of the new one."""
    midnight_ns = NOON_NS + 12 * 3600 * 1000 * MS
    fix = one_fix(gga("000000.10"), hint_ns=midnight_ns - 500 * MS)
    assert fix.t_utc_ns == midnight_ns + 100 * MS


@pytest.mark.parametrize("is_gga_first", [True, False])
def test_midnight_with_gga_and_rmc_in_either_order_adds_one_day(is_gga_first: bool) -> None:
    """GGA of the new day before RMC with the new date is neither a day early nor late."""
    data = []
    for time, date in (("235959.90", "310725"), ("000000.00", "010825"), ("000000.10", "010825")):
        pair = [gga(time), rmc(time, date=date)]
        data += pair if is_gga_first else pair[::-1]
    times = utc(decode(*data, hint_ns=None))
    assert times == [pytest.approx(times[1] - 0.1), times[1], pytest.approx(times[1] + 0.1)]  # type: ignore[operator] # none is None


def test_midnight_between_two_rmc_carries_the_date_over() -> None:
    """GGA at 10 Hz with RMC once a second crosses midnight without one."""
    line = decode(rmc("235959.00"), gga("235959.90"), gga("000000.10"), hint_ns=None)
    assert utc(line) == [43_199.0, 43_199.9, 43_200.1]


def test_date_is_carried_through_a_long_silence() -> None:
    """After thirty hours without RMC the day is that of the time passed, not of the last date."""
    line = Line(hint_ns=None)
    line.send(rmc("120000.00"))
    line.wait(30 * 3_600_000)
    line.send(gga("180000.00"))
    line.wait(100)
    assert utc(line) == [0.0, 30 * 3600.0]


def test_date_of_1024_weeks_ago_is_moved_and_told_once() -> None:
    """1999-08-22 from a receiver of 2019 is 2019-04-07."""
    april_2019_ns = 1_554_600_000_000_000_000  # 2019-04-07T01:20:00Z
    line = decode(
        rmc("000231.42", date="220899"), rmc("000231.52", date="220899"), hint_ns=april_2019_ns
    )
    assert ([fix.t_utc_ns for fix in line.fixes], line.faults) == (
        [1_554_595_351_420_000_000, 1_554_595_351_520_000_000],
        ["rollover"],
    )


def test_old_date_without_a_host_clock_stays() -> None:
    """Nothing tells that it has rolled over."""
    fix = one_fix(rmc("000231.42", date="220899"), hint_ns=None)
    assert fix.t_utc_ns == 935_280_151_420_000_000


@pytest.mark.parametrize("date", ["2208-1", "320126", "300226", "011326", "0101260"])
def test_malformed_date_leaves_the_position_and_takes_the_hosts(date: str) -> None:
    """The fix is used, its day is the one nearest to the host's clock."""
    line = decode(rmc("120000.10", date=date))
    assert (utc(line), line.faults) == ([0.1], ["date"])


def test_blank_date_is_no_fault() -> None:
    """A receiver that has no date yet says so."""
    assert one_fix(rmc("120000.10", date="")).t_utc_ns == NOON_NS + 100 * MS


def test_time_without_date_and_host_clock_is_unknown() -> None:
    """A time of day alone is no instant."""
    assert one_fix(gga("120000.10"), hint_ns=None).t_utc_ns is None


def test_host_clock_that_was_never_set_is_no_hint() -> None:
    """1970 is where a machine without battery starts."""
    assert one_fix(gga("120000.10"), hint_ns=3_600_000 * MS).t_utc_ns is None


def test_host_clock_that_is_set_later_moves_a_rolled_date() -> None:
    """The date was taken as it was until there was something to compare it with."""
    line = Line(hint_ns=None)
    line.send(rmc("120000.10", date="180506"))
    line.decoder.hint_utc(NOON_NS)
    line.send(rmc("120000.20", date="180506"))
    line.wait(100)
    assert utc(line) == [-7168 * 86_400 + 0.1, 0.2]


def test_fix_without_time_has_no_instant_whatever_its_date() -> None:
    """A blank time is no midnight."""
    assert one_fix(rmc("")).t_utc_ns is None


def test_leap_second_is_the_next_minutes_first() -> None:
    """23:59:60 has no UTC of its own in a count of seconds."""
    line = decode(rmc("235960.10", date="311216"), rmc("000000.20", date="010117"), hint_ns=None)
    first, second = (fix.t_utc_ns for fix in line.fixes)
    assert (first, second) == (1_483_228_800_100_000_000, 1_483_228_800_200_000_000)


def test_date_of_a_void_rmc_is_not_believed() -> None:
    """Receivers that search for satellites make dates up: the host's is taken."""
    fix = one_fix(encode_sentence("GPRMC,120000.00,V,0000.0000,N,00000.0000,E,,,161206,,,N"))
    assert (fix.kind, fix.t_utc_ns) == (FixKind.NO_FIX, NOON_NS)


def test_host_clock_that_runs_on_picks_the_newest_day() -> None:
    """The hint comes with every tick; the day is taken from the last one."""
    line = Line()
    for hour in range(0, 36, 6):
        line.decoder.hint_utc(NOON_NS + hour * 3600 * 1000 * MS)
    line.send(gga("180000.00"))
    line.wait(100)
    assert utc(line) == [30 * 3600.0]
