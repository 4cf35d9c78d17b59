"""All that is tried end to end."""

from typing import Final

import pyarrow as pa

from dprules.jobs.end_to_end.commands import Command, Evaluate, Fit, FitAfterCut, FitCard, Learn
from dprules.jobs.end_to_end.files import (
    BORN,
    CLEAR_ROWS,
    ENOUGH_ROWS,
    ODD_EVENTS,
    ODD_LINES,
    OLD_AND_ILL,
    csv_exchanged,
    csv_of_units,
    csv_with,
    events_with,
    events_with_first,
    parquet_exchanged,
    parquet_with,
    write_event,
)
from dprules.jobs.settings import ListSettings, ScorecardSettings

_CARD = ScorecardSettings(terms="all")
_NO_EVENT = b"{}"
_ILL = write_event(60, "yes")
_BEFORE = 11
"""Events after which one more decides most often whether there is a hypothesis."""

_USUAL: Final[tuple[Command, ...]] = (
    Fit("list, one row more", "CSV, one rule and its counts", csv_with(OLD_AND_ILL)),
    Fit("list, one row exchanged", "CSV, neighbours replace", csv_exchanged(), options={"neighbours": "replace"}),
    Fit("list, as it comes", "CSV, all settings left alone", csv_with(OLD_AND_ILL), settings=ListSettings()),
    Fit("list, all rows of one person", "CSV, unit who", csv_of_units(), options={"unit": "who"}),
    Fit("list, one row of Parquet more", "columns of text", parquet_with("60")),
    FitAfterCut("list, a cut file of tilts", "CSV, and a cache that was cut", csv_with(OLD_AND_ILL), epsilon=1.0),
    FitCard("scorecard, one row more", "CSV", csv_with(OLD_AND_ILL, rows=ENOUGH_ROWS), settings=_CARD, epsilon=8.0),
    Evaluate("evaluation, one row more", "CSV, figures of a known model", csv_with(OLD_AND_ILL)),
    Learn("stream, one event exchanged", "JSON lines, segment", events_with(_ILL, _NO_EVENT, _BEFORE)),
    Learn("stream, the first event exchanged", "JSON lines, segment", events_with_first(_ILL, _NO_EVENT, _BEFORE)),
    Learn(
        "stream of lists, one event exchanged",
        "JSON lines, epochs",
        events_with(_ILL, write_event(60, "no"), _BEFORE),
        options={"algorithm": "epochs", "memory": _BEFORE + 1, "watch": 0},
    ),
)
_ODD: Final[tuple[Command, ...]] = (
    *(Fit(f"list, a line with {what}", "CSV", csv_with(line, rows=CLEAR_ROWS)) for what, line in ODD_LINES.items()),
    Fit("list, an odd cell of Parquet", "a text among numbers, in a column of text", parquet_with("60 years")),
    Fit(
        "list, a moment of Parquet beyond all years",
        "milliseconds, one cell 2^62, neighbours replace",
        parquet_exchanged(pa.timestamp("ms"), 1_262_304_000_000, 1_577_836_800_000, 2**62),
        schema=BORN,
        options={"neighbours": "replace"},
    ),
    Fit(
        "list, a decimal of Parquet beyond its precision",
        "four digits, one cell of five, neighbours replace",
        parquet_exchanged(pa.decimal128(4, 1), 200, 600, 30_000),
        options={"neighbours": "replace"},
    ),
    Fit(
        "scorecard, a line with a quote",
        "CSV",
        csv_with(ODD_LINES["an unbalanced quote"], rows=ENOUGH_ROWS),
        settings=_CARD,
        epsilon=8.0,
    ),
    Evaluate("evaluation, a line with a quote", "CSV", csv_with(ODD_LINES["an unbalanced quote"], rows=CLEAR_ROWS)),
    *(
        Learn(f"stream, a line with {what}", "JSON lines, segment", events_with(line, _ILL, _BEFORE))
        for what, line in ODD_EVENTS.items()
    ),
)

COMMANDS: Final = {command.name: command for command in (*_USUAL, *_ODD)}
"""By their names: what users do on files that differ in a usual record, and on files that differ in an odd line."""
