"""A receiver plays what is fresh, once, the most urgent first, and says itself when it is blind."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from throwin.contract.payload import Cue, CuePattern, Heartbeat
from throwin.receiver import core
from throwin.receiver.core import Action, Play, Receiver, Report, What
from throwin.receiver.pattern import length_ms

OFFSET_MS = 1e6  # between the two clocks: any number
WAY_MS = 5.0  # of a message that nothing holds back
NO_LINK = Play("blind", "no link", "sin enlace")
NO_POSITION = Play("blind", "no position", "sin posición")


class Field:
    """A receiver, a daemon and what is between them, on clocks that the test moves."""

    def __init__(self) -> None:
        self.t_ms = 0.0
        self.boot = "b0"
        self.receiver = Receiver("u1", self.t_ms)
        self._n = 0

    def beat(self, *, held_ms: float = 0.0, umpires: tuple[str, ...] = ("u1", "u2")) -> None:
        """Let a heartbeat arrive that was held back for so long."""
        self._n += 1
        beat = Heartbeat(phase="armed", armed=True, umpires=umpires, **self._envelope(held_ms))
        self.receiver.heartbeat(beat, self.t_ms)

    def cue(
        self, pattern: CuePattern = "hold", *, held_ms: float = 0.0, **more: str | int | None
    ) -> list[Action]:
        """Let a cue arrive that was held back for so long; give what is done."""
        return self.receiver.cue(self.make_cue(pattern, held_ms=held_ms, **more), self.t_ms)

    def make_cue(
        self, pattern: CuePattern, *, held_ms: float = 0.0, **more: str | int | None
    ) -> Cue:
        """Give a cue that arrives now."""
        self._n += 1
        rest: dict[str, Any] = {
            "umpire": "u1",
            "pattern": pattern,
            "say_en": pattern,
            "say_es": pattern.upper(),
            "valid_ms": 1000,
            "alert_id": None,
            "next_ms": None,
            "covers": (),
            "fix_age_ms": None,
        }
        return Cue(**(self._envelope(held_ms) | rest | more))

    def tick(self) -> list[Action]:
        """Let the receiver look at its clock."""
        return self.receiver.tick(self.t_ms)

    def wait(self, ms: float, *, beats: bool = True) -> list[Action]:
        """Let time pass, with its ticks, and heartbeats if there are any; give what was done."""
        done: list[Action] = []
        end_ms = self.t_ms + ms
        while self.t_ms < end_ms:
            self.t_ms += 100.0
            if beats and self.t_ms % 500.0 == 0.0:
                self.beat()
            done += self.tick()
        return done

    def _envelope(self, held_ms: float) -> dict[str, Any]:
        mono_ms = self.t_ms - WAY_MS - held_ms + OFFSET_MS
        return {
            "id": f"{self.boot}-{self._n}",
            "boot": self.boot,
            "seq": self._n,
            "t": "",
            "clk": "free",
            "mono_ms": mono_ms,
        }


@pytest.fixture
def field() -> Field:
    field = Field()
    field.beat()
    return field


def played(actions: list[Action]) -> list[str]:
    return [action.pattern for action in actions if isinstance(action, Play)]


def told(actions: list[Action]) -> list[What]:
    return [action.what for action in actions if isinstance(action, Report)]


def late_ms(actions: list[Action]) -> float | None:
    (one,) = {action.late_ms for action in actions if isinstance(action, Report)}
    return one


def test_fresh_cue_is_received_and_played(field: Field) -> None:
    """The daemon learns that it came, then that it was played."""
    cue = field.make_cue("hold")
    assert field.receiver.cue(cue, field.t_ms) == [
        Report(cue.id, What.RECEIVED, 0.0),
        Play("hold", "hold", "HOLD"),
        Report(cue.id, What.PLAYED, 0.0),
    ]


def test_cue_later_than_it_is_valid_is_dropped(field: Field) -> None:
    """A late cue is never played, and its lateness is told."""
    cue = field.make_cue("hold", held_ms=6_800.0)
    assert field.receiver.cue(cue, field.t_ms) == [Report(cue.id, What.DROPPED_LATE, 6_800.0)]


def test_cue_as_late_as_it_is_valid_is_played(field: Field) -> None:
    """The limit itself is in time."""
    assert played(field.cue(held_ms=1_000.0)) == ["hold"]


def test_lateness_is_what_exceeds_the_quickest_message(field: Field) -> None:
    """The clocks' offset and the usual way are no lateness."""
    field.beat(held_ms=40.0)
    assert late_ms(field.cue(held_ms=70.0)) == 70.0


def test_quicker_message_is_the_new_reference(field: Field) -> None:
    """A first heartbeat that was itself late is corrected by the next one."""
    field.beat(held_ms=-3.0)
    assert late_ms(field.cue()) == 3.0


def test_quicker_cue_is_a_reference_too(field: Field) -> None:
    """Cues tell the clock as heartbeats do."""
    field.cue(held_ms=-3.0)
    assert late_ms(field.cue("ready")) == 3.0


def test_reference_ages_with_time(field: Field) -> None:
    """Two clocks drift apart: after a quarter of an hour 90 ms are forgiven."""
    field.t_ms = 900_000.0
    assert late_ms(field.cue(held_ms=500.0)) == pytest.approx(410.0)


def test_new_boot_of_the_daemon_has_a_reference_of_its_own(field: Field) -> None:
    """A monotonic clock that began anew makes nothing late."""
    field.boot = "b1"
    assert played(field.cue(held_ms=1e6)) == ["hold"]


def test_cue_before_any_message_of_its_boot_is_of_unknown_lateness() -> None:
    """What can't be known is not made up."""
    assert late_ms(Field().cue()) is None


def test_cue_held_back_from_before_the_daemons_restart_is_dropped(field: Field) -> None:
    """An earlier boot keeps its reference, so its late cue is late."""
    old = field.make_cue("hold", held_ms=3_000.0)
    field.boot = "b1"
    field.beat()
    assert told(field.receiver.cue(old, field.t_ms)) == [What.DROPPED_LATE]


def test_references_of_long_ago_are_forgotten(field: Field) -> None:
    """A receiver that runs for years does not grow."""
    for number in range(10):
        field.boot = f"c{number}"
        field.beat()
    assert len(field.receiver._lateness._least) == core.BOOTS


def test_same_cue_twice_is_played_once(field: Field) -> None:
    """A lost PUBACK delivers twice: the id tells."""
    cue = field.make_cue("hold")
    field.receiver.cue(cue, field.t_ms)
    assert field.receiver.cue(cue, field.t_ms) == [Report(cue.id, What.DUPLICATE, 0.0)]


def test_late_cue_that_comes_twice_is_played_never(field: Field) -> None:
    """A cue that was dropped is not played when it comes again."""
    cue = field.make_cue("hold", held_ms=6_800.0)
    field.receiver.cue(cue, field.t_ms)
    assert played(field.receiver.cue(cue, field.t_ms)) == []


def test_ids_of_long_ago_are_forgotten(field: Field) -> None:
    """A receiver that runs for years does not grow."""
    for _ in range(core.REMEMBERED + 10):
        field.cue("ready")
    assert len(field.receiver._seen) == core.REMEMBERED


@pytest.mark.parametrize(
    ("first", "second"),
    [("ready", "hold"), ("blind", "hold"), ("ready", "blind"), ("foul", "hold"), ("hold", "mute")],
)
def test_more_urgent_cue_interrupts(field: Field, first: CuePattern, second: CuePattern) -> None:
    """HOLD before BLIND before READY."""
    field.cue(first)
    assert played(field.cue(second)) == [second]


@pytest.mark.parametrize(
    ("first", "second"),
    [("hold", "ready"), ("hold", "blind"), ("blind", "ready"), ("hold", "warn"), ("mute", "hold")],
)
def test_less_urgent_cue_is_silenced_while_the_other_is_felt(
    field: Field, first: CuePattern, second: CuePattern
) -> None:
    """What was not played is not called played."""
    field.cue(first)
    assert told(field.cue(second)) == [What.RECEIVED, What.SILENCED]


def test_less_urgent_cue_after_the_other_is_played(field: Field) -> None:
    """A pattern that is over stands in nobody's way."""
    field.cue("hold")
    field.t_ms += length_ms("hold")
    assert played(field.cue("ready")) == ["ready"]


def test_words_without_a_pattern_are_said(field: Field) -> None:
    """WARN is for the ear alone."""
    assert played(field.cue("warn")) == ["warn"]


def test_end_is_taken_without_anything_felt(field: Field) -> None:
    """The `end` of a HOLD closes it and has no pattern."""
    actions = field.cue("end", alert_id="a1")
    assert (played(actions), told(actions)) == ([], [What.RECEIVED, What.PLAYED])


def test_hold_is_never_repeated_by_the_receiver(field: Field) -> None:
    """Repeats are the daemon's, with new ids."""
    field.cue(alert_id="a1")
    assert "hold" not in played(field.wait(30_000.0))


def test_repeat_that_does_not_come_is_felt_as_blind(field: Field) -> None:
    """Silence after a HOLD does not mean that it is over."""
    field.cue(alert_id="a1", next_ms=1_500)
    assert field.wait(10_000.0) == [NO_POSITION]


def test_repeat_that_comes_keeps_blind_away(field: Field) -> None:
    """As long as the HOLD is told again nobody is blind."""
    done: list[Action] = []
    for _ in range(6):
        field.cue(alert_id="a1", next_ms=1_500)
        done += field.wait(1_500.0)
    assert done == []


def test_repeat_that_waits_for_another_alert_keeps_blind_away(field: Field) -> None:
    """The daemon sends HOLDs a second apart, and each may be late by what it is valid for."""
    field.cue(alert_id="a1", next_ms=1_500)
    assert field.wait(3_500.0) == []


def test_end_of_a_hold_keeps_blind_away(field: Field) -> None:
    """A HOLD that was closed is expected no more."""
    field.cue(alert_id="a1", next_ms=1_500)
    field.cue("end", alert_id="a1")
    assert field.wait(10_000.0) == []


def test_end_that_comes_late_still_closes_the_hold(field: Field) -> None:
    """That it is over stays true; nothing is played."""
    field.cue(alert_id="a1", next_ms=1_500)
    field.wait(1_000.0)
    field.cue("end", alert_id="a1", held_ms=1_200.0)
    assert field.wait(10_000.0) == []


def test_ready_is_felt_as_soon_as_the_hold_has_ended(field: Field) -> None:
    """READY comes 0.3 s after the `end`, while the last HOLD may still be playing."""
    field.cue(alert_id="a1", next_ms=1_500)
    field.wait(300.0)
    field.cue("end", alert_id="a1")
    field.wait(300.0)
    assert played(field.cue("ready")) == ["ready"]


def test_end_of_one_hold_lets_nothing_over_another(field: Field) -> None:
    """The HOLD that is being felt goes on when another alert ends."""
    field.cue(alert_id="a1", next_ms=1_500)
    field.cue(alert_id="a2", next_ms=1_500)
    field.cue("end", alert_id="a1")
    assert played(field.cue("ready")) == []


def test_end_of_another_hold_changes_nothing(field: Field) -> None:
    """Each alert is awaited for itself."""
    field.cue(alert_id="a1", next_ms=1_500)
    field.cue("end", alert_id="a2")
    assert field.wait(10_000.0) == [NO_POSITION]


def test_hold_without_a_next_is_awaited_no_more(field: Field) -> None:
    """The daemon says itself when no repeat is due."""
    field.cue(alert_id="a1", next_ms=1_500)
    field.cue(alert_id="a1", next_ms=None)
    assert field.wait(10_000.0) == []


def test_two_holds_that_both_fall_silent_are_one_blind(field: Field) -> None:
    """One BLIND says it."""
    field.cue(alert_id="a1", next_ms=1_500)
    field.cue(alert_id="a2", next_ms=1_500)
    assert field.wait(10_000.0) == [NO_POSITION]


def test_heartbeats_that_stop_are_felt_as_blind_after_two_seconds(field: Field) -> None:
    """A receiver cut off says so itself."""
    done = field.wait(1_900.0, beats=False)
    field.t_ms += 100.0
    assert (done, field.tick()) == ([], [NO_LINK])


def test_heartbeats_that_never_came_are_felt_as_blind() -> None:
    """A receiver that was never connected does not stay silent either."""
    field = Field()
    assert field.wait(2_000.0, beats=False) == [NO_LINK]


def test_blind_is_felt_again_every_ten_seconds_while_it_lasts(field: Field) -> None:
    """The umpire is not left to remember."""
    assert field.wait(32_000.0, beats=False) == [NO_LINK] * 4


def test_receiver_without_heartbeats_is_blind(field: Field) -> None:
    """What is shown is what is felt."""
    field.wait(2_000.0, beats=False)
    assert field.receiver.is_blind


def test_heartbeat_that_comes_again_ends_blind(field: Field) -> None:
    """A link that is back is not called lost."""
    field.wait(2_000.0, beats=False)
    field.beat()
    assert not field.receiver.is_blind


def test_second_loss_of_heartbeats_is_felt_at_once(field: Field) -> None:
    """Each onset is told, not only each ten seconds."""
    field.wait(2_000.0, beats=False)
    field.wait(5_000.0)
    assert field.wait(2_000.0, beats=False) == [NO_LINK]


def test_heartbeats_that_come_late_are_no_sign_of_life(field: Field) -> None:
    """Where heartbeats are seconds late, every cue would be dropped: that is blind."""
    done: list[Action] = []
    for _ in range(5):
        field.beat(held_ms=3_000.0)
        done += field.wait(500.0, beats=False)
    assert done == [NO_LINK]


def test_blind_waits_for_the_end_of_a_hold(field: Field) -> None:
    """A HOLD is felt whole before the receiver speaks of itself."""
    field.wait(1_900.0, beats=False)
    field.cue("hold")
    done = [field.wait(1_100.0, beats=False), field.wait(200.0, beats=False)]
    assert done == [[], [NO_LINK]]


def test_blind_of_its_own_is_not_played_over_a_blind(field: Field) -> None:
    """What is being felt needs not be begun again."""
    field.wait(1_900.0, beats=False)
    field.cue("blind")
    assert field.wait(3_000.0, beats=False) == []


def test_lost_heartbeats_swallow_the_repeat_that_is_lost_with_them(field: Field) -> None:
    """One cause is one BLIND."""
    field.cue(alert_id="a1", next_ms=1_500)
    field.wait(8_000.0, beats=False)
    assert field.wait(3_000.0) == []


def test_hold_over_its_own_blind_is_played(field: Field) -> None:
    """A HOLD that comes through is felt, whatever the heartbeats do."""
    field.wait(2_000.0, beats=False)
    assert played(field.cue("hold")) == ["hold"]


def test_patterns_of_the_contract_all_have_an_urgency() -> None:
    """No cue can fail for want of a rank."""
    assert set(core._URGENCY) == set(get_args(CuePattern))


@given(
    offset_ms=st.floats(-1e9, 1e9),
    held=st.lists(st.floats(0.0, 10_000.0), min_size=1, max_size=30),
)
def test_no_cue_later_than_valid_is_played_whatever_the_clocks(
    offset_ms: float, held: list[float]
) -> None:
    """After one punctual heartbeat, a cue is played only if it is in time, and then always."""
    field = Field()
    field.beat()
    wrong = []
    for held_ms in held:
        field.t_ms += 10_000.0
        cue = field.make_cue("hold", held_ms=held_ms)
        is_played = played(field.receiver.cue(cue, field.t_ms)) != []
        forgiven_ms = (
            core.AGING * field.t_ms + 1.0
        )  # what the reference may have aged, and rounding
        if is_played and held_ms > 1_000.0 + forgiven_ms:
            wrong.append(held_ms)
        if not is_played and held_ms <= 1_000.0 - 1.0:
            wrong.append(held_ms)
    assert wrong == []


@given(shift_ms=st.integers(-(10**9), 10**9), held=st.lists(st.integers(0, 3_000), max_size=20))
def test_clocks_set_otherwise_change_no_decision(shift_ms: int, held: list[int]) -> None:
    """The receiver's own clock may begin anywhere."""

    def decisions(start_ms: float) -> list[list[What]]:
        field = Field()
        field.t_ms = start_ms
        field.receiver = Receiver("u1", start_ms)
        field.beat()
        found = []
        for held_ms in held:
            field.t_ms += 5_000.0
            cue = field.make_cue("hold", held_ms=held_ms)
            mono_ms = cue.mono_ms - start_ms
            found.append(told(field.receiver.cue(_at(cue, mono_ms + start_ms), field.t_ms)))
        return found

    assert decisions(0.0) == decisions(float(shift_ms))


def _at(cue: Cue, mono_ms: float) -> Cue:
    return Cue(
        **{name: getattr(cue, name) for name in cue.__struct_fields__} | {"mono_ms": mono_ms}
    )


def test_daemon_that_does_not_know_the_umpire_is_silence() -> None:
    """It would never cue him: a mistyped name must not feel as if all were fine."""
    field = Field()
    for _ in range(6):
        field.beat(umpires=("u7",))
        field.t_ms += 500.0
    assert [action for action in field.tick() if isinstance(action, Play)] != []
