"""The transparency log: results, rulings and keys in an append-only Merkle tree, as static files."""
