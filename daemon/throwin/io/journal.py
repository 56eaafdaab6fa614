"""The journal: the engine's events in the order in which it took them, and what it made of them.

An MCAP file. A thread of its own writes it, so that no disk holds the engine up; each second what
there is goes to the disk, so that a power cut costs no more than that. A disk that is full ends
the recording, never the match. The one user of mcap.
"""

import contextlib
import os
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from mcap.records import Channel, Metadata
from mcap.records import Message as Record
from mcap.stream_reader import StreamReader
from mcap.writer import CompressionType, IndexType, Writer

from throwin.contract import topic as topics
from throwin.contract.eventlog import EventLogError, decode_event, encode_event
from throwin.contract.fieldfile import FieldFile
from throwin.contract.payload import Message, encode
from throwin.contract.toml import write_toml
from throwin.event import Event, Tick

FORMAT = 1
SYNC_S = 1.0
CHUNK_BYTES = 256 * 1024
BACKLOG_MAX = 20_000  # entries that wait for a slow disk; then the recording ends
RECORD_MAX = 64 * 1024 * 1024
EVENTS_TOPIC = "events-in"
METADATA = "throwin"


class Entry(NamedTuple):
    """One step of the engine: an event, and the messages that came of it, as JSON."""

    event: Event
    outputs: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """A journal that was read; is_whole: it was closed and not cut off."""

    field_file_toml: str
    boot: str
    version: str
    is_whole: bool
    entries: tuple[Entry, ...]


class JournalError(ValueError):
    """A file that is no journal; says what was expected."""


class JournalWriter:
    """Writes one journal. record() never blocks and never raises."""

    def __init__(
        self, stream: IO[bytes], *, field_file: FieldFile, boot: str, version: str
    ) -> None:
        self._field = field_file.field
        self._stream = stream
        self._writer: Any = Writer(
            self._stream,
            chunk_size=CHUNK_BYTES,
            compression=CompressionType.LZ4,
            index_types=IndexType.ALL,
        )
        self._writer.start(profile="throwin", library=f"throwin {version}")
        self._writer.add_metadata(
            METADATA,
            {
                "format": str(FORMAT),
                "boot": boot,
                "version": version,
                "field_file": write_toml(field_file),
            },
        )
        self._schema = self._writer.register_schema("throwin", "jsonschema", b'{"type":"object"}')
        self._events = self._writer.register_channel(EVENTS_TOPIC, "msgpack", 0)
        self._channels: dict[str, int] = {}
        self._utc_ns = 0
        self._steps = 0
        self._queue: queue.SimpleQueue[tuple[Event, Sequence[Message]] | None] = queue.SimpleQueue()
        self.failure = ""
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    @classmethod
    def create(cls, path: Path, *, field_file: FieldFile, boot: str, version: str) -> Self:
        """Begin a new file; raises OSError, FileExistsError for one that is there already."""
        return cls(path.open("xb"), field_file=field_file, boot=boot, version=version)

    def record(self, event: Event, outputs: Sequence[Message]) -> None:
        """Take one step of the engine."""
        if self.failure:
            return
        if self._queue.qsize() > BACKLOG_MAX:
            self.failure = "the disk is too slow: recording ended"
            return
        self._queue.put((event, outputs))

    def close(self, timeout_s: float = 5.0) -> None:
        """Write what is left, and end the file."""
        self._queue.put(None)
        self._thread.join(timeout_s)

    def _run(self) -> None:
        try:
            self._write_all()
        except OSError as fault:
            self.failure = f"recording ended: {fault.strerror or fault}"
            with contextlib.suppress(OSError):
                self._stream.close()

    def _write_all(self) -> None:
        synced_s = time.monotonic()
        while True:
            with contextlib.suppress(queue.Empty):
                step = self._queue.get(timeout=SYNC_S)
                if step is None:
                    break
                self._write(*step)
            if time.monotonic() - synced_s >= SYNC_S:
                self._writer.flush()
                self._stream.flush()
                os.fsync(self._stream.fileno())
                synced_s = time.monotonic()
        self._writer.finish()
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._stream.close()

    def _write(self, event: Event, outputs: Sequence[Message]) -> None:
        """Write one step; sequence ties the outputs to the event that they came of."""
        if isinstance(event, Tick):
            self._utc_ns = event.t_utc_ns - event.t_host_ns
        self._steps += 1
        host_ns = event.t_host_ns
        log_ns = max(host_ns + self._utc_ns, 0)
        self._writer.add_message(
            self._events, log_ns, encode_event(event), publish_time=host_ns, sequence=self._steps
        )
        for message in outputs:
            topic = topics.deliver(self._field, message).topic or "answers"
            channel = self._channels.get(topic)
            if channel is None:
                channel = self._writer.register_channel(topic, "json", self._schema)
                self._channels[topic] = channel
            self._writer.add_message(
                channel, log_ns, encode(message), publish_time=host_ns, sequence=self._steps
            )


def read_journal(path: Path) -> Journal:
    """Read a journal; one that was cut off is read up to its last whole chunk.

    Raises JournalError for a file that is none, OSError for one that can't be read.
    """
    metadata: dict[str, str] | None = None
    channels: dict[int, str] = {}
    steps: list[tuple[Event, list[bytes]]] = []
    is_whole = False
    with path.open("rb") as stream:
        for record in _records(stream):
            match record:
                case Metadata():
                    metadata = record.metadata if record.name == METADATA else metadata
                case Channel():
                    channels[record.id] = record.topic
                case Record():
                    if channels.get(record.channel_id) == EVENTS_TOPIC:
                        steps.append((_event(path, record.data), []))
                    elif steps:
                        steps[-1][1].append(record.data)
                case None:
                    is_whole = True
                case _:
                    pass
    if not is_whole and steps:
        steps.pop()  # what came of it may be missing in part
    if metadata is None or metadata.get("format") != str(FORMAT):
        got = "none" if metadata is None else repr(metadata.get("format"))
        raise JournalError(f"{path}: expected a journal of format {FORMAT}, got {got}")
    return Journal(
        field_file_toml=metadata["field_file"],
        boot=metadata["boot"],
        version=metadata["version"],
        is_whole=is_whole,
        entries=tuple(Entry(event, tuple(outputs)) for event, outputs in steps),
    )


def _event(path: Path, data: bytes) -> Event:
    try:
        return decode_event(data)
    except EventLogError as error:
        raise JournalError(f"{path}: {error}") from None


def _records(stream: IO[bytes]) -> Iterator[object]:
    """Give the records up to where the file is cut off; None at the end of a whole one."""
    reader = StreamReader(stream, validate_crcs=True, record_size_limit=RECORD_MAX)
    try:
        yield from reader.records
    except Exception:  # noqa: BLE001 - a cut makes mcap, lz4 and struct raise whatever they like
        return
    yield None
