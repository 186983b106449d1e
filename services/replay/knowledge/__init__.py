"""Who could know what of a match: which values stood in the events and positions that a viewer was sent."""
