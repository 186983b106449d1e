"""What an operator should know about a store and a data directory before players do: looked at, never changed."""
