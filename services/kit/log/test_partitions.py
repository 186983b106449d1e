import binascii

from services.kit.log import partitions


def slot(key: str) -> int:
    """The cluster slot: CRC16 (XMODEM) of what stands between the first braces."""
    tag = key.split("{", 1)[1].split("}", 1)[0]
    return binascii.crc_hqx(tag.encode(), 0) % 16384


def test_tags_are_evenly_spaced_over_the_slots() -> None:
    assert [slot(partitions.feed_key(p)) for p in range(256)] == [64 * p + 32 for p in range(256)]
    assert partitions.COUNT == 256


def test_tags_name_their_partition() -> None:
    assert all(tag.startswith(f"p{number:03d}-") for number, tag in enumerate(partitions.TAGS))


def test_all_keys_of_a_match_are_in_one_slot() -> None:
    match = bytes([17]) + bytes(15)
    keys = partitions.keys_of(match)
    text = "0h" + "0" * 24
    tag = "{" + partitions.TAGS[17] + "}"
    assert keys.history == f"{tag}:match:{text}"
    assert keys.feed == partitions.feed_key(17)
    assert keys.due == partitions.due_key(17)
    assert {slot(k) for k in (keys.history, keys.feed, keys.frozen, keys.gone, keys.snap, keys.due)} == {64 * 17 + 32}
