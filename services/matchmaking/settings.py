"""What can be set about matchmaking."""

from dataclasses import dataclass

from services.kit.log.servers import RedisSettings
from services.kit.logs import LogSettings
from services.kit.settings import group, setting
from services.match.rules import DirectorySettings


@dataclass(frozen=True, slots=True)
class MatchmakingSettings:
    """Read from ARGOSY_* variables. Every process of matchmaking is told of all games."""

    matchmaking_listen: str = setting("127.0.0.1:7621", "Address to serve at; port 0 takes a free one.")
    matchmaking_ticket_s: float = setting(600.0, "How long a ticket waits before it expires.", unit="s")
    matchmaking_kept_s: float = setting(600.0, "How long a ticket can be read after its end.", unit="s")
    matchmaking_gather_s: float = setting(
        5.0, "How long a table that has enough players waits for more, up to the most wished for.", unit="s"
    )
    matchmaking_lease_s: float = setting(
        6.0, "How long a process that has died keeps others from making the matches of its games.", unit="s"
    )
    matchmaking_start_s: int = setting(
        60, "After how long a match made of tickets that has not started is given up.", unit="s"
    )
    matchmaking_resend_s: float = setting(
        15.0, "How long a watched ticket is silent before it is sent again.", unit="s"
    )
    matchmaking_grace_s: float = setting(10.0, "How long calls in progress may go on at the end.", unit="s")
    build: str = setting("", "What is built into this process, as entered in histories; empty for its version.")
    number: int = setting(0, "The number of this process in the provenance of entries.")
    games: DirectorySettings = group(DirectorySettings)
    redis: RedisSettings = group(RedisSettings)
    log: LogSettings = group(LogSettings)
