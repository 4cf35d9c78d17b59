"""Envelopes: what verifies is read back as it was; what was tampered with is refused, with the reason."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from dprules.accounting import (
    Account,
    Assumption,
    CountedCover,
    Counts,
    Cover,
    PaperCover,
    Pure,
    Quantiles,
    Release,
    Unit,
)
from dprules.errors import FileError, ModelError, PrivacyError, UnverifiedError
from dprules.jobs import FitRequest, ListSettings, fit, verify
from dprules.learners.streams import BatchedPolicy, PaperPolicy, StreamFeatures, StreamSettings, Weights
from dprules.models import (
    CLASS_COUNTS,
    HYPOTHESES,
    RULE_COUNTS,
    RULES,
    Halfspace,
    Released,
    Rule,
    RuleList,
    StreamMark,
    Term,
    cuts_of,
)
from dprules.schema import Boolean, Categorical, Label, Literal, Numeric, Operator, Positive, PrivateCuts, Schema

SCHEMA = Schema(
    Label("y", ("no", "yes"), positive="yes"),
    (PrivateCuts("x", lower=0, upper=100, number=3, step=5), Boolean("b"), Categorical("c", ("u", "v", "w"))),
)
CUTS = cuts_of("x")


def table(rows: int = 4000, seed: int = 0) -> dict[str, Any]:
    """The label is whether x reaches 50 or b, and not both: no list of one rule says so."""
    random = np.random.default_rng(seed)
    x = random.uniform(0, 100, rows)
    b = random.random(rows) < 0.3
    return {"x": x, "b": b, "c": random.choice(["u", "v", "w"], rows), "y": np.where((x >= 50) ^ b, "yes", "no")}


@cache
def released_list() -> Released:
    """A fit with everything: private cuts, class counts, class weights, rules with counts."""
    settings = ListSettings(shares={"cuts": 0.2}, class_weight="balanced")
    return fit(FitRequest(table(), SCHEMA, settings, epsilon=20.0, table="people"))


@cache
def released_bought() -> Released:
    """A fit whose counts are not free."""
    settings = ListSettings(max_rules=4, reward=0.5, shares={"counts": 0.1})
    return fit(FitRequest(table(), SCHEMA, settings, epsilon=20.0))


@cache
def released_stream() -> Released:
    """A hypothesis in its envelope."""
    features = StreamFeatures(Schema(Label("y", ("no", "yes")), (Boolean("a"), Numeric("n", (1.0,)))))
    settings = StreamSettings(epsilon=2.0)
    certificate = settings.certificate(features, secure=True)
    model = features.halfspace(Weights(np.array([0.5, 0.0, -0.25])), 3)
    return Released.of(model, features.schema.label, certificate, stream=StreamMark("s", 1000, 3))


MADE = {"list": released_list, "list with bought counts": released_bought, "stream": released_stream}


def rules_of(released: Released) -> RuleList:
    assert isinstance(released.model, RuleList)
    return released.model


def halfspace_of(released: Released) -> Halfspace:
    assert isinstance(released.model, Halfspace)
    return released.model


def cover_of(released: Released) -> CountedCover:
    event = next(release.event for release in released.certificate.releases if release.name == RULES)
    assert isinstance(event, CountedCover)
    return event


@pytest.mark.parametrize("kind", MADE)
def test_what_was_released_verifies_and_is_read_back(kind, tmp_path):
    released = MADE[kind]()
    assert released.faults() == []
    assert released.verify()
    assert released.certificate.model_digest == released.digest()
    assert Released.from_json(released.to_json()) == released
    released.save(tmp_path / "m.json")
    assert Released.load(tmp_path / "m.json") == released
    assert verify(tmp_path / "m.json") == []
    assert released.require_verified() is released
    assert str(released) == f"{released.model}\n\n{released.certificate}"


def test_an_envelope_says_what_when_and_by_what():
    released = released_list()
    assert (released.label.name, released.table) == ("y", "people")
    assert released.software.startswith("dprules ")
    assert released.created.endswith("+00:00")
    assert [release.name for release in released.certificate.releases] == [CUTS, CLASS_COUNTS, RULES]
    assert rules_of(released).counts is not None
    assert "x" in [column.name for column in rules_of(released).columns], "the rules should ask about bought cuts"


# Forgeries: written by somebody who knows how digests and statements are made, so that only what is paid for is wrong.


def forge(released: Released, **changes: Any) -> Released:
    """Change parts of an envelope, tie the certificate to the model again, and read it from text."""
    changed = replace(released, **changes)
    tied = replace(changed, certificate=changed.certificate.for_model(changed.digest()))
    return Released.from_json(tied.to_json())


def certify(released: Released, **changes: Any) -> Released:
    """Change parts of the certificate."""
    return forge(released, certificate=replace(released.certificate, **changes))


def edit(released: Released, name: str, change: Callable[[Any], list[Any]], settings: Any = None) -> Released:
    """Put other releases in the place of those with a name; a charge for nothing goes."""
    charges = []
    for charge in released.certificate.charges:
        releases: list[Release] = []
        for release in charge.releases:
            releases += change(release.event) if release.name == name else [release]
        if releases:
            charges.append(replace(charge, releases=tuple(releases)))
    found = dict(released.certificate.settings) | (settings or {})
    return certify(released, charges=tuple(charges), settings=found)


def drop(released: Released, name: str, settings: Any = None) -> Released:
    return edit(released, name, lambda event: [], settings)


def exchange(released: Released, name: str, change: Callable[[Any], Any]) -> Released:
    return edit(released, name, lambda event: [Release(name, change(event))])


def together(released: Released, *names: str) -> Released:
    """Put releases into one charge, as if their prices had all been fixed in advance."""
    chosen = [charge for charge in released.certificate.charges if charge.releases[0].name in names]
    joined = replace(
        chosen[-1],
        releases=tuple(release for charge in chosen for release in charge.releases),
        epsilon=sum((charge.epsilon for charge in chosen), Fraction(0)),
    )
    others = [charge for charge in released.certificate.charges if charge not in chosen]
    return certify(released, charges=(*others, joined))


def with_rules(released: Released, number: int) -> Released:
    rules = rules_of(released)
    return forge(released, model=replace(rules, rules=(rules.rules * number)[:number], groups=None))


def with_bought_cuts(released: Released) -> Released:
    column = Numeric("n", (1.0,), bought=True)
    term = Term((Literal(column, Operator.BELOW, 1.0),), 1.0)
    return forge(released, model=replace(halfspace_of(released), terms=(term,)))


def by_policy(released: Released, kind: type[BatchedPolicy], releases: int) -> Released:
    """The hypothesis of a learner that releases two in a life."""
    policy = kind.start(3, threshold=1, draws=1, releases=2, rate=0.1, above=(0.1, 0.1))
    account = Account(5.0, 1e-3, "replace", Unit(of="round"))
    account.charge(HYPOTHESES, policy.event(), account.epsilon)
    certificate = account.certificate(
        secure=True, assumptions=released.certificate.assumptions, settings={"model": "halfspace"}
    )
    return forge(released, model=replace(halfspace_of(released), releases=releases), certificate=certificate)


def with_noise(released: Released, change: Callable[[Fraction], Fraction]) -> Released:
    """Say that the counts of the rules carry other noise."""
    rules = rules_of(released)
    groups = [replace(group, tilts=tuple(map(change, group.tilts))) for group in rules.groups or ()]
    return forge(released, model=replace(rules, groups=tuple(groups)))


def with_many_counts(released: Released) -> Released:
    """Add up more histograms in the default than rules were drawn."""
    rules = rules_of(released)
    *others, default = rules.groups or ()
    cell = cover_of(released).count_tilts[0]
    tilts = (cell,) * cover_of(released).rounds + default.tilts[-1:]
    return forge(released, model=replace(rules, groups=(*others, replace(default, tilts=tilts))))


WRONG_NOISE = "its counts do not carry the noise that was charged"
OTHER_WEIGHTS = "its class weights are not those of its settings"
NO_CLASSES = "its recipe needs class counts, and none were charged"
NO_RULES = "no release is for the rules"
NO_HYPOTHESES = "no release is for the hypotheses"
NOT_BY_ROUNDS = "a stream is priced by its rounds, and the unit is another"
Forgery = Callable[[Released], Released]

FORGED_LISTS: dict[str, tuple[Forgery, str]] = {
    "no class counts": (lambda r: drop(r, CLASS_COUNTS), NO_CLASSES),
    "no class counts, rules given": (lambda r: drop(r, CLASS_COUNTS, {"max_rules": 5}), NO_CLASSES),
    "no class counts, reward given": (lambda r: drop(r, CLASS_COUNTS, {"reward": 0.5}), NO_CLASSES),
    "no class counts, balanced": (lambda r: drop(r, CLASS_COUNTS, {"max_rules": 5, "reward": 0.5}), NO_CLASSES),
    "class counts as something else": (lambda r: exchange(r, CLASS_COUNTS, lambda e: Pure(e.tilt)), NO_CLASSES),
    "no cuts": (lambda r: drop(r, CUTS), "the cuts of x were bought, and not charged"),
    "cuts of another column": (
        lambda r: edit(r, CUTS, lambda event: [Release(cuts_of("z"), event)]),
        "the cuts of x were bought, and not charged",
    ),
    "cuts as something else": (
        lambda r: exchange(r, CUTS, lambda event: Counts(event.tilt)),
        "the cuts of x were bought, and not charged",
    ),
    "too many cuts": (
        lambda r: exchange(r, CUTS, lambda event: Quantiles(event.tilt, 1)),
        "x has more cuts than were drawn",
    ),
    "counts at the price of draws alone": (
        lambda r: exchange(r, RULES, lambda event: Cover(event.tilt, (Fraction(1),), event.rounds + 1)),
        "counts of the rules are shown, and none were charged",
    ),
    "counts with less noise": (lambda r: with_noise(r, lambda tilt: 2 * tilt), WRONG_NOISE),
    "counts with more noise": (lambda r: with_noise(r, lambda tilt: tilt / 2), WRONG_NOISE),
    "rules with the noise of the remainder": (
        lambda r: with_noise(r, lambda _: cover_of(r).count_tilts[2]),
        WRONG_NOISE,
    ),
    "counts of more rules than were drawn": (with_many_counts, "it counts more rules than were drawn"),
    "too many rules": (lambda r: with_rules(r, cover_of(r).rounds + 1), "it has more rules than were drawn"),
    "too few rounds": (
        lambda r: exchange(r, RULES, lambda event: replace(event, rounds=1)),
        "it has more rules than were drawn",
    ),
    "other weights": (lambda r: forge(r, model=replace(rules_of(r), weights=None)), OTHER_WEIGHTS),
    "weights that nobody set": (
        lambda r: certify(r, settings=dict(r.certificate.settings) | {"class_weight": None}),
        OTHER_WEIGHTS,
    ),
    "rules twice": (
        lambda r: edit(r, RULES, lambda event: [Release(RULES, event)] * 2),
        "several releases are for the rules",
    ),
    "no rules": (lambda r: drop(r, RULES), NO_RULES),
    "rules as something else": (lambda r: exchange(r, RULES, lambda event: Counts(event.tilt)), NO_RULES),
    "rules at the paper's price": (
        lambda r: exchange(r, RULES, lambda event: PaperCover(event.tilt / 1000)),
        "its price is the paper's, and its settings are not",
    ),
    "class counts and rules in one charge": (
        lambda r: together(r, CLASS_COUNTS, RULES),
        "class counts and rules were charged together, though the price of the rules depends on the counts",
    ),
    "rules under another name": (lambda r: edit(r, RULES, lambda event: [Release("drawing", event)]), NO_RULES),
    "a sharper tilt": (
        lambda r: exchange(r, RULES, lambda event: replace(event, tilt=2 * event.tilt)),
        "rules: more was spent than epsilon 20 allows",
    ),
    "the certificate of a stream": (lambda r: forge(r, certificate=released_stream().certificate), NO_HYPOTHESES),
    "other classes": (lambda r: forge(r, label=Label("y", ("a", "b"))), "the model has other classes than its label"),
    "more classes": (
        lambda r: forge(r, label=Label("y", ("no", "yes", "maybe"))),
        "the model has other classes than its label",
    ),
    "no assumptions": (lambda r: certify(r, assumptions=()), "it does not say that it assumes all settings of the fit"),
    "no schema": (
        lambda r: certify(r, assumptions=(Assumption.SETTINGS,)),
        "it does not say that it assumes features and classes",
    ),
    "classes read off labels": (
        lambda r: forge(r, label=replace(r.label, inferred=True)),
        "it does not say that it assumes the classes, read off y",
    ),
    "no word on preprocessing": (
        lambda r: certify(r, assumptions=(Assumption.COLUMN_NAMES, Assumption.SETTINGS)),
        f"it does not say that it assumes {Assumption.RECORD_BY_RECORD.value}",
    ),
    "no word on numbers": (
        lambda r: forge(
            r,
            model=RuleList((Rule((Literal(Positive("p"), Operator.ABOVE_ZERO),), "yes"),), "no", ("no", "yes")),
            certificate=replace(r.certificate, assumptions=(Assumption.COLUMN_NAMES, Assumption.SETTINGS)),
        ),
        "it does not say that it assumes that numbers are read as x > 0",
    ),
    "no charges": (lambda r: certify(r, charges=()), "it lists no release"),
    "less epsilon": (lambda r: certify(r, epsilon=19.0), "its charges add up to more than it claims"),
    "a unit of two rows": (
        lambda r: certify(r, unit=Unit("patient", 2)),
        "class counts: more was spent than epsilon 20 allows",
    ),
    "a unit of rounds": (
        lambda r: certify(r, unit=Unit(of="round"), assumptions=(*r.certificate.assumptions, Assumption.ROUND_COUNT)),
        "its neighbours and its unit do not fit together",
    ),
    "settings of another model": (
        lambda r: certify(r, settings={**r.certificate.settings, "model": "scorecard"}),
        "its settings are those of another model",
    ),
}

FORGED_BOUGHT: dict[str, tuple[Forgery, str]] = {
    "no counts": (lambda r: drop(r, RULE_COUNTS), "counts of the rules are shown, and none were charged"),
    "other noise": (lambda r: with_noise(r, lambda tilt: 2 * tilt), WRONG_NOISE),
    "counts of less": (lambda r: exchange(r, RULE_COUNTS, lambda event: Counts(event.tilt / 2)), WRONG_NOISE),
    "too few rounds": (
        lambda r: exchange(r, RULES, lambda event: replace(event, rounds=1)),
        "it has more rules than were drawn",
    ),
}

FORGED_STREAMS: dict[str, tuple[Forgery, str]] = {
    "no hypotheses": (lambda r: drop(r, HYPOTHESES), NO_HYPOTHESES),
    "hypotheses for next to nothing": (lambda r: exchange(r, HYPOTHESES, lambda e: Pure(0.001)), NO_HYPOTHESES),
    "hypotheses as a list": (
        lambda r: exchange(r, HYPOTHESES, lambda event: Cover(Fraction(1, 100), rounds=2)),
        NO_HYPOTHESES,
    ),
    "under another name": (lambda r: edit(r, HYPOTHESES, lambda e: [Release(RULES, e)]), NO_HYPOTHESES),
    "the certificate of a list": (lambda r: forge(r, certificate=released_list().certificate), NO_HYPOTHESES),
    "more hypotheses than were drawn": (
        lambda r: by_policy(r, PaperPolicy, 3),
        "it had more hypotheses than were drawn",
    ),
    "bought cuts": (with_bought_cuts, "a stream has public cuts, and some of its cuts were bought"),
    "a unit of rows": (
        lambda r: certify(r, unit=Unit(), assumptions=(*r.certificate.assumptions, Assumption.ROW_COUNT)),
        NOT_BY_ROUNDS,
    ),
    "a unit of people": (lambda r: certify(r, unit=Unit("patient", of="round")), NOT_BY_ROUNDS),
    "other classes": (lambda r: forge(r, label=Label("y", ("a", "b"))), "the model has other classes than its label"),
    "no rounds": (
        lambda r: certify(r, assumptions=(Assumption.FEATURES, Assumption.SETTINGS)),
        "it does not say that it assumes the number of rounds",
    ),
}


def refuses(forged: Released, sentence: str) -> None:
    assert sentence in forged.faults()
    assert not forged.verify()
    with pytest.raises(UnverifiedError, match="does not verify"):
        forged.require_verified()


@pytest.mark.parametrize(("forgery", "sentence"), FORGED_LISTS.values(), ids=FORGED_LISTS)
def test_a_forged_list_is_refused_with_its_reason(forgery, sentence):
    refuses(forgery(released_list()), sentence)


@pytest.mark.parametrize(("forgery", "sentence"), FORGED_BOUGHT.values(), ids=FORGED_BOUGHT)
def test_forged_counts_are_refused_with_their_reason(forgery, sentence):
    refuses(forgery(released_bought()), sentence)


@pytest.mark.parametrize(("forgery", "sentence"), FORGED_STREAMS.values(), ids=FORGED_STREAMS)
def test_a_forged_stream_is_refused_with_its_reason(forgery, sentence):
    refuses(forgery(released_stream()), sentence)


def test_forging_nothing_verifies():
    """So that the tests above refuse for their reasons, and not for how a forgery is made."""
    for made in MADE.values():
        assert certify(made()).verify()
    assert by_policy(released_stream(), PaperPolicy, 2).verify()
    assert by_policy(released_stream(), BatchedPolicy, 1000).verify()  # it starts afresh after each life
    assert with_rules(released_list(), 2).verify()


def test_more_releases_than_a_model_shows_are_no_fault():
    """Whoever bought cuts that no rule asks about has paid, and may say so."""
    rules = rules_of(released_list())
    asked = (Rule((Literal(Boolean("b"), Operator.IS_TRUE),), "yes"),)
    plain = RuleList(asked, "no", rules.classes, weights=rules.weights)
    assert forge(released_list(), model=plain).verify()


# Edits: somebody changed the text of a file.


def edited(released: Released, *path: Any, to: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(released.to_json())
    at = document
    for step in path[:-1]:
        at = at[step]
    if to is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = to
    return document


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (("model", "rules"), []),
        (("model", "counted", 0, "counts", 0), 10**6),
        (("model", "counted", 0, "right"), None),
        (("model", "records", "value"), 5),
        (("model", "columns", "x", "cuts"), None),
        (("model", "columns", "x", "bought"), False),
        (("label", "column"), "z"),
        (("label", "positive"), "no"),
        (("label", "positive"), ...),
        (("label", "classes"), ["yes", "no"]),
    ],
    ids=[
        "no rules",
        "counts",
        "share right",
        "records",
        "cuts",
        "cuts that were not bought",
        "label",
        "positive class",
        "no positive class",
        "order",
    ],
)
def test_an_edited_model_is_no_longer_the_certified_one(path, to, tmp_path):
    released = released_list()
    if path[-1] == "cuts":  # a cut that no rule asks about, so that the list can still be read
        cuts = json.loads(released.to_json())["model"]["columns"]["x"]["cuts"]
        to = [*cuts, 99.0]
    if path == ("model", "rules"):
        document = edited(released, *path, to=to)
        document["model"]["counted"] = document["model"]["counted"][-1:]
    else:
        document = edited(released, *path, to=to)
    (tmp_path / "m.json").write_text(json.dumps(document))
    # A part that no model would write (a column that no rule asks about) is refused when it is read.
    with pytest.raises(
        ModelError, match=r"the certificate is for another model|says something else than this dprules writes"
    ):
        Released.load(tmp_path / "m.json")


@pytest.mark.parametrize(
    "path", [("table",), ("created",), ("software",), ("certificate", "settings", "width")], ids=".".join
)
def test_what_is_said_beside_the_model_cannot_be_edited(path):
    refuses(Released.from_document(edited(released_list(), *path, to="1999")), "the certificate is for another model")


@pytest.mark.parametrize("weight", [0.75, -0.5])
def test_an_edited_weight_is_noticed(weight):
    document = edited(released_stream(), "model", "terms", 0, "weight", to=weight)
    refuses(Released.from_document(document), "the certificate is for another model")


EDITED_CERTIFICATES = {
    "epsilon": (("epsilon",), 0.1),
    "delta": (("delta",), 1e-9),
    "statement": (("statement",), "(0.1, 0)-differentially private."),
    "assumptions": (("assumptions",), []),
    "noise": (("noise",), "seeded"),
    "accounting": (("accounting",), "by the book"),
    "unit": (("unit", "rows"), 5),
    "tilt": (("charges", 1, "releases", 0, "event", "tilt"), "1"),
    "no scale of the cuts": (("charges", 0, "releases", 0, "event", "tilt"), ...),
    "no charges": (("charges",), []),
    "a note": (("note",), "all is well"),
    "neighbours": (("neighbours",), "replace"),
}


@pytest.mark.parametrize(("path", "to"), EDITED_CERTIFICATES.values(), ids=EDITED_CERTIFICATES)
def test_an_edited_certificate_cannot_be_read_or_does_not_verify(path, to):
    document = edited(released_list(), "certificate", *path, to=to)
    with pytest.raises(ModelError):
        Released.from_document(document).require_verified()


def test_two_models_of_one_certificate():
    """A certificate is for one model: a second one cannot borrow it."""
    first = released_list()
    second = fit(FitRequest(table(seed=1), SCHEMA, ListSettings(), epsilon=1.0))
    refuses(replace(first, certificate=second.certificate), "the certificate is for another model")
    with pytest.raises(PrivacyError, match="one certificate is for one"):
        Released.of(first.model, first.label, second.certificate)


def test_seeded_noise_verifies_and_is_not_private():
    seeded = fit(FitRequest(table(400), SCHEMA, ListSettings(), seed=1))
    assert seeded.verify()
    assert not seeded.certificate.private
    assert "NOT PRIVATE" in str(seeded)


HOSTILE = {
    "nothing": ("", "cut short"),
    "a list": ("[]", "not a JSON document"),
    "another format": ('{"format": "other"}', "not a dprules-model file"),
    "too deep": ("[" * 100_000, "cut short"),
}
CHANGED: dict[str, tuple[tuple[Any, ...], Any, str]] = {
    "a later version": (("version",), 99, "this dprules reads version 1"),
    "an unknown kind": (("kind",), "forest", "no model that this dprules knows"),
    "no model": (("model",), None, "no model that this dprules knows"),
    "a model of another kind": (("kind",), "halfspace", "not a dprules-halfspace file"),
    "no label": (("label",), None, "the label of the file is not valid"),
    "one class": (("label", "classes"), ["no"], "the label of the file is not valid"),
    "an unknown key of the label": (("label", "blessed"), True, "the label of the file is not valid"),
    "no certificate": (("certificate",), None, "has no certificate"),
    "a time that is no text": (("created",), 5, "when and by what"),
    "a long name": (("table",), "t" * 2000, "when and by what"),
    "a stream without a name": (("stream",), {"rounds": 5}, "which stream it comes from"),
    "a stream without rounds": (("stream",), {"name": "s", "rounds": True}, "which stream it comes from"),
}


@pytest.mark.parametrize(("text", "sentence"), HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_model_file_is_refused(text, sentence):
    with pytest.raises(ModelError, match=sentence):
        Released.from_json(text)


@pytest.mark.parametrize(("path", "to", "sentence"), CHANGED.values(), ids=CHANGED)
def test_broken_envelopes_are_refused(path, to, sentence):
    with pytest.raises(ModelError, match=sentence):
        Released.from_document(edited(released_list(), *path, to=to))


def test_a_model_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    released = released_list()
    released.save(tmp_path / "m.json")
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        released_stream().save(tmp_path / "m.json", overwrite=True)
    monkeypatch.undo()
    assert Released.load(tmp_path / "m.json") == released
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]


def test_a_model_that_was_paid_for_is_not_overwritten(tmp_path):
    path = tmp_path / "m.json"
    released_list().save(path)
    before = path.read_bytes()
    with pytest.raises(FileError, match=r"m\.json already exists\. Choose another name or pass overwrite=True\.$"):
        released_stream().save(str(path))
    assert path.read_bytes() == before
    released_stream().save(path, overwrite=True)
    assert Released.load(path) == released_stream()


def test_the_digest_does_not_depend_on_layout_or_on_the_order_of_keys():
    document = json.loads(released_list().to_json())
    shuffled = dict(reversed(document.items())) | {"model": dict(reversed(document["model"].items()))}
    assert Released.from_json(json.dumps(shuffled)).verify()


def test_classes_that_were_read_off_are_named_by_every_fit():
    inferred = replace(SCHEMA, label=Label("y", ("no", "yes"), inferred=True))
    released = fit(FitRequest(table(200), inferred))
    assert Assumption.CLASSES_FROM_LABELS in released.certificate.assumptions
    assert released.verify()


def test_what_dprules_does_not_write_is_refused():
    """Keys that nobody checks, and keys that stand twice, would be believed by whoever reads the file."""
    document = json.loads(released_list().to_json())
    for part in (document, document["model"], document["certificate"]):
        part["epsilon of a person"] = 0.001
        with pytest.raises(UnverifiedError, match=r"does not write|something else than this dprules writes"):
            Released.from_json(json.dumps(document)).require_verified()
        del part["epsilon of a person"]
    assert Released.from_json(json.dumps(document)).verify()
    twice = json.dumps(document).replace('"kind":', '"kind": "list", "kind":', 1)
    with pytest.raises(ModelError, match="not a JSON document"):
        Released.from_json(twice)
