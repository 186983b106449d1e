"""The interceptor every call passes: limits, credentials, authorization, in this order of cost."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import grpc

from gateway.authorization import TABLE, Caller, Rule, authorize, enter_call
from gateway.limits import Buckets, Crowd
from gateway.proxies import Proxies
from gateway.revocation import Revocation
from gateway.tokens import Identity, Tokens
from services.kit.errors import Reason, Refused
from services.kit.interceptor import write_all

if TYPE_CHECKING:
    Handler = grpc.RpcMethodHandler[Any, Any]  # generic in the stubs only

Context = grpc.aio.ServicerContext[Any, Any]
_BEARER = "bearer "


@dataclass(frozen=True, slots=True)
class Allowance:
    """What players, API keys and addresses may ask, and how much may go on at once.

    `strangers` are the streams of callers without credentials, which must not take the room of the others.
    """

    players: Buckets
    keys: Buckets
    sign_ins: Buckets
    guesses: Buckets
    calls: Crowd
    streams: Crowd
    strangers: Crowd

    def take(self, caller: Caller | Identity) -> None:
        """Counts one request of this caller; also for the actions on a stream. Refuses RATE_LIMITED.

        The platform's own bots answer what others asked for, which was counted.
        """
        if "bots" in caller.scopes:
            return
        if caller.key is None:
            self.players.take(caller.player)
        else:
            self.keys.take(caller.key)


class Gate(grpc.aio.ServerInterceptor):
    """Lets a call through to its handler, which then finds its caller with `current_caller()`.

    It works when the call is served, not when its handler is looked up: handlers may be kept.
    """

    def __init__(self, tokens: Tokens, allowance: Allowance, proxies: Proxies, revocation: Revocation) -> None:
        self._tokens, self._allowance, self._proxies = tokens, allowance, proxies
        self._revocation = revocation

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable["Handler | None"]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler | None":
        """The handler behind the gate; None for a method that is not served."""
        handler = await continuation(handler_call_details)
        return handler and self._gated(TABLE.get(handler_call_details.method), handler)

    def _gated(self, rule: Rule | None, handler: Any) -> "Handler":
        makers = {
            (False, False): (grpc.unary_unary_rpc_method_handler, self._answering, handler.unary_unary),
            (False, True): (grpc.unary_stream_rpc_method_handler, self._streaming, handler.unary_stream),
            (True, False): (grpc.stream_unary_rpc_method_handler, self._answering, handler.stream_unary),
            (True, True): (grpc.stream_stream_rpc_method_handler, self._streaming, handler.stream_stream),
        }
        make, guard, behavior = makers[handler.request_streaming, handler.response_streaming]
        gated: Handler = make(
            guard(rule, behavior),
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )
        return gated

    def _answering(self, rule: Rule | None, behavior: Any) -> Any:
        async def answer(request: Any, context: Context) -> Any:
            with self._allowance.calls:
                await self._enter(rule, context)
                return await behavior(request, context)

        return answer

    def _streaming(self, rule: Rule | None, behavior: Any) -> Any:
        is_public = rule is not None and rule.is_public
        crowd = self._allowance.strangers if is_public else self._allowance.streams

        async def stream(request: Any, context: Context) -> None:
            with crowd:
                key = await self._enter(rule, context)
                with self._revocation.ending(key):
                    await write_all(behavior(request, context), context)

        return stream

    async def _enter(self, rule: Rule | None, context: Context) -> str | None:
        """The API key of the caller, who may call; None without one."""
        metadata = context.invocation_metadata() or ()
        address = self._proxies.address(context.peer(), metadata)
        if rule is not None and rule.is_public:
            if rule.is_sign_in:
                self._allowance.sign_ins.take(address)
            return None
        identity = await self._tokens.identify(_bearer(metadata))
        authorize(rule, identity)
        self._allowance.take(identity)
        enter_call(Caller(identity.player, identity.scopes, identity.key, identity.expires_at, address))
        return identity.key


def _bearer(metadata: Iterable[tuple[str, Any]]) -> str:
    for key, value in metadata:
        if key == "authorization" and isinstance(value, str) and value[: len(_BEARER)].lower() == _BEARER:
            return value[len(_BEARER) :].strip()
    raise Refused(Reason.ERROR_REASON_UNAUTHENTICATED, "no credentials: send authorization: Bearer TOKEN")
