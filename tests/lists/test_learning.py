import numpy as np
import pytest

from conftest import assert_law
from dprules.accounting import Neighbours, cover
from dprules.audit.list_law import TRUE as LAW_TRUE
from dprules.audit.list_law import Example, exact_list_law, tilted
from dprules.data import Boolean, Sample, conjunctions, literals, open_table
from dprules.data.example import SCHEMA, hospital_stays
from dprules.errors import ParameterError
from dprules.lists import (
    Settings,
    check_family,
    composition_tilt,
    em_cover,
    evaluate,
    exhaustive,
    fit_list,
    greedy_cover,
    learn_list,
    recipe,
    rivest,
)
from dprules.lists.exhaustive import _errors
from dprules.lists.greedy_cover import TRUE
from dprules.mechanisms import SeededBits, os_bits

ROWS = [((True, False), 1), ((True, True), 0), ((False, True), 0), ((True, False), 1)]


def sample_of(rows, classes=2, weights=None):
    matrix = np.array([features for features, _ in rows], dtype=bool).reshape(len(rows), -1)
    labels = np.array([label for _, label in rows], dtype=np.int16)
    return Sample.from_booleans(matrix, labels, classes, weights)


FEATURES = np.array([[0, -1, -1], [1, -1, -1]], dtype=np.int32)


@pytest.mark.parametrize(
    ("rewards", "capped", "last"),
    [
        ((0,), False, 1),
        ((1,), False, 1),
        ((0.25, 0.5, 1.0), True, 0.5),
        ((0.5, 0.5), True, 1),
        ((1,), True, 1),
        ((1,), True, 0.25),
    ],
)
def test_the_code_that_runs_has_the_exact_law(rewards, capped, last, bits):
    sample = sample_of(ROWS)
    law = exact_list_law(
        [Example(features, label) for features, label in ROWS],
        tilted(0.7),
        2,
        rewards=rewards,
        rounds=len(rewards) if capped else None,
        last=last,
    )
    assert LAW_TRUE == TRUE
    runs = [tuple(greedy_cover(sample, FEATURES, 0.7, rewards, bits, capped, last=last)) for _ in range(4000)]
    assert_law(runs, {key: float(p) for key, p in law.items()})


def test_multiplicities_and_priors_have_the_exact_law(bits):
    weights = np.array([2, 1, 3, 1])
    rows = [row for row, w in zip(ROWS, weights, strict=True) for _ in range(w)]
    prior = {0: 2.0, 1: 0.5, LAW_TRUE: 1.0}
    law = exact_list_law(
        [Example(f, y) for f, y in rows], tilted(0.4), 2, rewards=(0.5, 1.0), rounds=2, prior=prior.__getitem__
    )
    sample = sample_of(ROWS, weights=weights)
    runs = [
        tuple(greedy_cover(sample, FEATURES, 0.4, (0.5, 1.0), bits, prior=np.array([2.0, 0.5, 1.0])))
        for _ in range(4000)
    ]
    assert_law(runs, {key: float(p) for key, p in law.items()})


@pytest.mark.parametrize("size", [0, 1])
def test_with_no_row_left_the_draws_go_on(size, bits):
    """An empty sample must not stop early: the law is that of the empty sample, all scores 0."""
    rows = ROWS[:size]
    law = exact_list_law([Example(f, y) for f, y in rows], tilted(0.7), 2)
    sample = (
        sample_of(rows) if rows else Sample.from_booleans(np.zeros((0, 2), dtype=bool), np.zeros(0, dtype=np.int16), 2)
    )
    runs = [tuple(greedy_cover(sample, FEATURES, 0.7, (0,), bits, capped=False)) for _ in range(3000)]
    assert_law(runs, {key: float(p) for key, p in law.items()})


def noise_free(seed, rows=20_000, features=100, rules=5):
    random = np.random.default_rng(seed)
    X = random.random((rows + 4000, features)) < 0.5
    chosen, signs = random.choice(features, rules, replace=False), random.random(rules) < 0.5
    labels = random.integers(0, 2, rules + 1)
    y = np.full(len(X), labels[-1])
    for at in range(rules - 1, -1, -1):
        y = np.where(X[:, chosen[at]] == signs[at], labels[at], y)
    return X[:rows], y[:rows], X[rows:], y[rows:]


@pytest.mark.slow
def test_noise_free_lists_are_learned_with_default_settings():
    from dprules import PrivateDecisionListClassifier

    scores = []
    for seed in range(6):
        X, y, new, truth = noise_free(seed)
        model = PrivateDecisionListClassifier(epsilon=1.0, random_state=seed).fit(X, y)
        scores.append((model.predict(new) == truth).mean())
    assert np.mean(scores) >= 0.99


def test_rivest_finds_a_consistent_list():
    X, y, new, truth = noise_free(1, rows=3000, features=12)
    from dprules import DecisionListClassifier

    model = DecisionListClassifier(width=1).fit(X, y)
    assert (model.predict(X) == y).all()
    assert (model.predict(new) == truth).mean() > 0.98


def test_rivest_stops_when_nothing_is_gained():
    sample = sample_of([((True,), 0), ((True,), 1)])
    assert rivest(sample, np.array([[0, -1, -1]], dtype=np.int32)) == [(TRUE, 0)]


def test_the_recipe_uses_public_numbers_only():
    assert [float(r) for r in recipe.short_list(1, 0.3).rewards] == [19 / 64, 1.0]
    assert recipe.rules_for(50_000, 1.0) == 20
    assert recipe.rules_for(-100, 1.0) == 2
    assert recipe.first_reward([900, 100], 1.0, 1.0) == pytest.approx(1 / 9)
    assert recipe.first_reward([9000, 1000], 1.0, 1.0) == pytest.approx(1 / 18)
    assert recipe.first_reward([30, -10], 70.0, 1.0) == 0.4
    asked = [x for i in range(4) for x in literals(Boolean(f"b{i}"))]
    for width in (1, 2, 3):
        weights = recipe.prior(conjunctions(asked, width))
        assert weights.sum() == pytest.approx(1.0 if width > 1 else 0.7)
        assert (weights > 0).all()


def test_a_certificate_adds_up_and_verifies():
    sample = sample_of(ROWS * 50)
    asked = [x for i in range(2) for x in literals(Boolean(f"b{i}"))]
    both = Sample.from_booleans(
        np.array([[f[0], not f[0], f[1], not f[1]] for f, _ in ROWS * 50]),
        np.array([y for _, y in ROWS * 50], dtype=np.int16),
        2,
    )
    assert sample.totals(sample.everything()).tolist() == both.totals(both.everything()).tolist()
    for settings in (
        Settings(shares={"counts": 0.1}),
        Settings(epsilon=0.3, neighbours=Neighbours.REPLACE, width=1),
        Settings(max_rules=3, reward=0.5),
        Settings(paper=True, width=1),
        Settings(rows=200, unit="patient", unit_rows=3),
    ):
        fitted = fit_list(both, asked, ("no", "yes"), settings)
        certificate = fitted.certificate
        assert sum(release.epsilon for release in certificate.releases) <= float(settings.epsilon) * (1 + 1e-9)
        assert certificate.verify()
        assert certificate.private
        assert type(certificate).from_document(certificate.to_document()) == certificate
    seeded = fit_list(both, asked, ("no", "yes"), Settings(), bits=SeededBits(1)).certificate
    assert not seeded.private
    assert str(seeded).startswith("NOT PRIVATE")


def test_a_certificate_that_claims_too_much_does_not_verify():
    from dataclasses import replace

    sample = sample_of(ROWS * 5)
    certificate = fit_list(sample, [literals(Boolean(f"b{i}"))[0] for i in range(2)], (0, 1), Settings()).certificate
    assert not replace(certificate, epsilon=0.5).verify()
    rules = certificate.releases[-1]
    larger = replace(rules, parameters=rules.parameters | {"rows of a unit": 4})
    assert not replace(certificate, releases=(*certificate.releases[:-1], larger)).verify()
    sharper = replace(rules, parameters=rules.parameters | {"tilt": "1"})
    assert not replace(certificate, releases=(*certificate.releases[:-1], sharper)).verify()


@pytest.mark.parametrize(
    ("settings", "starts"),
    [
        (dict(epsilon=0), "epsilon must be positive"),
        (dict(delta=1), "delta must lie"),
        (dict(width=4), "width must be 1, 2 or 3"),
        (dict(max_rules=0), "max_rules must be an integer"),
        (dict(reward=2), "reward must lie"),
        (dict(paper=True, reward=0.5), "the paper's accounting"),
        (dict(shares={"fun": 0.1}), "shares may name"),
        (dict(neighbours=Neighbours.ZERO_OUT), "a table has no zero-out"),
        (dict(rows=-1), "rows must be an integer"),
    ],
)
def test_bad_settings_get_a_sentence(settings, starts):
    with pytest.raises(ParameterError, match="^" + starts):
        Settings(**settings)


def test_shares_that_leave_nothing_are_refused():
    with pytest.raises(ParameterError, match=r"leave nothing|less than 1"):
        fit_list(
            sample_of(ROWS),
            [literals(Boolean(f"b{i}"))[0] for i in range(2)],
            (0, 1),
            Settings(shares={"counts": 0.99}),
        )


def test_the_papers_generic_form_and_its_conditions():
    class Errors:
        def covers(self, candidate, record):
            return record[0][candidate[0]]

        def score(self, records, candidate):
            return -sum(self.covers(candidate, r) and r[1] != candidate[1] for r in records)

    class Doubled(Errors):
        def score(self, records, candidate):
            return 2 * super().score(records, candidate)

    class Nosy(Errors):
        def score(self, records, candidate):
            return -len(records)

    candidates = [(f, b) for f in (0, 1) for b in (0, 1)]
    assert check_family(Errors(), [ROWS], ROWS, candidates) is None
    assert "more than 1" in check_family(Doubled(), [ROWS], ROWS, candidates)
    assert "does not cover" in check_family(Nosy(), [ROWS], [((False, False), 1)], candidates)
    chosen = em_cover(ROWS, candidates, lambda _: Errors(), 50, 2, SeededBits(1))
    assert chosen[0] in [(0, 1), (1, 0), (0, 0)]
    assert len(chosen) == 2


def test_exhaustive_search_prefers_lists_without_errors():
    best = exhaustive(sample_of(ROWS), FEATURES, 50, os_bits)
    assert _errors(sample_of(ROWS), FEATURES, best) == 0
    with pytest.raises(ParameterError, match="too many lists"):
        exhaustive(sample_of(ROWS), np.array([[i % 2, -1, -1] for i in range(9)], dtype=np.int32), 1, os_bits)


def test_exact_accounting_beats_ordinary_composition():
    assert cover.tilt(1.0, 1e-6, rounds=50) > 1.3 * composition_tilt(1.0, 1e-6, 50)


def test_a_table_end_to_end():
    with open_table(hospital_stays(6000, 3)) as table, open_table(hospital_stays(3000, 4)) as new:
        model = learn_list(table, SCHEMA, Settings(epsilon=2.0, shares={"counts": 0.05}))
        exact = evaluate(model.rules, new, "readmitted", None)
        bought = evaluate(model.rules, new, "readmitted", 5.0)
    assert exact.rows == 3000
    assert exact.accuracy > 0.75
    assert abs(bought.accuracy - exact.accuracy) < 0.02
    assert bought.epsilon == 5.0
    assert model.certificate.verify()
