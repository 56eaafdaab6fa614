"""The referee: follows the phases of a throw-in, has the rules judged, and says what comes of it.

It is told of each fix and of time passing; it gives findings, in order.
"""

from collections.abc import Callable

from throwin.game import record, words
from throwin.game.alerts import Alerts
from throwin.game.finding import CueOrder, Finding, Happened, Pattern, Words
from throwin.game.ground import Ground
from throwin.game.judgement import Judgement
from throwin.game.lineup import Lineup
from throwin.game.match import Cause, Match, Phase
from throwin.game.panel import Panel
from throwin.game.person import Person
from throwin.game.profile import Profile
from throwin.game.readiness import Outlook, Readiness, Word
from throwin.game.roster import Roster, Team
from throwin.game.start import Start
from throwin.game.view import View, missing_of
from throwin.game.way import Latch
from throwin.tracking.tracker import Tracker

INFERRED = "inferred"
LOOK_TICKS = 2  # the line-up is looked at 10 times a second
FORMING_TICKS = 4  # and while it forms, for the technician alone, judged 5 times
# After these a line-up that still stands is not taken for a new one.
_BARRING = (
    Cause.CANCEL,
    Cause.RETAKE,
    Cause.ABORT,
    Cause.WHISTLE,
    Cause.GOAL,
    Cause.PERIOD,
)
_LIVE = (Phase.FORMING, Phase.ARMED)


class Referee:
    """One field's referee. Raises nothing; what it can't tell, it says."""

    def __init__(
        self,
        *,
        profile: Profile,
        roster: Roster,
        tracker: Tracker,
        match: Match,
        ground: Ground,
        boot: str,
    ) -> None:
        self.match = match
        self._profile = profile
        self._tracker = tracker
        self._ground = ground
        self._boot = boot
        self._trigger = "start"
        self._is_inferred = True
        self._ticks = 0
        self._thrown_ns = 0
        self._is_surge = False
        self._is_barred = False
        self._unseen: tuple[Person, ...] = ()
        self._findings: list[Finding] = []
        self._readiness = Readiness(profile)
        self._latch = Latch()
        self._seat(roster, first_alert=0)

    def _seat(self, roster: Roster, *, first_alert: int) -> None:
        """Put everybody of a roster on his track."""
        people = []
        for member in roster.members:
            track = self._tracker.track(member.tag)
            if track is not None:
                people.append(Person(member, track))
        self.roster = roster
        self.people = tuple(people)
        self._riders = tuple(p for p in people if p.member.team is not None)
        self._umpires = tuple(p for p in people if p.member.umpire_id is not None)
        self._by_tag = {p.member.tag: p for p in (*self._riders, *self._umpires)}
        self._start = Start(self._riders, self._profile)
        self._lineup = Lineup(self._riders, self._umpires, self._profile)
        self._panel = Panel(
            riders=self._riders,
            umpires=self._umpires,
            lineup=self._lineup,
            match=self.match,
            profile=self._profile,
            ground=self._ground,
        )
        self._alerts = Alerts(
            panel=self._panel,
            lineup=self._lineup,
            umpires=self._umpires,
            profile=self._profile,
            boot=self._boot,
            first=first_alert,
            emit=self._emit,
        )

    @property
    def _emit(self) -> Callable[[Finding], None]:
        return self._findings.append

    def record(self, happened: Happened) -> None:
        """Put something on record among the findings."""
        self._emit(happened)

    def knows(self, tag: str) -> bool:
        """Say whether a tag is one of the field file's."""
        return self._tracker.track(tag) is not None

    def drain(self) -> list[Finding]:
        """Give what has been found since the last call, in order."""
        found = self._findings[:]
        self._findings.clear()
        return found

    @property
    def has_found(self) -> bool:
        """Say whether there is anything to drain."""
        return bool(self._findings)

    def seen(self, tag: str, now_ns: int) -> None:
        """Take a tag's newest fix: while armed, judge at once what it touches."""
        if self.match.phase is not Phase.ARMED:
            return
        person = self._by_tag.get(tag)
        if person is None:
            return
        person.look(self._profile)
        self._start.note(person)
        if self._start.has_surged(person):
            self.move(Cause.SURGE, INFERRED, now_ns)
            return
        for judgement in self._panel.of(person):
            self._panel.judge(judgement, now_ns)
            self._follow(judgement, now_ns)

    def tick(self, now_ns: int) -> None:
        """Take it that time has passed: look at the line-up, at ages, and at what is due."""
        self._ticks += 1
        if self._ticks % LOOK_TICKS == 0:
            self._look(now_ns)
        if self.match.phase is Phase.ARMED:
            self._panel.expire(now_ns)
            self._alerts.lose(now_ns)
            self._update_readiness(now_ns)
            self._alerts.tick(now_ns)
        elif (
            self.match.phase is Phase.THROWN
            and now_ns - self._thrown_ns >= self._profile.dispersed_ns
        ):
            self.move(Cause.DISPERSED, INFERRED, now_ns)

    def move(
        self,
        cause: Cause,
        trigger: str,
        now_ns: int,
        *,
        by_umpire: bool = False,
        by: Team | None = None,
    ) -> bool:
        """Let a cause act on the phase; False where it leads nowhere. by: whose a goal is."""
        before = self.match.phase
        is_told = self._readiness.is_given or self._alerts.is_holding
        was_wrong = self.match.ends.is_wrong
        was = self.match.standing
        to = self.match.move(cause, way=self._latch.way(), by=by)
        if to is None:
            return False
        self._trigger = trigger
        self._is_barred = cause in _BARRING or (self._is_barred and to is not Phase.ARMED)
        detail = (("from", before.value), ("to", to.value), ("cause", cause.value))
        self._emit(Happened("phase", trigger, detail))
        self._leave(before, to, now_ns, is_felt=is_told and not by_umpire)
        match to:
            case Phase.ARMED:
                self._arm(now_ns, is_inferred=cause is Cause.LINEUP_STANDS)
            case Phase.THROWN:
                self._throw(cause, trigger, now_ns)
            case Phase.OPEN:
                if cause is not Cause.UNDO:
                    self._emit(Happened("ball_out", trigger))
            case Phase.BETWEEN:
                self._lineup.clear()
                if cause is Cause.PERIOD and was_wrong:
                    self._emit(record.corrected(was, self.match.ends, trigger))
            case Phase.FORMING:
                pass
        return True

    def _leave(self, before: Phase, to: Phase, now_ns: int, *, is_felt: bool) -> None:
        """End what belongs to the phase that is left; is_felt: who was told must feel it."""
        if to in _LIVE and before not in _LIVE:
            self._latch.clear()
        if before in _LIVE and to not in _LIVE:
            self._alerts.clear(now_ns, "the ball is thrown" if to is Phase.THROWN else "stopped")
        if before is Phase.ARMED and to is not Phase.ARMED:
            if to is Phase.FORMING:
                self._alerts.clear(now_ns, "the line-up forms again")
            if to is not Phase.THROWN and is_felt:
                self._cue(Pattern.BLIND, words.NOT_READY)
                self._readiness.blinded(now_ns)
            self._readiness.clear()

    def position(self, umpire_id: str | None, now_ns: int) -> None:
        """Take an umpire as positioned on his word; None = whoever is nearest to the line."""
        for person in (*self._riders, *self._umpires):
            person.look(self._profile)
        named = [u for u in self._umpires if u.member.umpire_id == umpire_id]
        self._lineup.position(named[0] if named else None, now_ns)

    def assign(self, roster: Roster, now_ns: int) -> None:
        """Take a new roster; the line-up and its alerts begin anew."""
        self.move(Cause.ABORT, "command", now_ns)
        self._seat(roster, first_alert=self._alerts.count)

    def acknowledge(self, alert_id: str, now_ns: int) -> bool:
        """Quiet an alert until it ends; False when there is none of that id."""
        return self._alerts.acknowledge(alert_id, now_ns)

    def unheard(self, now_ns: int) -> None:
        """Take it that the READY that stands was not played: it is given once more."""
        self._readiness.unheard(now_ns)

    def view(self, now_ns: int) -> View:
        """Say what the line-up looks like."""
        throwing = self._lineup.throwing
        in_lineup = tuple(r.entity for r in self._riders if r.is_in_lineup)
        late = tuple(r.entity for r in self._late())
        return View(
            phase=self.match.phase,
            trigger=self._trigger,
            is_ready=self._readiness.is_given,
            covers=tuple(clause.value for clause in self._panel.covers),
            missing=self._missing(now_ns),
            red_expected=self.match.ends.state.expected.value,
            red_in_force=self.match.ends.state.in_force.value,
            throwing=None if throwing is None else throwing.entity,
            in_lineup=in_lineup,
            late=late if throwing is not None else (),
            judgements=tuple(self._panel.relevant()) if self.match.phase in _LIVE else (),
        )

    def _look(self, now_ns: int) -> None:
        for person in (*self._riders, *self._umpires):
            person.look(self._profile)
        lineup = self._lineup
        if self.match.phase in _LIVE:
            self._look_back(now_ns)
        match self.match.phase:
            case Phase.BETWEEN:
                self._look_anew(now_ns)
                if lineup.throwing is not None and lineup.has_both_teams():
                    self.move(Cause.LINEUP_FORMS, INFERRED, now_ns)
            case Phase.OPEN:
                self._look_anew(now_ns)
                if lineup.throwing is not None and lineup.is_at_rest():
                    self.move(Cause.LINEUP_FORMS, INFERRED, now_ns)
            case Phase.FORMING:
                self._look_forming(now_ns)
            case Phase.ARMED:
                lineup.keep(now_ns)
                is_broken = self._is_inferred and lineup.is_broken(now_ns)
                if is_broken or lineup.is_left(now_ns):
                    self.move(Cause.LINEUP_BREAKS, INFERRED, now_ns)
            case Phase.THROWN:
                self._look_thrown(now_ns)

    def _look_thrown(self, now_ns: int) -> None:
        """Take a start back that was none: they stand in the line-up again."""
        if not self._is_surge or now_ns - self._thrown_ns > self._profile.back_ns:
            return
        self._lineup.keep(now_ns)
        if self._lineup.is_settled():
            self.move(Cause.SURGE_ENDS, INFERRED, now_ns)

    def _look_anew(self, now_ns: int) -> None:
        """Look at the line-up; one that has come apart is a new one when it stands again."""
        self._lineup.look(now_ns)
        self._is_barred = self._is_barred and self._lineup.complete_since_ns is not None

    def _look_forming(self, now_ns: int) -> None:
        lineup = self._lineup
        self._look_anew(now_ns)
        if lineup.is_gone(now_ns):
            self.move(Cause.LINEUP_GONE, INFERRED, now_ns)
            return
        if lineup.is_standing(now_ns) and not self._is_barred:
            self.move(Cause.LINEUP_STANDS, INFERRED, now_ns)
        elif self._ticks % FORMING_TICKS == 0:
            self._judge_all(now_ns)

    def _judge_all(self, now_ns: int) -> None:
        for judgement in self._panel.all:
            self._panel.judge(judgement, now_ns)
            self._follow(judgement, now_ns)

    def _follow(self, judgement: Judgement, now_ns: int) -> None:
        is_deferred = self._start.is_deferring(judgement.t_ns) and not judgement.is_sure_for(
            self._profile.surge_defer_ns
        )  # horses that fidget start again and again: no breach waits for more than one start
        if judgement.is_nearing and not is_deferred:
            is_deferred = self._start.is_as_one()
        self._alerts.follow(
            judgement,
            now_ns,
            is_armed=self.match.phase is Phase.ARMED,
            is_deferred=is_deferred,
        )

    def _arm(self, now_ns: int, *, is_inferred: bool) -> None:
        self._is_inferred = is_inferred
        self._start.clear()
        self._unseen = self._not_seen(now_ns)
        self._readiness.clear()
        for person in (*self._riders, *self._umpires):
            person.look(self._profile)
        self._judge_all(now_ns)
        self._look_back(now_ns)

    def _look_back(self, now_ns: int) -> None:
        """Keep how the line-up stands, for a release that comes a moment later."""
        in_lineup = tuple(rider for rider in self._riders if rider.is_in_lineup)
        self._latch.look(now_ns, self._panel.way, in_lineup)

    def _throw(self, cause: Cause, trigger: str, now_ns: int) -> None:
        self._thrown_ns = now_ns
        self._is_surge = cause is Cause.SURGE
        throwing = self._lineup.throwing
        ends = self.match.ends.state
        detail = (
            ("umpire", "" if throwing is None else throwing.entity),
            ("in_lineup", ", ".join(r.entity for r in self._latch.in_lineup())),
            ("red_attacks", ends.in_force.value),
        )
        self._emit(Happened("throw", trigger, detail))
        in_force = record.thrown(self.match.ends, trigger)
        if in_force is not None:
            self._emit(in_force)

    def _outlook(self, now_ns: int) -> Outlook:
        throwing = self._lineup.throwing
        if throwing is not None and self._alerts.is_holding_for(throwing.member.umpire_id or ""):
            return Outlook.BREACH
        if self._start.is_excuse(self._tracker.newest_ns, now_ns):
            return Outlook.FAIR  # in a moment it is a throw or a HOLD
        doubt = self._panel.doubt(now_ns)
        if doubt is None or doubt > self._profile.withdraw_sum or self._alerts.is_holding:
            return Outlook.UNSURE
        return Outlook.GOOD if doubt <= self._profile.ready_sum else Outlook.FAIR

    def _not_seen(self, now_ns: int) -> tuple[Person, ...]:
        """Give the riders of whom nothing is known, and nothing is needed to go on."""
        lost_ns = self._profile.lost_age_ns
        return tuple(
            rider
            for rider in self._riders
            if not rider.is_within(now_ns, lost_ns) and not self._lineup.needs(rider, now_ns)
        )

    def _update_readiness(self, now_ns: int) -> None:
        outlook = self._outlook(now_ns)
        lost_ns = self._profile.lost_age_ns
        is_lost = any(
            not person.is_within(now_ns, lost_ns) and self._lineup.needs(person, now_ns)
            for person in self._by_tag.values()
        )
        unseen = self._not_seen(now_ns)
        if any(rider not in self._unseen for rider in unseen):
            self._readiness.renew()
        self._unseen = unseen
        match self._readiness.update(now_ns, outlook, is_lost=is_lost):
            case Word.READY:
                late = tuple(rider for rider in self._late() if rider not in unseen)
                say = words.ready(self._panel.covers, late, unseen)
                self._cue(Pattern.READY, say, now_ns)
            case Word.NO_POSITION:
                self._cue(Pattern.BLIND, words.NO_POSITION)
            case Word.NOT_READY:
                self._cue(Pattern.BLIND, words.NOT_READY)
            case None:
                pass

    def _cue(self, pattern: Pattern, say: Words, now_ns: int | None = None) -> None:
        """Tell the throwing umpire; all umpires when it is not known who throws."""
        throwing = self._lineup.throwing
        covers: tuple[str, ...] = ()
        age_ns = None
        if pattern is Pattern.READY and now_ns is not None:
            covers = tuple(clause.value for clause in self._panel.covers)
            ages = [now_ns - person.track.t_fix_ns for person in self._by_tag.values()]
            age_ns = max(ages, default=None)
        for umpire in self._umpires if throwing is None else (throwing,):
            order = CueOrder(
                umpire.member.umpire_id or "", pattern, say, covers=covers, age_ns=age_ns
            )
            self._emit(order)

    def _late(self) -> tuple[Person, ...]:
        return tuple(rider for rider in self._riders if not rider.is_in_lineup)

    def _missing(self, now_ns: int) -> tuple[str, ...]:
        if self._readiness.is_given:
            return ()
        return tuple(
            missing_of(
                people=tuple(self._by_tag.values()),
                lineup=self._lineup,
                panel=self._panel,
                ends=self.match.ends,
                profile=self._profile,
                now_ns=now_ns,
            )
        )
