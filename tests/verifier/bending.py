"""Ways to bend an export: what somebody would do who wants a match to have happened otherwise."""

from collections.abc import Callable

from argosy.v1 import entry_pb2
from argosy.v1 import replay_service_pb2 as pb

from services.kit import chain, parts


def flipped(data: bytes, place: int = -1) -> bytes:
    """One bit changed, of the byte at `place`."""
    place %= len(data)
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def seed_of(export: pb.Export) -> bytes:
    return entry_pb2.EntryPart.FromString(export.opened[0].sealed_parts[-1]).server.seed


def rechained(export: pb.Export) -> pb.Export:
    """Every digest computed anew: whoever holds the seed can do that."""
    seed, digest = seed_of(export), chain.first_digest(export.match)
    for entry in export.opened:
        sealed = chain.commitments(seed, entry.version, list(entry.sealed_parts))
        digest = chain.next_digest(digest, entry.version, entry.public_part, sealed)
        entry.digest = digest
    return export


def retold(export: pb.Export, version: int, change: Callable[[entry_pb2.EntryPart], None]) -> pb.Export:
    """The same change made in all parts of an entry, and chained anew."""
    entry = export.opened[version - 1]
    entry.public_part = _changed(entry.public_part, change)
    for index, part in enumerate(entry.sealed_parts):
        if part:
            entry.sealed_parts[index] = _changed(part, change)
    return rechained(export)


def renumbered(export: pb.Export) -> pb.Export:
    """Versions 1, 2, 3, … whatever stands there, in entries and parts, and chained anew."""
    for number, entry in enumerate(export.opened, 1):
        entry.version = number
        retold(export, number, lambda part, number=number: setattr(part, "version", number))  # type: ignore[misc]
    return rechained(export)


def seen_by(export: pb.Export, seat: int) -> pb.Export:
    """The export as this seat has it of a match that is not opened."""
    seed, viewed = seed_of(export), pb.Export()
    viewed.CopyFrom(export)
    viewed.ClearField("opened")
    viewed.seats.append(seat)
    for entry in export.opened:
        sealed = parts.Sealed(entry.version, entry.digest, b"", entry.public_part, tuple(entry.sealed_parts))
        viewed.entries.append(parts.seen(sealed, seed, [seat]))
    return viewed


def _changed(part: bytes, change: Callable[[entry_pb2.EntryPart], None]) -> bytes:
    parsed = entry_pb2.EntryPart.FromString(part)
    change(parsed)
    return parsed.SerializeToString(deterministic=True)
