"""The benchmarks count what they say they count."""

import pytest

from throwin.app.bench_latency import delays_of
from throwin.app.bench_throughput import ARMED, MIX, Case, make_case, sentences_of, time_case
from throwin.app.machine import describe_machine


@pytest.fixture(scope="module")
def mix() -> Case:
    """Give the match mix as NMEA."""
    return make_case("match mix", MIX, "nmea")


def test_match_mix_is_armed_a_sixth_of_its_time(mix: Case) -> None:
    """Match mix is armed a sixth of its time."""
    assert 0.13 <= mix.armed <= 0.19


def test_all_armed_is_armed_nearly_all_of_its_time() -> None:
    """All armed is armed nearly all of its time."""
    assert make_case("all armed", ARMED, "own").armed > 0.85


def test_case_has_twelve_tags_at_10_hz(mix: Case) -> None:
    """Case has twelve tags at 10 hz."""
    assert 7000 <= mix.fixes <= 7200


def test_epoch_of_a_case_is_two_sentences(mix: Case) -> None:
    """Epoch of a case is two sentences."""
    assert {sentence[3:6] for sentence in sentences_of(mix)} == {b"RMC", b"GGA"}


def test_case_is_timed(mix: Case) -> None:
    """Case is timed."""
    assert time_case(mix) > 0.0


def test_delays_are_median_and_99th_percentile() -> None:
    """Delays are median and 99th percentile."""
    delays = delays_of([float(value) for value in range(1, 101)])
    assert (delays.p50_ms, delays.p99_ms, delays.count) == (50.5, 99.0, 100)


def test_machine_is_described() -> None:
    """Machine is described."""
    assert describe_machine().cores > 0
