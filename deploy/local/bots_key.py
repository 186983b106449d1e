"""The secret that lets the platform's own processes play hosted bots."""

import os
import secrets
from pathlib import Path


def bots_key(data: Path) -> Path:
    """The file with the secret, readable by its owner only; made if it is missing, whole or not at all."""
    path = data / "bots.key"
    if not path.exists():
        draft = path.with_suffix(".draft")
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32) + "\n")
        draft.replace(path)
    return path
