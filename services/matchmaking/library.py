"""Matchmaking's functions on each server, loaded and checked as those of the log are."""

from importlib import resources
from typing import Final

from services.kit.log import library
from services.kit.log.servers import Servers

NAME: Final = "argosy_matchmaking_v1"
CREATE: Final = f"{NAME}_create"
CANCEL: Final = f"{NAME}_cancel"
EXPIRE: Final = f"{NAME}_expire"
SEEN: Final = f"{NAME}_seen"
LEASE: Final = f"{NAME}_lease"
RELEASE: Final = f"{NAME}_release"
CLAIM: Final = f"{NAME}_claim"
SETTLE: Final = f"{NAME}_settle"
HEAR: Final = f"{NAME}_hear"
FORGET: Final = f"{NAME}_forget"


async def load(servers: Servers) -> None:
    """Loads the functions on every server, now and wherever they are found missing later."""
    servers.libraries[NAME] = resources.files(__package__).joinpath(f"{NAME}.lua").read_bytes()
    for server in servers.all:
        await library.ensure(server, servers.libraries)
