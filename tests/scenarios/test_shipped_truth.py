"""Shipped scenarios are what they say: truth breaks a rule where a HOLD is expected, only there.

Truth alone is looked at; what the engine makes of it is another test's part.
"""

from typing import Literal

import pytest

from throwin.contract.scenariofile import ThrowinSection
from throwin.field.units import YARD_M
from throwin.sim.library import load_scenario, scenario_names
from throwin.sim.scenario import Scenario
from throwin.sim.truth import Truth

End = Literal["north", "south"]

FIVE_YARDS_M = 5 * YARD_M
TWELVE_YARDS_M = 12 * YARD_M
TWENTY_YARDS_M = 20 * YARD_M
RUSH_MPS = 3.0
SLICE_S = 0.05
OTHER: dict[End, End] = {"north": "south", "south": "north"}
NOT_DECIDABLE = {"gnss_cannot_tell"}  # it breaks the rule, and nobody can know

HOLDS = [
    name
    for name in scenario_names()
    if any(row.cue == "hold" for row in load_scenario(name).file.expect)
]
ENDED = [name for name in HOLDS if any(row.cue == "end" for row in load_scenario(name).file.expect)]
CLEAN = [name for name in scenario_names() if name not in HOLDS and name not in NOT_DECIDABLE]


def standing_s(scenario: Scenario, row: ThrowinSection) -> list[float]:
    """Give the instants between the formed line-up and the release."""
    end_s = scenario.file.duration_s if row.release_s is None else row.release_s
    return [
        row.formed_s + number * SLICE_S for number in range(int((end_s - row.formed_s) / SLICE_S))
    ]


def red_attacks(scenario: Scenario) -> list[End]:
    """Give the end that red ought to attack at each throw-in: drawn, and changed by the goals.

    A goal turns about the ends that were in force, which are those of a line-up that was thrown
    all the wrong way round (C18, K6).
    """
    expected = scenario.file.match.red_attacks
    if expected == "unknown":
        drawn = next(row for row in scenario.file.commands if row.verb == "draw")
        expected = "north" if drawn.args["red_attacks"] == "north" else "south"
    found: list[End] = []
    past_s = 0.0
    in_force = expected
    for row in scenario.file.throwins:
        goals = [
            command
            for command in scenario.file.commands
            if command.verb == "goal" and past_s < command.at_s < row.formed_s
        ]
        for _ in goals:
            expected = in_force = OTHER[in_force]
        found.append(expected)
        is_wrong_way_round = row.red_stands == expected and not row.slots
        in_force = OTHER[expected] if is_wrong_way_round else expected
        past_s = row.formed_s
    return found


def rushes(truth: Truth, rider: str, umpire: str, t_s: float) -> bool:
    """Say whether his own speed toward the umpire is 3 m/s or more, within 12 yards of him."""
    away_m = truth.distance_m(rider, umpire, t_s)
    it, him = truth.state(umpire, t_s), truth.state(rider, t_s)
    dx_m, dy_m = it.x_field_m - him.x_field_m, it.y_field_m - him.y_field_m
    toward_m2ps = dx_m * him.vx_field_mps + dy_m * him.vy_field_mps
    return away_m < TWELVE_YARDS_M and toward_m2ps >= RUSH_MPS * away_m


def breaks_a_rule(scenario: Scenario, truth: Truth, number: int, end: End, t_s: float) -> bool:
    """Say whether truth breaks C5, C6, C10 or C12 at an instant of a standing line-up."""
    lineup = truth.lineups[number]
    red_side = -1 if end == "north" else 1
    spot = truth.state(lineup.umpire, t_s)
    if scenario.file.pitch.width_yd * YARD_M / 2 - abs(spot.y_field_m) <= TWENTY_YARDS_M:
        return True
    for rider in scenario.select("players"):
        side = red_side if rider.startswith("red") else -red_side
        is_over = rider in lineup.places and truth.state(rider, t_s).x_field_m * side < 0
        if is_over or truth.distance_m(rider, lineup.umpire, t_s) < FIVE_YARDS_M:
            return True
        if rushes(truth, rider, lineup.umpire, t_s):
            return True
    return False


def breaches_s(scenario: Scenario) -> list[float]:
    """Give the instants at which truth breaks a rule while a line-up stands."""
    truth = Truth(scenario)
    ends = red_attacks(scenario)
    return [
        t_s
        for number, row in enumerate(scenario.file.throwins)
        for t_s in standing_s(scenario, row)
        if breaks_a_rule(scenario, truth, number, ends[number], t_s)
    ]


@pytest.mark.parametrize("name", CLEAN)
def test_scenario_without_a_hold_breaks_no_rule(name: str) -> None:
    """A near miss stays legal in truth from the formed line-up to the release."""
    assert breaches_s(load_scenario(name)) == []


@pytest.mark.parametrize("name", HOLDS)
def test_hold_is_expected_within_a_second_of_the_breach(name: str) -> None:
    """Truth breaks the rule inside the window of the HOLD, or shortly before it."""
    scenario = load_scenario(name)
    window = next(row.between_s for row in scenario.file.expect if row.cue == "hold")
    assert window[0] - 0.5 <= breaches_s(scenario)[0] <= window[1] - 0.5


@pytest.mark.parametrize("name", ENDED)
def test_hold_ends_after_truth_is_legal_again(name: str) -> None:
    """The end is expected after the last instant of the breach."""
    scenario = load_scenario(name)
    window = next(row.between_s for row in scenario.file.expect if row.cue == "end")
    assert window[0] - 0.5 <= breaches_s(scenario)[-1] <= window[1] - 0.5


@pytest.mark.parametrize("name", sorted(NOT_DECIDABLE))
def test_undecidable_scenario_does_break_a_rule(name: str) -> None:
    """A scenario of which nobody can tell is worth something only if there is something to tell."""
    assert breaches_s(load_scenario(name)) != []


def test_near_miss_is_near() -> None:
    """Riders of the near miss stand within 0.2 m of the limit."""
    scenario = load_scenario("stands_at_5_2yd")
    truth = Truth(scenario)
    nearest_m = min(
        truth.distance_m(rider, "umpire u1", t_s)
        for rider in scenario.select("players")
        for t_s in standing_s(scenario, scenario.file.throwins[0])
    )
    assert FIVE_YARDS_M < nearest_m < FIVE_YARDS_M + 0.2
