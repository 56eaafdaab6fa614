"""Truth moves like horses: within their limits, smoothly, and where the scenario says."""

import math
from collections.abc import Callable

import pytest

from throwin.contract.scenariofile import ScenarioFileError
from throwin.field.units import YARD_M
from throwin.sim.library import load_scenario, scenario_names
from throwin.sim.motion import HORSE_MPS2
from throwin.sim.scenario import Scenario
from throwin.sim.truth import Truth

EARLY_S = 7.5  # all stand, nothing is thrown
SLICE_S = 0.005

Cast = Callable[..., Scenario]


def horses_of(truth: Truth) -> list[str]:
    return [entity for entity in truth.scenario.entities if entity != "ball"]


def largest_acceleration_mps2(truth: Truth) -> float:
    largest = 0.0
    for entity in horses_of(truth):
        before = truth.state(entity, 0.0)
        for number in range(1, int(truth.scenario.file.duration_s / SLICE_S)):
            now = truth.state(entity, number * SLICE_S)
            gained = math.hypot(
                now.vx_field_mps - before.vx_field_mps, now.vy_field_mps - before.vy_field_mps
            )
            largest = max(largest, gained / SLICE_S)
            before = now
    return largest


def largest_jump_m(truth: Truth) -> float:
    """Give the most that a position differs from where the velocities lead."""
    largest = 0.0
    for entity in horses_of(truth):
        before = truth.state(entity, 0.0)
        for number in range(1, int(truth.scenario.file.duration_s / SLICE_S)):
            now = truth.state(entity, number * SLICE_S)
            mean_vx = (before.vx_field_mps + now.vx_field_mps) / 2
            mean_vy = (before.vy_field_mps + now.vy_field_mps) / 2
            miss_m = math.hypot(
                now.x_field_m - before.x_field_m - mean_vx * SLICE_S,
                now.y_field_m - before.y_field_m - mean_vy * SLICE_S,
            )
            largest = max(largest, miss_m)
            before = now
    return largest


@pytest.mark.parametrize("name", scenario_names())
def test_horses_stay_within_what_a_horse_can_do(name: str) -> None:
    """No scenario asks a horse for more than 5 m/s2."""
    assert largest_acceleration_mps2(Truth(load_scenario(name))) <= HORSE_MPS2


@pytest.mark.parametrize("name", scenario_names())
def test_positions_agree_with_velocities(name: str) -> None:
    """Every position is where the velocities lead: nothing jumps."""
    assert largest_jump_m(Truth(load_scenario(name))) < 1e-4


def test_same_seed_gives_the_same_truth(cast: Cast) -> None:
    """Truth is a pure function of the scenario."""
    assert Truth(cast()).at(6.123) == Truth(cast()).at(6.123)


def test_other_seed_gives_another_truth(cast: Cast) -> None:
    """The seed moves the horses."""
    assert Truth(cast(seed=1)).at(1.0) != Truth(cast(seed=2)).at(1.0)


def test_nearest_riders_stand_at_the_distance_asked_for(cast: Cast) -> None:
    """The first row is nearest_yd from the umpire, tag to tag."""
    truth = Truth(cast("mill_yd = 0.0\n"))
    nearest_yd = min(
        truth.distance_m(rider, "umpire u1", EARLY_S) / YARD_M
        for rider in truth.scenario.select("players")
    )
    assert nearest_yd == pytest.approx(5.5, abs=0.01)


def test_files_stand_125_cm_apart(cast: Cast) -> None:
    """0.6 m between flanks is 1.25 m from tag to tag across the line."""
    truth = Truth(cast("mill_yd = 0.0\n"))
    assert truth.distance_m("red 1", "blue 1", EARLY_S) == pytest.approx(1.25, abs=0.02)


def test_red_that_attacks_north_stands_south_of_the_line(cast: Cast) -> None:
    """Each file stands before the goal that it defends."""
    truth = Truth(cast())
    sides = {truth.state(f"red {n}", EARLY_S).x_field_m < 0 for n in (1, 2, 3, 4)}
    assert sides == {True}


def test_files_stand_before_an_umpire_who_faces_right(cast: Cast) -> None:
    """The files are on the side to which the umpire looks."""
    throwin = """
[[throwins]]
umpire_at_yd = [0, 10]
facing = "right"
formed_s = 5.5
"""
    truth = Truth(cast(throwin=throwin))
    assert truth.state("blue 4", EARLY_S).y_field_m < 10 * YARD_M - 5 * YARD_M


def test_surge_starts_at_the_release(cast: Cast) -> None:
    """A second after the release every rider has gained about 3 m/s."""
    truth = Truth(cast())
    slowest_mps = min(
        math.hypot(*truth.state(rider, 9.0)[2:]) for rider in truth.scenario.select("players")
    )
    assert slowest_mps > 2.0


def test_absent_rider_leaves_no_gap(cast: Cast) -> None:
    """Who is absent from a line-up has no place in it, and the file closes up."""
    throwin = '\n[[throwins]]\nformed_s = 5.5\nabsent = "red 1"\n'
    truth = Truth(cast("mill_yd = 0.0\n", throwin=throwin))
    assert truth.distance_m("red 2", "umpire u1", EARLY_S) == pytest.approx(5.5 * YARD_M, abs=0.01)


def test_move_toward_someone_stops_short_of_him(cast: Cast) -> None:
    """A creeping rider ends until_yd from the one that he creeps toward."""
    creep = '\n[[moves]]\nwho = "red 1"\nat_s = 5.6\ntoward = "umpire u1"\nuntil_yd = 4.5\n'
    truth = Truth(cast("mill_yd = 0.0\n", creep))
    assert truth.distance_m("red 1", "umpire u1", 7.9) == pytest.approx(4.5 * YARD_M, abs=0.02)


def test_move_back_returns_to_the_place_in_the_lineup(cast: Cast) -> None:
    """Back means one's own place, wherever a move has led."""
    moves = (
        '\n[[moves]]\nwho = "red 4"\nat_s = 5.6\nby_yd = [0, 1]\n'
        '\n[[moves]]\nwho = "red 4"\nat_s = 6.0\nback = true\naccel_mps2 = 3.0\n'
    )
    truth, still = Truth(cast("mill_yd = 0.0\n", moves)), Truth(cast("mill_yd = 0.0\n"))
    assert truth.state("red 4", 7.99)[:2] == pytest.approx(still.state("red 4", 7.99)[:2], abs=0.05)


def test_thrown_ball_runs_between_the_files(cast: Cast) -> None:
    """The ball leaves the umpire along the line, at the speed asked for."""
    ball = Truth(cast("cast = { ball = true }\n")).state("ball", 8.1)
    assert (ball.vx_field_mps, ball.vy_field_mps) == pytest.approx((0.0, 11.0), abs=0.4)


def test_carried_ball_is_where_its_carrier_is(cast: Cast) -> None:
    """A ball on the stick goes with the rider."""
    carry = '\n[[moves]]\nwho = "ball"\nat_s = 9.0\ncarried_by = "blue 1"\n'
    truth = Truth(cast("cast = { ball = true }\nmill_yd = 0.0\n", carry))
    assert truth.distance_m("ball", "blue 1", 9.5) < 0.1


def test_spare_horses_stand_outside_the_boards(cast: Cast) -> None:
    """The pony lines are 10 m outside the field."""
    truth = Truth(cast("cast = { spares = 3 }\n"))
    assert truth.state("spare 2", 5.0).y_field_m > 80 * YARD_M + 9.0


def test_lineup_that_can_not_be_formed_in_time_is_an_error(cast: Cast) -> None:
    """A scenario whose riders are still on their way says so, by name."""
    with pytest.raises(ScenarioFileError, match=r"throwins\[0\]\.formed_s: .*m away"):
        Truth(cast(throwin="\n[[throwins]]\nformed_s = 1.0\n"))


def test_second_lineup_is_reached_from_where_the_first_ended(cast: Cast) -> None:
    """A scenario of two throw-ins moves its riders from one to the other without a jump."""
    two = """
[[throwins]]
formed_s = 5.5
release_s = 8.0
surge = { speed_mps = 4.0 }

[[throwins]]
umpire_at_yd = [0, 0]
facing = "right"
call_s = 9.0
formed_s = 24.0
approach_mps = 6.0
"""
    truth = Truth(cast("duration_s = 26.0\nmill_yd = 0.0\n", throwin=two))
    assert truth.distance_m("red 1", "umpire u1", 25.0) == pytest.approx(5.5 * YARD_M, abs=0.02)
