"""Every method of every public service, found by walking the descriptors."""

import base64
import importlib
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import argosy.v1
import grpc
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf.descriptor import MethodDescriptor

from gateway.authorization import TABLE
from gateway.settings import LimitSettings
from gateway.tests.edge_server import Served, bearer, reason_of, serving_edge
from services.kit.log import ids


def _methods() -> Iterator[MethodDescriptor]:
    for folder in argosy.v1.__path__:
        for file in sorted(Path(folder).glob("*_service_pb2.py")):
            module = importlib.import_module(f"argosy.v1.{file.stem}")
            for service in module.DESCRIPTOR.services_by_name.values():
                yield from service.methods


def _path(method: MethodDescriptor) -> str:
    return f"/{method.containing_service.full_name}/{method.name}"


METHODS = list(_methods())
PATHS = [_path(method) for method in METHODS]


def test_every_method_has_a_rule() -> None:
    assert len(PATHS) > 20
    assert [path for path in PATHS if path not in TABLE] == []


def test_every_rule_has_a_method() -> None:
    assert [path for path in TABLE if path.startswith("/argosy.") and path not in PATHS] == []


def test_only_what_says_so_needs_no_authorization() -> None:
    public = {path.rpartition("/")[2] for path, rule in TABLE.items() if rule.is_public and "argosy" in path}
    assert public == {"CreateGuest", "CreateToken", "GetPlatform"}


class _Unreached(grpc.GenericRpcHandler):
    """Whoever gets through the gate gets UNIMPLEMENTED, of any service that the edge does not serve itself."""

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        found = [m for m in METHODS if _path(m) == handler_call_details.method]
        return _unreached(found[0]) if found else None


def _unreached(method: MethodDescriptor) -> Any:
    async def answer(_: object, context: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        await context.abort(grpc.StatusCode.UNIMPLEMENTED)

    async def stream(_: object, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[bytes]:
        await context.abort(grpc.StatusCode.UNIMPLEMENTED)
        yield b""

    if method.server_streaming:
        make = (
            grpc.stream_stream_rpc_method_handler if method.client_streaming else grpc.unary_stream_rpc_method_handler
        )
        return make(stream)
    return grpc.unary_unary_rpc_method_handler(answer)


def _register(server: grpc.aio.Server) -> None:
    server.add_generic_rpc_handlers((_Unreached(),))


async def _call(served: Served, method: MethodDescriptor, metadata: tuple[tuple[str, str], ...]) -> str:
    """How the call of this method with an empty message ends.

    The gRPC library reports an INTERNAL of its own when the server ended the stream while the client was about to write
    to it (grpc/grpc issue 36066): nothing is known about the answer then, and the call is made again.
    """
    for _ in range(20):
        if (outcome := await _call_once(served, method, metadata)) != "INTERNAL" or not method.client_streaming:
            return outcome
    return "INTERNAL"


async def _call_once(served: Served, method: MethodDescriptor, metadata: tuple[tuple[str, str], ...]) -> str:
    serialize, empty = (lambda data: data), b""
    make: Any = {
        (False, False): served.channel.unary_unary,
        (False, True): served.channel.unary_stream,
        (True, False): served.channel.stream_unary,
        (True, True): served.channel.stream_stream,
    }[method.client_streaming, method.server_streaming]
    call = make(_path(method), request_serializer=serialize, response_deserializer=serialize)
    request = iter([empty]) if method.client_streaming else empty
    try:
        running = call(request, metadata=metadata, timeout=60)
        if method.server_streaming:
            async for _ in running:
                pass
        else:
            await running
    except grpc.aio.AioRpcError as error:
        return reason_of(error)
    return "OK"


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    limits = LimitSettings(sign_in_burst=1000)
    async with serving_edge(tmp_path, register=(_register,), limits=limits) as running:
        yield running


def _signed(key: Ed25519PrivateKey, kid: str, expires: int = 2**40, **claims: object) -> str:
    payload = {"iss": "argosy", "sub": ids.to_text(bytes(16)), "scp": "play host audit admin", "exp": expires}
    return jwt.encode(payload | claims, key, algorithm="EdDSA", headers={"kid": kid})


def _bad_tokens(served: Served) -> dict[str, str]:
    own = served.edge.keys.signer("token")
    receipt = served.edge.keys.signer("receipt")
    good, _ = served.edge.tokens.issue(bytes(16), ["play", "host", "audit", "admin"])
    header, payload, signature = good.split(".")
    claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
    altered = base64.urlsafe_b64encode(json.dumps(claims | {"sub": "7" * 26}).encode()).decode().rstrip("=")
    unsigned = base64.urlsafe_b64encode(b'{"alg":"none","kid":"' + own.id.encode() + b'"}').decode().rstrip("=")
    raw = own.private.public_key().public_bytes_raw()
    return {
        "empty": "",
        "garbage": "garbage",
        "altered": f"{header}.{altered}.{signature}",
        "unsigned": f"{unsigned}.{payload}.",
        "foreign key under our id": _signed(Ed25519PrivateKey.generate(), own.id),
        "foreign key": _signed(Ed25519PrivateKey.generate(), "0" * 16),
        "signed by the receipt key": _signed(receipt.private, receipt.id),
        "public key as HMAC secret": jwt.encode({"sub": "x"}, raw, algorithm="HS256", headers={"kid": own.id}),
        "of another issuer": _signed(own.private, own.id, iss="other"),
        "without a player": _signed(own.private, own.id, sub="players/me"),
        "endless": _signed(own.private, own.id, exp=None),
        "unknown API key": f"ak_{'0' * 16}_{'x' * 43}",
        "no API key": "ak_",
        "very long": "x" * 3000,
    }


async def test_nobody_gets_in_with_bad_credentials(served: Served) -> None:
    own = served.edge.keys.signer("token")
    tokens = {what: bearer(token) for what, token in _bad_tokens(served).items()}
    tokens |= {"none": (), "basic": (("authorization", "Basic eDp5"),)}
    tokens["expired"] = bearer(_signed(own.private, own.id, expires=1_000))
    for method in METHODS:
        outcomes = {what: await _call(served, method, metadata) for what, metadata in tokens.items()}
        if TABLE[_path(method)].is_public:
            assert set(outcomes.values()) <= {"OK", "INVALID_REQUEST", "UNAUTHENTICATED"}, method.full_name
            continue
        assert outcomes.pop("expired") == "TOKEN_EXPIRED", method.full_name
        assert set(outcomes.values()) == {"UNAUTHENTICATED"}, f"{method.full_name}: {outcomes}"


async def test_scopes_decide(served: Served) -> None:
    for scope in ("play", "host", "audit", "admin"):
        credentials = bearer(await served.key(scope))
        for method in METHODS:
            rule, outcome = TABLE[_path(method)], await _call(served, method, credentials)
            may = rule.is_public or not rule.scopes or scope in rule.scopes
            assert (outcome != "SCOPE_MISSING") == may, f"{method.full_name} by {scope}: {outcome}"


async def test_a_method_without_a_rule_is_refused_to_everybody(tmp_path: Path) -> None:
    handler: Any = grpc.unary_unary_rpc_method_handler(_never)

    def register(server: grpc.aio.Server) -> None:
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("other.Service", {"Do": handler}),))

    async with serving_edge(tmp_path, register=(register,)) as served:
        call: Any = served.channel.unary_unary("/other.Service/Do")
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            await call(b"", metadata=bearer(await served.key("play", "host", "audit", "admin")), timeout=60)
        assert reason_of(failure.value) == "SCOPE_MISSING"


async def _never(_request: bytes, _context: object) -> bytes:
    return b"reached"
