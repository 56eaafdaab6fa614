"""The command line: finds the module of a command and hands it the arguments.

A command's module offers add_arguments(parser) and run(args) -> exit code. It is imported only
when it is asked for, so that `throwin --version` and the service's start stay light.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from throwin import __version__

USAGE_EXIT = 2
INTERRUPTED_EXIT = 130
BROKEN_PIPE_EXIT = 141  # as a shell tells it of other programs


class _CommandModule(Protocol):
    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command: its words (`bench latency` has two), what it does, the module that does it."""

    name: str
    help: str
    module: str


COMMANDS: tuple[Command, ...] = (
    Command(
        name="run",
        help="The daemon: judges the throw-in of one field.",
        module="throwin.app.service",
    ),
    Command(
        name="bench latency",
        help="From the byte at a port to the cue at a subscriber.",
        module="throwin.app.bench_latency",
    ),
    Command(
        name="bench throughput",
        help="Fixes a second on one core, from bytes to verdict.",
        module="throwin.app.bench_throughput",
    ),
    Command(
        name="demo",
        help="Throw-ins through the real service, with simulated tags.",
        module="throwin.app.demo",
    ),
    Command(
        name="buzzer",
        help="A receiver: plays an umpire's cues.",
        module="throwin.app.buzzer",
    ),
    Command(
        name="replay",
        help="A journal through the engine again.",
        module="throwin.app.replay",
    ),
    Command(
        name="sim",
        help="Play a scenario: the bytes of its tags, on ports of its own.",
        module="throwin.sim.command",
    ),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the arguments name (default: the process's own); gives the exit code.

    A file that can't be used is one line on stderr and exit code 2.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    command = _find(words)
    if command is None:
        return _explain(words)
    module = cast("_CommandModule", importlib.import_module(command.module))
    parser = argparse.ArgumentParser(prog=f"throwin {command.name}", description=command.help)
    module.add_arguments(parser)
    return _run(module, parser.parse_args(words[len(command.name.split()) :]))


def _find(words: list[str]) -> Command | None:
    for command in COMMANDS:
        name = command.name.split()
        if words[: len(name)] == name:
            return command
    return None


def _explain(words: list[str]) -> int:
    width = max((len(command.name) for command in COMMANDS), default=0)
    listing = "\n".join(f"  {command.name:<{width}}  {command.help}" for command in COMMANDS)
    parser = argparse.ArgumentParser(
        prog="throwin",
        usage="throwin [-h] [--version] COMMAND ...",
        description="Officiating aid for the polo throw-in (USPA Rule 20).",
        epilog=f"commands:\n{listing}\n\n`throwin COMMAND --help` tells more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"throwin {__version__}")
    parser.add_argument("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    asked = parser.parse_args(words).command
    if not asked:
        parser.error("expected a command, got none; `throwin --help` lists them")
    family = [row.name for row in COMMANDS if row.name.split()[0] == asked[0]]
    if family:
        parser.error(f"expected one of {', '.join(family)}; got {' '.join(asked)!r}")
    parser.error(f"expected a command, got {asked[0]!r}; `throwin --help` lists them")


def _run(module: _CommandModule, args: argparse.Namespace) -> int:
    from throwin.contract.fieldfile import FieldFileError  # noqa: PLC0415 - see the header
    from throwin.contract.scenariofile import ScenarioFileError  # noqa: PLC0415 - see the header

    try:
        return module.run(args)
    except (FieldFileError, ScenarioFileError) as error:
        print(f"throwin: {error}", file=sys.stderr)
        return USAGE_EXIT
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        if error.filename is None:
            print(f"throwin: {error}", file=sys.stderr)
        else:
            print(f"throwin: {error.filename}: {error.strerror}", file=sys.stderr)
        return USAGE_EXIT
    except BrokenPipeError:  # whoever read the output has seen enough; nor can the rest be flushed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE_EXIT
    except KeyboardInterrupt:
        return INTERRUPTED_EXIT
