"""A scenario whose parts disagree is refused, with the path of what is wrong."""

from collections.abc import Callable

import pytest

from throwin.contract.scenariofile import ScenarioFileError
from throwin.sim.scenario import Scenario

Cast = Callable[..., Scenario]
MOVE = '[[moves]]\nat_s = 1.0\nwho = "red 1"\n'


def refusal(cast: Cast, top: str = "", more: str = "", **parts: str) -> str:
    with pytest.raises(ScenarioFileError) as caught:
        cast(top, more, **parts)
    return str(caught.value)


def test_scenario_that_expects_nothing_is_refused(cast: Cast) -> None:
    """Silence alone proves nothing: a scenario says what must come."""
    assert refusal(cast, expect="").startswith("expect: expected at least one expectation")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            '[[moves]]\nat_s = 1.0\nwho = "red 5"\nhalt = true',
            "moves[0].who: expected one of red 1",
        ),
        (MOVE, "moves[0]: expected exactly one of to_yd, by_yd, toward, back, halt, carried_by"),
        (MOVE + "halt = true\nback = true", "moves[0]: expected exactly one of"),
        (MOVE + "back = true\nspeed_mps = 20.0", "moves[0].speed_mps: expected at most 17"),
        (MOVE + 'toward = "ball"', "moves[0].toward: expected one of"),
        (MOVE + 'carried_by = "red 2"', "moves[0].who: expected ball"),
        (
            '[[presses]]\nwho = "umpire u1"\nat_s = 1.0\nbutton = "throw"',
            "presses[0].who: expected one on a port of format own",
        ),
        ('[[commands]]\nat_s = 1.0\nverb = "sing"', "commands[0].verb: expected one of draw"),
        (
            '[[faults]]\nkind = "port_lost"\nport = "gw9"\nfrom_s = 1.0\nto_s = 2.0',
            "faults[0].port: expected one of gateway",
        ),
        (
            '[[faults]]\nkind = "silent"\nwho = "red 1"\nfrom_s = 3.0\nto_s = 2.0',
            "faults[0].to_s: expected at least 3 s, got 2",
        ),
        ("[[expect]]\nbetween_s = [1.0, 2.0]", "expect[1]: expected exactly one of cue, alert"),
        ('[[expect]]\ncue = "hold"\nbetween_s = [1.0, 99.0]', "duration_s: expected at least 99"),
        (
            '[[expect]]\ncue = "hold"\numpire = "u7"\nbetween_s = [1.0, 2.0]',
            "expect[1].umpire: expected one of",
        ),
    ],
)
def test_part_that_does_not_fit_is_named(cast: Cast, more: str, message: str) -> None:
    """The error names the key's path and what was expected of it."""
    assert refusal(cast, more=more).startswith(message)


@pytest.mark.parametrize(
    ("top", "message"),
    [
        ('silent = ["holds"]\n', "silent[0]: expected one of ready, hold"),
        (
            (
                'sensors = [{who = "red 1", sensor = "uwb"}]\n'
                'ports = [{name = "a", who = "all", format = "nmea"}]\n'
            ),
            "ports[0].format: expected own, since red 1 has a UWB tag",
        ),
        (
            'ports = [{name = "a", who = "red", format = "nmea"}]\n',
            "ports: expected everyone on a port, got none for blue 1",
        ),
        (
            (
                'ports = [{name = "a", who = "all", format = "own"},'
                ' {name = "b", who = "red 1", format = "own"}]\n'
            ),
            "ports[1].who: expected everyone on one port, got red 1 on a too",
        ),
        (
            'ports = [{name = "a", who = "all", format = "nmea", tag_block = false}]\n',
            "ports[0].who: expected exactly one, since tag_block is false, got 9",
        ),
    ],
)
def test_top_key_that_does_not_fit_is_named(cast: Cast, top: str, message: str) -> None:
    """Ports, sensors and cast have to fit one another."""
    assert refusal(cast, top).startswith(message)


def test_release_before_the_lineup_is_formed_is_refused(cast: Cast) -> None:
    """The times of a throw-in ascend."""
    throwin = "\n[[throwins]]\nformed_s = 5.5\nrelease_s = 5.0\n"
    message = refusal(cast, throwin=throwin)
    assert message.startswith("throwins[0].release_s: expected at least 5.5 s")


def test_order_that_leaves_a_rider_out_is_refused(cast: Cast) -> None:
    """A file's order names every rider of the team; who is missing is absent by name."""
    throwin = "\n[[throwins]]\nformed_s = 5.5\nred_order = [1, 2, 3]\n"
    assert refusal(cast, throwin=throwin).startswith("throwins[0].red_order: ")
