"""What the umpire hears, in English and in Spanish: a few words, who first."""

from throwin.game.finding import Words
from throwin.game.person import Person
from throwin.game.roster import Team
from throwin.game.rules import Clause

_TEAM = {Team.RED: Words("red", "rojo"), Team.BLUE: Words("blue", "azul")}
_NUMBER = {
    1: Words("one", "uno"),
    2: Words("two", "dos"),
    3: Words("three", "tres"),
    4: Words("four", "cuatro"),
}
_CLAUSE = {
    Clause.C5: Words("wrong side", "lado equivocado"),
    Clause.C6: Words("five yards", "cinco yardas"),
    Clause.C10: Words("rushing", "se abalanza"),
    Clause.C12: Words("too near the boards", "muy cerca de las tablas"),
    Clause.C18: Words("wrong way", "al revés"),
}
_LATE = Words("late", "tarde")
_UNSEEN = Words("not seen", "no visto")
_ONLY = Words("only", "solo")
_SCOPE = {
    Clause.C5: Words("sides", "lados"),
    Clause.C6: Words("five yards", "cinco yardas"),
}
_READY = Words("ready", "listo")
NO_POSITION = Words("no position", "sin posición")
NOT_READY = Words("not ready", "no listo")


def name(person: Person) -> Words:
    """Give a player's name: "red two"."""
    team, number = person.member.team, person.member.number
    if team is None or number is None:
        return Words(person.entity, person.entity)
    return _join(" ", _TEAM[team], _NUMBER[number])


def breach(person: Person, clause: Clause) -> Words:
    """Say who and what: "red two, five yards"; of all at once, and of the umpire, only what."""
    if clause in (Clause.C12, Clause.C18):
        return _CLAUSE[clause]
    return _join(", ", name(person), _CLAUSE[clause])


def ready(
    covers: tuple[Clause, ...], late: tuple[Person, ...], unseen: tuple[Person, ...]
) -> Words:
    """Say READY with its scope: "ready, five yards only, blue three late, red one not seen"."""
    said = _join(", ", _READY, *(_SCOPE[clause] for clause in covers))
    said = _join(" ", said, _ONLY)
    for person in late:
        said = _join(", ", said, _join(" ", name(person), _LATE))
    for person in unseen:
        said = _join(", ", said, _join(" ", name(person), _UNSEEN))
    return said


def _join(between: str, *parts: Words) -> Words:
    return Words(between.join(p.en for p in parts), between.join(p.es for p in parts))
