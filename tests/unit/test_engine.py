"""The engine: bytes in, messages out; no input makes it raise, none is silently lost."""

import random
from collections.abc import Iterable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from throwin.contract.fieldfile import FieldFile, FieldFileError, TagSection, parse_fieldfile
from throwin.contract.payload import (
    Answer,
    Cue,
    Heartbeat,
    Lineup,
    Message,
    Picture,
    Status,
    TagHealth,
    encode,
)
from throwin.contract.toml import write_toml
from throwin.engine import Engine
from throwin.event import (
    Ack,
    BrokerState,
    Bytes,
    Command,
    Event,
    HostCounts,
    HostState,
    PortState,
    ReceiverState,
    Tick,
    Verb,
)
from throwin.field.frame import SurveyError
from throwin.game.match import Phase
from throwin.sim.fast import events, make_run, run_fast
from throwin.sim.library import load_scenario
from throwin.sim.site import field_file

NS = 1_000_000_000
SCENARIO = load_scenario("goes_right")
FILE = field_file(SCENARIO)


def engine() -> Engine:
    return Engine(FILE, boot="b0")


def ticks(count: int, *, start_ns: int = 0) -> list[Event]:
    return [Tick(start_ns + n * NS // 20, n * NS // 20, "ntp") for n in range(1, count + 1)]


def outputs(made: Engine, given_events: Iterable[Event]) -> list[Message]:
    return [message for one in given_events for message in made.step(one)]


def of(kind: type, messages: Iterable[Message]) -> list[Message]:
    return [message for message in messages if isinstance(message, kind)]


@pytest.fixture(scope="module")
def told() -> list[tuple[float, Message]]:
    """Give all that a good throw-in brings."""
    return run_fast(make_run(SCENARIO), engine())


def test_heartbeat_comes_twice_a_second() -> None:
    """Heartbeat comes twice a second."""
    assert len(of(Heartbeat, outputs(engine(), ticks(100)))) == 10


def test_heartbeat_tells_when_it_is_armed(told: list[tuple[float, Message]]) -> None:
    """Heartbeat tells when it is armed."""
    beats = [message for _, message in told if isinstance(message, Heartbeat)]
    assert [beat.armed for beat in beats] == [beat.phase == "armed" for beat in beats]


def test_picture_comes_five_times_a_second(told: list[tuple[float, Message]]) -> None:
    """Picture comes five times a second."""
    assert len(of(Picture, (m for t, m in told if 5.0 <= t < 7.0))) == 10


def test_picture_has_everybody_at_one_instant(told: list[tuple[float, Message]]) -> None:
    """Picture has everybody at one instant."""
    pictures = [message for t, message in told if isinstance(message, Picture) and t > 6.0]
    assert {len(picture.entities) for picture in pictures} == {9}


def test_every_tag_tells_its_health_once_a_second(told: list[tuple[float, Message]]) -> None:
    """Every tag tells its health once a second."""
    rows = [message for t, message in told if isinstance(message, TagHealth) and 5.0 <= t < 6.0]
    assert sorted(row.tag for row in rows) == sorted(tag.id for tag in FILE.tags)


def test_rate_of_a_tag_is_measured(told: list[tuple[float, Message]]) -> None:
    """Rate of a tag is measured."""
    rates = [message.rate_hz for t, message in told if isinstance(message, TagHealth) and t > 4.0]
    assert (min(rates) >= 9.0, max(rates) <= 11.0) == (True, True)


def test_ids_are_never_given_twice(told: list[tuple[float, Message]]) -> None:
    """Ids are never given twice."""
    ids = [message.id for _, message in told]
    assert len(ids) == len(set(ids))


def test_sequence_of_each_kind_has_no_gap(told: list[tuple[float, Message]]) -> None:
    """Sequence of each kind has no gap."""
    seqs = [message.seq for _, message in told if isinstance(message, Heartbeat)]
    assert seqs == list(range(1, len(seqs) + 1))


def test_equal_events_give_equal_messages() -> None:
    """Equal events give equal messages."""
    run = make_run(SCENARIO)
    first, second = (
        [encode(message) for message in outputs(engine(), events(run))] for _ in range(2)
    )
    assert first == second


def test_cue_comes_before_all_else_of_its_event() -> None:
    """Cue comes before all else of its event."""
    scenario = load_scenario("creeps_inside_5yd")
    made = Engine(field_file(scenario), boot="b0")
    steps = [made.step(one) for one in events(make_run(scenario))]
    heard = [step for step in steps if any(isinstance(message, Cue) for message in step)]
    assert [isinstance(step[0], Cue) for step in heard] == [True] * 6


def test_cue_has_the_time_of_the_event_that_caused_it() -> None:
    """Cue has the time of the event that caused it."""
    made = engine()
    pairs = [
        (message.mono_ms, one.t_host_ns / 1e6)
        for one in events(make_run(SCENARIO))
        for message in made.step(one)
        if isinstance(message, Cue)
    ]
    assert [mono for mono, _ in pairs] == [host for _, host in pairs]


def test_line_up_tells_each_change_of_phase(told: list[tuple[float, Message]]) -> None:
    """Line up tells each change of phase."""
    phases: list[str] = []
    for _, message in told:
        if isinstance(message, Lineup) and phases[-1:] != [message.phase]:
            phases.append(message.phase)
    assert phases[:4] == ["between", "forming", "armed", "thrown"]


def test_bytes_of_an_unknown_port_are_counted() -> None:
    """Bytes of an unknown port are counted."""
    made = engine()
    made.step(Bytes("nobody", 1, b"$GN"))
    status = of(Status, outputs(made, ticks(1)))
    assert isinstance(status[0], Status)
    assert status[0].counters == {"unknown_port": 1}


def reasons_after(made: Engine, *given_events: Event) -> tuple[str, ...]:
    outputs(made, given_events)
    found = of(Status, outputs(made, ticks(60)))
    last = found[-1]
    assert isinstance(last, Status)
    return last.reasons


def test_start_is_init_and_names_nothing_amiss_yet() -> None:
    """Start is init and names nothing amiss yet."""
    first = of(Status, outputs(engine(), ticks(1)))[0]
    assert isinstance(first, Status)
    assert (first.state, first.reasons) == ("init", ())


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (PortState("gateway", 0, is_open=False, detail="unplugged"), "port gateway: unplugged"),
        (BrokerState(0, is_connected=False, detail="no broker"), "broker: no broker"),
        (HostState(0, "recording", "no space"), "recording: no space"),
        (ReceiverState(0, "u1", "wrist", is_online=False), "umpire u1: no receiver"),
        (Ack(0, "u1", "wrist", "c1", "played", 1.0), "tag ump-u1 (umpire u1): no position yet"),
    ],
)
def test_what_is_amiss_is_named(event: Event, words: str) -> None:
    """What is amiss is named."""
    assert words in reasons_after(engine(), event)


def test_counts_of_the_host_are_told_in_the_status() -> None:
    """Counts of the host are told in the status, each as it was last."""
    made = engine()
    made.step(HostCounts(0, (("queue_max", 3), ("mqtt.dropped", 1))))
    made.step(HostCounts(1, (("queue_max", 17),)))
    last = of(Status, outputs(made, ticks(60)))[-1]
    assert isinstance(last, Status)
    assert last.counters == {"queue_max": 17, "mqtt.dropped": 1}


def test_receiver_of_an_umpire_who_is_not_there_is_named() -> None:
    """A mistyped name would be silence that seems to mean that all is fine."""
    reasons = reasons_after(engine(), ReceiverState(0, "u9", "wrist", is_online=True))
    assert "receiver wrist: there is no umpire u9" in reasons


def test_receivers_that_came_and_went_leave_nothing() -> None:
    """Names come from outside: what is gone must not stay in the status or in the memory."""
    made = engine()
    for number in range(1000):
        for is_online in (True, False):
            made.step(ReceiverState(0, f"u{number}x", "wrist", is_online=is_online))
    assert [reason for reason in reasons_after(made) if "there is no umpire" in reason] == []


def test_more_receivers_than_a_field_has_are_counted() -> None:
    """More receivers than a field has are counted, and not kept."""
    made = engine()
    for number in range(1000):
        made.step(ReceiverState(0, f"u{number % 40}x", f"wrist {number}", is_online=True))
    named = [reason for reason in reasons_after(made) if "there is no umpire" in reason]
    assert len(named) == 16 * 16


def test_acknowledgements_of_strangers_are_counted_as_one() -> None:
    """Acknowledgements of strangers are counted as one: a counter a name would be endless."""
    made = engine()
    for number in range(100):
        made.step(Ack(0, f"u{number}x", "wrist", "c1", "felt", 1.0))
    last = of(Status, outputs(made, ticks(60)))[-1]
    assert isinstance(last, Status)
    assert last.counters == {"ack.unknown_umpire.felt": 100}


@pytest.mark.parametrize(
    ("kept", "words"),
    [("red 1", "no umpire has a tag"), ("umpire u1", "no player has a tag: nothing can be judged")],
)
def test_field_file_that_can_serve_nobody_is_named(kept: str, words: str) -> None:
    """Without an umpire's tag, or any player's, nothing will ever be told: that is said."""
    tags = tuple(tag for tag in FILE.tags if tag.on == kept)
    made = Engine(msgspec.structs.replace(FILE, tags=tags), boot="b0")
    assert any(reason.startswith(words) for reason in reasons_after(made))


def reasons_of(file: FieldFile, until_s: float = 6.0) -> set[str]:
    """Give all reasons named in the first seconds, with the bytes of the usual scenario."""
    told = run_fast(make_run(SCENARIO), Engine(file, boot="b0"))
    return {
        reason
        for t_s, message in told
        if isinstance(message, Status) and t_s < until_s
        for reason in message.reasons
        if "receiver" not in reason and "broker" not in reason
    }


def test_port_of_another_format_is_named() -> None:
    """Bytes of which no position can be read are the port's fault, not the tags'."""
    ports = tuple(
        msgspec.structs.replace(port, format="nmea" if port.format == "own" else "own")
        for port in FILE.ports
    )
    reasons = reasons_of(msgspec.structs.replace(FILE, ports=ports))
    assert {one for one in reasons if one.startswith("port ")} == {
        f"port {port.name}: bytes come, and no position can be read from them:"
        " are format and baud right?"
        for port in ports
    }


def test_port_whose_tags_are_not_listed_is_named() -> None:
    """A typing error in an id shows as tags that nobody has listed."""
    tags = tuple(msgspec.structs.replace(tag, id=f"x{tag.id}") for tag in FILE.tags)
    reasons = reasons_of(msgspec.structs.replace(FILE, tags=tags))
    assert any("that the field file does not list" in one for one in reasons)


def test_tags_far_from_the_survey_are_named() -> None:
    """A survey of another place leaves every tag far off, and the reason says so."""
    survey = tuple(
        msgspec.structs.replace(point, lon_deg=point.lon_deg + 1.0) for point in FILE.survey
    )
    reasons = reasons_of(msgspec.structs.replace(FILE, survey=survey))
    assert sum("far from the surveyed field" in one for one in reasons) == 9


def test_usual_start_names_nothing() -> None:
    """What is amiss is told only where it is."""
    assert reasons_of(FILE) == set()


def test_ends_that_nobody_has_told_are_missing() -> None:
    """Before the draw READY does not come, and the technician is told what to do about it."""
    scenario = load_scenario("ends_are_drawn")
    told = run_fast(make_run(scenario), Engine(field_file(scenario), boot="b0"))
    missing = {m.missing for t_s, m in told if isinstance(m, Lineup) and 8.0 < t_s < 10.0}
    assert {one[0] for one in missing} == {"which end red attacks is not known: say draw or ends"}


def test_ready_that_a_receiver_silenced_is_sent_again() -> None:
    """The umpire did not feel it: whatever his receiver was playing, it comes once more."""
    made = engine()
    readies: list[str] = []
    for event in events(make_run(SCENARIO)):
        told = [m for m in made.step(event) if isinstance(m, Cue) and m.pattern == "ready"]
        readies += [cue.id for cue in told]
        if told and len(readies) == 1:
            made.step(Ack(event.t_host_ns, "u1", "b", readies[0], "silenced", 1.0))
    assert len(readies) == 2


def test_heartbeat_names_the_umpires() -> None:
    """Receivers find their own among them."""
    beat = of(Heartbeat, outputs(engine(), ticks(10)))[0]
    assert isinstance(beat, Heartbeat)
    assert beat.umpires == ("u1",)


def test_receiver_that_is_there_is_not_missed() -> None:
    """Receiver that is there is not missed."""
    reasons = reasons_after(engine(), ReceiverState(0, "u1", "wrist", is_online=True))
    assert "umpire u1: no receiver" not in reasons


def test_port_that_is_open_is_not_named() -> None:
    """Port that is open is not named."""
    reasons = reasons_after(engine(), PortState("gateway", 0, is_open=True, detail="opened"))
    assert not any(reason.startswith("port") for reason in reasons)


def test_command_is_answered_where_it_asks() -> None:
    """Command is answered where it asks."""
    told = engine().step(
        Command(5, "c1", Verb.ENDS, (("red_attacks", "north"),), "mqtt", "answers/x", "0a")
    )
    answer = told[-1]
    assert isinstance(answer, Answer)
    assert (answer.ok, answer.command_id, answer.reply_to, answer.correlation) == (
        True, "c1", "answers/x", "0a",
    )  # fmt: skip


def test_command_that_wants_no_answer_gets_none() -> None:
    """Command that wants no answer gets none."""
    assert of(Answer, engine().step(Command(5, "c1", Verb.WHISTLE))) == []


def test_refused_command_says_why() -> None:
    """Refused command says why."""
    told = engine().step(Command(5, "c1", Verb.RETAKE, (), "mqtt", "answers/x", ""))
    answer = told[-1]
    assert isinstance(answer, Answer)
    assert (answer.ok, answer.phase) == (False, "between")


def test_command_of_every_verb_is_answered() -> None:
    """Command of every verb is answered."""
    made = engine()
    commands = [Command(5, verb.value, verb, (), "mqtt", "answers/x", "") for verb in Verb]
    answers = of(Answer, outputs(made, commands))
    assert [m.command_id for m in answers if isinstance(m, Answer)] == [v.value for v in Verb]


def mutated(seed: int) -> list[Event]:
    """Give a throw-in whose bytes are cut, flipped, doubled and mixed with noise."""
    rng = random.Random(seed)
    spoiled: list[Event] = []
    for one in events(make_run(SCENARIO)):
        if not isinstance(one, Bytes) or rng.random() > 0.3:
            spoiled.append(one)
            continue
        data = bytearray(one.data)
        match rng.randrange(4):
            case 0:
                del data[rng.randrange(len(data)) :]
            case 1:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            case 2:
                data *= 2
            case _:
                data[rng.randrange(len(data)) :] = rng.randbytes(rng.randrange(80))
        spoiled.append(one._replace(data=bytes(data)))
    return spoiled


@pytest.mark.parametrize("seed", range(6))
def test_spoiled_bytes_give_no_false_hold(seed: int) -> None:
    """Spoiled bytes give no false hold."""
    told = outputs(engine(), mutated(seed))
    assert [m for m in told if isinstance(m, Cue) and m.pattern in ("hold", "warn")] == []


@pytest.mark.parametrize("seed", range(6))
def test_spoiled_bytes_are_counted(seed: int) -> None:
    """Spoiled bytes are counted."""
    statuses = of(Status, outputs(engine(), mutated(seed)))
    last = statuses[-1]
    assert isinstance(last, Status)
    assert sum(count for name, count in last.counters.items() if name.startswith("gateway.")) > 0


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.lists(st.binary(max_size=300), max_size=20))
def test_any_bytes_are_taken(chunks: list[bytes]) -> None:
    """Any bytes are taken."""
    made = engine()
    for number, chunk in enumerate(chunks):
        made.step(Bytes("gateway", number * 1_000_000, chunk))
    assert made.phase is Phase.BETWEEN


def replaced(text: str, old: str, new: str) -> FieldFile:
    return parse_fieldfile(text.replace(old, new, 1))


def test_unknown_rulebook_is_refused_by_name() -> None:
    """Unknown rulebook is refused by name."""
    file = replaced(write_toml(FILE), 'profile = "uspa-2026"', 'profile = "fantasy"')
    with pytest.raises(FieldFileError, match=r"rulebook\.profile: expected one of uspa-2026"):
        Engine(file, boot="b0")


def test_survey_of_nothing_is_refused() -> None:
    """Survey of nothing is refused."""
    file = FieldFile(field="x", survey=(), ports=(), tags=())
    with pytest.raises(SurveyError, match="at least two named points"):
        Engine(file, boot="b0")


def test_entity_that_is_none_is_refused() -> None:
    """Entity that is none is refused."""
    tag = TagSection(id="x", sensor="rtk", on="purple 9")
    file = FieldFile(field="x", survey=FILE.survey, ports=(), tags=(tag,))
    with pytest.raises(FieldFileError, match="tags: expected a roster"):
        Engine(file, boot="b0")


def test_half_frame_of_a_lost_port_is_forgotten() -> None:
    """Half frame of a lost port is forgotten."""
    made = engine()
    run = list(events(make_run(SCENARIO)))
    chunk = next(one for one in run if isinstance(one, Bytes))
    made.step(chunk._replace(data=chunk.data[:40]))
    made.step(PortState("gateway", chunk.t_host_ns, is_open=False, detail="unplugged"))
    made.step(PortState("gateway", chunk.t_host_ns, is_open=True, detail="opened"))
    made.step(chunk._replace(data=b"\r\n"))
    statuses = of(Status, outputs(made, ticks(1, start_ns=chunk.t_host_ns)))
    first = statuses[0]
    assert isinstance(first, Status)
    assert first.counters == {}
