"""Ways to run Argosy."""
