"""A throw-in as text: what a terminal shows while it goes on. Pure: messages in, lines out.

The field lies as on a map: its north goal up, left of the field left. A column is half as wide
as a row is high, as characters are, so a circle is round.
"""

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from throwin.contract.payload import (
    AckMessage,
    Alert,
    Cue,
    EntityRow,
    Lineup,
    MatchEvent,
    Message,
    Picture,
    Status,
)
from throwin.field.units import m_to_yd, show

LIMIT_YD = 5.0
WIDE_YD, HIGH_YD = 40.0, 16.0  # what is shown at least, where the terminal has room for it
COLUMN_YD = 0.5  # at most: the two files of a line-up must not fall into one row
AHEAD_YD = 7.0  # the window's middle, before the throwing umpire
SNAP_YD = 5.0  # the window moves in steps, so that it stands while the umpire stirs
LEAST_COLUMNS, LEAST_ROWS = 40, 24
HEAD_ROWS, FOOT_ROWS = 3, 9
MISSING_ROWS, RECENT_ROWS = 3, 5
OLD_MS = 500.0  # an older position is no input for a verdict: shown as lost
RING_STEP_DEG = 6
OVER = ("other", "ball", "umpire", "player")  # who is drawn over whom
# Told apart by people who see red and green alike; letters and marks say the same.
STYLES = {
    "red": "38;5;208",
    "blue": "38;5;39",
    "umpire": "1",
    "hold": "1;97;48;5;88",
    "ready": "1;30;48;5;153",
    "blind": "1;30;48;5;221",
    "breach": "7",
    "dim": "2",
    "title": "1",
}


class Size(NamedTuple):
    """How many characters a terminal shows."""

    columns: int
    rows: int


class Told(NamedTuple):
    """Something that happened, in words, at the scenario's time."""

    t_s: float
    words: str


Piece = tuple[str, str]  # text, style


@dataclass(slots=True)
class Scene:
    """What is known of a throw-in so far; take() adds to it."""

    title: str
    t_s: float = 0.0
    picture: Picture | None = None
    lineup: Lineup | None = None
    status: Status | None = None
    middle_yd: float = 0.0  # y of the window's middle
    blind: str | None = None  # what BLIND said, until READY is given again
    holding: dict[str, str] = field(default_factory=dict)  # alert id -> what was said
    happened: deque[Told] = field(default_factory=lambda: deque(maxlen=RECENT_ROWS))
    patterns: dict[str, str] = field(default_factory=dict)  # cue id -> pattern

    def take(self, t_s: float, message: Message | AckMessage) -> str:
        """Take one message at the scenario's time; give its line, "" when it has none."""
        self.t_s = t_s
        line = self._line(message)
        match message:
            case Picture():
                self.picture = message
                self._look_at(message.entities)
            case Lineup():
                self.lineup = message
            case Status():
                self.status = message
            case Cue():
                self._feel(message)
            case _:
                pass
        if line and isinstance(message, Cue | MatchEvent):
            self.happened.append(Told(t_s, line))
        return line

    def _line(self, message: Message | AckMessage) -> str:
        match message:
            case AckMessage():
                late = "" if message.late_ms is None else f", {message.late_ms:.0f} ms late"
                if message.what == "received":
                    return ""
                pattern = self.patterns.get(message.cue_id, "cue").upper()
                return f"ack    {message.receiver}: {pattern} {message.what}{late}"
            case Status():
                told = None if self.status is None else (self.status.state, self.status.reasons)
                if told == (message.state, message.reasons):
                    return ""
                return f"daemon {message.state} {'; '.join(message.reasons)}".rstrip()
            case _:
                return say(message)

    def _look_at(self, rows: Sequence[EntityRow]) -> None:
        throwing = None if self.lineup is None else self.lineup.throwing_umpire
        umpires = [row for row in rows if row.kind == "umpire"]
        umpire = next((row for row in umpires if row.entity == throwing), None)
        if umpire is None and throwing is None and umpires:
            umpire = umpires[0]
        if umpire is None:
            return
        riders = [row.y_field_m for row in rows if row.kind == "player"]
        facing = 1 if sum(1 if y_m > umpire.y_field_m else -1 for y_m in riders) >= 0 else -1
        middle_yd = m_to_yd(umpire.y_field_m) + facing * AHEAD_YD
        self.middle_yd = round(middle_yd / SNAP_YD) * SNAP_YD

    def _feel(self, cue: Cue) -> None:
        self.patterns[cue.id] = cue.pattern
        match cue.pattern:
            case "hold" if cue.alert_id is not None:
                self.holding[cue.alert_id] = cue.say_en
            case "end" if cue.alert_id is not None:
                self.holding.pop(cue.alert_id, None)
            case "blind":
                self.blind = cue.say_en
            case "ready":
                self.blind = None
            case _:
                pass


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
                else f": {show(proof.value, proof.unit)} {proof.measure}, P = {proof.p:.4f}"
            )
            return f"alert  {message.clause} {message.severity} {message.state}, {who}{why}"
        case MatchEvent(what="phase"):
            return f"phase  {message.detail.get('to', '')} ({message.trigger})"
        case MatchEvent():
            return f"event  {message.what} ({message.trigger})"
        case _:
            return ""


def draw(scene: Scene, size: Size, *, is_coloured: bool) -> list[str]:
    """Draw the scene as lines for a terminal, none longer than it is wide, fewer than its rows."""
    columns, rows = max(size.columns, LEAST_COLUMNS), max(size.rows, LEAST_ROWS)
    plot = _Plot(Size(columns - 1, rows - HEAD_ROWS - FOOT_ROWS - 1), scene.middle_yd)
    plot.draw(scene)
    lines = [*_head(scene), *plot.lines(), *_foot(scene, plot)]
    return [_rendered(line, columns - 1, is_coloured=is_coloured) for line in lines]


def _head(scene: Scene) -> Iterator[list[Piece]]:
    lineup, status = scene.lineup, scene.status
    yield [(scene.title, "title"), (f"   {scene.t_s:5.1f} s", "")]
    yield [_banner(scene)]
    if lineup is None:
        yield [("the daemon has said nothing yet", "dim")]
        return
    text = f"phase {lineup.phase} ({lineup.trigger})   red attacks {lineup.red_attacks_expected}"
    if status is not None:
        text += f"   daemon {status.state} {'; '.join(status.reasons)}"
    yield [(text.rstrip(), "")]


def _banner(scene: Scene) -> Piece:
    """Give what the umpire was last told that still holds."""
    if scene.holding:
        return f" HOLD  {'; '.join(scene.holding.values())} ", "hold"
    if scene.blind is not None:
        return f" BLIND  {scene.blind} ", "blind"
    if scene.lineup is not None and scene.lineup.ready:
        return f" READY  covers {', '.join(scene.lineup.covers)} ", "ready"
    return "", ""


def _foot(scene: Scene, plot: "_Plot") -> Iterator[list[Piece]]:
    bar = "-" * max(round(LIMIT_YD / plot.column_yd) - 2, 0)
    yield [(f"^ north goal   |{bar}| {LIMIT_YD:g} yd", "dim")]
    yield from _verdicts(scene.lineup)
    for t_s, words in scene.happened:
        yield [(f"{max(scene.t_s - t_s, 0.0):5.1f} s ago  {words}", "")]
    for _ in range(RECENT_ROWS - len(scene.happened)):
        yield []


def _verdicts(lineup: Lineup | None) -> Iterator[list[Piece]]:
    """Give what READY lacks, or else what was judged, in as many lines whatever it is."""
    missing = () if lineup is None or lineup.ready else lineup.missing
    told: list[list[Piece]] = [[(f"not ready: {words}", "")] for words in missing]
    if lineup is not None and not told:
        told = [[(text, "")] for text in _judged(lineup)]
    if len(told) > MISSING_ROWS:
        more = len(told) - MISSING_ROWS + 1
        told[MISSING_ROWS - 1 :] = [[(f"and {more} more", "dim")]]
    yield from told
    for _ in range(MISSING_ROWS - len(told)):
        yield []


def _judged(lineup: Lineup) -> Iterator[str]:
    """Give each verdict that is not clear, then how many are."""
    clear = 0
    for row in lineup.verdicts:
        if row.verdict == "clear":
            clear += 1
            continue
        p = "" if row.p is None else f" P = {row.p:.4f}"
        reason = f" ({row.reason})" if row.reason else ""
        yield f"{row.rule} {', '.join(row.subjects)}: {row.verdict}{p}{reason}"
    if clear:
        yield f"{clear} verdicts clear"


class _Plot:
    """The window on the field: characters with styles. Row 0 is the north, column 0 the left."""

    def __init__(self, size: Size, middle_yd: float) -> None:
        self._size = size
        self._middle_yd = middle_yd
        wanted_yd = max(WIDE_YD / size.columns, HIGH_YD / (2 * size.rows))
        self.column_yd = min(wanted_yd, COLUMN_YD)
        self._cells: dict[tuple[int, int], Piece] = {}

    def draw(self, scene: Scene) -> None:
        """Draw line, circles, and all that has a place."""
        for column in range(self._size.columns):
            self._put(self._row(0.0), column, "-", "dim")
        entities = () if scene.picture is None else scene.picture.entities
        for row in entities:
            if row.kind == "umpire":
                self._ring(row)
        breaching = _breaching(scene.lineup)
        for row in sorted(entities, key=lambda row: OVER.index(row.kind)):
            self._mark(row, is_breaching=row.entity in breaching)

    def lines(self) -> Iterator[list[Piece]]:
        """Give the rows, each in pieces of one style, without the blanks at its end."""
        for row in range(self._size.rows):
            end = max((column for at, column in self._cells if at == row), default=-1) + 1
            yield [self._cells.get((row, column), (" ", "")) for column in range(end)]

    def _row(self, x_yd: float) -> int:
        return round((self._size.rows - 1) / 2 - x_yd / (2 * self.column_yd))

    def _column(self, y_yd: float) -> int:
        return round((self._size.columns - 1) / 2 + (self._middle_yd - y_yd) / self.column_yd)

    def _put(self, row: int, column: int, letter: str, style: str) -> None:
        if 0 <= row < self._size.rows and 0 <= column < self._size.columns:
            self._cells[row, column] = (letter, style)

    def _ring(self, entity: EntityRow) -> None:
        x_yd, y_yd = m_to_yd(entity.x_field_m), m_to_yd(entity.y_field_m)
        for degrees in range(0, 360, RING_STEP_DEG):
            turn = math.radians(degrees)
            row = self._row(x_yd + LIMIT_YD * math.cos(turn))
            self._put(row, self._column(y_yd + LIMIT_YD * math.sin(turn)), ".", "dim")

    def _mark(self, entity: EntityRow, *, is_breaching: bool) -> None:
        """Write its letter and number; "?" behind a position that is old, "!" behind a breach."""
        kind, _, number = entity.entity.partition(" ")
        text = {
            "player": f"{kind[:1]}{number}".upper(),
            "umpire": number.upper(),
            "ball": "o",
        }.get(entity.kind, "s")
        style = entity.team or entity.kind
        if is_breaching:
            text, style = f"{text}!", "breach"
        if entity.age_ms > OLD_MS:
            text, style = f"{text}?", "dim"
        row = self._row(m_to_yd(entity.x_field_m))
        column = self._column(m_to_yd(entity.y_field_m))
        for place, letter in enumerate(text):
            self._put(row, column + place, letter, style)


def _breaching(lineup: Lineup | None) -> frozenset[str]:
    rows = () if lineup is None else lineup.verdicts
    found = [name for row in rows if row.verdict == "breach" for name in row.subjects]
    return frozenset(name for name in found if not name.startswith("umpire"))


def _rendered(line: Sequence[Piece], columns: int, *, is_coloured: bool) -> str:
    """Give a line's text, cut at a width; neighbours of one style share their colour's code."""
    parts: list[str] = []
    current, left = "", columns
    for text, style in line:
        shown = text[:left]
        left -= len(shown)
        code = STYLES.get(style, "") if is_coloured else ""
        if shown and code != current:
            parts.append(("\x1b[0m" if current else "") + (f"\x1b[{code}m" if code else ""))
            current = code
        parts.append(shown)
    return "".join(parts) + ("\x1b[0m" if current else "")
