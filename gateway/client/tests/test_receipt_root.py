import hashlib
from typing import Any

import pytest
from argosy.client.chain import receipt_root


def tree(leaves: Any) -> Any:
    """RFC 9162, section 2.1.1: the root, and the inclusion path of each leaf."""
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest(), [[]]
    half = 1 << (len(leaves) - 1).bit_length() - 1
    left, paths = tree(leaves[:half])
    right, more = tree(leaves[half:])
    root = hashlib.sha256(b"\1" + left + right).digest()
    return root, [[*p, right] for p in paths] + [[*p, left] for p in more]


@pytest.mark.parametrize("size", range(1, 14))
def test_every_path_leads_to_the_root(size: Any) -> None:
    leaves = [bytes([i]) for i in range(size)]
    root, paths = tree(leaves)
    for index, path in enumerate(paths):
        assert receipt_root(leaves[index], index, size, path) == root
        if size > 1:
            assert receipt_root(leaves[index - 1], index, size, path) != root
        with pytest.raises(ValueError, match="path is too"):
            receipt_root(leaves[index], index, size, [*path, root])
