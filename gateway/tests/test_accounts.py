import asyncio
import secrets
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import update

from gateway.accounts import schema
from gateway.accounts.api_keys import ApiKeys
from gateway.accounts.platform_keys import PlatformKeys
from gateway.accounts.players import Players, player_id
from gateway.accounts.secret import hashed, make_secret, matches
from gateway.accounts.store import Store, open_store, sqlite_url
from services.kit.errors import Refused
from services.kit.keys import read_keys, read_or_make_keys
from services.kit.startup import CannotStart


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def store(accounts_url: str) -> AsyncIterator[Store]:
    opened = await open_store(accounts_url)
    yield opened
    await opened.close()


def _request() -> str:
    return secrets.token_hex(16)


async def test_a_guest_can_be_found_again(store: Store) -> None:
    players = Players(store)
    player, secret = await players.create_guest("Zoë 🎲", _request())
    assert await players.get(player.id) == player
    assert player_id(player.name) == player.id
    await players.check_secret(player.id, secret)
    with pytest.raises(Refused):
        await players.check_secret(player.id, make_secret())
    with pytest.raises(Refused):
        await players.check_secret(bytes(16), secret)


async def test_a_guest_request_makes_another_player_after_ten_minutes(store: Store) -> None:
    clock, request = Clock(), _request()
    players = Players(store, clock)
    first, _ = await players.create_guest("Ada", request)
    clock.now += 599
    again, _ = await players.create_guest("Ada", request)
    clock.now += 2
    later, _ = await players.create_guest("Ada", request)
    assert first.id == again.id != later.id
    assert (await players.get(first.id)).display_name == "Ada"


async def test_the_same_request_fifty_times_at_once_makes_one_player(store: Store) -> None:
    players, request = Players(store), _request()
    made = await asyncio.gather(*(players.create_guest("Ada", request) for _ in range(50)))
    assert len({player.id for player, _ in made}) == 1
    works = 0
    for player, secret in made:
        try:
            await players.check_secret(player.id, secret)
        except Refused:
            continue
        works += 1
    assert works == 1


async def test_names_are_asked_for_once(store: Store) -> None:
    players = Players(store)
    ada, _ = await players.create_guest("Ada", _request())
    unknown = secrets.token_bytes(16)
    assert await players.display_names([ada.id, unknown]) == {ada.id: "Ada", unknown: ""}
    async with store.writing() as connection:
        table = schema.players
        await connection.execute(update(table).where(table.c.id == ada.id).values(display_name="Eve"))
    assert await players.display_names([ada.id]) == {ada.id: "Ada"}
    assert await Players(store).display_names([ada.id]) == {ada.id: "Eve"}


async def test_a_transaction_that_fails_leaves_nothing(store: Store) -> None:
    keys, request = ApiKeys(store), _request()
    first, _ = await keys.create("One", ["play"], request)
    with pytest.raises(Refused):
        await keys.create("Two", ["play"], request)
    async with store.reading() as connection:
        names = [row.display_name for row in await connection.execute(schema.players.select())]
    assert "Two" not in names
    assert (await keys.get(first.id)).display_name == "One"


async def test_a_key_is_known_by_its_bearer_until_revoked(store: Store) -> None:
    keys = ApiKeys(store)
    key, bearer = await keys.create("Host", ["host", "play"], _request())
    assert await keys.authenticate(bearer) == key
    assert key.scopes == {"play", "host"}
    assert await keys.authenticate(bearer[:-1] + ("A" if bearer[-1] != "A" else "B")) is None
    assert await keys.authenticate("ak_" + "0" * 16 + "_" + bearer.rpartition("_")[2]) is None
    await keys.revoke(key.id)
    assert await keys.authenticate(bearer) is None


async def test_secrets_are_not_in_the_database(tmp_path: Path) -> None:
    store = await open_store(sqlite_url(tmp_path))
    _, secret = await Players(store).create_guest("Ada", _request())
    _, bearer = await ApiKeys(store).create("Host", ["host"], _request())
    await store.close()
    stored = _all_bytes(tmp_path)
    assert b"Ada" in stored
    assert secret.encode() not in stored
    assert bearer.rpartition("_")[2].encode() not in stored


def _all_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


def test_a_secret_matches_only_itself() -> None:
    secret = make_secret()
    assert matches(hashed(secret), secret)
    assert not matches(hashed(secret), make_secret())
    assert not matches(None, "")
    assert hashed(secret) != hashed(secret)


async def test_gateways_that_start_together_open_one_database(accounts_url: str) -> None:
    stores = await asyncio.gather(*(open_store(accounts_url) for _ in range(8)))
    for store in stores:
        await store.close()


async def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    store = await open_store(sqlite_url(tmp_path))
    async with store.writing() as connection:
        await connection.execute(schema.schema.update().values(version=schema.VERSION + 1))
    await store.close()
    with pytest.raises(CannotStart, match="newer Argosy"):
        await open_store(sqlite_url(tmp_path))


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    await asyncio.to_thread((tmp_path / "accounts.db").write_bytes, b"nonsense" * 1000)
    with pytest.raises(CannotStart, match=r"accounts\.db: file is not a database"):
        await open_store(sqlite_url(tmp_path))


@pytest.mark.parametrize(
    "url",
    ["nonsense", "mysql://h/d", "sqlite:////nowhere/at/all.db", "sqlite://", "postgresql://u:hidden@127.0.0.1:1/d"],
)
async def test_a_database_that_cannot_be_opened_is_one_line(url: str) -> None:
    with pytest.raises(CannotStart) as failure:
        await open_store(url)
    assert "\n" not in str(failure.value)
    assert "hidden" not in str(failure.value)


async def test_a_database_that_is_locked_for_long_refuses(tmp_path: Path) -> None:
    store = await open_store(sqlite_url(tmp_path))
    other = sqlite3.connect(tmp_path / "accounts.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(Refused) as refused:
        await Players(store).create_guest("Ada", _request())
    assert refused.value.name == "STORAGE_UNAVAILABLE"
    other.execute("ROLLBACK")
    other.close()
    await Players(store).create_guest("Ada", _request())
    await store.close()


async def test_gateways_with_key_files_of_their_own_know_each_others_keys(store: Store, tmp_path: Path) -> None:
    one = PlatformKeys(store, read_or_make_keys(tmp_path / "one.json"))
    two = PlatformKeys(store, read_or_make_keys(tmp_path / "two.json"))
    await one.publish()
    await two.publish()
    await two.publish()
    kid = two.signer("token").id
    assert one.public(kid) is None
    await one.learn()
    public = one.public(kid)
    assert public is not None
    assert public.raw == two.signer("token").private.public_key().public_bytes_raw()
    assert len({one.signer(use).id for use in ("token", "receipt", "log")}) == 3


def test_a_key_file_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    first = read_or_make_keys(path)
    assert [key.id for key in read_or_make_keys(path)] == [key.id for key in first]
    assert path.stat().st_mode & 0o077 == 0
    assert [entry.name for entry in tmp_path.iterdir()] == ["keys.json"]


@pytest.mark.parametrize("content", [None, "", "{}", '{"keys": []}', '{"keys": [{"use": "token", "private": "eA=="}]}'])
def test_a_key_file_that_lacks_something_keeps_the_gateway_from_starting(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "keys.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(CannotStart, match=r"keys\.json"):
        read_keys(path)
