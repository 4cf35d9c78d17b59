"""Exact sampling beside what one would write with floats, and beside OpenDP."""

from typing import Any

import numpy as np
from opendp.domains import atom_domain, vector_domain
from opendp.measurements import make_noisy_max
from opendp.measures import zero_concentrated_divergence
from opendp.metrics import linf_distance
from opendp.mod import enable_features

from bench.table import markdown
from bench.timing import alternately
from dprules.mechanisms import AboveThreshold, bernoulli_exp, draw, gaussian

TILT = 0.05


def run() -> list[dict[str, Any]]:
    enable_features("contrib")
    random = np.random.default_rng(0)
    results = [_against_numpy_draw(random, n) for n in (100_000, 10_000_000)]
    results += [
        _against_numpy_coins(random),
        *(_against_numpy_normal(random, power) for power in (0, 10, 24)),
        *(_against_opendp(random, size) for size in (50, 1)),
        _silent_rounds(random),
    ]
    return results


def _row(what: str, beside: str, ours: float, theirs: float) -> dict[str, Any]:
    return {"what": what, "beside": beside, "ours": ours, "theirs": theirs, "ratio": ours / theirs}


def _against_numpy_draw(random: np.random.Generator, candidates: int) -> dict[str, Any]:
    scores = random.integers(-3000, 0, candidates)

    def softmax_choice() -> object:
        exponents = TILT * scores
        weights = np.exp(exponents - exponents.max())
        return random.choice(candidates, size=50, p=weights / weights.sum())

    ours, theirs = alternately(lambda: draw(scores, TILT, 50), softmax_choice, 21 if candidates < 10**6 else 5)
    return _row(f"draw, {candidates:,} candidates, size 50", "numpy softmax + choice", ours, theirs)


def _against_numpy_coins(random: np.random.Generator) -> dict[str, Any]:
    x = random.random(1_000_000) * 5
    ours, theirs = alternately(lambda: bernoulli_exp(x), lambda: random.random(len(x)) < np.exp(-x), 11)
    return _row("bernoulli_exp, a million", "numpy random < exp", ours, theirs)


def _against_numpy_normal(random: np.random.Generator, power: int) -> dict[str, Any]:
    sums = np.zeros(1_000_000, dtype=np.int64)
    sigma = 2.0**power
    ours, theirs = alternately(lambda: gaussian(sums, sigma), lambda: np.rint(random.normal(0, sigma, len(sums))), 11)
    return _row(f"gaussian, a million, sigma 2^{power}", "numpy rint(normal)", ours, theirs)


def _against_opendp(random: np.random.Generator, size: int) -> dict[str, Any]:
    scores = random.integers(-3000, 0, 10_000)
    as_list = scores.tolist()
    space = vector_domain(atom_domain(T="i32")), linf_distance(T="i32")
    noisy_max = make_noisy_max(*space, zero_concentrated_divergence(), scale=1 / TILT)
    ours, theirs = alternately(lambda: draw(scores, TILT, size), lambda: noisy_max(as_list), 11)
    return _row(f"draw, 10,000 candidates, one draw of {size}", "OpenDP noisy max", ours / size, theirs)


def _silent_rounds(random: np.random.Generator) -> dict[str, Any]:
    counts = np.zeros(1_000_000, dtype=np.int64)
    mechanism = AboveThreshold(1000, 0.5, 0.5)
    uniform = random.random

    def one_by_one() -> object:
        return np.flatnonzero(uniform(len(counts)) < np.exp(-0.5 * (1000 - counts)))[:1]

    ours, theirs = alternately(lambda: mechanism.start().first(counts), one_by_one, 11)
    return _row("AboveThreshold, a million silent rounds", "numpy, a float test a round", ours, theirs)


def table(results: list[dict[str, Any]]) -> str:
    rows = [
        [
            str(r["what"]),
            f"{r['ours']:.2e} s",
            str(r["beside"]),
            f"{r['theirs']:.2e} s",
            f"{r['ratio']:.3g}",
        ]
        for r in results
    ]
    return markdown(["", "dprules (exact)", "beside", "", "ratio"], rows)
