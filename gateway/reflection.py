"""Server reflection that also knows the messages of games, so that tools can read and write them.

`buf curl` speaks version v1 of the protocol, older tools v1alpha; the messages of both are the same on the wire.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import grpc
from google.protobuf import descriptor_pool
from google.protobuf.descriptor import Descriptor, FieldDescriptor, FileDescriptor
from grpc_reflection.v1alpha import reflection, reflection_pb2

from services.kit.host import Register
from services.match.rules import RulesDirectory

T = TypeVar("T")
_VERSIONS = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")


class Pools:
    """The pool of the platform's own protos, then those of the games, newest rules first, as one pool to look into.

    Every lookup raises KeyError for what none of them has.
    """

    def __init__(self, directory: RulesDirectory) -> None:
        self._directory = directory

    def FindFileByName(self, name: str) -> FileDescriptor:  # noqa: N802 - the name of a pool's method
        """The file with this name."""
        return self._first(lambda pool: pool.FindFileByName(name))

    def FindFileContainingSymbol(self, symbol: str) -> FileDescriptor:  # noqa: N802 - the name of a pool's method
        """The file that defines this symbol."""
        return self._first(lambda pool: pool.FindFileContainingSymbol(symbol))

    def FindMessageTypeByName(self, name: str) -> Descriptor:  # noqa: N802 - the name of a pool's method
        """The message with this full name."""
        return self._first(lambda pool: pool.FindMessageTypeByName(name))

    def FindExtensionByNumber(self, extended: Descriptor, number: int) -> FieldDescriptor:  # noqa: N802 - a pool's name
        """The extension of that message with this number, in the message's own pool."""
        return extended.file.pool.FindExtensionByNumber(extended, number)

    def FindAllExtensions(self, extended: Descriptor) -> Sequence[FieldDescriptor]:  # noqa: N802 - a pool's name
        """The extensions of that message in its own pool."""
        return extended.file.pool.FindAllExtensions(extended)

    def _first(self, find: Callable[[descriptor_pool.DescriptorPool], T]) -> T:
        for pool in self._pools():
            try:
                return find(pool)
            except KeyError:
                continue
        raise KeyError

    def _pools(self) -> Iterator[descriptor_pool.DescriptorPool]:
        yield descriptor_pool.Default()
        for entry in self._directory.known():
            yield entry.pool


def reflect(services: Sequence[str], directory: RulesDirectory) -> Register:
    """Registers reflection of these services and of the games in the directory, in both versions."""
    servicer = reflection.aio.ReflectionServicer([*services, *_VERSIONS], pool=Pools(directory))
    handler = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )

    def register(server: grpc.aio.Server) -> None:
        for version in _VERSIONS:
            handlers = grpc.method_handlers_generic_handler(version, {"ServerReflectionInfo": handler})
            server.add_generic_rpc_handlers((handlers,))

    return register
