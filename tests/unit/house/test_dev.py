"""The developer's command: what it makes anew, what it pins, what it says when it can't."""

import importlib.util
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROJECT = '[build-system]\n[project]\nname = "a"\n[tool.hatch]\n[tool.ruff]\nline-length = 100\n'


@pytest.fixture(scope="module")
def dev() -> ModuleType:
    """Give deploy/dev.py as a module."""
    spec = importlib.util.spec_from_file_location("throwin_dev", ROOT / "deploy" / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["throwin_dev"] = module
    spec.loader.exec_module(module)
    return module


def start(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ./deploy/dev with the programs of a folder alone."""
    return subprocess.run(
        ["/bin/sh", str(ROOT / "deploy" / "dev"), *arguments],
        env={"PATH": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def put_python(folder: Path, name: str, *, answers: dict[str, int]) -> None:
    """Put a program in a folder that answers `-c CODE` by the word that is in the code."""
    cases = "\n".join(f"*{word}*) exit {code};;" for word, code in answers.items())
    path = folder / name
    path.write_text(f'#!/bin/sh\ncase "$2" in\n{cases}\nesac\necho "{name} ran $*"\n')
    path.chmod(0o755)


def test_machine_without_python_is_told_what_is_expected(tmp_path: Path) -> None:
    """No Python at all: the version that is needed is named."""
    done = start(tmp_path, "help")
    assert done.returncode == 1
    assert "expected Python 3.11 or later, found none." in done.stderr


def test_machine_with_an_old_python_is_told_which_was_found(tmp_path: Path) -> None:
    """A Python that is too old is named."""
    put_python(tmp_path, "python3", answers={"version_info": 1})
    done = start(tmp_path, "help")
    assert done.returncode == 1
    assert "expected Python 3.11 or later, found python3 (too old)." in done.stderr


def test_machine_without_venv_is_told_the_package(tmp_path: Path) -> None:
    """A Python that can't make an environment: the system's package is named."""
    put_python(tmp_path, "python3", answers={"version_info": 0, "ensurepip": 1})
    done = start(tmp_path, "help")
    assert done.returncode == 1
    assert "sudo apt install python3-venv" in done.stderr


def test_machine_with_several_pythons_starts_one_that_can(tmp_path: Path) -> None:
    """A newer Python without venv does not stand in the way of an older one with it."""
    put_python(tmp_path, "python3.13", answers={"version_info": 0, "ensurepip": 1})
    put_python(tmp_path, "python3.11", answers={"version_info": 0, "ensurepip": 0})
    done = start(tmp_path, "test", "-q")
    assert done.stdout == f"python3.11 ran {ROOT / 'deploy' / 'dev.py'} test -q\n"


def test_help_from_another_folder_lists_the_commands(tmp_path: Path) -> None:
    """The command works from any folder."""
    done = subprocess.run(
        [str(ROOT / "deploy" / "dev"), "help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("usage: ./deploy/dev COMMAND")


def test_command_that_is_unknown_is_refused_with_the_list(
    dev: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was typed is named, and what there is."""
    assert dev.main(["tset"]) == 2
    assert capsys.readouterr().out.startswith(
        "dev: expected a command of the list below, got: tset\n\nusage: ./deploy/dev COMMAND"
    )


@pytest.mark.parametrize(
    ("pins", "project", "is_same"),
    [
        ("a==1\n", PROJECT, True),
        ("a==2\n", PROJECT, False),
        ("a==1\n", PROJECT.replace('"a"', '"b"'), False),
        ("a==1\n", PROJECT.replace("100", "90"), True),
    ],
    ids=["nothing", "pins", "packaging", "lint settings"],
)
def test_environment_after_a_change_is_made_anew_when_it_matters(
    dev: ModuleType, pins: str, project: str, *, is_same: bool
) -> None:
    """Pins and packaging count, settings of the tools don't."""
    before = dev.fingerprint(dev.DEVELOPMENT, "a==1\n", PROJECT)
    assert (dev.fingerprint(dev.DEVELOPMENT, pins, project) == before) is is_same


def test_environment_whose_set_up_was_interrupted_counts_as_none(
    dev: ModuleType, tmp_path: Path
) -> None:
    """The stamp comes last; an interpreter without it is half an environment."""
    environment = dev.Environment(path=tmp_path)
    environment.python.parent.mkdir()
    environment.python.touch()
    assert dev.is_current(environment, "wanted") is False


def test_environment_with_its_stamp_is_used_again(dev: ModuleType, tmp_path: Path) -> None:
    """What was made from what is wanted stays."""
    environment = dev.Environment(path=tmp_path)
    environment.python.parent.mkdir()
    environment.python.touch()
    environment.stamp.write_text("wanted")
    assert dev.is_current(environment, "wanted") is True


def test_folder_that_is_no_environment_is_left_alone(dev: ModuleType, tmp_path: Path) -> None:
    """Someone's files under the name of an environment are not removed."""
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(dev.SetupError, match="expected a virtual environment or nothing"):
        dev.make_environment(dev.Environment(path=tmp_path), [])
    assert (tmp_path / "thesis.txt").exists()


def test_step_that_fails_is_named_with_the_tools_words(dev: ModuleType) -> None:
    """What failed, what the tool said, what to do: in this order."""
    with pytest.raises(dev.SetupError) as caught:
        dev.step("fetching", [sys.executable, "-c", "print('no route'); exit(1)"], hint="Plug in.")
    assert str(caught.value) == "this step failed: fetching\n    no route\ndev: Plug in."


def test_child_of_the_command_sees_no_foreign_modules(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PYTHONPATH would put another throwin before the environment's."""
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    assert "PYTHONPATH" not in dev.child_environment(dev.DEVELOPMENT)


def test_child_of_the_command_finds_the_environments_programs_first(dev: ModuleType) -> None:
    """`throwin` in a test is the one under test."""
    path = dev.child_environment(dev.DEVELOPMENT)["PATH"]
    assert path.split(os.pathsep)[0] == str(ROOT / ".venv" / "bin")


def test_pins_of_a_package_with_a_marker_carry_it(dev: ModuleType) -> None:
    """A package that some platforms lack is not asked for there."""
    text = dev.pin("b==2\nA==1\n", {"x": ["b>=1; sys_platform == 'linux'", "A"]})
    assert text.splitlines()[1:] == ["A==1", "b==2; sys_platform == 'linux'"]


def test_pins_as_they_are_hold_one_exact_version_each() -> None:
    """No range and no address: a name and a version, perhaps a marker."""
    lines = (ROOT / "deploy" / "requirements-dev.txt").read_text().splitlines()[1:]
    loose = [line for line in lines if line.split(";")[0].count("==") != 1 or "@" in line]
    assert loose == []


def test_pins_as_they_are_cover_what_the_project_asks_for() -> None:
    """A dependency that was added is pinned too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        asked += extra
    names = {row.split(">")[0].split(";")[0].strip() for row in asked} - {"throwin[demo]"}
    pins = (ROOT / "deploy" / "requirements-dev.txt").read_text().splitlines()[1:]
    assert names - {line.split("==")[0] for line in pins} == set()
