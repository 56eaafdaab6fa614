"""The judge finds what is missing and what is too much, and says so in words."""

from collections.abc import Callable

from throwin.contract.payload import Alert, Cue, CuePattern, Lineup, VerdictRow
from throwin.sim.judge import Timed, judge
from throwin.sim.scenario import Scenario

Cast = Callable[..., Scenario]
HOLD = '\n[[expect]]\ncue = "hold"\numpire = "u1"\nbetween_s = [5.0, 6.0]\nsays = "red two"\n'


def cue(
    pattern: CuePattern = "hold",
    *,
    umpire: str = "u1",
    say: str = "red two, five yards",
    alert_id: str | None = "a1",
) -> Cue:
    return Cue(
        id="c", boot="b", seq=1, t="", clk="ntp", mono_ms=0.0, umpire=umpire, pattern=pattern,
        say_en=say, say_es="", valid_ms=1000, alert_id=alert_id, next_ms=None, covers=(),
        fix_age_ms=None,
    )  # fmt: skip


def lineup(phase: str, *verdicts: VerdictRow) -> Lineup:
    return Lineup(
        id="l", boot="b", seq=1, t="", clk="ntp", mono_ms=0.0, phase=phase, trigger="inferred",
        ready=False, covers=(), missing=(), red_attacks_expected="north",
        red_attacks_in_force="north", throwing_umpire="u1", in_lineup=(), late=(),
        verdicts=verdicts,
    )  # fmt: skip


def alert(state: str = "new") -> Alert:
    return Alert(
        id="a", boot="b", seq=1, t="", clk="ntp", mono_ms=0.0, alert_id="a1",
        state="new" if state == "new" else "end", severity="hold", rule="five_yards", clause="C6",
        subjects=("red 2", "umpire u1"), say_en="red two, five yards", say_es="", hint="",
        evidence=None, acknowledged=False,
    )  # fmt: skip


def test_expected_cue_in_its_window_passes(cast: Cast) -> None:
    """All is well when what is expected comes when it should."""
    assert judge(cast(expect=HOLD), [(5.5, cue())]) == []


def test_missing_cue_fails(cast: Cast) -> None:
    """Nothing came: the failure says what was expected, when, and that nothing came."""
    assert [str(failure) for failure in judge(cast(expect=HOLD), [])] == [
        "expected cue hold, umpire u1, saying 'red two' between 5 and 6 s; came nothing"
    ]


def test_late_cue_fails_and_its_time_is_told(cast: Cast) -> None:
    """A cue outside its window is named with its time."""
    (failure,) = judge(cast(expect=HOLD), [(7.0, cue())])
    assert failure.came == "at another time: cue hold u1 'red two, five yards' at 7.00 s"


def test_late_cue_within_the_slack_passes(cast: Cast) -> None:
    """A live run may be later by its own delay."""
    assert judge(cast(expect=HOLD), [(6.2, cue())], slack_s=0.5) == []


def test_cue_for_another_umpire_is_not_the_one(cast: Cast) -> None:
    """The umpire is part of what is expected."""
    assert len(judge(cast(expect=HOLD), [(5.5, cue(umpire="u2"))])) == 1


def test_cue_with_other_words_is_not_the_one(cast: Cast) -> None:
    """The words are part of what is expected."""
    assert len(judge(cast(expect=HOLD), [(5.5, cue(say="blue one"))])) == 1


def test_unexpected_hold_fails(cast: Cast) -> None:
    """A HOLD where silence is asked for is a failure of its own."""
    (failure,) = judge(
        cast('silent = ["hold"]\n'), [(4.5, lineup("armed")), (7.0, cue(alert_id="a9"))]
    )
    assert str(failure).startswith("expected no hold but where expected; came cue hold u1")


def test_repeats_of_an_expected_hold_are_no_failure(cast: Cast) -> None:
    """The daemon repeats a HOLD while it lasts: the same alert is the same HOLD."""
    scenario = cast('silent = ["hold"]\n', expect=HOLD)
    assert judge(scenario, [(5.5, cue()), (7.0, cue()), (8.5, cue())]) == []


def test_second_hold_of_another_alert_fails(cast: Cast) -> None:
    """Another alert's HOLD is not excused by the first."""
    scenario = cast('silent = ["hold"]\n', expect=HOLD)
    assert len(judge(scenario, [(5.5, cue()), (7.0, cue(alert_id="a2"))])) == 1


def test_wrong_count_fails_with_what_came(cast: Cast) -> None:
    """Exactly once is once."""
    (failure,) = judge(cast(expect=HOLD + "times = 1\n"), [(5.2, cue()), (5.9, cue(alert_id="a2"))])
    assert failure.came.startswith("2: cue hold u1")


def test_phase_is_expected_where_it_begins(cast: Cast) -> None:
    """A repeated line-up message is no new phase: only the change counts."""
    outputs: list[Timed] = [(3.0, lineup("armed")), (5.0, lineup("armed"))]
    assert len(judge(cast(), outputs)) == 1


def test_verdict_of_one_rider_is_found(cast: Cast) -> None:
    """A verdict is matched by rule and rider."""
    expect = (
        '\n[[expect]]\nverdict = "cannot_tell"\nrule = "five_yards"\nwho = "red 1"\n'
        "between_s = [5.0, 6.0]\n"
    )
    row = VerdictRow(
        rule="five_yards",
        subjects=("red 1", "umpire u1"),
        verdict="cannot_tell",
        p=0.3,
        reason="sensor",
    )
    assert judge(cast(expect=expect), [(5.5, lineup("armed", row))]) == []


def test_verdict_that_lasts_is_found_after_it_began(cast: Cast) -> None:
    """A verdict is true as long as the line-up says so, not only when it changes."""
    expect = '\n[[expect]]\nverdict = "clear"\nrule = "C6"\nbetween_s = [5.0, 6.0]\n'
    row = VerdictRow(rule="C6", subjects=("red 1",), verdict="clear", p=0.0, reason="")
    outputs: list[Timed] = [(t_s, lineup("armed", row)) for t_s in (4.0, 5.5)]
    assert judge(cast(expect=expect), outputs) == []


def test_alert_is_named_by_rule_or_clause(cast: Cast) -> None:
    """C6 finds the alert of the rule that stands for it."""
    expect = (
        '\n[[expect]]\nalert = "C6"\nstate = "new"\nwho = "red 2"\nbetween_s = [5.0, 6.0]\n'
        '\n[[expect]]\nalert = "five_yards"\nstate = "end"\nbetween_s = [6.0, 9.0]\n'
    )
    assert judge(cast(expect=expect), [(5.5, alert()), (7.5, alert("end"))]) == []


def test_unwanted_alert_fails(cast: Cast) -> None:
    """Silence can be asked of an alert too."""
    outputs: list[Timed] = [(4.5, lineup("armed")), (7.0, alert())]
    assert len(judge(cast('silent = ["alert:C6"]\n'), outputs)) == 1
