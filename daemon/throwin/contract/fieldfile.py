"""The field file: everything a technician configures, validated, in the units people read.

TOML in, frozen structs out. An unknown key, a wrong type or an impossible value raises
FieldFileError, which names the key's path, the value and what was expected.
"""

import re
import tomllib
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from throwin.contract.explain import NAME_PATTERN, did_you_mean, explain
from throwin.field.pitch import PLACES

Name = Annotated[str, msgspec.Meta(pattern=NAME_PATTERN)]
PlaceYd = Annotated[float, msgspec.Meta(ge=-1000.0, le=1000.0)]
PositiveYd = Annotated[float, msgspec.Meta(gt=0.0, le=500.0)]
SensorClass = Literal["rtk", "uwb", "gnss"]
FIXED = tuple(name for name, (x, y) in PLACES.items() if x is not None and y is not None)
PLAYERS = tuple(f"{team} {number}" for team in ("red", "blue") for number in range(1, 5))
_ON = re.compile(r"(red|blue) [1-4]|umpire [A-Za-z0-9_.-]{1,32}|ball")


class FieldFileError(ValueError):
    """A field file that can't be used; path is the key's path, e.g. ports[1].baud."""

    def __init__(self, path: str, expected: str, got: str) -> None:
        super().__init__(f"{path}: expected {expected}, got {got}")
        self.path = path
        self.expected = expected
        self.got = got


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class PitchSection(_Strict, frozen=True, kw_only=True):
    """Size of the pitch between end lines and between boards (or side lines), yards."""

    length_yd: PositiveYd = 300.0
    width_yd: PositiveYd = 160.0
    goal_width_yd: PositiveYd = 8.0
    north_goal: str = "north"
    south_goal: str = "south"


class SurveyPoint(_Strict, frozen=True, kw_only=True):
    """One surveyed point, WGS84 degrees; at names where it is on the pitch.

    at: centre, corner_north_left, corner_north_right, corner_south_left, corner_south_right,
    goal_north_left, goal_north_right, goal_south_left, goal_south_right (the posts),
    boards_left, boards_right, end_north, end_south (anywhere on that line). Left is what is left
    of one who stands on the centre spot and looks at the north goal.
    """

    at: str
    lat_deg: Annotated[float, msgspec.Meta(ge=-90.0, le=90.0)]
    lon_deg: Annotated[float, msgspec.Meta(ge=-180.0, le=180.0)]
    sigma_m: Annotated[float, msgspec.Meta(gt=0.0, le=10.0)] = 0.02
    height_m: Annotated[float, msgspec.Meta(ge=-500.0, le=6000.0)] = 0.0


class PortSection(_Strict, frozen=True, kw_only=True):
    """One serial port: device path or URL, what it speaks, and the tag when it has only one."""

    name: Name
    device: Annotated[str, msgspec.Meta(min_length=1)]
    format: Literal["nmea", "own"]
    baud: Annotated[int, msgspec.Meta(ge=300, le=12_000_000)] = 115_200
    tag: Name | None = None
    silence_s: Annotated[float, msgspec.Meta(gt=0.0, le=3600.0)] = 5.0


class TagSection(_Strict, frozen=True, kw_only=True):
    """One tag: its sensor class and whom it is on.

    on: "red 1" .. "blue 4", "umpire <id>", "ball", or "" (spare).
    lag_s: from measurement to first byte, from the receiver's data sheet.
    """

    id: Name
    sensor: SensorClass
    on: str = ""
    lag_s: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)] = 0.0


class UwbSection(_Strict, frozen=True, kw_only=True):
    """Where a port's UWB frame lies in the field: rotation counter-clockwise, then offset."""

    port: Name
    origin_x_field_yd: PlaceYd = 0.0
    origin_y_field_yd: PlaceYd = 0.0
    rotation_deg: Annotated[float, msgspec.Meta(ge=-360.0, le=360.0)] = 0.0
    sigma_m: Annotated[float, msgspec.Meta(ge=0.0, le=10.0)] = 0.05


class MatchSection(_Strict, frozen=True, kw_only=True):
    """How the match starts; red_attacks is the drawn end, unknown until drawn when "unknown"."""

    red_attacks: Literal["north", "south", "unknown"] = "unknown"


class BrokerSection(_Strict, frozen=True, kw_only=True):
    """The MQTT broker; password_file holds the password alone."""

    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=1, le=65_535)] = 1883
    user: str | None = None
    password_file: str | None = None


class RulebookSection(_Strict, frozen=True, kw_only=True):
    """The rulebook's profile and what this site changes of it."""

    profile: str = "uspa-2026"
    hold_tolerance_m: Annotated[float, msgspec.Meta(ge=0.0, le=2.0)] = 0.0


class JournalSection(_Strict, frozen=True, kw_only=True):
    """Where recordings go; empty = no recording."""

    directory: str = ""


class FieldFile(_Strict, frozen=True, kw_only=True):
    """A whole field file."""

    field: Name
    pitch: PitchSection = msgspec.field(default_factory=PitchSection)
    survey: tuple[SurveyPoint, ...]
    ports: tuple[PortSection, ...]
    tags: tuple[TagSection, ...]
    uwb: tuple[UwbSection, ...] = ()
    match: MatchSection = msgspec.field(default_factory=MatchSection)
    broker: BrokerSection = msgspec.field(default_factory=BrokerSection)
    rulebook: RulebookSection = msgspec.field(default_factory=RulebookSection)
    journal: JournalSection = msgspec.field(default_factory=JournalSection)

    def with_format(self, wire: Literal["nmea", "own"]) -> "FieldFile":
        """Give the same with all ports speaking another format."""
        ports = tuple(msgspec.structs.replace(port, format=wire) for port in self.ports)
        return msgspec.structs.replace(self, ports=ports)

    def with_journal(self, directory: str) -> "FieldFile":
        """Give the same with recordings in another folder."""
        return msgspec.structs.replace(self, journal=JournalSection(directory=directory))

    def with_broker(self, host: str, port: int) -> "FieldFile":
        """Give the same with the broker elsewhere; user and password stay."""
        broker = msgspec.structs.replace(self.broker, host=host, port=port)
        return msgspec.structs.replace(self, broker=broker)


def parse_fieldfile(text: str) -> FieldFile:
    """Read a field file; raises FieldFileError with the key's path, value and expectation."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FieldFileError("(file)", "TOML", str(error)) from None
    try:
        file = msgspec.convert(raw, FieldFile)
    except msgspec.ValidationError as error:
        raise FieldFileError(*explain(str(error), raw, FieldFile)) from None
    _check_survey(file)
    _check_ports(file)
    _check_tags(file)
    _check_uwb(file)
    return file


def _check_survey(file: FieldFile) -> None:
    for index, point in enumerate(file.survey):
        if point.at not in PLACES:
            raise FieldFileError(
                f"survey[{index}].at",
                f"one of {', '.join(PLACES)}{did_you_mean(point.at, PLACES)}",
                repr(point.at),
            )
    _check_once("survey", "at", [point.at if point.at in FIXED else "" for point in file.survey])


def _check_ports(file: FieldFile) -> None:
    _check_once("ports", "name", [port.name for port in file.ports])
    _check_once("ports", "device", [port.device for port in file.ports])
    tags = {tag.id: tag for tag in file.tags}
    for index, port in enumerate(file.ports):
        if port.tag is None:
            continue
        path = f"ports[{index}].tag"
        if port.format == "own":
            raise FieldFileError(path, "none: own frames name their tags", repr(port.tag))
        if port.tag not in tags:
            hint = did_you_mean(port.tag, tags)
            raise FieldFileError(path, f"the id of a tag of this file{hint}", repr(port.tag))
        if tags[port.tag].sensor == "uwb":
            raise FieldFileError(path, "no uwb tag: they need format own", repr(port.tag))


def _check_tags(file: FieldFile) -> None:
    _check_once("tags", "id", [tag.id for tag in file.tags])
    for index, tag in enumerate(file.tags):
        if tag.on and _ON.fullmatch(tag.on) is None:
            hint = did_you_mean(tag.on, (*PLAYERS, "umpire u1", "ball"))
            raise FieldFileError(
                f"tags[{index}].on",
                f'red 1 .. red 4, blue 1 .. blue 4, umpire ID, ball, or "" for a spare tag{hint}',
                repr(tag.on),
            )
    _check_once("tags", "on", [tag.on for tag in file.tags])


def _check_uwb(file: FieldFile) -> None:
    ports = {port.name: port for port in file.ports}
    for index, row in enumerate(file.uwb):
        if row.port not in ports:
            hint = did_you_mean(row.port, ports)
            raise FieldFileError(f"uwb[{index}].port", f"the name of a port{hint}", repr(row.port))
        if ports[row.port].format != "own":
            raise FieldFileError(f"uwb[{index}].port", "a port of format own", repr(row.port))
    _check_once("uwb", "port", [row.port for row in file.uwb])
    for index, tag in enumerate(file.tags):
        if tag.sensor == "uwb" and not file.uwb:
            raise FieldFileError(
                "uwb",
                f"where the frame of the UWB system lies, for tags[{index}]: a port of format own"
                " and a [[uwb]] row that names it",
                "nothing",
            )


def _check_once(section: str, key: str, values: Sequence[str]) -> None:
    """Refuse a value that stands there twice; "" may."""
    for index, value in enumerate(values):
        if value and value in values[:index]:
            first = values.index(value)
            raise FieldFileError(
                f"{section}[{index}].{key}",
                f"one of its own: {section}[{first}] has it already",
                repr(value),
            )
