"""Page tokens of lists that are ordered by a time and an id: each goes with the request for which it was given out."""

import base64
import hashlib
import struct
from typing import Any, Final

from google.protobuf.message import Message

from services.kit.errors import invalid

_TOKEN: Final = struct.Struct(">q16s8s")


def token_after(request: Message, time_ms: int, item: bytes) -> str:
    """The token of the page that begins after the item with this time and id of 16 bytes."""
    return base64.urlsafe_b64encode(_TOKEN.pack(time_ms, item, _asked(request))).decode().rstrip("=")


def read_token(request: Any) -> tuple[int, bytes]:
    """Time and id of the last item of the page before. Refuses INVALID_REQUEST for a token of another list."""
    token = request.page_token
    try:
        time_ms, item, asked = _TOKEN.unpack(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    except (ValueError, struct.error):
        raise invalid("page_token", "is none that was given out") from None
    if asked != _asked(request):
        raise invalid("page_token", "belongs to a list with other fields")
    return time_ms, item


def _asked(request: Message) -> bytes:
    """What was asked for, as far as a page token depends on it."""
    asked = type(request)()
    asked.CopyFrom(request)
    asked.ClearField("page_token")
    asked.ClearField("page_size")
    kind = request.DESCRIPTOR.name.encode()
    return hashlib.sha256(kind + asked.SerializeToString(deterministic=True)).digest()[:8]
