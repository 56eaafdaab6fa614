"""The phases and ends of the match go by their table."""

import pytest

from throwin.game.match import TRANSITIONS, Cause, End, Match, Phase, wrong_side_sign
from throwin.game.roster import Team


def match_in(phase: Phase) -> Match:
    match = Match(End.NORTH)
    match.phase = phase
    return match


def test_table_has_each_phase_and_cause_once() -> None:
    """Table has each phase and cause once."""
    pairs = [(row.cause, phase) for row in TRANSITIONS for phase in row.phases]
    assert len(pairs) == len(set(pairs))


def test_table_has_every_cause() -> None:
    """Table has every cause."""
    assert {row.cause for row in TRANSITIONS} == set(Cause)


@pytest.mark.parametrize("phase", list(Phase))
@pytest.mark.parametrize("cause", list(Cause))
def test_cause_leads_where_the_table_says_or_nowhere(phase: Phase, cause: Cause) -> None:
    """Cause leads where the table says or nowhere."""
    rows: list[Phase | None] = [
        row.to for row in TRANSITIONS if row.cause is cause and phase in row.phases
    ]
    assert [match_in(phase).move(cause)] == (rows or [None])


def test_cause_that_leads_nowhere_changes_nothing() -> None:
    """Cause that leads nowhere changes nothing."""
    match = match_in(Phase.BETWEEN)
    match.move(Cause.SURGE)
    assert match.phase is Phase.BETWEEN


def test_throw_puts_expected_ends_in_force() -> None:
    """Throw puts expected ends in force."""
    match = match_in(Phase.ARMED)
    match.move(Cause.THROW)
    assert match.in_force is End.NORTH


def test_ends_before_the_first_throw_are_not_in_force() -> None:
    """Ends before the first throw are not in force."""
    assert Match(End.NORTH).in_force is End.UNKNOWN


def test_goal_changes_expected_ends() -> None:
    """Goal changes expected ends."""
    match = match_in(Phase.ARMED)
    match.move(Cause.THROW)
    match.move(Cause.GOAL)
    assert match.expected is End.SOUTH


def test_second_goal_without_a_throw_changes_no_ends() -> None:
    """Second goal without a throw changes no ends."""
    match = match_in(Phase.ARMED)
    match.move(Cause.THROW)
    match.move(Cause.GOAL)
    match.move(Cause.GOAL)
    assert match.expected is End.SOUTH


def test_goal_after_the_whistle_still_changes_ends() -> None:
    """Goal after the whistle still changes ends."""
    match = match_in(Phase.ARMED)
    match.move(Cause.THROW)
    match.move(Cause.WHISTLE)
    match.move(Cause.GOAL)
    assert match.expected is End.SOUTH


def test_restart_within_the_period_is_judged_by_ends_in_force() -> None:
    """Restart within the period is judged by ends in force."""
    match = match_in(Phase.ARMED)
    match.move(Cause.THROW)
    match.move(Cause.WHISTLE)
    match.expected = End.SOUTH
    assert match.standing is End.NORTH


def test_period_end_judges_by_expected_ends_again() -> None:
    """Period end judges by expected ends again."""
    match = match_in(Phase.ARMED)
    match.move(Cause.THROW)
    match.move(Cause.PERIOD)
    match.set_ends(End.SOUTH)
    assert match.standing is End.SOUTH


def test_retake_takes_ends_out_of_force() -> None:
    """Retake takes ends out of force."""
    match = match_in(Phase.ARMED)
    match.move(Cause.THROW)
    match.move(Cause.RETAKE)
    assert match.in_force is End.UNKNOWN


def test_ends_by_command_after_a_throw_are_in_force() -> None:
    """Ends by command after a throw are in force."""
    match = match_in(Phase.ARMED)
    match.move(Cause.THROW)
    match.set_ends(End.SOUTH)
    assert match.in_force is End.SOUTH


@pytest.mark.parametrize(
    ("team", "red_attacks", "sign"),
    [
        (Team.RED, End.NORTH, 1),
        (Team.BLUE, End.NORTH, -1),
        (Team.RED, End.SOUTH, -1),
        (Team.BLUE, End.SOUTH, 1),
        (Team.RED, End.UNKNOWN, 0),
        (Team.BLUE, End.UNKNOWN, 0),
    ],
)
def test_wrong_side_is_the_one_attacked(team: Team, red_attacks: End, sign: int) -> None:
    """Wrong side is the one attacked."""
    assert wrong_side_sign(team, red_attacks) == sign


@pytest.mark.parametrize("end", list(End))
def test_other_end_of_the_other_end_is_the_end(end: End) -> None:
    """Other end of the other end is the end."""
    assert end.other.other is end
