"""For all tests: the recordings' folder, and the strictness that CI asks for."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest

import throwin

ROOT = Path(__file__).resolve().parent.parent
NO_RECORDINGS = "THROWIN_RECORDINGS is not set"
# Under --strict-skips a skip is accepted if its reason starts with one of these.
ALLOWED_SKIPS = (NO_RECORDINGS,)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --strict-skips."""
    parser.addoption(
        "--strict-skips",
        action="store_true",
        help="a skipped test fails, unless its reason is on the list in tests/conftest.py",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to call it a test of the wheel when the source tree is what is imported."""
    if os.environ.get("THROWIN_TEST_WHEEL") and "site-packages" not in throwin.__file__:
        raise pytest.UsageError(
            f"expected throwin from the installed wheel, got {throwin.__file__}; is PYTHONPATH set?"
        )


def _judge_skip(report: pytest.TestReport | pytest.CollectReport, config: pytest.Config) -> None:
    if not config.getoption("--strict-skips") or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = str(report.longrepr)
    if isinstance(report.longrepr, tuple):
        reason = report.longrepr[2].removeprefix("Skipped: ")
    if not reason.startswith(ALLOWED_SKIPS):
        report.outcome = "failed"
        report.longrepr = f"skipped, and its reason is not on the list: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let a skip that nobody expects fail."""
    report = yield
    _judge_skip(report, item.config)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let a whole module's skip that nobody expects fail."""
    report = yield
    _judge_skip(report, collector.config)
    return report


@pytest.fixture(scope="session")
def recordings() -> Path:
    """Give the folder of real recordings (gnss, uwb); the test is skipped where there is none."""
    folder = os.environ.get("THROWIN_RECORDINGS")
    if not folder:
        pytest.skip(f"{NO_RECORDINGS}: give it the folder with gnss/ and uwb/")
    return Path(folder)
