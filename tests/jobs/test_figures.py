"""Figures say what noise may have done to them."""

import numpy as np
import pytest

from dprules.jobs.figures import TOO_FEW, Figure, Noise, count_interval, share_interval, simultaneous_bounds
from dprules.mechanisms import SeededBits, noisy_counts


def test_how_figures_are_printed_and_written():
    assert str(Figure(1234, 1200, 1300)) == "1,234 (1,200 to 1,300)"
    assert str(Figure(0.5)) == "0.500"
    assert str(Figure(None, 0, 12, TOO_FEW)) == "too few to tell (at most 12)"
    assert Figure(0.5, 0.4, 0.6).document() == {"value": 0.5, "low": 0.4, "high": 0.6}
    assert Figure(None, unknown="never predicted").document()["unknown"] == "never predicted"


@pytest.mark.parametrize("tilt", [0.01, 0.5, 3])
def test_the_law_is_that_of_the_mechanism(tilt):
    drawn = noisy_counts(np.zeros(20_000, dtype=np.int64), tilt, SeededBits(1))
    noise = Noise(tilt)
    assert drawn.std() == pytest.approx(noise.deviation, rel=0.03)
    simulated = noise.simulate(np.zeros(5), lambda counts: {"same": counts})["same"]
    assert simulated.std() == pytest.approx(noise.deviation, rel=0.05)
    assert simulated.mean() == pytest.approx(0, abs=0.05 * noise.deviation)
    assert (simulated == np.round(simulated)).all()


def test_noise_alone_is_below_three_deviations():
    noise = Noise(1.0)
    drawn = noisy_counts(np.zeros((5_000, 4), dtype=np.int64), 1.0, SeededBits(2)).sum(1)
    assert np.mean([noise.could_make(total, 4) for total in drawn]) > 0.99
    assert not noise.could_make(100, 4)
    assert not Noise(None).could_make(0, 4)


def test_many_cells_are_drawn_in_blocks():
    sizes = []

    def measure(counts):
        sizes.append(len(counts))
        return {"total": counts.sum(-1)}

    found = Noise(1.0).simulate(np.zeros(40_000), measure)["total"]
    assert len(sizes) > 1
    assert max(sizes) * 40_000 <= 2**21
    assert len(found) == sum(sizes) >= 200
    assert found.std() == pytest.approx(200 * Noise(1.0).deviation, rel=0.2)


def test_undefined_draws_widen_an_interval():
    certain = np.full(1000, 0.5)
    assert share_interval(certain) == (0.5, 0.5)
    certain[:100] = np.nan
    assert share_interval(certain) == (0, 1)
    assert count_interval(np.full(10, -3.0)) == (0, 0)


def test_simultaneous_bounds_are_wider():
    draws = np.random.default_rng(0).normal(size=(4000, 10))
    lows, highs = simultaneous_bounds(draws)
    assert (lows < np.quantile(draws, 0.01, axis=0)).all()
    assert (highs > np.quantile(draws, 0.99, axis=0)).all()
