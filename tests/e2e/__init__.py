"""Programs as their users run them."""
