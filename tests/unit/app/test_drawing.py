"""The drawing shows who stands where, and what the umpire has been told."""

import pytest

from throwin.app.drawing import HEIGHT, RECENT, WIDTH, Scene, draw, say
from throwin.contract.payload import (
    Alert,
    Cue,
    CuePattern,
    EntityRow,
    Evidence,
    Lineup,
    MatchEvent,
    Picture,
)
from throwin.field.units import yd_to_m


def row(entity: str, x_yd: float, y_yd: float, team: str | None = None) -> EntityRow:
    kind = entity.split(maxsplit=1)[0]
    return EntityRow(
        entity=entity,
        kind="player" if team else "umpire" if kind == "umpire" else "ball",
        team=team,
        x_field_m=yd_to_m(x_yd),
        y_field_m=yd_to_m(y_yd),
        vx_field_mps=0.0,
        vy_field_mps=0.0,
        r95_m=0.1,
        age_ms=100.0,
        fix="rtk_fixed",
    )


def picture(*rows: EntityRow) -> Picture:
    return Picture(
        id="x", boot="b", seq=1, t="", clk="ntp", mono_ms=0.0, t_picture_mono_ms=0.0, entities=rows
    )


def cue(pattern: CuePattern, say_en: str = "", alert_id: str | None = None) -> Cue:
    return Cue(
        id="x", boot="b", seq=1, t="", clk="ntp", mono_ms=0.0, umpire="u1", pattern=pattern,
        say_en=say_en, say_es="", valid_ms=1000, alert_id=alert_id, next_ms=None, covers=(),
        fix_age_ms=None,
    )  # fmt: skip


def lineup(*missing: str, ready: bool = False) -> Lineup:
    return Lineup(
        id="x", boot="b", seq=1, t="", clk="ntp", mono_ms=0.0, phase="armed", trigger="inferred",
        ready=ready, covers=("C5", "C6"), missing=missing, red_attacks_expected="north",
        red_attacks_in_force="unknown", throwing_umpire="umpire u1", in_lineup=(), late=(),
        verdicts=(),
    )  # fmt: skip


def alert() -> Alert:
    proof = Evidence(
        measure="distance to the umpire", value_m=4.2, limit_m=4.572, sigma_m=0.05, p=0.9999,
        age_ms=120.0, point="rider",
    )  # fmt: skip
    return Alert(
        id="x", boot="b", seq=1, t="", clk="ntp", mono_ms=0.0, alert_id="b-a1", state="new",
        severity="hold", rule="C6", clause="C6", subjects=("red 2", "umpire u1"), say_en="",
        say_es="", hint="", evidence=proof, acknowledged=False,
    )  # fmt: skip


@pytest.fixture
def scene() -> Scene:
    scene = Scene("A throw-in")
    scene.take(
        1.0,
        picture(
            row("umpire u1", 0, -20),
            row("red 2", -1, -14, "red"),
            row("blue 3", 1, -14, "blue"),
            row("ball", 0, -19),
        ),
    )
    return scene


def lines(scene: Scene) -> list[str]:
    return draw(scene, is_coloured=False)


def test_drawing_has_always_the_same_height(scene: Scene) -> None:
    """Drawing has always the same height."""
    assert len(lines(scene)) == len(lines(Scene("nothing yet"))) == 3 + HEIGHT + 1 + RECENT


def test_no_line_is_wider_than_the_window(scene: Scene) -> None:
    """No line is wider than the window."""
    assert max(len(line) for line in lines(scene)[3:-RECENT]) <= WIDTH + 1


@pytest.mark.parametrize("name", ["R2", "B3", "U", "o"])
def test_everybody_is_on_it(scene: Scene, name: str) -> None:
    """Everybody is on it."""
    assert any(name in line for line in lines(scene)[3:])


def test_red_stands_left_of_the_line_and_blue_right(scene: Scene) -> None:
    """Red stands left of the line and blue right."""
    drawn = next(line for line in lines(scene) if "R2" in line)
    assert drawn.index("R2") < WIDTH // 2 < drawn.index("B3")


def test_five_yards_are_drawn_around_the_umpire(scene: Scene) -> None:
    """Five yards are drawn around the umpire."""
    assert sum(line.count(".") for line in lines(scene)[3:-RECENT]) > 20


def test_hold_that_stands_is_at_the_top(scene: Scene) -> None:
    """Hold that stands is at the top."""
    scene.take(2.0, cue("hold", "red two, five yards", "b-a1"))
    assert "HOLD red two, five yards" in lines(scene)[1]


def test_hold_that_has_ended_is_gone_from_the_top(scene: Scene) -> None:
    """Hold that has ended is gone from the top."""
    scene.take(2.0, cue("hold", "red two, five yards", "b-a1"))
    scene.take(3.0, cue("end", "", "b-a1"))
    assert "HOLD" not in lines(scene)[1]


def test_ready_says_its_scope(scene: Scene) -> None:
    """Ready says its scope."""
    scene.take(2.0, lineup(ready=True))
    assert lines(scene)[1] == "READY (C5, C6)"


def test_what_is_missing_is_said(scene: Scene) -> None:
    """What is missing is said."""
    scene.take(2.0, lineup("red 4: not in the line-up"))
    assert lines(scene)[1] == "not ready: red 4: not in the line-up"


def test_what_happened_last_is_below(scene: Scene) -> None:
    """What happened last is below."""
    for number in range(10):
        scene.take(float(number), cue("warn", f"number {number}"))
    assert "number 9" in lines(scene)[-1]


def test_colours_are_only_where_they_are_wanted(scene: Scene) -> None:
    """Colours are only where they are wanted."""
    coloured = "".join(draw(scene, is_coloured=True))
    assert ("\x1b[" in coloured, "\x1b[" in "".join(lines(scene))) == (True, False)


def test_riders_behind_the_umpire_turn_the_window() -> None:
    """Riders behind the umpire turn the window."""
    scene = Scene("the other way")
    scene.take(1.0, picture(row("umpire u1", 0, 20), row("red 2", -1, 14, "red")))
    drawn = lines(scene)
    red = next(number for number, line in enumerate(drawn) if "R2" in line)
    umpire = next(number for number, line in enumerate(drawn) if "U" in line)
    assert red > umpire


def test_alert_is_said_with_its_proof() -> None:
    """Alert is said with its proof."""
    assert say(alert()) == (
        "alert  C6 hold new, red 2, umpire u1: 4.59 yd distance to the umpire, P = 0.9999"
    )


def test_phase_is_said_with_its_trigger() -> None:
    """Phase is said with its trigger."""
    event = MatchEvent(
        id="x", boot="b", seq=1, t="", clk="ntp", mono_ms=0.0, what="phase", trigger="inferred",
        detail={"to": "armed"},
    )  # fmt: skip
    assert say(event) == "phase  armed (inferred)"
