"""An entry split into what everybody, each seat and the server may see, sealed, and chained (CHAIN.md)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from argosy.v1 import entry_pb2, match_service_pb2
from google.protobuf.message import DecodeError

from services.kit import chain, wire
from services.kit.redaction import Redactor

_GAME_EVENTS = entry_pb2.EntryPart.GAME_EVENTS_FIELD_NUMBER
_SERVER = entry_pb2.EntryPart.SERVER_FIELD_NUMBER
Proof = tuple[list[bytes], list[bytes]]


@dataclass(frozen=True, slots=True)
class Seal:
    """What sealing an entry of one match needs; the same for all its entries.

    `seats` is the most seats that the match allows; `sealed_parts` is k.
    """

    match: bytes
    seed: bytes
    seats: int
    sealed_parts: int
    redactor: Redactor


@dataclass(frozen=True, slots=True)
class Sealed:
    """An entry ready for the history: `e`, its digest, and the parts that it consists of.

    `proof` has the salts and commitments of the sealed parts where they are known already.
    """

    version: int
    digest: bytes
    stored: bytes
    public_part: bytes
    sealed_parts: tuple[bytes, ...]
    proof: Proof | None = None


def sealed_part_count(seats: int, redactor: Redactor) -> int:
    """k: a part for each seat and the server where the game has events for seats, else for the server alone."""
    return seats + 1 if redactor.has_seats else 1


def seal(
    by: Seal, previous: bytes, part: entry_pb2.EntryPart, events: Sequence[bytes], server: entry_pb2.ServerPart
) -> Sealed:
    """Splits, seals and chains one entry onto the digest `previous`.

    `part` has everything but events and the server's part; it is completed in place. `events` are whole.
    """
    splits = [by.redactor.split(event, by.seats) for event in events]
    head = part.SerializeToString(deterministic=True)
    public_part = head + _events([public for public, _ in splits])
    sealed = [b""] * by.sealed_parts
    for seat in {s for _, more in splits for s in more}:
        sealed[seat] = head + _events([more.get(seat, public) for public, more in splits])
    whole = wire.delimited(_SERVER, server.SerializeToString(deterministic=True))
    sealed[-1] = head + _events(events) + whole
    part.game_events.extend(events)
    part.server.CopyFrom(server)
    proof = _proof(by.seed, part.version, sealed)
    digest = chain.next_digest(previous, part.version, public_part, proof[1])
    stored = wire.delimited(1, public_part) + b"".join([wire.delimited(2, each) for each in sealed])
    return Sealed(part.version, digest, stored, public_part, tuple(sealed), proof)


def _events(events: Sequence[bytes]) -> bytes:
    """The field game_events; no other that everybody may see stands after it."""
    return b"".join([wire.delimited(_GAME_EVENTS, event) for event in events])


def _proof(seed: bytes, version: int, sealed: Sequence[bytes]) -> Proof:
    salts = [chain.salt(seed, version, i) for i in range(len(sealed))]
    return salts, [chain.commitment(salt, part) for salt, part in zip(salts, sealed, strict=True)]


class BadEntry(ValueError):
    """Bytes that are no entry. Its text holds none of them."""


def opened(version: int, digest: bytes, stored: bytes) -> Sealed:
    """A stored entry taken apart. Raises BadEntry for bytes that are none."""
    try:
        entry = entry_pb2.StoredEntry.FromString(stored)
    except DecodeError:
        raise BadEntry("the stored entry cannot be parsed") from None
    if not entry.sealed_parts:
        raise BadEntry("the stored entry has no server's part")
    return Sealed(version, digest, stored, entry.public_part, tuple(entry.sealed_parts))


def chained(entry: Sealed, previous: bytes, seed: bytes) -> Sealed | None:
    """The entry with its proof; None where its digest does not follow from its parts and its predecessor's digest."""
    proof = _proof(seed, entry.version, entry.sealed_parts)
    is_next = entry.digest == chain.next_digest(previous, entry.version, entry.public_part, proof[1])
    return replace(entry, proof=proof) if is_next else None


def server_part(entry: Sealed) -> entry_pb2.EntryPart:
    """The whole entry, the server's part included. Raises BadEntry where it cannot be parsed."""
    try:
        return entry_pb2.EntryPart.FromString(entry.sealed_parts[-1])
    except DecodeError:
        raise BadEntry("the server's part cannot be parsed") from None


def seen(entry: Sealed, seed: bytes, seats: Sequence[int]) -> match_service_pb2.Entry:
    """The entry as a viewer with these seats (none: a spectator) receives it."""
    count = len(entry.sealed_parts)
    own = [s for s in seats if s < count - 1]
    salts, commitments = entry.proof or _proof(seed, entry.version, entry.sealed_parts)
    return match_service_pb2.Entry(
        version=entry.version,
        digest=entry.digest,
        public_part=entry.public_part,
        own=[match_service_pb2.Entry.SealedPart(index=s, part=entry.sealed_parts[s], salt=salts[s]) for s in own],
        commitments=[b"" if i in own else commitment for i, commitment in enumerate(commitments)],
    )


def seen_bytes(entry: Sealed, seed: bytes, seats: Sequence[int]) -> bytes:
    """The same, serialized, without a message made for it."""
    count = len(entry.sealed_parts)
    own = [s for s in seats if s < count - 1]
    salts, commitments = entry.proof or _proof(seed, entry.version, entry.sealed_parts)
    fields = [
        b"\x08",
        wire.varint(entry.version),
        wire.delimited(2, entry.digest),
        wire.delimited(3, entry.public_part),
    ]
    for seat in own:
        part = wire.delimited(2, entry.sealed_parts[seat]) + wire.delimited(3, salts[seat])
        fields.append(wire.delimited(4, b"\x08" + wire.varint(seat) + part))
    fields += [wire.delimited(5, b"" if i in own else each) for i, each in enumerate(commitments)]
    return b"".join(fields)
