"""Checks of request fields that several services share."""

import unicodedata

from services.kit.errors import invalid
from services.kit.fields import check_request_id, page_size

__all__ = ["check_request_id", "display_name", "page_size"]


def display_name(text: str) -> str:
    """The name as it is kept: composed, without spaces around. Refuses one that is empty, too long or not printable."""
    name = unicodedata.normalize("NFC", text).strip()
    if not 1 <= len(name) <= 40 or not name.isprintable():
        raise invalid("display_name", "must be 1 to 40 printable characters")
    return name
