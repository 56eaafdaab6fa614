"""`throwin replay`: a journal through the engine again: what it finds, and if that is the same."""

import argparse
import json
import pathlib
import sys
import traceback
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from throwin import __version__
from throwin.contract.fieldfile import FieldFileError, parse_fieldfile
from throwin.contract.payload import Alert, Cue, MatchEvent, Message, encode
from throwin.engine import Engine
from throwin.event import Event
from throwin.field.frame import SurveyError
from throwin.io.journal import Entry, JournalError, JournalReader

NS = 1_000_000_000
DIFFERENT_EXIT = 1
UNUSABLE_EXIT = 2
SHOWN = 300  # characters of a message that differs
_ABSENT = object()


class Steps(Protocol):
    """What is needed of the engine."""

    def step(self, event: Event, /) -> list[Message]:
        """Take one event, give what it brings about."""
        ...


class ReplayError(Exception):
    """The engine can't take an event of the record; its own exception is the cause."""

    def __init__(self, step: int, event: Event) -> None:
        super().__init__(f"the engine fails at event {step} ({_name(event)})")


class Replayed(NamedTuple):
    """One step: its number from 1, what was recorded, what the engine says now."""

    number: int
    entry: Entry
    outputs: list[Message]


class Difference(NamedTuple):
    """The first place where a replay says something else than the record; key: where in it."""

    step: int
    event: Event
    key: str
    recorded: bytes | None
    replayed: bytes | None


class Read:
    """How much of a journal has gone by."""

    def __init__(self) -> None:
        self.events = 0
        self.messages = 0
        self.start_ns: int | None = None
        self.end_ns = 0

    def note(self, replayed: Replayed) -> float:
        """Note a step; gives its time since the first one, s."""
        self.end_ns = replayed.entry.event.t_host_ns
        if self.start_ns is None:
            self.start_ns = self.end_ns
        self.events += 1
        self.messages += len(replayed.entry.outputs)
        return (self.end_ns - self.start_ns) / NS

    def __str__(self) -> str:
        """Say it in words."""
        duration_s = (self.end_ns - (self.start_ns or 0)) / NS if self.events else 0.0
        return f"{self.events} events, {self.messages} messages over {duration_s:.1f} s"


def replay(entries: Iterable[Entry], engine: Steps) -> Iterator[Replayed]:
    """Feed a journal's events to a fresh engine, step by step; raises ReplayError."""
    for number, entry in enumerate(entries, start=1):
        try:
            outputs = engine.step(entry.event)
        except Exception as fault:
            raise ReplayError(number, entry.event) from fault
        yield Replayed(number, entry, outputs)


def difference_of(replayed: Replayed) -> Difference | None:
    """Give where a step's messages first differ, byte by byte, from the recorded ones."""
    recorded, now = replayed.entry.outputs, [encode(message) for message in replayed.outputs]
    for place in range(max(len(now), len(recorded))):
        was = recorded[place] if place < len(recorded) else None
        is_now = now[place] if place < len(now) else None
        if was != is_now:
            key = "" if was is None or is_now is None else _first_key(was, is_now)
            return Difference(replayed.number, replayed.entry.event, key, was, is_now)
    return None


def first_difference(entries: Iterable[Entry], engine: Steps) -> Difference | None:
    """Feed a journal's events to a fresh engine; give where its outputs first differ.

    Raises ReplayError.
    """
    found = (difference_of(replayed) for replayed in replay(entries, engine))
    return next((difference for difference in found if difference is not None), None)


def describe(message: Message) -> str:
    """Say a cue, an alert or an event in one line; "" for what is no finding."""
    match message:
        case Cue():
            alert = f" ({message.alert_id})" if message.alert_id else ""
            return f"cue    {message.umpire} {message.pattern.upper()} {message.say_en}{alert}"
        case Alert():
            proof = message.evidence
            why = "" if proof is None else f": P {proof.p:.4f}, {message.hint}"
            who = ", ".join(message.subjects)
            return (
                f"alert  {message.alert_id} {message.state} {message.severity}"
                f" {message.clause} {who}{why}"
            )
        case MatchEvent():
            detail = " ".join(f"{key}={value}" for key, value in message.detail.items())
            return f"event  {message.what} by {message.trigger} {detail}"
        case _:
            return ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what `throwin replay` takes."""
    parser.add_argument("file", metavar="FILE", type=pathlib.Path, help="a journal (.mcap)")
    parser.add_argument(
        "--check",
        action="store_true",
        help="compare with the record; exit code 1 if it differs",
    )


def run(args: argparse.Namespace) -> int:
    """Replay; gives 0, 1 for damage and for a difference, 2 for a file that is no use."""
    read = Read()
    try:
        journal = JournalReader(args.file)
        engine = Engine(parse_fieldfile(journal.field_file_toml), boot=journal.boot)
        if journal.version != __version__:
            _note(args.file, f"recorded by throwin {journal.version}, replayed by {__version__}")
        code = (_check if args.check else _print)(args.file, replay(journal, engine), read)
    except (JournalError, FieldFileError, SurveyError) as error:
        print(f"throwin replay: {error}", file=sys.stderr)
        return UNUSABLE_EXIT
    except ReplayError as error:
        traceback.print_exception(error.__cause__)
        print(f"{args.file}: {error}; before it {read}")
        return DIFFERENT_EXIT
    if journal.is_damaged:
        _note(args.file, f"damaged; read up to the first chunk that can't be: {read}")
        return DIFFERENT_EXIT
    if code == 0 and not journal.is_whole:
        _note(args.file, f"cut off; read up to its last whole chunk: {read}")
    return code


def _check(file: pathlib.Path, steps: Iterable[Replayed], read: Read) -> int:
    """Compare with the record; what compares nothing has not been checked."""
    for replayed in steps:
        t_s = read.note(replayed)
        difference = difference_of(replayed)
        if difference is not None:
            where = f" in {difference.key}" if difference.key else ""
            print(
                f"{file}: differs first at event {difference.step}"
                f" ({_name(difference.event)}, {t_s:.3f} s){where}"
            )
            print(f"  recorded: {_show(difference.recorded)}")
            print(f"  replayed: {_show(difference.replayed)}")
            return DIFFERENT_EXIT
    if not read.messages:
        print(f"{file}: {read}: nothing to compare")
        return DIFFERENT_EXIT
    print(f"{file}: {read}, outputs identical")
    return 0


def _print(_: pathlib.Path, steps: Iterable[Replayed], read: Read) -> int:
    """Print cues, alerts and events, a line each: seconds since the start, UTC, what."""
    for replayed in steps:
        t_s = read.note(replayed)
        for message in replayed.outputs:
            line = describe(message)
            if line:
                print(f"{t_s:9.3f} s  {message.t[11:]}  {line}")
    return 0


def _note(file: pathlib.Path, words: str) -> None:
    print(f"{file}: {words}", file=sys.stderr)


def _name(event: Event) -> str:
    return type(event).__name__


def _show(message: bytes | None) -> str:
    return "nothing" if message is None else message.decode("utf-8", "replace")[:SHOWN]


def _first_key(was: bytes, now: bytes) -> str:
    """Give the path of the first key whose value differs, "" when no key tells."""
    try:
        before, after = json.loads(was), json.loads(now)
    except ValueError:
        return ""
    path = ""
    while isinstance(before, dict | list) and type(before) is type(after):
        old = before if isinstance(before, dict) else dict(enumerate(before))
        new = after if isinstance(after, dict) else dict(enumerate(after))
        keys = [key for key in (*old, *new) if old.get(key, _ABSENT) != new.get(key, _ABSENT)]
        if not keys:
            break
        path += f"[{keys[0]}]" if isinstance(keys[0], int) else f".{keys[0]}"
        before, after = old.get(keys[0]), new.get(keys[0])
    return path.removeprefix(".")
