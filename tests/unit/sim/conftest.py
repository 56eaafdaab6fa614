"""Scenarios for the simulator's tests: a usual throw-in with what a test adds."""

from collections.abc import Callable

import pytest

from throwin.contract.scenariofile import parse_scenariofile
from throwin.sim.library import build_scenario
from throwin.sim.scenario import Scenario

HEAD = """
title = "test"
match = { red_attacks = "north" }
"""
EXPECT = """
[[expect]]
phase = "armed"
between_s = [4.0, 8.0]
"""
THROWIN = """
[[throwins]]
formed_s = 5.5
release_s = 8.0
"""


def _cast(
    top: str = "", more: str = "", *, throwin: str = THROWIN, expect: str = EXPECT, seed: int = 1
) -> Scenario:
    length = "" if "duration_s" in top else "duration_s = 10.0\n"
    text = HEAD + length + top + throwin + expect + more
    return build_scenario(parse_scenariofile(text), "test", seed=seed)


@pytest.fixture
def cast() -> Callable[..., Scenario]:
    """Give the maker of a 10 s scenario: keys for the top of its file, tables for its end."""
    return _cast
