"""What comes into the transparency log."""

from pathlib import Path

from services.kit.keys import read_or_make_keys, signer
from services.replay.archive import path_of
from services.replay.histories import Histories
from services.replay.library import Library
from services.replay.reindexing import reindex
from services.replay.tests.made import make_history
from services.replay.transparency.known import KnownKeys
from services.replay.transparency.log import LogKeys, TransparencyLog
from services.replay.transparency.publishing import Publisher


async def test_one_damaged_file_keeps_no_others_from_the_log(
    histories: Histories, sqlite_library: Library, tmp_path: Path
) -> None:
    made = dict(make_history() for _ in range(4))
    for match, entries in made.items():
        await histories.archive.write(match, entries)
    await reindex(sqlite_library, histories)
    damaged, lost, *sound = made
    await histories.archive.put(path_of(damaged), b"damaged")
    (tmp_path / "archive" / path_of(lost)).unlink()
    own = read_or_make_keys(tmp_path / "keys.json")
    log = TransparencyLog(histories.archive, LogKeys(signer(own, "log"), signer(own, "receipt")))
    publisher = Publisher(sqlite_library, histories, log, KnownKeys(histories.archive, []))
    for _ in range(2):
        await publisher.publish()
    assert len(log) == len(sound)
    assert {summary.match for summary in await sqlite_library.to_log(9)} == {damaged, lost}
