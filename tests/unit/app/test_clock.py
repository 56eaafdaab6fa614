"""What the wall clock is worth comes from the kernel, else from the time service's own word."""

from pathlib import Path

import pytest

from throwin.app.clock import STA_UNSYNC, clock_at, clock_word, kernel_status


@pytest.mark.parametrize(("status", "word"), [(0, "ntp"), (1, "ntp"), (STA_UNSYNC, "free")])
def test_kernel_knows_whether_the_clock_is_set(status: int, word: str) -> None:
    """Kernel knows whether the clock is set."""
    assert clock_word(status) == word


def test_time_service_is_believed_where_the_kernel_may_not_be_asked(tmp_path: Path) -> None:
    """Time service is believed where the kernel may not be asked."""
    mark = tmp_path / "synchronized"
    mark.touch()
    assert clock_word(None, mark) == "ntp"


def test_clock_that_nobody_speaks_for_is_free(tmp_path: Path) -> None:
    """Clock that nobody speaks for is free."""
    assert clock_word(None, tmp_path / "synchronized") == "free"


def test_kernel_gives_its_status_or_nothing() -> None:
    """Kernel gives its status or nothing: a sandbox may forbid the call."""
    status = kernel_status()
    assert status is None or status >= 0


def test_clock_at_another_speed_runs_that_much_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clock at another speed runs that much faster."""
    moments = iter([1_000, 1_000, 1_010])
    monkeypatch.setattr("throwin.app.clock.time.monotonic_ns", lambda: next(moments))
    clock_ns = clock_at(4.0)
    assert [clock_ns(), clock_ns()] == [1_000, 1_040]
