"""What the line-up looks like to those who watch it, and what stands between now and READY."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from throwin.game.ends import End, Ends
from throwin.game.judgement import Judgement
from throwin.game.lineup import Lineup
from throwin.game.match import Phase
from throwin.game.panel import Panel
from throwin.game.person import Person
from throwin.game.profile import Profile


class View(NamedTuple):
    """What the line-up looks like now, for those who watch it."""

    phase: Phase
    trigger: str
    is_ready: bool
    covers: tuple[str, ...]
    missing: tuple[str, ...]
    red_expected: str
    red_in_force: str
    throwing: str | None
    in_lineup: tuple[str, ...]
    late: tuple[str, ...]
    judgements: tuple[Judgement, ...]


def missing_of(
    *,
    people: Sequence[Person],
    lineup: Lineup,
    panel: Panel,
    ends: Ends,
    profile: Profile,
    now_ns: int,
) -> Iterator[str]:
    """Say what stands between now and READY, for the technician."""
    if not any(person.member.umpire_id is not None for person in people):
        yield "no umpire has a tag"
    elif lineup.throwing is None:
        yield "no umpire is positioned"
    if ends.standing is End.UNKNOWN:
        yield "which end red attacks is not known: say draw or ends"
    if not panel.covers:
        yield "no rule can be decided with these tags"
    for person in people:
        if not person.is_within(now_ns, profile.input_age_ns):
            yield f"{person.entity}: no position"
        elif person.member.team is not None and not person.is_in_lineup:
            yield f"{person.entity}: not in the line-up"
    for judgement in panel.relevant():
        if judgement.measure is not None and judgement.p > profile.clear:
            clause = judgement.rule.clause.value
            yield f"{judgement.who}: {clause} {judgement.verdict.value}"
