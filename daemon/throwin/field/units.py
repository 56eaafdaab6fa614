"""Yards and metres: the one place where they meet."""

from typing import Literal, assert_never

Unit = Literal["m", "m/s"]

YARD_M = 0.9144  # exact, international yard
FOOT_M = 0.3048  # exact
KNOT_MPS = 1852.0 / 3600.0  # exact, international nautical mile an hour


def yd_to_m(length_yd: float) -> float:
    """Give metres of a length in yards."""
    return length_yd * YARD_M


def m_to_yd(length_m: float) -> float:
    """Give yards of a length in metres."""
    return length_m / YARD_M


def show(value: float, unit: Unit) -> str:
    """Give a value as people read it: lengths in yards, speeds in m/s."""
    match unit:
        case "m":
            return f"{m_to_yd(value):.2f} yd"
        case "m/s":
            return f"{value:.1f} m/s"
        case _:
            assert_never(unit)
