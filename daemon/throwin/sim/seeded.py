"""Random streams of a scenario: one for each use, so that no use disturbs another.

Streams are named in words, so the same seed and words give the same numbers in any process.
"""

import random


def stream(seed: int, *words: object) -> random.Random:
    """Give the stream of a seed and the words that name its use."""
    return random.Random("/".join(str(word) for word in (seed, *words)))
