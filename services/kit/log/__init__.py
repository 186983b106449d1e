"""The event log: every match a dense, chained history in a Redis stream."""
