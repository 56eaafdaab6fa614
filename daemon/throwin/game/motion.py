"""Rest and start of one horse, read from its track's speed."""

from throwin.game.profile import Profile

REST_SIGMAS = 1.0  # a speed that its own noise explains is rest
ONSET_SIGMAS = 1.5  # and a start must stand out of the noise


class Motion:
    """What the speed of one horse has been doing.

    rest_since_ns: at rest since then, None when it rides. onset_ns: when it last went from rest
    to riding within the profile's time, None before that. Times are instants of measurement.
    """

    __slots__ = ("_slow_ns", "_t_ns", "onset_ns", "rest_since_ns", "speed_mps")

    def __init__(self) -> None:
        self.rest_since_ns: int | None = None
        self.onset_ns: int | None = None
        self.speed_mps = 0.0
        self._slow_ns: int | None = None
        self._t_ns = -1

    def see(self, t_ns: int, speed_mps: float, sigma_mps: float, profile: Profile) -> None:
        """Take the speed at its newest fix, with its 1 sigma per axis; once a fix is enough."""
        if t_ns <= self._t_ns:
            return
        self._t_ns = t_ns
        self.speed_mps = speed_mps
        if speed_mps < profile.rest_mps + REST_SIGMAS * sigma_mps:
            self._slow_ns = t_ns
            if self.rest_since_ns is None:
                self.rest_since_ns = t_ns
            return
        # Between rest and riding it stays what it was: noise must not end a rest.
        if speed_mps > profile.onset_mps + REST_SIGMAS * sigma_mps:
            self.rest_since_ns = None
        slow_ns = self._slow_ns
        if (
            slow_ns is not None
            and speed_mps > profile.onset_mps + ONSET_SIGMAS * sigma_mps
            and t_ns - slow_ns <= profile.onset_ns
        ):
            self.onset_ns = t_ns
            self._slow_ns = None

    @property
    def is_slow(self) -> bool:
        """Say whether it is at rest now, for however short a time."""
        return self.rest_since_ns is not None

    def is_at_rest(self, t_ns: int, profile: Profile) -> bool:
        """Say whether it has been at rest for the profile's time."""
        since_ns = self.rest_since_ns
        return since_ns is not None and t_ns - since_ns >= profile.rest_ns
