import pytest

from dprules.report import Panel, draw_panels

PANELS = [Panel(f"check {i}", [(0.0, 0.5), (1.0, 0.1)], [(0.0, 0.4), (1.0, 0.0)], i % 2 == 0) for i in range(4)]


@pytest.mark.parametrize(("suffix", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_pictures_in_several_formats(suffix, start, tmp_path):
    draw_panels(PANELS, "title", tmp_path / f"p.{suffix}")
    assert (tmp_path / f"p.{suffix}").read_bytes().startswith(start)


def test_no_panels_no_picture(tmp_path):
    draw_panels([], "title", tmp_path / "p.svg")
    assert not list(tmp_path.iterdir())
