"""Opening what one viewer received: by the seed alone, or by an opened file of the same match."""

from argosy.client import chain as client_chain
from argosy.v1 import entry_pb2
from argosy.v1 import replay_service_pb2 as pb
from google.protobuf.message import DecodeError

from gateway.cli.verify.history import first_of
from gateway.cli.verify.report import Impossible, Wrong
from services.kit import chain


def is_seedless(export: pb.Export) -> bool:
    """Whether an opened file is one that a host was given of a match that went on (ReadReplay, `opened`)."""
    try:
        last = entry_pb2.EntryPart.FromString(export.opened[-1].public_part)
        return not last.HasField("end") and not first_of(export).server.seed
    except (DecodeError, IndexError, Wrong):
        return False


def with_seed(export: pb.Export, seed: bytes) -> pb.Export:
    """The file with the seed in its place."""
    whole, filled = first_of(export), pb.Export.FromString(export.SerializeToString())
    whole.server.seed = seed
    filled.opened[0].sealed_parts[-1] = whole.SerializeToString(deterministic=True)
    return filled


def seed_in(export: pb.Export) -> bytes:
    """The seed out of an opened file. Raises Wrong where its first entry cannot be read."""
    return first_of(export).server.seed


def opened_by(export: pb.Export, opener: pb.Export) -> pb.Export:
    """What the viewer's file would be with every part opened, as far as it goes.

    Raises Impossible for a file that is not of the same entries: which of the two is bent, their own checks tell.
    """
    try:
        seed = seed_in(opener)
    except Wrong:
        raise Impossible("the other file cannot be read") from None
    for entry, opened in zip(export.entries, opener.opened, strict=False):
        mine = entry.version, entry.digest, entry.public_part
        if entry.version < 0 or mine != (opened.version, opened.digest, opened.public_part):
            raise Impossible(f"the other file has another entry at version {entry.version}")
        for own in entry.own:
            if not 0 <= own.index < len(opened.sealed_parts) or own.part != opened.sealed_parts[own.index]:
                raise Impossible(f"the other file has another part of seat {own.index} at version {entry.version}")
            if own.salt != chain.salt(seed, entry.version, own.index):
                raise Impossible(f"the other file's seed gives another salt at version {entry.version}")
    if len(export.entries) > len(opener.opened):
        raise Impossible(f"the other file ends at version {len(opener.opened)}")
    found = pb.Export()
    found.CopyFrom(export)
    found.ClearField("entries")
    found.opened.extend(opener.opened[: len(export.entries)])
    return found


def check_seed(export: pb.Export, seed: bytes) -> str:
    """The seed is the one to which the first entry commits."""
    if not export.entries:
        raise Impossible("there are no entries")
    created = _part(export, 0).cause.created
    if chain.seed_commitment(export.match, seed) != created.seed_commitment:
        raise Wrong(1, "the seed is not the one committed to")
    return "the one given, committed to before any seat was taken"


def check_given(export: pb.Export, seed: bytes) -> str:
    """The seed given is the one in an opened file."""
    if seed != seed_in(export):
        raise Wrong(1, "the seed given is another than the file's")
    return "the one in the file"


def check_own(export: pb.Export, seed: bytes) -> str:
    """Every salt that the viewer received follows from the seed. What others received is not in its file."""
    count = 0
    for entry in export.entries:
        for own in entry.own:
            if min(entry.version, own.index) < 0 or own.salt != chain.salt(seed, entry.version, own.index):
                raise Wrong(entry.version, f"the salt of seat {own.index} does not follow from the seed")
            count += 1
    raise Impossible(f"{count} own parts follow from the seed; the others are not in this file: compare an opened one")


def check_contributions(export: pb.Export) -> str:
    """The secrets in the file are those of the contributions that the history bears."""
    given = dict[int, bytes]()
    for number in range(len(export.entries)):
        _contribute(given, _part(export, number).cause)
    for own in export.secrets:
        if given.get(own.seat) != client_chain.contribution(own.secret):
            raise Wrong(0, f"seat {own.seat} did not contribute the secret in this file")
    seats = ", ".join(map(str, sorted(given)))
    return f"from seat{'s' * (len(given) > 1)} {seats}" if given else "no seat has contributed"


def _contribute(given: dict[int, bytes], cause: entry_pb2.PlatformEvent) -> None:
    for taken in (*cause.created.seats_taken.seats, *cause.seats_taken.seats):
        given.pop(taken.seat, None)
        if taken.contribution:
            given[taken.seat] = taken.contribution
    if cause.HasField("seat_left"):
        given.pop(cause.seat_left.seat, None)
    if cause.seat_readied.contribution:
        given[cause.seat_readied.seat] = cause.seat_readied.contribution


def _part(export: pb.Export, number: int) -> entry_pb2.EntryPart:
    entry = export.entries[number]
    try:
        return entry_pb2.EntryPart.FromString(entry.public_part)
    except DecodeError:
        raise Wrong(entry.version, "a part cannot be read") from None
