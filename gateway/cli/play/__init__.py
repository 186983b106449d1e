"""`argosy play`: a person at a terminal takes a seat."""
