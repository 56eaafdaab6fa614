"""A scenario as engine events, as fast as the engine takes them: no clock, no ports, no sleep.

The events are those that the live path would give: bytes with the stamps of their reads, ticks,
states of ports and broker, commands.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from throwin import event
from throwin.contract.fieldfile import SensorClass
from throwin.contract.payload import Message
from throwin.contract.scenariofile import BrokerLost, ClockStep, PortLost
from throwin.sim.line import Chunk, chunks_of
from throwin.sim.noise import DEGRADED, MODELS, SensorModel
from throwin.sim.radio import Radio
from throwin.sim.scenario import Scenario
from throwin.sim.sensor import Sensors
from throwin.sim.truth import Truth

NS = 1_000_000_000
HOST0_NS = 86_461_000_000_123  # a monotonic clock starts anywhere
TICK_NS = 50_000_000  # 20 Hz, as live


class Steps(Protocol):
    """What the simulator needs of the engine."""

    def step(self, event: event.Event, /) -> Iterable[Message]:
        """Take one event, give what it brings about."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a scenario: its truth, what its tags said, and when the bytes arrive."""

    scenario: Scenario
    truth: Truth
    chunks: tuple[Chunk, ...]
    utc0_ns: int


def make_run(
    scenario: Scenario,
    *,
    utc0_ns: int | None = None,
    models: Mapping[SensorClass, SensorModel] = MODELS,
    degraded: Mapping[str, SensorModel] = DEGRADED,
) -> Run:
    """Work out a whole run; utc0_ns: UTC at its start, None = as the scenario says."""
    if utc0_ns is None:
        utc0_ns = round(scenario.file.start_utc.timestamp() * 1000) * 1_000_000
    truth = Truth(scenario)
    sensors = Sensors(truth, utc0_ns=utc0_ns, models=models, degraded=degraded)
    sent = Radio(scenario, utc0_ns=utc0_ns).send(sensors.readings())
    return Run(
        scenario=scenario,
        truth=truth,
        chunks=tuple(chunks_of(scenario, sent)),
        utc0_ns=utc0_ns,
    )


def events(run: Run, *, host0_ns: int = HOST0_NS) -> Iterator[event.Event]:
    """Give the events of a run in time order; host0_ns: the monotonic clock at its start."""
    timed = sorted(_timed(run, host0_ns), key=lambda item: item[:2])
    return (item[2] for item in timed)


def run_fast(run: Run, engine: Steps) -> list[tuple[float, Message]]:
    """Feed a run to an engine; give what came out, each with the scenario's time."""
    outputs: list[tuple[float, Message]] = []
    for one in events(run):
        t_s = (one.t_host_ns - HOST0_NS) / NS
        outputs += [(t_s, message) for message in engine.step(one)]
    return outputs


def commands_of(scenario: Scenario, host0_ns: int) -> list[event.Command]:
    """Give the scenario's commands with their times on the host's monotonic clock."""
    return [
        event.Command(
            t_host_ns=host0_ns + round(row.at_s * NS),
            id=f"sim-{index + 1}",
            verb=event.Verb(row.verb),
            args=tuple(row.args.items()),
            source=row.source,
        )
        for index, row in enumerate(scenario.file.commands)
    ]


def _timed(run: Run, host0_ns: int) -> Iterator[tuple[int, int, event.Event]]:
    """Give (time, order within the time, event), unsorted."""
    scenario = run.scenario
    yield host0_ns, 0, event.BrokerState(host0_ns, is_connected=True, detail="connected")
    for name in scenario.file.cast.umpires:
        yield host0_ns, 0, event.ReceiverState(host0_ns, name, "sim", is_online=True)
    for port in scenario.ports:
        yield host0_ns, 0, event.PortState(port.name, host0_ns, is_open=True, detail="opened")
    for fault in scenario.file.faults:
        match fault:
            case PortLost():
                lost_ns, back_ns = (host0_ns + round(s * NS) for s in (fault.from_s, fault.to_s))
                yield lost_ns, 1, event.PortState(fault.port, lost_ns, is_open=False, detail="lost")
                yield (
                    back_ns,
                    1,
                    event.PortState(fault.port, back_ns, is_open=True, detail="opened"),
                )
            case BrokerLost():
                lost_ns, back_ns = (host0_ns + round(s * NS) for s in (fault.from_s, fault.to_s))
                yield lost_ns, 1, event.BrokerState(lost_ns, is_connected=False, detail="lost")
                yield back_ns, 1, event.BrokerState(back_ns, is_connected=True, detail="connected")
            case _:
                pass
    for command in commands_of(scenario, host0_ns):
        yield command.t_host_ns, 2, command
    for chunk in run.chunks:
        t_host_ns = host0_ns + round(chunk.t_s * NS)
        yield t_host_ns, 3, event.Bytes(chunk.port, t_host_ns, chunk.data)
    yield from _ticks(run, host0_ns)


def _ticks(run: Run, host0_ns: int) -> Iterator[tuple[int, int, event.Event]]:
    steps = [fault for fault in run.scenario.file.faults if isinstance(fault, ClockStep)]
    for number in range(1, int(run.scenario.file.duration_s * NS) // TICK_NS + 1):
        passed_ns = number * TICK_NS
        stepped_s = sum(step.by_s for step in steps if step.at_s * NS <= passed_ns)
        t_utc_ns = run.utc0_ns + passed_ns + round(stepped_s * NS)
        yield host0_ns + passed_ns, 4, event.Tick(host0_ns + passed_ns, t_utc_ns, "ntp")
