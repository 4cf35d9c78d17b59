"""Scorecards on sets that no table reports: `python -m bench.tuning --epsilon 1`, to choose constants on."""

import argparse
import sys
from collections.abc import Sequence

from bench.data import TUNING, load_tuning, split
from bench.measures import MEASURES, means
from bench.scorecards import MODELS, measure_fits


def main(given: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.tuning", description=__doc__)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[0.1, 1.0])
    parser.add_argument("--sets", nargs="+", default=list(TUNING), choices=list(TUNING), metavar="SET")
    parser.add_argument("--models", nargs="+", default=["20 terms", 'terms="all"'], choices=list(MODELS))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--draws", type=int, default=1)
    wanted = parser.parse_args(given)
    print("epsilon, model, set:", *MEASURES, sep="  ")
    for epsilon in wanted.epsilon:
        for model in wanted.models:
            found = []
            for name in wanted.sets:
                table, schema = load_tuning(name)
                parts = [split(table, seed) for seed in range(wanted.splits)]
                found.append(measure_fits(parts, schema, MODELS[model], epsilon, wanted.draws))
                _show(epsilon, model, name, found[-1])
            _show(epsilon, model, "mean", means(found))


def _show(epsilon: float, model: str, name: str, found: dict[str, float]) -> None:
    print(f"{epsilon:g}  {model}  {name:14}", *(f"{found[measure]:.4f}" for measure in MEASURES), sep="  ", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
