"""Where the pitch's named points lie."""

import pytest

from throwin.field.pitch import PLACES, Pitch

PITCH = Pitch(length_m=274.32, width_m=146.304, goal_width_m=7.3152)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("centre", (0.0, 0.0)),
        ("corner_north_left", (137.16, 73.152)),
        ("corner_north_right", (137.16, -73.152)),
        ("corner_south_left", (-137.16, 73.152)),
        ("corner_south_right", (-137.16, -73.152)),
        ("goal_north_left", (137.16, 3.6576)),
        ("goal_north_right", (137.16, -3.6576)),
        ("goal_south_left", (-137.16, 3.6576)),
        ("goal_south_right", (-137.16, -3.6576)),
        ("boards_left", (None, 73.152)),
        ("boards_right", (None, -73.152)),
        ("end_north", (137.16, None)),
        ("end_south", (-137.16, None)),
    ],
)
def test_named_point_lies_where_the_drawing_has_it(
    name: str, place: tuple[float | None, float | None]
) -> None:
    """North is +x, left of one who looks there from the centre is +y; lines fix one axis."""
    assert PITCH.place(name) == pytest.approx(place, abs=1e-12)


def test_names_of_the_drawing_are_all_there_are() -> None:
    """A new name needs a row in the test above."""
    assert len(PLACES) == 13


def test_unknown_name_raises_key_error() -> None:
    """Names are checked where the field file is read."""
    with pytest.raises(KeyError, match="corner_east"):
        PITCH.place("corner_east")
