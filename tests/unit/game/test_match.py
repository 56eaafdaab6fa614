"""The phases of the match go by their table."""

import pytest

from throwin.game.ends import End, Ends, Way
from throwin.game.match import TRANSITIONS, Cause, Match, Phase


def match_in(phase: Phase) -> Match:
    """Give a match in a phase, with a throw behind it: so a goal can be."""
    match = Match(Ends(End.NORTH))
    match.ends.throw(Way.RIGHT)
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


def test_goal_without_a_throw_leads_nowhere() -> None:
    """A goal needs a throw-in since the last one: a second press must not turn the ends twice."""
    match = Match(Ends(End.NORTH))
    assert (match.move(Cause.GOAL), match.phase) == (None, Phase.BETWEEN)


@pytest.mark.parametrize("cause", [Cause.RETAKE, Cause.SURGE_ENDS, Cause.CANCEL])
def test_throw_that_was_none_takes_ends_out_of_force(cause: Cause) -> None:
    """Throw that was none takes ends out of force."""
    match = Match(Ends(End.NORTH))
    match.phase = Phase.ARMED
    match.move(Cause.SURGE, way=Way.RIGHT)
    match.move(cause)
    assert match.ends.state.in_force is End.UNKNOWN
