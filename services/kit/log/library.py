"""The functions of the log on each server: loaded where they are absent or older, and checked."""

import re
from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType
from typing import Any, Final

from redis.exceptions import ResponseError

from services.kit.log.servers import Server

NAME: Final = "argosy_v1"
APPEND: Final = "argosy_v1_append"
LOAD: Final = "argosy_v1_load"
SNAPSHOT: Final = "argosy_v1_snapshot"
RETIRE: Final = "argosy_v1_retire"
THAW: Final = "argosy_v1_thaw"
TRIM: Final = "argosy_v1_trim"
REFEED: Final = "argosy_v1_refeed"

_EDITION = re.compile(rb"Edition: (\d+)")


def source() -> bytes:
    """The library as it is loaded."""
    return resources.files(__package__).joinpath(f"{NAME}.lua").read_bytes()


async def ensure(server: Server, others: Mapping[str, bytes] = MappingProxyType({})) -> None:
    """Loads the library, and others by name, unless the server has this edition of each, or a later one, already.

    Editions of one name answer alike; what would be answered otherwise gets another name and another store format.
    """
    for name, mine in {NAME: source(), **others}.items():
        theirs = await loaded(server, name)
        if theirs == mine or edition_of(theirs) > edition_of(mine):
            continue
        await server.ask("FUNCTION", "LOAD", "REPLACE", mine)
        if await loaded(server, name) != mine:
            raise ResponseError(f"the library {name} was loaded and is not there")


def edition_of(code: bytes) -> int:
    """The edition that a library states; 0 where it states none."""
    found = _EDITION.search(code)
    return int(found[1]) if found else 0


async def loaded(server: Server, name: str = NAME) -> bytes:
    """The library as the server has it; nothing where it has none."""
    listed: list[Any] = await server.ask("FUNCTION", "LIST", "LIBRARYNAME", name, "WITHCODE")
    for library in listed:
        fields = dict(zip(library[::2], library[1::2], strict=True))
        return bytes(fields[b"library_code"])
    return b""
