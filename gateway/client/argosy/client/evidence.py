"""A player's own evidence: what it received of a match, kept in a file without anybody's help.

The file is a serialized `argosy.v1.Export`, written by appending pieces of it; `argosy verify` reads it, and compares
two of them. Checking receipts needs the package `cryptography`: `pip install argosy-client[receipts]`.
"""

from collections.abc import Sequence
from pathlib import Path

from argosy.client import ids
from argosy.client.errors import diverged
from argosy.client.games import Game
from argosy.client.receipts import check_receipt, receipt_keys
from argosy.v1 import game_service_pb2 as game_pb2
from argosy.v1 import match_service_pb2 as match_pb2
from argosy.v1 import replay_service_pb2 as replay_pb2

_USES = {
    game_pb2.GetPlatformResponse.PublicKey.USE_TOKEN: "token",
    game_pb2.GetPlatformResponse.PublicKey.USE_RECEIPT: "receipt",
    game_pb2.GetPlatformResponse.PublicKey.USE_LOG: "log",
}


class Evidence:
    """The file of one match: entries with their salts, receipts, refusals, secrets. Give it to `Client.follow`.

    A file that is there is gone on with; an end that was half written is cut off. `platform` is what
    `Client.platform` told; receipts are checked with its keys. Pieces are handed to the operating system at once, not
    flushed to the disk.
    """

    def __init__(self, path: Path | str, platform: game_pb2.GetPlatformResponse) -> None:
        self.path, self._platform = Path(path), platform
        self._keys = receipt_keys(platform)
        self.kept = self._read()

    @property
    def head(self) -> match_pb2.Head | None:
        """Where the entries kept end; None before the first."""
        if not self.kept.entries:
            return None
        last = self.kept.entries[-1]
        return match_pb2.Head(version=last.version, digest=last.digest)

    def begin(self, match: str, game: Game, seats: Sequence[int]) -> None:
        """Says of which match and seats the file is. Raises ValueError for a file of another match."""
        about, raw = game.about, ids.raw_id(match)
        if self.kept.match:
            if self.kept.match != raw:
                raise ValueError(f"{self.path} is of another match")
            return
        piece = replay_pb2.Export(
            form=1,
            match=raw,
            seats=seats,
            descriptors=about.descriptors.SerializeToString(deterministic=True),
            settings_type=about.settings_type,
            action_type=about.action_type,
            event_type=about.event_type,
            position_type=about.position_type,
            keys=[_key(key) for key in self._platform.public_keys],
        )
        piece.export_time.GetCurrentTime()
        self._append(piece)

    def add_entry(self, entry: match_pb2.Entry) -> None:
        """The next entry, as received and checked."""
        self._append(replay_pb2.Export(entries=[entry]))

    def add_receipt(self, receipt: match_pb2.Receipt) -> None:
        """A receipt, also before the first entry. Raises HistoryDiverged for one that proves nothing."""
        version, digest = int.from_bytes(receipt.leaf[16:24]), receipt.leaf[24:]
        match = f"matches/{ids.text_id(self.kept.match or receipt.leaf[:16])}"
        try:
            check_receipt(receipt, match, match_pb2.Head(version=version, digest=digest), self._keys)
        except ValueError as error:
            raise diverged(match, version, str(error)) from None
        self._append(replay_pb2.Export(receipts=[receipt]))

    def add_refusal(self, refusal: match_pb2.SignedRefusal) -> None:
        """A signed refusal."""
        self._append(replay_pb2.Export(refusals=[refusal]))

    def add_secret(self, seat: int, secret: bytes) -> None:
        """The secret of one's contribution, as `Client.join` gives it."""
        self._append(replay_pb2.Export(secrets=[replay_pb2.Secret(seat=seat, secret=secret)]))

    def _append(self, piece: replay_pb2.Export) -> None:
        with self.path.open("ab") as file:
            file.write(piece.SerializeToString(deterministic=True))
        self.kept.MergeFrom(piece)

    def _read(self) -> replay_pb2.Export:
        if not self.path.exists():
            return replay_pb2.Export()
        data = self.path.read_bytes()
        whole = data[: _end_of_whole_fields(data)]
        if whole != data:
            self.path.write_bytes(whole)
        return replay_pb2.Export.FromString(whole)


def _end_of_whole_fields(data: bytes) -> int:
    """Where the last field ends that was written to its end: fields are varints, or have a length before them."""
    end = at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        length, at = _varint(data, at)
        at += length if tag & 7 == 2 else 0
        if at <= len(data):
            end = at
    return end


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that begins here, and where it ends: beyond the data for one that is cut off."""
    value = shift = 0
    while at < len(data):
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not data[at - 1] & 0x80:
            return value, at
    return value, len(data) + 1


def _key(key: game_pb2.GetPlatformResponse.PublicKey) -> replay_pb2.PlatformKey:
    return replay_pb2.PlatformKey(id=key.id, use=_USES.get(key.use, ""), key=key.key)
