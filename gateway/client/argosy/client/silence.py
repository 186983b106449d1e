"""The deadline of a stream: how long it may bring nothing."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final

import grpc
from argosy.client.errors import ArgosyError, from_call

SILENCE_S: Final = 45.0
"""A stream that brings nothing for so long, not even a heartbeat, is given up and opened anew."""


async def heard(call: Any, silence_s: float = SILENCE_S) -> AsyncIterator[Any]:
    """The responses of a call that streams them; the call is cancelled when they are not read to the end.

    Raises ArgosyError for its failure, and a passing one when nothing comes for so long. The time in which the reader
    is busy with a response does not count.
    """
    try:
        while True:
            async with asyncio.timeout(silence_s):
                response = await call.read()
            if response is grpc.aio.EOF:
                return
            yield response
    except grpc.aio.AioRpcError as error:
        raise from_call(error) from None
    except TimeoutError:
        raise ArgosyError("the stream is silent", status=grpc.StatusCode.UNAVAILABLE) from None
    finally:
        call.cancel()
