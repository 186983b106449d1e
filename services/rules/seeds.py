"""Chance from a seed number, for matches outside the platform (TRACE.md; formulas of CHAIN.md, "Draws")."""

import hashlib
import hmac

from services.kit.draws import SeededDraws


class Chance:
    """All the chance of one match: seed N means SHA-256("argosy.trace.v1" ‖ N as 8 bytes big-endian).

    Raises ValueError for a number that 8 bytes do not hold. The policy has a stream of its own, so that the same
    choices can be made again whatever the game draws.
    """

    def __init__(self, seed: int) -> None:
        if not 0 <= seed < 2**64:
            raise ValueError(f"a seed is a number from 0 to 2^64 - 1, not {seed}")
        self._key = hashlib.sha256(b"argosy.trace.v1" + seed.to_bytes(8, "big")).digest()
        self.policy = SeededDraws(self._derive(b"argosy.trace.policy.v1"))

    def start(self) -> SeededDraws:
        """The draws of the start."""
        return SeededDraws(self._derive(b"argosy.start.v1"))

    def decide(self, number: int) -> SeededDraws:
        """The draws of the accepted action with this number, the first being 0."""
        return SeededDraws(self._derive(b"argosy.decide.v1" + number.to_bytes(8, "big")))

    def _derive(self, message: bytes) -> bytes:
        return hmac.digest(self._key, message, hashlib.sha256)
