"""The journal: the engine's events in the order in which it took them, and what it made of them.

An MCAP file. A thread of its own writes it, so that no disk holds the engine up; each second what
there is goes to the disk, so that a power cut costs no more than that. A disk that is full ends
the recording, never the match. The one user of mcap.
"""

import contextlib
import enum
import os
import queue
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, Self

from mcap.records import Channel, Header, Metadata
from mcap.records import Message as Record
from mcap.stream_reader import StreamReader
from mcap.writer import CompressionType, IndexType, Writer

from throwin.contract import topic as topics
from throwin.contract.eventlog import EventLogError, decode_event, encode_event
from throwin.contract.fieldfile import FieldFile
from throwin.contract.payload import Answer, Message, encode
from throwin.contract.toml import write_toml
from throwin.event import Event, Tick

FORMAT = 1
SYNC_S = 1.0
CHUNK_BYTES = 64 * 1024
BACKLOG_MAX = 20_000  # entries that wait for a slow disk; then the recording ends
RECORD_MAX = 64 * 1024 * 1024
EVENTS_TOPIC = "events-in"
# Askers name any topic for their answers, the events' own too: those have a name of ours here.
ANSWERS_TOPIC = "answers"
METADATA = "throwin"
MAGIC = b"\x89MCAP0\r\n"  # a closed file begins and ends with it


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

    def __iter__(self) -> Iterator[Entry]:
        """Give the entries, in order."""
        return iter(self.entries)


class JournalError(ValueError):
    """A file that is no journal; says what was expected."""


class JournalWriter:
    """Writes one journal. record() never blocks and never raises.

    failure: why nothing is recorded any more, "" while all is well.
    """

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
        if self._queue.qsize() >= BACKLOG_MAX:
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
        except Exception as fault:  # noqa: BLE001 - whatever ends the recording, the match goes on and is told
            words = fault.strerror if isinstance(fault, OSError) else None
            self.failure = f"recording ended: {words or fault}"
            with contextlib.suppress(OSError):
                self._stream.close()

    def _write_all(self) -> None:
        self._sync()  # from the first moment on there is a journal to read
        synced_s = time.monotonic()
        while True:
            with contextlib.suppress(queue.Empty):
                step = self._queue.get(timeout=SYNC_S)
                if step is None:
                    break
                self._write(*step)
            if time.monotonic() - synced_s >= SYNC_S:
                self._sync()
                synced_s = time.monotonic()
        if self.failure:  # what was not recorded is missing: that is no whole journal
            self._sync()
        else:
            self._writer.finish()
            self._stream.flush()
            os.fsync(self._stream.fileno())
        self._stream.close()

    def _sync(self) -> None:
        """End the chunk, and see it on the disk."""
        self._writer.flush()
        os.fsync(self._stream.fileno())

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
            self._writer.add_message(
                self._channel_of(message),
                log_ns,
                encode(message),
                publish_time=host_ns,
                sequence=self._steps,
            )

    def _channel_of(self, message: Message) -> int:
        is_answer = isinstance(message, Answer)
        topic = ANSWERS_TOPIC if is_answer else topics.deliver(self._field, message).topic
        channel = self._channels.get(topic)
        if channel is None:
            channel = int(self._writer.register_channel(topic, "json", self._schema))
            self._channels[topic] = channel
        return channel


class JournalReader:
    """Reads a journal entry by entry, once; one that was cut off up to its last whole chunk.

    is_whole and is_damaged are known after the last entry: the file was closed and not cut off;
    something in its middle can't be read, and what comes after is not given. Of one that was
    cut off the last step is not given: what came of it may be missing.
    Raises JournalError for a file that is none, OSError for one that can't be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._records = _records(path)
        self.is_whole = False
        self.is_damaged = False
        found = next((one for one in self._records if not isinstance(one, Header)), None)
        metadata = found.metadata if isinstance(found, Metadata) else {}
        if metadata.get("format") != str(FORMAT):
            got = repr(metadata.get("format")) if metadata else "none"
            raise JournalError(f"{path}: expected a journal of format {FORMAT}, got {got}")
        self.field_file_toml = metadata.get("field_file", "")
        self.boot = metadata.get("boot", "")
        self.version = metadata.get("version", "")

    def __iter__(self) -> Iterator[Entry]:
        """Give the entries, in order; raises JournalError for an event that is none."""
        channels: dict[int, str] = {}
        event: Event | None = None
        outputs: list[bytes] = []
        for record in self._records:
            match record:
                case Channel():
                    channels[record.id] = record.topic
                case Record() if channels.get(record.channel_id) == EVENTS_TOPIC:
                    if event is not None:
                        yield Entry(event, tuple(outputs))
                    event, outputs = self._event(record.data), []
                case Record():
                    outputs.append(record.data)
                case _End.WHOLE:
                    self.is_whole = True
                case _End.DAMAGED:
                    self.is_damaged = True
                case _:
                    pass
        if event is not None and self.is_whole:
            yield Entry(event, tuple(outputs))

    def _event(self, data: bytes) -> Event:
        try:
            return decode_event(data)
        except EventLogError as error:
            raise JournalError(f"{self._path}: {error}") from None


def read_journal(path: Path) -> Journal:
    """Read a whole journal at once; raises as JournalReader does."""
    reader = JournalReader(path)
    entries = tuple(reader)
    return Journal(
        field_file_toml=reader.field_file_toml,
        boot=reader.boot,
        version=reader.version,
        is_whole=reader.is_whole,
        entries=entries,
    )


class _End(enum.Enum):
    """How a file's records ended, when not with a cut."""

    WHOLE = "whole"
    DAMAGED = "damaged"


def _records(path: Path) -> Generator[object, None, None]:
    """Give the records up to where the file is cut off or damaged, and how it ended."""
    with path.open("rb") as stream:
        reader = StreamReader(stream, validate_crcs=True, record_size_limit=RECORD_MAX)
        try:
            yield from reader.records
        except Exception:  # noqa: BLE001 - a cut makes mcap, lz4 and struct raise whatever they like
            if _goes_on(stream):
                yield _End.DAMAGED
            return
        yield _End.WHOLE


def _goes_on(stream: BinaryIO) -> bool:
    """Say whether a file that could not be read further was not just cut off there."""
    at = stream.tell()
    end = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, end - len(MAGIC)))
    return at < end or stream.read() == MAGIC
