"""The scale of many scores is found where there is signal, and hardly trusted where there is none."""

import numpy as np
import pytest

from dprules.learners.scorecards.groups import Grouped
from dprules.learners.scorecards.odds import MadeUp, doubling_of, fit_scale, points_of_shares
from dprules.schema import Categorical

COLUMNS = [
    Grouped(Categorical(name, ("p", "q", "r")), np.array([0, 1, 2, 2]), np.array([0.5, 0.3, 0.2])) for name in "ab"
]
POINTS = np.array([[0, 0, 0], [12, -6, 3], [-20, 9, 6], [0, 0, 0], [5, 14, -8], [-7, -3, 18]])
MADE_UP = MadeUp.of(COLUMNS, POINTS, np.zeros(3, dtype=np.int64))

EVEN = np.full(3, 1 / 3)


def cells(scale: float, each: float = 4000.0) -> np.ndarray:
    sure = MADE_UP.confidence(1 / (0.1 * scale))
    return np.array([each * sure, each * (1 - sure)])


@pytest.mark.parametrize("scale", [0.5, 1.0, 1.5])
def test_the_scale_that_made_the_cells_is_found(scale):
    found, z = fit_scale(cells(scale), MADE_UP, 0.1, 5.0, EVEN)
    assert found == pytest.approx(scale, rel=0.06)
    assert z > 5


def test_noise_is_hardly_trusted():
    rng = np.random.default_rng(1)
    found = [fit_scale(rng.normal(0, 300, (2, len(MADE_UP.starts) + 1)), MADE_UP, 0.1, 300.0, EVEN) for _ in range(30)]
    assert all(scale == 0.1 for scale, z in found if z < 1)
    assert sum(z < 2 for _, z in found) > 20


def test_a_card_that_is_always_right_is_trusted():
    always = np.stack([np.full(len(MADE_UP.starts) + 1, 300.0), np.zeros(len(MADE_UP.starts) + 1)])
    found, z = fit_scale(always, MADE_UP, 0.1, 10.0, EVEN)
    assert found > 2
    assert z > 10


def test_made_up_records_are_the_same_every_time():
    again = MadeUp.of(COLUMNS, POINTS, np.zeros(3, dtype=np.int64))
    assert (again.scores == MADE_UP.scores).all()


def test_points_of_shares_give_the_shares_back():
    points = points_of_shares([0.5, 0.25, 0.25], 10.0)
    assert points.tolist() == [0, -10, -10]
    assert doubling_of(0.1, 1.0) == pytest.approx(6.93, abs=0.01)


def test_chance_that_moved_scores_is_taken_off():
    """Each record's own class is ahead by what chance did: nothing else is found."""
    rng = np.random.default_rng(6)
    records, moved = 4000, 200.0
    columns = [COLUMNS[0]] * 12
    made_up = MadeUp.of(columns, rng.integers(-20, 21, (36, 3)), np.zeros(3, dtype=np.int64))
    own = made_up.scores - made_up.scores.mean(axis=0)
    spread = ((own - own.mean(axis=1, keepdims=True)) ** 2).mean()
    drawn = made_up.scores[rng.integers(0, len(own), records)].astype(float)
    classes = rng.integers(0, 3, records)
    drawn[np.arange(records), classes] += 1.5 * (moved * spread / records) ** 0.5
    ordered = np.sort(drawn, axis=1)
    cells = np.searchsorted(made_up.starts, np.rint(ordered[:, -1] - ordered[:, -2]), side="right")
    right = drawn.argmax(axis=1) == classes
    counts = np.stack([np.bincount(cells[side], minlength=len(made_up.starts) + 1) for side in (right, ~right)])
    _, plain = fit_scale(counts.astype(float), made_up, 0.02, 2.0, EVEN)
    scale, z = fit_scale(counts.astype(float), made_up, 0.02, 2.0, EVEN, optimism=moved)
    assert plain > 8
    assert abs(z) < 2
    assert scale < 0.4
