"""The tables of the accesses, the same on SQLite and Postgres. Times are milliseconds since 1970 UTC, 0 for none."""

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, MetaData, String, Table

VERSION: Final = 1
"""Raised by every change of these tables, which cannot be made anew: an older program refuses a newer database."""

metadata = MetaData()

schema = Table("argosy_accesses", metadata, Column("version", Integer, primary_key=True, autoincrement=False))

accesses = Table(
    "accesses",
    metadata,
    Column("id", LargeBinary(16), primary_key=True),
    Column("match", LargeBinary(16), nullable=False),  # empty for a list
    Column("player", LargeBinary(16), nullable=False),
    Column("key", String(32), nullable=False),
    Column("seats", String(80), nullable=False),  # numbers with spaces between
    Column("opened", Boolean, nullable=False),
    Column("method", String(40), nullable=False),
    Column("first_version", Integer, nullable=False),
    Column("last_version", Integer, nullable=False),
    Column("begin_ms", BigInteger, nullable=False),
    Column("last_ms", BigInteger, nullable=False),
    Column("end_ms", BigInteger, nullable=False),
    Column("live", Boolean, nullable=False),
    Column("privileged", Boolean, nullable=False),
    Column("reason", String(200), nullable=False),
    Column("count", Integer, nullable=False),
    Index("accesses_by_match", "match", "begin_ms"),
    Index("accesses_by_player", "player", "begin_ms"),
    Index("accesses_by_time", "begin_ms", "id"),
    Index("accesses_by_age", "last_ms"),
)

losses = Table(
    "access_losses",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("time_ms", BigInteger, nullable=False),
    Column("count", BigInteger, nullable=False),
)
"""How many accesses were dropped, and when that was told."""
