"""Lists as Markdown tables: nothing in a name can become markup."""

from dprules.models import Rule, RuleList
from dprules.models.export import markdown
from dprules.schema import Categorical, literals_of

VALUE = Categorical("a|b", ("<script>", "x & y", "line\nend"))


def test_a_list_is_a_table():
    rules = RuleList((Rule((literals_of(VALUE)[1],), "no"),), "yes", ("no", "yes"))
    assert rules.to_markdown().splitlines() == [
        "|  | if | then |",
        "| --- | --- | --- |",
        "| 1 | a\\|b = x &amp; y | no |",
        "| 2 | otherwise | yes |",
    ]


def test_counts_have_a_column():
    rules = RuleList((), "yes", ("no", "yes")).with_counts([[1, 3]])
    assert "| 1 | otherwise | yes | about 100.0% of records, 75% right |" in rules.to_markdown()


def test_markup_is_escaped():
    text = markdown.write_list(["<b> | \n"], ["&"], None)
    assert text.splitlines()[2:] == ["| 1 | &lt;b&gt; \\|   | &amp; |"]
