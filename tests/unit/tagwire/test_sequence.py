"""What one tag's sequence numbers say."""

import pytest

from tagwire import Refusal, Sequence
from tagwire.sequence import AHEAD_MAX, BEHIND_MAX, REFUSALS_MAX, SILENCE_NS

STEP_NS = 100_000_000


def _after(last: int) -> Sequence:
    sequence = Sequence()
    sequence.take(last, 0)
    return sequence


@pytest.mark.parametrize(
    ("last", "seq", "answer"),
    [
        (0, 1, 0),
        (65_535, 0, 0),
        (0, 3, 2),
        (65_534, 1, 2),
        (0, AHEAD_MAX, AHEAD_MAX - 1),
        (5, 5, Refusal.REPEAT),
        (5, 4, Refusal.OLD),
        (0, 65_535, Refusal.OLD),
        (BEHIND_MAX, 0, Refusal.OLD),
    ],
)
def test_the_next_number_is_judged(last: int, seq: int, answer: int | Refusal) -> None:
    """The next, a gap, a repeat and an old one, across the wrap too."""
    assert _after(last).take(seq, STEP_NS) == answer


@pytest.mark.parametrize(("last", "seq"), [(BEHIND_MAX + 1, 0), (0, AHEAD_MAX + 1)])
def test_a_number_far_away_is_a_restart_without_loss(last: int, seq: int) -> None:
    """What no gap explains is a tag that started anew."""
    sequence = _after(last)
    assert (sequence.take(seq, STEP_NS), sequence.restarts) == (0, 1)


def test_the_first_number_is_taken_as_it_is() -> None:
    """Nothing was lost before the first frame that was heard."""
    assert Sequence().take(40_000, 0) == 0


def test_an_old_number_after_a_silence_is_a_restart() -> None:
    """Nothing on the way holds a frame back for longer than the silence."""
    sequence = _after(5)
    assert (sequence.take(0, SILENCE_NS + 1), sequence.restarts) == (0, 1)


def test_a_repeat_after_a_silence_stays_a_repeat() -> None:
    """A gateway that sends its last frame again and again gives no new fix."""
    assert _after(5).take(5, 10 * SILENCE_NS) is Refusal.REPEAT


def test_a_refused_number_does_not_move_the_watch() -> None:
    """After an old frame the expected number is the same as before."""
    sequence = _after(5)
    sequence.take(3, STEP_NS)
    assert sequence.take(6, 2 * STEP_NS) == 0


def test_old_numbers_in_a_row_are_a_restart() -> None:
    """No tag is locked out by numbers that seem old for ever."""
    sequence = _after(REFUSALS_MAX + 5)
    answers = [sequence.take(seq, STEP_NS) for seq in range(REFUSALS_MAX)]
    assert answers == [Refusal.OLD] * (REFUSALS_MAX - 1) + [0]
