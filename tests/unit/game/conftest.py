"""For the tests of the game: the shipped profile, and a field where everybody is tracked."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from throwin.contract.rulebook import shipped_rulebook, to_profile
from throwin.event import Command, Verb
from throwin.field.frame import FieldFrame
from throwin.field.units import YARD_M
from throwin.game.desk import Desk, Reply
from throwin.game.ends import End, Ends
from throwin.game.finding import AlertChange, CueOrder, Finding, Happened, Pattern
from throwin.game.ground import Ground
from throwin.game.match import Match, Phase
from throwin.game.profile import Profile
from throwin.game.referee import Referee
from throwin.game.roster import make_roster
from throwin.tags.observation import Button, Fix, FixKind, Press
from throwin.tracking.track import TagSpec
from throwin.tracking.tracker import Tracker

NS = 1_000_000_000
TICK_NS = NS // 20
LAG_NS = 120_000_000
U1, U2 = "umpire u1", "umpire u2"
Place = tuple[float, float]


def lineup_yd(*, nearest: float = 5.6) -> dict[str, Place]:
    """Give everybody's place, yards: red attacks north, so it stands south of the line."""
    places: dict[str, Place] = {U1: (0.0, -20.0)}
    for number in range(1, 5):
        y_yd = -20.0 + nearest + 2.2 * (number - 1)
        places[f"red {number}"] = (-0.7, y_yd)
        places[f"blue {number}"] = (0.7, y_yd)
    return places


class Field:
    """A referee with true tracks: everybody's tag sends RTK fixes at 10 Hz."""

    def __init__(
        self,
        profile: Profile,
        *,
        places: dict[str, Place] | None = None,
        ends: End = End.NORTH,
        sensor: str = "rtk",
    ) -> None:
        self.places = lineup_yd() if places is None else places
        self.silent: set[str] = set()
        self.speed_mps: dict[str, Place] = {}
        self.kinds: dict[str, FixKind] = {}
        self.t_ns = 0
        self.found: list[tuple[float, Finding]] = []
        self._frame = FieldFrame(
            origin_wgs84=(51.0, -1.0, 0.0),
            direction_rad=0.0,
            shift_m=(0.0, 0.0),
            cov=np.zeros((3, 3)),
            residuals=(),
            warnings=(),
        )
        specs = [
            TagSpec(tag=who.replace(" ", "-"), sensor="gnss" if sensor == "gnss" else "rtk",
                    lag_s=0.12)
            for who in self.places
        ]  # fmt: skip
        self.tracker = Tracker(frame=self._frame, tags=specs, uwb={})
        self.referee = Referee(
            profile=profile,
            roster=make_roster((who.replace(" ", "-"), who) for who in self.places),
            tracker=self.tracker,
            match=Match(Ends(ends)),
            ground=Ground(line_var_m2=lambda _: 1e-4, half_width_m=80 * YARD_M, boards_var_m2=1e-4),
            boot="b",
        )
        self.desk = Desk(self.referee)

    @property
    def phase(self) -> Phase:
        """The phase now."""
        return self.referee.match.phase

    def run(self, seconds: float) -> None:
        """Let time pass: a tick each 50 ms, everybody's fix each 100 ms."""
        for number in range(round(seconds * 20)):
            self.t_ns += TICK_NS
            if number % 2 == 0:
                self._send()
            self.referee.tick(self.t_ns)
            self._drain()

    def ride(self, who: str, to_yd: Place, speed_mps: float = 1.2) -> None:
        """Let one ride to a place, and time pass until he is there."""
        x_yd, y_yd = self.places[who]
        away_m = math.hypot(to_yd[0] - x_yd, to_yd[1] - y_yd) * YARD_M
        steps = max(1, round(away_m / speed_mps * 10))
        self.speed_mps[who] = (
            (to_yd[0] - x_yd) * YARD_M * 10 / steps,
            (to_yd[1] - y_yd) * YARD_M * 10 / steps,
        )
        self.run(steps / 10)
        del self.speed_mps[who]

    def command(self, verb: Verb, **args: str) -> Reply:
        """Give a command, and let it act."""
        command = Command(self.t_ns, f"c{self.t_ns}-{verb.value}", verb, tuple(args.items()))
        reply = self.desk.take(command)
        self._drain()
        return reply

    def press(self, who: str, press: Press) -> bool:
        """Press a button."""
        is_done = self.desk.press(Button(who.replace(" ", "-"), self.t_ns, press))
        self._drain()
        return is_done

    def cues(self, umpire: str = "u1") -> list[Pattern]:
        """Give the cues of one umpire so far, each run of the same as one."""
        patterns: list[Pattern] = []
        for _, finding in self.found:
            if isinstance(finding, CueOrder) and finding.umpire == umpire:
                patterns += [finding.pattern] if patterns[-1:] != [finding.pattern] else []
        return patterns

    def alerts(self) -> list[AlertChange]:
        """Give the alerts so far."""
        return [one for _, one in self.found if isinstance(one, AlertChange)]

    def said(self, pattern: Pattern) -> list[str]:
        """Give the words of each cue of a pattern."""
        cues = [one for _, one in self.found if isinstance(one, CueOrder)]
        return [cue.say.en for cue in cues if cue.pattern is pattern]

    def events(self) -> list[str]:
        """Give what happened, but for phases."""
        happened = [one for _, one in self.found if isinstance(one, Happened)]
        return [one.what for one in happened if one.what != "phase"]

    def forget(self) -> None:
        """Look only at what comes from here."""
        self.found.clear()

    def _send(self) -> None:
        for who, (last_x_yd, last_y_yd) in self.places.items():
            vx, vy = self.speed_mps.get(who, (0.0, 0.0))
            x_yd, y_yd = last_x_yd + vx * 0.1 / YARD_M, last_y_yd + vy * 0.1 / YARD_M
            self.places[who] = (x_yd, y_yd)
            if who in self.silent:
                continue
            lat_deg, lon_deg = self._frame.to_wgs84(x_yd * YARD_M, y_yd * YARD_M)
            vel_e, vel_n = self._frame.turn_to_local(vx, vy)
            fix = Fix(
                tag=who.replace(" ", "-"),
                t_host_ns=self.t_ns,
                t_utc_ns=self.t_ns - LAG_NS,
                kind=self.kinds.get(who, FixKind.RTK_FIXED),
                lat_deg=lat_deg,
                lon_deg=lon_deg,
                vel_e_mps=vel_e,
                vel_n_mps=vel_n,
                sigma_v_mps=0.05,
            )
            self.tracker.take("p", fix)
            self.referee.seen(fix.tag, self.t_ns)

    def _drain(self) -> None:
        self.found += [(self.t_ns / NS, one) for one in self.referee.drain()]


@pytest.fixture(scope="session")
def profile() -> Profile:
    """Give the profile that ships, with no tolerance."""
    return to_profile(shipped_rulebook("uspa-2026"), hold_tolerance_m=0.0)


Make = Callable[..., Field]


@pytest.fixture
def make(profile: Profile) -> Make:
    return lambda **options: Field(profile, **options)


def ready(make: Make, **options: object) -> Field:
    """Give a field that is armed, with READY given."""
    field = make(**options)
    field.run(4.0)
    assert field.cues() == [Pattern.READY]
    field.forget()
    return field
