"""The tables of the library, the same on SQLite and Postgres. Times are milliseconds since 1970 UTC, 0 for none."""

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, LargeBinary, MetaData, String, Table

VERSION: Final = 3
"""Raised by every change of these tables. The library can be made anew, so an older one is dropped and rebuilt."""

metadata = MetaData()

schema = Table(
    "argosy_library",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("is_whole", Boolean, nullable=False),  # false until it has been filled from log and archive once
)

matches = Table(
    "matches",
    metadata,
    Column("id", LargeBinary(16), primary_key=True),
    Column("home", Integer, nullable=False),  # its partition of the log
    Column("version", Integer, nullable=False),
    Column("digest", LargeBinary(32), nullable=False),
    Column("game", String(40), nullable=False),
    Column("rules_version", String(80), nullable=False),
    Column("settings", LargeBinary, nullable=False),
    Column("options", LargeBinary, nullable=False),
    Column("creator", LargeBinary(16), nullable=False),
    Column("most_seats", Integer, nullable=False),
    Column("seats", Integer, nullable=False),  # of the started match; 0 before
    Column("state", Integer, nullable=False),  # argosy.v1.Match.State
    Column("create_ms", BigInteger, nullable=False),
    Column("update_ms", BigInteger, nullable=False),
    Column("end_ms", BigInteger, nullable=False),
    Column("ending", LargeBinary),  # argosy.v1.End
    Column("is_listed", Boolean, nullable=False),  # strangers find it: not by invitation, and they may look or join
    Column("is_quarantined", Boolean, nullable=False),
    Column("is_archived", Boolean, nullable=False),
    Column("is_retired", Boolean, nullable=False),
    Column("is_logged", Boolean, nullable=False),  # the transparency log has it
    Index("matches_by_creation", "create_ms", "id"),
    Index("matches_by_end", "end_ms", "id"),
    Index("matches_by_game", "game", "create_ms"),
    Index("matches_by_care", "is_retired", "is_archived", "state", "end_ms"),
)

seats = Table(
    "seats",
    metadata,
    Column("match", LargeBinary(16), ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("player", LargeBinary(16), nullable=False),
    Column("bot_policy", String(80), nullable=False),
    Index("seats_by_player", "player", "match"),
)

feed_positions = Table(
    "feed_positions",
    metadata,
    Column("home", Integer, primary_key=True, autoincrement=False),
    Column("position", String(42), nullable=False),
)

quarantine = Table(
    "quarantine",
    metadata,
    Column("match", LargeBinary(16), primary_key=True),
    Column("version", Integer, nullable=False),  # which entry could not be taken; 0 where the archive failed
    Column("problem", String(200), nullable=False),
    Column("time_ms", BigInteger, nullable=False),
)

rulings = Table(
    "rulings",
    metadata,
    Column("match", LargeBinary(16), primary_key=True),
    Column("request", LargeBinary(16), primary_key=True),  # the stored request id
    Column("time_ms", BigInteger, nullable=False),
    Column("kind", Integer, nullable=False),  # argosy.v1.Ruling.Kind
    Column("ruling", LargeBinary, nullable=False),  # argosy.v1.Ruling
    Column("is_logged", Boolean, nullable=False),  # the transparency log has it
)
"""Rulings, as files beside the archive say."""
