"""Files of the archive: whole to the byte, or found out."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from services.kit.startup import CannotStart
from services.replay.archive import DamagedFile, decode, encode, open_archive, path_of
from services.replay.tests.made import make_history


async def test_what_is_written_is_read_again_to_the_byte(tmp_path: Path) -> None:
    archive = open_archive(None, tmp_path)
    match, entries = make_history(length=300)
    assert await archive.read(match) is None
    await archive.write(match, entries)
    await archive.write(match, entries)
    assert await archive.read(match) == entries
    assert [found async for found in archive.matches()] == [match]
    assert (tmp_path / "archive" / path_of(match)).is_file()


async def test_files_of_others_are_not_taken_for_matches(tmp_path: Path) -> None:
    archive = open_archive(f"file://{tmp_path}/elsewhere", tmp_path)
    (tmp_path / "elsewhere" / "notes.txt").write_text("mine")
    assert [found async for found in archive.matches()] == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:],
        lambda _: b"",
        lambda data: bytes(len(data)),
        lambda data: b"\x28\xb5\x2f\xfd\xe4" + (1 << 60).to_bytes(8, "little") + data[6:],
    ],
    ids=["half", "a byte short", "a byte changed", "empty", "zeros", "a size without end"],
)
def test_a_damaged_file_is_found_out(damage: Callable[[bytes], bytes]) -> None:
    match, entries = make_history()
    with pytest.raises(DamagedFile):
        decode(match, damage(encode(match, entries)))


def test_a_history_that_does_not_hold_is_none() -> None:
    match, entries = make_history(length=6)
    other = make_history(length=6)[1]
    for changed in (
        entries[:-1],
        entries[1:],
        [*entries[:3], *entries[4:]],
        [*entries[:3], other[3], *entries[4:]],
        [],
    ):
        with pytest.raises(DamagedFile):
            decode(match, encode(match, changed))
    with pytest.raises(DamagedFile):
        decode(os.urandom(16), encode(match, entries))


def test_a_request_id_that_was_changed_is_found_out() -> None:
    match, entries = make_history()
    changed = type(entries[2])(3, entries[2].digest + os.urandom(48), entries[2].body)
    with pytest.raises(DamagedFile, match="request id"):
        decode(match, encode(match, [*entries[:2], changed, *entries[3:]]))


def test_only_places_that_hold_files_are_archives(tmp_path: Path) -> None:
    open_archive("s3://bucket/folder", tmp_path)
    with pytest.raises(CannotStart, match="ARGOSY_ARCHIVE_URL"):
        open_archive("ftp://somewhere", tmp_path)
