"""What a certificate says is priced again; what is unknown, changed or missing is refused or does not verify."""

import json
import subprocess
import sys
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest

from dprules.accounting import (
    Account,
    Assumption,
    Certificate,
    Charge,
    Counts,
    Cover,
    Event,
    Gaussian,
    Neighbours,
    PaperCover,
    Pure,
    Quantiles,
    Release,
    Unit,
    cover,
    gaussian,
    stream,
)
from dprules.accounting.curve import randomised_response
from dprules.errors import ModelError, PrivacyError

TABLE = (Assumption.SCHEMA, Assumption.SETTINGS)
TILT = cover.tilt(0.98, 1e-6, rounds=4)


def of_a_list(unit=None):
    account = Account(1.0, 1e-6, unit=unit or Unit())
    account.charge("class counts", Counts(Fraction(1, 50)))
    account.charge("rules", Cover(TILT, rounds=4))
    return account.certificate(secure=True, assumptions=TABLE, settings={"epsilon": 1.0, "max_rules": 3})


def read_again(certificate):
    """Through JSON text, as files do."""
    return Certificate.from_document(json.loads(certificate.to_json()))


def changed(certificate, *path, to):
    """A document of the certificate with one entry changed."""
    document = json.loads(certificate.to_json())
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    if to is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = to
    return document


def test_what_was_charged_verifies_after_it_was_written_and_read():
    certificate = of_a_list()
    again = read_again(certificate)
    assert again == certificate
    assert again.verify()
    assert again.faults() == []
    assert again.private
    assert again.accounting == "exact"


def test_the_statement_names_everything():
    said = str(of_a_list(Unit("patient")))
    for part in (
        "(1, 1e-06)-differentially private, add-remove neighbours",
        "with or without any one value of 'patient'",
        "Accounting: exact",
        "from a cryptographic source",
        "class counts (noisy counts): epsilon 0.02; rules (draws of rules): epsilon 0.98, delta 1e-06",
        "the schema: columns, values, cuts and classes; all settings of the fit",
        "Not covered: running time and memory",
    ):
        assert part in said


def test_a_statement_never_shows_less_than_is_claimed():
    assert str(replace(of_a_list(), epsilon=1.0000001)).startswith("(1.0000001, 1e-06)")
    assert str(replace(of_a_list(), epsilon=0.9999999)).startswith("(1, 1e-06)")


def test_seeded_noise_is_not_private_and_says_so_first():
    certificate = replace(of_a_list(), secure=False)
    assert not certificate.private
    assert str(certificate).startswith("NOT PRIVATE")
    assert not read_again(certificate).private


def test_the_papers_accounting_says_so():
    account = Account(1, 1e-6)
    account.charge("rules", PaperCover(cover.tilt(1, 1e-6, accounting="paper")))
    certificate = read_again(account.certificate(secure=True, assumptions=TABLE))
    assert certificate.accounting == "paper"
    assert certificate.verify()


def test_two_lists_charged_together_verify():
    event = Cover(cover.tilt(1.0, 1e-6))
    account = Account(1.2, 1e-6)
    account.charge_together([("one", event), ("another", event)])
    certificate = read_again(account.certificate(secure=True, assumptions=TABLE))
    assert certificate.verify()
    assert not replace(certificate, charges=(replace(certificate.charges[0], epsilon=Fraction(1)),)).verify()


@pytest.mark.parametrize("neighbours", [Neighbours.ADD_REMOVE, Neighbours.REPLACE])
def test_two_lists_charged_one_after_the_other_verify(neighbours):
    account = Account(2, 2e-6, neighbours)
    assumptions = [*TABLE, Assumption.ROW_COUNT]
    for name in ("one", "another"):
        account.charge(name, Cover(cover.tilt(1.0, 1e-6, neighbours)), Fraction(1), Fraction(1e-6))
    certificate = read_again(account.certificate(secure=True, assumptions=assumptions))
    assert certificate.verify()
    assert [release.name for release in certificate.releases] == ["one", "another"]


def test_streams_verify():
    account = Account(1, 0, "replace", Unit(of="round"))
    account.charge("Winnow", stream.event("segment", draws=4, rate=1 / 16, above=(0.5, 0.5)))
    needed = [Assumption.FEATURES, Assumption.SETTINGS, Assumption.ROUND_COUNT]
    certificate = account.certificate(secure=True, assumptions=needed)
    assert read_again(certificate).verify()
    assert not replace(certificate, assumptions=tuple(needed[:2])).verify()
    assert "any one round" in str(certificate)


def test_a_new_event_needs_nothing_but_itself():
    """Priced, charged, certified and verified after JSON, though no other file knows of it."""

    @dataclass(frozen=True)
    class Novelty(Event, kind="novelty"):
        parts: int
        label = "a novelty"

        def curve(self, neighbours):
            return randomised_response(Fraction(self.parts, 100))

        def fields(self):
            return {"parts": self.parts}

        @classmethod
        def from_fields(cls, fields):
            return cls(fields.whole("parts", most=100))

    account = Account(1, 0)
    account.charge("something new", Novelty(40))
    account.charge_together([("more of it", Novelty(20)), ("counts", Counts(Fraction(2, 5)))])
    assert account.epsilon_left == 0
    certificate = read_again(account.certificate(secure=True, assumptions=TABLE))
    assert certificate.verify()
    assert certificate.releases[0] == Release("something new", Novelty(40))
    assert "something new (a novelty): epsilon 0.4" in str(certificate)
    overspent = changed(certificate, "charges", 0, "releases", 0, "event", "parts", to=41)
    assert not Certificate.from_document(overspent).verify()
    with pytest.raises(ModelError, match="unknown field 'more'"):
        Certificate.from_document(changed(certificate, "charges", 0, "releases", 0, "event", "more", to=1))


def test_an_event_cannot_take_the_name_of_another():
    with pytest.raises(TypeError, match="already called 'cover'"):

        class Cheap(Event, kind="cover"):
            pass

    class Quiet(Cover):
        """A subclass without a kind of its own is not read from documents."""

    assert type(Event.from_document(Cover(1).document())) is Cover


LIST = of_a_list()
RULES = LIST.charges[1]
FALSE = {
    "overspent: less epsilon is claimed than was charged": replace(LIST, epsilon=0.99),
    "overspent: less delta is claimed than was charged": replace(LIST, delta=9e-7),
    "overspent: the sharper list costs more than was set aside": replace(
        LIST, charges=(LIST.charges[0], replace(RULES, releases=(Release("rules", Cover(2 * TILT, rounds=4)),)))
    ),
    "overspent: more rounds": replace(
        LIST, charges=(LIST.charges[0], replace(RULES, releases=(Release("rules", Cover(TILT, rounds=5)),)))
    ),
    "overspent: less was set aside than it costs": replace(
        LIST, charges=(LIST.charges[0], replace(RULES, epsilon=RULES.epsilon - Fraction(1, 100)))
    ),
    "overspent: a release of a charge was added": replace(
        LIST, charges=(replace(LIST.charges[0], releases=LIST.charges[0].releases * 2), RULES)
    ),
    "another relation": replace(LIST, neighbours=Neighbours.REPLACE, assumptions=(*TABLE, Assumption.ROW_COUNT)),
    "a relation that makes no sense": replace(LIST, neighbours=Neighbours.ZERO_OUT),
    "rounds that are added": replace(LIST, unit=Unit(of="round"), assumptions=(*TABLE, Assumption.ROUND_COUNT)),
    "a unit of several rows": replace(LIST, unit=Unit("patient", 2)),
    "emptied assumptions": replace(LIST, assumptions=()),
    "no word on the schema": replace(LIST, assumptions=(Assumption.SETTINGS,)),
    "no word on the settings": replace(LIST, assumptions=(Assumption.SCHEMA,)),
    "no charges": replace(LIST, charges=()),
}


@pytest.mark.parametrize("certificate", FALSE.values(), ids=FALSE)
def test_a_false_certificate_does_not_verify_and_says_why(certificate):
    again = read_again(certificate)  # it is consistent with itself, so it can be read and shown
    assert not again.verify()
    assert all(isinstance(fault, str) and fault for fault in again.faults())


def test_rows_are_assumed_public_under_replace_only():
    account = Account(1, 0, "replace")
    account.charge("counts", Counts(Fraction(1, 2)))
    assert not account.certificate(secure=True, assumptions=TABLE).verify()
    assert account.certificate(secure=True, assumptions=[*TABLE, Assumption.ROW_COUNT]).verify()


EVENT = ("charges", 1, "releases", 0, "event")
REFUSED = {
    "epsilon -5": (("epsilon",), -5),
    "epsilon 0": (("epsilon",), 0),
    "epsilon beyond any budget": (("epsilon",), 10**400),
    "epsilon as text": (("epsilon",), "1"),
    "epsilon true": (("epsilon",), True),
    "delta 2": (("delta",), 2),
    "delta nothing": (("delta",), None),
    "free text as accounting": (("accounting",), "exact, to the best of our knowledge"),
    "an edited statement": (("statement",), "(0.001, 0)-differentially private."),
    "no statement": (("statement",), ...),
    "another noise": (("noise",), "good"),
    "an assumption that nobody knows": (("assumptions",), ["schema", "settings", "that all is well"]),
    "assumptions that are no list": (("assumptions",), None),
    "a unit with rows but without a column": (("unit", "rows"), 3),
    "half a row": (("unit", "rows"), 0.5),
    "endless rows": (("unit", "rows"), 10**9),
    "a unit of something else": (("unit", "of"), "house"),
    "no unit": (("unit",), ...),
    "a charge with no release": (("charges", 0, "releases"), []),
    "a charge without releases": (("charges", 0, "releases"), ...),
    "a negative charge": (("charges", 0, "epsilon"), "-1"),
    "a charge of unknown size": (("charges", 0, "epsilon"), "1/0"),
    "an endless charge": (("charges", 0, "epsilon"), "1e-100000000"),
    "a charge as a number": (("charges", 0, "delta"), 0.0),
    "a charge with more to say": (("charges", 0, "note"), "not really"),
    "a release of two lines": (("charges", 0, "releases", 0, "name"), "counts\nSpent on: nothing."),
    "a release without a name": (("charges", 0, "releases", 0, "name"), None),
    "a release with more to say": (("charges", 0, "releases", 0, "note"), "x"),
    "an unknown kind of event": ((*EVENT, "kind"), "magic"),
    "an event of no kind": ((*EVENT, "kind"), ...),
    "an event that is no table": (EVENT, "cover"),
    "an event with another field": ((*EVENT, "discount"), "1/2"),
    "an event without a field": ((*EVENT, "tilt"), ...),
    "a quotient by 0": ((*EVENT, "tilt"), "1/0"),
    "an endless tilt": ((*EVENT, "tilt"), "1e-100000000"),
    "a long tilt": ((*EVENT, "tilt"), "1/" + "7" * 100_000),
    "a tilt that is not in its lowest terms": ((*EVENT, "tilt"), "2/20"),
    "an unknown relation": (("neighbours",), "nearby"),
    "another version": (("version",), 99),
    "another format": (("format",), "dprules-model"),
    "a field of its own": (("blessed",), True),
    "settings that are no table": (("settings",), []),
    "a digest that is no text": (("model_digest",), 7),
}


@pytest.mark.parametrize(("path", "value"), REFUSED.values(), ids=REFUSED)
def test_what_dprules_does_not_write_it_does_not_read_or_believe(path, value):
    try:
        read = Certificate.from_document(changed(LIST, *path, to=value))
    except ModelError:
        return
    assert read.misread
    assert not read.verify()


def test_what_is_misread_is_said():
    edited = Certificate.from_document(changed(LIST, "statement", to="perfectly private"))
    assert edited.faults() == ["its statement is not what its charges say"]
    assert edited.statement() == LIST.statement()
    assert Certificate.from_document(LIST.document()).misread == ()


@pytest.mark.parametrize("document", [None, [], "certificate", 5, {}])
def test_what_is_no_certificate_is_refused(document):
    with pytest.raises(ModelError):
        Certificate.from_document(document)


def test_optimised_python_refuses_the_same():
    """Validation by `assert` would be gone under -O."""
    script = (
        "import json, sys; from dprules.accounting import Certificate; from dprules.errors import ModelError\n"
        "assert False, 'not optimised'\n"
        "try:\n    Certificate.from_document(json.load(sys.stdin))\n"
        "except ModelError as error:\n    print(error)\n"
    )
    for path, value in ((("epsilon",), -5), (("charges", 0, "releases"), []), (("unit", "rows"), 3)):
        done = subprocess.run(
            [sys.executable, "-O", "-c", script],
            input=json.dumps(changed(LIST, *path, to=value)),
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout


def with_event(document_of_event, copies=1):
    """A consistent document whose second charge has other releases."""
    document = json.loads(LIST.to_json())
    document["charges"][1]["releases"] = [{"name": "rules", "event": document_of_event}] * copies
    return document


ENDLESS = {
    "200,000 rounds, rewards one by one": with_event(
        Cover(1).document() | {"rounds": 200_000, "rewards": [[1, f"1/{k + 2}"] for k in range(60_000)]}
    ),
    "200,000 rounds, one run of rewards": with_event(
        Cover(1).document() | {"rounds": 200_000, "rewards": [[200_000, "1"]]}
    ),
    "5,000 lists of 40 rounds": with_event(Cover(Fraction(1, 50), rounds=40).document(), 5_000),
    "900 lists of 10,000 rewards": with_event(
        Cover(1).document() | {"rounds": 10_000, "rewards": [[9_999, "1"], [1, "0"]]}, 900
    ),
    "5,000 releases": with_event(Pure(Fraction(1, 1000)).document(), 5_000),
}


@pytest.mark.parametrize("document", ENDLESS.values(), ids=ENDLESS)
def test_a_file_that_would_take_for_ever_is_answered(document):
    document["statement"] = None
    try:
        read = Certificate.from_document(document)
    except ModelError:
        return
    assert not read.verify()


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_gaussian_noise_is_certified_and_priced_again(relation):
    unit = Unit("person", 3)
    account = Account(1.0, 1e-6, relation, unit)
    total = gaussian.mu(account.epsilon_left, account.delta_left)
    shares = [("bins", 0.25, True), ("descent", 0.75, False)]
    events = [(name, Gaussian.share(total, share, relation, 3, counts)) for name, share, counts in shares]
    account.charge_together(events)
    certificate = read_again(account.certificate(secure=True, assumptions=(*TABLE, Assumption.ROW_COUNT)))
    assert certificate.charges == account.charges
    assert "bins, descent (Gaussian noise)" in str(certificate.charges[0])
    assert certificate.verify()
    assert not certificate.charges[0].holds(account.neighbours, Unit("person", 4))
    more = replace(account.charges[0], releases=(*account.charges[0].releases, Release("more", Gaussian(total / 1000))))
    assert not more.holds(account.neighbours, unit)


def test_a_certificate_with_more_rounds_than_can_be_priced_does_not_verify():
    many = replace(LIST, charges=(Charge((Release("rules", Cover(TILT, rounds=200)),) * 10, Fraction(1), Fraction(0)),))
    assert "it lists more rounds than can be checked" in read_again(many).faults()
    long = Account(1, 1e-6)
    long.charge("rules", Cover(cover.tilt(1, 1e-6), rounds=200_000))
    assert read_again(long.certificate(secure=True, assumptions=TABLE)).verify()


def test_the_digest_of_a_model_is_kept():
    assert read_again(LIST.for_model("abc")).model_digest == "abc"
    assert LIST.model_digest is None


def test_private_cuts_are_in_the_certificate():
    account = Account(1, 0, "replace")
    account.charge("cuts of age", Quantiles(Fraction(1, 12), 3))
    assert account.epsilon_left == Fraction(1, 2)
    certificate = read_again(account.certificate(secure=True, assumptions=[*TABLE, Assumption.ROW_COUNT]))
    assert certificate.verify()
    assert "cuts of age (private cuts): epsilon 0.5" in str(certificate)


def test_an_account_without_charges_has_nothing_to_certify():
    certificate = Account(1, 0).certificate(secure=True, assumptions=TABLE)
    assert certificate.faults() == ["it lists no release"]


def test_units_without_an_account_are_refused_before_anything_is_priced():
    with pytest.raises(PrivacyError):
        Account(1, 0, unit=Unit("patient", 11)).charge("counts", Counts(Fraction(1, 10)))
