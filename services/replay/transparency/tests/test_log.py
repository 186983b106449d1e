from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from argosy.v1 import replay_service_pb2 as pb

from services.kit import checkpoints, signatures
from services.kit.errors import Refused
from services.kit.keys import read_or_make_keys, signer
from services.kit.merkle import Tree, is_consistent, leaf_hash, root_of_inclusion
from services.replay.archive import Archive, DamagedFile, open_archive
from services.replay.transparency import tiles
from services.replay.transparency.known import KnownKeys
from services.replay.transparency.log import LogKeys, TransparencyLog, key_leaf, public_key


@pytest.fixture
def keys(tmp_path: Path) -> LogKeys:
    own = read_or_make_keys(tmp_path / "keys.json")
    return LogKeys(signer(own, "log"), signer(own, "receipt"))


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return open_archive(None, tmp_path)


def leaves(start: int, end: int) -> list[bytes]:
    return [signatures.leaf(signatures.RESULT, bytes([n % 256, n // 256])) for n in range(start, end)]


async def test_another_process_reads_what_one_wrote(archive: Archive, keys: LogKeys) -> None:
    writer, reader = TransparencyLog(archive, keys), TransparencyLog(archive, keys)
    sizes, at = [1, 3, 255, 256, 257, 600], 0
    roots = dict[int, bytes]()
    for size in sizes:
        await writer.append(leaves(at, size))
        await reader.refresh()
        at, roots[size] = size, reader.root(size)
        assert (len(reader), reader.checkpoint) == (size, writer.checkpoint)
    fresh = TransparencyLog(archive, keys)
    await fresh.refresh()
    for old, size in pairwise(sizes):
        assert is_consistent(old, roots[old], size, roots[size], fresh.consistency(old, size))
    for index in (0, 255, 256, 599):
        (leaf,) = leaves(index, index + 1)
        proof = fresh.inclusion(leaf)
        assert proof is not None
        head = checkpoints.read(proof.checkpoint)
        assert root_of_inclusion(leaf, proof.index, head.size, proof.path) == head.root == roots[600]


async def test_a_leaf_is_appended_once(archive: Archive, keys: LogKeys) -> None:
    log = TransparencyLog(archive, keys)
    await log.append(leaves(0, 5))
    note = log.checkpoint
    await log.append(leaves(0, 5))
    await TransparencyLog(archive, keys).append([*leaves(3, 5), *leaves(3, 5)])
    await log.refresh()
    assert (len(log), log.checkpoint) == (5, note)


async def test_the_checkpoint_is_a_signed_note(archive: Archive, keys: LogKeys) -> None:
    log = TransparencyLog(archive, keys, "example.org/games")
    await log.append(leaves(0, 2))
    public = public_key(keys.log).key
    lines = log.checkpoint.split("\n")
    assert lines[:2] == ["example.org/games", "2"]
    assert lines[3] == ""
    assert lines[4].startswith("— example.org/games ")
    assert lines[5:] == [""]
    assert checkpoints.is_signed(log.checkpoint, public)
    for bent in (log.checkpoint.replace("\n2\n", "\n3\n"), log.checkpoint.replace("games", "other")):
        assert not checkpoints.is_signed(bent, public)
    assert not checkpoints.is_signed(log.checkpoint, bytes(32))
    assert checkpoints.note_key("example.org/games", public).startswith("example.org/games+")


async def test_a_log_keeps_its_name_when_the_key_changes(archive: Archive, keys: LogKeys, tmp_path: Path) -> None:
    await TransparencyLog(archive, keys).append(leaves(0, 1))
    own = read_or_make_keys(tmp_path / "other.json")
    other = replace(keys, log=signer(own, "log"))
    log = TransparencyLog(archive, other)
    await log.append(leaves(1, 2))
    assert checkpoints.read(log.checkpoint).origin == f"argosy-log-{keys.log.id}"
    assert checkpoints.is_signed(log.checkpoint, public_key(other.log).key)


async def test_what_no_checkpoint_covers_is_written_over(archive: Archive, keys: LogKeys) -> None:
    log = TransparencyLog(archive, keys)
    await log.append(leaves(0, 2))
    note = log.checkpoint
    await log.append(leaves(5, 6))
    await archive.put(tiles.CHECKPOINT, note.encode())  # as if it had been stopped before the last step
    again = TransparencyLog(archive, keys)
    await again.append(leaves(2, 3))
    assert again.root(3) == Tree([leaf_hash(leaf) for leaf in leaves(0, 3)]).root()
    fresh = TransparencyLog(archive, keys)
    await fresh.refresh()
    assert fresh.root(3) == again.root(3)


@pytest.mark.parametrize(
    "path", [tiles.path(tiles.ENTRIES, 0, 3), tiles.CHECKPOINT], ids=["a bundle", "the checkpoint"]
)
async def test_a_changed_file_is_not_believed(archive: Archive, keys: LogKeys, path: str) -> None:
    await TransparencyLog(archive, keys).append(leaves(0, 3))
    data = await archive.get(path)
    assert data is not None
    place = data.index(b"\n") + 3 if path == tiles.CHECKPOINT else 5
    changed = bytes([data[place] ^ 1])
    await archive.put(path, data[:place] + changed + data[place + 1 :])
    log = TransparencyLog(archive, keys)
    with pytest.raises(DamagedFile):
        await log.refresh()
    assert (len(log), log.checkpoint) == (0, "")


async def test_files_lie_where_c2sp_says(archive: Archive, keys: LogKeys, tmp_path: Path) -> None:
    log = TransparencyLog(archive, keys)
    await log.append(leaves(0, 256 * 2 + 70))
    top = tmp_path / "archive"
    written = {p.relative_to(top).as_posix() for p in (top / "log").rglob("*") if p.is_file()}
    assert written == {
        "log/checkpoint",
        "log/tile/0/000",
        "log/tile/0/001",
        "log/tile/0/002.p/70",
        "log/tile/1/000.p/2",
        "log/tile/entries/000",
        "log/tile/entries/001",
        "log/tile/entries/002.p/70",
    }
    tile = await archive.get("log/tile/1/000.p/2")
    assert (
        tile
        == Tree([leaf_hash(leaf) for leaf in leaves(0, 256)]).root()
        + Tree([leaf_hash(leaf) for leaf in leaves(256, 512)]).root()
    )
    assert tiles.path(0, 1234067) == "log/tile/0/x001/x234/067"


async def test_sizes_that_the_log_has_not_are_refused(archive: Archive, keys: LogKeys) -> None:
    log = TransparencyLog(archive, keys)
    await log.append(leaves(0, 3))
    for old, size in ((0, 3), (2, 4), (3, 2)):
        with pytest.raises(Refused):
            log.consistency(old, size)


async def test_keys_are_leaves(archive: Archive, keys: LogKeys) -> None:
    log, known = TransparencyLog(archive, keys), [public_key(keys.log), public_key(keys.receipt)]
    assert [log.index(key_leaf(key)) for key in known] == [None, None]
    await log.append([key_leaf(key) for key in known])
    assert [log.index(key_leaf(key)) for key in known] == [0, 1]
    assert key_leaf(known[0])[:1] == b"\x04"
    assert key_leaf(pb.PlatformKey(id="x")) != key_leaf(known[0])


async def test_keys_that_were_told_once_are_kept(archive: Archive, keys: LogKeys, tmp_path: Path) -> None:
    own, others = [public_key(keys.log)], [public_key(key) for key in read_or_make_keys(tmp_path / "others.json")]
    await KnownKeys(archive, own).record(others)
    rotated = KnownKeys(archive, [public_key(keys.receipt)])
    assert {key.id for key in await rotated.refresh()} == {keys.receipt.id, *(key.id for key in others)}
    await rotated.keep_own()
    assert {key.id for key in await KnownKeys(archive, ()).refresh()} == {key.id for key in rotated.all}
    later = pb.PlatformKey()
    later.CopyFrom(others[0])
    later.create_time_ms += 1
    await rotated.record([later])
    assert others[0] in await KnownKeys(archive, ()).refresh()


@pytest.mark.parametrize("bent", ["id", "use", "key", "time"])
async def test_what_is_no_key_is_not_kept(archive: Archive, keys: LogKeys, bent: str) -> None:
    key = public_key(keys.log)
    match bent:
        case "id":
            key.id = "0" * 16
        case "use":
            key.use = "door"
        case "key":
            key.key += b"x"
        case _:
            key.create_time_ms = 0
    with pytest.raises(Refused):
        await KnownKeys(archive, ()).record([key])
    assert await KnownKeys(archive, ()).refresh() == []
