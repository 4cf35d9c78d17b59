from cli.helpers import assert_refused
from dprules.cli.exits import Exit


def test_a_page_is_written(shell, stays, tmp_path):
    ran = shell("report", stays / "model.json", "-o", tmp_path / "page.html")
    assert (ran.code, ran.out) == (Exit.OK, f"Report: {tmp_path / 'page.html'}\n")
    page = (tmp_path / "page.html").read_text()
    assert "What decides readmitted" in page
    assert "Verified" in page


def test_a_page_is_not_overwritten_unless_it_is_asked_for(shell, stays, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("mine")
    assert_refused(shell("report", stays / "model.json", "-o", page), Exit.FILE)
    assert page.read_text() == "mine"
    assert shell("report", stays / "model.json", "-o", page, "--force").code == Exit.OK
    assert "What decides readmitted" in page.read_text()
