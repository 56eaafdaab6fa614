"""The tags as sensors: what each of them measures of truth, and when it is ready to say so.

Noise, faults of tags and radio losses; no formats and no lines. Field metres, seconds from the
scenario's start.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from throwin.contract.fieldfile import SensorClass
from throwin.contract.scenariofile import Degraded, PacketLoss, Silent, WrongFix
from throwin.sim.noise import DEGRADED, MODELS, Common, Noise, SensorModel
from throwin.sim.scenario import Scenario
from throwin.sim.seeded import stream
from throwin.sim.truth import Truth
from throwin.tags.observation import FixKind

NS = 1_000_000_000
READY_JITTER_S = 0.008  # a receiver's solution is ready within so much after its usual lag


class Reading(NamedTuple):
    """One measurement of one tag, or its statement that it has none.

    t_s: measurement; ready_s: when its first byte may leave. is_lost: never reaches the line.
    """

    ready_s: float
    t_s: float
    entity: str
    kind: FixKind
    x_field_m: float
    y_field_m: float
    vx_field_mps: float | None
    vy_field_mps: float | None
    sigma_m: float
    sigma_v_mps: float | None
    lag_s: float
    is_lost: bool


class Sensors:
    """All tags of a scenario; models may be replaced, e.g. by ones that the filter does not know.

    utc0_ns: UTC at the scenario's start; GNSS receivers measure at whole periods of UTC.
    """

    def __init__(
        self,
        truth: Truth,
        *,
        utc0_ns: int,
        models: Mapping[SensorClass, SensorModel] = MODELS,
        degraded: Mapping[str, SensorModel] = DEGRADED,
    ) -> None:
        self._truth = truth
        self._scenario = truth.scenario
        self._utc0_ns = utc0_ns
        self._models = models
        self._degraded = degraded
        self._commons: dict[SensorModel, Common] = {}

    def model(self, entity: str) -> SensorModel:
        """Give the model of one entity's tag, with what the scenario says of it."""
        sensor = self._scenario.sensors[entity]
        model = self._models[sensor.kind]
        return replace(
            model,
            rate_hz=model.rate_hz if sensor.rate_hz is None else sensor.rate_hz,
            lag_s=model.lag_s if sensor.lag_s is None else sensor.lag_s,
        )

    def readings(self) -> list[Reading]:
        """Give all readings of all tags in the order in which they are ready."""
        return sorted(
            (reading for entity in self._scenario.entities for reading in self._of(entity)),
            key=lambda reading: (reading.ready_s, reading.entity),
        )

    def _of(self, entity: str) -> Iterator[Reading]:
        usual, radio = self.model(entity), stream(self._scenario.file.seed, "radio", entity)
        faults = _faults_of(self._scenario, entity)
        kept = 1.0 - self._scenario.sensors[entity].loss
        noises: dict[str, Noise] = {}
        start_s = self._phase_s(entity, usual)
        for number in range(math.ceil((self._scenario.file.duration_s - start_s) * usual.rate_hz)):
            t_s = start_s + number / usual.rate_hz
            now = [fault for fault in faults if fault.from_s <= t_s < fault.to_s]
            fix = next((fault.fix for fault in now if isinstance(fault, Degraded)), "")
            if fix not in noises:
                noises[fix] = self._noise(entity, usual, fix)
            off_m = next((fault.by_m for fault in now if isinstance(fault, WrongFix)), (0.0, 0.0))
            ready_s = t_s + usual.lag_s + radio.uniform(0.0, READY_JITTER_S)
            yield self._read(
                entity,
                (t_s, ready_s),
                noises[fix],
                off_m,
                is_lost=radio.random() >= kept * _kept(now),
            )

    def _read(
        self,
        entity: str,
        times_s: tuple[float, float],
        noise: Noise,
        off_m: tuple[float, float],
        *,
        is_lost: bool,
    ) -> Reading:
        model, (t_s, ready_s) = noise.model, times_s
        state = self._truth.state(entity, t_s)
        dx_m, dy_m = noise.error(t_s)
        dvx, dvy = noise.velocity_error()
        gives_v = model.sigma_v_mps is not None
        return Reading(
            ready_s=ready_s,
            t_s=t_s,
            entity=entity,
            kind=model.kind,
            x_field_m=state.x_field_m + dx_m + off_m[0],
            y_field_m=state.y_field_m + dy_m + off_m[1],
            vx_field_mps=state.vx_field_mps + dvx if gives_v else None,
            vy_field_mps=state.vy_field_mps + dvy if gives_v else None,
            sigma_m=model.claimed_sigma_m,
            sigma_v_mps=model.sigma_v_mps,
            lag_s=model.lag_s,
            is_lost=is_lost,
        )

    def _noise(self, entity: str, usual: SensorModel, fix: str) -> Noise:
        file, model = self._scenario.file, usual
        if fix:
            model = replace(self._degraded[fix], rate_hz=usual.rate_hz, lag_s=usual.lag_s)
        like = replace(model, rate_hz=1.0, lag_s=0.0)
        if like not in self._commons:
            self._commons[like] = Common(file.seed, model, file.duration_s)
        return Noise(file.seed, entity, model, self._commons[like])

    def _phase_s(self, entity: str, model: SensorModel) -> float:
        if model.is_synchronous:
            period_ns = round(NS / model.rate_hz)
            return (-self._utc0_ns % period_ns) / NS
        return stream(self._scenario.file.seed, "phase", entity).uniform(0.0, 1.0 / model.rate_hz)


_TagFault = Silent | PacketLoss | Degraded | WrongFix


def _faults_of(scenario: Scenario, entity: str) -> list[_TagFault]:
    return [
        fault
        for fault in scenario.file.faults
        if isinstance(fault, _TagFault) and entity in scenario.select(fault.who)
    ]


def _kept(faults: list[_TagFault]) -> float:
    """Give the share of epochs that independent losses leave; silence leaves none."""
    kept = 1.0
    for fault in faults:
        match fault:
            case Silent():
                kept = 0.0
            case PacketLoss(fraction=fraction):
                kept *= 1.0 - fraction
            case _:
                pass
    return kept
