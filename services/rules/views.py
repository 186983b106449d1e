"""What a viewer sees of a position, as the game's own dataclass: for labels, drawings and bots."""

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from google.protobuf.message import Message

from services.kit.codec import Codec
from services.kit.redaction import Redactor
from services.rules.loading import Loaded

if TYPE_CHECKING:
    from collections.abc import Hashable


def redactor_of(message: type[Message]) -> Redactor:
    """The redactor of a message class, made once. Raises TypeError for a message that cannot be redacted."""
    return _redactor_of(cast("Hashable", message))  # the stubs hide a class's hash behind its objects'


@functools.cache
def _redactor_of(message: Any) -> Redactor:
    return Redactor(message)


def see(game: Loaded, position: Any, viewer: int | None) -> Any:
    """The position as the viewer may see it: what is hidden from it is None."""
    if not redactor_of(game.position.message).has_seats:
        return position
    return view(game.position, position, viewer)


def view(codec: Codec, value: Any, viewer: int | None) -> Any:
    """A position or an event as the viewer may see it, decoded from the bytes that the viewer would get."""
    return view_all(codec, value, (viewer,))[viewer]


def view_all(codec: Codec, value: Any, viewers: Iterable[int | None]) -> dict[int | None, Any]:
    """The same for several viewers, encoded once."""
    data, redactor = codec.to_bytes(value), redactor_of(codec.message)
    seats = {v: frozenset[int]() if v is None else frozenset((v,)) for v in viewers}
    return {v: codec.from_bytes(redactor.view(data, own)) for v, own in seats.items()}
