"""Pictures and reports from released values."""

from dprules.report.panels import Panel, draw_panels

__all__ = ["Panel", "draw_panels"]
