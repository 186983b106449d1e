"""The tables of the accounts database, the same on SQLite and Postgres. Times are milliseconds since 1970 UTC."""

from typing import Final

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, LargeBinary, MetaData, String, Table

VERSION: Final = 1
"""Raised by every change of these tables; a program refuses a database with a higher one."""

metadata = MetaData()

schema = Table("argosy_accounts", metadata, Column("version", Integer, primary_key=True, autoincrement=False))

players = Table(
    "players",
    metadata,
    Column("id", LargeBinary(16), primary_key=True),
    Column("display_name", String(40), nullable=False),
    Column("secret", LargeBinary(48)),  # salt and digest; none for the player of an API key
    Column("owner_key", String(32)),  # the API key it belongs to; none for guests
    Column("request", LargeBinary(32), unique=True),  # digest of the request that made it, while a retry may find it
    Column("create_ms", BigInteger, nullable=False),
    Index("players_by_owner", "owner_key"),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("display_name", String(40), nullable=False),
    Column("scopes", String(80), nullable=False),  # names with spaces between
    Column("player", LargeBinary(16), ForeignKey("players.id"), nullable=False),
    Column("secret", LargeBinary(48), nullable=False),
    Column("request", LargeBinary(32), unique=True, nullable=False),
    Column("create_ms", BigInteger, nullable=False),
    Column("revoke_ms", BigInteger),
    Index("api_keys_by_age", "create_ms", "id"),
)

public_keys = Table(
    "public_keys",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("use", String(10), nullable=False),
    Column("key", LargeBinary(32), nullable=False),
    Column("create_ms", BigInteger, nullable=False),
)
