"""READY and BLIND: what the umpire may rely on, and when he may no longer.

READY is given on each rising edge; its loss is always felt, as HOLD, or as BLIND.
"""

import enum

from throwin.game.profile import Profile

FRESH_NS = 500_000_000  # all inputs back for so long: no longer blind


class Outlook(enum.Enum):
    """What the verdicts add up to."""

    GOOD = "good"
    FAIR = "fair"  # not good enough to say READY, not bad enough to take it back
    UNSURE = "unsure"
    BREACH = "breach"


class Word(enum.Enum):
    """What is to be told."""

    READY = "ready"
    NO_POSITION = "no position"
    NOT_READY = "not ready"


class Readiness:
    """Whether READY stands, and whether the umpire has been told that all is dark."""

    __slots__ = (
        "_bad_since_ns",
        "_free_ns",
        "_given_ns",
        "_good_since_ns",
        "_is_due_again",
        "_is_withdrawn",
        "_profile",
        "_seeing_since_ns",
        "is_blind",
        "is_given",
    )

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._given_ns: int | None = None
        self._free_ns = 0
        self.clear()

    def clear(self) -> None:
        """Begin anew: no READY stands, nothing is lost."""
        self.is_given = False
        self.is_blind = False
        self._good_since_ns: int | None = None
        self._bad_since_ns: int | None = None
        self._seeing_since_ns: int | None = None
        self._is_withdrawn = False
        self._is_due_again = False

    def renew(self) -> None:
        """Let READY be said anew, since its scope is smaller than it was.

        It stands until then: who felt it must feel its loss.
        """
        self._is_due_again = self.is_given

    def blinded(self, now_ns: int) -> None:
        """Take it that BLIND is told: felt to its end, it would swallow a READY."""
        self._free_ns = max(self._free_ns, now_ns + self._profile.blind_ns)

    def unheard(self, now_ns: int) -> None:
        """Take it that a receiver did not play READY, since it was busy: it is given once more.

        It stands until then: another receiver may have played it, and must tell its loss.
        """
        if self.is_given:
            self._is_due_again = True
            self._given_ns = None
            self._free_ns = max(self._free_ns, now_ns + self._profile.ready_again_ns)

    def update(self, now_ns: int, outlook: Outlook, *, is_lost: bool) -> Word | None:
        """Take the state of an armed line-up; gives what is to be told now, if anything.

        is_lost: an input that the armed rules need is too old.
        """
        if is_lost:
            self._seeing_since_ns = None
            self._good_since_ns = None
            self.is_given = False
            if self.is_blind:
                return None
            self.is_blind = True
            self.blinded(now_ns)
            return Word.NO_POSITION
        if self.is_blind:
            if self._seeing_since_ns is None:
                self._seeing_since_ns = now_ns
            if now_ns - self._seeing_since_ns < FRESH_NS:
                return None
            self.is_blind = False
        match outlook:
            case Outlook.GOOD:
                return self._good(now_ns)
            case Outlook.BREACH:
                self.is_given = False
                self._good_since_ns = None
                self._bad_since_ns = None
                return None
            case Outlook.UNSURE:
                return self._unsure(now_ns)
            case Outlook.FAIR:
                self._good_since_ns = None
                self._bad_since_ns = None
                return None

    def _good(self, now_ns: int) -> Word | None:
        self._bad_since_ns = None
        if self._good_since_ns is None:
            self._good_since_ns = now_ns
        is_apart = self._given_ns is None or now_ns - self._given_ns >= self._profile.ready_gap_ns
        wait_ns = self._profile.ready_again_ns if self._is_withdrawn else self._profile.ready_ns
        is_apart = is_apart and now_ns >= self._free_ns
        is_said = self.is_given and not self._is_due_again
        if is_said or not is_apart or now_ns - self._good_since_ns < wait_ns:
            return None
        self.is_given = True
        self._is_due_again = False
        self._is_withdrawn = False
        self._given_ns = now_ns
        return Word.READY

    def _unsure(self, now_ns: int) -> Word | None:
        self._good_since_ns = None
        if not self.is_given:
            return None
        if self._bad_since_ns is None:
            self._bad_since_ns = now_ns
        if now_ns - self._bad_since_ns < self._profile.withdraw_ns:
            return None
        self.is_given = False
        self._is_withdrawn = True
        self.blinded(now_ns)
        return Word.NOT_READY
