"""The engine: events in, messages out; everything between a tag's bytes and an umpire's cue.

Pure: time is in the event. Equal events after an equal start give equal messages, whatever the
machine's clocks and hash seeds, so a journal of events can be replayed.
"""

from throwin.contract.fieldfile import FieldFile
from throwin.contract.payload import Heartbeat, Message
from throwin.event import Event, Tick

HEARTBEAT_TICKS = 10  # 2 Hz at 20 ticks a second


class Engine:
    """One field's engine. boot names this start of the daemon in ids and payloads.

    Raises SurveyError or FieldFileError for a field file whose parts do not fit together.
    """

    def __init__(self, field_file: FieldFile, *, boot: str) -> None:
        self.field_file = field_file
        self.boot = boot
        self._ticks = 0
        self._beats = 0

    def step(self, event: Event) -> list[Message]:
        """Take one event and give what is to be published, in order."""
        if not isinstance(event, Tick):
            return []
        self._ticks += 1
        if self._ticks % HEARTBEAT_TICKS:
            return []
        self._beats += 1
        return [
            Heartbeat(
                id=f"{self.boot}-h{self._beats}",
                boot=self.boot,
                seq=self._beats,
                t="1970-01-01T00:00:00.000Z",
                clk="free",
                mono_ms=event.t_host_ns / 1e6,
                phase="between",
                armed=False,
            )
        ]
