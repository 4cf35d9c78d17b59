"""Parquet files on Spark: cells that Spark stops at are read in the form in which they are stored.

Spark stops at a decimal beyond the precision of its column, at a decimal without bytes, and at a moment whose
microseconds need more than 64 bits. So such columns are read as the integers and bytes that the file holds, which no
cell can stop, and expressions that cannot stop make decimals and moments of them; what is out of range is missing
(`docs/proofs/spark.md`). This is done in the plan of a query, wherever it reads Parquet files.
"""

import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from dprules.errors import DataError, PrivacyError
from dprules.tables.engines.spark_plans import find_option, list_scala, list_steps
from dprules.tables.table import call_quietly

_FORMAT = "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat"
_RAW = {"INT32": "integer", "INT64": "long", "BINARY": "binary", "FIXED_LEN_BYTE_ARRAY": "binary"}
"""Spark's types for what a file holds."""
_REBASE = {"datetimeRebaseMode": "datetimeRebaseModeInRead", "int96RebaseMode": "int96RebaseModeInRead"}
"""Options of a reading, and the settings of a session that stand for them: under EXCEPTION an old day stops Spark."""
_MOST_MILLISECONDS = (2**63 - 1) // 1000
_READERS = 8
"""Footers that are read at a time."""


@dataclass(frozen=True, slots=True)
class Stored:
    """How files hold a column, and what that means.

    Parameters
    ----------
    raw : str
        Spark's type for what is stored.
    expression : str
        SQL that makes the cell of it; of a moment its microseconds.
    """

    raw: str
    expression: str


def read_stored(frame: Any, source: str) -> Any:
    """Return a frame of the same rows that no cell of a Parquet file stops.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The query. Of Spark Connect the plan is not known: it is returned as it is.
    source : str
        What it is called.
    """
    query = getattr(frame, "_jdf", None)
    if query is None:
        return frame
    plan = query.queryExecution().analyzed()
    leaves = _Leaves(frame.sparkSession, source)
    for step in list_steps(plan):
        for inner in list_scala(step.subqueries()):
            if any(leaves.replace(leaf) is not None for leaf in list_steps(inner)):
                raise PrivacyError(
                    f"{source}: a query inside an expression reads decimals or times of Parquet files, where one cell "
                    "can stop Spark. Write it as a join."
                )
    changed = leaves.replace_all(plan)
    return frame if changed is None else leaves.make_frame(changed)


class _Leaves:
    """Replaces what reads Parquet files in a plan.

    Parameters
    ----------
    session : SparkSession
        Whose plan it is.
    source : str
        What the query is called.
    """

    def __init__(self, session: Any, source: str) -> None:
        self._session = session
        self._jvm = session._jvm
        self._source = source

    def make_frame(self, plan: Any) -> Any:
        """Return the frame of a plan."""
        from pyspark.sql import DataFrame

        made = self._jvm.org.apache.spark.sql.classic.Dataset.ofRows(self._session._jsparkSession, plan)
        return DataFrame(made, self._session)

    def replace_all(self, step: Any) -> Any:
        """Return a plan with its leaves replaced; None: it stays as it is."""
        replaced = self.replace(step)
        if replaced is not None:
            return replaced
        children = list_scala(step.children())
        changed = [self.replace_all(child) for child in children]
        if all(child is None for child in changed):
            return None
        kept = [old if new is None else new for old, new in zip(children, changed, strict=True)]
        return step.withNewChildren(self._jvm.PythonUtils.toSeq(kept))

    def replace(self, step: Any) -> Any:
        """Return what reads the same cells in the form in which they are stored; None: no cell stops this step."""
        if str(step.nodeName()) != "LogicalRelation" or not _is_parquet(step.relation()):
            return None
        relation = step.relation()
        fields = json.loads(relation.dataSchema().json())
        stored = call_quietly(
            lambda: self._find_stored(relation, fields["fields"]),
            f"{self._source} cannot be read by Spark. Check that the driver can reach its Parquet files.",
        )
        options = self._lenient_options(relation)
        if not stored and options is None:
            return None
        for field in fields["fields"]:
            if field["name"] in stored:
                field["type"] = stored[field["name"]].raw
        plain = self._read_as(relation, fields, options or relation.options())
        return self._under_old_names(list_scala(step.output()), plain, stored)

    def _find_stored(self, relation: Any, fields: Sequence[Mapping[str, Any]]) -> dict[str, Stored]:
        """Return how the files hold the columns that have cells which stop Spark."""
        wanted = {str(field["name"]): field["type"] for field in fields if _can_stop(field["type"])}
        if not wanted:
            return {}
        with ThreadPoolExecutor(_READERS) as pool:
            schemas = list(pool.map(self._read_schema, relation.location().inputFiles()))
        different = {str(schema.toString()): schema for schema in schemas}.values()
        found: dict[str, Stored] = {}
        for name, kind in wanted.items():
            forms = {_describe(schema, name) for schema in different} - {None}
            made = {form: _interpret(name, kind, *form) for form in forms if form is not None}
            if not any(made.values()):
                continue
            if len(made) > 1:
                raise DataError(
                    f"{self._source}: its files store column {name!r} in different ways. Write them with one program."
                )
            found[name] = next(one for one in made.values() if one is not None)
        return found

    def _read_schema(self, address: str) -> Any:
        """Return the footer's schema of a file: names, stored types and what they mean."""
        hadoop = self._session._jsparkSession.sessionState().newHadoopConf()
        path = self._jvm.org.apache.hadoop.fs.Path(self._jvm.java.net.URI(address))
        parquet = self._jvm.org.apache.parquet.hadoop
        reader = parquet.ParquetFileReader.open(parquet.util.HadoopInputFile.fromPath(path, hadoop))
        try:
            return reader.getFooter().getFileMetaData().getSchema()
        finally:
            reader.close()

    def _lenient_options(self, relation: Any) -> Any:
        """Return options under which no old day stops Spark; None: those that are set are such."""
        options = relation.options()
        strict = False
        for option, setting in _REBASE.items():
            mode = find_option(relation, option) or self._session.conf.get(f"spark.sql.parquet.{setting}")
            if str(mode).upper() == "EXCEPTION":
                strict = True
                options = options.removed(option).removed(option.lower()).updated(option, "CORRECTED")
        return options if strict else None

    def _read_as(self, relation: Any, fields: Mapping[str, Any], options: Any) -> Any:
        session = self._session._jsparkSession
        changed = relation.copy(
            relation.location(),
            relation.partitionSchema(),
            session.parseDataType(json.dumps(fields)),
            relation.bucketSpec(),
            relation.fileFormat(),
            options,
            relation.sparkSession(),
        )
        return session.baseRelationToDataFrame(changed)

    def _under_old_names(self, output: Sequence[Any], plain: Any, stored: Mapping[str, Stored]) -> Any:
        """Return a step with the very columns that the rest of the plan refers to."""
        catalyst = self._jvm.org.apache.spark.sql.catalyst
        names = [str(attribute.name()) for attribute in output]
        chosen = [f"{stored[name].expression if name in stored else quote(name)} AS {quote(name)}" for name in names]
        made = plain.selectExpr(self._jvm.PythonUtils.toSeq(chosen)).queryExecution().analyzed()
        aliases = []
        for old, new in zip(output, list_scala(made.output()), strict=True):
            cell = new
            if str(old.name()) in stored and str(old.dataType().simpleString()).startswith("timestamp"):
                cell = catalyst.expressions.PreciseTimestampConversion(new, new.dataType(), old.dataType())
            nothing = self._jvm.scala.Option.empty()
            no_keys = self._jvm.PythonUtils.toSeq([])
            aliases.append(
                catalyst.expressions.Alias(cell, old.name(), old.exprId(), old.qualifier(), nothing, no_keys)
            )
        return catalyst.plans.logical.Project(self._jvm.PythonUtils.toSeq(aliases), made)


def quote(name: str) -> str:
    """Return the name of a column as Spark's SQL writes it."""
    return "`" + name.replace("`", "``") + "`"


def _is_parquet(relation: Any) -> bool:
    """Whether files are read by Spark's own reader of Parquet."""
    return hasattr(relation, "fileFormat") and str(relation.fileFormat().getClass().getName()) == _FORMAT


def _can_stop(kind: object) -> bool:
    return isinstance(kind, str) and kind.startswith(("decimal", "timestamp"))


def _describe(schema: Any, name: str) -> tuple[str, str] | None:
    """Return how a file stores a column, and what that means to it; None: it has no such column, or one with parts."""
    fields = [schema.getFields().get(at) for at in range(schema.getFieldCount())]
    same = [field for field in fields if str(field.getName()) == name]
    alike = same or [field for field in fields if str(field.getName()).casefold() == name.casefold()]
    if len(alike) != 1 or not alike[0].isPrimitive():
        return None
    meaning = alike[0].getLogicalTypeAnnotation()
    return str(alike[0].asPrimitiveType().getPrimitiveTypeName().toString()), str(meaning)


def _interpret(name: str, kind: str, physical: str, meaning: str) -> Stored | None:
    """Return what the stored form of a column means; None: no cell of it stops Spark."""
    raw = _RAW.get(physical)
    cell = quote(name)
    if kind.startswith("timestamp") and meaning.startswith("TIMESTAMP(MILLIS") and raw == "long":
        fits = f"{cell} BETWEEN -{_MOST_MILLISECONDS} AND {_MOST_MILLISECONDS}"
        return Stored(raw, f"CASE WHEN {fits} THEN {cell} * 1000 END")
    if not kind.startswith("decimal") or not meaning.startswith("DECIMAL") or raw is None:
        return None
    scale = int(re.findall(r"\d+", meaning)[1])
    unscaled = write_integer(cell) if raw == "binary" else f"CAST({cell} AS STRING)"
    return Stored(raw, f"try_cast(concat({unscaled}, 'E-{scale}') AS {kind})")


def write_integer(cell: str) -> str:
    """Return SQL for the integer that bytes stand for, as text; NULL where it has more than 38 digits, or no bytes.

    The bytes are a two's complement, the highest first. Of the last 16 bytes four at a time are a number; of a negative
    integer their complements. Bytes before the last 16 say nothing but the sign, or the integer is too large.
    """
    sign = f"CASE WHEN substring({cell}, 1, 1) >= X'80' THEN X'FF' ELSE X'00' END"
    negative = f"substring({cell}, 1, 1) >= X'80'"
    size = f"length({cell})"
    wide = f"lpad({cell}, greatest({size}, 16), {sign})"
    magnitude = "CAST(0 AS DECIMAL(38, 0))"
    for start in (-16, -12, -8, -4):
        piece = f"try_cast(conv(hex(substring({wide}, {start}, 4)), 16, 10) AS DECIMAL(10, 0))"
        digit = f"CASE WHEN {negative} THEN try_subtract(CAST(4294967295 AS DECIMAL(10, 0)), {piece}) ELSE {piece} END"
        magnitude = f"try_add(try_multiply({magnitude}, CAST(4294967296 AS DECIMAL(10, 0))), {digit})"
    integer = f"CASE WHEN {negative} THEN try_subtract(try_multiply({magnitude}, -1), 1) ELSE {magnitude} END"
    rest = f"substring({cell}, 1, {size} - 16)"
    is_padded = f"{size} <= 16 OR {rest} = lpad(X'', {size} - 16, {sign})"
    return f"CASE WHEN {size} BETWEEN 1 AND 32 AND ({is_padded}) THEN CAST({integer} AS STRING) END"
