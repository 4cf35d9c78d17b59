import gzip
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from dprules.errors import DataError
from dprules.tables import files, open_table, read_text_columns
from dprules.tables.files import find_files, open_files


def texts(source: object, *names: str, **options: object) -> list[list[str | None]]:
    with open_table(source, **options) as table:  # type: ignore[arg-type]
        return read_text_columns(table, names)


def write_parquet(path: Path, **columns: object) -> None:
    pyarrow.parquet.write_table(pa.table(columns), path)


def test_a_folder_a_pattern_and_a_file(tmp_path: Path) -> None:
    for name, cell in (("a", "1"), ("b", "2")):
        (tmp_path / f"{name}.csv").write_text(f"x,y\n{cell},z\n")
    assert texts(str(tmp_path), "x") == [["1", "2"]]
    assert texts(tmp_path / "*.csv", "x") == [["1", "2"]]
    assert texts(tmp_path / "b.csv", "y", "x") == [["z"], ["2"]]
    assert find_files(str(tmp_path / "?.csv")) == [tmp_path / "a.csv", tmp_path / "b.csv"]


def test_a_name_with_marks_of_a_pattern_is_a_file_first(tmp_path: Path) -> None:
    (tmp_path / "a[1].csv").write_text("x\n1\n")
    assert texts(tmp_path / "a[1].csv", "x") == [["1"]]


def test_compressed_files_and_tabs(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"x;y\n1;2\n"))
    assert texts(tmp_path, "y") == [["2"]]
    (tmp_path / "a.tsv").write_text("x\ty\n1\t2,3\n")
    assert texts(tmp_path / "a.tsv", "y") == [["2,3"]]


def test_parquet_files_of_one_table_may_differ_in_types(tmp_path: Path) -> None:
    """One file with a missing cell has floats where others have integers: each is read by its own type."""
    write_parquet(tmp_path / "a.parquet", x=[1, 2], y=["u", "v"])
    write_parquet(tmp_path / "b.parquet", y=["w", None], x=[1.0, None])
    assert texts(tmp_path, "x", "y") == [["1", "2", "1.0", None], ["u", "v", "w", None]]
    with open_table(tmp_path) as table:
        assert table.kinds() == {"x": "numeric", "y": "categorical"}
        assert sum(size for size, _ in table.batches([])) == 4


def test_a_csv_file_has_no_types(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,true\n")
    with open_table(tmp_path / "a.csv") as table:
        assert table.kinds() == {"x": "unknown", "y": "unknown"}
        assert not table.assumes_balanced_quotes
    with open_table(tmp_path / "a.csv", multiline=True) as table:
        assert table.assumes_balanced_quotes


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("none.csv", None, "no such file"),
        ("*.nothing", None, "no file matches"),
        ("empty", "folder", "no CSV or Parquet files"),
        ("broken.parquet", b"not parquet", "is not a Parquet file"),
        ("header.csv", "age,m\xe4nnlich\n1,2\n".encode("latin-1"), "header is not UTF-8"),
    ],
)
def test_files_that_cannot_be_read(name: str, content: bytes | str | None, sentence: str, tmp_path: Path) -> None:
    if content == "folder":
        (tmp_path / name).mkdir()
    elif isinstance(content, bytes):
        (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=sentence) as caught, open_table(str(tmp_path / name)):
        pass
    assert caught.value.__cause__ is None


def test_files_of_a_folder_must_have_one_header(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,sex,y\n30,f,no\n")
    (tmp_path / "b.csv").write_text("age,y,sex\n31,yes,m\n")
    with pytest.raises(DataError, match="its header differs"), open_table(str(tmp_path)):
        pass
    (tmp_path / "b.csv").unlink()
    (tmp_path / "d.parquet").write_bytes(b"")
    with pytest.raises(DataError, match="files of several kinds"), open_table(str(tmp_path)):
        pass


def test_parquet_files_of_a_folder_must_have_the_same_columns(tmp_path: Path) -> None:
    write_parquet(tmp_path / "a.parquet", x=[1])
    write_parquet(tmp_path / "b.parquet", y=[1])
    with pytest.raises(DataError, match="its columns differ"), open_table(tmp_path):
        pass


def test_a_database_file_is_no_csv_file(tmp_path: Path) -> None:
    (tmp_path / "stays.duckdb").write_bytes(b"\0" * 100)
    with pytest.raises(DataError, match=r"looks like a database. Write duckdb:///.*and name a table with --table"):
        open_files(str(tmp_path / "stays.duckdb"), None, False)


def test_moments_of_parquet_are_in_utc_whatever_wrote_them(tmp_path: Path) -> None:
    """Parquet has no zones: one that Arrow wrote beside is not known to Spark; INT96 ends after nanoseconds."""
    tokyo = pa.array([datetime(2020, 1, 1, 1)], pa.timestamp("us")).cast(pa.timestamp("us", "Asia/Tokyo"))
    write_parquet(tmp_path / "zone.parquet", d=tokyo)
    assert texts(tmp_path / "zone.parquet", "d") == [["2020-01-01 01:00:00+00:00"]]
    far = pa.table({"d": pa.array([datetime(9999, 12, 31)], pa.timestamp("us"))})
    pyarrow.parquet.write_table(far, tmp_path / "far.parquet", use_deprecated_int96_timestamps=True)
    assert texts(tmp_path / "far.parquet", "d") == [["9999-12-31 00:00:00"]]


def test_texts_that_no_dictionary_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrow's dictionaries end at 2 GiB, and a cell must not stop a fit: what is left is read without them."""
    cells = [f"{place:0>100}" for place in range(300)]
    write_parquet(tmp_path / "t.parquet", long=cells)
    monkeypatch.setattr(files, "_ROWS", 70)

    class Full(pyarrow.parquet.ParquetFile):  # type: ignore[misc]
        def iter_batches(self, **options: object) -> Iterator[pa.RecordBatch]:
            for place, batch in enumerate(super().iter_batches(**options)):
                if place == 2 and pa.types.is_dictionary(batch.column(0).type):
                    raise pa.ArrowCapacityError("array cannot contain more than 2147483646 bytes")
                yield batch

    monkeypatch.setattr(pyarrow.parquet, "ParquetFile", Full)
    with open_table(tmp_path / "t.parquet") as table:
        kinds = [pa.types.is_dictionary(batch["long"].type) for _, batch in table.batches(["long"])]
    assert kinds == [True, True, False, False, False]
    assert texts(tmp_path / "t.parquet", "long") == [cells]
