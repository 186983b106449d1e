"""What keeps a gateway with a certificate from starting, each in one line."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from gateway.tls import read_credentials
from services.kit.startup import CannotStart
from tests.certificates import make_certificate


def test_without_files_there_is_no_tls(tmp_path: Path) -> None:
    assert read_credentials(None, None) is None
    made = make_certificate(tmp_path)
    assert read_credentials(made.cert, made.key) is not None


def test_what_cannot_be_used_is_told_in_one_line(tmp_path: Path) -> None:
    one, other = make_certificate(tmp_path, "one"), make_certificate(tmp_path, "other")
    past, later = make_certificate(tmp_path, "past", begins=-9, ends=-1), make_certificate(tmp_path, "later", begins=1)
    nonsense, locked = tmp_path / "nonsense", tmp_path / "locked.key"
    nonsense.write_text("-----BEGIN NONSENSE-----")
    key = load_pem_private_key(one.key.read_bytes(), None)
    locked.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"word")))
    told = {
        "needs both": (one.cert, None),
        "cannot read ARGOSY_TLS_CERT .*: No such file": (tmp_path / "none", one.key),
        "cannot read ARGOSY_TLS_KEY .*: No such file": (one.cert, tmp_path / "none"),
        "no certificate in PEM form": (nonsense, one.key),
        "no private key in PEM form": (one.cert, nonsense),
        "is encrypted": (one.cert, locked),
        "does not belong to the certificate": (one.cert, other.key),
        "has expired on 20": (past.cert, past.key),
        "is not valid before 20": (later.cert, later.key),
    }
    for text, (cert, secret) in told.items():
        with pytest.raises(CannotStart, match=text) as refused:
            read_credentials(cert, secret)
        assert "\n" not in str(refused.value)
