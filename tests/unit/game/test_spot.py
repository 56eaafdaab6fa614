"""C12: the throw-in's spot is strictly more than 20 yd from the boards."""

import pytest
from tests.unit.game.conftest import U1, U2, Field, Make, lineup_yd

from throwin.game.finding import Pattern


def moved(make: Make, off_boards_yd: float, **more: tuple[float, float]) -> Field:
    """Give a line-up whose umpire stands so far from the boards; they are 80 yd from the centre."""
    shift_yd = off_boards_yd - 80.0 + 20.0
    places = {who: (x_yd, y_yd + shift_yd) for who, (x_yd, y_yd) in lineup_yd().items()}
    field = make(places=places | more)
    field.run(5.0)
    return field


@pytest.mark.parametrize(
    ("off_boards_yd", "cues"), [(19.7, [Pattern.HOLD]), (20.3, [Pattern.READY])]
)
def test_spot_is_held_only_within_20_yards(
    make: Make, off_boards_yd: float, cues: list[Pattern]
) -> None:
    """Spot is held only within 20 yards."""
    assert moved(make, off_boards_yd).cues() == cues


def test_spot_too_near_is_said_as_such(make: Make) -> None:
    """Spot too near is said as such."""
    assert set(moved(make, 19.5).said(Pattern.HOLD)) == {"too near the boards"}


def test_other_umpire_at_the_boards_holds_nothing(make: Make) -> None:
    """Only the spot of the one who throws counts."""
    field = moved(make, 60.0, **{U2: (10.0, -79.0)})
    assert (field.alerts(), field.cues()) == ([], [Pattern.READY])


def test_hold_for_the_spot_ends_when_he_has_moved(make: Make) -> None:
    """Hold for the spot ends when he has moved."""
    field = moved(make, 19.6, **{"red 1": (-0.7, -52.0), "blue 1": (0.7, -52.0)})
    field.forget()
    field.ride(U1, (0.0, -59.3), speed_mps=0.8)
    field.run(3.0)
    assert field.cues()[-2:] == [Pattern.END, Pattern.READY]
