"""`throwin replay`: a journal through the engine again: what it finds, and if that is the same."""

import argparse
import pathlib
import sys
from collections.abc import Iterator
from typing import NamedTuple

from throwin import __version__
from throwin.contract.fieldfile import FieldFileError, parse_fieldfile
from throwin.contract.payload import Alert, Cue, MatchEvent, Message, encode
from throwin.engine import Engine
from throwin.field.frame import SurveyError
from throwin.io.journal import Journal, JournalError, read_journal

NS = 1_000_000_000
DIFFERENT_EXIT = 1
SHOWN = 300  # characters of a message that differs


class Difference(NamedTuple):
    """The first place where a replay says something else than the record."""

    step: int
    recorded: bytes | None
    replayed: bytes | None


def first_difference(journal: Journal, engine: Engine) -> Difference | None:
    """Feed a journal's events to a fresh engine; give where its outputs first differ."""
    for number, entry in enumerate(journal.entries, start=1):
        replayed = [encode(message) for message in engine.step(entry.event)]
        for place in range(max(len(replayed), len(entry.outputs))):
            was = entry.outputs[place] if place < len(entry.outputs) else None
            now = replayed[place] if place < len(replayed) else None
            if was != now:
                return Difference(number, was, now)
    return None


def findings(journal: Journal, engine: Engine) -> Iterator[str]:
    """Feed a journal's events to a fresh engine; give cues, alerts and events, a line each."""
    start_ns: int | None = None
    for entry in journal.entries:
        start_ns = entry.event.t_host_ns if start_ns is None else start_ns
        t_s = (entry.event.t_host_ns - start_ns) / NS
        for message in engine.step(entry.event):
            line = describe(message)
            if line:
                yield f"{t_s:9.3f} s  {line}"


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
    """Replay; gives 0, 1 when --check finds a difference, 2 for a file that can't be used."""
    try:
        journal = read_journal(args.file)
        engine = Engine(parse_fieldfile(journal.field_file_toml), boot=journal.boot)
    except (JournalError, FieldFileError, SurveyError) as error:
        print(f"throwin replay: {error}", file=sys.stderr)
        return 2
    if not journal.is_whole:
        print(f"{args.file}: cut off; read up to its last whole chunk", file=sys.stderr)
    if journal.version != __version__:
        print(
            f"{args.file}: recorded by throwin {journal.version}, replayed by {__version__}",
            file=sys.stderr,
        )
    if not args.check:
        for line in findings(journal, engine):
            print(line)
        return 0
    difference = first_difference(journal, engine)
    if difference is None:
        print(f"{args.file}: {len(journal.entries)} events, outputs identical")
        return 0
    print(f"{args.file}: differs first at event {difference.step}")
    print(f"  recorded: {_show(difference.recorded)}")
    print(f"  replayed: {_show(difference.replayed)}")
    return DIFFERENT_EXIT


def _show(message: bytes | None) -> str:
    return "nothing" if message is None else message.decode("utf-8", "replace")[:SHOWN]
