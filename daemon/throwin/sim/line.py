"""The serial lines: when the bytes of each port arrive, in the pieces that reads return.

A port sends one byte after another at its baud; what is ready while it is busy waits. It knows
nothing of what the bytes mean.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

from throwin.contract.scenariofile import Garbage, PortLost
from throwin.sim.radio import Sent
from throwin.sim.scenario import Port, Scenario
from throwin.sim.seeded import stream

BITS_PER_BYTE = 10  # start, eight data, stop
READ_S = 0.004  # a read returns what the USB adapter has gathered in this time


class Chunk(NamedTuple):
    """What one read of a port returns, and when."""

    t_s: float
    port: str
    data: bytes


def chunks_of(scenario: Scenario, sent: list[Sent]) -> list[Chunk]:
    """Give all chunks of all ports up to the scenario's end, in time order."""
    chunks = [chunk for port in scenario.ports for chunk in _port_chunks(scenario, port, sent)]
    return sorted(chunks, key=lambda chunk: (chunk.t_s, chunk.port))


def _port_chunks(scenario: Scenario, port: Port, sent: list[Sent]) -> Iterator[Chunk]:
    own = [item for item in sent if item.port == port.name] + list(_garbage(scenario, port))
    own.sort(key=lambda item: item.ready_s)
    byte_s = BITS_PER_BYTE / port.baud
    gaps = [
        (fault.from_s, fault.to_s)
        for fault in scenario.file.faults
        if isinstance(fault, PortLost) and fault.port == port.name
    ]
    phase_s = stream(scenario.file.seed, "read", port.name).uniform(0.0, READ_S)
    free_s = 0.0
    gathered: dict[int, list[bytes]] = {}
    for item in own:
        start_s = max(item.ready_s, free_s)
        free_s = start_s + len(item.data) * byte_s
        for window, piece in _pieces(item.data, start_s - phase_s, byte_s):
            gathered.setdefault(window, []).append(piece)
    for window in sorted(gathered):
        t_s = phase_s + (window + 1) * READ_S
        is_gone = any(from_s <= t_s < to_s for from_s, to_s in gaps)
        if t_s < scenario.file.duration_s and not is_gone:
            yield Chunk(t_s, port.name, b"".join(gathered[window]))


def _pieces(data: bytes, start_s: float, byte_s: float) -> Iterator[tuple[int, bytes]]:
    """Cut bytes where reads cut them: byte i is there at start + (i + 1) * byte_s."""
    done = 0
    while done < len(data):
        window = math.floor((start_s + (done + 1) * byte_s) / READ_S)
        fitting = math.ceil(((window + 1) * READ_S - start_s) / byte_s) - 1
        end = min(max(fitting, done + 1), len(data))
        yield window, data[done:end]
        done = end


def _garbage(scenario: Scenario, port: Port) -> Iterator[Sent]:
    for index, fault in enumerate(scenario.file.faults):
        if isinstance(fault, Garbage) and fault.port == port.name:
            rng = stream(scenario.file.seed, "garbage", index)
            yield Sent(fault.at_s, port.name, rng.randbytes(fault.size))
