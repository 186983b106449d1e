"""TLS at the public address: the certificate and its key, checked before anything is served."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import grpc
import structlog
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from services.kit.startup import CannotStart

SOON_DAYS: Final = 14
"""So long before its end a certificate is warned of."""
_log = structlog.get_logger()


def read_credentials(
    certificate: Path | None, key: Path | None, now: datetime | None = None
) -> grpc.ServerCredentials | None:
    """What the server shows its clients; None where neither file is named. They are read once, at the start.

    Raises CannotStart in one line for a file that is missing or cannot be read, for a key that does not belong to the
    certificate, and for a certificate out of its time; one that ends within two weeks is told in the log.
    """
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise CannotStart("TLS needs both ARGOSY_TLS_CERT and ARGOSY_TLS_KEY")
    chain, secret = _read("ARGOSY_TLS_CERT", certificate), _read("ARGOSY_TLS_KEY", key)
    first = _certificate(certificate, chain)
    if _public(_key(key, secret)) != first.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo):
        raise CannotStart(f"the key in ARGOSY_TLS_KEY {key} does not belong to the certificate in {certificate}")
    _check_time(certificate, first, now or datetime.now(UTC))
    return grpc.ssl_server_credentials([(secret, chain)])


def end_time(certificate: Path) -> datetime:
    """When a certificate ends that `read_credentials` takes."""
    return _certificate(certificate, certificate.read_bytes()).not_valid_after_utc


def _read(variable: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CannotStart(f"cannot read {variable} {path}: {error.strerror}") from None


def _certificate(path: Path, chain: bytes) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificates(chain)[0]
    except ValueError:
        raise CannotStart(f"ARGOSY_TLS_CERT {path} holds no certificate in PEM form") from None


def _key(path: Path, secret: bytes) -> PrivateKeyTypes:
    try:
        return load_pem_private_key(secret, None)
    except TypeError:
        raise CannotStart(f"the key in ARGOSY_TLS_KEY {path} is encrypted: it must be readable as it is") from None
    except ValueError:
        raise CannotStart(f"ARGOSY_TLS_KEY {path} holds no private key in PEM form") from None


def _public(key: PrivateKeyTypes) -> bytes:
    return key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _check_time(path: Path, certificate: x509.Certificate, now: datetime) -> None:
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if now < begins:
        raise CannotStart(f"the certificate in {path} is not valid before {begins:%Y-%m-%d %H:%M} UTC")
    if now >= ends:
        raise CannotStart(f"the certificate in {path} has expired on {ends:%Y-%m-%d %H:%M} UTC")
    if (ends - now).days < SOON_DAYS:
        _log.warning("certificate_ends_soon", end_time=ends.isoformat())
