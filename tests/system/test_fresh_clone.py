"""What a new user does first: clone, one command, with nothing but git, Python and a network."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str, folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as one who has set nothing up."""
    return subprocess.run(
        command,
        cwd=folder,
        env={"PATH": os.defpath + ":/usr/local/bin", "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.long
@pytest.mark.timeout(900)
def test_clone_without_anything_set_up_runs_the_tests_of_the_house(tmp_path: Path) -> None:
    """The first command makes the environment from the pins, in whatever folder, and works."""
    home = tmp_path / "home"
    home.mkdir()
    clone = tmp_path / "clone of throwin"
    run("git", "clone", "--quiet", str(ROOT), str(clone), folder=tmp_path, home=home)
    done = run(str(clone / "deploy/dev"), "test", "-q", "tests/unit", folder=home, home=home)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed in " in done.stdout.splitlines()[-1]
