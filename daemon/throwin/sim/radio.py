"""The tags' words: readings and presses as the bytes that a tag or its gateway sends.

The product's own encoders write them; when they arrive is the line's part.
"""

from collections.abc import Iterator
from typing import NamedTuple

from throwin.contract.scenariofile import PressSection
from throwin.field.frame import FieldFrame
from throwin.sim.scenario import Port, Scenario
from throwin.sim.seeded import stream
from throwin.sim.sensor import Reading
from throwin.sim.site import site_frame, to_uwb
from throwin.tags.nmea_encoder import encode_epoch
from throwin.tags.observation import Button, Fix, FixKind, Press, UwbPosition
from throwin.tags.own import encode_button, encode_fix, encode_uwb

NS = 1_000_000_000
SEQUENCES = 1 << 16
COUNTER_WRAP_MS = 1 << 32
PRESS_REPEATS = 3  # a tag says each press so often, in case one is lost
PRESS_GAP_S = 0.05


class Sent(NamedTuple):
    """Bytes that a tag's radio or cable hands to a port, in one piece."""

    ready_s: float
    port: str
    data: bytes


class Radio:
    """Turns the readings of one scenario into bytes; keeps each tag's sequence."""

    def __init__(self, scenario: Scenario, *, utc0_ns: int) -> None:
        self._scenario = scenario
        self._utc0_ns = utc0_ns
        self._frame: FieldFrame = site_frame(scenario)
        self._ports = {entity: port for port in scenario.ports for entity in port.entities}
        rngs = {
            entity: stream(scenario.file.seed, "device", entity) for entity in scenario.entities
        }
        self._seq = {entity: rng.randrange(SEQUENCES) for entity, rng in rngs.items()}
        self._counter0_ms = {e: rng.randrange(COUNTER_WRAP_MS) for e, rng in rngs.items()}

    def send(self, readings: list[Reading]) -> list[Sent]:
        """Give all that is sent, in order; readings are in the order of being ready."""
        work: list[tuple[float, Iterator[Sent]]] = [
            (reading.ready_s, self._say(reading)) for reading in readings
        ]
        counts = dict.fromkeys(self._scenario.entities, 0)
        for press in sorted(self._scenario.file.presses, key=lambda press: press.at_s):
            counts[press.who] += 1
            for repeat in range(PRESS_REPEATS):
                at_s = press.at_s + repeat * PRESS_GAP_S
                work.append((at_s, self._press(at_s, press, counts[press.who])))
        work.sort(key=lambda item: item[0])
        return [sent for _, said in work for sent in said]

    def _say(self, reading: Reading) -> Iterator[Sent]:
        seq = self._next_seq(reading.entity)
        if not reading.is_lost:
            port = self._ports[reading.entity]
            yield Sent(reading.ready_s, port.name, self._encode(reading, port, seq))

    def _encode(self, reading: Reading, port: Port, seq: int) -> bytes:
        if self._scenario.sensors[reading.entity].kind == "uwb":
            return encode_uwb(self._uwb(reading), seq)
        fix = self._fix(reading)
        if port.format == "own":
            return encode_fix(fix, seq)
        return encode_epoch(
            fix,
            source=fix.tag if port.has_tag_block else None,
            minute_decimals=8 if self._scenario.sensors[reading.entity].kind == "rtk" else 5,
        )

    def _press(self, at_s: float, press: PressSection, count: int) -> Iterator[Sent]:
        button = Button(tag=self._scenario.tags[press.who], t_host_ns=0, press=Press(press.button))
        data = encode_button(button, self._next_seq(press.who), count)
        yield Sent(at_s, self._ports[press.who].name, data)

    def _next_seq(self, entity: str) -> int:
        """Give the tag's next sequence number; a lost message has used up its own."""
        seq = self._seq[entity]
        self._seq[entity] = (seq + 1) % SEQUENCES
        return seq

    def _fix(self, reading: Reading) -> Fix:
        tag = self._scenario.tags[reading.entity]
        t_utc_ns = self._utc0_ns + round(reading.t_s * NS)
        if reading.kind is FixKind.NO_FIX:
            return Fix(tag, 0, t_utc_ns, FixKind.NO_FIX, 0.0, 0.0)
        lat_deg, lon_deg = self._frame.to_wgs84(reading.x_field_m, reading.y_field_m)
        vel_e_mps = vel_n_mps = None
        if reading.vx_field_mps is not None and reading.vy_field_mps is not None:
            vel_e_mps, vel_n_mps = self._frame.turn_to_local(
                reading.vx_field_mps, reading.vy_field_mps
            )
        variance_m2 = reading.sigma_m * reading.sigma_m
        return Fix(
            tag=tag,
            t_host_ns=0,
            t_utc_ns=t_utc_ns,
            kind=reading.kind,
            lat_deg=lat_deg,
            lon_deg=lon_deg,
            cov_ee_m2=variance_m2,
            cov_en_m2=0.0,
            cov_nn_m2=variance_m2,
            vel_e_mps=vel_e_mps,
            vel_n_mps=vel_n_mps,
            sigma_v_mps=reading.sigma_v_mps,
            lag_s=reading.lag_s,
        )

    def _uwb(self, reading: Reading) -> UwbPosition:
        counter_ms = self._counter0_ms[reading.entity] + round(reading.t_s * 1000)
        has_position = reading.kind is not FixKind.NO_FIX
        x_m, y_m = to_uwb(reading.x_field_m, reading.y_field_m) if has_position else (0.0, 0.0)
        return UwbPosition(
            tag=self._scenario.tags[reading.entity],
            t_host_ns=0,
            t_tag_ns=counter_ms * 1_000_000,
            x_uwb_m=x_m,
            y_uwb_m=y_m,
            sigma_m=reading.sigma_m if has_position else None,
            quality=0.9 if has_position else 0.0,
        )
