"""Resource names in requests: `matches/{match}`, `players/{player}`, `tickets/{ticket}`, `games/{game}`.

What is no such name is refused as NOT_FOUND, like a name of which nothing is: there is no such thing.
"""

from services.kit.errors import Refused, not_found
from services.kit.log import ids


def id_in(collection: str, name: str) -> bytes:
    """The 16 bytes of the id in `{collection}/{id}`."""
    found, _, text = name.partition("/")
    if found != collection:
        raise not_found(name)
    try:
        return ids.from_text(text)
    except ValueError:
        raise not_found(name) from None


def match_id(name: str) -> bytes:
    """The id in `matches/{match}`."""
    return id_in("matches", name)


def is_match(name: str) -> bool:
    """Whether it is `matches/{match}`, whatever the match."""
    try:
        match_id(name)
    except Refused:
        return False
    return True


def game_id(name: str) -> str:
    """The id in `games/{game}`."""
    collection, _, game = name.partition("/")
    if collection != "games" or not game:
        raise not_found(name)
    return game
