"""Runs the command line and tells how it ended."""

import sys

import grpc
from argosy.client import ArgosyError, TlsFailed

from gateway.cli.app import app
from services.kit.logs import Level, LogSettings, configure
from services.kit.startup import run

_SILENT = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
"""Without a reason of the platform's own, nothing answered; a connection that is retried may run out of time first."""


def run_command() -> None:
    """Runs the command line: exit code 0, 1 for a check or request that failed, 2 for usage or a start that failed."""
    configure(LogSettings(log_level=Level.WARNING), "argosy")
    try:
        run(app)
    except ArgosyError as error:
        is_unreachable = error.name == "UNSPECIFIED" and error.status in _SILENT
        is_silent = is_unreachable and not isinstance(error, TlsFailed)
        hint = "no platform answers; argosy up starts one, --server names another: " if is_silent else ""
        sys.stderr.write(f"argosy: {hint}{error}\n")
        raise SystemExit(2 if is_unreachable else 1) from None
    except BrokenPipeError:  # whoever read the output has heard enough
        raise SystemExit(1) from None
    except OSError as error:  # a folder or file that was named and cannot be used
        where = f": {error.filename}" if error.filename else ""
        sys.stderr.write(f"argosy: {error.strerror or error}{where}\n")
        raise SystemExit(2) from None
