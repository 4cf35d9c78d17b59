from html.parser import HTMLParser

from dprules.learners.plan_tables import PlanTable, describe_budget

HOSTILE = '<script>alert(1)</script> & "more"'


class Words(HTMLParser):
    """Collects tags and text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_whatever_is_said_is_escaped():
    reader = Words()
    reader.feed(PlanTable(HOSTILE, [(HOSTILE, "1")], HOSTILE, (HOSTILE, "value")).html())
    assert "script" not in reader.tags
    assert reader.text.count(HOSTILE) == 4
    assert reader.tags.count("th") == reader.tags.count("td") == 2


def test_a_budget_in_words():
    assert describe_budget(0.5, 1e-6, "replace") == "epsilon 0.5, delta 1e-06, replace neighbours"
