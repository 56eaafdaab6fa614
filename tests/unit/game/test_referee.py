"""The referee in its phases: what arms, what disarms, what is felt, and what is only shown."""

import pytest
from tests.unit.game.conftest import U1, U2, Make, Place, lineup_yd, ready

from throwin.event import Command, Verb
from throwin.game.ends import End
from throwin.game.finding import Pattern, Severity
from throwin.game.match import Cause, Phase
from throwin.tags.observation import FixKind, Press


def test_line_up_that_stands_is_armed_by_inference(make: Make) -> None:
    """Line up that stands is armed by inference."""
    field = make()
    field.run(4.0)
    assert field.phase is Phase.ARMED


def test_ready_is_given_once(make: Make) -> None:
    """Ready is given once."""
    field = make()
    field.run(12.0)
    assert field.said(Pattern.READY) == ["ready, sides, five yards only"]


def test_nobody_is_ready_before_the_line_up_has_stood(make: Make) -> None:
    """Nobody is ready before the line up has stood."""
    field = make()
    field.run(1.9)
    assert field.cues() == []


def test_line_up_without_an_umpire_is_never_armed(make: Make) -> None:
    """Line up without an umpire is never armed."""
    places = lineup_yd()
    places[U1] = (20.0, -20.0)
    field = make(places=places)
    field.run(6.0)
    assert field.phase is Phase.BETWEEN


def test_two_late_of_a_team_arm_nothing_by_inference(make: Make) -> None:
    """Two late of a team arm nothing by inference."""
    places = lineup_yd()
    places["red 3"], places["red 4"] = (-30.0, 10.0), (-32.0, 10.0)
    field = make(places=places)
    field.run(6.0)
    assert field.phase is Phase.FORMING


def test_one_late_of_a_team_holds_nothing_back(make: Make) -> None:
    """One late of a team holds nothing back."""
    places = lineup_yd()
    places["red 4"] = (-30.0, 10.0)
    field = make(places=places)
    field.run(6.0)
    assert field.said(Pattern.READY) == ["ready, sides, five yards only, red four late"]


def test_team_of_three_is_armed_with_three(make: Make) -> None:
    """Team of three is armed with three."""
    places = {who: place for who, place in lineup_yd().items() if who != "blue 4"}
    field = make(places=places)
    field.run(6.0)
    assert field.cues() == [Pattern.READY]


def test_rider_inside_five_yards_holds(make: Make) -> None:
    """Rider inside five yards holds."""
    field = ready(make)
    field.ride("red 1", (-0.7, -20.0 + 4.5))
    field.run(1.0)
    assert field.said(Pattern.HOLD) == ["red one, five yards"]


def test_rider_on_the_wrong_side_holds(make: Make) -> None:
    """Rider on the wrong side holds."""
    field = ready(make)
    field.ride("blue 4", (-0.9, -20.0 + 12.0))
    field.run(1.0)
    assert field.said(Pattern.HOLD) == ["blue four, wrong side"]


def test_hold_ends_when_he_is_back(make: Make) -> None:
    """Hold ends when he is back."""
    field = ready(make)
    field.ride("red 1", (-0.7, -20.0 + 4.5))
    field.run(2.0)
    field.ride("red 1", (-0.7, -20.0 + 5.6))
    field.run(4.0)
    assert field.cues() == [Pattern.HOLD, Pattern.END, Pattern.READY]


def test_alert_keeps_its_id_to_the_end(make: Make) -> None:
    """Alert keeps its id to the end."""
    field = ready(make)
    field.ride("red 1", (-0.7, -20.0 + 4.5))
    field.run(2.0)
    field.ride("red 1", (-0.7, -20.0 + 5.6))
    field.run(2.0)
    assert [(a.alert_id, a.state) for a in field.alerts()] == [("b-a1", "new"), ("b-a1", "end")]


def test_alert_proves_the_rule_that_it_reports(make: Make) -> None:
    """Alert proves the rule that it reports."""
    field = ready(make)
    field.ride("red 1", (-0.7, -20.0 + 4.5))
    field.run(1.0)
    proof = field.alerts()[0].proof
    assert proof is not None
    assert (proof.value < proof.limit, proof.p >= 0.999) == (True, True)


def test_breach_while_it_forms_is_shown_and_not_felt(make: Make) -> None:
    """Breach while it forms is shown and not felt."""
    places = lineup_yd()
    places["red 3"], places["red 4"] = (-30.0, 10.0), (-32.0, 10.0)
    places["red 1"] = (-0.7, -20.0 + 4.5)
    field = make(places=places)
    field.run(6.0)
    assert ([a.severity for a in field.alerts()], field.cues()) == ([Severity.INFO], [])


def test_notice_becomes_a_hold_once_it_is_armed(make: Make) -> None:
    """Notice becomes a hold once it is armed."""
    places = lineup_yd()
    places["red 1"] = (-0.7, -20.0 + 4.5)
    field = make(places=places)
    field.run(6.0)
    assert ([a.state for a in field.alerts()], field.cues()[0]) == (
        ["new", "update"],
        Pattern.HOLD,
    )


def test_breach_is_never_ready(make: Make) -> None:
    """Breach is never ready."""
    places = lineup_yd()
    places["red 1"] = (-0.7, -20.0 + 4.5)
    field = make(places=places)
    field.run(10.0)
    assert Pattern.READY not in field.cues()


def test_acknowledged_hold_is_quiet_and_closed(make: Make) -> None:
    """Acknowledged hold is quiet and closed."""
    field = ready(make)
    field.ride("red 1", (-0.7, -20.0 + 4.5))
    field.run(1.0)
    reply = field.command(Verb.ACKNOWLEDGE, alert_id="b-a1")
    field.run(10.0)
    assert (reply.is_done, field.cues()) == (True, [Pattern.HOLD, Pattern.END])


def test_acknowledging_nothing_is_refused(make: Make) -> None:
    """Acknowledging nothing is refused."""
    field = ready(make)
    assert not field.command(Verb.ACKNOWLEDGE, alert_id="b-a7").is_done


@pytest.mark.parametrize("who", [U1, "red 2", "blue 4"])
def test_tag_that_falls_silent_while_armed_is_felt(make: Make, who: str) -> None:
    """Tag that falls silent while armed is felt."""
    field = ready(make)
    field.silent.add(who)
    field.run(3.0)
    assert field.cues() == [Pattern.BLIND]


def test_tag_that_comes_back_gives_ready_again(make: Make) -> None:
    """Tag that comes back gives ready again."""
    field = ready(make)
    field.silent.add("red 2")
    field.run(3.0)
    field.silent.clear()
    field.run(3.0)
    assert field.cues() == [Pattern.BLIND, Pattern.READY]


def test_tag_that_never_spoke_is_named_by_ready(make: Make) -> None:
    """Tag that never spoke is named by ready."""
    field = make()
    field.silent.add("red 4")
    field.run(8.0)
    assert field.said(Pattern.READY) == ["ready, sides, five yards only, red four not seen"]


def test_late_rider_far_off_whose_tag_dies_makes_ready_say_so(make: Make) -> None:
    """Late rider far off whose tag dies makes ready say so."""
    places = lineup_yd()
    places["red 4"] = (-90.0, 30.0)
    field = ready(make, places=places)
    field.silent.add("red 4")
    field.run(5.0)
    assert field.said(Pattern.READY) == ["ready, sides, five yards only, red four not seen"]


def test_hold_whose_input_is_lost_turns_blind(make: Make) -> None:
    """Hold whose input is lost turns blind."""
    field = ready(make)
    field.ride("red 1", (-0.7, -20.0 + 4.5))
    field.run(1.0)
    field.silent.add("red 1")
    field.run(3.0)
    assert field.cues() == [Pattern.HOLD, Pattern.END, Pattern.BLIND]


def test_fix_that_gets_worse_withdraws_ready(make: Make) -> None:
    """Fix that gets worse withdraws ready."""
    field = ready(make)
    field.kinds["red 1"] = FixKind.SINGLE
    field.run(3.0)
    assert (field.cues(), field.said(Pattern.BLIND)) == ([Pattern.BLIND], ["not ready"])


def test_unknown_ends_are_never_ready(make: Make) -> None:
    """Unknown ends are never ready."""
    field = make(ends=End.UNKNOWN)
    field.run(6.0)
    assert (field.phase, field.cues()) == (Phase.ARMED, [])


def test_ends_by_command_make_ready_possible(make: Make) -> None:
    """Ends by command make ready possible."""
    field = make(ends=End.UNKNOWN)
    field.run(4.0)
    field.command(Verb.DRAW, red_attacks="north")
    field.run(2.0)
    assert field.cues() == [Pattern.READY]


def test_plain_gnss_is_armed_and_never_ready(make: Make) -> None:
    """Plain gnss is armed and never ready."""
    field = make(sensor="gnss")
    field.kinds = dict.fromkeys(field.places, FixKind.SINGLE)
    field.run(8.0)
    assert (field.phase, field.cues()) == (Phase.ARMED, [])


def test_umpire_who_rides_away_disarms_and_feels_it(make: Make) -> None:
    """Umpire who rides away disarms and feels it."""
    field = ready(make)
    field.speed_mps[U1] = (2.0, 0.0)
    field.run(6.0)
    assert (field.phase is Phase.ARMED, field.cues()[-1]) == (False, Pattern.BLIND)


def test_line_up_that_breaks_up_disarms_and_is_felt(make: Make) -> None:
    """Line up that breaks up disarms and is felt."""
    field = ready(make)
    for who in ("red 1", "red 2", "red 3"):
        field.places[who] = (-40.0, 20.0)
    field.run(6.0)
    assert (field.phase, field.cues()) == (Phase.FORMING, [Pattern.BLIND])


def test_technician_who_aborts_is_felt(make: Make) -> None:
    """Technician who aborts is felt."""
    field = ready(make)
    field.command(Verb.ABORT)
    assert field.cues() == [Pattern.BLIND]


def test_line_up_all_the_wrong_way_is_told_once(make: Make) -> None:
    """C18: one WRONG WAY, not eight side alerts."""
    field = make(ends=End.SOUTH)
    field.run(6.0)
    alerts = {(alert.clause, len(alert.subjects)) for alert in field.alerts()}
    assert (alerts, set(field.said(Pattern.HOLD))) == ({("C18", 8)}, {"wrong way"})


def test_wrong_way_is_over_once_the_ends_are_corrected(make: Make) -> None:
    """The technician had them wrong: his word ends the HOLD, and READY comes."""
    field = make(ends=End.SOUTH)
    field.run(6.0)
    field.forget()
    field.command(Verb.ENDS, red_attacks="north")
    field.run(3.0)
    assert field.cues() == [Pattern.END, Pattern.READY]


def test_wrong_way_is_felt_before_one_who_leans_over_the_line_is_told(make: Make) -> None:
    """One of a team who can't be told to stand wrong hides no C18."""
    places = lineup_yd()
    places["blue 3"] = (0.0, places["blue 3"][1])
    field = make(ends=End.SOUTH, places=places)
    field.run(6.0)
    assert {alert.clause for alert in field.alerts()} == {"C18"}


def test_one_who_stands_right_makes_it_no_wrong_way(make: Make) -> None:
    """Then it is the side of each of the others."""
    places = lineup_yd()
    places["blue 4"] = (-0.9, places["blue 4"][1] + 1.0)
    field = make(ends=End.SOUTH, places=places)
    field.run(6.0)
    assert {alert.clause for alert in field.alerts()} == {"C5"}


def test_wrong_way_takes_the_place_of_side_alerts_before_it(make: Make) -> None:
    """Seven stand wrong, the eighth joins them: the sides are told no more."""
    places = lineup_yd()
    places["blue 4"] = (-0.9, places["blue 4"][1] + 1.0)
    field = make(ends=End.SOUTH, places=places)
    field.run(6.0)
    field.forget()
    field.ride("blue 4", (0.9, places["blue 4"][1]), speed_mps=0.8)
    field.run(2.0)
    ends = {alert.clause for alert in field.alerts() if alert.state == "end"}
    assert (ends, field.said(Pattern.HOLD)[-1]) == ({"C5"}, "wrong way")


def test_wrong_way_of_a_line_up_that_forms_is_told_to_the_technician(make: Make) -> None:
    """Before it is armed nothing is felt."""
    places = lineup_yd()
    for who in ("blue 3", "blue 4"):
        places[who] = (40.0, 30.0)
    field = make(ends=End.SOUTH, places=places)
    field.run(6.0)
    told = {(alert.clause, alert.severity) for alert in field.alerts()}
    assert (told, field.cues()) == ({("C18", Severity.INFO)}, [])


def test_wrong_way_that_is_thrown_is_in_force(make: Make) -> None:
    """C18: no redress, so after it the opposite of what was expected counts."""
    field = make(ends=End.SOUTH)
    field.run(6.0)
    field.command(Verb.THROW)
    assert (field.events(), field.referee.match.standing) == (["throw", "ends_in_force"], End.NORTH)


def test_ends_of_a_throw_that_nobody_saw_are_unknown(make: Make) -> None:
    """Thrown with no line-up: which way they stood can't be told."""
    field = make(places={U1: (60.0, 60.0), "red 1": (70.0, 60.0)})
    field.run(2.0)
    field.command(Verb.THROW)
    assert field.referee.match.standing is End.UNKNOWN


def test_start_itself_does_not_tell_which_way_they_stood(make: Make) -> None:
    """The line-up counts as it stood a second before the release."""
    field = make(ends=End.SOUTH)
    field.run(6.0)
    for who in field.places:
        if who != U1:
            field.speed_mps[who] = (3.0, 0.0)
    field.run(0.6)
    field.command(Verb.THROW)
    assert field.referee.match.standing is End.NORTH


def test_hold_of_one_who_rides_off_ends(make: Make) -> None:
    """K4: a late rider never holds the throw."""
    field = ready(make)
    field.ride("blue 4", (-0.9, -20.0 + 12.0))
    field.run(1.0)
    field.ride("blue 4", (-40.0, 20.0), 6.0)
    field.run(2.0)
    assert field.cues()[:2] == [Pattern.HOLD, Pattern.END]


def test_acknowledged_breach_that_gets_worse_is_told_again(make: Make) -> None:
    """Acknowledged breach that gets worse is told again."""
    field = ready(make)
    field.ride("red 1", (-0.7, -20.0 + 4.5))
    field.run(1.0)
    field.command(Verb.ACKNOWLEDGE, alert_id="b-a1")
    field.ride("red 1", (-0.7, -20.0 + 3.5))
    field.run(1.0)
    assert field.cues() == [Pattern.HOLD, Pattern.END, Pattern.HOLD]


def test_umpire_who_cancels_himself_feels_nothing_more(make: Make) -> None:
    """Umpire who cancels himself feels nothing more."""
    field = ready(make)
    field.press(U1, Press.CANCEL)
    assert (field.phase, field.cues()) == (Phase.FORMING, [])


def test_button_of_the_umpire_arms_an_incomplete_line_up(make: Make) -> None:
    """Button of the umpire arms an incomplete line up."""
    places = lineup_yd()
    places["red 3"], places["red 4"] = (-30.0, 10.0), (-32.0, 10.0)
    field = make(places=places)
    field.run(3.0)
    field.press(U1, Press.READY)
    field.run(3.0)
    assert field.said(Pattern.READY) == [
        "ready, sides, five yards only, red three late, red four late"
    ]


def test_button_throws(make: Make) -> None:
    """Button throws."""
    field = ready(make)
    field.press(U1, Press.THROW)
    assert field.phase is Phase.THROWN


def test_button_of_a_player_does_nothing(make: Make) -> None:
    """Button of a player does nothing."""
    field = ready(make)
    assert not field.press("red 1", Press.THROW)


def test_goal_by_command_changes_the_ends(make: Make) -> None:
    """Goal by command changes the ends."""
    field = ready(make)
    field.command(Verb.THROW)
    reply = field.command(Verb.GOAL, by="red")
    assert (reply.is_done, field.referee.match.ends.state.expected, field.phase) == (
        True,
        End.SOUTH,
        Phase.BETWEEN,
    )


@pytest.mark.parametrize(
    ("verb", "args", "words"),
    [
        (
            Verb.GOAL,
            {"by": "green"},
            "expected by=red or blue, or at=north or south, got by='green'",
        ),
        (Verb.GOAL, {"by": "red", "at": "north"}, "expected by=red or blue, or at=north or south"),
        (Verb.GOAL, {"by": "red"}, "no throw-in since the draw, the last goal or period"),
        (Verb.DRAW, {"red_attacks": "east"}, "red_attacks: expected north or south, got 'east'"),
        (Verb.DRAW, {"red_attacks": "south"}, "the ends are drawn already, red attacks north"),
        (Verb.ENDS, {"red_attacks": "east"}, "red_attacks: expected north, south or unknown"),
        (Verb.UNDO, {}, "nothing to undo: only the last goal, period, draw, ends or assign"),
        (Verb.READY, {"umpire": "u9"}, "umpire: expected one of u1, got 'u9'"),
        (Verb.RETAKE, {}, "retake does nothing while the throw-in is between"),
        (Verb.ASSIGN, {}, "assign: expected tag and on"),
        (Verb.ASSIGN, {"tag": "x9", "on": "red 1"}, "tag: expected one of the field file"),
        (Verb.ASSIGN, {"tag": "red-1", "on": "pink 1"}, "on: expected red 1"),
    ],
)
def test_bad_command_is_refused_with_the_reason(
    make: Make, verb: Verb, args: dict[str, str], words: str
) -> None:
    """Bad command is refused with the reason."""
    reply = make().command(verb, **args)
    assert (reply.is_done, reply.reason[: len(words)]) == (False, words)


def test_command_that_comes_twice_acts_once(make: Make) -> None:
    """Command that comes twice acts once."""
    field = ready(make)
    command = Command(field.t_ns, "c1", Verb.THROW)
    first = field.desk.take(command)
    field.command(Verb.WHISTLE)
    assert (field.desk.take(command), field.phase) == (first, Phase.BETWEEN)


def test_assigned_tag_is_the_players_from_now_on(make: Make) -> None:
    """Assigned tag is the players from now on."""
    field = make()
    field.run(4.0)
    field.command(Verb.ASSIGN, tag="red-1", on="blue 4")
    field.run(1.0)
    assert [p.entity for p in field.referee.people if p.member.tag == "red-1"] == ["blue 4"]


def two_umpires() -> dict[str, Place]:
    return {**lineup_yd(), U2: (30.0, -5.0)}


def test_second_umpire_is_no_reason_to_hold_the_throw(make: Make) -> None:
    """Second umpire is no reason to hold the throw."""
    field = ready(make, places=two_umpires())
    assert field.cues("u2") == []


def test_rider_at_rest_near_the_second_umpire_is_told_to_him(make: Make) -> None:
    """Rider at rest near the second umpire is told to him."""
    field = ready(make, places=two_umpires())
    field.ride("blue 4", (30.0, -8.0), 4.0)
    field.run(3.0)
    assert field.cues("u2") == [Pattern.HOLD]


def test_rider_who_passes_the_second_umpire_holds_nothing(make: Make) -> None:
    """Rider who passes the second umpire holds nothing."""
    places = two_umpires()
    places["blue 4"] = (30.0, -30.0)
    field = ready(make, places=places)
    field.speed_mps["blue 4"] = (0.0, 4.0)
    field.run(8.0)
    assert field.cues("u2") == []


def test_move_that_leads_nowhere_says_so(make: Make) -> None:
    """Move that leads nowhere says so."""
    assert not make().referee.move(Cause.SURGE, "test", 0)
