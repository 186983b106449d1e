"""`argosy doctor`: each shortcoming with its cost and its remedy, and nothing changed by looking."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from gateway.doctor import certificate, data, store
from gateway.doctor.findings import Finding, Level
from services.kit.log import library, partitions
from services.kit.log.log import open_log
from services.kit.log.servers import Permit, RedisSettings, Servers
from tests import servers
from tests.certificates import make_certificate
from tests.commands import argosy
from tests.servers import Store


async def look(url: str, **settings: Any) -> dict[str, Finding]:
    """What is found, by the first word of its subject."""
    found = [finding async for finding in store.look(RedisSettings(redis_url=url, **settings))]
    return {finding.subject.split(maxsplit=1)[0]: finding for finding in found}


def bad(found: dict[str, Finding]) -> dict[str, Level]:
    return {subject: finding.level for subject, finding in found.items() if finding.level is not Level.OK}


async def test_the_embedded_store_has_no_shortcoming(any_store: Store) -> None:
    async with open_log(RedisSettings(redis_url=any_store.url)):
        found = await look(any_store.url)
    assert bad(found) == {}
    assert found["format"].found == "format 1, generation 1"
    assert found["functions"].found == "edition 1"


async def test_a_server_as_it_comes_has_many() -> None:
    plain = {"appendonly": "no", "maxmemory": "0", "client-output-buffer-limit": "normal 0 0 0"}
    plain |= {"stream-node-max-bytes": "4096", "timeout": "60", "maxclients": "500", "maxmemory-policy": "allkeys-lru"}
    plain |= {"no-appendfsync-on-rewrite": "yes", "auto-aof-rewrite-percentage": "0", "appendfsync": "everysec"}
    arguments = [part for name, value in plain.items() for part in (f"--{name}", *value.split(" "))]
    with servers.running(arguments=arguments) as made:
        found = await look(made.url, redis_replicas=1)
        async with Redis.from_url(made.url) as client:
            assert await client.dbsize() == 0
            assert await client.execute_command("FUNCTION LIST") == []  # type: ignore[no-untyped-call]  # untyped in redis-py
        accepted = await look(made.url, redis_permit=tuple(Permit))
    faults = {"appendonly", "appendfsync", "maxmemory-policy", "no-appendfsync-on-rewrite", "replicas"}
    assert {subject for subject, level in bad(found).items() if level is Level.FAULT} == faults
    assert {subject for subject, level in bad(found).items() if level is Level.WARNING} == set(plain) - faults
    assert all(finding.costs and finding.mend for finding in found.values() if finding.level is not Level.OK)
    assert "CONFIG SET appendfsync always" in found["appendfsync"].mend
    assert found["format"].found.startswith("empty")
    assert accepted["appendfsync"].level is Level.WARNING


async def test_functions_and_marks_of_another_program(own_store: Store) -> None:
    async with Redis.from_url(own_store.url) as client, open_log(RedisSettings(redis_url=own_store.url)):
        await client.hset(partitions.STORE_KEY, "format", "99")
        older = library.source().replace(b"Edition: 1", b"Edition: 0")
        await client.execute_command("FUNCTION", "LOAD", "REPLACE", older)  # type: ignore[no-untyped-call]  # untyped in redis-py
        found = await look(own_store.url)
        assert bad(found) == {"format": Level.FAULT, "functions": Level.WARNING}
        held = Servers(RedisSettings(redis_url=own_store.url))
        await held.refresh()
        assert await library.loaded(held.of(0)) == older
        await held.close()


async def test_a_store_that_is_older_than_the_library(own_store: Store, tmp_path: Path) -> None:
    assert data.read_positions(tmp_path) == {}
    with closing(sqlite3.connect(tmp_path / "library.db")) as made:
        made.execute("CREATE TABLE feed_positions (home INTEGER, position TEXT)")
        made.executemany("INSERT INTO feed_positions VALUES (?, ?)", [(7, "1700000000000-0"), (8, "1600000000000-5")])
        made.commit()
    positions = data.read_positions(tmp_path)
    async with Redis.from_url(own_store.url) as client:
        for home in (7, 8):
            await client.xadd(partitions.feed_key(home), {"m": "x"}, id="1650000000000-0")
    found = [finding async for finding in store.look(RedisSettings(redis_url=own_store.url), positions)]
    (age,) = (finding for finding in found if finding.subject == "age of the store")
    assert (age.level, age.found) == (Level.WARNING, "older than the library in 1 partitions")
    found = [finding async for finding in store.look(RedisSettings(redis_url=own_store.url), {8: positions[8]})]
    assert found[-1].level is Level.OK


async def test_a_store_that_is_not_there() -> None:
    found = await look("redis://127.0.0.1:1")
    assert bad(found) == {"store": Level.FAULT}
    assert "does not answer" in found["store"].found


def test_a_data_directory_that_others_may_read(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "keys.json").write_text("{}")
    (tmp_path / "keys.json").chmod(0o600)
    assert {finding.level for finding in data.look(tmp_path, 0)} <= {Level.OK, Level.WARNING}  # the disk may be full
    tmp_path.chmod(0o755)
    (tmp_path / "keys.json").chmod(0o644)
    (tmp_path / "accounts.db").write_text("")
    (tmp_path / "accounts.db").chmod(0o644)
    found = {finding.subject: finding.level for finding in data.look(tmp_path, 2**40)}
    wanted = {"keys.json": Level.FAULT, "data directory": Level.WARNING, "accounts.db": Level.WARNING}
    assert found == wanted | {"owner": Level.OK, "disk": Level.FAULT}


def test_a_certificate_and_its_end(tmp_path: Path) -> None:
    assert list(certificate.look(None, None)) == []
    good, short = make_certificate(tmp_path, "good"), make_certificate(tmp_path, "short", ends=3)
    past = make_certificate(tmp_path, "past", begins=-9, ends=-1)
    found = [next(certificate.look(made.cert, made.key)).level for made in (good, short, past)]
    assert found == [Level.OK, Level.WARNING, Level.FAULT]


@pytest.mark.parametrize("as_json", [True, False])
async def test_the_command(store: Store, tmp_path: Path, *, as_json: bool) -> None:
    (tmp_path / "addresses.json").write_text(json.dumps({"redis": store.url}))
    ended = await argosy("doctor", "--data", str(tmp_path), *(["--json"] if as_json else []))
    assert ended.code == 0, ended.err
    assert "appendfsync" in ended.out
    if as_json:
        assert {finding["level"] for finding in json.loads(ended.out)} <= {"ok", "warning"}
    else:
        assert "0 faults" in ended.out
    ended = await argosy("doctor", "--data", str(tmp_path / "nothing"))
    assert (ended.code, "--data or --redis-url" in ended.err) == (2, True)
    ended = await argosy("doctor", "--redis-url", "redis://127.0.0.1:1", "--data", str(tmp_path))
    assert (ended.code, "does not answer" in ended.out) == (1, True)


@pytest.mark.parametrize("told", ["[1]", "5", "{}", "{", '{"redis": "x", "rules": 5}'])
async def test_addresses_that_nobody_wrote_so_are_of_no_platform(tmp_path: Path, told: str) -> None:
    (tmp_path / "addresses.json").write_text(told)
    match = "matches/" + "0" * 26
    for words, code in ((("repair", match), 2), (("replay", "reindex"), 2), (("doctor",), None)):
        ended = await argosy(*words, "--data", str(tmp_path))
        assert "Traceback" not in ended.err
        assert code in (None, ended.code)
