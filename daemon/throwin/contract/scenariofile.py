"""The scenario file: a throw-in with known truth, in the units people read, validated.

TOML in, frozen structs out. An unknown key, a wrong type or an impossible value raises
ScenarioFileError, which names the key's path, the value and what was expected. What the parts
mean to each other (places, times, who is on which port) is checked by the simulator.

Lengths are yards in the field frame: +x toward the north goal, +y to the left of it. Times are
seconds from the scenario's start. `who` is one name or several: "red 1" .. "blue 4",
"umpire u1", "ball", "spare 1", or a group: "red", "blue", "players", "umpires", "spares", "all".
"""

import datetime
import tomllib
from typing import Annotated, Literal

import msgspec

from throwin.contract.explain import explain
from throwin.contract.fieldfile import MatchSection, Name, PitchSection, SensorClass

Yd = Annotated[float, msgspec.Meta(ge=-500.0, le=500.0)]
PlaceYd = tuple[Yd, Yd]
Seconds = Annotated[float, msgspec.Meta(ge=0.0, le=3600.0)]
Window = tuple[Seconds, Seconds]
SpeedMps = Annotated[float, msgspec.Meta(gt=0.0, le=17.0)]  # a polo pony at full gallop
AccelMps2 = Annotated[float, msgspec.Meta(gt=0.0, le=5.0)]  # what a horse can do
Fraction = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Who = str | tuple[str, ...]
CueName = Literal["ready", "hold", "foul", "blind", "mute", "warn", "end"]
ClauseId = Annotated[str, msgspec.Meta(pattern=r"^[CK][0-9]{1,2}$")]


class ScenarioFileError(ValueError):
    """A scenario file that can't be used; path is the key's path, e.g. moves[1].to_yd."""

    def __init__(self, path: str, expected: str, got: str) -> None:
        super().__init__(f"{path}: expected {expected}, got {got}")
        self.path = path
        self.expected = expected
        self.got = got


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class SiteSection(_Strict, frozen=True, kw_only=True):
    """Where the field lies: centre spot in WGS84, bearing of +x clockwise from true north.

    survey_sigma_m is what the survey claims, survey_error_m what it is worth (seeded).
    """

    lat_deg: Annotated[float, msgspec.Meta(ge=-85.0, le=85.0)] = 51.4243
    lon_deg: Annotated[float, msgspec.Meta(ge=-180.0, le=180.0)] = -0.6342
    bearing_deg: Annotated[float, msgspec.Meta(ge=0.0, lt=360.0)] = 37.0
    survey_sigma_m: Annotated[float, msgspec.Meta(gt=0.0, le=10.0)] = 0.02
    survey_error_m: Annotated[float, msgspec.Meta(ge=0.0, le=10.0)] = 0.0


class CastSection(_Strict, frozen=True, kw_only=True):
    """Who is there; spares are horses at the pony lines, 10 m outside the boards."""

    red: tuple[Annotated[int, msgspec.Meta(ge=1, le=4)], ...] = (1, 2, 3, 4)
    blue: tuple[Annotated[int, msgspec.Meta(ge=1, le=4)], ...] = (1, 2, 3, 4)
    umpires: tuple[Name, ...] = ("u1",)
    ball: bool = False
    spares: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0


class SensorSection(_Strict, frozen=True, kw_only=True):
    """What the tags of `who` are; later rows win. None = what the class usually has."""

    who: Who
    sensor: SensorClass
    rate_hz: Annotated[float, msgspec.Meta(gt=0.0, le=50.0)] | None = None
    lag_s: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)] | None = None
    loss: Annotated[float, msgspec.Meta(ge=0.0, lt=1.0)] = 0.0


class PortSection(_Strict, frozen=True, kw_only=True):
    """One serial port; tag_block: many tags on one NMEA line, else it holds exactly one tag."""

    name: Name
    who: Who
    format: Literal["nmea", "own"]
    tag_block: bool = True
    baud: Annotated[int, msgspec.Meta(ge=300, le=12_000_000)] = 921_600


class PlaceSection(_Strict, frozen=True, kw_only=True):
    """Where someone is at the start, in place of where the first throw-in would put him."""

    who: str
    at_yd: PlaceYd


class SlotSection(_Strict, frozen=True, kw_only=True):
    """One rider's own place in a line-up, in place of the one in his file."""

    who: str
    at_yd: PlaceYd


class SurgeSection(_Strict, frozen=True, kw_only=True):
    """How the riders start at the release; jitter_s: within how long all have started."""

    who: Who = "players"
    toward: Literal["umpire", "away", "north", "south"] = "north"
    speed_mps: SpeedMps = 9.0
    accel_mps2: AccelMps2 = 3.0
    jitter_s: Annotated[float, msgspec.Meta(ge=0.0, le=2.0)] = 0.15


class ThrowinSection(_Strict, frozen=True, kw_only=True):
    """One line-up and its throw.

    The umpire stands at umpire_at_yd and faces along the line; the files stand before him, row
    by row in the order given, file_gap_yd apart (tag to tag across the line), the first row
    nearest_yd from him. They set out at call_s and stand at formed_s; release_s None = no throw.
    red_stands: the side of red's file, None = before the goal that red defends.
    """

    umpire: Name = "u1"
    umpire_at_yd: PlaceYd = (0.0, -20.0)
    facing: Literal["left", "right"] = "left"
    nearest_yd: Annotated[float, msgspec.Meta(gt=0.0, le=30.0)] = 5.5
    file_gap_yd: Annotated[float, msgspec.Meta(gt=0.0, le=10.0)] = 1.37
    row_gap_yd: Annotated[float, msgspec.Meta(gt=0.0, le=10.0)] = 2.2
    walk_up_yd: Annotated[float, msgspec.Meta(ge=0.0, le=100.0)] = 8.0
    approach_mps: SpeedMps = 3.5
    red_order: tuple[int, ...] = (1, 2, 3, 4)
    blue_order: tuple[int, ...] = (1, 2, 3, 4)
    red_stands: Literal["north", "south"] | None = None
    absent: Who = ()
    slots: tuple[SlotSection, ...] = ()
    call_s: Seconds = 0.0
    formed_s: Seconds
    release_s: Seconds | None = None
    surge: SurgeSection = msgspec.field(default_factory=SurgeSection)
    ball_mps: Annotated[float, msgspec.Meta(gt=0.0, le=40.0)] = 11.0
    ball_angle_deg: Annotated[float, msgspec.Meta(ge=-90.0, le=90.0)] = 0.0
    ball_travels_yd: Annotated[float, msgspec.Meta(gt=0.0, le=200.0)] = 25.0


class MoveSection(_Strict, frozen=True, kw_only=True):
    """One move on top of the line-ups, valid until the next move of the same one.

    Exactly one of: to_yd (a place), by_yd (a step from where he is), toward (another one of the
    cast, as far as until_yd from him), back (to his place in the line-up), halt, or for the ball
    carried_by.
    """

    who: Who
    at_s: Seconds
    to_yd: PlaceYd | None = None
    by_yd: PlaceYd | None = None
    toward: str | None = None
    until_yd: Annotated[float, msgspec.Meta(ge=0.0, le=200.0)] = 0.0
    back: bool = False
    halt: bool = False
    carried_by: str | None = None
    speed_mps: Annotated[float, msgspec.Meta(gt=0.0, le=60.0)] = 1.5
    accel_mps2: AccelMps2 = 1.5


class PressSection(_Strict, frozen=True, kw_only=True):
    """A button of a tag that speaks our own frame."""

    who: str
    at_s: Seconds
    button: Literal["ready", "throw", "goal", "cancel"]


class CommandSection(_Strict, frozen=True, kw_only=True):
    """A command as it comes from the technician or the scoreboard."""

    at_s: Seconds
    verb: str
    args: dict[str, str] = {}
    source: str = "mqtt"


class _Fault(_Strict, frozen=True, kw_only=True, tag_field="kind"):
    pass


class Silent(_Fault, frozen=True, kw_only=True, tag="silent"):
    """Tags send nothing."""

    who: Who
    from_s: Seconds
    to_s: Seconds


class PacketLoss(_Fault, frozen=True, kw_only=True, tag="loss"):
    """Each epoch is lost on its own with this probability, on top of the sensor's own loss."""

    who: Who
    from_s: Seconds = 0.0
    to_s: Seconds = 3600.0
    fraction: Fraction


class PortLost(_Fault, frozen=True, kw_only=True, tag="port_lost"):
    """The port is gone; what would have come in that time never comes."""

    port: Name
    from_s: Seconds
    to_s: Seconds


class BrokerLost(_Fault, frozen=True, kw_only=True, tag="broker_lost"):
    """The broker is gone."""

    from_s: Seconds
    to_s: Seconds


class Degraded(_Fault, frozen=True, kw_only=True, tag="degraded"):
    """The fix is only this good, and says so."""

    who: Who
    from_s: Seconds
    to_s: Seconds
    fix: Literal["float", "dgnss", "single", "none"]


class WrongFix(_Fault, frozen=True, kw_only=True, tag="wrong_fix"):
    """The fix is off by so much and claims to be as good as ever."""

    who: Who
    from_s: Seconds
    to_s: Seconds
    by_m: tuple[float, float]


class Garbage(_Fault, frozen=True, kw_only=True, tag="garbage"):
    """Random bytes on the line (seeded)."""

    port: Name
    at_s: Seconds
    size: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 64


class ClockStep(_Fault, frozen=True, kw_only=True, tag="clock_step"):
    """The host's wall clock steps; its monotonic clock does not."""

    at_s: Seconds
    by_s: float


Fault = Silent | PacketLoss | PortLost | BrokerLost | Degraded | WrongFix | Garbage | ClockStep


class ExpectSection(_Strict, frozen=True, kw_only=True):
    """Something that must come within between_s: exactly one of cue, alert, phase, event, verdict.

    alert and rule name a rule or its clause ("C6"). says must stand in the English words, or in an
    event's details ("by red, at south").
    times: exactly so many within the window; None = one or more.
    """

    between_s: Window
    cue: CueName | None = None
    umpire: Name | None = None
    alert: str | None = None
    state: Literal["new", "update", "end"] | None = None
    severity: str | None = None
    phase: str | None = None
    event: str | None = None
    verdict: Literal["breach", "clear", "possible", "cannot_tell"] | None = None
    rule: str | None = None
    who: str | None = None
    says: str = ""
    times: Annotated[int, msgspec.Meta(ge=1)] | None = None


class ScenarioFile(_Strict, frozen=True, kw_only=True):
    """A whole scenario. silent: cues, or "alert:C6", that must not come but where expected."""

    title: str
    about: str = ""
    touches: tuple[ClauseId, ...] = ()
    seed: Annotated[int, msgspec.Meta(ge=0)] = 1
    duration_s: Annotated[float, msgspec.Meta(gt=0.0, le=3600.0)]
    start_utc: Annotated[datetime.datetime, msgspec.Meta(tz=True)] = datetime.datetime(
        2026, 6, 6, 14, 0, tzinfo=datetime.UTC
    )
    mill_yd: Annotated[float, msgspec.Meta(ge=0.0, le=0.5)] = 0.05
    site: SiteSection = msgspec.field(default_factory=SiteSection)
    pitch: PitchSection = msgspec.field(default_factory=PitchSection)
    match: MatchSection = msgspec.field(default_factory=MatchSection)
    cast: CastSection = msgspec.field(default_factory=CastSection)
    sensors: tuple[SensorSection, ...] = ()
    ports: tuple[PortSection, ...] = ()
    places: tuple[PlaceSection, ...] = ()
    throwins: tuple[ThrowinSection, ...] = ()
    moves: tuple[MoveSection, ...] = ()
    presses: tuple[PressSection, ...] = ()
    commands: tuple[CommandSection, ...] = ()
    faults: tuple[Fault, ...] = ()
    expect: tuple[ExpectSection, ...] = ()
    silent: tuple[str, ...] = ()


def parse_scenariofile(text: str) -> ScenarioFile:
    """Read a scenario file; raises ScenarioFileError with the key's path, value, expectation."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioFileError("(file)", "TOML", str(error)) from None
    try:
        return msgspec.convert(raw, ScenarioFile)
    except msgspec.ValidationError as error:
        raise ScenarioFileError(*explain(str(error), raw, ScenarioFile)) from None
