"""The 256 partitions of the log, and the names of the keys in them.

All keys of a partition begin with its hash tag, so that one server-side function may touch them on a cluster.
"""

import functools
from dataclasses import dataclass

from services.kit.log import ids

# Searched so that CRC16("p<partition>-<suffix>") mod 16384 is 64 * partition + 32: evenly spaced over a cluster's
# slots. Keys in every store hold them, so they never change.
_SUFFIXES = """
    05lt 06fn 02ha 09kc 029n 013t 05ys 067a 0e9r 0398 02ip 01cj 07n3 0any 05xb 066p 0dc0 02cz 072f 0pt4 03oe 08lg
    04kp 07aj 05lv 06fl 02hc 01by 0603 0h9a 04ja 0jc3 043f 0su4 0cko 0hhm 0ne4 00lf 05yr 06sh 007f 03yt 073s 049i
    0ja4 04hf 00fi 03ls 05lp 06fj 0bxz 04x0 021a 092c 00c8 0fcr 042r 078h 02it 01cn 064w 05ze 010b 0o90 0iik 0bji
    03n6 08m4 076f 04xt 05l4 0kef 01yv 027d 0few 0eom 06hd 0ha6 003b 039x 0aaj 0bkp 0nlg 00e5 0f4p 00p2 0a0e 0j3g
    014l 0oy6 0fdn 0ent 0kj5 05cg 0a1t 07u6 0ahs 07h9 0g3u 01w7 0cmx 05m2 0dim 0gcw 0enk 0fdq 0jcf 04j4 0wt6 002d
    09k4 02h6 0h4n 06y4 0jf7 04oe 0ghl 0dbv 0a3j 0b9p 0120 0g2z 0k5m 05x7 0cmz 05m0 0dio 0gcu 022g 091e 00h5 0nag
    05ov 06el 0bsw 0475 03le 08og 057c 06yq 01kv 02al 06oc 05ey 0bfu 0alo 00h0 0fhz 04th 0j92 06j2 0qhh 0o80 011b
    0ecq 0fik 05nb 06dx 035d 086f 0o5k 01x1 0526 0cvt 05c9 0ccs 0odd 01m6 07iu 04co 0h0o 0c3m 004d 03zv 0glm 0dfw
    0637 0q1m 00h1 0nac 0hah 0cbj 02f5 09e7 03a3 08b1 0aov 0bel 084n 037l 0gmt 0dgn 0gay 01a3 009p 033j 0hys 0czq
    03e5 08f7 06na 0hg3 01jt 1dil 092c 021a 0cq6 055t 035w 086u 0deu 0goo 04hf 0ja4 0c0o 0h3m 02ku 01ao 040s 0b09
    00mp 03gj 07ie 1jce 0oef 01l4 0has 0cbq 093s 020q 0fji 0mik 071s 0a19 0qkj 06i0 00di 03ns 0cq7 055u 0313 0821
    0i6n 0b5l 0any 07n3 0fjl 0min 06ne 0hg7 0447 0bpu 013t 029n 0nbe 00k7
"""

TAGS: tuple[str, ...] = tuple(f"p{number:03d}-{suffix}" for number, suffix in enumerate(_SUFFIXES.split()))
COUNT = len(TAGS)

# Format version and generation of the store; one hash, in the first partition.
STORE_KEY = f"{{{TAGS[0]}}}:store"


@dataclass(frozen=True, slots=True)
class MatchKeys:
    """The keys that concern one match. `text` is its id as they hold it; `history` is also the channel of its news."""

    text: str
    history: str
    feed: str
    frozen: str
    gone: str
    snap: str
    due: str


@functools.lru_cache(maxsize=4096)
def keys_of(match: bytes) -> MatchKeys:
    """The keys of the match with this 16-byte id."""
    text, tag = ids.to_text(match), f"{{{TAGS[partition_of(match)]}}}"
    return MatchKeys(
        text=text,
        history=f"{tag}:match:{text}",
        feed=f"{tag}:feed",
        frozen=f"{tag}:frozen:{text}",
        gone=f"{tag}:gone:{text}",
        snap=f"{tag}:snap:{text}",
        due=f"{tag}:due",
    )


def partition_of(match: bytes) -> int:
    """The first byte of the match's id."""
    return match[0]


def partition_of_key(key: bytes) -> int:
    """The partition that any key's tag, `{p017-...}`, names."""
    return int(key[2:5])


def feed_key(partition: int) -> str:
    """The stream of pointers (`match:version`) to the partition's new entries."""
    return f"{{{TAGS[partition]}}}:feed"


def due_key(partition: int) -> str:
    """The sorted set of the partition's match ids (as text) by deadline in ms."""
    return f"{{{TAGS[partition]}}}:due"


def history_pattern(partition: int) -> str:
    """Matches the history keys of one partition, for SCAN."""
    return f"{{{TAGS[partition]}}}:match:*"
