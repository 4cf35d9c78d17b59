"""Winnow stays within its mistake bound."""

import numpy as np
import pytest

from dprules.learners.streams import Winnow
from learners.streams.margins import FEATURES, STREAMS


@pytest.mark.parametrize("name", STREAMS)
def test_winnow_stays_within_its_bound(name):
    stream = STREAMS[name]
    winnow = Winnow(FEATURES + 1, rate=stream.margin)
    for block, labels in stream.blocks(1):
        winnow.learn(block, labels)
    assert winnow.mistakes <= 2 * np.log(2 * (FEATURES + 1)) / stream.margin**2
    assert winnow.mistakes == winnow.updates
