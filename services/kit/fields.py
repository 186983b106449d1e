"""Checks of request fields that every public service shares."""

import re

from services.kit.errors import invalid

_REQUEST_ID = re.compile(r"[\x21-\x7e]{16,64}")


def check_request_id(request_id: str) -> None:
    """Refuses a request id that is not 16 to 64 printable ASCII characters."""
    if not _REQUEST_ID.fullmatch(request_id):
        raise invalid("request_id", "must be 16 to 64 printable ASCII characters without spaces")
