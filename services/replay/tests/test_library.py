"""The library, on SQLite and Postgres."""

import asyncio
import os
from pathlib import Path

import pytest
from argosy.v1 import match_service_pb2, replay_service_pb2
from sqlalchemy import select, update

from services.kit.errors import Refused
from services.kit.startup import CannotStart
from services.replay import schema
from services.replay.callers import Caller
from services.replay.library import Library, open_library, sqlite_url
from services.replay.pages import list_matches, list_replays, shown, without_progress
from services.replay.summary import Options, Summary, fold
from services.replay.tests.made import make_history

HOST = Caller(bytes(16), frozenset({"host"}))
Match = match_service_pb2.Match
ListMatches = replay_service_pb2.ListMatchesRequest


def summary_of(length: int = 4, **wanted: object) -> Summary:
    match, entries = make_history(length=length, **wanted)  # type: ignore[arg-type]  # passed through
    summary = Summary(match)
    for entry in entries:
        fold(summary, entry)
    return summary


async def test_what_is_stored_is_found_again(library: Library) -> None:
    summaries = [summary_of(is_over=bool(i % 2)) for i in range(5)]
    homes = {s.match[0] for s in summaries}
    await library.store(summaries, dict.fromkeys(homes, "7-1"))
    found = await library.find(s.match for s in summaries)
    assert found == {s.match: s for s in summaries}
    assert {home: (await library.positions())[home] for home in homes} == dict.fromkeys(homes, "7-1")


async def test_a_row_never_goes_back(library: Library) -> None:
    match, entries = make_history(length=5)
    young, old = Summary(match), Summary(match)
    for entry in entries:
        fold(old, entry)
    fold(young, entries[0])
    await asyncio.gather(*(library.store([s]) for s in (young, old, young, old, young)))
    assert (await library.find([match]))[match] == old


async def test_positions_and_rows_are_stored_together_or_not_at_all(sqlite_library: Library) -> None:
    summary = summary_of()
    summary.game = None  # type: ignore[assignment]  # no row can be made of it
    with pytest.raises(Exception, match="NOT NULL"):
        await sqlite_library.store([summary], {3: "9-9"})
    assert await sqlite_library.positions() == {}


async def test_pages_leave_nothing_out_while_matches_come_and_go(library: Library) -> None:
    player = os.urandom(16)
    mine = [summary_of(players=[player, os.urandom(16)], is_over=False) for _ in range(7)]
    await library.store(mine)
    request, seen = ListMatches(player="players/me", page_size=2), list[bytes]()
    caller = Caller(player, frozenset())
    while True:
        page = await list_matches(library, request, caller)
        seen += [s.match for s in page.summaries]
        await library.store([summary_of(players=[player, os.urandom(16)])])
        if not page.next_token:
            break
        request.page_token = page.next_token
    assert sorted(seen) == sorted(s.match for s in mine)
    times = {s.match: s.create_ms for s in mine}
    assert seen == sorted(seen, key=lambda match: (times[match], match), reverse=True)


async def test_a_token_belongs_to_its_list(library: Library) -> None:
    player = os.urandom(16)
    await library.store([summary_of(players=[player]) for _ in range(3)])
    caller = Caller(player, frozenset())
    page = await list_matches(library, ListMatches(player="players/me", page_size=1), caller)
    for request in (
        ListMatches(page_size=1, page_token=page.next_token),
        ListMatches(player="players/me", page_size=1, page_token=page.next_token[:-2]),
        ListMatches(player="players/me", page_size=1, page_token="what"),
        ListMatches(page_size=-1),
        ListMatches(idle_seconds=-1),
    ):
        with pytest.raises(Refused):
            await list_matches(library, request, caller)


async def test_strangers_find_what_they_may_look_at(library: Library) -> None:
    player, stranger = os.urandom(16), Caller(os.urandom(16), frozenset())
    makes = {
        "public": Options(spectators=Options.SPECTATORS_PUBLIC),
        "none": Options(spectators=Options.SPECTATORS_NONE),
        "invited": Options(spectators=Options.SPECTATORS_PUBLIC, invitation=True),
    }
    made = {name: summary_of(players=[player], options=options) for name, options in makes.items()}
    await library.store(list(made.values()))
    names = {s.match: name for name, s in made.items()}

    async def found(caller: Caller) -> set[str]:
        text = summary_of(players=[player]).held[0]
        assert text is not None
        page = await list_replays(library, replay_service_pb2.ListReplaysRequest(page_size=200), caller)
        return {names[s.match] for s in page.summaries if s.match in names}

    assert await found(stranger) == {"public"}
    assert await found(Caller(player, frozenset())) == {"public", "none", "invited"}
    assert await found(HOST) == {"public", "none", "invited"}


async def test_states_and_idle_time_filter(library: Library) -> None:
    player = os.urandom(16)
    over, live, aside = (summary_of(players=[player], is_over=over) for over in (True, False, False))
    live.update_ms -= 60_000
    await library.store([over, live, aside])
    await library.quarantine(aside.match, 2, "Broken")

    async def found(**fields: object) -> set[bytes]:
        request = ListMatches(player="players/me", **fields)  # type: ignore[arg-type]  # passed through
        return {s.match for s in (await list_matches(library, request, Caller(player, frozenset()))).summaries}

    assert await found(states=[Match.STATE_ENDED]) == {over.match}
    assert await found(states=[Match.STATE_ACTIVE]) == {live.match}
    assert await found(states=[Match.STATE_FROZEN, Match.STATE_ENDED]) == {over.match, aside.match}
    assert await found(states=[Match.STATE_ENDED] * 20_000) == {over.match}
    assert await found(idle_seconds=30) == {live.match}
    assert await found(game="games/made_up") == {over.match, live.match, aside.match}
    assert await found(game="games/other") == set()


def test_a_list_does_not_tell_late_spectators_how_far_a_match_is() -> None:
    summary = summary_of(is_over=False)
    summary.rulings = 2
    summary.ruling = replay_service_pb2.Ruling(head=match_service_pb2.Head(version=4)).SerializeToString()
    told = without_progress(shown(summary, ""))
    assert {field.name for field, _ in told.ListFields()}.isdisjoint({"head", "update_time", "ruling", "rulings"})


async def test_who_is_shown_a_match_late_does_not_find_it_by_its_idle_time(library: Library) -> None:
    player, stranger = os.urandom(16), os.urandom(16)
    late = summary_of(players=[player], is_over=False, options=Options(spectators=Options.SPECTATORS_DELAYED))
    late.update_ms -= 60_000
    await library.store([late])

    async def found(caller: Caller, idle_seconds: int) -> set[bytes]:
        page = await list_matches(library, ListMatches(idle_seconds=idle_seconds, page_size=200), caller)
        return {summary.match for summary in page.summaries}

    assert late.match in await found(Caller(stranger, frozenset()), 0)
    assert late.match not in await found(Caller(stranger, frozenset()), 30)
    assert late.match in await found(Caller(player, frozenset()), 30)
    assert late.match in await found(HOST, 30)


async def test_a_newer_library_is_refused_and_an_older_one_made_anew(tmp_path: Path) -> None:
    async with open_library(sqlite_url(tmp_path)) as library:
        await library.store([summary_of()])
        await library.complete()
        async with library.database.writing() as connection:
            await connection.execute(update(schema.schema).values(version=schema.VERSION - 1))
    async with open_library(sqlite_url(tmp_path)) as library:
        assert not await library.is_whole()
        async with library.database.writing() as connection:
            assert list(await connection.execute(select(schema.matches))) == []
            await connection.execute(update(schema.schema).values(version=schema.VERSION + 1))
    with pytest.raises(CannotStart, match="newer Argosy"):
        async with open_library(sqlite_url(tmp_path)):
            pass
