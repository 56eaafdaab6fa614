"""What an umpire feels: each pattern as spans of vibration and rest, ms.

Told apart by rhythm, since that is what people keep apart in motion; none, half felt, is READY.
"""

from typing import NamedTuple


class Span(NamedTuple):
    """Vibration of a strength (0 is rest, 1 full) that ends at another, over a time."""

    strength: float
    fades_to: float
    length_ms: int


def _on(length_ms: int) -> Span:
    return Span(1.0, 1.0, length_ms)


def _off(length_ms: int) -> Span:
    return Span(0.0, 0.0, length_ms)


_FADE = Span(1.0, 0.1, 2000)
PATTERNS: dict[str, tuple[Span, ...]] = {
    "ready": (_on(120), _off(120), _on(500), _off(120), _on(120)),
    "hold": (_on(300), _off(150), _on(300), _off(150), _on(300)),
    "foul": (_on(90), _off(90)) * 4 + (_on(90),),
    "blind": (_FADE, _off(300), _FADE),
    "mute": (_on(3000),),
    "warn": (),
    "end": (),
}


def length_ms(pattern: str) -> int:
    """Give how long a pattern takes."""
    return sum(span.length_ms for span in PATTERNS[pattern])


def draw(pattern: str) -> str:
    """Draw a pattern in one line: a block is 100 ms of vibration."""
    return "".join(
        ("▅" if span.strength == span.fades_to else "▃") * max(1, round(span.length_ms / 100))
        if span.strength
        else " "
        for span in PATTERNS[pattern]
    )
