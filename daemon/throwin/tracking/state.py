"""One tag at one instant, in the field frame."""

from typing import NamedTuple

from throwin.tags.observation import FixKind


class State(NamedTuple):
    """Where a tag is at t_state_ns, after its last fix was measured at t_fix_ns (host clock).

    The position's covariance has everything in it: the filter's own, the slow error of the class
    of sensor, the frame's. var_v_m2ps2: of the velocity at the last
    fix, per axis.
    """

    tag: str
    t_fix_ns: int
    t_state_ns: int
    kind: FixKind
    x_field_m: float
    y_field_m: float
    vx_field_mps: float
    vy_field_mps: float
    var_x_m2: float
    cov_xy_m2: float
    var_y_m2: float
    var_v_m2ps2: float
