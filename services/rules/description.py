"""What the rules host says about a game, and the files that it lets clients read."""

import hashlib
from collections.abc import Iterator
from importlib import resources

from argosy.rules.v1 import rules_service_pb2 as pb
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from services.rules.loading import Loaded

CODECS = ("settings", "action", "event", "position")


def describe(game: Loaded) -> pb.Game:
    """The game as DescribeGames gives it. Raises OSError for an asset that is not there."""
    said = game.module.DESCRIPTION
    message = pb.Game(
        id=said.id,
        rules_version=said.rules_version,
        rules_digest=game.rules_digest,
        min_seats=said.min_seats,
        max_seats=said.max_seats,
        default_seats=said.default_seats,
        cooperative=said.is_cooperative,
        hidden_information=said.has_hidden_information,
        default_settings=game.settings.to_bytes(game.module.DEFAULTS),
        bot_policies=said.bots,
        typical_entries=said.typical_entries,
        assets=[_asset(game, name) for name in said.assets],
    )
    for codec in CODECS:
        setattr(message, f"{codec}_type", getattr(game, codec).message.DESCRIPTOR.full_name)
    for language in sorted(said.title, key=lambda tag: (tag != "en", tag)):
        message.titles.add(language=language, text=said.title[language])
    for settings, seats in game.module.SAMPLES:
        message.samples.add(settings=game.settings.to_bytes(settings), seats=seats)
    for code, explanation in said.refusals.items():
        message.refusal_codes.add(code=code, explanation=explanation)
    message.descriptors.file.extend(_files(game))
    return message


def read_asset(game: Loaded, name: str) -> tuple[bytes, str]:
    """Content and media type of an asset that the game names. Raises KeyError for any other name."""
    media_type = game.module.DESCRIPTION.assets[name]
    folder = resources.files(f"{game.package}.{game.id}")
    return (folder / "data" / name).read_bytes(), media_type


def _asset(game: Loaded, name: str) -> pb.Game.Asset:
    content, media_type = read_asset(game, name)
    digest = hashlib.sha256(content).digest()
    return pb.Game.Asset(name=name, media_type=media_type, digest=digest, size=len(content))


def _files(game: Loaded) -> list[FileDescriptorProto]:
    """The files of the game's messages and what they import, dependencies first."""
    found: dict[str, FileDescriptorProto] = {}
    for codec in CODECS:
        for file in _with_dependencies(getattr(game, codec).message.DESCRIPTOR.file):
            if file.name not in found:
                file.CopyToProto(found.setdefault(file.name, FileDescriptorProto()))
    return list(found.values())


def _with_dependencies(file: FileDescriptor) -> Iterator[FileDescriptor]:
    for dependency in file.dependencies:
        yield from _with_dependencies(dependency)
    yield file
