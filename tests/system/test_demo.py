"""The demo as a newcomer runs it: it ends with 0, and tells which broker it uses."""

import subprocess
import sys

import pytest


def demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "throwin", "demo", "--plain", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )


def test_whole_demo_comes_as_expected() -> None:
    """Whole demo comes as expected."""
    done = demo("--speed", "6")
    assert (done.returncode, done.stdout.count("\nas expected")) == (0, 4)


@pytest.mark.parametrize("broker", ["mosquitto", "iotcore"])
def test_demo_tells_its_broker(broker: str) -> None:
    """Demo tells its broker."""
    done = demo("--speed", "6", "--scenario", "goes_right", "--broker", broker)
    assert (done.returncode, done.stdout.startswith(f"broker: {broker}")) == (0, True)


def test_demo_of_an_unknown_scenario_is_refused() -> None:
    """Demo of an unknown scenario is refused."""
    done = demo("--speed", "6", "--scenario", "no_such_scenario")
    assert (done.returncode, "no_such_scenario" in done.stderr) == (2, True)


@pytest.mark.long
def test_hold_reaches_the_umpire_after_the_broker_was_lost() -> None:
    """Receivers go blind by themselves, and feel what still holds once the broker is back."""
    done = demo("--scenario", "broker_lost")
    assert (done.returncode, done.stdout.count("\nas expected")) == (0, 1)


@pytest.mark.long
def test_ready_is_felt_again_after_the_gateway_was_lost() -> None:
    """READY comes when the BLIND before it has been felt, and every cue is played."""
    done = demo("--scenario", "gateway_lost")
    assert (done.returncode, done.stdout.count("\nas expected")) == (0, 1)
