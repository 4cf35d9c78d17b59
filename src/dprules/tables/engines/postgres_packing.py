"""What PostgreSQL sends of a row: a few bits for each cell that the schema foresees, and any other cell as it is.

The server decides nothing about what a cell means. It says that a cell *is* one of the texts that the schema spells
out, or that a number lies between two declared cuts; whoever reads the rows gets such a text, or such a number, and
reads it like every other cell (`docs/proofs/door.md`). All of SQL's text follows from the schema.
"""

from codecs import lookup
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nextafter

from dprules.schema import Boolean, Categorical, Column, Date, Numeric, PrivateCuts, PrivateDates
from dprules.schema.cells import FALSE_WORDS, LARGEST_NUMBER, TRUE_WORDS
from dprules.schema.grids import cut_grid

_FLOATS = ("real", "double precision")
_INTEGERS = ("smallint", "integer", "bigint")
_BYTES = "bytea"
_MOST_CUTS = 10_000
"""Cuts of a column that are written into a query."""
_MOST_CASES = 24
"""Texts that are compared one after the other; more are looked up in a table of their own."""
_LONGEST = 400_000
"""Bytes of a text that the reader of cells could take: it stops at 100,000 characters."""
_MOST_FIELDS = 1_600
"""Of a query."""
UTF8 = "utf-8"
WORD_BITS = 62
"""Bits of one of the server's integers that are used: shifts must not reach its sign."""


@dataclass(frozen=True, slots=True)
class Foreseen:
    """Cells of a column that the schema foresees.

    Parameters
    ----------
    name : str
        The column.
    cells : tuple
        Stand-ins: what the reader of cells gets for place 1, 2, ...; place 0 is a missing cell.
    expression : str
        SQL for the place; NULL where the cell is none of them, which is then sent as text.
    source : str
        SQL for a table that the expression needs, if any.
    complete : bool
        Whether every cell is foreseen, as every number is.
    """

    name: str
    cells: tuple[object, ...]
    expression: str
    source: str = ""
    complete: bool = False

    @property
    def other(self) -> int:
        """The place of a cell that was not foreseen."""
        return len(self.cells) + 1

    @property
    def bits(self) -> int:
        """Bits of a place."""
        return (len(self.cells) if self.complete else self.other).bit_length()


def quote(name: str) -> str:
    """Return a name of a table or column as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def write_text(text: str) -> str:
    """Return a text of the schema as SQL writes it, whatever is in it."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"E'{escaped}'"


def _column(name: str) -> str:
    """Return SQL for a column, which may be called like one of ours."""
    return f"source.{quote(name)}"


def text_of(name: str, kind: str) -> str:
    """Return SQL for a cell as text; floats by their value and only if they are finite, as in every other source."""
    column = _column(name)
    if kind in _FLOATS:
        finite = f"{column} NOT IN ('NaN', 'Infinity', '-Infinity')"
        return f"CASE WHEN {finite} THEN CAST(CAST({column} AS DOUBLE PRECISION) AS TEXT) END"
    if kind == _BYTES:  # as they are: the reader of cells takes them for UTF-8, as in every other source
        return f"CASE WHEN octet_length({column}) <= {_LONGEST} THEN {column} END"
    text = f"CAST({column} AS TEXT)"
    if kind in (*_INTEGERS, "boolean", "date"):
        return text
    # What is so long is read as missing; as a part of a row it could be more than the server can send. No text is made
    # of what is stored in more bytes: the server stops at a text of 1 GB, which a document or a list may have.
    short = f"CASE WHEN octet_length({text}) <= {_LONGEST} THEN {text} END"
    return f"CASE WHEN pg_column_size({column}) <= {_LONGEST} THEN {short} END"


def find_codec(encoding: str) -> str | None:
    """Return Python's name for a server's encoding, None if there is none.

    Examples
    --------
    >>> find_codec("UTF8"), find_codec("WIN1252"), find_codec("MULE_INTERNAL"), find_codec("SQL_ASCII")
    ('utf-8', 'cp1252', None, 'utf-8')
    """
    if encoding == "SQL_ASCII":  # bytes of any kind, compared as they are
        return UTF8
    try:
        return lookup(encoding.replace("WIN", "cp")).name
    except LookupError:
        return None


def _can_hold(codec: str, text: str) -> bool:
    """Whether a database can hold a text at all: otherwise it must not be asked for it."""
    try:
        text.encode(codec)
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def foresee(column: Column | None, name: str, kind: str, number: int, codec: str = UTF8) -> Foreseen | None:
    """Return which cells of a column can be foreseen; None: all are sent as text.

    Parameters
    ----------
    column : Column or None
        What reads the cells.
    name, kind : str
        The column in the database, and its type there.
    number : int
        Of the column in the query.
    codec : str
        Of the database.
    """
    if kind == _BYTES:
        return None
    if isinstance(column, Categorical):
        texts = tuple(text for text in column.forms if _can_hold(codec, text))
        return _foresee_texts(name, kind, texts, number) if texts else None
    if isinstance(column, Boolean):
        return _foresee_texts(name, kind, (*TRUE_WORDS, *FALSE_WORDS), number)
    if kind not in (*_FLOATS, *_INTEGERS) or isinstance(column, Date | PrivateDates):
        return None
    if isinstance(column, Numeric):
        return _foresee_numbers(name, column.cuts)
    if isinstance(column, PrivateCuts) and len(cut_grid(column)) <= _MOST_CUTS:
        return _foresee_numbers(name, cut_grid(column))
    return None


def _foresee_texts(name: str, kind: str, texts: tuple[str, ...], number: int) -> Foreseen:
    found = f'({text_of(name, kind)}) COLLATE "C"'
    # A float that is not finite has no text, nor has what is too long.
    missing = f"WHEN ({text_of(name, kind)}) IS NULL THEN 0"
    if len(texts) <= _MOST_CASES:
        cases = " ".join(f"WHEN {write_text(text)} THEN {place}" for place, text in enumerate(texts, 1))
        return Foreseen(name, texts, f"CASE {missing} ELSE CASE {found} {cases} END END")
    rows = ", ".join(f"({write_text(text)}, {place})" for place, text in enumerate(texts, 1))
    table = f"known{number}"
    source = f'LEFT JOIN (VALUES {rows}) AS {table}(cell, place) ON {table}.cell COLLATE "C" = {found}'
    return Foreseen(name, texts, f"CASE {missing} ELSE {table}.place END", source)


def _foresee_numbers(name: str, cuts: Sequence[float]) -> Foreseen:
    """A number is known by the last cut that it reaches, which stands for it; below the first, the next number down."""
    stands = (nextafter(cuts[0], -inf) if cuts else 0.0, *cuts)
    value = f"CAST({_column(name)} AS DOUBLE PRECISION)"
    listed = ", ".join(f"'{float(cut)!r}'" for cut in cuts)
    place = f"width_bucket({value}, ARRAY[{listed}]::float8[])" if cuts else "0"
    # Neither infinities nor NaN, which is the largest of all here, are below the bound.
    readable = f"{value} > -{LARGEST_NUMBER!r} AND {value} < {LARGEST_NUMBER!r}"
    return Foreseen(name, stands, f"CASE WHEN {readable} THEN {place} + 1 ELSE 0 END", complete=True)


class Packing:
    """How the cells of a query are put together: public, it follows from the schema and the types of the columns.

    Parameters
    ----------
    types : mapping of str to str
        The type of each column in the database.
    names : sequence of str
        The columns that are wanted.
    columns : sequence of Column
        What reads them.
    codec : str
        Of the database.
    """

    def __init__(
        self, types: dict[str, str], names: Sequence[str], columns: Sequence[Column], codec: str | None = UTF8
    ) -> None:
        readers = {column.name: column for column in columns}
        self.codec = codec or UTF8
        """Of what is sent: the database's own, since some of its bytes may be no text in another."""
        found: dict[str, Foreseen | None] = {}
        room = _MOST_FIELDS - len(names)  # a text that may be another one takes two fields
        for i, name in enumerate(names):
            one = foresee(readers.get(name), name, types[name], i, codec or "ascii")
            room -= one is not None and not one.complete
            found[name] = one if one is None or one.complete or room >= 0 else None
        self.foreseen = tuple(one for one in found.values() if one is not None)
        self.plain = tuple(name for name in names if found[name] is None)
        """Columns that are sent as text."""
        self.words = self._place_words()
        """For each foreseen column its word, and the bits that it is shifted by."""
        self.size = self._count_bytes()
        """Bytes of the places of a row."""
        self._types = types

    def _place_words(self) -> tuple[tuple[int, int], ...]:
        placed = []
        word = used = 0
        for one in self.foreseen:
            if used + one.bits > WORD_BITS:
                word, used = word + 1, 0
            placed.append((word, used))
            used += one.bits
        return tuple(placed)

    def is_float(self, name: str) -> bool:
        """Whether a column holds floats: they are read by their value, and not as the server writes them."""
        return self._types[name] in _FLOATS

    def read_text(self, data: bytes, name: str) -> object:
        """Return a cell that was sent as text; what is no text in the database's own encoding is missing."""
        if not data:
            return None
        if self.is_float(name):
            return float(data)
        if self.codec == UTF8 or self._types[name] == _BYTES:
            return data
        try:
            return data.decode(self.codec)
        except UnicodeDecodeError:
            return None

    def _count_bytes(self) -> int:
        if not self.words:
            return 1
        word, shift = self.words[-1]
        return 8 * word + -(-(shift + self.foreseen[-1].bits) // 8)

    @property
    def most_rows(self) -> int:
        """How many different rows there can be where every cell is foreseen."""
        total = 1
        for one in self.foreseen:
            total *= len(one.cells) + 1
        return total

    def query(self, table: str, grouped: bool) -> str:
        """Return the query: places and, where there are any, the texts that were not foreseen; then plain columns.

        Parameters
        ----------
        table : str
            As SQL writes it.
        grouped : bool
            Whether equal rows are sent once, with their number first.
        """
        every = [i for i, one in enumerate(self.foreseen) if not one.complete]
        texts = {i: f"'{i}:' || coalesce(encode(textsend(t{i}), 'hex'), '') || ';'" for i in every}
        others = " || ".join(f"CASE WHEN p{i} IS NULL THEN {texts[i]} ELSE '' END" for i in every) or "''"
        anyone = " OR ".join(f"p{i} IS NULL" for i in every) or "false"
        packed = f"{self._places()} || CASE WHEN {anyone} THEN textsend({others}) ELSE ''::bytea END"
        plain = [f"x{i}" if self._types[name] == _BYTES else f"textsend(x{i})" for i, name in enumerate(self.plain)]
        joined = " ".join([f"{table} AS source", *(one.source for one in self.foreseen)])
        inner = f"SELECT {self._inner()} FROM {joined} OFFSET 0"
        fields = ", ".join([f"{packed} AS places", *plain])
        if not grouped:
            return f"SELECT {fields} FROM ({inner}) AS cells"
        return f"SELECT places, count(*) FROM (SELECT {fields} FROM ({inner}) AS cells) AS packed GROUP BY places"

    def _inner(self) -> str:
        """The place and the text of each cell; OFFSET 0 keeps the server from working them out twice."""
        asked = [f"{one.expression} AS p{i}" for i, one in enumerate(self.foreseen)]
        texts = [(i, one.name) for i, one in enumerate(self.foreseen) if not one.complete]
        asked += [f"{text_of(name, self._types[name])} AS t{i}" for i, name in texts]
        asked += [f"{text_of(name, self._types[name])} AS x{i}" for i, name in enumerate(self.plain)]
        return ", ".join(asked) or "1"

    def _places(self) -> str:
        """The bytes of all places: whole words, and of the last one as many bytes as it fills."""
        terms: list[list[str]] = [[] for _ in range(-(-self.size // 8))]
        for i, (one, (word, shift)) in enumerate(zip(self.foreseen, self.words, strict=True)):
            terms[word].append(f"(coalesce(p{i}, {one.other})::bigint << {shift})")
        *firsts, last = [f"int8send({' | '.join(term) or '0::bigint'})" for term in terms]
        return " || ".join([*firsts, f"substring({last} FROM {1 + -self.size % 8})"])
