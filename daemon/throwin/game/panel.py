"""All judgements of a line-up: each rule for each rider, and for each umpire where he counts."""

import math
from collections.abc import Sequence

from throwin.game.ends import Way, wrong_side_sign
from throwin.game.ground import Ground
from throwin.game.judgement import Judgement, Stage
from throwin.game.lineup import Lineup
from throwin.game.match import Match
from throwin.game.person import Person
from throwin.game.profile import Profile
from throwin.game.rules import (
    RULES,
    Clause,
    measure_distance,
    measure_rush,
    measure_side,
    measure_spot,
)
from throwin.game.way import WayJudgement

# Two at a gallop toward each other, each looked at up to half a second ago, and 3 m of error.
FAR_M = 20.0


class Panel:
    """The judgements of everybody there is, on one ground."""

    __slots__ = (
        "_by_person",
        "_ground",
        "_lineup",
        "_match",
        "_people",
        "_profile",
        "_way",
        "all",
        "covers",
    )

    def __init__(
        self,
        *,
        riders: Sequence[Person],
        umpires: Sequence[Person],
        lineup: Lineup,
        match: Match,
        profile: Profile,
        ground: Ground,
    ) -> None:
        self._lineup = lineup
        self._match = match
        self._profile = profile
        self._ground = ground
        each = tuple(
            judgement
            for rider in riders
            for judgement in (
                Judgement(RULES[Clause.C5], rider, None),
                *(Judgement(RULES[Clause.C6], rider, umpire) for umpire in umpires),
                *(Judgement(RULES[Clause.C10], rider, umpire) for umpire in umpires),
            )
        )
        sides = [judgement for judgement in each if judgement.umpire is None]
        self._way = WayJudgement(RULES[Clause.C18], sides) if sides else None
        spots = tuple(Judgement(RULES[Clause.C12], umpire, None) for umpire in umpires)
        whole = () if self._way is None else (self._way,)
        self.all: tuple[Judgement, ...] = (*each, *whole, *spots)
        self._people = (*riders, *umpires)
        self._by_person = {
            person.entity: (
                *(j for j in (*each, *spots) if person in (j.rider, j.umpire)),
                *(whole if person in riders else ()),
            )
            for person in (*riders, *umpires)
        }
        self.covers = _covers(riders, umpires)

    def of(self, person: Person) -> tuple[Judgement, ...]:
        """Give the judgements that one person's fix touches."""
        return self._by_person[person.entity]

    def is_relevant(self, judgement: Judgement) -> bool:
        """Say whether it counts now.

        The side counts for who is in the line-up; five yards of the throwing umpire bind
        everyone, those of the other one only who is at rest near him: riders pass him all the
        time.
        """
        rider = judgement.rider
        if judgement is self._way:
            return self._lineup.has_both_teams()
        if judgement.rule.clause is Clause.C12:
            return rider is self._lineup.throwing
        if judgement.umpire is None:
            return rider.is_in_lineup
        if judgement.umpire is self._lineup.throwing:
            return self._match.phase in judgement.rule.phases
        if judgement.rule.clause is Clause.C10:
            return False  # riders pass the other umpire at any speed
        return rider.is_at_rest(self._profile)

    def judge(self, judgement: Judgement, now_ns: int) -> None:
        """Judge anew, with both tracks at the newer one's instant."""
        if isinstance(judgement, WayJudgement):
            judgement.look(self._profile)
            return
        rider, umpire = judgement.rider, judgement.umpire
        track = rider.track
        if not rider.is_within(now_ns, self._profile.input_age_ns):
            judgement.reset(_too_old(rider))
            return
        if judgement.rule.clause is Clause.C12:
            self._judge_spot(judgement)
            return
        if umpire is None:
            state = track.at(track.t_fix_ns)
            sign = self._wrong_sign(rider)
            if state is None or sign == 0:
                judgement.reset("which end red attacks is not known")
                return
            measure = measure_side(
                state,
                sign,
                self._ground.line_var_m2(state.y_field_m),
                self._profile.hold_tolerance_m,
            )
            judgement.take(measure, track.t_fix_ns, self._profile)
            return
        if not umpire.is_within(now_ns, self._profile.input_age_ns):
            judgement.reset(_too_old(umpire))
            return
        is_rush = judgement.rule.clause is Clause.C10
        profile = self._profile
        limit_m = profile.rush_near_m if is_rush else profile.umpire_limit_m
        limit_m -= 0.0 if is_rush else profile.hold_tolerance_m
        t_ns = max(track.t_fix_ns, umpire.track.t_fix_ns)
        is_told = judgement.stage is not Stage.NONE  # its evidence is shown: measure it
        if is_rush and not is_told and track.is_surely_slower(profile.rush_mps):
            judgement.take_far(0.0, profile.rush_mps, t_ns, profile)
            return
        away_m = math.hypot(rider.x_field_m - umpire.x_field_m, rider.y_field_m - umpire.y_field_m)
        if away_m > limit_m + FAR_M and not (is_rush and is_told):
            value = 0.0 if is_rush else away_m
            judgement.take_far(value, profile.rush_mps if is_rush else limit_m, t_ns, profile)
            return
        one, other = track.at(t_ns), umpire.track.at(t_ns)
        if one is None or other is None:
            judgement.reset(_too_old(rider if one is None else umpire))
            return
        if is_rush:
            measure = measure_rush(one, other, profile.rush_mps, limit_m)
        else:
            measure = measure_distance(one, other, limit_m)
        judgement.take(measure, t_ns, profile)

    def _judge_spot(self, judgement: Judgement) -> None:
        track, ground, profile = judgement.rider.track, self._ground, self._profile
        state = track.at(track.t_fix_ns)
        if state is None:
            judgement.reset(_too_old(judgement.rider))
            return
        limit_m = profile.boards_limit_m - profile.hold_tolerance_m
        measure = measure_spot(state, ground.half_width_m, ground.boards_var_m2, limit_m)
        judgement.take(measure, track.t_fix_ns, profile)

    def expire(self, now_ns: int) -> None:
        """Take back the verdicts whose inputs have grown too old."""
        limit_ns = self._profile.input_age_ns
        if all(person.is_within(now_ns, limit_ns) for person in self._people):
            return
        for judgement in self.all:
            if judgement.measure is None:
                continue
            for person in (judgement.rider, judgement.umpire):
                if person is not None and not person.is_within(now_ns, self._profile.input_age_ns):
                    judgement.reset(_too_old(person))
                    break

    def relevant(self) -> list[Judgement]:
        """Give the judgements that count now."""
        return [judgement for judgement in self.all if self.is_relevant(judgement)]

    def doubt(self, now_ns: int) -> float | None:
        """Give P(any infringement of what READY covers), None where something is not known.

        The sum of the probabilities bounds the joint one from above (Boole). A rider whom nobody
        has seen near is not in it: READY names him.
        """
        if not self.covers:
            return None
        total = 0.0
        for judgement in self.all:
            if judgement.rule.clause not in self.covers or not self.is_relevant(judgement):
                continue
            if judgement.measure is not None:
                total += judgement.measure.p
            elif self._lineup.needs(judgement.rider, now_ns):
                return None
        return total

    @property
    def is_wrong_way(self) -> bool:
        """Say whether the whole line-up stands the wrong way round (C18), or was told that."""
        way = self._way
        return way is not None and (way.is_wrong or way.stage is Stage.HOLD)

    @property
    def way(self) -> Way:
        """Say how the line-up stands."""
        return Way.UNKNOWN if self._way is None else self._way.way

    def _wrong_sign(self, rider: Person) -> int:
        team = rider.member.team
        return 0 if team is None else wrong_side_sign(team, self._match.standing)


def _covers(riders: Sequence[Person], umpires: Sequence[Person]) -> tuple[Clause, ...]:
    """Give the rules that every tag they need can decide, by its class."""
    covers = []
    for rule in RULES.values():
        if not rule.is_in_scope:
            continue
        needed = riders if rule.clause is Clause.C5 else (*riders, *umpires)
        has_umpires = rule.clause is Clause.C5 or bool(umpires)
        sensors = [person.track.spec.sensor for person in needed]
        if riders and has_umpires and all(s in rule.decides_sensor for s in sensors):
            covers.append(rule.clause)
    return tuple(covers)


def _too_old(person: Person) -> str:
    if not person.track.is_started:
        return f"{person.entity}: no position yet"
    return f"{person.entity}: position too old"
