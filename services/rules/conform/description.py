"""Whether a game describes itself completely."""

import hashlib
import re

from services.rules.conform.report import Findings
from services.rules.conform.subject import Subject

_ID = re.compile(r"[a-z][a-z0-9_]{1,30}")
_VERSION = re.compile(r"\d+\.\d+\.\d+")


async def check_description(subject: Subject, findings: Findings) -> None:
    """What DescribeGames must say about a game."""
    game, expect = subject.game, findings.expect
    expect("described", _ID.fullmatch(game.id), f"the id {game.id!r} is not of the form [a-z][a-z0-9_]{{1,30}}")
    expect("described", _VERSION.fullmatch(game.rules_version), f"rules version {game.rules_version!r}")
    expect("described", len(game.rules_digest) == 32, "the rules digest has not 32 bytes")
    expect("described", game.titles and game.titles[0].language == "en", "the first title is not English")
    ordered = 1 <= game.min_seats <= game.default_seats <= game.max_seats
    expect("described", ordered, f"seats {game.min_seats}, {game.default_seats}, {game.max_seats} are not in order")
    expect("described", game.samples, "there are no samples")
    if game.samples:
        expect("described", game.samples[0].settings == game.default_settings, "the first sample is not the default")
    explained = all(code.code and code.explanation for code in game.refusal_codes)
    expect("described", explained and game.refusal_codes, "refusal codes are not all explained")
    hidden = subject.event.has_seats or subject.position.has_seats
    expect("described", hidden == game.hidden_information, "its messages contradict hidden_information")
    for asset in game.assets:
        read = await subject.read_asset(asset.name)
        ok = (hashlib.sha256(read.content).digest(), len(read.content)) == (asset.digest, asset.size)
        expect("described", ok and read.media_type == asset.media_type, f"asset {asset.name} is not as described")
