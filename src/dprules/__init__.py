"""Differentially private decision lists from tables, and differentially private Winnow from streams."""

from importlib.metadata import version

__version__ = version("dprules")
__all__ = ["__version__"]
