"""Sources of bits for tests, and a yardstick for frequencies."""

import os
import signal
from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from dprules.mechanisms import SeededBits
from dprules.signals import ENDINGS
from dprules.tables import prepare_kernels

pytest_plugins = ["servers"]

os.environ["DPRULES_CACHE"] = ""  # what is tested is computed here, and not by another version

prepare_kernels()  # as every job does; a kernel then refuses types that it does not declare

for _ending in ENDINGS:
    if signal.getsignal(_ending) == signal.SIG_IGN:  # in the background of a shell; commands that are tested inherit it
        signal.signal(_ending, signal.default_int_handler if _ending == signal.SIGINT else signal.SIG_DFL)


def pytest_configure(config):
    if not hasattr(config, "workerinput"):  # once, and not in every process that runs tests
        config.pluginmanager.register(FailuresAtOnce(config))


class FailuresAtOnce:
    """Name what fails when it fails, in one line: a log that is cut at its end would not tell."""

    def __init__(self, config):
        self._config = config

    def pytest_runtest_logreport(self, report):
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            why = str(report.longrepr) if crash is None else crash.message
            terminal = self._config.pluginmanager.get_plugin("terminalreporter")
            terminal.write_line(f"\n{report.nodeid} failed: {' '.join(why[-1000:].split())}")


def pytest_terminal_summary(terminalreporter):
    """List what was skipped because the machine lacks something: a green run may hide it."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = {report.longrepr[2] for report in skipped if isinstance(report.longrepr, tuple)}
    lacking = sorted(reason for reason in reasons if "needs" in reason)
    if lacking:
        terminalreporter.section("skipped for want of a system package")
        for reason in lacking:
            terminalreporter.write_line(reason.removeprefix("Skipped: "))


class Listed:
    """The given words first, then a seeded source."""

    secure = False

    def __init__(self, words, seed=0):
        self._listed = [int(word) for word in words]
        self._rest = SeededBits(seed)

    def words(self, size):
        taken, self._listed = self._listed[:size], self._listed[size:]
        fresh = self._rest.words(size - len(taken))
        return np.concatenate([np.array(taken, dtype=np.uint64), fresh])


@pytest.fixture
def bits():
    return SeededBits(20260101)


def assert_law(samples, law: Mapping[Any, float], level: float = 1e-6) -> None:
    """The frequencies of `samples` fit `law` (chi-square with rare outcomes pooled)."""
    size = len(samples)
    counts: dict[object, int] = {}
    for sample in samples:
        counts[sample] = counts.get(sample, 0) + 1
    impossible = [outcome for outcome in counts if law.get(outcome, 0) <= 0]
    assert not impossible, "an outcome of probability 0 was drawn"
    common = [outcome for outcome, p in law.items() if p * size >= 10]
    statistic = sum((counts.get(o, 0) - law[o] * size) ** 2 / (float(law[o]) * size) for o in common)
    degrees = max(1, len(common) - 1)
    rest = float(1 - sum(law[o] for o in common))
    others = size - sum(counts.get(o, 0) for o in common)
    assert others <= rest * size + 6 * sqrt(rest * size + 1) + 10, "too many rare outcomes"
    assert float(statistic) < chi2.isf(level, degrees + 1), f"chi-square {float(statistic):.1f} on {degrees}"
