"""Our own binary frames to Observations, and the encoder that the simulator uses.

Framing and layouts are tagwire's; this module turns wire steps into SI units and watches each
tag's sequence, press counter and clock. It keeps no clock of its own and judges no position.
"""

from collections.abc import Collection
from typing import Final, assert_never

import tagwire
from tagwire import messages as wire
from throwin.tags.observation import (
    Button,
    Fix,
    FixKind,
    Imu,
    Loss,
    Malformed,
    Observation,
    Press,
    TagStatus,
    UwbPosition,
)

BITS_PER_BYTE: Final = 10  # start, eight data, stop: 8N1
TAGS_MAX: Final = 256  # tags remembered when any is accepted; the longest known goes first
PRESS_REPEAT_NS: Final = 5_000_000_000  # the same press counter later than this is a new press
COUNTER_SLACK_MS: Final = 10_000  # a device counter further ahead or back than this restarted
COUNTER_DRIFT: Final = 1_000  # and one part in this of the time passed is drift

_KINDS: Final = (
    FixKind.NO_FIX,
    FixKind.ESTIMATED,
    FixKind.SINGLE,
    FixKind.DGNSS,
    FixKind.RTK_FLOAT,
    FixKind.RTK_FIXED,
)
_PRESSES: Final = {
    wire.Press.READY.value: Press.READY,
    wire.Press.THROW.value: Press.THROW,
    wire.Press.GOAL.value: Press.GOAL,
    wire.Press.CANCEL.value: Press.CANCEL,
}
_PRESS_CODES: Final = {press: code for code, press in _PRESSES.items()}
_U32: Final = 0xFFFF_FFFF
_HALF_U32: Final = 0x8000_0000


class _TagState:
    """What must be remembered of one tag from frame to frame."""

    __slots__ = (
        "_counter",
        "_counter_t_host_ns",
        "_has_restarted",
        "_press_counter",
        "_press_t_host_ns",
        "_unwrapped_ms",
        "sequence",
    )

    def __init__(self) -> None:
        self.sequence = tagwire.Sequence()
        self._press_counter: int | None = None
        self._press_t_host_ns = 0
        self._counter: int | None = None
        self._counter_t_host_ns = 0
        self._unwrapped_ms = 0
        self._has_restarted = False

    def restart(self) -> None:
        """Forget what a restarted tag counts anew."""
        self._press_counter = None
        self._has_restarted = True

    def is_new_press(self, counter: int, t_host_ns: int) -> bool:
        """Say whether a press was not yet given out; frames of one press share its counter."""
        last = self._press_counter
        if (
            last is not None
            and not 1 <= (counter - last) & 0xFF <= 127
            and t_host_ns - self._press_t_host_ns <= PRESS_REPEAT_NS
        ):
            return False
        self._press_counter = counter
        self._press_t_host_ns = t_host_ns
        return True

    def unwrap_ms(self, counter: int, t_host_ns: int) -> int:
        """Give the device's counter without its wraps; over a restart it goes on by host time.

        A counter that lags behind host time is a backlog and is believed; one that goes back or
        runs ahead of host time is a restart.
        """
        last = self._counter
        unwrapped_ms = counter
        if last is not None:
            passed_ms = (t_host_ns - self._counter_t_host_ns) // 1_000_000
            ahead_ms = ((counter - last - passed_ms + _HALF_U32) & _U32) - _HALF_U32
            slack_ms = COUNTER_SLACK_MS + abs(passed_ms) // COUNTER_DRIFT
            advance_ms = passed_ms + ahead_ms
            if self._has_restarted or advance_ms < -COUNTER_SLACK_MS or ahead_ms > slack_ms:
                advance_ms = passed_ms
            unwrapped_ms = self._unwrapped_ms + advance_ms
        self._counter = counter
        self._counter_t_host_ns = t_host_ns
        self._unwrapped_ms = unwrapped_ms
        self._has_restarted = False
        return unwrapped_ms


class OwnDecoder:
    """Decodes one port's own frames; tags: the ids taken, None = any.

    baud: the line's, to give each frame the time of its first byte rather than that of the read
    that brought it; None = take the time of the read.
    Reasons of Malformed: tagwire's (overlong, cobs, short, crc, version, flags, tag) and
    unknown_tag, repeat, old, unknown_kind, direction, enum, range, zero_position.
    """

    __slots__ = ("_deframer", "_ns_per_byte", "_pending_t_host_ns", "_states", "_tags")

    def __init__(self, tags: Collection[str] | None = None, baud: int | None = None) -> None:
        self._tags = None if tags is None else frozenset(tags)
        self._ns_per_byte = 0.0 if baud is None else BITS_PER_BYTE * 1e9 / baud
        self._deframer = tagwire.Deframer()
        self._pending_t_host_ns = 0
        self._states: dict[str, _TagState] = {}

    def feed(self, data: bytes, t_host_ns: int) -> list[Observation | Malformed]:
        """Take one chunk whose last byte arrived at t_host_ns; never raises on its content."""
        deframer = self._deframer
        start = deframer.end
        end = start + len(data)
        out: list[Observation | Malformed] = []
        for at, item in deframer.feed(data):
            if isinstance(item, tagwire.Malformed):
                out.append(Malformed(item.reason, item.raw))
            elif at < start:
                self._take(item, self._pending_t_host_ns, out)
            else:
                self._take(item, t_host_ns - int((end - at) * self._ns_per_byte), out)
        pending = deframer.pending
        if pending is not None and pending >= start:
            self._pending_t_host_ns = t_host_ns - int((end - pending) * self._ns_per_byte)
        return out

    def flush(self, t_host_ns: int) -> list[Observation | Malformed]:  # noqa: ARG002 (protocol)
        """Give nothing: every frame is whole by itself, none is held back."""
        return []

    def _take(
        self, frame: tagwire.Frame, t_host_ns: int, out: list[Observation | Malformed]
    ) -> None:
        tag, seq, _, message, raw = frame
        if self._tags is not None and tag not in self._tags:
            out.append(Malformed("unknown_tag", raw))
            return
        state = self._states.get(tag)
        if state is None:
            state = self._remember(tag)
        sequence = state.sequence
        restarts = sequence.restarts
        missing = sequence.take(seq, t_host_ns)
        if isinstance(missing, tagwire.Refusal):
            out.append(Malformed(missing.value, raw))
            return
        if missing:
            out.append(Loss(tag, t_host_ns, missing))
        if sequence.restarts != restarts:
            state.restart()
        found = _observe(tag, t_host_ns, message, state)
        if isinstance(found, str):
            out.append(Malformed(found, raw))
        elif found is not None:
            out.append(found)

    def _remember(self, tag: str) -> _TagState:
        if len(self._states) >= TAGS_MAX:
            del self._states[next(iter(self._states))]
        return self._states.setdefault(tag, _TagState())


def _observe(
    tag: str, t_host_ns: int, message: tagwire.Message | tagwire.Unknown, state: _TagState
) -> Observation | str | None:
    """Give the observation, the reason why there is none, or None for a repeated press."""
    match message:
        case wire.Fix():
            return _observe_fix(tag, t_host_ns, message)
        case wire.UwbPosition():
            return _observe_uwb(tag, t_host_ns, message, state)
        case wire.Imu(heading, shock):
            if wire.IMU_HEADING_CDEG_MAX < heading != wire.IMU_HEADING_CDEG_INVALID:
                return "range"
            return Imu(
                tag,
                t_host_ns,
                None if heading == wire.IMU_HEADING_CDEG_INVALID else heading / 100,
                None if shock == wire.IMU_SHOCK_DMPS2_INVALID else shock / 10,
            )
        case wire.Button(code, counter):
            press = _PRESSES.get(code)
            if press is None:
                return "enum"
            return Button(tag, t_host_ns, press) if state.is_new_press(counter, t_host_ns) else None
        case wire.Status(battery, temperature):
            if wire.STATUS_BATTERY_PCT_MAX < battery != wire.STATUS_BATTERY_PCT_INVALID:
                return "range"
            return TagStatus(
                tag,
                t_host_ns,
                None if battery == wire.STATUS_BATTERY_PCT_INVALID else battery,
                None if temperature == wire.STATUS_TEMPERATURE_DC_INVALID else temperature / 10,
            )
        case wire.Cue():
            return "direction"
        case tagwire.Unknown():
            return "unknown_kind"
        case _:
            assert_never(message)


def _observe_fix(tag: str, t_host_ns: int, fix: wire.Fix) -> Fix | str:
    t_utc_ms, code, lat, lon, _, sigma_e, sigma_n, correlation, vel_e, vel_n, sigma_v, lag = fix
    if code >= len(_KINDS):
        return "enum"
    if t_utc_ms > wire.FIX_T_UTC_MS_MAX:
        return "range"
    t_utc_ns = t_utc_ms * 1_000_000 or None
    lag_s = None if lag == wire.FIX_LAG_MS_INVALID else lag / 1e3
    if code == 0:
        return Fix(tag, t_host_ns, t_utc_ns, FixKind.NO_FIX, 0.0, 0.0, lag_s=lag_s)
    if not (
        wire.FIX_LAT_NDEG_MIN <= lat <= wire.FIX_LAT_NDEG_MAX
        and wire.FIX_LON_NDEG_MIN <= lon <= wire.FIX_LON_NDEG_MAX
    ):
        return "range"
    if correlation == wire.FIX_CORRELATION_PCT_INVALID:
        correlation = 0
    elif not wire.FIX_CORRELATION_PCT_MIN <= correlation <= wire.FIX_CORRELATION_PCT_MAX:
        return "range"
    if lat == 0 and lon == 0:
        return "zero_position"
    cov_ee = cov_en = cov_nn = None
    if sigma_e and sigma_n:
        cov_ee = sigma_e * sigma_e * 1e-6
        cov_nn = sigma_n * sigma_n * 1e-6
        cov_en = sigma_e * sigma_n * correlation * 1e-8
    has_velocity = vel_e != wire.FIX_VEL_E_MMPS_INVALID and vel_n != wire.FIX_VEL_N_MMPS_INVALID
    return Fix(
        tag,
        t_host_ns,
        t_utc_ns,
        _KINDS[code],
        lat / 1e9,
        lon / 1e9,
        cov_ee,
        cov_en,
        cov_nn,
        vel_e / 1e3 if has_velocity else None,
        vel_n / 1e3 if has_velocity else None,
        sigma_v / 1e3 if has_velocity and sigma_v else None,
        None,
        lag_s,
    )


def _observe_uwb(
    tag: str, t_host_ns: int, position: wire.UwbPosition, state: _TagState
) -> UwbPosition | str:
    counter, x, y, sigma, quality = position
    if wire.UWB_POSITION_QUALITY_PCT_MAX < quality != wire.UWB_POSITION_QUALITY_PCT_INVALID:
        return "range"
    t_tag_ns = None
    if counter != wire.UWB_POSITION_COUNTER_MS_INVALID:
        t_tag_ns = state.unwrap_ms(counter, t_host_ns) * 1_000_000
    if quality == 0:
        return UwbPosition(tag, t_host_ns, t_tag_ns, 0.0, 0.0, None, 0.0)
    return UwbPosition(
        tag,
        t_host_ns,
        t_tag_ns,
        x / 1e3,
        y / 1e3,
        sigma / 1e3 if sigma else None,
        None if quality == wire.UWB_POSITION_QUALITY_PCT_INVALID else quality / 100,
    )


def _sigma_steps(variance: float | None) -> int:
    """Give a claim's 1 sigma in thousandths; 0 = none, and a claim is never rounded to none."""
    return 0 if variance is None else min(max(round(variance**0.5 * 1e3), 1), 0xFFFF)


def encode_fix(fix: Fix, seq: int) -> bytes:
    """Give the frame of a fix; what the wire can't hold is left out, a sigma is capped."""
    code = int(fix.kind)
    if code >= len(_KINDS):
        raise tagwire.EncodeError("kind", "a GNSS fix kind", fix.kind.name)
    t_utc_ms = 0 if fix.t_utc_ns is None else (fix.t_utc_ns + 500_000) // 1_000_000
    lag_ms = wire.FIX_LAG_MS_INVALID if fix.lag_s is None else round(fix.lag_s * 1e3)
    if fix.kind is FixKind.NO_FIX:
        return tagwire.encode_frame(fix.tag, seq, wire.Fix(t_utc_ms, code, 0, 0, lag_ms=lag_ms))
    ee, en, nn = fix.cov_ee_m2, fix.cov_en_m2, fix.cov_nn_m2
    correlation_pct = wire.FIX_CORRELATION_PCT_INVALID
    if ee and nn and en is not None:
        correlation_pct = min(max(round(100 * en / (ee * nn) ** 0.5), -100), 100)
    vel_e_mmps = wire.FIX_VEL_E_MMPS_INVALID
    vel_n_mmps = wire.FIX_VEL_N_MMPS_INVALID
    if fix.vel_e_mps is not None and fix.vel_n_mps is not None:
        east, north = round(fix.vel_e_mps * 1e3), round(fix.vel_n_mps * 1e3)
        if max(abs(east), abs(north)) <= 0x7FFF:
            vel_e_mmps, vel_n_mmps = east, north
    sigma_v = fix.sigma_v_mps
    return tagwire.encode_frame(
        fix.tag,
        seq,
        wire.Fix(
            t_utc_ms,
            code,
            round(fix.lat_deg * 1e9),
            round(fix.lon_deg * 1e9),
            sigma_e_mm=_sigma_steps(ee),
            sigma_n_mm=_sigma_steps(nn),
            correlation_pct=correlation_pct,
            vel_e_mmps=vel_e_mmps,
            vel_n_mmps=vel_n_mmps,
            sigma_v_mmps=_sigma_steps(None if sigma_v is None else sigma_v**2),
            lag_ms=lag_ms,
        ),
    )


def encode_uwb(position: UwbPosition, seq: int) -> bytes:
    """Give the frame of a UWB position; the device's counter wraps as on the wire."""
    counter_ms = wire.UWB_POSITION_COUNTER_MS_INVALID
    if position.t_tag_ns is not None:
        counter_ms = min((position.t_tag_ns + 500_000) // 1_000_000 & _U32, _U32 - 1)
    quality_pct = wire.UWB_POSITION_QUALITY_PCT_INVALID
    if position.quality is not None:
        quality_pct = round(position.quality * 100)
    if position.quality == 0:
        message = wire.UwbPosition(counter_ms, 0, 0, quality_pct=0)
    else:
        sigma_m = position.sigma_m
        message = wire.UwbPosition(
            counter_ms,
            round(position.x_uwb_m * 1e3),
            round(position.y_uwb_m * 1e3),
            _sigma_steps(None if sigma_m is None else sigma_m**2),
            max(quality_pct, 1),
        )
    return tagwire.encode_frame(position.tag, seq, message)


def encode_button(button: Button, seq: int, press_counter: int) -> bytes:
    """Give one frame of a press; a tag sends the same press_counter several times over."""
    message = wire.Button(_PRESS_CODES[button.press], press_counter & 0xFF)
    return tagwire.encode_frame(button.tag, seq, message)


def encode_imu(imu: Imu, seq: int) -> bytes:
    """Give the frame of heading and shock; a shock above the wire's range is capped."""
    heading_cdeg = wire.IMU_HEADING_CDEG_INVALID
    if imu.heading_deg is not None:
        heading_cdeg = round(imu.heading_deg * 100) % (wire.IMU_HEADING_CDEG_MAX + 1)
    shock_dmps2 = wire.IMU_SHOCK_DMPS2_INVALID
    if imu.shock_mps2 is not None:
        shock_dmps2 = min(round(imu.shock_mps2 * 10), wire.IMU_SHOCK_DMPS2_INVALID - 1)
    return tagwire.encode_frame(imu.tag, seq, wire.Imu(heading_cdeg, shock_dmps2))


def encode_status(
    status: TagStatus,
    seq: int,
    *,
    firmware: tuple[int, int, int] = (0, 0, 0),
    reset_cause: wire.ResetCause = wire.ResetCause.UNKNOWN,
) -> bytes:
    """Give the frame of a tag's health."""
    battery_pct, temperature_dc = status.battery_pct, wire.STATUS_TEMPERATURE_DC_INVALID
    if status.temperature_c is not None:
        temperature_dc = round(status.temperature_c * 10)
    message = wire.Status(
        wire.STATUS_BATTERY_PCT_INVALID if battery_pct is None else battery_pct,
        temperature_dc,
        *firmware,
        reset_cause,
    )
    return tagwire.encode_frame(status.tag, seq, message)
