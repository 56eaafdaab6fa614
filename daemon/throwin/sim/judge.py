"""What came of a scenario against what its file expects: each failure in words.

It compares messages alone, so it serves the fast mode and a live run alike.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from throwin.contract.payload import Alert, Cue, Lineup, MatchEvent, Message, VerdictRow
from throwin.contract.scenariofile import ExpectSection
from throwin.sim.scenario import Scenario

Timed = tuple[float, Message]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One thing that should have come and did not, or came and should not."""

    expected: str
    when: str
    came: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"expected {self.expected} {self.when}; came {self.came}"


def judge(scenario: Scenario, outputs: Iterable[Timed], *, slack_s: float = 0.0) -> list[Failure]:
    """Compare outputs (scenario's seconds, message) with the file; no failures = it passed.

    slack_s widens every window at its end, for a live run's own delay.
    """
    seen = _seen(outputs)
    failures: list[Failure] = []
    expected: set[int] = set()
    for row in scenario.file.expect:
        hits = [i for i, one in enumerate(seen) if _matches(row, one)]
        inside = [i for i in hits if _is_within(row, seen[i].t_s, slack_s)]
        expected.update(inside)
        wanted = row.times
        if (wanted is None and inside) or wanted == len(inside):
            continue
        if wanted is not None and inside:
            came = f"{len(inside)}: " + _list(seen, inside)
        else:
            came = _nearest(row, seen, hits)
        failures.append(Failure(expected=_describe(row), when=_window(row), came=came))
    return failures + list(_unwanted(scenario, seen, expected))


class _Seen(NamedTuple):
    """One output; phase: the one that it begins, None when the line-up's phase is not new."""

    t_s: float
    message: Message
    phase: str | None


def _seen(outputs: Iterable[Timed]) -> list[_Seen]:
    """Mark where phases begin: the line-up is published again and again."""
    seen: list[_Seen] = []
    phase = ""
    for t_s, message in outputs:
        begins = isinstance(message, Lineup) and message.phase != phase
        if isinstance(message, Lineup):
            phase = message.phase
        seen.append(_Seen(t_s, message, phase if begins else None))
    return seen


def _matches(row: ExpectSection, one: _Seen) -> bool:
    match one.message:
        case Cue() as message if row.cue is not None:
            return (
                message.pattern == row.cue
                and row.umpire in (None, message.umpire)
                and row.says in message.say_en
            )
        case Alert() as message if row.alert is not None:
            return (
                row.alert in (message.rule, message.clause)
                and row.state in (None, message.state)
                and row.severity in (None, message.severity)
                and row.says in message.say_en
                and (row.who is None or row.who in message.subjects)
            )
        case Lineup() if row.phase is not None:
            return one.phase == row.phase
        case Lineup() as message if row.verdict is not None:
            return any(_verdict_matches(row, verdict) for verdict in message.verdicts)
        case MatchEvent() as message if row.event is not None:
            told = ", ".join(f"{key} {value}" for key, value in message.detail.items())
            return message.what == row.event and row.says in told
        case _:
            return False


def _verdict_matches(row: ExpectSection, one: VerdictRow) -> bool:
    return (
        one.verdict == row.verdict
        and row.rule in (None, one.rule)
        and (row.who is None or row.who in one.subjects)
    )


def _is_within(row: ExpectSection, t_s: float, slack_s: float) -> bool:
    return row.between_s[0] <= t_s <= row.between_s[1] + slack_s


def _unwanted(scenario: Scenario, seen: Sequence[_Seen], expected: set[int]) -> Iterable[Failure]:
    """Give what came although the file wants silence, but for repeats of an expected alert."""
    alerts = {
        message.alert_id
        for i in expected
        for message in [seen[i].message]
        if isinstance(message, Cue | Alert) and message.alert_id is not None
    }
    silences = [(name, _silence(name)) for name in scenario.file.silent]
    for i, (t_s, message, _) in enumerate(seen):
        if i in expected or not isinstance(message, Cue | Alert) or message.alert_id in alerts:
            continue
        for name, is_unwanted in silences:
            if is_unwanted(message):
                yield Failure(
                    expected=f"no {name}", when="but where expected", came=_say(t_s, message)
                )


def _silence(name: str) -> Callable[[Message], bool]:
    kind, _, rule = name.partition(":")
    if kind == "alert":
        return lambda message: (
            isinstance(message, Alert)
            and message.state == "new"
            and rule in (message.rule, message.clause)
        )
    return lambda message: isinstance(message, Cue) and message.pattern == name


def _nearest(row: ExpectSection, seen: Sequence[_Seen], hits: Sequence[int]) -> str:
    """Say what came instead: the same at another time, else what came in the window."""
    if hits:
        return "at another time: " + _list(seen, hits)
    inside = [
        i
        for i, one in enumerate(seen)
        if _is_within(row, one.t_s, 0.0)
        and (one.phase is not None or isinstance(one.message, Cue | Alert | MatchEvent))
    ]
    return _list(seen, inside) if inside else "nothing"


def _list(seen: Sequence[_Seen], indices: Sequence[int]) -> str:
    shown = [_say(seen[i].t_s, seen[i].message) for i in indices[:6]]
    return ", ".join(shown) + (f" and {len(indices) - 6} more" if len(indices) > 6 else "")


def _describe(row: ExpectSection) -> str:
    parts = {
        "cue": row.cue,
        "umpire": row.umpire,
        "alert": row.alert,
        "state": row.state,
        "severity": row.severity,
        "phase": row.phase,
        "event": row.event,
        "verdict": row.verdict,
        "rule": row.rule,
        "who": row.who,
    }
    words = [f"{key} {value}" for key, value in parts.items() if value is not None]
    if row.says:
        words.append(f"saying {row.says!r}")
    if row.times is not None:
        words.append(f"exactly {row.times}x")
    return ", ".join(words)


def _window(row: ExpectSection) -> str:
    return f"between {row.between_s[0]:g} and {row.between_s[1]:g} s"


def _say(t_s: float, message: Message) -> str:
    at = f"at {t_s:.2f} s"
    match message:
        case Cue():
            return f"cue {message.pattern} {message.umpire} {message.say_en!r} {at}"
        case Alert():
            return (
                f"alert {message.rule} {message.state} {message.severity} {message.say_en!r} {at}"
            )
        case Lineup():
            return f"phase {message.phase} {at}"
        case MatchEvent():
            return f"event {message.what} {at}"
        case _:
            return f"{type(message).__name__} {at}"
