"""Learning a list: every release is charged before it is drawn, and the certificate says what was charged."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dprules import PrivateDecisionListClassifier
from dprules.accounting import Account, Assumption, CountedCover, Counts, Cover, PaperCover, Release, Unit
from dprules.errors import ParameterError
from dprules.jobs import FitRequest, evaluate, fit
from dprules.jobs.example import SCHEMA, hospital_stays
from dprules.learners.lists import ListSettings, learn_list, name_rules
from dprules.learners.lists.remaining import TRUE
from dprules.mechanisms import SeededBits, os_bits
from dprules.models import CLASS_COUNTS, RULE_COUNTS, RULES
from learners.lists.samples import FEATURES, ROWS, both_signs, noise_free

CLASSES = ("no", "yes")
SAMPLE, LITERALS = both_signs(ROWS * 50)
ASSUMED = (Assumption.SCHEMA, Assumption.SETTINGS, Assumption.ROW_COUNT)


def learn(settings=ListSettings(), account=None, bits=os_bits):  # noqa: B008 - a frozen value
    account = Account(1.0, 1e-6) if account is None else account
    rules = learn_list(SAMPLE, LITERALS, CLASSES, settings, account, bits)
    return rules, account.certificate(secure=bits.secure, assumptions=ASSUMED, settings=settings.document())


FITS = {
    "usual": (ListSettings(), Account(1.0, 1e-6), [CLASS_COUNTS, RULES]),
    "balanced": (ListSettings(class_weight="balanced"), Account(1.0, 1e-6), [CLASS_COUNTS, RULES]),
    "weighted": (ListSettings(class_weight={"no": 1, "yes": 9}, max_rules=3, reward=1), Account(1.0, 1e-6), [RULES]),
    "with counts": (
        ListSettings(max_rules=3, reward=0.5, shares={"counts": 0.1}),
        Account(1.0, 1e-6),
        [RULES, RULE_COUNTS],
    ),
    "balanced at one reward": (
        ListSettings(max_rules=3, reward=0.5, class_weight="balanced"),
        Account(1.0, 1e-6),
        [CLASS_COUNTS, RULES],
    ),
    "one reward, rules chosen": (ListSettings(reward=0), Account(1.0, 1e-6), [CLASS_COUNTS, RULES]),
    "paper with counts": (
        ListSettings(accounting="paper", shares={"counts": 0.1}),
        Account(1.0, 1e-6),
        [RULES, RULE_COUNTS],
    ),
    "replace": (ListSettings(width=1), Account(0.3, 1e-6, "replace"), [CLASS_COUNTS, RULES]),
    "all given": (ListSettings(max_rules=3, reward=0.5), Account(1.0, 1e-6), [RULES]),
    "paper": (ListSettings(accounting="paper", width=1), Account(1.0, 1e-6), [RULES]),
    "unit": (ListSettings(), Account(1.0, 1e-6, unit=Unit("patient", 3)), [CLASS_COUNTS, RULES]),
    "unit, replace": (
        ListSettings(max_rules=2, shares={"classes": 0.1}),
        Account(3.0, 1e-5, "replace", Unit("patient", 2)),
        [CLASS_COUNTS, RULES],
    ),
}


@pytest.mark.parametrize(("settings", "account", "releases"), FITS.values(), ids=FITS)
def test_a_certificate_adds_up_and_verifies(settings, account, releases):
    _, certificate = learn(settings, account)
    assert [release.name for release in certificate.releases] == releases
    assert sum(charge.epsilon for charge in certificate.charges) <= account.epsilon
    assert certificate.faults() == []
    assert certificate.private
    assert type(certificate).from_document(certificate.document()) == certificate


def test_prices_that_depend_on_noisy_counts_are_charged_one_after_the_other():
    """The number of rounds is chosen from the noisy counts, so that the two may not be composed as if fixed."""
    _, certificate = learn()
    assert [len(charge.releases) for charge in certificate.charges] == [1, 1]
    assert certificate.charges[0].epsilon == Fraction(0.02)


def test_what_is_drawn_is_what_is_charged():
    _, certificate = learn(ListSettings(max_rules=3, reward=0.5))
    event = certificate.releases[0].event
    assert isinstance(event, Cover)
    assert (event.rounds, set(event.rewards)) == (4, {Fraction(1, 2)})
    _, certificate = learn(ListSettings(accounting="paper"))
    assert isinstance(certificate.releases[0].event, PaperCover)
    _, certificate = learn(ListSettings(max_rules=3))
    event = certificate.releases[1].event
    assert isinstance(event, CountedCover)
    assert event.rounds == 3


def test_a_certificate_that_claims_too_much_does_not_verify():
    _, certificate = learn()
    counts, rules = certificate.charges
    event = rules.releases[0].event
    assert isinstance(event, CountedCover)
    sharper = replace(rules, releases=(Release(RULES, replace(event, tilt=Fraction(1))),))
    for false in (
        replace(certificate, epsilon=0.5),
        replace(certificate, unit=Unit("patient", 4)),
        replace(certificate, charges=(counts, sharper)),
        replace(certificate, charges=(replace(counts, releases=(Release(CLASS_COUNTS, Counts(1)),)), rules)),
    ):
        assert not false.verify()


def test_seeded_noise_is_not_private_and_repeats():
    settings = ListSettings()
    first, certificate = learn(settings, bits=SeededBits(1))
    assert not certificate.private
    assert str(certificate).startswith("NOT PRIVATE")
    assert learn(settings, bits=SeededBits(1)) == (first, certificate)
    others = [learn(settings, bits=SeededBits(seed))[0] for seed in range(2, 6)]
    assert any(other != first for other in others)


def test_shares_that_leave_nothing_are_refused():
    with pytest.raises(ParameterError, match="leave nothing for the rules"):
        learn(ListSettings(max_rules=2, reward=0.5, shares={"counts": 0.99}, class_weight="balanced"))


@pytest.mark.parametrize(
    "settings",
    [
        ListSettings(),
        ListSettings(max_rules=2, reward=0.5, shares={"counts": 0.5}),
        ListSettings(class_weight={"no": 3}),
    ],
)
def test_counts_are_of_the_rules_as_they_are_printed(settings):
    """With a generous budget the noise is 0 and the counts are those of the records."""
    rules, _ = learn(settings, Account(500.0, 1e-6))
    assert rules.counts is not None
    places = [rules.decide_row({f"b{i}": held[i] for i in range(2)}) for held, _ in ROWS * 50]
    true = np.zeros((len(rules.rules) + 1, 2), dtype=np.int64)
    for place, (_, label) in zip(places, ROWS * 50, strict=True):
        true[place, label] += 1
    assert np.array(rules.counts).tolist() == true.tolist()


def test_progress_tells_public_things_only():
    told = []
    learn_list(
        SAMPLE,
        LITERALS,
        CLASSES,
        ListSettings(max_rules=3),
        Account(1.0, 1e-6),
        os_bits,
        lambda step, done, total: told.append((step, done, total)),
    )
    assert told[0] == ("drawing rules", 0, 3)
    assert {total for _, _, total in told} == {3}


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ({"maybe": 2}, "'maybe', which is no class"),
        ({"no": 1, "yes": 65}, "factor of 64 at the most"),
    ],
)
def test_weights_that_cannot_be_used_are_refused(weights, sentence):
    with pytest.raises(ParameterError, match=sentence):
        learn(ListSettings(class_weight=weights))


def test_a_heavy_class_is_found_more_often():
    """One record in ten is a yes that no condition tells apart: alike, all answers are no; balanced, some are yes."""
    rows = [((True, False), int(i % 10 == 0)) for i in range(3000)]
    sample, literals = both_signs(rows)
    answers = {}
    for weight in (None, "balanced", {"yes": 30}):
        account = Account(5.0, 1e-6)
        learnt = learn_list(sample, literals, CLASSES, ListSettings(class_weight=weight), account, os_bits)
        answers[str(weight)] = learnt.predict([{"b0": True, "b1": False}])[0]
    assert answers["None"] == "no"
    assert answers["{'yes': 30}"] == "yes"


def test_weights_are_kept_and_probabilities_are_plain_shares():
    rules, _ = learn(ListSettings(class_weight={"yes": 4}), Account(100.0, 1e-6))
    shares = rules.probabilities_at(np.arange(len(rules.rules) + 1))
    assert rules.weights == (Fraction(1, 4), 1)
    counts = np.array(rules.counts)
    told = [group.records() is not None for group in rules.groups]
    assert any(told)
    assert np.allclose(shares[told], counts[told] / counts[told].sum(axis=1, keepdims=True), atol=0.05)


def test_draws_become_rules_by_their_names():
    rules = name_rules([(0, 1), (TRUE, 0)], FEATURES, LITERALS, CLASSES)
    assert str(rules) == "if b0 is true then yes\nelse no"
    with pytest.raises(ParameterError, match="constant true"):
        name_rules([(0, 1)], FEATURES, LITERALS, CLASSES)


def test_a_table_end_to_end():
    request = FitRequest(hospital_stays(6000, 3), SCHEMA, epsilon=2.0)
    released = fit(request)
    new = hospital_stays(3000, 4)
    exact = evaluate(released, new, public=True)
    bought = evaluate(released, new, epsilon=5.0)
    assert exact.rows.value == 3000
    assert exact.accuracy.value > 0.75
    assert abs(bought.accuracy.value - exact.accuracy.value) < 0.02
    assert bought.epsilon == 5.0
    assert released.verify()


@pytest.mark.slow
def test_noise_free_lists_are_learned_with_default_settings():
    scores = []
    for seed in range(6):
        X, y, new, truth = noise_free(seed)
        model = PrivateDecisionListClassifier(epsilon=1.0, random_state=seed).fit(X, y)
        scores.append((model.predict(new) == truth).mean())
    assert np.mean(scores) >= 0.99
