"""Files made to harm who checks them: no crash, no endless work, no foreign code, nothing said that was not checked."""

from collections.abc import Callable

import pytest
from argosy.v1 import draw_pb2, entry_pb2
from argosy.v1 import replay_service_pb2 as pb
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorSet

from gateway.cli.verify.comparing import compare
from gateway.cli.verify.files import Given, verify
from gateway.cli.verify.report import Mark, Report
from tests.verifier.bending import rechained, retold, seed_of, seen_by
from tests.verifier.conftest import Files

pytestmark = pytest.mark.asyncio(loop_scope="session")
MANY = 2**31 - 1
Change = Callable[[entry_pb2.EntryPart], None]


def failed(report: Report) -> set[tuple[str, int]]:
    return {(check.name, check.version) for check in report.failures}


def recreated(export: pb.Export, change: Callable[[entry_pb2.PlatformEvent.Created], None]) -> pb.Export:
    return retold(export, 1, lambda part: change(part.cause.created))


def whole_of(entry: pb.OpenedEntry) -> entry_pb2.EntryPart:
    return entry_pb2.EntryPart.FromString(entry.sealed_parts[-1])


def with_server(export: pb.Export, entry: pb.OpenedEntry, change: Change) -> pb.Export:
    """A change of what only the server has of an entry, chained anew."""
    whole = whole_of(entry)
    change(whole)
    entry.sealed_parts[-1] = whole.SerializeToString(deterministic=True)
    return rechained(export)


async def test_seats_without_number_take_no_memory(files: Files) -> None:
    export = recreated(files.export("ruhe"), lambda created: setattr(created.options, "max_seats", MANY))
    assert ("entries", 1) in failed(verify(export, Given()))


@pytest.mark.parametrize("kind", [draw_pb2.Draw.KIND_SHUFFLE, draw_pb2.Draw.KIND_SAMPLE])
async def test_draws_without_end_are_not_made(files: Files, kind: draw_pb2.Draw.Kind.ValueType) -> None:
    export = files.export("ruhe")
    entry = next(entry for entry in export.opened if whole_of(entry).server.draws)

    def change(whole: entry_pb2.EntryPart) -> None:
        whole.server.draws[0].kind, whole.server.draws[0].bound = kind, MANY

    assert ("draws", entry.version) in failed(verify(with_server(export, entry, change), Given()))


async def test_a_part_of_a_negative_version_is_told(files: Files) -> None:
    export = retold(files.export("ruhe"), 5, lambda part: setattr(part, "version", -4))
    assert ("entries", 5) in failed(verify(export, Given()))


async def test_a_last_part_that_cannot_be_read_is_told(files: Files) -> None:
    export = files.export("ruhe")
    export.opened[-1].public_part = b"\xff\xff\xff"
    assert ("sealed parts", len(export.opened)) in failed(verify(rechained(export), Given()))


async def test_messages_in_messages_without_end_are_told(files: Files) -> None:
    export = files.export("ruhe")
    described = FileDescriptorSet.FromString(export.descriptors)
    file = next(file for file in described.file if export.event_type.rpartition(".")[0] == file.package)
    for number in range(3000):
        inner = file.message_type.add(name=f"Deep{number}")
        _add_field(inner.field.add(), 1, f".{file.package}.Deep{(number + 1) % 3000}")
    event = next(message for message in file.message_type if message.name == "Event")
    _add_field(event.field.add(), 999, f".{file.package}.Deep0")
    export.descriptors = described.SerializeToString()
    assert ("entries", 0) in failed(verify(export, Given()))


def _add_field(field: FieldDescriptorProto, number: int, name: str) -> None:
    field.name, field.number, field.type_name = f"deep{number}", number, name
    field.type, field.label = FieldDescriptorProto.TYPE_MESSAGE, FieldDescriptorProto.LABEL_OPTIONAL


async def test_places_and_versions_below_zero_are_told(files: Files) -> None:
    finished, viewed = files.export("ruhe"), seen_by(files.export("ruhe"), 0)
    own, opened = viewed.entries[5].own[0], finished.opened[5]
    own.index, own.part = -1, opened.sealed_parts[-1]
    for opener, seed in ((finished, b""), (None, seed_of(finished))):
        assert ("chain", 6) in failed(verify(viewed, Given(seed=seed), opener))
    del viewed.entries[5].own[:]
    viewed.entries[5].version = finished.opened[5].version = -6
    for opener, seed in ((finished, b""), (None, seed_of(finished))):
        assert ("versions", 6) in failed(verify(viewed, Given(seed=seed), opener))
    both, other = Report(()), pb.Export.FromString(viewed.SerializeToString())
    other.entries[5].digest = bytes(32)
    both.run("the two files", lambda: compare(finished, other))
    assert [check.mark for check in both.checks] == [Mark.FAILS]


@pytest.mark.parametrize("game", ["ruhe=this.ruhe", "ruhe\0", "--help", "../ruhe"])
async def test_a_file_does_not_say_what_is_imported(files: Files, game: str) -> None:
    report = verify(recreated(files.export("ruhe"), lambda created: setattr(created, "game", game)), Given())
    decisions = next(check for check in report.checks if check.name == "decisions")
    assert decisions.mark is Mark.OPEN
    assert "are not installed" in decisions.text


async def test_a_digest_of_rules_has_its_length(files: Files) -> None:
    export = recreated(files.export("ruhe"), lambda created: setattr(created, "rules_digest", bytes(300_000)))
    assert ("decisions", 1) in failed(verify(export, Given()))


async def test_events_that_nobody_decided_are_told(files: Files) -> None:
    export = files.export("ruhe")
    entry = next(entry for entry in reversed(export.opened) if whole_of(entry).game_events)

    def change(whole: entry_pb2.EntryPart) -> None:
        whole.server.ClearField("decision")
        whole.server.ClearField("draws")

    assert ("draws", entry.version) in failed(verify(with_server(export, entry, change), Given()))


async def test_a_decision_below_zero_is_told(files: Files) -> None:
    export = files.export("ruhe")
    entry = export.opened[8]
    bent = with_server(export, entry, lambda whole: setattr(whole.server, "decision", -1))
    assert ("entries", entry.version) in failed(verify(bent, Given()))


async def test_texts_of_a_file_stay_on_their_line(files: Files) -> None:
    export = files.export("sirenen")
    export.result.key_id = "x\n  ✓ decisions\nverified\x1b[2J\u202e" + "y" * 10_000
    said = [str(check) for check in verify(export, Given()).checks]
    assert any("signature" in line for line in said)
    assert all(line.isprintable() and len(line) < 500 for line in said)
