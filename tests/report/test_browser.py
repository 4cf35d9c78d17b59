"""Reports in a real browser: nothing cut off, nothing loaded, readable in light, in dark and on paper."""

import base64
import json
import re
import shutil
from dataclasses import replace

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from dprules.jobs import ScorecardSettings
from dprules.report import render
from dprules.report.plots import CURVE_HEIGHT, SHAPE_HEIGHT
from report.examples import fit_example, make_card, make_card_of_many_classes, make_halfspace, make_long_list

pytestmark = pytest.mark.slow

PHONE, DESK, PAPER = 390, 1200, 680

CUT_OFF = """
const width = document.documentElement.clientWidth;
const shown = [...document.body.querySelectorAll("*")].filter(e => !e.closest("thead") && e.getClientRects().length);
const wide = shown.filter(e => {
  const box = e.getBoundingClientRect();
  return box.right > width + 1 || box.left < -1;
});
const spilt = shown.filter(e => !e.closest("svg") && getComputedStyle(e).display != "inline"
  && e.scrollWidth > e.clientWidth + 1);
return [...wide, ...spilt].map(e => e.outerHTML.slice(0, 200));
"""

OVERLAPPING = """
const cells = [...document.querySelectorAll("td, tbody th")].map(e => {
  const range = document.createRange();
  range.selectNodeContents(e);
  return [e, range.getBoundingClientRect()];
}).filter(([, box]) => box.width && box.height);
const found = [];
for (const row of document.querySelectorAll("tr")) {
  const here = cells.filter(([e]) => e.parentElement === row);
  for (const [a, p] of here) for (const [b, q] of here)
    if (a !== b && p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 1 && q.top < p.bottom - 1)
      found.push(a.innerText + " | " + b.innerText);
}
return found;
"""

LEAST_CONTRAST = """
const parse = text => text.match(/[\\d.]+/g).map(Number);
const light = text => {
  const [r, g, b] = parse(text).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = e => {
  for (; e; e = e.parentElement) {
    const colour = getComputedStyle(e).backgroundColor;
    if ((parse(colour)[3] ?? 1) > 0) return colour;
  }
  return "rgb(255, 255, 255)";
};
const texts = [...document.body.querySelectorAll("*")].filter(
  e => [...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim()));
return Math.min(...texts.map(e => {
  const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}));
"""


@pytest.fixture(scope="module")
def browser():
    chromium, driver_path = (shutil.which(name) for name in ("chromium", "chromedriver"))
    if chromium is None or driver_path is None:
        pytest.skip("needs Chromium: install the packages chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options, Service(driver_path))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Files of reports, by what they are of."""
    folder = tmp_path_factory.mktemp("reports")
    released = fit_example()
    models = {
        "list": released,
        "long": make_long_list(released),
        "halfspace": make_halfspace(released, "n" * 200),
        "card": fit_example(settings=ScorecardSettings("all"), epsilon=5),
        "long card": make_card(released),
        "card of many classes": make_card_of_many_classes(released),
        "card without points": fit_example(rows=20, settings=ScorecardSettings(), epsilon=0.1),
        "risky": replace(released, certificate=replace(released.certificate, epsilon=20.0, delta=0.01)),
        "seeded": fit_example(rows=200, seed=1),
    }
    for name, model in models.items():
        (folder / f"{name}.html").write_text(render(model, f"{'m' * 100} {name}.json"))
    ends = re.sub(r'cx="[0-9.]+%"', 'cx="100%"', (folder / "list.html").read_text())
    (folder / "all right.html").write_text(ends)
    return folder


CARDS = ("card", "long card", "card of many classes", "card without points")
KINDS = ("list", "all right", "long", "halfspace", "risky", "seeded", *CARDS)


def show(browser, path, width, scheme="light", media="screen"):
    """Open a page as a screen of some width shows it, in light or in dark."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    wanted = {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)
    browser.get(path.as_uri())


def requests_of(browser):
    """Return the addresses that were asked for since the last time."""
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_loaded_and_nothing_is_wrong(kind, browser, pages):
    browser.get_log("browser")
    requests_of(browser)
    path = pages / f"{kind}.html"
    show(browser, path, DESK)
    assert browser.get_log("browser") == []
    assert requests_of(browser) == [path.as_uri()]
    assert browser.execute_script("return document.scripts.length") == 0
    assert browser.execute_script("return document.compatMode") == "CSS1Compat"


def test_the_browser_would_have_complained(browser, tmp_path):
    """The checks above can fail."""
    page = tmp_path / "bad.html"
    page.write_text("<!doctype html><script>nothing()</script><img src=gone.png><p style='width: 2000px'>wide")
    show(browser, page, PHONE)
    assert browser.get_log("browser") != []
    assert len(requests_of(browser)) > 1
    assert browser.execute_script(CUT_OFF) != []


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_cut_off(kind, width, browser, pages):
    show(browser, pages / f"{kind}.html", width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.execute_script(CUT_OFF) == []
    assert browser.execute_script(OVERLAPPING) == []


OVERLAPPING_WORDS = """
const found = [];
for (const drawn of document.querySelectorAll("svg")) {
  const words = [...drawn.querySelectorAll("text")].map(e => [e, e.getBoundingClientRect()]);
  for (const [a, p] of words) for (const [b, q] of words)
    if (a !== b && p.left < q.right && q.left < p.right && p.top < q.bottom - 3 && q.top < p.bottom - 3)
      found.push(a.textContent + " | " + b.textContent);
}
return found;
"""


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("kind", ["card", "long card"])
def test_words_of_drawings_do_not_overlap(kind, width, browser, pages):
    show(browser, pages / f"{kind}.html", width)
    assert browser.execute_script("return document.querySelectorAll('svg text').length") > 10
    assert browser.execute_script(OVERLAPPING_WORDS) == []


@pytest.mark.parametrize("kind", ["card", "long card"])
def test_drawings_are_as_high_as_they_were_drawn(kind, browser, pages):
    show(browser, pages / f"{kind}.html", DESK)
    heights = "return [...document.querySelectorAll(arguments[0])].map(e => e.getBoundingClientRect().height)"
    assert set(browser.execute_script(heights, "svg.curve")) == {CURVE_HEIGHT}
    assert set(browser.execute_script(heights, "svg.shape")) == {SHAPE_HEIGHT}


@pytest.mark.parametrize("kind", KINDS)
def test_light_and_dark_can_be_read(kind, browser, pages):
    background = "return getComputedStyle(document.body).backgroundColor"
    found = {}
    for scheme in ("light", "dark"):
        show(browser, pages / f"{kind}.html", DESK, scheme)
        found[scheme] = browser.execute_script(background)
        assert browser.execute_script(LEAST_CONTRAST) >= 4.5  # WCAG AA
    assert found["light"] == "rgb(255, 255, 255)"
    assert found["dark"] != found["light"]


@pytest.mark.parametrize("kind", KINDS)
def test_on_paper(kind, browser, pages):
    """Black on white, also for readers whose screen is dark, and nothing beyond the margins."""
    show(browser, pages / f"{kind}.html", PAPER, "dark", "print")
    assert browser.execute_script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.execute_script(LEAST_CONTRAST) >= 4.5
    assert browser.execute_script(CUT_OFF) == []
    pdf = base64.b64decode(browser.print_page())
    assert pdf.startswith(b"%PDF")
    assert pdf.count(b"/Type /Page\n") >= 2
