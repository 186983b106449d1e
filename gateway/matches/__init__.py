"""MatchService: matches as their viewers may see them, and what players do to them."""
