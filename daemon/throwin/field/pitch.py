"""The pitch: its size, and where its named points lie in the field frame.

Field frame: origin at the centre spot; +x along the length, toward the goal named north;
+y to the left of +x, along the centre line. Metres.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Pitch:
    """Size of the pitch: between end lines, between boards or side lines, between goal posts."""

    length_m: float
    width_m: float
    goal_width_m: float

    def place(self, name: str) -> tuple[float | None, float | None]:
        """Give (x_field_m, y_field_m) of a named point; None = anywhere along that axis.

        Raises KeyError for a name that is not in PLACES.
        """
        along, across = PLACES[name]
        half_length_m, half_width_m = self.length_m / 2, self.width_m / 2
        x_field_m = None if along is None else along * half_length_m
        match across:
            case None:
                return x_field_m, None
            case "left":
                return x_field_m, half_width_m
            case "right":
                return x_field_m, -half_width_m
            case "post_left":
                return x_field_m, self.goal_width_m / 2
            case "post_right":
                return x_field_m, -self.goal_width_m / 2
            case _:
                return x_field_m, 0.0


# name -> (+1 north end, -1 south end, 0 centre line, None anywhere), place across
PLACES: dict[str, tuple[int | None, str | None]] = {
    "centre": (0, "middle"),
    "corner_north_left": (1, "left"),
    "corner_north_right": (1, "right"),
    "corner_south_left": (-1, "left"),
    "corner_south_right": (-1, "right"),
    "goal_north_left": (1, "post_left"),
    "goal_north_right": (1, "post_right"),
    "goal_south_left": (-1, "post_left"),
    "goal_south_right": (-1, "post_right"),
    "boards_left": (None, "left"),
    "boards_right": (None, "right"),
    "end_north": (1, None),
    "end_south": (-1, None),
}
