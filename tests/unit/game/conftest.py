"""For the tests of the game: the shipped profile."""

import pytest

from throwin.contract.rulebook import shipped_rulebook, to_profile
from throwin.game.profile import Profile


@pytest.fixture(scope="session")
def profile() -> Profile:
    """Give the profile that ships, with no tolerance."""
    return to_profile(shipped_rulebook("uspa-2026"), hold_tolerance_m=0.0)
