"""What is taken where nothing is said: in one place, so that a plan is about the fit that follows it."""

from typing import Final

EPSILON: Final = 1.0
DELTA: Final = 1e-6
NEIGHBOURS: Final = "add-remove"
WIDTH: Final = 2
"""Literals in one condition of a list."""
