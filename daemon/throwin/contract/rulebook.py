"""The rulebook's profile: a TOML file in the units people read, made into the game's own.

The figures of a rulebook, and what its text leaves open, stand in files, never in code.
"""

import tomllib
from importlib import resources
from typing import Annotated, Literal

import msgspec

from throwin.contract.fieldfile import FieldFileError
from throwin.field.units import yd_to_m
from throwin.game.profile import Profile

Seconds = Annotated[float, msgspec.Meta(gt=0.0, le=60.0)]
Yards = Annotated[float, msgspec.Meta(gt=0.0, le=100.0)]
Metres = Annotated[float, msgspec.Meta(gt=0.0, le=100.0)]
Speed = Annotated[float, msgspec.Meta(gt=0.0, le=17.0)]
Probability = Annotated[float, msgspec.Meta(gt=0.0, lt=1.0)]
Count = Annotated[int, msgspec.Meta(ge=0, le=8)]
Milliseconds = Annotated[int, msgspec.Meta(ge=100, le=60_000)]
NS = 1_000_000_000


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class DistanceSection(_Strict, frozen=True, kw_only=True):
    """The distances of the rule's text."""

    umpire_yd: Yards
    boards_yd: Yards
    rush_yd: Yards


class EndsSection(_Strict, frozen=True, kw_only=True):
    """What changes the ends: each goal, or the end of a period."""

    change: Literal["goal", "period"]


class DecisionSection(_Strict, frozen=True, kw_only=True):
    """The levels of probability and the ages of inputs at which something is decided."""

    sure: Probability
    clear: Probability
    over: Probability
    ready_sum: Probability
    withdraw_sum: Probability
    input_age_s: Seconds
    lost_age_s: Seconds


class DwellSection(_Strict, frozen=True, kw_only=True):
    """How long something must hold before it is told."""

    raise_s: Seconds
    end_s: Seconds
    ready_s: Seconds
    withdraw_s: Seconds
    ready_gap_s: Seconds
    ready_again_s: Seconds
    leave_s: Seconds
    worse_m: Metres


class LineupSection(_Strict, frozen=True, kw_only=True):
    """Who is in the line-up, and when an umpire is positioned."""

    radius_yd: Yards
    speed_mps: Speed
    file_length_yd: Yards
    missing_riders: Count
    complete_s: Seconds
    positioned_off_line_m: Metres
    rest_mps: Speed
    rest_s: Seconds
    umpire_leaves_m: Metres
    broken_s: Seconds


class ReleaseSection(_Strict, frozen=True, kw_only=True):
    """When the start of the horses is taken for the throw."""

    onset_mps: Speed
    onset_s: Seconds
    defer_s: Seconds
    riders: Count
    surge_defer_s: Seconds
    surge_mps: Speed
    back_s: Seconds
    dispersed_s: Seconds


class WarningSection(_Strict, frozen=True, kw_only=True):
    """When a rider who closes in is spoken of before he is too near."""

    time_s: Seconds
    closing_mps: Speed
    dwell_s: Seconds
    rearm_s: Seconds


class RushSection(_Strict, frozen=True, kw_only=True):
    """How fast a player rides at the umpire who rushes him."""

    own_mps: Speed


class CueSection(_Strict, frozen=True, kw_only=True):
    """How long a cue is worth playing, and how often a HOLD is sent again."""

    valid_ms: Milliseconds
    repeat_ms: Milliseconds
    repeats: Count
    slow_repeat_ms: Milliseconds
    blind_s: Seconds


class RulebookFile(_Strict, frozen=True, kw_only=True):
    """A whole profile."""

    name: str
    distance: DistanceSection
    ends: EndsSection
    decision: DecisionSection
    dwell: DwellSection
    lineup: LineupSection
    release: ReleaseSection
    warning: WarningSection
    rush: RushSection
    cue: CueSection


def shipped_rulebook(name: str) -> RulebookFile:
    """Read a profile that came with the product; raises FieldFileError for an unknown name."""
    folder = resources.files("throwin") / "rulebooks"
    names = sorted(item.name.removesuffix(".toml") for item in folder.iterdir())
    if name not in names:
        raise FieldFileError("rulebook.profile", f"one of {', '.join(names)}", repr(name))
    return parse_rulebook((folder / f"{name}.toml").read_text("utf-8"))


def parse_rulebook(text: str) -> RulebookFile:
    """Read a profile's text; raises FieldFileError with what is wrong and where."""
    try:
        return msgspec.convert(tomllib.loads(text), RulebookFile)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise FieldFileError("rulebook", "a rulebook's profile", str(error)) from None


def to_profile(file: RulebookFile, *, hold_tolerance_m: float) -> Profile:
    """Give the profile in SI units; hold_tolerance_m: how far inside a limit is still borne."""
    return Profile(
        name=file.name,
        ends_change=file.ends.change,
        umpire_limit_m=yd_to_m(file.distance.umpire_yd),
        boards_limit_m=yd_to_m(file.distance.boards_yd),
        rush_mps=file.rush.own_mps,
        rush_near_m=yd_to_m(file.distance.rush_yd),
        hold_tolerance_m=hold_tolerance_m,
        sure=file.decision.sure,
        clear=file.decision.clear,
        over=file.decision.over,
        ready_sum=file.decision.ready_sum,
        withdraw_sum=file.decision.withdraw_sum,
        input_age_ns=_ns(file.decision.input_age_s),
        lost_age_ns=_ns(file.decision.lost_age_s),
        raise_ns=_ns(file.dwell.raise_s),
        end_ns=_ns(file.dwell.end_s),
        ready_ns=_ns(file.dwell.ready_s),
        withdraw_ns=_ns(file.dwell.withdraw_s),
        ready_gap_ns=_ns(file.dwell.ready_gap_s),
        ready_again_ns=_ns(file.dwell.ready_again_s),
        leave_ns=_ns(file.dwell.leave_s),
        worse_m=file.dwell.worse_m,
        lineup_radius_m=yd_to_m(file.lineup.radius_yd),
        lineup_speed_mps=file.lineup.speed_mps,
        file_length_m=yd_to_m(file.lineup.file_length_yd),
        missing_riders=file.lineup.missing_riders,
        complete_ns=_ns(file.lineup.complete_s),
        positioned_off_line_m=file.lineup.positioned_off_line_m,
        rest_mps=file.lineup.rest_mps,
        rest_ns=_ns(file.lineup.rest_s),
        umpire_leaves_m=file.lineup.umpire_leaves_m,
        broken_ns=_ns(file.lineup.broken_s),
        onset_mps=file.release.onset_mps,
        onset_ns=_ns(file.release.onset_s),
        release_riders=file.release.riders,
        defer_ns=_ns(file.release.defer_s),
        surge_defer_ns=_ns(file.release.surge_defer_s),
        surge_mps=file.release.surge_mps,
        back_ns=_ns(file.release.back_s),
        dispersed_ns=_ns(file.release.dispersed_s),
        warning_time_s=file.warning.time_s,
        warning_closing_mps=file.warning.closing_mps,
        warning_dwell_ns=_ns(file.warning.dwell_s),
        warning_rearm_ns=_ns(file.warning.rearm_s),
        cue_valid_ms=file.cue.valid_ms,
        repeat_ms=file.cue.repeat_ms,
        repeats=file.cue.repeats,
        slow_repeat_ms=file.cue.slow_repeat_ms,
        blind_ns=_ns(file.cue.blind_s),
    )


def _ns(duration_s: float) -> int:
    return round(duration_s * NS)
