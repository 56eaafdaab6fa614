"""A throw-in as text: what a terminal shows while it goes on. Pure: messages in, lines out."""

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from throwin.contract.payload import (
    Alert,
    Cue,
    EntityRow,
    Lineup,
    MatchEvent,
    Message,
    Picture,
    Status,
)
from throwin.field.units import m_to_yd, yd_to_m

WIDTH, HEIGHT = 78, 23  # of the field's window, in characters
ACROSS_YD = 17.0  # half of what the window shows along x: 34 yd, the line upright in its middle
BESIDE_YD = (12.0, 26.0)  # shown behind and before the throwing umpire
LIMIT_YD = 5.0
RECENT = 7  # lines of what has happened
# Colours that people who see red and green alike can tell apart; letters say it too.
COLOURS = {"red": "38;5;208", "blue": "38;5;39", "umpire": "1;37", "hold": "1;97;41", "dim": "2"}


@dataclass(slots=True)
class Scene:
    """What is known of a throw-in so far; take() adds to it."""

    title: str
    picture: Picture | None = None
    lineup: Lineup | None = None
    status: Status | None = None
    holding: dict[str, str] = field(default_factory=dict)  # alert id -> what was said
    happened: deque[str] = field(default_factory=lambda: deque(maxlen=RECENT))

    def take(self, t_s: float, message: Message) -> None:
        """Take one message at the scenario's time."""
        match message:
            case Picture():
                self.picture = message
            case Lineup():
                self.lineup = message
            case Status():
                self.status = message
            case Cue() if message.alert_id is not None and message.pattern == "hold":
                self.holding[message.alert_id] = message.say_en
            case Cue() if message.alert_id is not None and message.pattern == "end":
                self.holding.pop(message.alert_id, None)
            case _:
                pass
        line = say(message)
        if line:
            self.happened.append(f"{t_s:6.2f} s  {line}")


def say(message: Message) -> str:
    """Say a cue, an alert or an event in one line; "" for what is none of these."""
    match message:
        case Cue():
            scope = f" ({', '.join(message.covers)})" if message.covers else ""
            words = f" {message.say_en}" if message.say_en else ""
            return f"cue    {message.umpire} {message.pattern.upper()}{words}{scope}"
        case Alert():
            who = ", ".join(message.subjects)
            proof = message.evidence
            why = (
                ""
                if proof is None
                else f": {m_to_yd(proof.value_m):.2f} yd {proof.measure}, P = {proof.p:.4f}"
            )
            return f"alert  {message.clause} {message.severity} {message.state}, {who}{why}"
        case MatchEvent(what="phase"):
            return f"phase  {message.detail.get('to', '')} ({message.trigger})"
        case MatchEvent():
            return f"event  {message.what} ({message.trigger})"
        case _:
            return ""


def draw(scene: Scene, *, is_coloured: bool) -> list[str]:
    """Draw the scene as lines; colours only where they are wanted."""
    grid = [[" "] * WIDTH for _ in range(HEIGHT)]
    paint: dict[tuple[int, int], str] = {}
    _draw_line(grid)
    rows = () if scene.picture is None else scene.picture.entities
    centre_yd = _centre_yd(rows, scene.lineup)
    for row in rows:
        if row.kind == "umpire":
            _draw_circle(grid, row, centre_yd)
    for row in rows:
        _draw_entity(grid, paint, row, centre_yd)
    lines = [
        "".join(_painted(grid[y][x], paint.get((y, x)), is_coloured) for x in range(WIDTH)).rstrip()
        for y in range(HEIGHT)
    ]
    return [*_head(scene, is_coloured=is_coloured), *lines, *_foot(scene, is_coloured=is_coloured)]


def _head(scene: Scene, *, is_coloured: bool) -> Iterator[str]:
    yield scene.title
    lineup = scene.lineup
    if scene.holding:
        text = " HOLD " + "; ".join(scene.holding.values()) + " "
        yield _painted(text, "hold", is_coloured)
    elif lineup is not None and lineup.ready:
        yield f"READY ({', '.join(lineup.covers)})"
    elif lineup is not None and lineup.missing:
        yield "not ready: " + "; ".join(lineup.missing[:3])
    else:
        yield ""
    phase = "-" if lineup is None else lineup.phase
    ends = "-" if lineup is None else lineup.red_attacks_expected
    state = "-" if scene.status is None else scene.status.state
    yield f"phase {phase}   red attacks {ends}   daemon {state}"


def _foot(scene: Scene, *, is_coloured: bool) -> Iterator[str]:
    yield _painted(f"south <- 1 column = {m_to_yd(_metres_a_column()):.2f} yd -> north", "dim",
                   is_coloured)  # fmt: skip
    yield from scene.happened
    yield from [""] * (RECENT - len(scene.happened))


def _metres_a_column() -> float:
    return yd_to_m(2 * ACROSS_YD) / (WIDTH - 1)


def _metres_a_row() -> float:
    return yd_to_m(sum(BESIDE_YD)) / (HEIGHT - 1)


def _centre_yd(rows: tuple[EntityRow, ...], lineup: Lineup | None) -> tuple[float, float]:
    """Give what of y the window shows, yards: around who throws, with the riders before him."""
    umpires = [row for row in rows if row.kind == "umpire"]
    if not umpires:
        return -BESIDE_YD[1], BESIDE_YD[0]
    named = [row for row in umpires if lineup is not None and row.entity == lineup.throwing_umpire]
    umpire = (named or umpires)[0]
    y_yd = m_to_yd(umpire.y_field_m)
    riders = [row.y_field_m for row in rows if row.kind == "player"]
    is_left = sum(1 if y_m > umpire.y_field_m else -1 for y_m in riders) >= 0
    return (y_yd - BESIDE_YD[0], y_yd + BESIDE_YD[1]) if is_left else (
        y_yd - BESIDE_YD[1], y_yd + BESIDE_YD[0])  # fmt: skip


def _cell(x_m: float, y_m: float, shown_yd: tuple[float, float]) -> tuple[int, int] | None:
    """Give (row, column) of a place, None outside the window; left of the field is up."""
    column = round((WIDTH - 1) / 2 + x_m / _metres_a_column())
    row = round((yd_to_m(shown_yd[1]) - y_m) / _metres_a_row())
    return (row, column) if 0 <= row < HEIGHT and 0 <= column < WIDTH else None


def _draw_line(grid: list[list[str]]) -> None:
    for row in grid:
        row[(WIDTH - 1) // 2] = "|"


def _draw_circle(grid: list[list[str]], row: EntityRow, shown_yd: tuple[float, float]) -> None:
    radius_m = yd_to_m(LIMIT_YD)
    for degrees in range(0, 360, 6):
        turn = math.radians(degrees)
        cell = _cell(
            row.x_field_m + radius_m * math.cos(turn),
            row.y_field_m + radius_m * math.sin(turn),
            shown_yd,
        )
        if cell is not None:
            grid[cell[0]][cell[1]] = "."


def _draw_entity(
    grid: list[list[str]],
    paint: dict[tuple[int, int], str],
    row: EntityRow,
    shown_yd: tuple[float, float],
) -> None:
    cell = _cell(row.x_field_m, row.y_field_m, shown_yd)
    if cell is None:
        return
    name, _, number = row.entity.partition(" ")
    text = {"player": f"{name[:1].upper()}{number}", "umpire": "U", "ball": "o"}.get(row.kind, "s")
    for place, letter in enumerate(text):
        column = cell[1] + place
        if column < WIDTH:
            grid[cell[0]][column] = letter
            paint[cell[0], column] = row.team or row.kind


def _painted(text: str, colour: str | None, is_coloured: bool) -> str:  # noqa: FBT001 - one character of many
    if not is_coloured or colour not in COLOURS:
        return text
    return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m"
