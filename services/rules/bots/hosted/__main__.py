"""Plays the seats of hosted bots until told to stop.

    python -m services.rules.bots.hosted

Settings are read from ARGOSY_* variables. It may be killed at any time, and several may run at once: a seat's move is
accepted once, for the version on which it was decided.
"""

from services.kit import engine  # noqa: F401 - before all else: see there

# isort: split
import asyncio
import os
import signal
from functools import partial

from services.kit import settings as kit_settings
from services.kit import startup
from services.kit.host import run
from services.kit.logs import configure, log_settings
from services.kit.startup import CannotStart
from services.rules.bots.choosing import chooser
from services.rules.bots.hosted.settings import HostedSettings
from services.rules.bots.hosted.worker import Worker


async def main() -> None:
    """Reads settings and secret, then plays until SIGTERM or SIGINT."""
    settings = kit_settings.load(HostedSettings, os.environ)
    configure(settings.log, "bots")
    log_settings(settings)
    packages = dict(_place(entry) for entry in settings.bots_games)
    worker = Worker(
        settings.bots_gateway, _secret(settings), partial(chooser, packages=packages), pace_s=settings.bots_pace_s
    )
    stopping, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    async with asyncio.TaskGroup() as group:
        playing = group.create_task(worker.run())
        await stopping.wait()
        playing.cancel()


def _secret(settings: HostedSettings) -> str:
    if settings.bots_key_file is None:
        raise CannotStart("ARGOSY_BOTS_KEY_FILE must name the file with the secret of the bots")
    try:
        return settings.bots_key_file.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CannotStart(f"cannot read ARGOSY_BOTS_KEY_FILE {settings.bots_key_file}: {error}") from None


def _place(entry: str) -> tuple[str, str]:
    """A game and the package that its folder stands in."""
    name, _, dotted = entry.partition("=")
    package, _, folder = dotted.rpartition(".")
    if not package or folder != name:
        raise CannotStart(f"ARGOSY_BOTS_GAMES: {entry!r} must be NAME=package.NAME")
    return name, package


if __name__ == "__main__":
    startup.run(lambda: run(main))
