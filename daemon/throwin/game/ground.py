"""What the rules need to know of the ground: its lines, and how sure their places are."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """line_var_m2: y_field_m to the variance of the centre line's place along x, m2.

    half_width_m: from the centre to the boards or side line; boards_var_m2: variance of their
    place along y, at the centre line, m2.
    """

    line_var_m2: Callable[[float], float]
    half_width_m: float
    boards_var_m2: float
