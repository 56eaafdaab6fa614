"""The systemd unit: systemd knows every word of it, and it fits the program it starts."""

import shutil
import subprocess
from pathlib import Path

import pytest

from throwin.app import cli

UNIT = Path(__file__).resolve().parents[3] / "systemd" / "throwin.service"
PROGRAM = "/opt/throwin/bin/throwin"


def values(key: str) -> list[str]:
    """Give all values that the unit has for a key, in order."""
    lines = UNIT.read_text(encoding="utf-8").splitlines()
    return [line.partition("=")[2] for line in lines if line.partition("=")[0] == key]


def complaints(folder: Path, unit: str) -> str:
    """Give what systemd says about a unit; it exits 0 even for keys that it ignores."""
    tool = shutil.which("systemd-analyze")
    if tool is None:
        pytest.skip("systemd-analyze is not installed")
    path = folder / UNIT.name
    path.write_text(unit.replace(PROGRAM, "/bin/sh"), encoding="utf-8")
    done = subprocess.run(
        [tool, "verify", "--man=no", str(path)], capture_output=True, text=True, check=False
    )
    return done.stderr.strip()


def test_unit_as_shipped_has_only_what_systemd_knows(tmp_path: Path) -> None:
    """A mistyped directive would be ignored in silence, and with it what it protects."""
    assert complaints(tmp_path, UNIT.read_text(encoding="utf-8")) == ""


def test_unit_with_a_mistyped_word_is_noticed(tmp_path: Path) -> None:
    """The check above can fail."""
    unit = UNIT.read_text(encoding="utf-8").replace("WatchdogSec", "WatchdogSecs")
    assert "WatchdogSecs" in complaints(tmp_path, unit)


def test_unit_does_not_restart_what_a_restart_can_not_mend() -> None:
    """The exit code for a field file that can't be used is the one that ends the restarts."""
    assert values("RestartPreventExitStatus") == [str(cli.USAGE_EXIT)]


def test_unit_starts_the_program_that_it_verifies() -> None:
    """The command is the one that the check above replaces by one that exists."""
    assert values("ExecStart") == [f"{PROGRAM} run -c /etc/throwin/field.toml"]


def test_unit_may_open_each_kind_of_serial_port() -> None:
    """USB adapters, USB devices, the Raspberry Pi's own UARTs, a PC's."""
    assert values("DeviceAllow") == [f"char-tty{kind} rw" for kind in ("USB", "ACM", "AMA", "S")]
