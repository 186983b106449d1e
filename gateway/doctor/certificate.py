"""The certificate of the public address, where there is one."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from gateway.doctor.findings import Finding, fault, ok, warning
from gateway.tls import SOON_DAYS, end_time, read_credentials
from services.kit.startup import CannotStart


def look(certificate: Path | None, key: Path | None) -> Iterator[Finding]:
    """What is found about the files; nothing without any."""
    try:
        if read_credentials(certificate, key) is None or certificate is None:
            return
    except CannotStart as reason:
        yield fault("certificate", str(reason), "no gateway starts with it", "mend ARGOSY_TLS_CERT and ARGOSY_TLS_KEY")
        return
    ends = end_time(certificate)
    found = f"valid until {ends:%Y-%m-%d %H:%M} UTC"
    if (ends - datetime.now(UTC)).days < SOON_DAYS:
        yield warning("certificate", found, "no client connects after that", "renew it and restart the gateways")
    else:
        yield ok("certificate", found)
