"""The command line finds a command's module and turns a bad file into one line."""

import argparse
import importlib
import subprocess
import sys
import types
from collections.abc import Callable

import pytest

from throwin import __version__
from throwin.app import cli
from throwin.contract.fieldfile import FieldFileError

Run = Callable[[argparse.Namespace], int]
MODULE = "throwin_test_command"


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[[Run], None]:
    """Give what puts commands `walk` and `walk fast` of one number in place of the real ones."""

    def put(run: Run) -> None:
        module = types.ModuleType(MODULE)
        module.__dict__["add_arguments"] = lambda parser: parser.add_argument("steps", type=int)
        module.__dict__["run"] = run
        monkeypatch.setitem(sys.modules, MODULE, module)
        rows = (
            cli.Command(name="walk", help="Walk.", module=MODULE),
            cli.Command(name="walk-fast now", help="Run.", module=MODULE),
        )
        monkeypatch.setattr(cli, "COMMANDS", rows)

    return put


def test_command_with_arguments_gives_its_exit_code(command: Callable[[Run], None]) -> None:
    """A command gets its own arguments, and its result is the exit code."""
    command(lambda args: int(args.steps) + 1)
    assert cli.main(["walk", "3"]) == 4


def test_command_of_two_words_takes_both(command: Callable[[Run], None]) -> None:
    """What follows the second word is the command's."""
    command(lambda args: int(args.steps))
    assert cli.main(["walk-fast", "now", "5"]) == 5


def test_field_file_that_is_wrong_becomes_one_line(
    command: Callable[[Run], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """A technician reads the key's path and what was expected, not a traceback."""

    def refuse(args: argparse.Namespace) -> int:
        raise FieldFileError("ports[1].baud", "a whole number", "'fast'")

    command(refuse)
    assert cli.main(["walk", "1"]) == 2
    assert capsys.readouterr().err == (
        "throwin: ports[1].baud: expected a whole number, got 'fast'\n"
    )


def test_file_that_is_not_there_becomes_one_line(
    command: Callable[[Run], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """A path that leads nowhere is named."""

    def open_nothing(args: argparse.Namespace) -> int:
        with open("nowhere/field.toml"):  # noqa: PTH123 - what a command may do
            return 0

    command(open_nothing)
    assert cli.main(["walk", "1"]) == 2
    assert capsys.readouterr().err == "throwin: nowhere/field.toml: No such file or directory\n"


def test_fault_of_our_own_stays_a_traceback(command: Callable[[Run], None]) -> None:
    """What is neither a file nor a key is a bug, and is not made to look like bad input."""

    def stumble(args: argparse.Namespace) -> int:
        raise ValueError("no such step")

    command(stumble)
    with pytest.raises(ValueError, match="no such step"):
        cli.main(["walk", "1"])


def test_interrupt_gives_the_shells_own_code(command: Callable[[Run], None]) -> None:
    """Control-C ends a command in silence, as the shell knows it."""

    def interrupt(args: argparse.Namespace) -> int:
        raise KeyboardInterrupt

    command(interrupt)
    assert cli.main(["walk", "1"]) == 130


@pytest.mark.parametrize(
    ("arguments", "got"), [([], "got none"), (["wlak"], "got 'wlak'"), (["--fast"], "--fast")]
)
def test_command_that_is_unknown_is_refused_by_name(
    arguments: list[str], got: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was typed is in the refusal."""
    with pytest.raises(SystemExit, match="2"):
        cli.main(arguments)
    assert got in capsys.readouterr().err


def test_command_of_two_words_without_the_second_is_told_what_there_is(
    command: Callable[[Run], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Half a command is answered by the whole ones."""
    command(lambda _: 0)
    with pytest.raises(SystemExit, match="2"):
        cli.main(["walk-fast", "soon"])
    assert "expected one of walk-fast now; got 'walk-fast soon'" in capsys.readouterr().err


def test_help_of_all_lists_each_command(
    command: Callable[[Run], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command is in the list, with what it does."""
    command(lambda _: 0)
    with pytest.raises(SystemExit, match="0"):
        cli.main(["--help"])
    assert "walk           Walk.\n  walk-fast now  Run.\n" in capsys.readouterr().out


def test_commands_of_the_product_offer_what_the_command_line_calls() -> None:
    """Each command's module takes arguments and runs."""
    modules = [importlib.import_module(row.module) for row in cli.COMMANDS]
    lacking = [m.__name__ for m in modules if not {"add_arguments", "run"} <= set(dir(m))]
    assert lacking == []


def test_version_as_a_program_needs_no_outside_library() -> None:
    """`throwin --version` loads nothing heavy, whatever the commands import."""
    code = (
        "import sys; sys.argv = ['throwin', '--version']\n"
        "from throwin.app.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted({'msgspec', 'numpy', 'paho', 'pyproj', 'serial'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"throwin {__version__}\n[]\n"


def test_reader_that_has_seen_enough_is_no_fault() -> None:
    """What goes to `head` ends without a traceback."""
    program = (
        "import sys, types\n"
        "from throwin.app import cli\n"
        "module = types.ModuleType('walk')\n"
        "module.add_arguments = lambda parser: None\n"
        "module.run = lambda args: [print('step') for _ in range(100_000)] and 0\n"
        "sys.modules['walk'] = module\n"
        "cli.COMMANDS = (cli.Command(name='walk', help='Walk.', module='walk'),)\n"
        "sys.exit(cli.main(['walk']))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
        code = process.wait(60)
    assert (code, said) == (cli.BROKEN_PIPE_EXIT, b"")
