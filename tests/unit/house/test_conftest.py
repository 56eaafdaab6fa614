"""Under --strict-skips, which CI gives, only the skips on the list are accepted."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import throwin

ROOT = Path(__file__).resolve().parents[3]
SKIP = 'import pytest\n\ndef test_one():\n    pytest.skip("{reason}")\n'
WHOLE_MODULE = 'import pytest\n\npytest.skip("no broker", allow_module_level=True)\n'
EXPECTED_FAILURE = "import pytest\n\n@pytest.mark.xfail\ndef test_one():\n    assert 1 == 2\n"


def closing_line(folder: Path, source: str, *options: str) -> str:
    """Run a test file beside a copy of our conftest.py; give the line that pytest ends with."""
    shutil.copy(ROOT / "tests" / "conftest.py", folder)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_it.py").write_text(source)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(Path(throwin.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.splitlines()[-1].partition(" in ")[0]


def test_skip_with_another_reason_fails(tmp_path: Path) -> None:
    """A broker that was not installed can't pass for a green run."""
    source = SKIP.format(reason="no broker")
    assert closing_line(tmp_path, source, "--strict-skips") == "1 failed"


def test_skip_on_the_list_is_accepted(tmp_path: Path) -> None:
    """The recordings are not part of the repository."""
    source = SKIP.format(reason="THROWIN_RECORDINGS is not set: give it")
    assert closing_line(tmp_path, source, "--strict-skips") == "1 skipped"


def test_skip_without_the_option_is_accepted(tmp_path: Path) -> None:
    """A developer without a broker can run the rest."""
    assert closing_line(tmp_path, SKIP.format(reason="no broker")) == "1 skipped"


def test_skip_of_a_whole_module_fails(tmp_path: Path) -> None:
    """A module that skips itself counts as one that fails."""
    assert closing_line(tmp_path, WHOLE_MODULE, "--strict-skips") == "1 error"


def test_expected_failure_is_no_skip(tmp_path: Path) -> None:
    """An expected failure is reported as skipped; it is not."""
    assert closing_line(tmp_path, EXPECTED_FAILURE, "--strict-skips") == "1 xfailed"


def test_wheel_asked_for_and_not_found_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test of the wheel that would import the source tree does not start."""
    package = tmp_path / "throwin"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("THROWIN_TEST_WHEEL", "1")
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir", str(tmp_path), "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "expected throwin from the installed wheel" in done.stderr
