"""Benchmarks: run with `make bench`. Each compares in one run, as ratios, and writes bench/results/NAME.json."""
