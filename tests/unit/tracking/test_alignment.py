"""A tag's time becomes the host's: by the quickest message, through drift, jumps and restarts."""

import random

import pytest

from throwin.tracking.alignment import Alignment

NS = 1_000_000_000
OFFSET_NS = 5_000 * NS
LAG_NS = 100_000_000


def measured(
    count: int, *, drift: float = 0.0, jitter_ns: int = 20_000_000, seed: int = 1
) -> list[float]:
    """Give the error of alignment, s, of each of so many fixes at 10 Hz."""
    rng = random.Random(seed)
    alignment = Alignment()
    errors = []
    for number in range(count):
        t_true_ns = OFFSET_NS + number * NS // 10
        t_tag_ns = round(number * NS / 10 * (1 + drift))
        t_host_ns = t_true_ns + LAG_NS + rng.randrange(jitter_ns + 1)
        errors.append((alignment.to_host_ns(t_tag_ns, t_host_ns, LAG_NS) - t_true_ns) / NS)
    return errors


def test_jittered_arrivals_settle_on_the_quickest() -> None:
    """Jittered arrivals settle on the quickest."""
    assert max(abs(error) for error in measured(200)[50:]) < 0.002


@pytest.mark.parametrize("drift", [20e-6, -20e-6])
def test_drifting_crystal_is_followed(drift: float) -> None:
    """Drifting crystal is followed."""
    assert max(abs(error) for error in measured(20_000, drift=drift)[50:]) < 0.008


def test_measurement_is_never_after_its_arrival() -> None:
    """Measurement is never after its arrival."""
    alignment = Alignment()
    rng = random.Random(3)
    late_ns = []
    for number in range(500):
        t_host_ns = number * NS // 10 + rng.randrange(50_000_000)
        late_ns.append(t_host_ns - alignment.to_host_ns(number * NS // 10, t_host_ns, 0))
    assert min(late_ns) >= 0


def test_single_wild_time_is_not_believed() -> None:
    """Single wild time is not believed."""
    alignment = Alignment()
    alignment.to_host_ns(0, 10 * NS, 0)
    assert alignment.to_host_ns(3600 * NS, 10 * NS + 100, 0) == 10 * NS + 100


def test_clock_that_was_set_is_followed_after_three() -> None:
    """Clock that was set is followed after three."""
    alignment = Alignment()
    alignment.to_host_ns(0, 10 * NS, 0)
    for number in range(3):
        alignment.to_host_ns((3600 + number) * NS, (11 + number) * NS, 0)
    assert 0 <= alignment.to_host_ns(3603 * NS, 14 * NS + 7, 0) - 14 * NS <= 7


def settled() -> Alignment:
    """Give the alignment of a tag that was heard for 5 s at 10 Hz, with 20 ms to its arrival."""
    alignment = Alignment()
    for number in range(50):
        alignment.to_host_ns(number * NS // 10, OFFSET_NS + number * NS // 10 + 20_000_000, 0)
    return alignment


def test_backlog_of_a_stalled_link_stays_in_the_past() -> None:
    """Fixes of 3 s that come at once were measured over 3 s."""
    alignment = settled()
    errors_ns = [
        alignment.to_host_ns(number * NS // 10, OFFSET_NS + 8 * NS + number * 1_000_000, 0)
        - (OFFSET_NS + number * NS // 10)
        for number in range(50, 80)
    ]
    assert max(errors_ns) < 25_000_000


def test_counter_that_began_anew_is_not_taken_for_a_backlog() -> None:
    """A tag that was switched off and on is prompt again from its first word."""
    alignment = settled()
    t_host_ns = OFFSET_NS + 60 * NS
    given = [
        alignment.to_host_ns(number * NS // 10, t_host_ns + number * NS // 10, 0) - t_host_ns
        for number in range(5)
    ]
    assert given == [number * NS // 10 for number in range(5)]


def test_tag_that_slept_with_its_clock_is_followed_after_ten_seconds() -> None:
    """What stays behind for longer than a buffer holds is the clock, not the link."""
    alignment = settled()
    behind_ns = [
        OFFSET_NS
        + 60 * NS
        + number * NS // 10
        - alignment.to_host_ns(
            5 * NS + number * NS // 10, OFFSET_NS + 60 * NS + number * NS // 10, 0
        )
        for number in range(110)
    ]
    assert (behind_ns[99] > 50 * NS, behind_ns[101]) == (True, 0)
