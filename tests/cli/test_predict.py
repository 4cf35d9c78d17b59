import csv
import stat

import duckdb

from cli.helpers import assert_one_sentence, assert_refused
from dprules.cli.exits import Exit


def test_labels_go_to_standard_output_or_to_a_private_file(shell, stays, tmp_path):
    ran = shell("predict", stays / "model.json", stays / "stays.csv", "--keep", "age", "--keep", "ward")
    rows = list(csv.reader(ran.out.splitlines()))
    assert rows[0] == ["age", "ward", "predicted_readmitted"]
    assert len(rows) == 3001
    assert {row[-1] for row in rows[1:]} <= {"yes", "no"}
    shell("predict", stays / "model.json", stays / "stays.csv", "-o", tmp_path / "p.csv")
    assert stat.S_IMODE((tmp_path / "p.csv").stat().st_mode) == 0o600
    assert [line.split(",")[-1] for line in ran.out.splitlines()] == (tmp_path / "p.csv").read_text().splitlines()


def test_a_file_is_overwritten_only_when_asked(shell, stays, tmp_path):
    kept = tmp_path / "kept.csv"
    kept.write_text("by hand")
    code, _, err = shell("predict", stays / "model.json", stays / "stays.csv", "-o", kept)
    assert_one_sentence(code, err, Exit.FILE)
    assert "--force" in err
    assert kept.read_text() == "by hand"
    assert shell("predict", stays / "model.json", stays / "stays.csv", "-o", kept, "--force").code == Exit.OK
    assert kept.read_text().startswith("predicted_readmitted\n")


def test_a_table_without_rows(shell, stays, tmp_path):
    header = (stays / "stays.csv").read_text().splitlines()[0]
    (tmp_path / "empty.csv").write_text(header + "\n")
    assert shell("predict", stays / "model.json", tmp_path / "empty.csv").out == "predicted_readmitted\n"


def test_labels_stay_beside_their_ids(shell, stays, tmp_path):
    """A view has no order of its own: ids and labels must come from one reading."""
    with duckdb.connect(str(tmp_path / "views.db")) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT *, row_number() OVER () AS id FROM '{stays / 'stays.csv'}'")
        connection.execute("CREATE VIEW v AS SELECT * FROM t ORDER BY random()")
    source = ("predict", stays / "model.json", f"duckdb:///{tmp_path / 'views.db'}", "--keep", "id", "--table")
    straight, shuffled = (shell(*source, name).out.splitlines()[1:] for name in ("t", "v"))
    assert straight != shuffled
    assert sorted(straight) == sorted(shuffled)


def test_columns_that_are_not_there(shell, stays, tmp_path):
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    code, _, err = shell("predict", stays / "model.json", tmp_path / "other.csv")
    assert_one_sentence(code, err, Exit.INPUT)
    assert_refused(shell("predict", stays / "model.json", stays / "stays.csv", "--keep", "z"), Exit.INPUT)


def test_lines_without_a_prediction_are_counted(shell, stays, tmp_path):
    """A line that cannot be read has no row in the output: whoever pastes columns together must know."""
    lines = (stays / "stays.csv").read_text().splitlines()[:6]
    (tmp_path / "odd.csv").write_text("\n".join([*lines, '5" pipe', "too,few"]) + "\n")
    ran = shell("predict", stays / "model.json", tmp_path / "odd.csv")
    assert len(ran.out.splitlines()) == 6
    assert "2 lines cannot be read" in ran.err
    assert "pipe" not in ran.err


def test_probabilities_and_scores_stand_beside_the_labels(shell, stays, card):
    for model, titles in ((stays / "model.json", []), (card, ["score"])):
        ran = shell("predict", model, stays / "stays.csv", "--probabilities")
        rows = list(csv.reader(ran.out.splitlines()))
        assert rows[0] == ["predicted_readmitted", "probability_yes", *titles]
        assert len(rows) == 3001
        assert all(0 <= float(row[1]) <= 1 for row in rows[1:])
        assert all((float(row[1]) > 0.5) == (row[0] == "yes") for row in rows[1:])
        assert all(row[2].lstrip("-").isdigit() for row in rows[1:] if titles)


def test_a_list_without_counts_has_no_probabilities(shell, stays, tmp_path):
    model = ("--max-rules", "2", "--reward", "0.5", "-o", tmp_path / "plain.json")
    assert shell("fit", stays / "stays.csv", "--schema", stays / "schema.toml", *model).code == Exit.OK
    ran = shell("predict", tmp_path / "plain.json", stays / "stays.csv", "--probabilities")
    assert_refused(ran, Exit.PARAMETER)
    assert "probabilities need noisy counts" in ran.err
