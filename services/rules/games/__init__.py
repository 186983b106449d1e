"""One package for each game; nothing outside names any of them."""
