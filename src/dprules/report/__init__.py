"""Pages and pictures from released values."""

from dprules.report.html import render, render_ledger
from dprules.report.ledgers import has_ended, list_shapes, say_end, share_left, show_left
from dprules.report.panels import Panel, draw_panels

__all__ = [
    "Panel",
    "draw_panels",
    "has_ended",
    "list_shapes",
    "render",
    "render_ledger",
    "say_end",
    "share_left",
    "show_left",
]
