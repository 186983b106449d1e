"""What can be set about a process that plays hosted bots."""

from dataclasses import dataclass
from pathlib import Path

from services.kit.logs import LogSettings
from services.kit.settings import group, setting


@dataclass(frozen=True, slots=True)
class HostedSettings:
    """Read from ARGOSY_* variables."""

    bots_gateway: str = setting("127.0.0.1:7600", "Address of the gateway.")
    bots_key_file: Path | None = setting(None, "The secret that the gateway knows too; it must be given.")
    bots_games: tuple[str, ...] = setting((), "Where games stand that are no part of this: NAME=package.NAME.")
    bots_pace_s: float = setting(0.0, "How long a bot waits before each of its moves.", unit="s")
    log: LogSettings = group(LogSettings)
