from pathlib import Path

import pytest

from gateway.accounts.api_keys import ApiKeys
from gateway.accounts.platform_keys import PlatformKeys
from gateway.accounts.store import Store, open_store
from gateway.tokens import LIFETIME_S, Tokens
from services.kit.errors import Refused
from services.kit.keys import read_or_make_keys

PLAYER = bytes(range(16))


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.25

    def __call__(self) -> float:
        return self.now


async def _gateway(store: Store, folder: Path, name: str, clock: Clock) -> Tokens:
    """The tokens of a gateway with a key file of its own."""
    keys = PlatformKeys(store, read_or_make_keys(folder / f"{name}.json"))
    await keys.publish()
    return Tokens(keys, ApiKeys(store, clock), clock)


async def _reason(tokens: Tokens, bearer: str) -> str:
    with pytest.raises(Refused) as refused:
        await tokens.identify(bearer)
    return refused.value.name


async def test_a_token_works_until_it_expires_and_not_a_moment_longer(accounts_url: str, tmp_path: Path) -> None:
    clock, store = Clock(), await open_store(accounts_url)
    issuer = await _gateway(store, tmp_path, "one", clock)
    cold = await _gateway(store, tmp_path, "one", clock)
    token, expires = issuer.issue(PLAYER, ["play", "host"])
    assert expires == int(clock.now) + LIFETIME_S
    clock.now = expires - 0.001
    identity = await issuer.identify(token)
    assert (identity.player, identity.scopes, identity.key) == (PLAYER, frozenset({"play", "host"}), None)
    assert identity.expires_at == expires
    assert await issuer.identify(token) is identity, "it is verified once"
    clock.now = expires
    assert await _reason(issuer, token) == "TOKEN_EXPIRED"
    assert await _reason(cold, token) == "TOKEN_EXPIRED"
    await store.close()


async def test_a_token_of_a_gateway_that_came_later_works_at_once(accounts_url: str, tmp_path: Path) -> None:
    clock, store = Clock(), await open_store(accounts_url)
    one = await _gateway(store, tmp_path, "one", clock)
    two = await _gateway(store, tmp_path, "two", clock)
    token, _ = two.issue(PLAYER)
    assert (await one.identify(token)).player == PLAYER
    await store.close()


async def test_a_revoked_key_is_not_remembered_for_longer_than_ten_seconds(accounts_url: str, tmp_path: Path) -> None:
    clock, store = Clock(), await open_store(accounts_url)
    here, there = [await _gateway(store, tmp_path, "one", clock) for _ in range(2)]
    held = ApiKeys(store, clock)
    key, bearer = await held.create("Bot", ["play"], f"revoked at {accounts_url}{tmp_path}")
    for tokens in (here, there):
        assert (await tokens.identify(bearer)).key == key.id
    await held.revoke(key.id)
    here.forget_key(key.id)
    assert here.keys_in_use == set()
    assert there.keys_in_use == {key.id}
    assert await _reason(here, bearer) == "UNAUTHENTICATED"
    clock.now += 10
    assert await _reason(there, bearer) == "UNAUTHENTICATED"
    await store.close()
