"""What the store remembers of a match from the claim of its tickets until it has started."""

import msgspec


class Seated(msgspec.Struct, frozen=True, array_like=True):
    """Whose ticket gives which seat: the seat is the place in the list. `player` is text."""

    ticket: str
    player: str


class Intent(msgspec.Struct, frozen=True, array_like=True):
    """A match that shall be made: everything that making it needs, the same for whoever makes it.

    `seated` come first, in order of arrival; the `bots` seats after them are played by `policy`.
    """

    game: str
    queue: str
    settings: bytes
    options: bytes
    request_id: bytes
    seated: list[Seated]
    bots: int = 0
    policy: str = ""


def dump(intent: Intent) -> bytes:
    """The intent as it is stored."""
    return msgspec.msgpack.encode(intent)


def load(stored: bytes) -> Intent:
    """A stored intent. Raises msgspec.DecodeError for bytes that are none."""
    return msgspec.msgpack.decode(stored, type=Intent)
