"""The developer's one command: makes .venv from the pinned versions, runs what is asked in it.

Standard library alone, for it runs before anything is installed; the shell script beside it
finds the Python. It changes nothing outside the repository.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "deploy" / "requirements-dev.txt"
PROJECT = ROOT / "pyproject.toml"
DIST = ROOT / "dist"
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input")
NETWORK = "This step needs a network and the Python package index; see what it said above."
HELP = """\
usage: ./deploy/dev COMMAND [ARGUMENTS]

  demo [...]        a simulated throw-in through the real service; arguments: throwin demo --help
  test [...]        the tests; arguments are pytest's; with --wheel first: against the built wheel
  check             format, lint, types, import contracts, generated files: all that CI checks
  bench WHAT [...]  a benchmark: latency or throughput; arguments: throwin bench WHAT --help
  proof [...]       the tests that take long; arguments are pytest's
  lock              pin anew what development and CI use (deploy/requirements-dev.txt)
  help              this

The first command of a fresh clone makes .venv from the pinned versions: that fetches packages
and takes a while. It is made anew when the pins change.
"""
CHECKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("format", ("-m", "ruff", "format", "--check", ".")),
    ("lint", ("-m", "ruff", "check", ".")),
    ("types", ("-m", "mypy")),
    ("contracts", ("-c", "from importlinter.cli import lint_imports_command as run; run()")),
    ("generated", ("firmware_protocol/generate.py", "--check")),
)


class SetupError(Exception):
    """A step of the set-up failed; the text says which, and the tool's own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """A virtual environment in the repository; its stamp says what it was made from."""

    path: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.path / "bin" / "python"

    @property
    def stamp(self) -> Path:
        """Written last, so that an interrupted set-up counts as none."""
        return self.path / "throwin-stamp"


DEVELOPMENT = Environment(path=ROOT / ".venv")
WHEEL = Environment(path=ROOT / ".venv-wheel")


def fingerprint(environment: Environment, pins: str, project: str) -> str:
    """Give what an environment must be made from: its place (scripts hold it), pins, packaging.

    pins and project are the texts of the two files; lint and test settings don't count.
    """
    tables = tomllib.loads(project)
    packaging = [tables["build-system"], tables["project"], tables["tool"]["hatch"]]
    return hashlib.sha256(repr([str(environment.path), pins, packaging]).encode()).hexdigest()


def wanted_of(environment: Environment) -> str:
    """Give the fingerprint by the files as they are now."""
    return fingerprint(
        environment, PINS.read_text(encoding="utf-8"), PROJECT.read_text(encoding="utf-8")
    )


def is_current(environment: Environment, wanted: str) -> bool:
    """Say whether an environment is whole and made from what is wanted."""
    if not environment.python.exists() or not environment.stamp.exists():
        return False
    return environment.stamp.read_text(encoding="utf-8") == wanted


def child_environment(environment: Environment) -> dict[str, str]:
    """Give the variables for a child: the environment's programs first, no foreign modules."""
    variables = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONHOME"}}
    variables["VIRTUAL_ENV"] = str(environment.path)
    variables["PATH"] = f"{environment.path / 'bin'}{os.pathsep}{variables.get('PATH', os.defpath)}"
    return variables


def step(what: str, command: Sequence[str | Path], *, hint: str = "") -> None:
    """Run one step of a set-up in silence; raises SetupError with the tool's last words."""
    print(f"dev: {what}", file=sys.stderr, flush=True)
    variables = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONHOME"}}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        words = "\n".join(f"    {line[:160]}" for line in done.stdout.strip().splitlines()[-12:])
        advice = f"\ndev: {hint}" if hint else ""
        raise SetupError(f"this step failed: {what}\n{words}{advice}")


def make_environment(environment: Environment, install: Sequence[str | Path]) -> None:
    """Make an environment anew: the interpreter, then what `pip install` is given."""
    if environment.path.exists():
        if not (environment.path / "pyvenv.cfg").exists() and any(environment.path.iterdir()):
            raise SetupError(
                f"{environment.path.name}: expected a virtual environment or nothing, "
                "found something else; move it away"
            )
        shutil.rmtree(environment.path)
    name = environment.path.name
    step(
        f"making {name} with Python {sys.version_info.major}.{sys.version_info.minor}",
        [sys.executable, "-m", "venv", environment.path],
        hint="Is your system's python3-venv package installed?",
    )
    step(
        f"fetching the pinned packages into {name} (the first time this takes a while)",
        [environment.python, *PIP, "install", *install],
        hint=NETWORK,
    )


def ensure_development() -> Environment:
    """Give .venv, made if it isn't there, made anew if the pins or the packaging changed."""
    wanted = wanted_of(DEVELOPMENT)
    with locked():
        if not is_current(DEVELOPMENT, wanted):
            make_environment(DEVELOPMENT, ["-r", PINS])
            how = ("--no-deps", "--no-build-isolation", "--editable")
            step(
                "installing throwin into .venv",
                [DEVELOPMENT.python, *PIP, "install", *how, ROOT],
            )
            DEVELOPMENT.stamp.write_text(wanted, encoding="utf-8")
    return DEVELOPMENT


def ensure_wheel(development: Environment) -> Environment:
    """Give .venv-wheel with the wheel that the source of now makes, and the pinned rest."""
    wanted = wanted_of(WHEEL)
    with locked():
        shutil.rmtree(DIST, ignore_errors=True)
        how = ("--no-deps", "--no-build-isolation", "--wheel-dir")
        step("building the wheel", [development.python, *PIP, "wheel", *how, DIST, ROOT])
        (wheel,) = DIST.glob("throwin-*.whl")
        if not is_current(WHEEL, wanted):
            make_environment(WHEEL, ["--constraint", PINS, f"throwin[dev] @ {wheel.as_uri()}"])
            WHEEL.stamp.write_text(wanted, encoding="utf-8")
        else:
            step(
                "installing the wheel into .venv-wheel",
                [WHEEL.python, *PIP, "install", "--no-deps", "--force-reinstall", wheel],
            )
    return WHEEL


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """Hold the repository, so that two commands at once don't make one environment twice."""
    handle = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def become(environment: Environment, arguments: Sequence[str], **variables: str) -> int:
    """Become the environment's Python with these arguments: signals and exit code are its own."""
    command = [str(environment.python), *arguments]
    sys.stdout.flush()
    os.execve(command[0], command, child_environment(environment) | variables)


def check(environment: Environment) -> int:
    """Run every check, say of each how it went, show what those that failed said."""
    failed = []
    for name, arguments in CHECKS:
        done = subprocess.run(
            [str(environment.python), *arguments],
            cwd=ROOT,
            env=child_environment(environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        print(f"{name:<10} {'FAILED' if done.returncode else 'ok'}", flush=True)
        if done.returncode:
            failed.append(name)
            print(done.stdout, flush=True)
    if failed:
        print(f"check: failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def pin(frozen: str, extras: dict[str, list[str]]) -> str:
    """Give the text of the pins: `pip freeze` output with the markers that the extras carry."""
    markers: dict[str, str] = {}
    for requirement in (row for rows in extras.values() for row in rows if ";" in row):
        name, text = requirement.split(";", 1)
        markers[name.split(">")[0].strip().lower()] = f"; {text.strip()}"
    lines = ["# Written by `./deploy/dev lock`: every package that development and CI use."]
    for line in sorted(frozen.splitlines(), key=str.lower):
        lines.append(line + markers.get(line.split("==")[0].lower(), ""))
    return "\n".join(lines) + "\n"


def lock() -> int:
    """Resolve the project with its extras in an environment of its own and write the pins."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        scratch = Environment(path=Path(folder) / "venv")
        make_environment(scratch, [f"throwin[dev] @ {ROOT.as_uri()}"])
        frozen = subprocess.run(
            [str(scratch.python), *PIP, "freeze", "--exclude", "throwin"],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
    PINS.write_text(pin(frozen, project["project"]["optional-dependencies"]), encoding="utf-8")
    print(f"dev: wrote {PINS.relative_to(ROOT)}")
    return 0


def main(arguments: Sequence[str]) -> int:
    """Do what the arguments ask; gives the exit code (most commands become the tool itself)."""
    os.chdir(ROOT)
    match list(arguments):
        case [] | ["help" | "-h" | "--help", *_]:
            print(HELP, end="")
            return 0
        case ["demo" | "bench" as command, *rest]:
            return become(ensure_development(), ["-m", "throwin", command, *rest])
        case ["test", "--wheel", *rest]:
            wheel = ensure_wheel(ensure_development())
            return become(wheel, ["-m", "pytest", *rest], THROWIN_TEST_WHEEL="1")
        case ["test", *rest]:
            return become(ensure_development(), ["-m", "pytest", *rest])
        case ["proof", *rest]:
            return become(ensure_development(), ["-m", "pytest", "-m", "long", *rest])
        case ["check"]:
            return check(ensure_development())
        case ["lock"]:
            return lock()
        case _:
            print(
                f"dev: expected a command of the list below, got: {arguments[0]}\n\n{HELP}", end=""
            )
            return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except SetupError as error:
        print(f"dev: {error}", file=sys.stderr)
        sys.exit(1)
    except OSError as error:
        print(f"dev: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
