"""What the terminal shows of a throw-in, fact by fact."""

import re
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from throwin.app.drawing import Scene, Size, draw, say
from throwin.contract.payload import (
    AckMessage,
    AckWord,
    Alert,
    Cue,
    CuePattern,
    EntityRow,
    Evidence,
    Heartbeat,
    Lineup,
    MatchEvent,
    Message,
    Picture,
    Status,
    VerdictRow,
)
from throwin.field.units import YARD_M

HEAD: dict[str, Any] = {
    "id": "b-1",
    "boot": "b",
    "seq": 1,
    "t": "2026-06-06T14:00:00.000Z",
    "clk": "ntp",
    "mono_ms": 0.0,
}
SIZE = Size(81, 40)
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def entity(name: str, x_yd: float, y_yd: float, *, age_ms: float = 60.0) -> EntityRow:
    kinds: dict[str, Literal["player", "umpire", "ball", "other"]] = {
        "red": "player",
        "blue": "player",
        "umpire": "umpire",
        "ball": "ball",
    }
    team = name.split(maxsplit=1)[0]
    return EntityRow(
        entity=name,
        kind=kinds.get(team, "other"),
        team=team if team in ("red", "blue") else None,
        x_field_m=x_yd * YARD_M,
        y_field_m=y_yd * YARD_M,
        vx_field_mps=0.0,
        vy_field_mps=0.0,
        r95_m=0.1,
        age_ms=age_ms,
        fix="rtk_fixed",
    )


def picture(*rows: EntityRow) -> Picture:
    return Picture(**HEAD, t_picture_mono_ms=0.0, entities=rows)


def lineup(**changes: object) -> Lineup:
    values: dict[str, Any] = {
        "phase": "armed",
        "trigger": "inferred",
        "ready": False,
        "covers": ("C5", "C6"),
        "missing": (),
        "red_attacks_expected": "north",
        "red_attacks_in_force": "north",
        "throwing_umpire": "umpire u1",
        "in_lineup": (),
        "late": (),
        "verdicts": (),
    }
    return Lineup(**HEAD, **(values | changes))


def verdict(
    word: Literal["breach", "clear", "cannot_tell"],
    *subjects: str,
    p: float | None = None,
    reason: str = "",
) -> VerdictRow:
    return VerdictRow(rule="C6", subjects=subjects, verdict=word, p=p, reason=reason)


def cue(pattern: CuePattern, say_en: str = "", **changes: object) -> Cue:
    values: dict[str, Any] = {
        "umpire": "u1",
        "say_es": "",
        "valid_ms": 1000,
        "alert_id": None,
        "next_ms": None,
        "covers": (),
        "fix_age_ms": None,
    }
    return Cue(**HEAD, pattern=pattern, say_en=say_en, **(values | changes))


def event(what: str, **detail: str) -> MatchEvent:
    return MatchEvent(**HEAD, what=what, trigger="inferred", detail=detail)


def status(state: Literal["ready", "degraded"], *reasons: str) -> Status:
    return Status(**HEAD, state=state, reasons=reasons, version="0", counters={})


def ack(what: AckWord, late_ms: float | None = None) -> AckMessage:
    return AckMessage(receiver="buzzer", cue_id="b-1", what=what, late_ms=late_ms)


def alert(evidence: Evidence | None) -> Alert:
    return Alert(
        **HEAD,
        alert_id="a1",
        state="new",
        severity="hold",
        rule="C6",
        clause="C6",
        subjects=("red 2", "umpire u1"),
        say_en="",
        say_es="",
        hint="",
        evidence=evidence,
        acknowledged=False,
    )


def shown(scene: Scene, size: Size = SIZE) -> list[str]:
    return draw(scene, size, is_coloured=False)


def scene_of(*messages: Message | AckMessage) -> Scene:
    scene = Scene("A throw-in")
    for message in messages:
        scene.take(1.0, message)
    return scene


def place_of(text: str, lines: list[str]) -> tuple[int, int]:
    """Give (row, column) of a text that stands once in the window on the field."""
    found = [(row, line.index(text)) for row, line in enumerate(lines[3:-9]) if text in line]
    assert len(found) == 1
    return found[0]


UMPIRE = entity("umpire u1", 0.0, -20.0)
LINE_UP = picture(
    UMPIRE, entity("red 1", -1.0, -14.0), entity("blue 1", 1.0, -14.0), entity("red 3", -1.0, -9.0)
)


@pytest.mark.parametrize("mark", ["U1", "R1", "B1", "R3"])
def test_entity_stands_in_the_window_once(mark: str) -> None:
    """Umpires and riders are drawn by letter and number."""
    place_of(mark, shown(scene_of(LINE_UP)))
    assert sum(line.count(mark) for line in shown(scene_of(LINE_UP))) == 1


def test_north_of_the_field_is_up() -> None:
    """Who stands nearer to the north goal stands higher."""
    lines = shown(scene_of(LINE_UP))
    assert place_of("B1", lines)[0] < place_of("U1", lines)[0] < place_of("R1", lines)[0]


def test_left_of_the_field_is_left() -> None:
    """Who stands further to the left of the field, +y, stands further left."""
    lines = shown(scene_of(LINE_UP))
    assert place_of("R3", lines)[1] < place_of("R1", lines)[1] < place_of("U1", lines)[1]


def test_window_is_to_scale() -> None:
    """Five yards along the centre line are as many columns as the scale's bar has."""
    lines = shown(scene_of(LINE_UP))
    bar = next(line for line in lines if "5 yd" in line)
    columns = place_of("R1", lines)[1] - place_of("R3", lines)[1]
    assert bar.rindex("|") - bar.index("|") + 1 == columns


def test_circle_is_five_yards_from_the_umpire() -> None:
    """The circle crosses the umpire's own row five yards from him on both sides."""
    lines = shown(scene_of(picture(UMPIRE)))
    row, column = place_of("U1", lines)
    reach = [abs(found.start() - column) for found in re.finditer(r"\.", lines[3 + row])]
    assert reach == [10, 10]


def test_centre_line_runs_through_the_window() -> None:
    """The umpire on the line stands in a row of dashes."""
    lines = shown(scene_of(picture(UMPIRE)))
    assert set(lines[3 + place_of("U1", lines)[0]]) == set("-.U1")


def test_two_files_never_share_a_row() -> None:
    """Riders on either side of the line stand in rows of their own, even in a small terminal."""
    rows = picture(UMPIRE, entity("red 1", -0.685, -14.0), entity("blue 1", 0.685, -10.0))
    lines = shown(scene_of(rows), Size(40, 24))
    assert place_of("R1", lines)[0] - place_of("B1", lines)[0] == 2


def test_umpire_facing_right_has_his_riders_in_the_window() -> None:
    """The window reaches further to where the riders are."""
    rows = picture(entity("umpire u1", 0.0, 20.0), entity("red 1", -1.0, 3.0))
    assert any("R1" in line for line in shown(scene_of(rows)))


def test_window_stands_while_the_umpire_stirs() -> None:
    """A small move of the umpire moves him, not the window."""
    scene = scene_of(LINE_UP)
    before = scene.middle_yd
    scene.take(2.0, picture(entity("umpire u1", 0.1, -20.3), *LINE_UP.entities[1:]))
    assert scene.middle_yd == before


def test_window_stays_when_the_umpire_is_lost() -> None:
    """Without a throwing umpire in the picture the window stays where it was."""
    scene = scene_of(lineup(), LINE_UP)
    before = scene.middle_yd
    scene.take(2.0, picture(entity("umpire u2", 0.0, 30.0), *LINE_UP.entities[1:]))
    assert scene.middle_yd == before


def test_old_position_has_a_question_mark() -> None:
    """A position too old for a verdict is marked."""
    rows = picture(entity("umpire u1", 0.0, -20.0, age_ms=900.0))
    assert any("U1?" in line for line in shown(scene_of(rows)))


def test_rider_in_breach_has_an_exclamation_mark() -> None:
    """Who breaks a rule is marked, the umpire is not."""
    rows = lineup(verdicts=(verdict("breach", "red 1", "umpire u1", p=1.0),))
    lines = shown(scene_of(rows, LINE_UP))
    assert [any(mark in line for line in lines[3:-9]) for mark in ("R1!", "U1!", "B1!")] == [
        True,
        False,
        False,
    ]


def test_rider_is_drawn_over_the_ball() -> None:
    """Who carries the ball is seen, not the ball."""
    rows = picture(UMPIRE, entity("red 1", -1.0, -14.0), entity("ball", -1.0, -14.0))
    assert any("R1" in line for line in shown(scene_of(rows)))


def test_who_is_outside_the_window_is_not_drawn() -> None:
    """A spare at the pony lines is nowhere."""
    rows = picture(UMPIRE, entity("red 4", 90.0, -20.0))
    assert not any("R4" in line for line in shown(scene_of(rows)))


def test_ready_is_told_with_its_scope() -> None:
    """READY shows which rules it covers."""
    assert shown(scene_of(lineup(ready=True)))[1] == " READY  covers C5, C6 "


def test_what_ready_lacks_is_listed() -> None:
    """Before READY each thing that is missing has its line."""
    lines = shown(scene_of(lineup(missing=("red 1: no position", "red 2: C6 breach"))))
    assert [line for line in lines if line.startswith("not ready")] == [
        "not ready: red 1: no position",
        "not ready: red 2: C6 breach",
    ]


def test_more_than_has_room_is_counted() -> None:
    """A long list of what is missing ends with how many more there are."""
    lines = shown(scene_of(lineup(missing=("a", "b", "c", "d", "e"))))
    assert [line for line in lines if line.endswith("more")] == ["and 3 more"]


def test_verdict_that_is_not_clear_is_listed_with_its_reason() -> None:
    """What can't be told says why."""
    rows = (
        verdict("clear", "red 2"),
        verdict("cannot_tell", "red 1", p=0.25, reason="too far off"),
    )
    lines = shown(scene_of(lineup(verdicts=rows)))
    wanted = ["C6 red 1: cannot_tell P = 0.2500 (too far off)", "1 verdicts clear"]
    assert [line for line in lines if line in wanted] == wanted


def test_hold_stands_until_its_end() -> None:
    """A HOLD is shown until the `end` of its alert."""
    scene = scene_of(lineup(), cue("hold", "red two, five yards", alert_id="a1"))
    during = shown(scene)[1]
    scene.take(2.0, cue("end", alert_id="a1"))
    assert (during, shown(scene)[1]) == (" HOLD  red two, five yards ", "")


def test_blind_stands_until_ready() -> None:
    """BLIND is shown until READY is given again."""
    scene = scene_of(lineup(), cue("blind", "no position"))
    during = shown(scene)[1]
    scene.take(2.0, lineup(ready=True))
    scene.take(2.0, cue("ready", "ready"))
    assert (during, shown(scene)[1]) == (" BLIND  no position ", " READY  covers C5, C6 ")


def test_phase_and_daemon_are_told() -> None:
    """The third line says the phase, who set it, the ends, and how the daemon is."""
    lines = shown(scene_of(lineup(), status("degraded", "port gateway lost")))
    assert lines[2] == (
        "phase armed (inferred)   red attacks north   daemon degraded port gateway lost"
    )


def test_cue_shows_its_age() -> None:
    """What was felt shows how long ago."""
    scene = scene_of(cue("hold", "red two, five yards", alert_id="a1"))
    scene.t_s = 3.5
    assert "  2.5 s ago  cue    u1 HOLD red two, five yards" in shown(scene)


def test_colours_only_where_they_are_wanted() -> None:
    """Without colours there is no escape code; with them the text is the same."""
    scene = scene_of(lineup(ready=True), LINE_UP)
    coloured = draw(scene, SIZE, is_coloured=True)
    assert [ANSI.sub("", line) for line in coloured] == shown(scene)


def test_every_coloured_line_ends_its_colour() -> None:
    """No colour runs into what follows."""
    lines = draw(scene_of(lineup(), LINE_UP), SIZE, is_coloured=True)
    last = [codes[-1] for line in lines if (codes := ANSI.findall(line))]
    assert set(last) == {"\x1b[0m"}


@given(
    columns=st.integers(1, 250),
    rows=st.integers(1, 90),
    places=st.lists(st.tuples(st.floats(-200, 200), st.floats(-200, 200)), min_size=2, max_size=5),
    said=st.text(st.characters(categories=["L"]), max_size=300),
)
def test_drawing_fits_whatever_the_terminal(
    columns: int, rows: int, places: list[tuple[float, float]], said: str
) -> None:
    """No line reaches the last column, and the last row stays free."""
    names = ["umpire u1", "red 1", "blue 2", "ball", "spare 1"]
    entities = [entity(name, *place) for name, place in zip(names, places, strict=False)]
    scene = scene_of(lineup(missing=(said,)), picture(*entities), cue("hold", said, alert_id="a"))
    lines = shown(scene, Size(columns, rows))
    assert (max(map(len, lines)) < max(columns, 40), len(lines) < max(rows, 24)) == (True, True)


def test_drawing_has_as_many_lines_whatever_is_known() -> None:
    """The picture does not jump: an empty scene takes as many lines as a full one."""
    full = scene_of(lineup(missing=("a", "b", "c", "d")), LINE_UP, *[cue("warn")] * 9)
    assert len(shown(Scene("A throw-in"))) == len(shown(full))


def test_line_of_a_cue_says_who_feels_what() -> None:
    """A cue's line has umpire, pattern, words and scope."""
    line = say(cue("ready", "ready, five yards only", covers=("C6",)))
    assert line == "cue    u1 READY ready, five yards only (C6)"


def test_line_of_an_alert_has_its_evidence_in_yards() -> None:
    """An alert's line has clause, state, subjects, and what was measured."""
    proof = Evidence(
        measure="distance",
        unit="m",
        value=4.5 * YARD_M,
        limit=5 * YARD_M,
        sigma=0.05,
        p=1.0,
        age_ms=0.0,
        point="rider",
    )
    assert [say(alert(None)), say(alert(proof))] == [
        "alert  C6 hold new, red 2, umpire u1",
        "alert  C6 hold new, red 2, umpire u1: 4.50 yd distance, P = 1.0000",
    ]


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (event("phase", to="armed"), "phase  armed (inferred)"),
        (event("throw"), "event  throw (inferred)"),
        (Heartbeat(**HEAD, phase="armed", armed=True), ""),
    ],
)
def test_line_of_what_else_happens(message: MatchEvent | Heartbeat, line: str) -> None:
    """Phases and events have a line, heartbeats have none."""
    assert say(message) == line


def test_line_of_an_ack_names_the_cue() -> None:
    """What was played is told by its pattern, with how late it was."""
    scene = scene_of(cue("hold", alert_id="a1"))
    assert [scene.take(1.0, ack("received")), scene.take(1.0, ack("played", 2.0))] == [
        "",
        "ack    buzzer: HOLD played, 2 ms late",
    ]


def test_daemon_has_a_line_only_when_it_changes() -> None:
    """The daemon says how it is again and again; once is enough."""
    scene = Scene("A throw-in")
    words = [
        scene.take(1.0, message)
        for message in (status("ready"), status("ready"), status("degraded", "port a lost"))
    ]
    assert words == ["daemon ready", "", "daemon degraded port a lost"]
