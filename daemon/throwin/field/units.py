"""Yards and metres: the one place where they meet."""

YARD_M = 0.9144  # exact, international yard
FOOT_M = 0.3048  # exact
KNOT_MPS = 1852.0 / 3600.0  # exact, international nautical mile an hour


def yd_to_m(length_yd: float) -> float:
    """Give metres of a length in yards."""
    return length_yd * YARD_M


def m_to_yd(length_m: float) -> float:
    """Give yards of a length in metres."""
    return length_m / YARD_M
