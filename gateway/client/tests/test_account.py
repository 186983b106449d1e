import json
import stat
import time
from typing import Any

import pytest
from argosy.client import Account
from argosy.client.credentials import keep_account, read_account
from argosy.v1 import session_service_pb2 as session_pb2


def token(name: str, seconds: float) -> session_pb2.Token:
    made = session_pb2.Token(token=name)
    made.expire_time.FromSeconds(int(time.time() + seconds))
    return made


class Renewals:
    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    async def create_token(self, player: str, secret: str) -> session_pb2.Token:
        self.asked.append((player, secret))
        return token(f"t{len(self.asked)}", 3600)


async def test_a_token_is_renewed_before_it_expires() -> None:
    renewals = Renewals()
    account = Account("players/p", "s", token("old", -5))
    assert await account.bearer(renewals) == "old"  # a clock that is off shall not ask without end
    account.expire("old")
    assert await account.bearer(renewals) == "t1"
    assert await account.bearer(renewals) == "t1"
    account.expire("old")  # a late answer about the token before
    assert await account.bearer(renewals) == "t1"
    assert renewals.asked == [("players/p", "s")]


async def test_another_process_goes_on_with_the_same_token() -> None:
    renewals = Renewals()
    account = Account.load(json.loads(json.dumps(Account("players/p", "s", token("first", 3600)).dump())))
    assert await account.bearer(renewals) == "first"
    assert renewals.asked == []


def test_the_file_of_credentials_is_the_owners_only(tmp_path: Any) -> None:
    path = tmp_path / "deep" / "credentials.json"
    keep_account(path, "one:1", Account("players/a", "secret-a"))
    keep_account(path, "two:2", Account("players/b", "secret-b"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    found = read_account(path, "one:1")
    assert found is not None
    assert (found.player, found.secret) == ("players/a", "secret-a")
    assert read_account(path, "three:3") is None
    path.write_text("[]")
    with pytest.raises(ValueError, match="not a credentials file"):
        read_account(path, "one:1")
