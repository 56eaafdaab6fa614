"""The events of a run are those of a live one: in order, complete, the same each time."""

import itertools
from collections.abc import Callable, Iterable

from throwin import event
from throwin.contract.payload import Heartbeat, Message
from throwin.sim.fast import HOST0_NS, TICK_NS, events, make_run, run_fast
from throwin.sim.scenario import Scenario

Cast = Callable[..., Scenario]


class Echo:
    """An engine that answers every command with a heartbeat."""

    def step(self, one: event.Event, /) -> Iterable[Message]:
        """Answer a command, ignore the rest."""
        if not isinstance(one, event.Command):
            return ()
        return (
            Heartbeat(
                id="1", boot="b", seq=1, t="", clk="ntp", mono_ms=0.0, phase="forming", armed=False
            ),
        )


def test_events_are_in_time_order(cast: Cast) -> None:
    """No event is older than the one before it."""
    times = [one.t_host_ns for one in events(make_run(cast()))]
    assert times == sorted(times)


def test_ports_and_broker_open_before_the_first_byte(cast: Cast) -> None:
    """What a service does at its start stands at the start."""
    first = [type(one) for one in list(events(make_run(cast())))[:3]]
    assert first == [event.BrokerState, event.ReceiverState, event.PortState]


def test_ticks_come_at_20_hz(cast: Cast) -> None:
    """Between two ticks there are 50 ms, in both clocks."""
    ticks = [one for one in events(make_run(cast())) if isinstance(one, event.Tick)]
    gaps = {
        (after.t_host_ns - before.t_host_ns, after.t_utc_ns - before.t_utc_ns)
        for before, after in itertools.pairwise(ticks)
    }
    assert gaps == {(TICK_NS, TICK_NS)}


def test_clock_step_moves_utc_alone(cast: Cast) -> None:
    """The wall clock jumps; the monotonic clock goes on."""
    step = '\n[[faults]]\nkind = "clock_step"\nat_s = 5.0\nby_s = 3600.0\n'
    ticks = [one for one in events(make_run(cast(more=step))) if isinstance(one, event.Tick)]
    gaps = {after.t_utc_ns - before.t_utc_ns for before, after in itertools.pairwise(ticks)}
    assert gaps == {TICK_NS, TICK_NS + 3_600_000_000_000}


def test_lost_port_is_told_and_silent(cast: Cast) -> None:
    """Between the loss and the return no byte comes."""
    gone = '\n[[faults]]\nkind = "port_lost"\nport = "gateway"\nfrom_s = 2.0\nto_s = 3.0\n'
    run = make_run(cast(more=gone))
    states = [
        ((one.t_host_ns - HOST0_NS) / 1e9, one.is_open)
        for one in events(run)
        if isinstance(one, event.PortState)
    ]
    assert states == [(0.0, True), (2.0, False), (3.0, True)]


def test_lost_broker_is_told(cast: Cast) -> None:
    """The broker's states come at their times."""
    gone = '\n[[faults]]\nkind = "broker_lost"\nfrom_s = 2.0\nto_s = 3.0\n'
    states = [
        one.is_connected
        for one in events(make_run(cast(more=gone)))
        if isinstance(one, event.BrokerState)
    ]
    assert states == [True, False, True]


def test_commands_come_at_their_time(cast: Cast) -> None:
    """Output carries the scenario's time of the event that brought it about."""
    more = '\n[[commands]]\nat_s = 4.5\nverb = "goal"\nargs = { team = "red" }\n'
    outputs = run_fast(make_run(cast(more=more)), Echo())
    assert [t_s for t_s, _ in outputs] == [4.5]


def test_same_scenario_gives_the_same_events(cast: Cast) -> None:
    """Two runs are equal, byte for byte."""
    assert list(events(make_run(cast()))) == list(events(make_run(cast())))


def test_start_of_the_scenario_is_the_bytes_utc(cast: Cast) -> None:
    """The tags' UTC is that of the scenario's start, lag and line apart."""
    first = next(one for one in events(make_run(cast())) if isinstance(one, event.Bytes))
    assert b"RMC,140000.00," in first.data
