import sys
from dataclasses import replace
from fractions import Fraction
from math import erf, sqrt

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest

from conftest import Listed, assert_law
from dprules.errors import ParameterError
from dprules.mechanisms import SeededBits, gaussian

module = sys.modules["dprules.mechanisms.gaussian"]

SIGMAS = [0.01, Fraction(1, 3), 1, 7.5, 1000, 2**24 + 0.3, Fraction(2**53 + 1, 2**20), 2**40]
ONES = 2**64 - 1


def quantile_rounded(words, sigma):
    """The law by its definition: round(sigma Phi^-1(U)) for the U with these digits, and those that `draw_one` adds."""
    digits = 0
    for word in [*words, *SeededBits(0).words(2).tolist()]:
        digits = digits << 64 | word
    length = 64 * (len(words) + 2)
    with mpmath.workprec(2 * length + 100):
        u = mpmath.mpf(digits) / 2**length
        z = mpmath.sqrt(2) * mpmath.erfinv(2 * u - 1)
        exact = Fraction(sigma)
        return int(mpmath.floor(z * exact.numerator / exact.denominator + mpmath.mpf(1) / 2))


def distribution(x, sigma):
    """Phi(x / sigma), to 200 bits."""
    exact = Fraction(x) / Fraction(sigma)
    with mpmath.workprec(200):
        return mpmath.ncdf(mpmath.mpf(exact.numerator) / exact.denominator)


def border(k, sigma):
    """The word whose numbers lie on both sides of the border between k and k + 1."""
    with mpmath.workprec(200):
        return int(mpmath.floor(distribution(k + Fraction(1, 2), sigma) * 2**64))


def draw_one(words, sigma):
    return int(gaussian(0, sigma, Listed(words, seed=0)))


def law(sigma, reach):
    def below(k):
        return (1 + erf((k + 0.5) / (sigma * sqrt(2)))) / 2

    return {k: below(k) - below(k - 1) for k in range(-reach, reach + 1)}


@pytest.mark.parametrize(("sigma", "reach"), [(0.01, 0), (0.3, 2), (1, 7), (7.5, 60), (1000, 7000)])
def test_the_law(sigma, reach, bits):
    assert_law(gaussian(np.full(200_000, 3), sigma, bits).tolist(), {k + 3: p for k, p in law(sigma, reach).items()})


@pytest.mark.parametrize("sigma", [2**24, 2**40])
def test_wide_noise_is_normal(sigma, bits):
    noise = gaussian(np.zeros(200_000, dtype=np.int64), sigma, bits)
    assert kstest(noise / sigma, "norm").pvalue > 1e-6
    assert abs(np.corrcoef(noise[1:], noise[:-1])[0, 1]) < 6 / sqrt(len(noise))
    # Rounded to integers and not to something coarser: the last digits are uniform.
    assert_law((noise % 16).tolist(), dict.fromkeys(range(16), 1 / 16))


def test_tails_have_their_weight(bits):
    """Beyond 4.2 standard deviations every draw is settled exactly, and there are as many as there should be."""
    sigma = 50
    size = 2_000_000
    noise = np.abs(gaussian(np.zeros(size, dtype=np.int64), sigma, bits))
    for least in (150, 200, 215, 225):
        expected = size * 2 * float(distribution(Fraction(1, 2) - least, sigma))
        assert abs((noise >= least).sum() - expected) < 6 * sqrt(expected)


@pytest.mark.parametrize("sigma", SIGMAS)
def test_every_draw_is_the_quantile_of_its_word(sigma):
    words = SeededBits(5).words(400)
    # One random word in 2^k, for all k: the table ends at 2^47.
    words[::2] >>= (np.arange(200) % 64).astype(np.uint64)
    words[::4] = ~words[::4]
    drawn = gaussian(np.zeros(400, dtype=np.int64), sigma, Listed(words.tolist(), seed=11))
    for word, k in zip(words.tolist(), drawn.tolist(), strict=True):
        with mpmath.workprec(200):
            low, high = mpmath.mpf(word) / 2**64, mpmath.mpf(word + 1) / 2**64
            assert distribution(k - Fraction(1, 2), sigma) < high
            assert low < distribution(k + Fraction(1, 2), sigma)


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, ONES),
    st.one_of(
        st.sampled_from(SIGMAS),
        st.floats(0.01, 2.0**40),
        st.fractions(Fraction(1, 100), 2**40, max_denominator=10**30),
    ),
    st.integers(0, ONES),
)
def test_any_word_and_any_sigma(word, sigma, more):
    assert draw_one([word, more], sigma) == quantile_rounded([word, more], sigma)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([1, 7.5, Fraction(10**6, 7), 2**24, 2**33 + 0.1, 2**40]),
    st.floats(-4.5, 4.5),
    st.integers(0, 18),
    st.sampled_from([-1, 1]),
    st.integers(0, ONES),
)
def test_words_beside_a_border(sigma, z, distance, side, more):
    """The words where doubles are most easily wrong: next to the border of two integers."""
    word = border(round(z * float(sigma)), sigma) + side * 2**distance
    assert draw_one([word % 2**64, more], sigma) == quantile_rounded([word % 2**64, more], sigma)


@pytest.mark.parametrize("sigma", [1, 7.5, 2**24, 2**40])
def test_a_word_on_the_border_is_settled_by_more_bits(sigma):
    for z in (-5, -2, -0.3, 0, 0.4, 1.7, 4.8):
        k = round(z * sigma)
        on = border(k, sigma)
        assert draw_one([on, 0], sigma) == k
        assert draw_one([on, ONES], sigma) == k + 1
        # The next 64 digits of the border, too: still undecided, and settled by the third word.
        with mpmath.workprec(300):
            digits = int(mpmath.floor(distribution(k + Fraction(1, 2), sigma) * mpmath.mpf(2) ** 128))
        assert draw_one([on, digits % 2**64, 0], sigma) == k
        assert draw_one([on, digits % 2**64, ONES], sigma) == k + 1


@pytest.mark.parametrize("sigma", [1, 7.5, 1000, 2**24, 2**40])
def test_far_out(sigma):
    """Up to 38 standard deviations, and the same on both sides."""
    for zeros in (0, 1, 2, 5, 17):
        words = [*[0] * zeros, 2**40 + 12345, 2**63 + 9]
        k = quantile_rounded(words, sigma)
        assert draw_one(words, sigma) == k
        assert draw_one([ONES - word for word in words], sigma) == -k
    assert k < -38 * sigma


def test_the_smallest_sigma_moves_a_sum_only_fifty_standard_deviations_out():
    assert draw_one([0], 0.01) == 0
    assert draw_one([0] * 28, 0.01) == 0
    assert draw_one([0] * 29, 0.01) == -1
    assert draw_one([ONES] * 29, 0.01) == 1


@pytest.mark.parametrize("sigma", [1, 2**24, 2**40])
@pytest.mark.parametrize("word", [0, 1, 2**46, 2**47 - 1, 2**47, 2**47 + 1, 2**48, 2**62, 2**63 - 600, 2**63 - 1])
def test_where_the_table_begins_and_ends(word, sigma):
    for whole in (word, ONES - word, 2**63, 2**63 + 1):
        assert draw_one([whole, 77], sigma) == quantile_rounded([whole, 77], sigma)


def make_table(patch, degree, lowest_octave):
    patch.setattr(module, "_DEGREE", degree)
    patch.setattr(module, "_LOWEST_OCTAVE", lowest_octave)
    return module._tabulate.__wrapped__()


@pytest.mark.parametrize(
    ("degree", "lowest_octave", "tight"),
    [(7, 47, 20), (2, 47, 1.3), (7, 42, 2), (12, 55, 20)],
    ids=["as it is", "the cut-off dominates", "unknown digits dominate", "rounding dominates"],
)
def test_the_table_keeps_its_bound(degree, lowest_octave, tight, monkeypatch):
    """At both ends and within every third segment the double is as near to the quantile as the bound says."""
    table = make_table(monkeypatch, degree, lowest_octave)
    assert module._tabulate().error < 2.0**-47
    largest = 0.0
    for octave in range(lowest_octave, 63):
        length = 2 ** (octave - 5)
        starts = range(2**octave, 2 ** (octave + 1), 3 * length)
        words = [start + place for start in starts for place in (0, length // 3, length - 1 - length // 2**20)]
        with mpmath.workprec(120):
            for word, value in zip(words, table._evaluate(np.array(words, dtype=np.uint64)).tolist(), strict=True):
                # The word is known, the digits after it are not: both ends of what it stands for.
                exact = [mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(end) / 2**63 - 1) for end in (word, word + 1)]
                largest = max(largest, *(float(abs(z - value)) for z in exact))
    assert largest <= table.error
    assert largest > table.error / tight


@pytest.mark.parametrize(("degree", "lowest_octave", "sigma"), [(1, 47, 2**7), (2, 50, 2**14), (3, 42, 2**22)])
def test_a_coarse_table_gives_the_same_noise(degree, lowest_octave, sigma, monkeypatch):
    """Whatever the polynomials are: their bound sends what they leave open to the exact path."""
    sums = np.zeros(100_000, dtype=np.int64)
    fine = gaussian(sums, sigma, SeededBits(8))
    coarse = make_table(monkeypatch, degree, lowest_octave)
    monkeypatch.setattr(module, "_tabulate", lambda: coarse)
    assert (gaussian(sums, sigma, SeededBits(8)) != fine).sum() == 0


def test_the_fast_path_and_the_exact_one_agree(monkeypatch):
    """With an absurd bound every draw is settled exactly; the words say the same."""
    sums = np.arange(3000)
    table = module._tabulate()
    for sigma in SIGMAS:
        fast = gaussian(sums, sigma, SeededBits(9))
        with monkeypatch.context() as patch:
            patch.setattr(module, "_tabulate", lambda: replace(table, error=100.0))
            assert gaussian(sums, sigma, SeededBits(9)).tolist() == fast.tolist()


def test_without_its_bound_the_fast_path_would_be_wrong(monkeypatch):
    """A planted fault: the tests above see it."""
    careless = replace(module._tabulate(), error=0.0)
    monkeypatch.setattr(module, "_tabulate", lambda: careless)
    wrong = 0
    for k in range(-2000, 2000, 100):
        word = border(k * 1000, 2**24)
        wrong += draw_one([word, 0], 2**24) != k * 1000
        wrong += draw_one([word, ONES], 2**24) != k * 1000 + 1
    assert wrong > 10


def test_blocks_do_not_show(monkeypatch):
    sums = np.zeros(70_001, dtype=np.int64)
    whole = gaussian(sums, 2**20, SeededBits(2))
    monkeypatch.setattr(module, "_CHUNK", 997)
    assert gaussian(sums, 2**20, SeededBits(2)).tolist() == whole.tolist()


def test_few_draws_are_settled_slowly(monkeypatch):
    """One in 2^16 for its tail, and a share of about sigma 2^-46 for the borders."""
    settled = []

    def settle(word, sigma, bits):
        settled.append(word)
        return 0

    monkeypatch.setattr(module, "_settle", settle)
    gaussian(np.zeros(1_000_000, dtype=np.int64), 2**24, SeededBits(1))
    assert 5 <= len(settled) <= 70
    settled.clear()
    gaussian(np.zeros(100_000, dtype=np.int64), 2**40, SeededBits(1))
    assert 100 <= len(settled) <= 1_500


def test_shapes_and_dtypes(bits):
    assert gaussian([[10, 20], [30, 40]], 0.01).tolist() == [[10, 20], [30, 40]]
    assert int(gaussian(5, 0.01)) == 5
    assert gaussian(np.zeros((0, 3), dtype=np.int8), 1).shape == (0, 3)
    for dtype in (np.int8, np.uint8, np.int32, np.uint64, ">i8"):
        noisy = gaussian(np.array([7, 100], dtype=dtype), 2**20, bits)
        assert noisy.dtype == np.int64
        assert np.abs(noisy).max() > 255


def test_sums_at_the_edge_are_clipped_before_noise():
    extremes = np.array([2**63 - 1, -(2**63), 2**61 + 5, 2**61 - 5])
    assert gaussian(extremes, 0.01).tolist() == [2**61, -(2**61), 2**61, 2**61 - 5]
    assert gaussian(np.array([2**64 - 1], dtype=np.uint64), 0.01).tolist() == [2**61]


def test_sums_are_left_as_they_were_and_each_gets_its_own_noise(bits):
    sums = np.arange(10)
    assert len(set((gaussian(sums, 2**30, bits) - sums).tolist())) == 10
    assert sums.tolist() == list(range(10))


def test_seeded_noise_repeats_and_secure_noise_does_not():
    sums = np.zeros(20, dtype=np.int64)
    assert gaussian(sums, 1e6, SeededBits(3)).tolist() == gaussian(sums, 1e6, SeededBits(3)).tolist()
    assert gaussian(sums, 1e6).tolist() != gaussian(sums, 1e6).tolist()


@pytest.mark.parametrize(
    ("sums", "sigma", "starts"),
    [
        ([1], 0, "sigma must be positive; got 0"),
        ([1], -1.0, "sigma must be positive; got -1"),
        ([1], float("nan"), "sigma must be finite"),
        ([1], float("inf"), "sigma must be finite"),
        ([1], "2", "sigma must be a number"),
        ([1], True, "sigma must be a number"),
        ([1], [1, 2], "sigma must be a number"),
        ([1], Fraction(99, 10_000), "sigma must lie between 0.01 and 2"),
        ([1], 2**40 + 1, "sigma must lie between 0.01 and 2"),
        ([1.5], 1, "sums must be integers"),
        ([True], 1, "sums must be integers"),
        ([2**70], 1, "sums must be integers"),
        (["x"], 1, "sums must be integers"),
    ],
)
def test_bad_parameters_get_a_sentence(sums, sigma, starts):
    with pytest.raises(ParameterError, match="^" + starts):
        gaussian(sums, sigma)


def test_errors_never_quote_sums():
    with pytest.raises(ParameterError) as caught:
        gaussian([987654321.5], 1)
    assert "987654321" not in str(caught.value)
    assert caught.value.__context__ is None
