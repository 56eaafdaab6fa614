"""The patterns are what the umpire was taught, and none can be taken for READY."""

from typing import get_args

import pytest

from throwin.contract.payload import CuePattern
from throwin.receiver.pattern import PATTERNS, draw, length_ms

LONG_MS = 250


def rhythm(pattern: str) -> str:
    """Give the vibrations of a pattern as s (short) and L (long)."""
    spans = [span for span in PATTERNS[pattern] if span.strength > 0.0]
    return "".join("L" if span.length_ms >= LONG_MS else "s" for span in spans)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("ready", "sLs"),
        ("hold", "LLL"),
        ("foul", "sssss"),
        ("blind", "LL"),
        ("mute", "L"),
        ("warn", ""),
        ("end", ""),
    ],
)
def test_pattern_has_the_rhythm_that_umpires_learn(pattern: str, expected: str) -> None:
    """Rhythm is what tells patterns apart in motion."""
    assert rhythm(pattern) == expected


def test_patterns_are_those_of_the_contract() -> None:
    """Every cue that can come can be played."""
    assert set(PATTERNS) == set(get_args(CuePattern))


def test_rhythm_of_ready_is_part_of_no_other() -> None:
    """Half felt, nothing is READY."""
    others = [name for name in PATTERNS if name != "ready" and rhythm("ready") in rhythm(name)]
    assert others == []


def test_hold_is_three_times_300_ms() -> None:
    """The lengths are the design's."""
    assert [s.length_ms for s in PATTERNS["hold"] if s.strength] == [300, 300, 300]


def test_blind_fades_for_two_seconds_twice() -> None:
    """The one pattern that grows weaker."""
    spans = [s for s in PATTERNS["blind"] if s.strength]
    assert [(s.length_ms, s.fades_to < s.strength) for s in spans] == [(2000, True)] * 2


def test_mute_is_three_seconds() -> None:
    """The one that is long without a break."""
    assert length_ms("mute") == 3000


def test_hold_is_over_before_its_first_repeat() -> None:
    """The daemon repeats a HOLD after 1.5 s at the earliest: there is a pause between."""
    assert length_ms("hold") < 1500


@pytest.mark.parametrize("pattern", ["warn", "end"])
def test_pattern_of_nothing_is_drawn_as_nothing(pattern: str) -> None:
    """What is not felt is not drawn."""
    assert draw(pattern) == ""


def test_drawing_shows_short_and_long() -> None:
    """A technician at the console sees the rhythm."""
    assert [len(word) for word in draw("ready").split()] == [1, 5, 1]


def test_drawing_of_what_fades_is_another() -> None:
    """Fading is visible."""
    assert set(draw("blind")) & set(draw("mute")) == set()
