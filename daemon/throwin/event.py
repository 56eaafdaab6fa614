"""What can happen to the engine: every event carries its time; nothing else has a clock.

These values are what the journal records and what a replay feeds; they never refer to
threads, sockets or files.
"""

import enum
from typing import NamedTuple


class Bytes(NamedTuple):
    """Bytes of one port; t_host_ns is the moment of the read that returned them."""

    port: str
    t_host_ns: int
    data: bytes


class Tick(NamedTuple):
    """Time passes (20 Hz live). t_utc_ns is the host's wall clock, for display only."""

    t_host_ns: int
    t_utc_ns: int
    clock: str  # "gps", "ntp" or "free": what the wall clock is worth


class PortState(NamedTuple):
    """A serial port was opened or lost; detail says how, in words."""

    port: str
    t_host_ns: int
    is_open: bool
    detail: str


class BrokerState(NamedTuple):
    """The connection to the broker came or went."""

    t_host_ns: int
    is_connected: bool
    detail: str


class ReceiverState(NamedTuple):
    """A receiver (buzzer, earpiece) announced itself, or its last will did."""

    t_host_ns: int
    umpire: str
    receiver: str
    is_online: bool


class HostState(NamedTuple):
    """Something of the machine itself went wrong or came right: recording, disk.

    detail: what is wrong, in words; "" = all is well again.
    """

    t_host_ns: int
    what: str
    detail: str


class HostCounts(NamedTuple):
    """What ports, broker and queue have counted so far: names and totals, for `status`."""

    t_host_ns: int
    counts: tuple[tuple[str, int], ...]


class Verb(enum.Enum):
    """Commands of umpire, technician or scoreboard."""

    DRAW = "draw"
    READY = "ready"
    THROW = "throw"
    RETAKE = "retake"
    ABORT = "abort"
    WHISTLE = "whistle"
    BALL_OUT = "ball_out"
    ENDS = "ends"
    GOAL = "goal"
    PERIOD = "period"
    ASSIGN = "assign"
    ACKNOWLEDGE = "acknowledge"
    UNDO = "undo"


class Command(NamedTuple):
    """One command; id makes it idempotent, args are the verb's own (text to text)."""

    t_host_ns: int
    id: str
    verb: Verb
    args: tuple[tuple[str, str], ...] = ()
    source: str = "mqtt"
    reply_to: str = ""
    correlation: str = ""


class Ack(NamedTuple):
    """A receiver's word on a cue: received, played, dropped_late, duplicate, felt, silenced."""

    t_host_ns: int
    umpire: str
    receiver: str
    cue_id: str
    what: str
    late_ms: float | None


Event = (
    Bytes | Tick | PortState | BrokerState | ReceiverState | HostState | HostCounts | Command | Ack
)
