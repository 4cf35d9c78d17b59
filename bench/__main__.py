"""Run every benchmark (or those named), write the results and the tables of docs/benchmarks.md.

`--tables` writes the tables again from results that are there, and runs nothing.
"""

import json
import sys
from pathlib import Path

from bench import (
    accounting,
    audit,
    cost,
    dp_ebm,
    growth,
    lists,
    lists_more,
    mechanisms,
    scale,
    scorecard_speed,
    scorecards,
    scorecards_many,
    serving,
    speed,
    start_up,
    stream_command,
    stream_speed,
    streams,
    streams_choice,
    streams_drift,
    streams_lists,
    streams_numeric,
    streams_real,
)
from bench.table import replace_table

BENCHMARKS = {
    module.__name__.rpartition(".")[2]: module
    for module in (
        mechanisms,
        accounting,
        audit,
        speed,
        start_up,
        scale,
        growth,
        cost,
        lists,
        lists_more,
        dp_ebm,
        scorecards,
        scorecards_many,
        scorecard_speed,
        streams,
        streams_lists,
        streams_real,
        streams_numeric,
        streams_drift,
        streams_choice,
        stream_speed,
        stream_command,
        serving,
    )
}
ROOT = Path(__file__).parent


def main(names: list[str]) -> None:
    only_tables = "--tables" in names
    for name in [name for name in names if name != "--tables"] or list(BENCHMARKS):
        benchmark = BENCHMARKS[name]
        kept = ROOT / "results" / f"{name}.json"
        if not only_tables:
            kept.parent.mkdir(exist_ok=True)
            kept.write_text(json.dumps(benchmark.run(), indent=2) + "\n")
        results = json.loads(kept.read_text())
        table = benchmark.table(results)
        print(f"\n{name}\n{table}")
        for page in ("docs/benchmarks.md", "docs/scale.md", "docs/online.md", "docs/audit.md", "README.md"):
            replace_table(ROOT.parent / page, name, table)


if __name__ == "__main__":
    main(sys.argv[1:])
