"""`throwin sim` lists scenarios, writes field files, and says what is wrong with what it gets."""

import argparse
import os
import pathlib
import threading
import time
import tomllib
import tty

import pytest

from throwin.contract.scenariofile import ScenarioFileError
from throwin.sim.command import add_arguments, run
from throwin.sim.library import scenario_names

TINY = """
title = "tiny"
duration_s = 0.4
[[expect]]
phase = "armed"
between_s = [0.1, 0.3]
"""


def command(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return run(parser.parse_args(words))


def test_list_names_every_scenario(capsys: pytest.CaptureFixture[str]) -> None:
    """One line a scenario: its name and its title."""
    command("--list")
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == scenario_names()


def test_no_scenario_is_used_wrongly(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a scenario the command says how to find one."""
    status = command()
    assert (status, "see --list" in capsys.readouterr().err) == (2, True)


def test_written_field_file_has_the_scenarios_tags(tmp_path: pathlib.Path) -> None:
    """The file can be read as a technician's."""
    path = tmp_path / "field.toml"
    command("goes_right", "--write-field", str(path))
    assert len(tomllib.loads(path.read_text("utf-8"))["tags"]) == 9


def test_file_that_is_no_scenario_is_refused(tmp_path: pathlib.Path) -> None:
    """A file that is no scenario is refused with the path of its fault."""
    path = tmp_path / "bad.toml"
    path.write_text('title = "x"\nduration_s = -1.0\n')
    with pytest.raises(ScenarioFileError, match=r"^duration_s: "):
        command(str(path), "--seed", "3")


def test_speed_out_of_range_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A speed of nothing would never end."""
    with pytest.raises(SystemExit):
        command("goes_right", "--speed", "0")
    assert "expected 0.01 to 100" in capsys.readouterr().err


def test_live_run_starts_once_its_ports_are_open(tmp_path: pathlib.Path) -> None:
    """The simulator waits for the service, plays the scenario, and ends."""
    scenario = tmp_path / "tiny.toml"
    scenario.write_text(TINY)
    folder = tmp_path / "ports"
    status: list[int] = []
    player = threading.Thread(
        target=lambda: status.append(command(str(scenario), "--ports", str(folder)))
    )
    player.start()
    end_s = time.monotonic() + 20.0
    while not (folder / "field.toml").exists() and time.monotonic() < end_s:
        player.join(0.02)
    port = tomllib.loads((folder / "field.toml").read_text("utf-8"))["ports"][0]
    fd = os.open(port["device"], os.O_RDWR | os.O_NOCTTY)
    tty.setraw(fd)
    player.join(20.0)
    os.close(fd)
    assert status == [0]


@pytest.mark.parametrize(("speed", "end"), [("1", "field.toml"), ("4", "--clock-speed 4")])
def test_service_is_told_to_run_as_fast_as_the_tags(
    speed: str,
    end: str,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The hint is the whole command."""
    monkeypatch.setattr("throwin.sim.command.OPEN_WAIT_S", 0.0)
    command("goes_right", "--speed", speed, "--ports", str(tmp_path))
    assert capsys.readouterr().out.splitlines()[0].endswith(end)


def test_run_that_no_service_takes_leaves_nothing(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its folder goes with it, and the exit status says that nothing was played."""
    monkeypatch.setattr("throwin.sim.command.OPEN_WAIT_S", 0.0)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert (command("goes_right"), list(tmp_path.iterdir())) == (1, [])
