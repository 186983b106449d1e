"""`argosy demo`: many matches at once on a platform of its own, then every one of them checked."""
