"""A table as a snapshot: written now and then, thrown away when its digest does not fit the history."""

import msgspec
from argosy.rules.v1 import rules_service_pb2 as rules_v1
from argosy.v1 import entry_pb2

from services.kit.log.entries import Snapshot
from services.match.games import GameEntry
from services.match.table import Held, Phase, Table, open_table


class _Extra(msgspec.Struct, array_like=True):
    """What a snapshot holds beside state and prefixes. Its form is `form`; another form is thrown away."""

    form: int
    created: bytes
    seed: bytes
    create_time_ms: int
    record_time_ms: int
    held: list[tuple[bytes, str, bytes, bool] | None]
    phase: int
    seats: int
    key: bytes
    decisions: int
    status: bytes
    end: bytes
    due_ms: int


_FORM = 1
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Extra)


def is_due(table: Table, every: int) -> bool:
    """Whether the entry just folded calls for a snapshot; only a table whose state is known can give one."""
    return table.version % every == 0 and not table.since and table.state is not None


def take(table: Table) -> Snapshot:
    """The snapshot of a table whose state is known."""
    extra = _Extra(
        _FORM,
        table.created.SerializeToString(),
        table.seed,
        table.create_time_ms,
        table.record_time_ms,
        [None if h is None else (h.player, h.bot_policy, h.contribution, h.is_ready) for h in table.held],
        table.phase.value,
        table.seats,
        table.key,
        table.decisions,
        b"" if table.status is None else table.status.SerializeToString(),
        b"" if table.end is None else table.end.SerializeToString(),
        table.due_ms,
    )
    state = table.state or b""
    return Snapshot(table.version, table.digest, state, bytes(table.prefixes), _encoder.encode(extra))


def read_game(snapshot: Snapshot) -> entry_pb2.PlatformEvent.Created | None:
    """Which match a snapshot is of; None for one that another build wrote in another form."""
    try:
        extra = _decoder.decode(snapshot.extra)
    except msgspec.DecodeError:
        return None
    return entry_pb2.PlatformEvent.Created.FromString(extra.created) if extra.form == _FORM else None


def restore(match: bytes, game: GameEntry, snapshot: Snapshot) -> Table:
    """The table as it was when the snapshot was taken."""
    extra = _decoder.decode(snapshot.extra)
    first = entry_pb2.EntryPart()
    first.cause.created.ParseFromString(extra.created)
    first.server.seed = extra.seed
    table = open_table(match, game, first)
    table.version, table.digest = snapshot.version, snapshot.digest
    table.create_time_ms, table.record_time_ms = extra.create_time_ms, extra.record_time_ms
    table.held = [None if h is None else Held(*h) for h in extra.held]
    table.phase, table.seats, table.key = Phase(extra.phase), extra.seats, extra.key
    table.decisions, table.due_ms = extra.decisions, extra.due_ms
    table.state = snapshot.state or None
    table.status = rules_v1.Status.FromString(extra.status) if extra.status else None
    table.end = entry_pb2.End.FromString(extra.end) if extra.end else None
    table.prefixes = bytearray(snapshot.prefixes)
    return table
