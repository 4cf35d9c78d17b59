"""Run every benchmark (or those named), write the results and the tables of docs/benchmarks.md."""

import json
import sys
from pathlib import Path

from bench import accounting, lists, lists_more, mechanisms, speed, start_up, stream_speed, streams, streams_real
from bench.table import replace_table

BENCHMARKS = {
    module.__name__.rpartition(".")[2]: module
    for module in (mechanisms, accounting, speed, start_up, lists, lists_more, streams, streams_real, stream_speed)
}
ROOT = Path(__file__).parent


def main(names: list[str]) -> None:
    for name in names or list(BENCHMARKS):
        benchmark = BENCHMARKS[name]
        results = benchmark.run()
        (ROOT / "results").mkdir(exist_ok=True)
        (ROOT / "results" / f"{name}.json").write_text(json.dumps(results, indent=2) + "\n")
        table = benchmark.table(results)
        print(f"\n{name}\n{table}")
        for page in ("docs/benchmarks.md", "README.md"):
            replace_table(ROOT.parent / page, name, table)


if __name__ == "__main__":
    main(sys.argv[1:])
