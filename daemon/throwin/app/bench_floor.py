"""The floor under a cue's delay: terminal, thread, publish, with no work between.

A process of its own, as the daemon is one: `python -m throwin.app.bench_floor DEVICE PORT TOPIC`.
"""

import queue
import signal
import sys

from throwin.contract.fieldfile import BrokerSection, PortSection
from throwin.event import Bytes, Event
from throwin.io.connection import Connection
from throwin.io.serial_port import SerialReader

SWITCH_S = 0.0005  # as the daemon has it


def main(device: str, port: int, topic: str) -> None:
    """Publish whatever a port brings until the process is ended."""
    sys.setswitchinterval(SWITCH_S)
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    connection = Connection(
        broker=BrokerSection(port=port),
        client_id="throwin-bench-floor",
        will=None,
        topics=[(f"{topic}/none", 0)],
        on_message=lambda _: None,
        on_state=lambda *_: None,
    )
    connection.start()
    section = PortSection(name="floor", device=device, format="own")
    SerialReader(section, events.put).start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    while True:
        event = events.get()
        if isinstance(event, Bytes):
            connection.publish(topic, event.data, qos=1, expiry_s=2)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
