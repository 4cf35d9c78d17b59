from dprules.cli.exits import Exit


def test_a_page_is_written(shell, stays, tmp_path):
    ran = shell("report", stays / "model.json", "-o", tmp_path / "page.html")
    assert (ran.code, ran.out) == (Exit.OK, f"Report: {tmp_path / 'page.html'}\n")
    page = (tmp_path / "page.html").read_text()
    assert "What decides readmitted" in page
    assert "Verified" in page
