"""The line-up: which umpire throws, where it stands, who is in it, whether it is complete."""

import math
from collections.abc import Callable, Sequence

from throwin.game.person import Person
from throwin.game.profile import Profile
from throwin.game.roster import Team
from throwin.game.rules import RULES, Clause

REACH_M = 25.0  # riders this near tell on which side of the umpire the line-up forms


class Lineup:
    """One line-up in the making.

    throwing: the umpire who throws, None while no one is positioned. centre_y_field_m: of the
    line-up, on the centre line. complete_since_ns: all but the profile's few of each team are in
    it since then. Terms as in CLAUSES: in the line-up, positioned, the line-up's centre.
    """

    __slots__ = (
        "_gone_since_ns",
        "_incomplete_since_ns",
        "_left_since_ns",
        "_profile",
        "_riders",
        "_spot_m",
        "_umpires",
        "centre_y_field_m",
        "complete_since_ns",
        "settled_since_ns",
        "throwing",
    )

    def __init__(
        self, riders: Sequence[Person], umpires: Sequence[Person], profile: Profile
    ) -> None:
        self._riders = riders
        self._umpires = umpires
        self._profile = profile
        self.clear()

    def clear(self) -> None:
        """Forget the line-up: nobody is positioned, nobody is in it."""
        self.throwing: Person | None = None
        self.centre_y_field_m = 0.0
        self.complete_since_ns: int | None = None
        self.settled_since_ns: int | None = None
        self._spot_m = (0.0, 0.0)
        self._incomplete_since_ns: int | None = None
        self._left_since_ns: int | None = None
        self._gone_since_ns: int | None = None
        for rider in self._riders:
            rider.lineup_since_ns = None

    def look(self, now_ns: int) -> None:
        """Find the throwing umpire anew, then who is in the line-up."""
        positioned = [u for u in self._umpires if self._is_positioned(u, now_ns)]
        self._choose(positioned)
        if self.throwing is None:
            self._gone_since_ns = now_ns if self._gone_since_ns is None else self._gone_since_ns
            self.complete_since_ns = None
            self.settled_since_ns = None
            for rider in self._riders:
                rider.lineup_since_ns = None
            return
        self._gone_since_ns = None
        self.keep(now_ns)

    def position(self, umpire: Person | None, now_ns: int) -> None:
        """Take an umpire as positioned by his own word; None = the one nearest to the line."""
        chosen = umpire or self.throwing
        if chosen is None:
            near = sorted(self._umpires, key=lambda u: _off_line_m(u, now_ns, self._profile))
            chosen = near[0] if near else None
        if chosen is not None:
            self._choose([chosen])
        self.keep(now_ns)

    def keep(self, now_ns: int) -> None:
        """Find who is in the line-up of the umpire who is positioned.

        A rider with an old position stays what he was: silence takes nobody out of it.
        """
        profile = self._profile
        for rider in self._riders:
            if not rider.is_within(now_ns, profile.input_age_ns):
                continue
            off_m = math.hypot(rider.x_field_m, rider.y_field_m - self.centre_y_field_m)
            is_in = (
                self.throwing is not None
                and off_m <= profile.lineup_radius_m
                and rider.motion.speed_mps < profile.lineup_speed_mps
            )
            if not is_in:
                rider.lineup_since_ns = None
            elif rider.lineup_since_ns is None:
                rider.lineup_since_ns = now_ns
        self._settle(now_ns)
        if self._is_complete(_is_in):
            self._incomplete_since_ns = None
            if self.complete_since_ns is None:
                self.complete_since_ns = now_ns
        else:
            self.complete_since_ns = None
            if self._incomplete_since_ns is None:
                self._incomplete_since_ns = now_ns

    def _settle(self, now_ns: int) -> None:
        if not self.is_settled():
            self.settled_since_ns = None
        elif self.settled_since_ns is None:
            self.settled_since_ns = now_ns

    def has_both_teams(self) -> bool:
        """Say whether at least one rider of each team is in it."""
        return all(self._count(team) > 0 for team in Team)

    def is_at_rest(self) -> bool:
        """Say whether it is complete with riders at rest: a melee in the play is not."""
        return self._is_complete(
            lambda rider: rider.is_in_lineup and rider.is_at_rest(self._profile)
        )

    def is_settled(self) -> bool:
        """Say whether it is complete with riders who are at rest just now."""
        return self._is_complete(lambda rider: rider.is_in_lineup and rider.motion.is_slow)

    def is_standing(self, now_ns: int) -> bool:
        """Say whether it has stood for the profile's time, as a line-up does and no talk does.

        Complete, at rest, the teams on two sides of the line (whichever they are), and no other
        umpire riding about in it, who may be the one to throw.
        """
        since_ns = self.settled_since_ns
        return (
            since_ns is not None
            and now_ns - since_ns >= self._profile.complete_ns
            and self._is_parted()
            and not any(self._is_riding_about(umpire) for umpire in self._umpires)
        )

    def _is_parted(self) -> bool:
        """Say whether all but one of each team stand on one side, the teams on opposite ones.

        Where the tags can't tell the sides, nothing speaks against it.
        """
        sides: list[bool | None] = []
        for team in Team:
            places = [r.x_field_m for r in self._riders if _is_placed(r) and r.member.team is team]
            north = sum(1 for x_m in places if x_m > 0.0)
            if min(north, len(places) - north) > 1:
                return False
            sides.append(None if not places else 2 * north > len(places))
        return None in sides or sides[0] is not sides[1]

    def _is_riding_about(self, umpire: Person) -> bool:
        off_m = math.hypot(umpire.x_field_m, umpire.y_field_m - self.centre_y_field_m)
        return (
            umpire is not self.throwing
            and umpire.t_fix_ns is not None
            and not umpire.motion.is_slow
            and off_m < self._profile.lineup_radius_m
        )

    def needs(self, person: Person, now_ns: int) -> bool:
        """Say whether his position is needed: of umpires, of who is in it, or may be near it.

        A rider who was never seen, or was far off when he was seen last, is late or not here.
        """
        if person.member.umpire_id is not None or person.is_in_lineup:
            return True
        if person.t_fix_ns is None:
            return False
        off_m = math.hypot(person.x_field_m, person.y_field_m - self.centre_y_field_m)
        return person.is_within(now_ns, self._profile.lost_age_ns) or off_m < REACH_M

    def is_gone(self, now_ns: int) -> bool:
        """Say whether nobody has been positioned for the time after which it is over."""
        since_ns = self._gone_since_ns
        return since_ns is not None and now_ns - since_ns >= self._profile.broken_ns

    def is_broken(self, now_ns: int) -> bool:
        """Say whether it has been incomplete for the time after which it has broken up."""
        since_ns = self._incomplete_since_ns
        return since_ns is not None and now_ns - since_ns >= self._profile.broken_ns

    def is_left(self, now_ns: int) -> bool:
        """Say whether the throwing umpire has surely ridden away from his spot for that time."""
        umpire, profile = self.throwing, self._profile
        if umpire is None:
            return False
        if umpire.is_within(now_ns, profile.input_age_ns):
            x_m, y_m = umpire.x_field_m, umpire.y_field_m
            if math.hypot(x_m - self._spot_m[0], y_m - self._spot_m[1]) <= profile.umpire_leaves_m:
                self._left_since_ns = None
            elif self._left_since_ns is None:
                self._left_since_ns = now_ns
        return self._left_since_ns is not None and now_ns - self._left_since_ns >= profile.broken_ns

    def _is_positioned(self, umpire: Person, now_ns: int) -> bool:
        profile = self._profile
        return (
            umpire.is_within(now_ns, profile.input_age_ns)
            and abs(umpire.x_field_m) <= profile.positioned_off_line_m
            and umpire.is_at_rest(profile)
        )

    def _choose(self, positioned: Sequence[Person]) -> None:
        """Take the umpire with most riders in the line-up before him; the first of equals."""
        best: tuple[int, float] | None = None
        self.throwing = None
        for umpire in positioned:
            centre_y_m = self._centre_y_m(umpire)
            placed = [rider for rider in self._riders if rider.t_fix_ns is not None]
            away_m = [math.hypot(r.x_field_m, r.y_field_m - centre_y_m) for r in placed]
            inside = sum(1 for m in away_m if m <= self._profile.lineup_radius_m)
            rank = (inside, -sum(away_m))
            if best is None or rank > best:
                best = rank
                self.throwing = umpire
                self.centre_y_field_m = centre_y_m
                self._spot_m = (umpire.x_field_m, umpire.y_field_m)

    def _centre_y_m(self, umpire: Person) -> float:
        y_m = umpire.y_field_m
        side = 0
        for rider in self._riders:
            if rider.t_fix_ns is None:
                continue
            if math.hypot(rider.x_field_m, rider.y_field_m - y_m) < REACH_M:
                side += 1 if rider.y_field_m > y_m else -1
        front_m = self._profile.umpire_limit_m + self._profile.file_length_m / 2
        return y_m + math.copysign(front_m, side or -y_m)

    def _is_complete(self, counts: Callable[[Person], bool]) -> bool:
        """Say whether all but the profile's few of each team count."""
        for team in Team:
            fielded = [rider for rider in self._riders if rider.member.team is team]
            present = sum(1 for rider in fielded if counts(rider))
            if present < max(1, len(fielded) - self._profile.missing_riders):
                return False
        return True

    def _count(self, team: Team) -> int:
        return sum(1 for rider in self._riders if rider.member.team is team and rider.is_in_lineup)


def _is_placed(rider: Person) -> bool:
    return rider.is_in_lineup and rider.track.kind in RULES[Clause.C5].decides


def _is_in(rider: Person) -> bool:
    return rider.is_in_lineup


def _off_line_m(umpire: Person, now_ns: int, profile: Profile) -> float:
    if not umpire.is_within(now_ns, profile.lost_age_ns):
        return math.inf
    return abs(umpire.x_field_m)
