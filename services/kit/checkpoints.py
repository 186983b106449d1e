"""Signed tree heads of the transparency log, in the text forms of C2SP tlog-checkpoint and signed-note."""

import base64
import hashlib
from dataclasses import dataclass

from services.kit import signatures
from services.kit.keys import SigningKey

_ED25519 = b"\x01"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The tree of the log `origin` had this root when it had `size` leaves."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """What is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


def sign(checkpoint: Checkpoint, key: SigningKey) -> str:
    """The checkpoint as a note with one signature, whose key is named after the log."""
    public = key.private.public_key().public_bytes_raw()
    signature = key.private.sign(checkpoint.text.encode())
    line = base64.b64encode(note_key_id(checkpoint.origin, public) + signature).decode()
    return f"{checkpoint.text}\n— {checkpoint.origin} {line}\n"


def read(note: str) -> Checkpoint:
    """The checkpoint of a note, whoever signed it. Raises ValueError."""
    lines = note.partition("\n\n")[0].split("\n")
    if len(lines) < 3 or not lines[0] or not lines[1].isdecimal() or str(int(lines[1])) != lines[1]:
        raise ValueError("this is no checkpoint")
    root = base64.b64decode(lines[2], validate=True)
    if len(root) != 32 or len(lines) > 3:
        raise ValueError("this is no checkpoint of this log")
    return Checkpoint(lines[0], int(lines[1]), root)


def is_signed(note: str, public: bytes) -> bool:
    """Whether one of the note's signatures is by this key, of 32 bytes, under the log's name."""
    text, _, lines = note.partition("\n\n")
    origin, signed = text.partition("\n")[0], (text + "\n").encode()
    wanted = note_key_id(origin, public)
    for line in lines.splitlines():
        mark, name, encoded, *rest = (*line.split(" "), "", "")
        if mark != "—" or name != origin or any(rest):
            continue
        try:
            data = base64.b64decode(encoded, validate=True)
        except ValueError:
            continue
        if data[:4] == wanted and signatures.is_signed(public, data[4:], signed):
            return True
    return False


def note_key_id(name: str, public: bytes) -> bytes:
    """The four bytes by which a note's signature names its key (C2SP signed-note)."""
    return hashlib.sha256(name.encode() + b"\n" + _ED25519 + public).digest()[:4]


def note_key(name: str, public: bytes) -> str:
    """The key as tools for signed notes take it."""
    identified = note_key_id(name, public).hex()
    return f"{name}+{identified}+{base64.b64encode(_ED25519 + public).decode()}"
