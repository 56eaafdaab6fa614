"""The wheel carries both packages, their types and data, the program, and nothing else."""

import importlib.metadata
import importlib.resources
import os
import subprocess
import sys
from pathlib import Path

import pytest

import throwin

IN_WHEEL = pytest.mark.skipif(
    not os.environ.get("THROWIN_TEST_WHEEL"), reason="needs the wheel: ./deploy/dev test --wheel"
)


@pytest.mark.parametrize("package", ["throwin", "tagwire"])
def test_package_for_users_with_types_says_so(package: str) -> None:
    """py.typed tells a type checker that our annotations count."""
    assert importlib.resources.files(package).joinpath("py.typed").is_file()


@IN_WHEEL
def test_wheel_when_installed_holds_the_two_packages_alone() -> None:
    """No test, no deploy file and no generator lands among someone's packages."""
    files = importlib.metadata.files("throwin") or []
    tops = {path.parts[0] for path in files}
    assert tops == {"throwin", "tagwire", "..", f"throwin-{throwin.__version__}.dist-info"}


@IN_WHEEL
def test_wheel_when_installed_has_the_program() -> None:
    """`throwin` is on the path of the environment."""
    program = Path(sys.executable).with_name("throwin")
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"throwin {throwin.__version__}\n"


@IN_WHEEL
def test_wheel_without_extras_asks_for_what_the_service_needs() -> None:
    """A field's daemon installs no test tool and no demo broker."""
    asked = importlib.metadata.requires("throwin") or []
    names = {row.split(">")[0] for row in asked if "extra ==" not in row}
    assert names == {"mcap", "msgspec", "numpy", "paho-mqtt", "pyproj", "pyserial"}
