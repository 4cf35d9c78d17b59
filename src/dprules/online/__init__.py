"""Private learning from streams."""
