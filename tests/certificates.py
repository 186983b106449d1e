"""Certificates that sign themselves, for a server at 127.0.0.1."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Certificate:
    """The files of a certificate and its key."""

    cert: Path
    key: Path

    @property
    def variables(self) -> dict[str, str]:
        """What a gateway is set to, to show it."""
        return {"ARGOSY_TLS_CERT": str(self.cert), "ARGOSY_TLS_KEY": str(self.key)}


def make_certificate(folder: Path, name: str = "server", *, begins: int = -1, ends: int = 30) -> Certificate:
    """A fresh certificate, valid between these days from now."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])
    builder = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now + timedelta(days=begins))
        .not_valid_after(now + timedelta(days=ends))
        .add_extension(names, critical=False)
    )
    made = Certificate(folder / f"{name}.crt", folder / f"{name}.key")
    made.cert.write_bytes(builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM))
    made.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return made
