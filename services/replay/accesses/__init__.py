"""Who read what of the matches: kept in a database of its own, for a time, and shown to those whom it concerns."""
