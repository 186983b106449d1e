import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gateway.accounts.api_keys import ApiKeys
from gateway.accounts.store import open_store, sqlite_url
from gateway.cli.app import app


def _argosy(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["keys", *arguments], env={"ARGOSY_DATA": "", "ARGOSY_ACCOUNTS_URL": ""})


async def _scopes(data: Path, bearer: str) -> set[str] | None:
    store = await open_store(sqlite_url(data))
    key = await ApiKeys(store).authenticate(bearer)
    await store.close()
    return None if key is None else set(key.scopes)


def test_a_key_made_works_until_it_is_revoked(tmp_path: Path) -> None:
    data = tmp_path / "new"
    made = _argosy("create", "Bots", "--scope", "host", "--scope", "play", "--data", str(data))
    assert made.exit_code == 0, made.output
    bearer = made.stdout.strip()
    assert asyncio.run(_scopes(data, bearer)) == {"host", "play"}
    listed = json.loads(_argosy("list", "--json", "--data", str(data)).stdout)
    assert [(key["display_name"], key["scopes"], key["revoke_time"]) for key in listed] == [
        ("Bots", ["host", "play"], None)
    ]
    assert bearer not in json.dumps(listed)
    for _ in range(2):
        revoked = _argosy("revoke", listed[0]["name"], "--json", "--data", str(data))
        assert json.loads(revoked.stdout)["revoke_time"]
    assert asyncio.run(_scopes(data, bearer)) is None
    assert listed[0]["name"] in _argosy("list", "--data", str(data)).stdout


def test_json_holds_the_secret_of_a_new_key(tmp_path: Path) -> None:
    made = json.loads(_argosy("create", "K", "--scope", "admin", "--json", "--data", str(tmp_path)).stdout)
    assert asyncio.run(_scopes(tmp_path, made["secret"])) == {"admin"}


@pytest.mark.parametrize(
    ("arguments", "exit_code"),
    [
        (("create", "K", "--scope", "root"), 2),
        (("create", "K"), 2),
        (("create", "x" * 41, "--scope", "play"), 1),
        (("revoke", "apiKeys/0123456789abcdef"), 1),
        (("revoke", "nonsense"), 1),
        (("list", "--accounts-url", "sqlite:////nowhere/at/all.db"), 2),
    ],
)
def test_nonsense_is_told_in_one_line(tmp_path: Path, arguments: tuple[str, ...], exit_code: int) -> None:
    result = _argosy(*arguments, "--data", str(tmp_path))
    assert result.exit_code == exit_code
    assert result.stderr.strip()
    assert "Traceback" not in result.output
