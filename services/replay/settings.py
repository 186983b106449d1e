"""What can be set about replay."""

from dataclasses import dataclass
from pathlib import Path

from services.kit.log.servers import RedisSettings
from services.kit.logs import LogSettings
from services.kit.settings import group, setting
from services.kit.startup import CannotStart
from services.match.rules import DirectorySettings


@dataclass(frozen=True, slots=True)
class LibrarySettings:
    """Where library and archive are."""

    data: Path = setting(Path("data"), "The data directory: library and archive, unless they are elsewhere.")
    library_url: str | None = setting(
        None, "The library, as postgresql://USER@HOST/NAME; empty for a SQLite file in the data directory."
    )
    archive_url: str | None = setting(
        None, "The archive, as s3://BUCKET/FOLDER or file:///FOLDER; empty for a folder of the data directory."
    )


@dataclass(frozen=True, slots=True)
class AccessSettings:
    """Where and how long it is kept who read what."""

    accesses_url: str | None = setting(
        None,
        "Who read what, as postgresql://USER@HOST/NAME; empty for the library's database where that is Postgres, else "
        "for a SQLite file in the data directory.",
    )
    accesses_days: int = setting(90, "How long it is kept who read what.", unit="d")


@dataclass(frozen=True, slots=True)
class ReplaySettings:
    """Read from ARGOSY_* variables."""

    replay_listen: str = setting("127.0.0.1:7622", "Address to serve at; port 0 takes a free one.")
    replay_partitions: str = setting("0-255", "The partitions whose entries this process reads, as FIRST-LAST.")
    replay_keep_s: float = setting(
        3600.0, "How long an ended match stays in the store once it is archived, at least.", unit="s"
    )
    replay_catch_up_s: float = setting(
        1.0, "How long a list waits for what was recorded before it was asked for.", unit="s"
    )
    replay_trim_s: float = setting(60.0, "How often what all groups have read is dropped from the feed.", unit="s")
    keys_file: Path | None = setting(None, "The platform's signing keys; empty for a file in the data directory.")
    log_origin: str = setting("", "The transparency log's name, chosen once; empty for one after its first key.")
    replay_grace_s: float = setting(10.0, "How long calls in progress may go on at the end.", unit="s")
    feed_groups: tuple[str, ...] = setting(
        ("matchmaking", "replay"), "The groups that read the feed; nothing is dropped before they all exist."
    )
    library: LibrarySettings = group(LibrarySettings)
    accesses: AccessSettings = group(AccessSettings)
    games: DirectorySettings = group(DirectorySettings)
    redis: RedisSettings = group(RedisSettings)
    log: LogSettings = group(LogSettings)


def partitions_of(text: str) -> range:
    """The partitions that FIRST-LAST names. Raises CannotStart."""
    first, dash, last = text.partition("-")
    if dash and first.isdecimal() and last.isdecimal() and int(first) <= int(last) <= 255:
        return range(int(first), int(last) + 1)
    raise CannotStart(f"ARGOSY_REPLAY_PARTITIONS must be FIRST-LAST, from 0 to 255, not {text!r}")
