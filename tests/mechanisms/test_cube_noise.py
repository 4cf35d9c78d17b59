import sys
from collections import Counter
from fractions import Fraction
from itertools import product
from math import exp, log

import mpmath
import numpy as np
import pytest
from flint import ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Listed, assert_law
from dprules.errors import ParameterError
from dprules.mechanisms import SeededBits, cube_noise

module = sys.modules["dprules.mechanisms.cube_noise"]
ONES = 2**64 - 1
RIGHT = 2**63
LAWS = [
    (Fraction(1, 2**36), 1),
    (Fraction(1, 128), 1),
    (Fraction(1, 128), 22),
    (Fraction(1, 3), 7),
    (3, 2),
    (3, 3),
    (Fraction(50), 10_000),
    (Fraction(1, 12_800), 10_000),
    (2**20, 1),
    (2**20, 2**20),
]


def weight(radius, tilt, dimension):
    """(2R+1)^d e^(-a R), to 300 bits."""
    with mpmath.workprec(300):
        return mpmath.mpf(2 * radius + 1) ** dimension * mpmath.exp(-mpmath.mpf(radius) * mpq(tilt))


def mpq(value):
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


def vectors(tilt, dimension, reach):
    """The law by its definition; what lies beyond the reach is left out."""
    # Shells: (2R+1)^d - (2R-1)^d vectors have the largest coordinate R.
    total = sum(((2 * r + 1) ** dimension - max(0, 2 * r - 1) ** dimension) * exp(-tilt * r) for r in range(400))
    cube = product(range(-reach, reach + 1), repeat=dimension)
    return {k: exp(-tilt * max(map(abs, k))) / total for k in cube}


@pytest.mark.parametrize(("tilt", "dimension", "reach"), [(0.25, 1, 120), (0.8, 2, 40), (2.0, 3, 14), (5.0, 4, 5)])
def test_the_law(tilt, dimension, reach, bits):
    start = np.arange(dimension)
    drawn = Counter(tuple((cube_noise(start, tilt, bits) - start).tolist()) for _ in range(2_000))
    assert_law(list(drawn.elements()), vectors(tilt, dimension, reach))


@pytest.mark.parametrize(("tilt", "dimension"), [(Fraction(1, 128), 22), (Fraction(1, 4), 10_000)])
def test_the_largest_coordinate_of_many(tilt, dimension, bits):
    """Its law is (2M+1)^d - (2M-1)^d times e^(-a M); the coordinates are uniform, and apart from each other."""
    middle = int(dimension / tilt)
    most = range(middle // 4, 2 * middle, 1)
    logs = [dimension * log(2 * m + 1) - m * float(tilt) for m in most]
    highest = max(logs)
    masses = [
        exp(x - highest) * -np.expm1(dimension * log((2 * m - 1) / (2 * m + 1)))
        for x, m in zip(logs, most, strict=True)
    ]
    below = np.cumsum(masses) / sum(masses)
    seen = []
    for _ in range(400):
        noise = cube_noise(np.zeros(dimension, dtype=np.int64), tilt, bits)
        seen.append(float(below[np.abs(noise).max() - most.start]))
        assert abs(np.mean(noise / np.abs(noise).max())) < 6 / np.sqrt(3 * dimension)
        spread = np.mean((noise / np.abs(noise).max()) ** 2)
        assert abs(spread - 1 / 3) < 6 * np.sqrt(4 / 45 / dimension) + 2 / dimension
    assert_law(np.floor(8 * np.array(seen)).clip(0, 7).astype(int).tolist(), dict.fromkeys(range(8), 1 / 8), level=1e-9)


@pytest.mark.parametrize(("tilt", "dimension"), LAWS)
def test_proposals_lie_above_the_law_and_not_far_above(tilt, dimension):
    """Acceptance is a chance: never above 1, and together they are at least one in five."""
    law = module._radius_law(Fraction(tilt), dimension)
    spread = int(np.sqrt(dimension) / float(tilt)) + 2
    steps = sorted({int(s * spread / 40) for s in range(400)})
    chances = {}
    for q in steps:
        for radius in (law.middle + q, law.middle - 1 - q):
            if radius >= 0:
                with mpmath.workprec(300):
                    exact = weight(radius, tilt, dimension) / weight(law.middle, tilt, dimension)
                    exact *= mpmath.exp(mpq(law.slope * q - law.height))
                    assert exact <= 1
                    with ctx.workprec(256):
                        assert abs(mpmath.mpf(law._chance(radius, q).str(50, radius=False)) - exact) < 1e-40
                chances[radius] = float(exact)
    assert max(chances.values()) > 0.99  # the height is no larger than it must be
    assert chances[law.middle] > 0.4


@pytest.mark.parametrize(("tilt", "dimension"), LAWS)
@pytest.mark.parametrize("steps", [0, 1, 5])
@pytest.mark.parametrize("side", [0, RIGHT])
def test_a_word_on_the_border_is_settled_by_more_bits(tilt, dimension, steps, side, monkeypatch):
    law = module._radius_law(Fraction(tilt), dimension)
    radius = law.middle + steps if side else law.middle - 1 - steps
    monkeypatch.setattr(module, "geometric", lambda slope, bits: steps)
    if radius < 0:
        return
    with mpmath.workprec(400):
        chance = weight(radius, tilt, dimension) / weight(law.middle, tilt, dimension)
        chance *= mpmath.exp(mpq(law.slope * steps - law.height))
        digits = int(mpmath.floor(chance * mpmath.mpf(2) ** 128))
    if digits == 2**128:  # certain
        assert law.draw(Listed([side, ONES, ONES])) == radius
        return
    if digits < 2**64:  # next to impossible
        return
    first, second = divmod(digits, 2**64)

    def accepts(*words):
        """The proposal after a refusal goes to the other side, where a word of 0 is always accepted."""
        return law.draw(Listed([side, *words, RIGHT, 0])) == radius

    proposed: list[int] = []
    monkeypatch.setattr(module, "geometric", lambda slope, bits: proposed.pop(0))
    for words, accepted in [
        ((first, 0), second > 0),
        ((first, ONES), False),
        ((first, second, 0), True),
        ((first, second, ONES), False),
    ]:
        proposed[:] = [steps, 0 if radius != law.middle else 1]
        assert accepts(*words) == accepted


def test_a_law_with_half_the_noise_would_be_noticed(bits):
    drawn = [tuple(cube_noise([0, 0], 1.6, bits).tolist()) for _ in range(3_000)]
    with pytest.raises(AssertionError):
        assert_law(drawn, vectors(0.8, 2, 40))


@settings(max_examples=60, deadline=None)
@given(
    st.fractions(Fraction(1, 2**36), 2**20, max_denominator=10**20),
    st.integers(1, 3_000),
    st.integers(0, 2**32),
)
def test_any_tilt_and_any_number_of_sums(tilt, dimension, seed):
    noise = cube_noise(np.zeros(dimension, dtype=np.int64), tilt, SeededBits(seed))
    assert noise.shape == (dimension,)
    assert np.abs(noise).max() <= (dimension + 60 * np.sqrt(dimension) + 60) / tilt


@pytest.mark.parametrize("radius", [0, 1, 2, 3, 4, 127, 128, 2**40])
def test_coordinates_are_uniform(radius, bits):
    drawn = module._uniform(radius, 40_000, bits)
    assert drawn.min() >= -radius
    assert drawn.max() <= radius
    cells = min(2 * radius + 1, 9)
    law = Counter(cells * k // (2 * radius + 1) for k in range(2 * radius + 1)) if radius < 1000 else None
    shares = {c: n / (2 * radius + 1) for c, n in law.items()} if law else dict.fromkeys(range(9), 1 / 9)
    assert_law([cells * (k + radius) // (2 * radius + 1) for k in drawn.tolist()], shares)


def test_shapes_and_dtypes(bits):
    assert cube_noise([[10, 20], [30, 40]], 1000).tolist() == [[10, 20], [30, 40]]
    for dtype in (np.int8, np.uint8, np.int32, np.uint64, ">i8"):
        noisy = cube_noise(np.array([7, 100], dtype=dtype), Fraction(1, 2**20), bits)
        assert noisy.dtype == np.int64
        assert np.abs(noisy).max() > 255


def test_sums_at_the_edge_are_clipped_before_noise():
    extremes = np.array([2**63 - 1, -(2**63), 2**61 + 5, 2**61 - 5])
    assert cube_noise(extremes, 1000).tolist() == [2**61, -(2**61), 2**61, 2**61 - 5]


def test_seeded_noise_repeats_and_secure_noise_does_not():
    sums = np.zeros(20, dtype=np.int64)
    assert cube_noise(sums, 1e-6, SeededBits(3)).tolist() == cube_noise(sums, 1e-6, SeededBits(3)).tolist()
    assert cube_noise(sums, 1e-6).tolist() != cube_noise(sums, 1e-6).tolist()
    assert sums.tolist() == [0] * 20


@pytest.mark.parametrize(
    ("sums", "tilt", "starts"),
    [
        ([1], 0, "tilt must be positive; got 0"),
        ([1], -1.0, "tilt must be positive"),
        ([1], float("nan"), "tilt must be finite"),
        ([1], "2", "tilt must be a number"),
        ([1], Fraction(1, 2**37), "tilt must lie between"),
        ([1], 2**20 + 1, "tilt must lie between"),
        ([], 1, "sums must be integers|sums must have 1"),
        (np.zeros(0, dtype=np.int64), 1, "sums must have 1"),
        (np.zeros(2**20 + 1, dtype=np.int8), 1, "sums must have 1"),
        ([987654321.5], 1, "sums must be integers"),
        ([2**70], 1, "sums must be integers"),
    ],
)
def test_bad_parameters_get_a_sentence(sums, tilt, starts):
    with pytest.raises(ParameterError, match="^(" + starts + ")") as caught:
        cube_noise(sums, tilt)
    assert "987654321" not in str(caught.value)
