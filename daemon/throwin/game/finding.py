"""What the game finds: the words of the judgement, before they become messages."""

import enum
from typing import NamedTuple

from throwin.field.units import Unit


class Pattern(enum.Enum):
    """What an umpire's device plays."""

    READY = "ready"
    HOLD = "hold"
    BLIND = "blind"
    WARN = "warn"
    END = "end"


class Severity(enum.Enum):
    """How much an alert weighs: only a hold reaches the umpire's hand."""

    INFO = "info"
    WARNING = "warning"
    HOLD = "hold"
    BLIND = "blind"


class Words(NamedTuple):
    """The same in English and in Spanish."""

    en: str
    es: str


SILENT = Words("", "")


class Proof(NamedTuple):
    """Why: measured value, limit and 1 sigma in the unit; P(infringed); age of the inputs."""

    measure: str
    unit: Unit
    value: float
    limit: float
    sigma: float
    p: float
    age_ns: int


class CueOrder(NamedTuple):
    """Something for one umpire's device; age_ns: of the fix that it rests on."""

    umpire: str
    pattern: Pattern
    say: Words
    alert_id: str | None = None
    next_ms: int | None = None
    covers: tuple[str, ...] = ()
    age_ns: int | None = None


class AlertChange(NamedTuple):
    """An alert raised ("new"), changed ("update") or ended ("end")."""

    alert_id: str
    state: str
    severity: Severity
    clause: str
    subjects: tuple[str, ...]
    say: Words
    hint: str
    proof: Proof | None
    is_acknowledged: bool


class Happened(NamedTuple):
    """Something for the record; what triggered it, in a word."""

    what: str
    trigger: str
    detail: tuple[tuple[str, str], ...] = ()


Finding = CueOrder | AlertChange | Happened
