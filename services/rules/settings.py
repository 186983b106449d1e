"""What can be set about a rules host."""

from dataclasses import dataclass

from services.kit.logs import LogSettings
from services.kit.settings import group, setting


@dataclass(frozen=True, slots=True)
class RulesSettings:
    """Read from ARGOSY_RULES_* and the log's variables; the command line goes before them."""

    rules_games: tuple[str, ...] = setting((), "The games to host: NAME, or NAME=package.NAME elsewhere.")
    rules_listen: str = setting("127.0.0.1:7611", "Address to serve at; port 0 takes a free one.")
    rules_grace_s: float = setting(10.0, "How long calls in progress may go on at the end.", unit="s")
    log: LogSettings = group(LogSettings)
