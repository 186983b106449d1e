"""The accounts database: SQLite in the data directory, or Postgres, by URL."""

from pathlib import Path

import sqlalchemy
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from gateway.accounts import schema
from services.kit.database import Database, open_database
from services.kit.startup import CannotStart

Store = Database
_CREATION_LOCK = 0x617267  # any number, the same in every gateway


def sqlite_url(data: Path) -> str:
    """The database of a platform that names no other: a file in its data directory."""
    return f"sqlite:///{data / 'accounts.db'}"


async def open_store(url: str) -> Store:
    """Opens the database and creates what is missing in it. Raises CannotStart in one line that holds no password."""
    return await open_database(url, "accounts database", "ARGOSY_ACCOUNTS_URL", _prepare)


async def _prepare(connection: AsyncConnection) -> None:
    if connection.dialect.name == "postgresql":  # gateways that start together create the tables once
        await connection.execute(select(sqlalchemy.func.pg_advisory_xact_lock(_CREATION_LOCK)))
    await connection.run_sync(schema.metadata.create_all)
    version = (await connection.execute(select(schema.schema.c.version))).scalar()
    if version is None:
        await connection.execute(schema.schema.insert().values(version=schema.VERSION))
    elif version > schema.VERSION:
        raise CannotStart(
            f"the accounts database has format {version}, this program knows {schema.VERSION}: use a newer Argosy"
        )
