"""The ends and the score go by their table: C7, C15, C16, C18, K6, K7, K8."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from throwin.game.ends import ENDS, End, Ends, Turn, Way, wrong_side_sign
from throwin.game.roster import Team


def thrown(way: Way = Way.RIGHT, red_attacks: End = End.NORTH) -> Ends:
    """Give ends after a first throw."""
    ends = Ends(red_attacks)
    ends.throw(way)
    return ends


def test_table_has_each_turn_once_for_open_ends_and_once_for_those_in_force() -> None:
    """Table has each turn once for open ends and once for those in force."""
    pairs = [(row.turn, row.is_in_force) for row in ENDS]
    assert len(pairs) == len(set(pairs))


def test_table_has_every_turn() -> None:
    """Table has every turn."""
    assert {row.turn for row in ENDS} == set(Turn)


def test_ends_before_the_first_throw_are_not_in_force() -> None:
    """Ends before the first throw are not in force."""
    assert Ends(End.NORTH).state.in_force is End.UNKNOWN


def test_draw_says_what_is_expected() -> None:
    """C7: lots decide."""
    ends = Ends(End.UNKNOWN)
    ends.draw(End.SOUTH)
    assert (ends.standing, ends.is_drawn) == (End.SOUTH, True)


@pytest.mark.parametrize(
    ("way", "in_force"),
    [(Way.RIGHT, End.NORTH), (Way.WRONG, End.SOUTH), (Way.UNKNOWN, End.UNKNOWN)],
)
def test_throw_puts_in_force_how_the_line_up_stood(way: Way, in_force: End) -> None:
    """C15, C18: how the line-up stood is in force, and unknown where it could not be told."""
    assert thrown(way).state.in_force is in_force


@pytest.mark.parametrize("way", list(Way))
def test_restart_within_the_period_changes_no_ends(way: Way) -> None:
    """C18: once in force they stay until a goal or the end of the period."""
    ends = thrown(Way.WRONG)
    ends.throw(way)
    assert (ends.standing, ends.state.expected) == (End.SOUTH, End.NORTH)


def test_goal_after_the_right_way_changes_the_ends() -> None:
    """Goal after the right way changes the ends."""
    ends = thrown()
    ends.goal(Team.RED)
    assert ends.standing is End.SOUTH


def test_goal_after_the_wrong_way_changes_what_was_in_force() -> None:
    """K6: Red scored south, wrong though it was; so next it attacks north."""
    ends = thrown(Way.WRONG, red_attacks=End.NORTH)
    ends.goal(Team.RED)
    assert ends.standing is End.NORTH


def test_goal_after_a_way_that_nobody_knows_leaves_ends_unknown() -> None:
    """Goal after a way that nobody knows leaves ends unknown."""
    ends = thrown(Way.UNKNOWN)
    ends.goal(Team.RED)
    assert ends.standing is End.UNKNOWN


def test_period_after_the_wrong_way_holds_to_what_was_expected() -> None:
    """K7: the direction is reversed to the right one for the restart."""
    ends = thrown(Way.WRONG)
    ends.period()
    assert ends.standing is End.NORTH


def test_rulebook_by_the_period_keeps_ends_at_a_goal() -> None:
    """Rulebook by the period keeps ends at a goal."""
    ends = Ends(End.NORTH, "period")
    ends.throw(Way.RIGHT)
    ends.goal(Team.RED)
    assert ends.standing is End.NORTH


@pytest.mark.parametrize("is_thrown", [True, False])
def test_rulebook_by_the_period_changes_ends_with_it(is_thrown: bool) -> None:
    """Rulebook by the period changes ends with it."""
    ends = Ends(End.NORTH, "period")
    for _ in range(is_thrown):
        ends.throw(Way.RIGHT)
    ends.period()
    assert ends.standing is End.SOUTH


@pytest.mark.parametrize(
    ("way", "goal", "team"),
    [
        (Way.RIGHT, End.NORTH, Team.RED),
        (Way.RIGHT, End.SOUTH, Team.BLUE),
        (Way.WRONG, End.SOUTH, Team.RED),
        (Way.WRONG, End.NORTH, Team.BLUE),
    ],
)
def test_goal_counts_for_the_team_that_attacks_there(way: Way, goal: End, team: Team) -> None:
    """C15, C16, C18, K8: by what is in force, whoever hit it."""
    assert thrown(way).team_at(goal) is team


def test_goal_where_nobody_knows_the_ends_counts_for_nobody_yet() -> None:
    """Goal where nobody knows the ends counts for nobody yet."""
    assert thrown(Way.UNKNOWN).team_at(End.NORTH) is None


def test_word_during_play_is_of_the_play_alone() -> None:
    """Word during play is of the play alone."""
    ends = thrown(Way.UNKNOWN)
    ends.say(End.SOUTH)
    assert (ends.standing, ends.state.expected) == (End.SOUTH, End.NORTH)


def test_word_during_play_where_nothing_was_drawn_is_of_all() -> None:
    """Word during play where nothing was drawn is of all."""
    ends = thrown(Way.UNKNOWN, red_attacks=End.UNKNOWN)
    ends.say(End.SOUTH)
    assert ends.state.expected is End.SOUTH


def test_throw_that_is_taken_back_leaves_ends_as_before() -> None:
    """Throw that is taken back leaves ends as before."""
    ends = Ends(End.NORTH)
    before = ends.state
    ends.throw(Way.WRONG)
    ends.take_back()
    assert ends.state == before


def test_goal_owed_counts_by_the_ends_that_were_in_force() -> None:
    """The umpire presses, the scoreboard says afterwards through which goal it went."""
    ends = thrown()
    ends.goal(None)
    assert ends.team_at(End.NORTH) is Team.RED


def test_score_counts_goals_of_each_team() -> None:
    """Score counts goals of each team."""
    ends = thrown()
    ends.goal(None)
    ends.settle(Team.BLUE)
    ends.score(Team.RED)
    assert (ends.state.red, ends.state.blue, ends.state.is_owed) == (1, 1, False)


@settings(derandomize=True)
@given(
    start=st.sampled_from([End.NORTH, End.SOUTH]),
    ways=st.lists(st.sampled_from([Way.RIGHT, Way.WRONG]), max_size=8),
)
def test_field_turned_round_turns_all_ends(start: End, ways: list[Way]) -> None:
    """Symmetry: from the opposite draw, everything is the opposite."""
    one, other = Ends(start), Ends(start.other)
    for way in ways:
        for ends in (one, other):
            ends.throw(way)
            ends.goal(Team.RED)
    assert one.standing is other.standing.other


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
