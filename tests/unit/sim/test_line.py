"""Bytes arrive at the line's pace, in order, none lost but by a fault."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from throwin.sim.line import READ_S, Chunk, chunks_of
from throwin.sim.radio import Sent
from throwin.sim.scenario import Scenario

Cast = Callable[..., Scenario]
SLOW = 'ports = [{name = "gateway", who = "all", format = "own", baud = 9600}]\n'


def arrive(scenario: Scenario, *sent: Sent) -> list[Chunk]:
    return chunks_of(scenario, list(sent))


def whole(chunks: list[Chunk]) -> bytes:
    return b"".join(chunk.data for chunk in chunks)


def test_all_bytes_arrive_in_order(cast: Cast) -> None:
    """Cut wherever a read cuts, the bytes are those that were sent."""
    data = [bytes(range(200)), bytes(range(55, 255)), b"end"]
    sent = [Sent(1.0 + 0.001 * n, "gateway", one) for n, one in enumerate(data)]
    assert whole(arrive(cast(SLOW), *sent)) == b"".join(data)


def test_last_byte_takes_its_time_on_the_wire(cast: Cast) -> None:
    """500 bytes at 9600 baud take 521 ms."""
    last = arrive(cast(SLOW), Sent(1.0, "gateway", bytes(500)))[-1]
    assert last.t_s == pytest.approx(1.0 + 500 * 10 / 9600, abs=READ_S)


def test_message_waits_while_the_line_is_busy(cast: Cast) -> None:
    """What is ready while another is on the wire comes after it."""
    chunks = arrive(cast(SLOW), Sent(1.0, "gateway", b"a" * 96), Sent(1.01, "gateway", b"b" * 96))
    assert chunks[-1].t_s == pytest.approx(1.2, abs=READ_S)


def test_no_byte_arrives_before_it_is_there(cast: Cast) -> None:
    """A read returns only what the wire has brought by then."""
    gone = 0
    early: list[Chunk] = []
    for chunk in arrive(cast(SLOW), Sent(1.0, "gateway", bytes(300))):
        gone += len(chunk.data)
        early += [chunk] if chunk.t_s < 1.0 + gone * 10 / 9600 - 1e-9 else []
    assert early == []


def test_lost_port_loses_what_would_have_come(cast: Cast) -> None:
    """Bytes of a port that is gone never come, not even later."""
    gone = '\n[[faults]]\nkind = "port_lost"\nport = "gateway"\nfrom_s = 2.0\nto_s = 3.0\n'
    sent = [Sent(at_s, "gateway", word) for at_s, word in ((1.0, b"a"), (2.5, b"b"), (4.0, b"c"))]
    assert whole(arrive(cast(SLOW, gone), *sent)) == b"ac"


def test_garbage_stands_between_the_messages(cast: Cast) -> None:
    """Random bytes come on top of what is sent."""
    noise = '\n[[faults]]\nkind = "garbage"\nport = "gateway"\nat_s = 2.0\nsize = 32\n'
    data = whole(arrive(cast(SLOW, noise), Sent(1.0, "gateway", b"a"), Sent(3.0, "gateway", b"c")))
    assert (data[:1], len(data), data[-1:]) == (b"a", 34, b"c")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    words=st.lists(st.tuples(st.floats(0.0, 5.0), st.binary(min_size=1, max_size=80)), max_size=20)
)
def test_whatever_is_sent_arrives_whole_and_in_order(
    cast: Cast, words: list[tuple[float, bytes]]
) -> None:
    """Messages of any size at any time keep their order and their bytes."""
    words.sort(key=lambda word: word[0])
    sent = [Sent(at_s, "gateway", data) for at_s, data in words]
    assert whole(arrive(cast(SLOW), *sent)) == b"".join(data for _, data in words)
