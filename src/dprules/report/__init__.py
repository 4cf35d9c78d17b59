"""Pages and pictures from released values."""

from dprules.report.html import render
from dprules.report.panels import Panel, draw_panels

__all__ = ["Panel", "draw_panels", "render"]
