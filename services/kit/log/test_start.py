"""What is found out about a store before anything is served from it."""

import asyncio
from pathlib import Path

import pytest
from redis.asyncio import Redis

from services.kit.log import checks, library, partitions
from services.kit.log.log import open_log
from services.kit.log.servers import Permit, RedisSettings
from services.kit.startup import CannotStart
from tests.histories import Match
from tests.servers import Store


async def refusal(settings: RedisSettings) -> CannotStart:
    with pytest.raises(CannotStart) as refused:
        async with open_log(settings):
            pass
    assert "\n" not in str(refused.value)
    return refused.value


async def configure(store: Store, **settings: str) -> None:
    async with Redis.from_url(store.url) as client:
        for name, value in settings.items():
            await client.config_set(name.replace("_", "-"), value)


async def test_the_software_is_named(any_store: Store) -> None:
    async with open_log(RedisSettings(redis_url=any_store.url)) as log:
        assert log.store.software.startswith(("Valkey 9", "Redis 7"))
        assert log.store.costs == ()


async def test_nobody_there(tmp_path: Path) -> None:
    told = await refusal(RedisSettings(redis_url=f"unix://{tmp_path}/nothing"))
    assert isinstance(told, checks.Unreachable)


async def test_nonsense_for_an_address() -> None:
    assert "ARGOSY_REDIS_URL" in str(await refusal(RedisSettings(redis_url="http://localhost")))


@pytest.mark.parametrize(
    ("name", "value", "kind", "permit"),
    [
        ("maxmemory_policy", "allkeys-lru", checks.Evicting, Permit.EVICTING),
        ("appendonly", "no", checks.Misconfigured, Permit.MEMORY_ONLY),
        ("appendfsync", "everysec", checks.Misconfigured, Permit.EVERYSEC),
    ],
)
async def test_a_setting_that_loses_entries(
    own_store: Store, name: str, value: str, kind: type[CannotStart], permit: Permit
) -> None:
    await configure(own_store, **{name: value})
    told = await refusal(RedisSettings(redis_url=own_store.url))
    assert isinstance(told, kind)
    assert f"has {name.replace('_', '-')} {value}" in str(told)
    async with open_log(RedisSettings(redis_url=own_store.url, redis_permit=(permit,))) as log:
        (cost,) = log.store.costs
    assert cost in str(told)


async def test_a_server_that_hides_its_settings(own_store: Store, match: Match) -> None:
    async with Redis.from_url(own_store.url) as client:
        await client.acl_setuser(
            "shy",
            enabled=True,
            passwords=["+secret"],
            keys=["*"],
            channels=["*"],
            categories=["+@all"],
            commands=["-config"],
        )
    url = own_store.url.replace("unix://", "unix://shy:secret@")
    assert "hides its settings" in str(await refusal(RedisSettings(redis_url=url)))
    async with open_log(RedisSettings(redis_url=url, redis_permit=(Permit.HIDDEN,))) as log:
        assert len(log.store.costs) == 1
        await match.grow(log, 1)


async def test_a_server_that_lets_us_load_no_functions(own_store: Store) -> None:
    async with Redis.from_url(own_store.url) as client:
        allowed, denied = ["+@all"], ["-function"]
        await client.acl_setuser("shy", enabled=True, passwords=["+s"], keys=["*"], categories=allowed, commands=denied)
    told = await refusal(RedisSettings(redis_url=own_store.url.replace("unix://", "unix://shy:s@")))
    assert isinstance(told, checks.Misconfigured)
    assert "load functions" in str(told)


async def test_a_wrong_password(own_store: Store) -> None:
    url = own_store.url.replace("unix://", "unix://shy:wrong@")
    told = await refusal(RedisSettings(redis_url=url))
    assert isinstance(told, checks.Unreachable)
    assert "wrong" not in str(told)


async def test_a_newer_store_is_refused(own_store: Store) -> None:
    async with open_log(RedisSettings(redis_url=own_store.url)) as log:
        await log.servers.of(0).client.hset(partitions.STORE_KEY, "format", str(checks.FORMAT + 1))
    assert isinstance(await refusal(RedisSettings(redis_url=own_store.url)), checks.NewerStore)


async def test_a_restore_raises_the_generation(own_store: Store) -> None:
    async with open_log(RedisSettings(redis_url=own_store.url)) as log:
        assert log.store.generation == 1
        raised = await checks.raise_generation(log.servers.of(0).client)
        assert raised > 1
        await log.servers.of(0).client.hset(partitions.STORE_KEY, "generation", "1")  # put back once more
        await asyncio.sleep(0.005)  # the server's clock goes on
        again = await checks.raise_generation(log.servers.of(0).client)
        assert again > raised
    async with open_log(RedisSettings(redis_url=own_store.url)) as log:
        assert log.store.generation == again


async def loaded(store: Store, code: bytes) -> bytes:
    """The library that a server has after a start, when it had this one before."""
    async with Redis.from_url(store.url) as client:
        await client.function_load(code.decode(), replace=True)
    async with open_log(RedisSettings(redis_url=store.url)) as log:
        listed = await log.servers.of(0).ask("FUNCTION", "LIST", "LIBRARYNAME", library.NAME, "WITHCODE")
    fields = dict(zip(listed[0][::2], listed[0][1::2], strict=True))
    return bytes(fields[b"library_code"])


async def test_an_older_or_altered_library_is_replaced_and_a_newer_one_kept(own_store: Store) -> None:
    mine = library.source()
    edition = b"Edition: %d" % library.edition_of(mine)
    older, newer = mine.replace(edition, b"Edition: 0"), mine.replace(edition, b"Edition: 999")
    altered = mine + b"-- altered\n"
    assert await loaded(own_store, older) == mine
    assert await loaded(own_store, altered) == mine
    assert await loaded(own_store, newer) == newer
