"""The payloads on the wire, one frozen struct a message type.

Every payload starts with v, type, id, boot, seq, t, clk and mono_ms. Units stand in the key
names. Readers ignore unknown keys. What a value means when it is absent is said at its type.
"""

import datetime
from typing import Literal

import msgspec


class Payload(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False):
    """The envelope that all messages share.

    t: sender's wall clock, RFC 3339, UTC; clk: what that clock is worth.
    mono_ms: sender's monotonic clock at the event that caused the message: with boot, the only
    time that a receiver may judge lateness by.
    """

    v: int = 1
    id: str
    boot: str
    seq: int
    t: str
    clk: Literal["gps", "ntp", "free"]
    mono_ms: float


AckWord = Literal["received", "played", "dropped_late", "duplicate", "felt", "silenced"]
CuePattern = Literal["ready", "hold", "foul", "blind", "mute", "warn", "end"]


class Cue(Payload, frozen=True, kw_only=True, tag="cue"):
    """What one umpire's buzzer and earpiece are to play.

    valid_ms: later than this after mono_ms it is dropped, never played.
    next_ms: a repeat of this HOLD follows within this time, else the receiver is blind; None = no
    repeat is due. alert_id: the alert that a HOLD or its `end` belongs to.
    """

    umpire: str
    pattern: CuePattern
    say_en: str
    say_es: str
    valid_ms: int
    alert_id: str | None
    next_ms: int | None
    covers: tuple[str, ...]
    fix_age_ms: float | None


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Why a verdict was given: measured value, limit, its 1 sigma, probability, ages.

    value, limit and sigma are in the unit, which is always of the SI.
    """

    measure: str
    unit: Literal["m", "m/s"]
    value: float
    limit: float
    sigma: float
    p: float
    age_ms: float
    point: Literal["rider", "outline"]


class Alert(Payload, frozen=True, kw_only=True, tag="alert"):
    """An alert raised, updated or ended; alert_id is the same throughout."""

    alert_id: str
    state: Literal["new", "update", "end"]
    severity: Literal["info", "warning", "hold", "foul", "blind"]
    rule: str
    clause: str
    subjects: tuple[str, ...]
    say_en: str
    say_es: str
    hint: str
    evidence: Evidence | None
    acknowledged: bool


class VerdictRow(msgspec.Struct, frozen=True, kw_only=True):
    """One rule for one subject: breach, clear, possible or cannot_tell with its reason."""

    rule: str
    subjects: tuple[str, ...]
    verdict: Literal["breach", "clear", "possible", "cannot_tell"]
    p: float | None
    reason: str


class Lineup(Payload, frozen=True, kw_only=True, tag="lineup"):
    """Phase, ends, verdicts and what is missing for READY."""

    phase: str
    trigger: str
    ready: bool
    covers: tuple[str, ...]
    missing: tuple[str, ...]
    red_attacks_expected: str
    red_attacks_in_force: str
    throwing_umpire: str | None
    in_lineup: tuple[str, ...]
    late: tuple[str, ...]
    verdicts: tuple[VerdictRow, ...]


class EntityRow(msgspec.Struct, frozen=True, kw_only=True):
    """One entity of the picture, in the field frame, all at the picture's instant."""

    entity: str
    kind: Literal["player", "umpire", "ball", "other"]
    team: str | None
    x_field_m: float
    y_field_m: float
    vx_field_mps: float
    vy_field_mps: float
    r95_m: float
    age_ms: float
    fix: str


class Picture(Payload, frozen=True, kw_only=True, tag="picture"):
    """All entities at one instant; t_picture_mono_ms is that instant."""

    t_picture_mono_ms: float
    entities: tuple[EntityRow, ...]


class TagHealth(Payload, frozen=True, kw_only=True, tag="tag"):
    """Health of one tag over the last second."""

    tag: str
    entity: str | None
    port: str | None
    fix: str
    sigma_m: float | None
    age_ms: float | None
    rate_hz: float
    lost: int
    rejected: int
    battery_pct: int | None


class Status(Payload, frozen=True, kw_only=True, tag="status"):
    """State of the daemon; reasons name every port, tag, broker or receiver that is amiss."""

    state: Literal["init", "ready", "degraded", "stopping"]
    reasons: tuple[str, ...]
    version: str
    counters: dict[str, int]

    def stopping(self) -> "Status":
        """Give the word that follows it as the last one."""
        return msgspec.structs.replace(
            self, id=f"{self.id}-last", seq=self.seq + 1, state="stopping", reasons=()
        )


class Heartbeat(Payload, frozen=True, kw_only=True, tag="hb"):
    """2 Hz sign of life of the engine; armed tells receivers how serious a silence is.

    umpires: those whom it knows; for a receiver of another one this is no sign of life.
    """

    phase: str
    armed: bool
    umpires: tuple[str, ...] = ()


class MatchEvent(Payload, frozen=True, kw_only=True, tag="event"):
    """Something that the record keeps: throw, ball out, goal, ends, period, phase."""

    what: str
    trigger: str
    detail: dict[str, str]


class Answer(Payload, frozen=True, kw_only=True, tag="answer"):
    """The answer to one command."""

    command_id: str
    ok: bool
    reason: str
    phase: str
    reply_to: str
    correlation: str


Message = Cue | Alert | Lineup | Picture | TagHealth | Status | Heartbeat | MatchEvent | Answer


class AckMessage(msgspec.Struct, frozen=True, kw_only=True, tag="ack"):
    """What a receiver says of a cue; late_ms is its own estimate of the cue's lateness."""

    v: int = 1
    receiver: str
    cue_id: str
    what: AckWord
    late_ms: float | None


class CommandMessage(msgspec.Struct, frozen=True, kw_only=True, tag="cmd"):
    """A command: id makes it idempotent, args are the verb's own."""

    v: int = 1
    id: str
    args: dict[str, str] = {}


_encoder = msgspec.json.Encoder()


def encode(message: Message | AckMessage | CommandMessage) -> bytes:
    """Give the JSON bytes of a message; equal messages give equal bytes."""
    return _encoder.encode(message)


class PayloadError(ValueError):
    """Bytes that are no message of this contract; says where and what was expected."""


_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_message_decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)
_ack_decoder = msgspec.json.Decoder(AckMessage)
_command_decoder = msgspec.json.Decoder(CommandMessage)


def decode(data: bytes) -> Message:
    """Read a message of the daemon; raises PayloadError."""
    try:
        return _message_decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PayloadError(f"expected a message of the daemon: {error}") from None


def decode_ack(data: bytes) -> AckMessage:
    """Read a receiver's word on a cue; raises PayloadError."""
    try:
        return _ack_decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PayloadError(f"expected an ack: {error}") from None


def decode_command(data: bytes) -> CommandMessage:
    """Read a command; raises PayloadError."""
    try:
        return _command_decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PayloadError(f"expected a command: {error}") from None


def rfc3339(t_utc_ns: int) -> str:
    """Write UTC in RFC 3339 with milliseconds."""
    moment = _EPOCH + datetime.timedelta(milliseconds=t_utc_ns // 1_000_000)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
