"""The release, and what is none: starts, melees, talks, cancelled and whistled line-ups."""

from tests.unit.game.conftest import U1, Field, Make, lineup_yd, ready

from throwin.event import Verb
from throwin.game.finding import CueOrder, Pattern
from throwin.game.match import Phase
from throwin.tags.observation import Press


def surge(field: Field, *, riders: int = 8) -> None:
    """Let so many start at 3 m/s2, up to 4 m/s."""
    chosen = [who for who in field.places if who != U1][:riders]
    for step in range(1, 14):
        for who in chosen:
            field.speed_mps[who] = (0.3 * step, 0.0)
        field.run(0.1)


def test_surge_of_both_teams_is_the_release(make: Make) -> None:
    """Surge of both teams is the release."""
    field = ready(make)
    surge(field)
    assert (field.phase, field.cues()) == (Phase.THROWN, [])


def test_surge_of_two_riders_is_no_release(make: Make) -> None:
    """Surge of two riders is no release."""
    field = ready(make)
    surge(field, riders=2)
    assert field.phase is Phase.ARMED


def test_throw_opens_the_play_after_a_while(make: Make) -> None:
    """Throw opens the play after a while."""
    field = ready(make)
    surge(field)
    field.run(6.0)
    assert (field.phase, field.events()) == (Phase.OPEN, ["throw", "ball_out"])


def test_melee_before_an_umpire_at_rest_is_no_line_up(make: Make) -> None:
    """Melee before an umpire at rest is no line up."""
    field = ready(make)
    surge(field)
    field.run(3.0)
    for number, who in enumerate(field.speed_mps):
        field.speed_mps[who] = (1.2 * (-1) ** number, 0.5)
    field.run(6.0)
    assert field.phase is Phase.OPEN


def test_line_up_after_the_play_is_armed_again(make: Make) -> None:
    """Line up after the play is armed again."""
    field = ready(make)
    surge(field)
    field.run(6.0)
    field.speed_mps.clear()
    field.places = lineup_yd()
    field.run(6.0)
    assert field.phase is Phase.ARMED


def test_line_up_cancelled_is_not_armed_again_by_itself(make: Make) -> None:
    """Line up cancelled is not armed again by itself."""
    field = ready(make)
    field.press(U1, Press.CANCEL)
    field.run(5.0)
    assert field.phase is Phase.FORMING


def test_line_up_cancelled_is_armed_by_the_umpires_word(make: Make) -> None:
    """Line up cancelled is armed by the umpires word."""
    field = ready(make)
    field.press(U1, Press.CANCEL)
    field.run(1.0)
    field.press(U1, Press.READY)
    assert field.phase is Phase.ARMED


def test_whistle_arms_no_line_up_that_still_stands(make: Make) -> None:
    """Whistle arms no line up that still stands."""
    field = ready(make)
    field.command(Verb.WHISTLE)
    field.run(5.0)
    assert field.phase is not Phase.ARMED


def test_talk_with_the_umpire_is_no_line_up(make: Make) -> None:
    """Riders of both teams on both sides are no line up."""
    places = lineup_yd()
    for number in (1, 2):
        red, blue = places[f"red {number}"], places[f"blue {number}"]
        places[f"red {number}"], places[f"blue {number}"] = blue, red
    field = make(places=places)
    field.run(6.0)
    assert field.phase is Phase.FORMING


def test_all_who_step_back_are_no_throw_for_long(make: Make) -> None:
    """All who step back are no throw for long."""
    field = ready(make)
    for who in field.places:
        if who != U1:
            field.speed_mps[who] = (0.0, 2.0)
    field.run(1.0)
    field.speed_mps.clear()
    field.run(4.0)
    assert field.phase is Phase.ARMED


def test_all_who_ride_at_the_umpire_are_held(make: Make) -> None:
    """K2: a line up that moves toward the umpire is held within two seconds."""
    field = ready(make)
    for who in field.places:
        if who != U1:
            field.speed_mps[who] = (0.0, -2.0)
    field.run(2.0)
    assert field.cues() == [Pattern.HOLD]


def fidget(field: Field, seconds: float, creeper: str = "") -> None:
    """Let six riders of both teams start and stop on the spot, a tenth of a second apart."""
    fidgety = ("red 2", "blue 1", "red 3", "blue 2", "red 4", "blue 3")
    for step in range(round(seconds * 10)):
        for number, who in enumerate(fidgety):
            beat, swing = (step - number) % 6, (step - number) // 6
            speed_mps = 1.8 if beat < 3 and step >= number else 0.0
            field.speed_mps[who] = (0.0, speed_mps * (-1) ** swing)
        if creeper:
            field.speed_mps[creeper] = (0.0, -0.6)
        field.run(0.1)
        field.speed_mps.clear()


def test_fidgeting_horses_put_off_no_hold_for_long(make: Make) -> None:
    """Starts that come again and again would else hide a breach for good."""
    field = ready(make)
    for who in (U1, "red 1"):  # whose fixes come after those of the starters
        field.places[who] = field.places.pop(who)
    fidget(field, 1.6, creeper="red 1")
    field.forget()
    start_s = field.t_ns / 1e9
    fidget(field, 6)
    told_s = [
        t_s
        for t_s, one in field.found
        if isinstance(one, CueOrder) and one.pattern is Pattern.HOLD and "red one" in one.say.en
    ]
    assert told_s[0] - start_s < 2.5
