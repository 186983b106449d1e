"""What callers are told while archive or store are away."""

from collections.abc import Iterator
from contextlib import contextmanager

from services.kit.errors import Reason, Refused
from services.kit.log.entries import Unavailable
from services.replay.archive import DamagedFile


@contextmanager
def refusing(text: str) -> Iterator[None]:
    """Refuses ARCHIVE_UNAVAILABLE with this text where the block meets a file that is damaged or cannot be reached."""
    try:
        yield
    except (Unavailable, DamagedFile):
        raise Refused(Reason.ERROR_REASON_ARCHIVE_UNAVAILABLE, text, retry_s=1.0) from None
