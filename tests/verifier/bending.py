"""Ways to bend an export: what somebody would do who wants a match to have happened otherwise."""

from collections.abc import Callable

from argosy.client import chain as client_chain
from argosy.v1 import entry_pb2
from argosy.v1 import match_service_pb2 as match_pb
from argosy.v1 import replay_service_pb2 as pb

from services.kit import chain, parts, signatures
from services.kit.keys import SigningKey
from services.kit.merkle import leaf_hash


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


def retold_to(viewed: pb.Export, version: int) -> pb.Export:
    """A viewer's file in which an entry was recorded a moment later, chained anew: another story of one match."""
    other = pb.Export()
    other.CopyFrom(viewed)
    entry = other.entries[version - 1]
    entry.public_part = _changed(entry.public_part, _later)
    for own in entry.own:
        own.part = _changed(own.part, _later) if own.part else b""
    digest = chain.first_digest(other.match)
    for entry in other.entries:
        sealed = list(entry.commitments)
        for own in entry.own:
            sealed[own.index] = client_chain.commitment(own.salt, own.part)
        digest = entry.digest = client_chain.digest(digest, entry.version, entry.public_part, sealed)
    return other


def receipt_for(export: pb.Export, version: int, key: SigningKey) -> match_pb.Receipt:
    """A receipt for an entry of this file, by itself in its tree, signed by this key."""
    return receipt_of(export.match, version, export.entries[version - 1].digest, key)


def receipt_of(match: bytes, version: int, digest: bytes, key: SigningKey) -> match_pb.Receipt:
    """A receipt for whatever it may be."""
    leaf = match + version.to_bytes(8) + digest
    root = leaf_hash(leaf)
    signature = key.private.sign(signatures.receipt_message(root))
    return match_pb.Receipt(leaf=leaf, index=0, size=1, root=root, signature=signature, key_id=key.id)


def _later(part: entry_pb2.EntryPart) -> None:
    part.record_time_ms += 1
