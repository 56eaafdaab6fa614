"""Who is on the field, and which tag each wears."""

import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass

_ENTITY = re.compile(r"(?:(?P<team>red|blue) (?P<number>[1-4])|umpire (?P<id>\S+)|ball)")


class Team(enum.Enum):
    """The two teams."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One player, umpire or the ball; number is a player's, umpire_id an umpire's."""

    entity: str
    tag: str
    team: Team | None = None
    number: int | None = None
    umpire_id: str | None = None


class RosterError(ValueError):
    """A roster that can't be: who, and why."""


@dataclass(frozen=True, slots=True)
class Roster:
    """All members in order: red, blue, umpires, ball; each entity and each tag at most once."""

    members: tuple[Member, ...]

    @property
    def players(self) -> tuple[Member, ...]:
        """The players, red first, by number."""
        return tuple(member for member in self.members if member.team is not None)

    @property
    def umpires(self) -> tuple[Member, ...]:
        """The umpires, by id."""
        return tuple(member for member in self.members if member.umpire_id is not None)

    def entity_of(self, tag: str) -> str | None:
        """Give who wears a tag, None for a spare one."""
        return next((member.entity for member in self.members if member.tag == tag), None)

    def assign(self, tag: str, entity: str) -> "Roster":
        """Give the roster with a tag on someone; "" makes it a spare one.

        Whoever wore the tag wears it no more, and the entity's old tag becomes a spare one.
        Raises RosterError for a name that is no entity.
        """
        rest = [(m.tag, m.entity) for m in self.members if tag != m.tag and entity != m.entity]
        return make_roster([*rest, (tag, entity)])


def make_roster(pairs: Iterable[tuple[str, str]]) -> Roster:
    """Make a roster of (tag, entity) pairs; raises RosterError. Spare tags ("") are left out."""
    members: list[Member] = []
    for tag, entity in pairs:
        if not entity:
            continue
        match = _ENTITY.fullmatch(entity)
        if match is None:
            raise RosterError(
                f"expected red 1 .. red 4, blue 1 .. blue 4, umpire ID or ball; got {entity!r}"
            )
        if any(entity == member.entity or tag == member.tag for member in members):
            raise RosterError(
                f"expected one tag for each; {entity!r} or tag {tag!r} is there twice"
            )
        members.append(
            Member(
                entity=entity,
                tag=tag,
                team=Team(match["team"]) if match["team"] else None,
                number=int(match["number"]) if match["number"] else None,
                umpire_id=match["id"],
            )
        )
    order = {"red": 0, "blue": 1, "umpire": 2, "ball": 3}
    members.sort(key=lambda member: (order[member.entity.split()[0]], member.entity))
    return Roster(tuple(members))
