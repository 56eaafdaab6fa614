"""A rulebook's profile is read from its file, in yards, and turned into the game's own figures."""

import pytest

from throwin.contract.fieldfile import FieldFileError
from throwin.contract.rulebook import parse_rulebook, shipped_rulebook, to_profile


def test_five_yards_are_4_572_m() -> None:
    """Five yards are 4 572 m."""
    profile = to_profile(shipped_rulebook("uspa-2026"), hold_tolerance_m=0.0)
    assert profile.umpire_limit_m == pytest.approx(4.572, abs=1e-12)


def test_tolerance_of_the_site_is_in_the_profile() -> None:
    """Tolerance of the site is in the profile."""
    profile = to_profile(shipped_rulebook("uspa-2026"), hold_tolerance_m=0.25)
    assert profile.hold_tolerance_m == 0.25


def test_durations_are_ns() -> None:
    """Durations are ns."""
    profile = to_profile(shipped_rulebook("uspa-2026"), hold_tolerance_m=0.0)
    assert profile.lost_age_ns == 1_200_000_000


def test_unknown_profile_is_refused_with_the_known_ones() -> None:
    """Unknown profile is refused with the known ones."""
    with pytest.raises(FieldFileError, match="expected one of uspa-2026, got 'uspa-1066'"):
        shipped_rulebook("uspa-1066")


@pytest.mark.parametrize("text", ["name = 3", "name", 'name = "x"'])
def test_text_that_is_no_profile_is_refused(text: str) -> None:
    """Text that is no profile is refused."""
    with pytest.raises(FieldFileError, match="expected a rulebook's profile"):
        parse_rulebook(text)
