"""A HOLD is told, told again while it lasts, and closed; two never come at once."""

import pytest

from throwin.game.finding import CueOrder, Pattern, Words
from throwin.game.hold import Hold
from throwin.game.profile import Profile

S = 1_000_000_000
A = Words("red two, five yards", "rojo dos, cinco yardas")
B = Words("blue one, wrong side", "azul uno, lado equivocado")


class Desk:
    """A hold with the cues that it sent."""

    def __init__(self, profile: Profile) -> None:
        self.cues: list[CueOrder] = []
        self.hold = Hold("u1", profile, self.cues.append)

    def run(self, from_s: float, to_s: float) -> list[float]:
        """Tick at 20 Hz; give the times at which HOLD came."""
        times = []
        for tick in range(round(from_s * 20), round(to_s * 20)):
            before = len(self.cues)
            self.hold.tick(tick * S // 20)
            times += [tick / 20] * (len(self.cues) - before)
        return times

    def said(self) -> list[tuple[Pattern, str | None]]:
        """Give pattern and alert of each cue."""
        return [(cue.pattern, cue.alert_id) for cue in self.cues]


@pytest.fixture
def desk(profile: Profile) -> Desk:
    return Desk(profile)


def test_hold_is_told_at_once(desk: Desk) -> None:
    """Hold is told at once."""
    desk.hold.begin("a1", A, 0, 7)
    assert desk.said() == [(Pattern.HOLD, "a1")]


def test_hold_names_its_next_repeat(desk: Desk) -> None:
    """Hold names its next repeat."""
    desk.hold.begin("a1", A, 0, 7)
    assert desk.cues[0].next_ms == 1500


def test_hold_repeats_five_times_then_slowly(desk: Desk) -> None:
    """Hold repeats five times then slowly."""
    desk.hold.begin("a1", A, 0, 7)
    assert desk.run(0, 29) == [1.5, 3.0, 4.5, 6.0, 7.5, 17.5, 27.5]


def test_last_fast_repeat_announces_the_slow_one(desk: Desk) -> None:
    """Last fast repeat announces the slow one."""
    desk.hold.begin("a1", A, 0, 7)
    desk.run(0, 8)
    assert [cue.next_ms for cue in desk.cues] == [1500] * 5 + [10_000]


def test_repeat_carries_no_age_of_a_fix(desk: Desk) -> None:
    """Repeat carries no age of a fix."""
    desk.hold.begin("a1", A, 0, 7)
    desk.run(0, 2)
    assert [cue.age_ns for cue in desk.cues] == [7, None]


def test_end_closes_the_hold(desk: Desk) -> None:
    """End closes the hold."""
    desk.hold.begin("a1", A, 0, 7)
    desk.hold.end("a1", 2 * S)
    assert desk.said()[-1] == (Pattern.END, "a1")


def test_nothing_follows_the_end(desk: Desk) -> None:
    """Nothing follows the end."""
    desk.hold.begin("a1", A, 0, 7)
    desk.hold.end("a1", 2 * S)
    assert desk.run(2, 30) == []


def test_end_of_what_was_never_told_is_silent(desk: Desk) -> None:
    """End of what was never told is silent."""
    desk.hold.begin("a1", A, 0, 7)
    desk.hold.begin("a2", B, S // 10, 7)
    desk.hold.end("a2", S // 5)
    assert desk.said() == [(Pattern.HOLD, "a1")]


def test_second_alert_waits_for_the_hand(desk: Desk) -> None:
    """Second alert waits for the hand."""
    desk.hold.begin("a1", A, 0, 7)
    desk.hold.begin("a2", B, S // 10, 7)
    assert desk.run(0.1, 1.2) == [1.0]


def test_second_alert_is_told_once(desk: Desk) -> None:
    """Second alert is told once."""
    desk.hold.begin("a1", A, 0, 7)
    desk.hold.begin("a2", B, S // 10, 7)
    desk.run(0.1, 20)
    assert [cue.alert_id for cue in desk.cues].count("a2") == 1


def test_second_alert_promises_no_repeat(desk: Desk) -> None:
    """Second alert promises no repeat."""
    desk.hold.begin("a1", A, 0, 7)
    desk.hold.begin("a2", B, 2 * S, 7)
    assert desk.cues[-1].next_ms is None


def test_second_alert_leads_after_the_first(desk: Desk) -> None:
    """Second alert leads after the first."""
    desk.hold.begin("a1", A, 0, 7)
    desk.hold.begin("a2", B, 2 * S, 7)
    desk.hold.end("a1", 4 * S)
    assert desk.said()[-1] == (Pattern.HOLD, "a2")


def test_acknowledged_alert_is_quiet(desk: Desk) -> None:
    """Acknowledged alert is quiet."""
    desk.hold.begin("a1", A, 0, 7)
    desk.hold.acknowledge("a1", 0)
    assert desk.run(0, 30) == []


def test_acknowledged_alert_is_closed_at_once(desk: Desk) -> None:
    """Acknowledged alert is closed at once."""
    desk.hold.begin("a1", A, 0, 7)
    desk.hold.acknowledge("a1", 0)
    assert desk.said()[-1] == (Pattern.END, "a1")


def test_acknowledged_alert_is_closed_once(desk: Desk) -> None:
    """Acknowledged alert is closed once."""
    desk.hold.begin("a1", A, 0, 7)
    desk.hold.acknowledge("a1", 0)
    desk.hold.end("a1", 5 * S)
    assert desk.said().count((Pattern.END, "a1")) == 1


def test_acknowledged_alert_still_holds_the_throw(desk: Desk) -> None:
    """Acknowledged alert still holds the throw."""
    desk.hold.begin("a1", A, 0, 7)
    desk.hold.acknowledge("a1", 0)
    assert desk.hold.is_active


def test_acknowledged_leader_hands_over_to_the_other(desk: Desk) -> None:
    """Acknowledged leader hands over to the other."""
    desk.hold.begin("a1", A, 0, 7)
    desk.hold.begin("a2", B, 2 * S, 7)
    desk.hold.acknowledge("a1", 3 * S)
    assert desk.run(3, 7) == [3.0, 4.5, 6.0]


def test_acknowledging_one_leaves_the_other_loud(desk: Desk) -> None:
    """Acknowledging one leaves the other loud."""
    desk.hold.begin("a1", A, 0, 7)
    desk.hold.acknowledge("a1", 0)
    desk.hold.begin("a2", B, 2 * S, 7)
    assert desk.said()[-1] == (Pattern.HOLD, "a2")


def test_end_of_an_unknown_alert_changes_nothing(desk: Desk) -> None:
    """End of an unknown alert changes nothing."""
    desk.hold.begin("a1", A, 0, 7)
    desk.hold.end("a7", S)
    assert desk.hold.is_active
