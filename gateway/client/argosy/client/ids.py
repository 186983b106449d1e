"""Names and ids as clients meet them."""

import secrets
import time
import uuid

_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH = 26


def new_request_id() -> str:
    """A fresh request id, 36 characters. Keep it before the first sending, and send it again with every retry.

    It is a UUID of version 7: the time in it (RFC 9562, section 5.7) tells the gateway that it cannot be an old one.
    """
    made_ms, chance = time.time_ns() // 1_000_000, secrets.randbits(74)
    number = made_ms << 80 | 0x7 << 76 | chance >> 62 << 64 | 0b10 << 62 | chance & (1 << 62) - 1
    return str(uuid.UUID(int=number))


def match_name(match: str) -> str:
    """`matches/<id>`, from that or from the id alone."""
    return match if match.startswith("matches/") else f"matches/{match}"


def game_name(game: str) -> str:
    """`games/<id>`, from that or from the id alone."""
    return game if game.startswith("games/") else f"games/{game}"


def player_name(player: str) -> str:
    """`players/<id>`, from that or from the id alone."""
    return player if not player or player.startswith("players/") else f"players/{player}"


def raw_id(name: str) -> bytes:
    """The 16 bytes of the id that a resource name ends with (CHAIN.md, "Ids").

    Raises ValueError for anything but the one form: 26 characters of Crockford base 32 in lower case.
    """
    text = name.rpartition("/")[2]
    if len(text) != _LENGTH or any(c not in _DIGITS for c in text):
        raise ValueError(f"{name!r} does not end with an id")
    number = 0
    for character in text:
        number = number * 32 + _DIGITS.index(character)
    if number >> 128:
        raise ValueError(f"{name!r} does not end with an id: it begins with more than 7")
    return number.to_bytes(16)


def text_id(raw: bytes) -> str:
    """The text of an id of 16 bytes."""
    number = int.from_bytes(raw)
    return "".join(_DIGITS[number >> 5 * place & 31] for place in reversed(range(_LENGTH)))
