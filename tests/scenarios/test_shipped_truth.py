"""Shipped scenarios are what they say: truth breaks a rule where a HOLD is expected, only there.

Truth alone is looked at; what the engine makes of it is another test's part.
"""

import pytest

from throwin.field.units import YARD_M
from throwin.sim.library import load_scenario, scenario_names
from throwin.sim.scenario import Scenario
from throwin.sim.truth import Truth

FIVE_YARDS_M = 5 * YARD_M
SLICE_S = 0.05
NOT_DECIDABLE = {"gnss_cannot_tell"}  # it breaks the rule, and nobody can know

HOLDS = [
    name
    for name in scenario_names()
    if any(row.cue == "hold" for row in load_scenario(name).file.expect)
]
ENDED = [name for name in HOLDS if any(row.cue == "end" for row in load_scenario(name).file.expect)]
CLEAN = [name for name in scenario_names() if name not in HOLDS and name not in NOT_DECIDABLE]


def standing_s(scenario: Scenario) -> list[float]:
    """Give the instants between the formed line-up and the release."""
    row = scenario.file.throwins[0]
    end_s = scenario.file.duration_s if row.release_s is None else row.release_s
    return [
        row.formed_s + number * SLICE_S for number in range(int((end_s - row.formed_s) / SLICE_S))
    ]


def breaches_s(scenario: Scenario) -> list[float]:
    """Give the instants at which truth breaks C5 or C6."""
    truth = Truth(scenario)
    umpire = f"umpire {scenario.file.throwins[0].umpire}"
    red_side = -1 if scenario.file.match.red_attacks == "north" else 1
    found: list[float] = []
    for t_s in standing_s(scenario):
        for rider in scenario.select("players"):
            side = red_side if rider.startswith("red") else -red_side
            is_over = truth.state(rider, t_s).x_field_m * side < 0
            if is_over or truth.distance_m(rider, umpire, t_s) < FIVE_YARDS_M:
                found.append(t_s)
                break
    return found


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
        for t_s in standing_s(scenario)
    )
    assert FIVE_YARDS_M < nearest_m < FIVE_YARDS_M + 0.2
