"""What goes on record about the ends, beside the cues: in words that a technician acts on."""

from throwin.game.ends import End, Ends
from throwin.game.finding import Happened

_WRONG = "thrown the wrong way round: play on, goals count that way until a goal or the period ends"
_UNSEEN = "which way they stood can't be told: say ends, before a goal is to be credited"


def thrown(ends: Ends, trigger: str) -> Happened | None:
    """Say that a throw has put other ends in force than were expected; None when it has not."""
    if not ends.is_wrong:
        return None
    state = ends.state
    detail = (
        ("red_attacks", state.in_force.value),
        ("expected", state.expected.value),
        ("clause", "C18"),
        ("hint", _UNSEEN if state.in_force is End.UNKNOWN else _WRONG),
    )
    return Happened("ends_in_force", trigger, detail)


def corrected(was: End, ends: Ends, trigger: str) -> Happened:
    """K7: say that between periods the error is over, and which direction holds again."""
    detail = (("was", was.value), ("red_attacks", ends.standing.value), ("clause", "C18"))
    return Happened("ends_corrected", trigger, detail)


def goal(ends: Ends, trigger: str, by: str, at: str) -> Happened:
    """Say that a goal counts, for whom, by which ends, and what the score is."""
    state = ends.state
    detail = (
        ("by", by),
        ("at", at),
        ("red_attacked", state.last.value),
        ("red_attacks", state.expected.value),
        ("score", f"red {state.red}, blue {state.blue}"),
        ("clause", "C16" if at else "C15"),
    )
    return Happened("goal", trigger, detail)
