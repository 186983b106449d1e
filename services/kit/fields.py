"""Checks of request fields that every public service shares."""

import re

from services.kit.errors import invalid

_REASON = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
_LONGEST_REASON = 60
_REQUEST_ID = re.compile(r"[\x21-\x7e]{16,64}")


def page_size(asked: int, default: int, most: int) -> int:
    """How many items a page has. Refuses a negative number."""
    if asked < 0:
        raise invalid("page_size", "must not be negative")
    return min(asked or default, most)


def check_request_id(request_id: str) -> None:
    """Refuses a request id that is not 16 to 64 printable ASCII characters."""
    if not _REQUEST_ID.fullmatch(request_id):
        raise invalid("request_id", "must be 16 to 64 printable ASCII characters without spaces")


def check_reason(reason: str) -> None:
    """Refuses a reason that is not UPPER_SNAKE_CASE of at most 60 characters: no free text is ever kept."""
    if len(reason) > _LONGEST_REASON or not _REASON.fullmatch(reason):
        raise invalid("reason", f"must be UPPER_SNAKE_CASE of at most {_LONGEST_REASON} characters")
