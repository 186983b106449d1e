"""The platform and the client compute what `vectors.json` says, which was made from CHAIN.md by a program of its own.

The file is for whoever writes a client or a verifier in another language; its `about` says how to read it.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from argosy.client import chain as client
from argosy.client import ids as client_ids
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from services.kit import chain, merkle, signatures
from services.kit.draws import SeededDraws
from services.kit.log import ids, partitions

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "vectors.json").read_text())


def raw(text: str) -> bytes:
    return bytes.fromhex(text)


def raws(texts: Sequence[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


def rows(name: str) -> pytest.MarkDecorator:
    assert VECTORS[name]
    return pytest.mark.parametrize("row", VECTORS[name])


@rows("id_texts")
def test_ids_as_text(row: dict[str, str]) -> None:
    assert ids.to_text(raw(row["id"])) == row["text"]
    assert ids.from_text(row["text"]) == client_ids.raw_id(row["text"]) == raw(row["id"])


@rows("bad_id_texts")
def test_no_other_form_is_an_id(row: str) -> None:
    with pytest.raises(ValueError, match="an id"):
        ids.from_text(row)
    with pytest.raises(ValueError, match="does not end with an id"):
        client_ids.raw_id(row)


@rows("match_ids")
def test_match_ids(row: dict[str, Any]) -> None:
    match = ids.match_id(raw(row["creator"]), row["request_id"].encode())
    assert match == raw(row["match"])
    assert ids.to_text(match) == row["text"]
    assert partitions.partition_of(match) == row["partition"]
    assert partitions.keys_of(match).history.startswith(f"{{p{row['partition']:03d}-")


@rows("tickets")
def test_matches_of_tickets(row: dict[str, Any]) -> None:
    request = ids.tickets_request_id(reversed(raws(row["tickets"])))
    assert request == raw(row["request_id"])
    assert ids.match_id(ids.ZERO, request) == raw(row["match"])


@rows("stored_request_ids")
def test_stored_request_ids(row: dict[str, str]) -> None:
    assert ids.stored_request_id(raw(row["player"]), row["request_id"].encode()) == raw(row["stored"])


@rows("request_digests")
def test_request_digests(row: dict[str, Any]) -> None:
    assert ids.request_digest(row["kind"], raw(row["match"]), *raws(row["body"])) == raw(row["digest"])


@rows("contributions")
def test_contributions(row: dict[str, str]) -> None:
    assert client.contribution(raw(row["secret"])) == raw(row["contribution"])


@rows("seed_commitments")
def test_seed_commitments(row: dict[str, str]) -> None:
    for program in (chain, client):
        assert program.seed_commitment(raw(row["match"]), raw(row["seed"])) == raw(row["commitment"])


@rows("chains")
def test_chains(row: dict[str, Any]) -> None:
    seed, before = raw(row["seed"]), raw(row["digest_0"])
    assert chain.first_digest(raw(row["match"])) == client.first_digest(raw(row["match"])) == before
    for entry in row["entries"]:
        version, public, sealed = entry["version"], raw(entry["public_part"]), raws(entry["sealed_parts"])
        salts, commitments = raws(entry["salts"]), raws(entry["commitments"])
        for program in (chain, client):
            assert [program.salt(seed, version, i) for i in range(len(sealed))] == salts
            assert [program.commitment(s, part) for s, part in zip(salts, sealed, strict=True)] == commitments
        assert chain.commitments(seed, version, sealed) == commitments
        digest = chain.next_digest(before, version, public, commitments)
        assert digest == client.digest(before, version, public, commitments) == raw(entry["digest"])
        before = digest


@rows("fields_h")
def test_the_field_h(row: dict[str, str]) -> None:
    parts = (raw(row["digest"]), raw(row["stored_request_id"]), raw(row["request_digest"]))
    assert chain.field_h(*parts) == raw(row["h"])


@rows("keys")
def test_keys_and_entropies(row: dict[str, Any]) -> None:
    key = chain.match_key(raw(row["seed"]), raws(row["contributions"]))
    assert key == raw(row["key"])
    assert chain.start_entropy(key) == raw(row["start"])
    for number, entropy in row["decisions"].items():
        assert chain.decision_entropy(key, int(number)) == raw(entropy)


@pytest.mark.parametrize("row", VECTORS["draws"], ids=lambda row: row["name"])
def test_draws(row: dict[str, Any]) -> None:
    draws = SeededDraws(raw(row["entropy"]))
    for number, draw in enumerate(row["draws"]):
        label, bound = f"draw {number}", draw["bound"]
        if draw["kind"] == "below":
            assert [draws.below(label, bound)] == draw["result"]
        elif draw["kind"] == "shuffle":
            assert list(draws.shuffle(label, range(bound))) == draw["result"]
        else:
            assert list(draws.sample(label, range(bound), draw["count"])) == draw["result"]
        made = draws.made[-1]
        assert (made.label, made.kind, made.bound, list(made.result)) == (label, draw["kind"], bound, draw["result"])


def test_the_draws_try_what_is_easily_got_wrong() -> None:
    found = {row["name"].partition(":")[0]: row for row in VECTORS["draws"]}
    assert found["rejection"]["words_discarded"] > 0
    assert found["dice, over two blocks"]["words_used"] > 4
    assert any(draw["bound"] == 1 for draw in found["one of one uses no word"]["draws"])


@rows("receipts")
def test_receipts(row: dict[str, Any]) -> None:
    leaves, root = raws(row["leaves"]), raw(row["root"])
    tree = merkle.Tree([merkle.leaf_hash(leaf) for leaf in leaves])
    assert tree.root() == root
    for index, (leaf, path) in enumerate(zip(leaves, map(raws, row["paths"]), strict=True)):
        assert tree.inclusion(index) == path
        assert merkle.root_of_inclusion(leaf, index, len(leaves), path) == root
        assert client.receipt_root(leaf, index, len(leaves), path) == root
    assert hashlib.sha256(raw(row["public_key"])).digest()[:8].hex() == row["key_id"]
    check_signature(row, b"argosy.receipt.v1" + root)


@rows("results")
def test_results(row: dict[str, Any]) -> None:
    hashed = hashlib.sha256(raw(row["summary"])).digest()
    check_signature(row, b"argosy.result.v1" + hashed)


@rows("log_leaves")
def test_log_leaves(row: dict[str, Any]) -> None:
    assert signatures.leaf(row["context"].encode(), raw(row["object"])) == raw(row["leaf"])


def check_signature(row: dict[str, Any], message: bytes) -> None:
    private = Ed25519PrivateKey.from_private_bytes(raw(row["private_key"]))
    assert private.sign(message) == raw(row["signature"])
    Ed25519PublicKey.from_public_bytes(raw(row["public_key"])).verify(raw(row["signature"]), message)
