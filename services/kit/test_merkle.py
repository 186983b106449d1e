"""RFC 9162 trees against published vectors, an independent library and the RFC's own recursive definition."""

import hashlib
from collections.abc import Sequence

import pytest
from pymerkle import InmemoryTree, InvalidProof, verify_consistency, verify_inclusion

from services.kit.merkle import EMPTY, Tree, is_consistent, leaf_hash, root_of_inclusion

# The leaves and roots of the reference test data of Certificate Transparency (RFC 6962 and 9162 hash alike).
LEAVES = [bytes.fromhex(h) for h in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657",
                                     "606162636465666768696a6b6c6d6e6f")]  # fmt: skip
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def slow_root(leaves: Sequence[bytes]) -> bytes:
    """RFC 9162, section 2.1.1, as it is written."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return hashlib.sha256(b"\x01" + slow_root(leaves[:k]) + slow_root(leaves[k:])).digest()


def tree_of(leaves: Sequence[bytes]) -> Tree:
    return Tree([leaf_hash(leaf) for leaf in leaves])


def test_published_roots() -> None:
    assert EMPTY.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    tree = tree_of(LEAVES)
    assert [tree.root(size).hex() for size in range(1, 9)] == ROOTS
    assert tree.root(0) == EMPTY


def test_published_proofs() -> None:
    tree = tree_of(LEAVES)
    assert [h.hex() for h in tree.inclusion(5)] == [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]
    assert [h.hex() for h in tree.consistency(6)] == [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 63, 70])
def test_an_independent_library_agrees(size: int) -> None:
    leaves = [bytes([n]) * (n % 5) for n in range(size)]
    ours, theirs = tree_of(leaves), InmemoryTree(algorithm="sha256")
    theirs.append_entries(leaves)
    assert ours.root() == theirs.get_root() == slow_root(leaves)
    for index in range(size):
        path = ours.inclusion(index)
        base, root = theirs.get_leaf(index + 1), theirs.get_root()
        proof = theirs.prove_inclusion(index + 1, size)
        verify_inclusion(base, root, proof)
        with pytest.raises(InvalidProof):
            verify_inclusion(base, bytes(32), proof)
        assert path == _theirs(proof.path, base)
        assert root_of_inclusion(leaves[index], index, size, path) == root


def _theirs(path: Sequence[bytes], base: bytes) -> list[bytes]:
    """Their path also bears the leaf's own hash; without it, it is the RFC's."""
    left = list(path)
    left.remove(base)
    return left


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 31, 32, 33, 63, 70])
def test_an_independent_library_agrees_on_consistency(size: int) -> None:
    leaves = [bytes([n]) * (n % 5) for n in range(size)]
    ours, theirs = tree_of(leaves), InmemoryTree(algorithm="sha256")
    theirs.append_entries(leaves)
    root = theirs.get_root()
    for old in range(1, size + 1):
        proof, old_root = theirs.prove_consistency(old, size), theirs.get_root(old)
        verify_consistency(old_root, root, proof, old, size)
        path = ours.consistency(old)
        assert path == _in_the_rfcs_form(proof.path, proof.subset)
        assert is_consistent(old, old_root, size, root, path)
        with pytest.raises(InvalidProof):
            verify_consistency(bytes(32), root, proof, old, size)


def _in_the_rfcs_form(path: Sequence[bytes], subset: Sequence[int]) -> list[bytes]:
    """Their path splits what follows the old tree into leaves, and bears the old tree's root where that is one hash."""
    first = list(subset).index(1)
    after = path[0]
    for hashed in path[1:first]:
        after = hashlib.sha256(b"\x01" + after + hashed).digest()
    base = [path[first]] if sum(subset) > 1 else []
    return [*base, *([after] if first else []), *path[first + 1 :]]


@pytest.mark.parametrize("size", range(1, 20))
def test_every_consistency_proof_holds_and_no_other(size: int) -> None:
    leaves = [bytes([n]) for n in range(size)]
    tree = tree_of(leaves)
    root = slow_root(leaves)
    for old in range(1, size + 1):
        path, old_root = tree.consistency(old), slow_root(leaves[:old])
        assert is_consistent(old, old_root, size, root, path)
        assert not is_consistent(old, bytes(32), size, root, path)
        assert not is_consistent(old, old_root, size, bytes(32), path)
        assert not is_consistent(old, old_root, size, root, [*path, root])
        for number in range(len(path)):
            bent = [*path[:number], bytes(32), *path[number + 1 :]]
            assert not is_consistent(old, old_root, size, root, bent)
            assert not is_consistent(old, old_root, size, root, path[:number] + path[number + 1 :])


@pytest.mark.parametrize("size", range(1, 20))
def test_an_inclusion_proof_serves_one_leaf_in_one_place(size: int) -> None:
    leaves = [bytes([n]) for n in range(size)]
    tree = tree_of(leaves)
    for index in range(size):
        path = tree.inclusion(index)
        assert root_of_inclusion(b"other", index, size, path) != tree.root()
        for wrong in ([*path, bytes(32)], path[:-1]):
            if len(wrong) == len(path):
                continue
            with pytest.raises(ValueError, match="path is too"):
                root_of_inclusion(leaves[index], index, size, wrong)
    with pytest.raises(IndexError):
        tree.inclusion(size)
