"""Made-up streams have the margin that they say."""

import numpy as np
import pytest
from scipy.optimize import linprog

from bench import stream_examples as examples
from dprules.errors import ParameterError
from learners.streams.margins import FEATURES, STREAMS


@pytest.mark.parametrize("name", STREAMS)
def test_the_margin_is_what_the_stream_says(name):
    """A linear program over the examples finds no less than the stated margin."""
    stream = STREAMS[name]
    rows = []
    for block, labels in list(stream.blocks(3, 400))[:2]:
        for i in range(len(block)):
            totals = np.zeros(FEATURES + 1, dtype=np.int64)
            block.add(np.array([i]), labels, totals)
            rows.append(totals)
    signed = np.array(rows, dtype=float)
    limits = np.hstack([-signed, signed, np.ones((len(signed), 1))])
    weights = 2 * (FEATURES + 1)
    best = linprog(
        np.append(np.zeros(weights), -1),
        A_ub=np.vstack([limits, np.append(np.ones(weights), 0)]),
        b_ub=np.append(np.zeros(len(signed)), 1),
    )
    assert -best.fun >= stream.margin - 1e-9


def test_streams_refuse_what_they_cannot_make():
    with pytest.raises(ParameterError, match="alternations"):
        examples.decision_list(10, 3, 4, 100)
    with pytest.raises(ParameterError, match="relevant must be odd"):
        examples.majority(10, 4, 100)


def test_noise_and_drift_leave_no_margin():
    plain = examples.disjunction(10, 2, 100)
    assert examples.with_noise(plain, 0.1).margin == 0
    drifting = examples.with_drift(plain, every=50)
    assert drifting.margin == 0
    assert sum(len(block) for block, _ in drifting.blocks(0, 30)) == 100
