"""The figures that the game goes by, in SI units: a rulebook's own and what it leaves open."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One rulebook's figures; the file that they come from says what each means.

    Durations in ns of the host's monotonic clock, as events carry them; cue times in ms, as the
    wire carries them; probabilities without a unit.
    """

    name: str
    ends_change: Literal["goal", "period"]
    umpire_limit_m: float
    boards_limit_m: float
    rush_mps: float
    rush_near_m: float
    hold_tolerance_m: float
    sure: float
    clear: float
    over: float
    ready_sum: float
    withdraw_sum: float
    input_age_ns: int
    lost_age_ns: int
    raise_ns: int
    end_ns: int
    ready_ns: int
    withdraw_ns: int
    ready_gap_ns: int
    ready_again_ns: int
    leave_ns: int
    worse_m: float
    lineup_radius_m: float
    lineup_speed_mps: float
    file_length_m: float
    missing_riders: int
    complete_ns: int
    positioned_off_line_m: float
    rest_mps: float
    rest_ns: int
    umpire_leaves_m: float
    broken_ns: int
    onset_mps: float
    onset_ns: int
    release_riders: int
    defer_ns: int
    surge_defer_ns: int
    surge_mps: float
    back_ns: int
    dispersed_ns: int
    warning_time_s: float
    warning_closing_mps: float
    warning_dwell_ns: int
    warning_rearm_ns: int
    cue_valid_ms: int
    repeat_ms: int
    repeats: int
    slow_repeat_ms: int
    blind_ns: int
