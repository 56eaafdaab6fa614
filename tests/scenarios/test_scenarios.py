"""Every shipped scenario, through real bytes and real decoders, gives what its file expects."""

import pytest

from throwin.contract.payload import Cue
from throwin.engine import Engine
from throwin.sim.fast import make_run, run_fast
from throwin.sim.judge import judge
from throwin.sim.library import load_scenario, scenario_names
from throwin.sim.site import field_file

OTHER_SEEDS = (101, 202, 303)


def failures_of(name: str, seed: int | None) -> list[str]:
    scenario = load_scenario(name, seed=seed)
    outputs = run_fast(make_run(scenario), Engine(field_file(scenario), boot="b0"))
    return [str(failure) for failure in judge(scenario, outputs)]


@pytest.mark.parametrize("name", scenario_names())
def test_scenario_gives_what_its_file_expects(name: str) -> None:
    """Scenario gives what its file expects."""
    assert failures_of(name, None) == []


@pytest.mark.parametrize("seed", OTHER_SEEDS)
@pytest.mark.parametrize("name", scenario_names())
def test_scenario_with_other_noise_gives_the_same(name: str, seed: int) -> None:
    """Scenario with other noise gives the same."""
    assert failures_of(name, seed) == []


@pytest.mark.parametrize(
    ("clause", "raised", "near_miss"),
    [
        ("C5", "wrong_side", "leans_on_line"),
        ("C6", "creeps_inside_5yd", "stands_at_5_2yd"),
        ("C6", "creeps_inside_5yd", "surge_no_hold"),
    ],
)
def test_clause_has_a_scenario_that_raises_it_and_a_near_miss(
    clause: str, raised: str, near_miss: str
) -> None:
    """Clause has a scenario that raises it and a near miss."""
    holds = []
    for name in (raised, near_miss):
        scenario = load_scenario(name)
        outputs = run_fast(make_run(scenario), Engine(field_file(scenario), boot="b0"))
        holds.append(any(isinstance(m, Cue) and m.pattern == "hold" for _, m in outputs))
    touches = [load_scenario(name).file.touches for name in (raised, near_miss)]
    assert (holds, all(clause in row for row in touches)) == ([True, False], True)
