"""Who calls, and whom: the account kept for a server, and a platform of one's own where none answers."""

import asyncio
import getpass
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, TypeVar

import grpc
import typer
from argosy.client import ArgosyError, Client, Patience, TlsFailed
from argosy.client.calls import send_unsigned
from argosy.client.credentials import read_account
from argosy.client.transport import Links
from argosy.v1 import game_service_pb2 as game_pb
from argosy.v1 import game_service_pb2_grpc as game_grpc

from deploy.local.processes import Platform
from deploy.local.supervisor import running
from gateway.cli import phrases
from gateway.cli.screen import Screen
from services.kit.startup import CannotStart

T = TypeVar("T")
_PROBE = Patience(total=2.0, answer=2.0)
_SOON = Patience(total=15.0)
_LONGEST_NAME = 40
Credentials = Annotated[
    Path | None,
    typer.Option(dir_okay=False, help="The file that keeps who you are, by server; your own if left out."),
]
Guest = Annotated[str, typer.Option("--guest", metavar="NAME", help="Your name, the first time you come.")]


def own_folder() -> Path:
    """Where this person's settings are kept."""
    return Path(typer.get_app_dir("argosy"))


@asynccontextmanager
async def connected(server: str, key: str, credentials: Path | None, guest: str = "") -> AsyncIterator[Client]:
    """A client of the server: by the API key, else as the player that the file keeps, else as a new guest."""
    file = None if key else credentials or own_folder() / "credentials.json"
    if file is not None:
        _check_readable(file, server)
    async with Client.connect(server, key=key, credentials=file, guest=guest or _own_name(), patience=_SOON) as client:
        yield client


async def is_there(server: str) -> bool:
    """Whether a platform answers. Raises TlsFailed where something does, which is to be spoken to otherwise."""
    links = Links(server)
    try:
        await send_unsigned(game_grpc.GameServiceStub(links.first).GetPlatform, game_pb.GetPlatformRequest(), _PROBE)
    except TlsFailed:
        raise
    except ArgosyError as error:
        return error.status not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
    finally:
        await links.close()
    return True


@asynccontextmanager
async def own_platform(server: str, data: Path, screen: Screen, language: str) -> AsyncIterator[str]:
    """A platform here for as long as the block lasts; its address."""
    screen.say(phrases.STARTING(language, data=data))
    async with running(Platform(data, listen=server), say=screen.warn) as addresses:
        assert addresses is not None  # nobody tells it to stop
        yield addresses.gateway


def run(work: Callable[[], Awaitable[T]]) -> T:
    """Runs the work. What it raises in groups of one leaves by itself, so that one line can tell it."""
    try:
        return asyncio.run(_awaited(work))
    except BaseExceptionGroup as group:
        raise _alone(group) from None


async def _awaited(work: Callable[[], Awaitable[T]]) -> T:
    return await work()


def _alone(group: BaseException) -> BaseException:
    found = group
    while isinstance(found, BaseExceptionGroup) and len(found.exceptions) == 1:
        found = found.exceptions[0]
    return found


def _check_readable(file: Path, server: str) -> None:
    try:
        read_account(file, server)
    except (KeyError, TypeError, ValueError):
        raise CannotStart(f"{file} is not a credentials file") from None


def _own_name() -> str:
    try:
        return getpass.getuser()[:_LONGEST_NAME] or "Guest"
    except (KeyError, OSError):  # an account without a name
        return "Guest"
