"""The rules side: the rules host, the games, and the tools and bots that work on them."""
