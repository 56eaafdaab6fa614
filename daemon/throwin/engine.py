"""The engine: events in, messages out; everything between a tag's bytes and an umpire's cue.

Pure: time is in the event. Equal events after an equal start give equal messages, whatever the
machine's clocks and hash seeds, so a journal of events can be replayed.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from throwin.contract.fieldfile import FieldFile, FieldFileError, PortSection
from throwin.contract.payload import Cue, Message
from throwin.contract.rulebook import shipped_rulebook, to_profile
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
)
from throwin.field.frame import FieldFrame, Surveyed, fit_frame
from throwin.field.pitch import Pitch
from throwin.field.units import yd_to_m
from throwin.game.desk import Desk
from throwin.game.ends import End, Ends
from throwin.game.finding import CueOrder
from throwin.game.ground import Ground
from throwin.game.match import Match, Phase
from throwin.game.referee import Referee
from throwin.game.roster import Member, Roster, RosterError, make_roster
from throwin.game.view import View
from throwin.health import Health
from throwin.publisher import Publisher
from throwin.tags.epoch import NmeaDecoder
from throwin.tags.observation import (
    Button,
    Fix,
    Imu,
    Loss,
    Malformed,
    Observation,
    TagStatus,
    UwbPosition,
)
from throwin.tags.own import OwnDecoder
from throwin.tracking.state import State
from throwin.tracking.track import Outcome, TagSpec
from throwin.tracking.tracker import Tracker, UwbFrame

HEARTBEAT_TICKS = 10  # 2 Hz at 20 ticks a second
PICTURE_TICKS = 4  # 5 Hz
LINEUP_TICKS = 4
SECOND_TICKS = 20
STATUS_TICKS = 200  # at the latest; at once when it changes
STALE_NS = 5_000_000_000  # an older position is shown no more

_USED = (Outcome.USED, Outcome.FIRST, Outcome.REOPENED)


class Engine:
    """One field's engine. boot names this start of the daemon in ids and payloads.

    Raises SurveyError or FieldFileError for a field file whose parts do not fit together.
    """

    def __init__(self, field_file: FieldFile, *, boot: str) -> None:
        self.field_file = field_file
        self.boot = boot
        profile = to_profile(
            shipped_rulebook(field_file.rulebook.profile),
            hold_tolerance_m=field_file.rulebook.hold_tolerance_m,
        )
        frame = _frame(field_file)
        roster = _roster(field_file)
        self._tags = tuple(tag.id for tag in field_file.tags)
        self._ports = {port.name: port for port in field_file.ports}
        self._decoders = {port.name: _decoder(port, self._tags) for port in field_file.ports}
        self._tracker = Tracker(
            frame=frame,
            tags=[
                TagSpec(tag=tag.id, sensor=tag.sensor, lag_s=tag.lag_s) for tag in field_file.tags
            ],
            uwb={
                row.port: _uwb_frame(
                    row.origin_x_field_yd, row.origin_y_field_yd, row.rotation_deg, row.sigma_m
                )
                for row in field_file.uwb
            },
        )
        self._referee = Referee(
            profile=profile,
            roster=roster,
            tracker=self._tracker,
            match=Match(Ends(End(field_file.match.red_attacks), profile.ends_change)),
            ground=Ground(
                line_var_m2=frame.centre_line_var_m2,
                half_width_m=yd_to_m(field_file.pitch.width_yd) / 2,
                boards_var_m2=frame.boards_var_m2,
            ),
            boot=boot,
        )
        self._desk = Desk(self._referee)
        self._health = Health(
            tags=self._tags,
            ports=[port.name for port in field_file.ports],
            umpires=[member.umpire_id or "" for member in roster.umpires],
            warnings=(*frame.warnings, *_warnings(roster)),
            tracker=self._tracker,
        )
        self._publisher = Publisher(boot=boot, valid_ms=profile.cue_valid_ms)
        self._ticks = 0
        self._is_lineup_due = False
        self._readies: set[str] = set()  # the ids of the last READY's cues
        self._lineup_key: tuple[object, ...] = ()
        self._status_key: tuple[object, ...] = ()

    @property
    def phase(self) -> Phase:
        """The phase of the throw-in."""
        return self._referee.match.phase

    def step(self, event: Event) -> list[Message]:
        """Take one event and give what is to be published, in order."""
        now_ns = event.t_host_ns
        self._publisher.at(now_ns)
        match event:
            case Bytes():
                decoder = self._decoders.get(event.port)
                if decoder is None:
                    self._health.count("unknown_port")
                    return []
                seen = decoder.feed(event.data, now_ns)
                self._read(event.port, len(event.data), seen, now_ns)
                self._take(event.port, seen, now_ns)
                return self._told()
            case Tick():
                return self._tick(event)
            case PortState():
                self._port_state(event)
            case BrokerState():
                self._health.broker(event.detail, is_connected=event.is_connected)
            case ReceiverState():
                self._health.receiver(event.umpire, event.receiver, is_online=event.is_online)
            case HostState():
                self._health.host(event.what, event.detail)
            case HostCounts():
                self._health.counters.update(event.counts)
            case Command():
                return self._command(event)
            case Ack():
                self._acknowledged(event)
            case _:
                assert_never(event)
        return []

    def _read(
        self, port: str, size: int, seen: Sequence[Observation | Malformed], now_ns: int
    ) -> None:
        is_understood = any(
            not isinstance(one, Malformed) and one.tag in self._tags for one in seen
        )
        self._health.read(port, size, now_ns, is_understood=is_understood)

    def _take(
        self, port: str, observations: Iterable[Observation | Malformed], now_ns: int
    ) -> None:
        for seen in observations:
            match seen:
                case Fix() | UwbPosition():
                    outcome = self._tracker.take(port, seen)
                    self._health.off_site(seen.tag, is_off_site=outcome is Outcome.OFF_SITE)
                    self._health.heard(seen.tag, port)
                    if outcome is Outcome.UNKNOWN_TAG:
                        self._health.unlisted(port)
                    if outcome in _USED:
                        self._referee.seen(seen.tag, now_ns)
                    else:
                        self._health.count(f"{port}.{outcome.value}")
                case Malformed():
                    self._health.count(f"{port}.{seen.reason}")
                    if seen.reason == "unknown_tag":
                        self._health.unlisted(port)
                case Button():
                    if not self._desk.press(seen):
                        self._health.count(f"{port}.press_ignored")
                case TagStatus():
                    self._health.charge(seen.tag, seen.battery_pct)
                case Loss():
                    self._health.lose(seen.tag, seen.missing)
                case Imu():
                    self._health.count(f"{port}.imu")
                case _:
                    assert_never(seen)

    def _told(self) -> list[Message]:
        """Give the messages of what the referee has found, cues first: they have no time to lose.

        What it did to the line-up is told with the next tick.
        """
        if not self._referee.has_found:
            return []
        findings = self._referee.drain()
        self._is_lineup_due = True
        cues = [finding for finding in findings if isinstance(finding, CueOrder)]
        rest = [finding for finding in findings if not isinstance(finding, CueOrder)]
        told = [self._publisher.found(finding) for finding in (*cues, *rest)]
        readies = {m.id for m in told if isinstance(m, Cue) and m.pattern == "ready"}
        self._readies = readies or self._readies
        return told

    def _acknowledged(self, ack: Ack) -> None:
        self._health.acknowledged(ack.umpire, ack.what)
        if ack.what == "silenced" and ack.cue_id in self._readies:
            self._referee.unheard(ack.t_host_ns)

    def _tick(self, tick: Tick) -> list[Message]:
        now_ns = tick.t_host_ns
        self._ticks += 1
        self._publisher.tick(tick)
        for name, decoder in self._decoders.items():
            if isinstance(decoder, NmeaDecoder):
                decoder.hint_utc(tick.t_utc_ns)
            flushed = decoder.flush(now_ns)
            if flushed:
                self._read(name, 0, flushed, now_ns)
                self._take(name, flushed, now_ns)
        self._referee.tick(now_ns)
        told = self._told()
        ticks = self._ticks
        if ticks % HEARTBEAT_TICKS == 0:
            umpires = tuple(m.umpire_id or "" for m in self._referee.roster.umpires)
            told.append(self._publisher.heartbeat(self.phase, umpires))
        if ticks % PICTURE_TICKS == 0:
            told.append(
                self._publisher.picture(self._tracker.newest_ns, self._picture_rows(now_ns))
            )
        is_live = self.phase in (Phase.FORMING, Phase.ARMED)
        is_due = ticks % SECOND_TICKS == 0
        if is_due or self._is_lineup_due or (is_live and ticks % LINEUP_TICKS == 0):
            self._is_lineup_due = False
            told += self._lineup(self._referee.view(now_ns), is_due=is_due)
        for place in range(ticks % SECOND_TICKS, len(self._tags), SECOND_TICKS):
            tag = self._tags[place]
            row = self._health.tag_row(tag, now_ns)
            told.append(self._publisher.tag(row, self._referee.roster.entity_of(tag)))
        if ticks == 1 or ticks % HEARTBEAT_TICKS == 0:
            told += self._status(now_ns)
        return told

    def _picture_rows(self, now_ns: int) -> Iterator[tuple[str, Member | None, State]]:
        t_picture_ns = self._tracker.newest_ns
        members = {member.tag: member for member in self._referee.roster.members}
        for tag in self._tags:
            track = self._tracker.track(tag)
            if track is None or not track.is_started or now_ns - track.t_fix_ns > STALE_NS:
                continue
            state = track.at(t_picture_ns)
            if state is not None:
                member = members.get(tag)
                yield (tag if member is None else member.entity), member, state

    def _lineup(self, view: View, *, is_due: bool) -> list[Message]:
        verdicts = tuple(judgement.verdict for judgement in view.judgements)
        key = (view._replace(judgements=()), verdicts)
        if key == self._lineup_key and not is_due:
            return []
        self._lineup_key = key
        return [self._publisher.lineup(view)]

    def _status(self, now_ns: int) -> list[Message]:
        fielded = [(member.entity, member.tag) for member in self._referee.roster.members]
        reasons = self._health.reasons(now_ns, fielded)
        if (reasons,) == self._status_key and self._ticks % STATUS_TICKS:
            return []
        self._status_key = (reasons,)
        return [self._publisher.status(reasons, self._health.counters)]

    def _port_state(self, state: PortState) -> None:
        self._health.port(state.port, state.detail, is_open=state.is_open)
        section = self._ports.get(state.port)
        if section is not None and state.is_open:
            self._decoders[state.port] = _decoder(section, self._tags)

    def _command(self, command: Command) -> list[Message]:
        reply = self._desk.take(command)
        told = self._told()
        if command.reply_to:
            told.append(self._publisher.answer(command, reply, self.phase))
        return told


def _decoder(port: PortSection, tags: tuple[str, ...]) -> NmeaDecoder | OwnDecoder:
    """Make a fresh decoder: what was left of an earlier opening of the port is no use."""
    match port.format:
        case "nmea":
            return NmeaDecoder(port.tag, port.baud)
        case "own":
            return OwnDecoder(tags, port.baud)


def _uwb_frame(x_yd: float, y_yd: float, rotation_deg: float, sigma_m: float) -> UwbFrame:
    return UwbFrame(
        origin_x_field_m=yd_to_m(x_yd),
        origin_y_field_m=yd_to_m(y_yd),
        rotation_rad=math.radians(rotation_deg),
        var_m2=sigma_m * sigma_m,
    )


def _frame(field_file: FieldFile) -> FieldFrame:
    size = field_file.pitch
    pitch = Pitch(
        length_m=yd_to_m(size.length_yd),
        width_m=yd_to_m(size.width_yd),
        goal_width_m=yd_to_m(size.goal_width_yd),
    )
    points = [
        Surveyed(
            at=point.at,
            lat_deg=point.lat_deg,
            lon_deg=point.lon_deg,
            height_m=point.height_m,
            sigma_m=point.sigma_m,
        )
        for point in field_file.survey
    ]
    return fit_frame(points, pitch)


def _warnings(roster: Roster) -> tuple[str, ...]:
    """Say what a roster lacks to be of any use."""
    found = []
    if not roster.umpires:
        found.append(
            "no umpire has a tag: put on = 'umpire u1' on one; nobody can be told anything"
        )
    if not any(member.team is not None for member in roster.members):
        found.append("no player has a tag: nothing can be judged")
    return tuple(found)


def _roster(field_file: FieldFile) -> Roster:
    try:
        return make_roster((tag.id, tag.on) for tag in field_file.tags)
    except RosterError as error:
        raise FieldFileError("tags", "a roster", str(error)) from None
