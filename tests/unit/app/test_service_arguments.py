"""What `throwin run` is told on the command line, and how it ends."""

import argparse
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from throwin.app import service as module
from throwin.app.service import run
from throwin.contract.fieldfile import BrokerSection, FieldFile, FieldFileError
from throwin.contract.payload import Message
from throwin.contract.toml import write_toml
from throwin.event import Event
from throwin.io.broker import free_port
from throwin.sim.library import load_scenario
from throwin.sim.site import field_file


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Give a field file of a port that is not there and a broker that is none."""
    path = tmp_path / "field.toml"
    file = field_file(
        load_scenario("goes_right"),
        devices={"gateway": str(tmp_path / "nothing")},
        broker=BrokerSection(port=free_port()),
    )
    path.write_text(write_toml(file), "utf-8")
    return path


def arguments(config: Path, **more: object) -> argparse.Namespace:
    return argparse.Namespace(
        **{"config": config, "journal": None, "broker": None, "clock_speed": 1.0, **more}
    )


@pytest.fixture
def signals() -> Iterator[None]:
    """Give the signals back to pytest, and the interpreter's switch interval."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    interval_s = sys.getswitchinterval()
    yield
    sys.setswitchinterval(interval_s)
    for number, handler in before.items():
        signal.signal(number, handler)


def test_engine_that_can_not_go_on_ends_the_process_with_1(
    config: Path, signals: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Engine that can not go on ends the process with 1."""

    class Bursting:
        """An engine that takes nothing."""

        def __init__(self, file: FieldFile, *, boot: str) -> None:
            pass

        def step(self, event: Event) -> list[Message]:
            """Burst."""
            raise ZeroDivisionError("a bug")

    monkeypatch.setattr(module, "Engine", Bursting)
    assert run(arguments(config)) == 1


def test_field_file_that_is_no_text_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Field file that is no text is refused."""
    config = tmp_path / "field.toml"
    config.write_bytes(b'field = "\xff"')
    code = run(arguments(config))
    assert (code, "expected UTF-8" in capsys.readouterr().err) == (2, True)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("pi", ("pi", 1883)),
        ("pi:1884", ("pi", 1884)),
        ("192.168.0.7:65535", ("192.168.0.7", 65535)),
        ("[fe80::1]", ("fe80::1", 1883)),
        ("[fe80::1]:1884", ("fe80::1", 1884)),
    ],
)
def test_broker_of_the_command_line_is_the_one_that_is_used(
    config: Path, text: str, place: tuple[str, int]
) -> None:
    """Broker of the command line is the one that is used."""
    broker = module._field_file(arguments(config, broker=text)).broker
    assert (broker.host, broker.port) == place


@pytest.mark.parametrize("text", ["", ":1883", "pi:", "pi:mqtt", "pi:0", "pi:65536", "pi:1²"])
def test_broker_that_is_none_is_refused_in_words(config: Path, text: str) -> None:
    """Broker that is none is refused in words."""
    with pytest.raises(FieldFileError, match="--broker: expected HOST or HOST:PORT"):
        module._field_file(arguments(config, broker=text))


def test_journal_of_the_command_line_is_the_one_that_is_used(config: Path) -> None:
    """Journal of the command line is the one that is used."""
    file = module._field_file(arguments(config, journal="/there"))
    assert file.journal.directory == "/there"
