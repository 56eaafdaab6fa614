"""Commands and presses about the ends and the score, and what undoes them."""

import pytest
from tests.unit.game.conftest import U1, Field, Make, lineup_yd, ready

from throwin.event import Verb
from throwin.game.ends import End
from throwin.game.finding import Happened, Pattern
from throwin.game.match import Phase
from throwin.tags.observation import Press


def thrown(make: Make, **options: object) -> Field:
    """Give a field where the ball has been thrown the right way."""
    field = ready(make, **options)
    field.run(1.0)
    field.command(Verb.THROW)
    field.forget()
    return field


def score(field: Field) -> tuple[int, int]:
    state = field.referee.match.ends.state
    return state.red, state.blue


def detail(field: Field, what: str) -> dict[str, str]:
    """Give the details of the last happening of a kind."""
    found = [one for _, one in field.found if isinstance(one, Happened) and one.what == what]
    return dict(found[-1].detail)


def test_goal_through_the_attacked_goal_counts_for_the_attackers(make: Make) -> None:
    """C15: red attacks north."""
    field = thrown(make)
    field.command(Verb.GOAL, at="north")
    assert (score(field), detail(field, "goal")["by"]) == ((1, 0), "red")


def test_goal_through_the_own_goal_counts_for_the_opponent(make: Make) -> None:
    """C16: whoever hit it."""
    field = thrown(make)
    field.command(Verb.GOAL, at="south")
    assert (score(field), detail(field, "goal")["clause"]) == ((0, 1), "C16")


def test_goal_at_an_end_that_nobody_knows_is_refused(make: Make) -> None:
    """Cannot tell: the ends are to be said first."""
    field = make(places={U1: (60.0, 60.0), "red 1": (70.0, 60.0)})
    field.run(1.0)
    field.command(Verb.THROW)
    reply = field.command(Verb.GOAL, at="north")
    assert (reply.is_done, score(field)) == (False, (0, 0))


def test_second_goal_without_a_throw_is_refused(make: Make) -> None:
    """Second goal without a throw is refused."""
    field = thrown(make)
    field.command(Verb.GOAL, by="red")
    field.run(0.1)
    reply = field.command(Verb.GOAL, by="red")
    assert (reply.is_done, score(field)) == (False, (1, 0))


def test_goal_after_the_whistle_counts(make: Make) -> None:
    """A penalty is hit after the whistle, without a throw-in."""
    field = thrown(make)
    field.command(Verb.WHISTLE)
    field.run(0.1)
    assert field.command(Verb.GOAL, by="blue").is_done


def test_goal_that_a_penalty_awards_changes_no_ends(make: Make) -> None:
    """It needs no play either."""
    field = make()
    field.command(Verb.GOAL, by="blue", penalty="1")
    assert (score(field), field.referee.match.standing) == ((0, 1), End.NORTH)


def test_pressed_goal_changes_the_ends_and_waits_for_its_team(make: Make) -> None:
    """Pressed goal changes the ends and waits for its team."""
    field = thrown(make)
    field.press(U1, Press.GOAL)
    assert (score(field), field.referee.match.standing) == ((0, 0), End.SOUTH)


def test_goal_said_after_the_press_counts_once(make: Make) -> None:
    """By the ends that were in force when it was made."""
    field = thrown(make)
    field.press(U1, Press.GOAL)
    field.run(5.0)
    field.command(Verb.GOAL, at="north")
    assert (score(field), field.referee.match.standing) == ((1, 0), End.SOUTH)


def test_goal_pressed_twice_is_one(make: Make) -> None:
    """A slip of the thumb must not turn the ends back."""
    field = thrown(make)
    field.press(U1, Press.GOAL)
    field.run(2.0)
    assert (field.press(U1, Press.GOAL), field.referee.match.standing) == (False, End.SOUTH)


def test_goal_pressed_where_no_throw_was_seen_leaves_ends_unknown(make: Make) -> None:
    """One was missed: nobody knows how they stood, and no line-up is judged by a guess."""
    field = thrown(make)
    field.press(U1, Press.GOAL)
    field.run(60.0)
    assert (field.press(U1, Press.GOAL), field.referee.match.standing) == (True, End.UNKNOWN)


def test_period_after_the_right_way_corrects_nothing(make: Make) -> None:
    """Period after the right way corrects nothing."""
    field = thrown(make)
    field.command(Verb.PERIOD)
    assert field.events() == []


def test_period_after_the_wrong_way_says_what_holds_again(make: Make) -> None:
    """K7: between periods the error is shown."""
    field = make(ends=End.SOUTH)
    field.run(6.0)
    field.command(Verb.THROW)
    field.forget()
    field.command(Verb.PERIOD)
    assert detail(field, "ends_corrected") == {
        "was": "north",
        "red_attacks": "south",
        "clause": "C18",
    }


def test_draw_is_taken_once(make: Make) -> None:
    """C7: draw is taken once."""
    field = make(ends=End.UNKNOWN)
    first = field.command(Verb.DRAW, red_attacks="south")
    field.run(0.1)
    second = field.command(Verb.DRAW, red_attacks="north")
    standing = field.referee.match.standing
    assert (first.is_done, second.is_done, standing) == (True, False, End.SOUTH)


@pytest.mark.parametrize(
    ("verb", "args"),
    [
        (Verb.GOAL, {"by": "red"}),
        (Verb.GOAL, {"by": "red", "penalty": "1"}),
        (Verb.PERIOD, {}),
        (Verb.ENDS, {"red_attacks": "south"}),
        (Verb.ASSIGN, {"tag": "red-1", "on": "red 1"}),
    ],
)
def test_undo_puts_back_ends_and_score(make: Make, verb: Verb, args: dict[str, str]) -> None:
    """Undo puts back ends and score."""
    field = thrown(make)
    before = field.referee.match.ends.state
    field.command(verb, **args)
    field.run(0.1)
    reply = field.command(Verb.UNDO)
    assert (reply.is_done, field.referee.match.ends.state) == (True, before)


def test_undo_of_a_goal_goes_on_with_the_play(make: Make) -> None:
    """Undo of a goal goes on with the play."""
    field = thrown(make)
    field.command(Verb.GOAL, by="red")
    field.command(Verb.UNDO)
    assert (field.phase, field.events()) == (Phase.OPEN, ["goal", "undo"])


def test_undo_of_a_press_lets_the_next_press_count(make: Make) -> None:
    """Undo of a press lets the next press count."""
    field = thrown(make)
    field.press(U1, Press.GOAL)
    field.command(Verb.UNDO)
    assert field.press(U1, Press.GOAL)


def test_undo_of_an_assignment_puts_the_roster_back(make: Make) -> None:
    """Undo of an assignment puts the roster back."""
    field = make()
    before = field.referee.roster
    field.command(Verb.ASSIGN, tag="red-1", on="spare")
    field.run(0.1)
    field.command(Verb.UNDO)
    assert field.referee.roster is before


def test_undo_reaches_one_step_back(make: Make) -> None:
    """Undo reaches one step back."""
    field = thrown(make)
    field.command(Verb.ENDS, red_attacks="south")
    field.run(0.1)
    field.command(Verb.UNDO)
    field.run(0.1)
    assert not field.command(Verb.UNDO).is_done


def test_play_without_a_throw_in_is_open(make: Make) -> None:
    """A hit-in or a free hit begins without a line-up."""
    field = thrown(make)
    field.command(Verb.WHISTLE)
    field.command(Verb.BALL_OUT)
    assert field.phase is Phase.OPEN


def test_line_up_that_comes_all_at_once_after_a_goal_is_armed(make: Make) -> None:
    """It is a new one, though nobody saw it half complete."""
    field = thrown(make)
    field.command(Verb.GOAL, by="red")
    for who in field.places:
        field.places[who] = (60.0, 60.0)
    field.run(6.0)
    field.forget()
    field.places = {who: (-x_yd, y_yd) for who, (x_yd, y_yd) in lineup_yd().items()}
    field.run(8.0)
    assert field.cues() == [Pattern.READY]
