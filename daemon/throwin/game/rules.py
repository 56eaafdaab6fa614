"""The rules as a table, and what each measures on the tracks.

P(infringed) comes from the whole covariances of both positions at one instant, the survey's
share included where the field's own lines count.
"""

import enum
from dataclasses import dataclass
from typing import NamedTuple

from throwin.field.units import Unit
from throwin.game.match import Phase
from throwin.tags.observation import FixKind
from throwin.tracking.probability import p_below, p_within
from throwin.tracking.state import State


class Clause(enum.Enum):
    """The clauses of Rule 20 that are judged, by their ids."""

    C5 = "C5"
    C6 = "C6"
    C10 = "C10"
    C12 = "C12"
    C18 = "C18"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: when it is judged, what its value means, which kinds of fix can decide it.

    decides: a fixed table, not what a device claims of itself. The side needs 0.19 m per axis
    (files stand 1.25 m apart, tag to tag), five yards are decided with a guard of 0.8 m.
    """

    clause: Clause
    measure: str
    unit: Unit = "m"
    phases: tuple[Phase, ...]
    decides: tuple[FixKind, ...]
    decides_sensor: tuple[str, ...]
    is_in_scope: bool = True  # READY names it; else READY says nothing of it


RULES: dict[Clause, Rule] = {
    Clause.C5: Rule(
        clause=Clause.C5,
        measure="distance beyond the centre line",
        phases=(Phase.FORMING, Phase.ARMED),
        decides=(FixKind.RTK_FIXED, FixKind.UWB),
        decides_sensor=("rtk", "uwb"),
    ),
    Clause.C6: Rule(
        clause=Clause.C6,
        measure="distance to the umpire",
        phases=(Phase.FORMING, Phase.ARMED),
        decides=(FixKind.RTK_FIXED, FixKind.UWB),
        decides_sensor=("rtk", "uwb"),
    ),
    Clause.C10: Rule(
        clause=Clause.C10,
        measure="own speed toward the umpire",
        unit="m/s",
        phases=(Phase.ARMED,),
        decides=(FixKind.RTK_FIXED, FixKind.UWB),
        decides_sensor=("rtk", "uwb"),
        is_in_scope=False,
    ),
    Clause.C12: Rule(
        clause=Clause.C12,
        measure="distance from the umpire's spot to the boards",
        phases=(Phase.FORMING, Phase.ARMED),
        decides=(FixKind.RTK_FIXED, FixKind.RTK_FLOAT, FixKind.UWB),
        decides_sensor=("rtk", "uwb"),
        is_in_scope=False,
    ),
    Clause.C18: Rule(
        clause=Clause.C18,
        measure="least distance beyond the centre line",
        phases=(Phase.FORMING, Phase.ARMED),
        decides=(FixKind.RTK_FIXED, FixKind.UWB),
        decides_sensor=("rtk", "uwb"),
        is_in_scope=False,
    ),
}


class Measure(NamedTuple):
    """One rule's value at one instant, with its limit, its 1 sigma and P(infringed).

    Value, limit and sigma are in the rule's unit.
    closing_mps: how fast the value nears the limit, 0.0 where nothing closes; sigma_v_mps: of it.
    """

    p: float
    value: float
    limit: float
    sigma: float
    closing_mps: float
    sigma_v_mps: float


def measure_distance(rider: State, umpire: State, limit_m: float) -> Measure:
    """Measure C6: infringed when the distance is below the limit. Both states at one instant."""
    dx_m, dy_m = rider.x_field_m - umpire.x_field_m, rider.y_field_m - umpire.y_field_m
    xx, xy, yy = (
        rider.var_x_m2 + umpire.var_x_m2,
        rider.cov_xy_m2 + umpire.cov_xy_m2,
        rider.var_y_m2 + umpire.var_y_m2,
    )
    distance_m = (dx_m * dx_m + dy_m * dy_m) ** 0.5
    if distance_m < 1e-9:
        return Measure(p_within(dx_m, dy_m, xx, xy, yy, limit_m), 0.0, limit_m, xx**0.5, 0.0, 0.0)
    ux, uy = dx_m / distance_m, dy_m / distance_m
    closing_mps = -(
        ux * (rider.vx_field_mps - umpire.vx_field_mps)
        + uy * (rider.vy_field_mps - umpire.vy_field_mps)
    )
    return Measure(
        p_within(dx_m, dy_m, xx, xy, yy, limit_m),
        distance_m,
        limit_m,
        (ux * ux * xx + 2 * ux * uy * xy + uy * uy * yy) ** 0.5,
        closing_mps,
        (rider.var_v_m2ps2 + umpire.var_v_m2ps2) ** 0.5,
    )


def measure_rush(rider: State, umpire: State, limit_mps: float, near_m: float) -> Measure:
    """Measure C10: infringed at the limit or more toward the umpire, nearer to him than near_m.

    His own speed alone: an umpire who rides in makes nobody rush. P is the least that both can
    hold at once (Boole), and the error of the direction counts with the speed across it.
    """
    dx_m, dy_m = umpire.x_field_m - rider.x_field_m, umpire.y_field_m - rider.y_field_m
    distance_m = (dx_m * dx_m + dy_m * dy_m) ** 0.5
    if distance_m < 1e-9:
        return Measure(0.0, 0.0, limit_mps, rider.var_v_m2ps2**0.5, 0.0, 0.0)
    ux, uy = dx_m / distance_m, dy_m / distance_m
    toward_mps = ux * rider.vx_field_mps + uy * rider.vy_field_mps
    across_mps = ux * rider.vy_field_mps - uy * rider.vx_field_mps
    xx, xy, yy = (
        rider.var_x_m2 + umpire.var_x_m2,
        rider.cov_xy_m2 + umpire.cov_xy_m2,
        rider.var_y_m2 + umpire.var_y_m2,
    )
    along_m2 = ux * ux * xx + 2 * ux * uy * xy + uy * uy * yy
    turn = (xx + yy) * (across_mps / distance_m) ** 2
    var_m2ps2 = rider.var_v_m2ps2 + turn
    p_fast = p_below(limit_mps - toward_mps, var_m2ps2)
    p_near = p_below(distance_m - near_m, along_m2)
    p = max(0.0, p_fast + p_near - 1.0)
    return Measure(p, toward_mps, limit_mps, var_m2ps2**0.5, 0.0, 0.0)


def measure_side(rider: State, wrong_sign: int, line_var_m2: float, tolerance_m: float) -> Measure:
    """Measure C5: infringed when he is beyond the centre line by more than the tolerance.

    wrong_sign: sign of x_field on the side that is wrong for him; line_var_m2: of the line's
    own place at his y, from the survey.
    """
    beyond_m = wrong_sign * rider.x_field_m
    var_m2 = rider.var_x_m2 + line_var_m2
    p = p_below(tolerance_m - beyond_m, var_m2)
    return Measure(p, beyond_m, tolerance_m, var_m2**0.5, 0.0, 0.0)


def measure_spot(
    umpire: State, half_width_m: float, boards_var_m2: float, limit_m: float
) -> Measure:
    """Measure C12: infringed when the spot is not more than the limit from the nearer boards."""
    room_m = half_width_m - abs(umpire.y_field_m)
    var_m2 = umpire.var_y_m2 + boards_var_m2
    return Measure(p_below(room_m - limit_m, var_m2), room_m, limit_m, var_m2**0.5, 0.0, 0.0)
