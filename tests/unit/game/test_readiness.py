"""READY comes on rising edges, and its loss is felt."""

from collections.abc import Callable

import pytest

from throwin.game.profile import Profile
from throwin.game.readiness import Outlook, Readiness, Word
from throwin.receiver.pattern import length_ms

S = 1_000_000_000
Timeline = list[tuple[float, Outlook, bool]]  # until when, outlook, whether an input is lost
GOOD, UNSURE, BREACH = Outlook.GOOD, Outlook.UNSURE, Outlook.BREACH


def play(profile: Profile, timeline: Timeline) -> list[tuple[float, Word]]:
    """Play a timeline at 20 Hz; give what was told, and when."""
    readiness = Readiness(profile)
    told = []
    tick = 0
    for until_s, outlook, is_lost in timeline:
        while tick < until_s * 20:
            word = readiness.update(tick * S // 20, outlook, is_lost=is_lost)
            told += [] if word is None else [(tick / 20, word)]
            tick += 1
    return told


@pytest.mark.parametrize(
    ("timeline", "told"),
    [
        pytest.param([(0.25, GOOD, False)], [], id="good_for_a_moment"),
        pytest.param([(9, GOOD, False)], [(0.3, Word.READY)], id="good_gives_ready_once"),
        pytest.param([(9, UNSURE, False)], [], id="unsure_gives_nothing"),
        pytest.param([(9, BREACH, False)], [], id="breach_gives_nothing"),
        pytest.param(
            [(1, GOOD, False), (1.9, UNSURE, False), (9, GOOD, False)],
            [(0.3, Word.READY)],
            id="short_doubt_is_not_felt",
        ),
        pytest.param(
            [(1, GOOD, False), (9, UNSURE, False)],
            [(0.3, Word.READY), (2.0, Word.NOT_READY)],
            id="lasting_doubt_withdraws",
        ),
        pytest.param(
            [(1, GOOD, False), (9, BREACH, False)],
            [(0.3, Word.READY)],
            id="breach_is_felt_as_hold_not_here",
        ),
        pytest.param(
            [(1, GOOD, False), (5, BREACH, False), (9, GOOD, False)],
            [(0.3, Word.READY), (5.3, Word.READY)],
            id="ready_again_after_a_breach",
        ),
        pytest.param(
            [(1, GOOD, False), (1.5, BREACH, False), (9, GOOD, False)],
            [(0.3, Word.READY), (3.3, Word.READY)],
            id="two_readies_are_three_seconds_apart",
        ),
        pytest.param(
            [(1, GOOD, False), (9, UNSURE, True)],
            [(0.3, Word.READY), (1.0, Word.NO_POSITION)],
            id="lost_input_is_told_once",
        ),
        pytest.param([(9, UNSURE, True)], [(0.0, Word.NO_POSITION)], id="lost_from_the_start"),
        pytest.param(
            [(1, GOOD, False), (5, UNSURE, True), (9, GOOD, False)],
            [(0.3, Word.READY), (1.0, Word.NO_POSITION), (5.8, Word.READY)],
            id="ready_again_once_all_are_back",
        ),
        pytest.param(
            [(1, UNSURE, True), (1.2, UNSURE, False), (9, UNSURE, True)],
            [(0.0, Word.NO_POSITION)],
            id="flicker_is_one_loss",
        ),
    ],
)
def test_timeline_is_told(
    profile: Profile, timeline: Timeline, told: list[tuple[float, Word]]
) -> None:
    """Timeline is told."""
    assert play(profile, timeline) == told


def test_cleared_readiness_gives_ready_anew(profile: Profile) -> None:
    """Cleared readiness gives ready anew."""
    readiness = Readiness(profile)
    for tick in range(20):
        readiness.update(tick * S // 20, GOOD, is_lost=False)
    readiness.clear()
    told = [readiness.update(tick * S // 20, GOOD, is_lost=False) for tick in range(80, 100)]
    assert told.count(Word.READY) == 1


def test_ready_waits_until_blind_has_been_felt(profile: Profile) -> None:
    """A receiver plays BLIND to its end, and would swallow a READY that comes meanwhile."""
    told = play(profile, [(1, GOOD, False), (2, UNSURE, True), (9, GOOD, False)])
    assert told[-1] == (1.0 + profile.blind_ns / S, Word.READY)


def test_blind_pattern_is_over_when_ready_may_come(profile: Profile) -> None:
    """The rulebook's figure covers the pattern that receivers play."""
    assert length_ms("blind") <= profile.blind_ns / 1e6


def test_unheard_ready_is_given_once_more(profile: Profile) -> None:
    """What a receiver could not play is no READY: it comes again in a while."""
    readiness = Readiness(profile)
    told = []
    for tick in range(20 * 9):
        if tick == 10:
            readiness.unheard(tick * S // 20)
        if readiness.update(tick * S // 20, GOOD, is_lost=False) is Word.READY:
            told.append(tick / 20)
    assert told == [0.3, 2.5]


def test_unheard_ready_that_stands_no_more_is_nothing(profile: Profile) -> None:
    """Word of it may come after the READY has gone by itself."""
    readiness = Readiness(profile)
    readiness.unheard(0)
    told = [readiness.update(tick * S // 20, GOOD, is_lost=False) for tick in range(20)]
    assert told.index(Word.READY) == 6


@pytest.mark.parametrize("again", [Readiness.renew, lambda one: one.unheard(S)])
def test_ready_that_is_due_again_is_withdrawn_as_any(
    profile: Profile, again: Callable[[Readiness], None]
) -> None:
    """Another receiver has played it, or its wider scope: whoever felt it must feel its loss."""
    readiness = Readiness(profile)
    told = []
    for tick in range(20 * 4):
        if tick == 20:
            again(readiness)
        outlook = GOOD if tick < 20 else UNSURE
        told.append(readiness.update(tick * S // 20, outlook, is_lost=False))
    assert [word for word in told if word is not None] == [Word.READY, Word.NOT_READY]
