"""Whether the parts of a scenario agree: names, times, ports, expectations.

Where the riders end up is checked by truth, which alone knows.
"""

from throwin import event
from throwin.contract.scenariofile import (
    BrokerLost,
    ClockStep,
    Degraded,
    ExpectSection,
    Fault,
    Garbage,
    MoveSection,
    PortLost,
    ScenarioFile,
    ScenarioFileError,
    ThrowinSection,
)
from throwin.sim.scenario import Scenario, check_who

GALLOP_MPS = 17.0  # the fastest that a polo pony goes
CUES = ("ready", "hold", "foul", "blind", "mute", "warn")


def check_scenario(scenario: Scenario) -> None:
    """Check a scenario as a whole; raises ScenarioFileError with the path of the first fault."""
    _check_throwins(scenario)
    _check_moves(scenario)
    _check_inputs(scenario)
    _check_faults(scenario)
    _check_expect(scenario)


def _check_throwins(scenario: Scenario) -> None:
    file, before_s = scenario.file, 0.0
    for index, row in enumerate(file.throwins):
        path = f"throwins[{index}]"
        check_who(f"{path}.umpire", scenario.entities, f"umpire {row.umpire}")
        check_who(f"{path}.absent", scenario.entities, row.absent)
        check_who(f"{path}.surge.who", scenario.entities, row.surge.who)
        for number, slot in enumerate(row.slots):
            _one(f"{path}.slots[{number}].who", scenario.entities, slot.who)
        _check_orders(path, row, file)
        _ascending(f"{path}.call_s", before_s, row.call_s)
        _ascending(f"{path}.formed_s", row.call_s, row.formed_s)
        before_s = row.formed_s
        if row.release_s is not None:
            _ascending(f"{path}.release_s", row.formed_s, row.release_s)
            before_s = row.release_s
        _ascending("duration_s", before_s, file.duration_s)
        if row.red_stands is None and file.match.red_attacks == "unknown":
            raise ScenarioFileError(
                f"{path}.red_stands", "a side, since match.red_attacks is unknown", "nothing"
            )
    for index, place in enumerate(file.places):
        _one(f"places[{index}].who", scenario.entities, place.who)


def _check_orders(path: str, row: ThrowinSection, file: ScenarioFile) -> None:
    orders = (("red", row.red_order, file.cast.red), ("blue", row.blue_order, file.cast.blue))
    for team, order, numbers in orders:
        if missing := sorted(set(numbers) - set(order)):
            raise ScenarioFileError(
                f"{path}.{team}_order", f"every {team} number of the cast", f"none for {missing}"
            )


def _ascending(path: str, earlier_s: float, later_s: float) -> None:
    if later_s < earlier_s:
        raise ScenarioFileError(path, f"at least {earlier_s:g} s", f"{later_s:g}")


def _one(path: str, entities: tuple[str, ...], who: str) -> None:
    if who not in entities:
        raise ScenarioFileError(path, f"one of {', '.join(entities)}", repr(who))


def _check_moves(scenario: Scenario) -> None:
    for index, row in enumerate(scenario.file.moves):
        path = f"moves[{index}]"
        chosen = check_who(f"{path}.who", scenario.entities, row.who)
        kinds = _move_kinds(row)
        if len(kinds) != 1:
            raise ScenarioFileError(
                path,
                "exactly one of to_yd, by_yd, toward, back, halt, carried_by",
                " and ".join(kinds) or "none",
            )
        for key in ("toward", "carried_by"):
            if (other := getattr(row, key)) is not None:
                _one(f"{path}.{key}", scenario.entities, other)
        if row.carried_by is not None and chosen != ("ball",):
            raise ScenarioFileError(f"{path}.who", "ball, since carried_by is given", f"{row.who}")
        if row.speed_mps > GALLOP_MPS and chosen != ("ball",):
            raise ScenarioFileError(
                f"{path}.speed_mps", f"at most {GALLOP_MPS:g} (a gallop)", f"{row.speed_mps:g}"
            )
        _ascending("duration_s", row.at_s, scenario.file.duration_s)


def _move_kinds(row: MoveSection) -> list[str]:
    given = {
        "to_yd": row.to_yd is not None,
        "by_yd": row.by_yd is not None,
        "toward": row.toward is not None,
        "back": row.back,
        "halt": row.halt,
        "carried_by": row.carried_by is not None,
    }
    return [key for key, is_given in given.items() if is_given]


def _check_inputs(scenario: Scenario) -> None:
    own = {entity for port in scenario.ports if port.format == "own" for entity in port.entities}
    for index, press in enumerate(scenario.file.presses):
        _one(f"presses[{index}].who", scenario.entities, press.who)
        if press.who not in own:
            raise ScenarioFileError(
                f"presses[{index}].who", "one on a port of format own", repr(press.who)
            )
    verbs = [verb.value for verb in event.Verb]
    for index, command in enumerate(scenario.file.commands):
        if command.verb not in verbs:
            raise ScenarioFileError(
                f"commands[{index}].verb", f"one of {', '.join(verbs)}", repr(command.verb)
            )


def _check_faults(scenario: Scenario) -> None:
    for index, fault in enumerate(scenario.file.faults):
        _check_fault(f"faults[{index}]", scenario, fault)


def _check_fault(path: str, scenario: Scenario, fault: Fault) -> None:
    if not isinstance(fault, Garbage | ClockStep):
        _ascending(f"{path}.to_s", fault.from_s, fault.to_s)
    if isinstance(fault, Garbage | PortLost):
        names = [port.name for port in scenario.ports]
        if fault.port not in names:
            raise ScenarioFileError(f"{path}.port", f"one of {', '.join(names)}", repr(fault.port))
    elif not isinstance(fault, ClockStep | BrokerLost):
        chosen = check_who(f"{path}.who", scenario.entities, fault.who)
        uwb = [entity for entity in chosen if scenario.sensors[entity].kind == "uwb"]
        if isinstance(fault, Degraded) and fault.fix != "none" and uwb:
            raise ScenarioFileError(
                f"{path}.fix", f"none, since {uwb[0]} has a UWB tag", repr(fault.fix)
            )


def _check_expect(scenario: Scenario) -> None:
    file = scenario.file
    if not file.expect:
        raise ScenarioFileError(
            "expect", "at least one expectation", "none: a scenario that expects nothing"
        )
    for index, row in enumerate(file.expect):
        path = f"expect[{index}]"
        kinds = expected_kinds(row)
        if len(kinds) != 1:
            raise ScenarioFileError(
                path,
                "exactly one of cue, alert, phase, event, verdict",
                " and ".join(kinds) or "none",
            )
        _ascending(f"{path}.between_s[1]", *row.between_s)
        _ascending("duration_s", row.between_s[1], file.duration_s)
        if row.umpire is not None:
            _one(f"{path}.umpire", scenario.entities, f"umpire {row.umpire}")
        if row.who is not None:
            _one(f"{path}.who", scenario.entities, row.who)
    for index, name in enumerate(file.silent):
        if name not in CUES and not name.startswith("alert:"):
            raise ScenarioFileError(
                f"silent[{index}]", f"one of {', '.join(CUES)} or alert:CLAUSE", repr(name)
            )


def expected_kinds(row: ExpectSection) -> list[str]:
    """Give which of the kinds of expectation a row is; a valid row is exactly one."""
    return [
        kind
        for kind in ("cue", "alert", "phase", "event", "verdict")
        if getattr(row, kind) is not None
    ]
