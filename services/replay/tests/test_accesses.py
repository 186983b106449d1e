import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import ColumnElement

from services.kit.clock import now_ms
from services.kit.errors import Reason, Refused
from services.match.accesses import Access, access_of
from services.match.book import Book
from services.replay.accesses.store import open_accesses, sqlite_url

NONE: Sequence[ColumnElement[bool]] = ()


def made(method: str = "GetMatch", *, player: int = 1, version: int = 1, **fields: Any) -> Access:
    access = access_of(bytes([player]) * 16, None, bytes(16), method, versions=(version, version))
    for name, value in fields.items():
        setattr(access, name, value)
    return access


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database: every test forgets at its end what it has kept."""
    return sqlite_url(tmp_path) if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


async def test_what_is_kept_is_found_again_and_forgotten_when_old(url: str) -> None:
    old = made(begin_ms=1000, last_ms=2000, end_ms=2000, reason="because")
    new = made("Play", key="ab", privileged=True)
    new.seats.extend((1, 2))
    for _ in range(2):  # also after a restart
        async with open_accesses(url) as stored:
            await stored.write([old, new])
            assert await stored.find(NONE, None, 10) == [new, old]
            assert await stored.find(NONE, (new.begin_ms, new.id), 10) == [old]
    async with open_accesses(url) as stored:
        await stored.write([], 3)
        assert await stored.lost() == 3
        assert await stored.forget(1999) == 0
        assert await stored.forget(2001) == 1
        assert await stored.find(NONE, None, 10) == [new]
        assert await stored.forget(now_ms() + 1000) == 1
        assert await stored.lost() == 0


async def test_an_older_state_of_an_access_changes_nothing(url: str) -> None:
    access = made()
    newer = Access.FromString(access.SerializeToString())
    newer.last_version, newer.count, newer.end_ms = 9, 2, access.begin_ms + 5
    async with open_accesses(url) as stored:
        for state in (newer, access):
            await stored.write([state])
            assert await stored.find(NONE, None, 10) == [newer]
        assert await stored.forget(now_ms() + 1000) == 1


class Disk:
    """Takes what a book writes; `is_away` refuses it."""

    def __init__(self) -> None:
        self.kept = dict[bytes, Access]()
        self.writes = self.lost = 0
        self.is_away, self.written = False, asyncio.Event()

    async def write(self, accesses: Sequence[Access], lost: int) -> None:
        if self.is_away:
            raise Refused(Reason.ERROR_REASON_STORAGE_UNAVAILABLE, "away")
        self.writes += 1
        self.written.set()
        self.lost += lost
        self.kept |= {access.id: Access.FromString(access.SerializeToString()) for access in accesses}


async def test_equal_reads_are_one_and_a_watch_is_one() -> None:
    disk = Disk()
    book = Book(disk.write)
    for version in (3, 5, 4):
        await book.read(made(version=version))
    await book.read(made(player=2))
    async with book.watching(made("Play", version=0)) as see:
        assert await book.flush()
        for version in range(1, 50):
            see(version)
    assert await book.flush()
    assert disk.writes == 2
    reads = {access.player[0]: access for access in disk.kept.values() if access.method == "GetMatch"}
    assert (reads[1].first_version, reads[1].last_version, reads[1].count) == (3, 5, 3)
    assert reads[2].count == 1
    (watch,) = (access for access in disk.kept.values() if access.method == "Play")
    assert (watch.first_version, watch.last_version, watch.count, watch.end_ms > 0) == (1, 49, 1, True)
    assert await book.flush()
    assert disk.writes == 2  # nothing is written twice


async def test_what_cannot_be_written_waits_and_what_is_too_much_is_counted() -> None:
    disk = Disk()
    disk.is_away = True
    book = Book(disk.write, most=4)
    for player in range(7):
        await book.read(made(player=player))
    assert not await book.flush()
    disk.is_away = False
    assert await book.flush()
    assert len(disk.kept) + disk.lost == 7
    assert disk.lost == book.counts()["accesses", "lost"] > 0


async def test_what_is_privileged_is_written_before_it_is_answered_or_refused() -> None:
    disk = Disk()
    book = Book(disk.write)
    await book.read(made(privileged=True))
    assert len(disk.kept) == 1
    await book.read(made("ListMatches", version=0, privileged=True))
    await book.read(made("ListMatches", version=0, privileged=True))
    assert len(disk.kept) == 2  # the same list again is the same access, and counted
    assert await book.flush()
    assert len(disk.kept) == 2
    disk.is_away = True
    with pytest.raises(Refused):
        await book.read(made(privileged=True))
    with pytest.raises(Refused):
        async with book.watching(made("Play", privileged=True)):
            pytest.fail("nobody may watch")


async def test_a_book_writes_by_itself_and_at_its_end() -> None:
    disk, draining = Disk(), asyncio.Event()
    book = Book(disk.write)
    running = asyncio.create_task(book.run(draining))
    await book.read(made())
    await disk.written.wait()
    draining.set()
    await running
    await book.read(made(player=3))
    await book.close()
    assert len(disk.kept) == 2
