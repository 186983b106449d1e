"""Protobuf's wire form, for messages put together from parts that are bytes already.

Serialized fields one after another, in the order of their numbers, are the message; nothing is parsed or copied for it.
"""


def delimited(number: int, payload: bytes) -> bytes:
    """A field, 1 to 15, whose value is a message, a string or bytes; also an empty one."""
    size = len(payload)
    if size < 128:
        return bytes((number << 3 | 2, size)) + payload
    return bytes((number << 3 | 2,)) + varint(size) + payload


def varint(value: int) -> bytes:
    """A number that is not negative."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
