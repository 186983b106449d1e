"""Decides a recorded history again, out of a file, by the rules installed here.

    python -m services.rules.audit_file [--game NAME=package.NAME] [--rules-digest HEX] < request > response

Request and response are a serialized AuditHistoryRequest and AuditHistoryResponse. Only rules that are installed are
run: the request names them. Exit code 4, and a line on stderr, where they are not here or are other ones.
"""

import argparse
import sys

from argosy.rules.v1 import rules_service_pb2 as pb
from google.protobuf.message import DecodeError

from services.rules.audit import audit
from services.rules.basis import UnreadableBasis
from services.rules.catalogue import load_named
from services.rules.loading import Loaded

NOT_HERE = 4


def find(named: str, version: str, digest: str) -> Loaded:
    """The rules. Raises LookupError where they are not here."""
    try:
        game = load_named(named)
    except (ImportError, TypeError, ValueError):
        raise LookupError(f"the rules of {named[:40]} are not installed") from None
    here = game.module.DESCRIPTION.rules_version
    if here != version:
        raise LookupError(f"rules {version[:40]} are not installed, {here} are")
    if digest and game.rules_digest.hex() != digest:
        raise LookupError(f"other rules are installed as {version[:40]} than those it was played by")
    return game


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="python -m services.rules.audit_file", description=__doc__)
    parser.add_argument("--game", default="", metavar="NAME=package.NAME", help="where the game lies, if elsewhere")
    parser.add_argument("--rules-digest", default="", metavar="HEX", help="refuse other rules than these")
    given, response = parser.parse_args(), pb.AuditHistoryResponse()
    try:
        request = pb.AuditHistoryRequest.FromString(sys.stdin.buffer.read())
        game = find(given.game or request.game, request.rules_version, given.rules_digest)
        audit(game, request, response)
    except LookupError as error:
        sys.stderr.write(f"{error}\n")
        return NOT_HERE
    except UnreadableBasis:
        response.first_difference, response.difference = 1, "no match can have these settings"
    except DecodeError:
        sys.stderr.write("the request cannot be read\n")
        return 2
    sys.stdout.buffer.write(response.SerializeToString())
    return 0


if __name__ == "__main__":
    sys.exit(main())
