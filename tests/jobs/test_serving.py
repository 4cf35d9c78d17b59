"""Predictions over HTTP: what is asked, what is refused, and that nothing but the public file is opened."""

import asyncio
import json
import re
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dprules.accounting import Account, Assumption, SegmentStream, StreamDraws, ThresholdTilts, Unit
from dprules.errors import BANNER, FileError, ModelError, ParameterError, ResourceError, UnverifiedError
from dprules.files import LARGEST_DOCUMENT
from dprules.jobs import Limits, make_app, serve, stream_serve
from dprules.jobs.serving import public_file, requests
from dprules.jobs.serving.metrics import CONTENT_TYPE
from dprules.jobs.serving.public_file import PublicFile
from dprules.jobs.serving.server import address_of, listen
from dprules.models import HYPOTHESES, Halfspace, Released, StreamMark, Term
from dprules.schema import Boolean, Clipped, Label, Numeric, literals_of
from jobs.asgi import Answer, ask

CANARY = "canary-of-an-event"


def stream_model(releases: int = 3, weight: float = 0.5, secure: bool = True) -> Released:
    """What a stream publishes."""
    terms = (
        Term(literals_of(Boolean("a"))[:1], weight),
        Term(literals_of(Numeric("n", (1.0,)))[:1], 0.25),
        Term(Clipped("x"), 0.1),
    )
    model = Halfspace(terms, 0.0, ("no", "yes"), releases)
    account = Account(1.0, 0, "replace", Unit(of="round"))
    event = SegmentStream(StreamDraws.of(1, 1, 0.25), ThresholdTilts(Fraction(1, 2), Fraction(1, 2)))
    account.charge(HYPOTHESES, event, account.epsilon)
    assumed = (Assumption.FEATURES, Assumption.SETTINGS, Assumption.ROUND_COUNT)
    certificate = account.certificate(secure=secure, assumptions=assumed)
    return Released.of(model, Label("y", ("no", "yes")), certificate, stream=StreamMark("s", 100 * releases, releases))


def forge(path: Path) -> None:
    """Change a weight behind the certificate's back."""
    document = json.loads(path.read_text())
    document["model"]["bias"] = 9.0
    path.write_text(json.dumps(document))


@pytest.fixture
def folder(tmp_path) -> Path:
    """A stream without its private state."""
    (tmp_path / "s").mkdir()
    stream_model().save(tmp_path / "s" / "hypothesis.json")
    return Path(tmp_path / "s")


@pytest.fixture(scope="session")
def files(released, card, tmp_path_factory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("served")
    made = {"list": released, "scorecard": card, "halfspace": stream_model()}
    for name, one in made.items():
        one.save(place / f"{name}.json")
    return {name: place / f"{name}.json" for name in made}


EVENTS = [{"a": True, "b": "u", "n": 3}, {"a": "no", "b": "w", "n": "25"}, {}, {"a": 0, "b": "x", "n": None, "x": -1}]


@pytest.mark.parametrize("kind", ["list", "scorecard", "halfspace"])
def test_answers_are_those_of_the_model(kind, files):
    app = make_app(files[kind])
    model = Released.load(files[kind]).model
    many = ask(app, "/predict", EVENTS).said["predictions"]
    assert ask(app, "/predict", {"events": EVENTS}).said["predictions"] == many
    alone = [ask(app, "/predict", event).said for event in EVENTS]
    assert [{name: said for name, said in one.items() if name != "release"} for one in alone] == many
    assert [one["label"] for one in many] == model.predict(EVENTS).tolist()
    read = model.read_rows(EVENTS)
    assert all(("probabilities" in one) == model.has_probabilities for one in many)
    if model.has_probabilities:
        shares = model.probabilities(read, len(EVENTS)).tolist()
        assert [list(one["probabilities"].values()) for one in many] == shares
        assert list(many[0]["probabilities"]) == list(model.classes)
    assert all(("score" in one) == model.has_scores for one in many)
    if model.has_scores:
        assert [one["score"] for one in many] == model.scores(read, len(EVENTS)).tolist()


def test_what_was_not_read_is_named_by_the_models_own_names(folder):
    app = make_app(folder)
    said = ask(app, "/predict", {"a": "maybe", "A": True, "n": 7, CANARY: CANARY, "x": -1}).said
    assert (said["missing"], said["ignored"]) == (["a"], 2)
    assert CANARY not in json.dumps(said)
    said = ask(app, "/predict", {"a": True, "n": 7, "x": 0}).said
    assert said == {"label": "yes", "score": 0.25, "release": 3}


def test_classes_that_are_numbers(tmp_path):
    account = Account(1.0, 1e-6, "add-remove")
    model = Released.of(
        Halfspace((), 1.0, (0, 1.5)), Label("y", (0, 1.5)), account.certificate(secure=True, assumptions=())
    )
    model.save(tmp_path / "m.json")
    said = ask(make_app(tmp_path / "m.json", unverified=True), "/predict", {}).said
    assert said == {"label": 1.5, "score": 1.0, "verified": False}


REFUSED: dict[str, tuple[bytes, int, str]] = {
    "nothing": (b"", 400, "empty"),
    "spaces": (b" \n ", 400, "empty"),
    "torn": (b'{"a": "%s", ' % CANARY.encode(), 400, "not JSON from line 1"),
    "a word": (CANARY.encode(), 400, "not JSON"),
    "NaN": (b'{"a": NaN}', 400, "NaN and Infinity are no JSON"),
    "-Infinity": (b'[{"a": -Infinity}]', 400, "NaN and Infinity"),
    "not UTF-8": (b'{"a": "\xff%s"}' % CANARY.encode(), 400, "not UTF-8"),
    "UTF-16": ('{"a": 1}'.encode("utf-16"), 400, "not UTF-8"),
    "a text": (b'"%s"' % CANARY.encode(), 400, "neither an event nor a list"),
    "a number": (b"7", 400, "neither an event nor a list"),
    "null": (b"null", 400, "neither"),
    "events that are none": (b'{"events": 7}', 400, "neither"),
    "a list of texts": (b'[{}, "%s"]' % CANARY.encode(), 400, "event 2 is not an object"),
    "a list of lists": (b"[[]]", 400, "event 1 is not an object"),
    "deep": (b"[" * 200_000, 400, "nested too deeply"),
    "deep in an event": (b'{"a": ' * 100_000, 400, "nested too deeply"),
    "a column twice": (b'{"a": 1, "%s": 2, "%s": 3}' % (CANARY.encode(), CANARY.encode()), 400, "stands twice"),
    "a long number": (b'{"a": ' + b"9" * 10_000 + b"}", 400, "too long"),
    "large": (b" " * (2**20 + 1), 413, "1,048,576 bytes"),
    "many": (b"[" + b"{}," * 10_000 + b"{}]", 413, "10,000 events"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_say_what_to_do_and_quote_nothing(case, folder, capfd):
    body, status, sentence = REFUSED[case]
    said: list[str] = []
    answer = ask(make_app(folder, log=said.append), "/predict", body)
    assert answer.status == status
    assert list(answer.said) == ["error"]
    assert sentence in answer.said["error"]
    assert answer.said["error"].endswith(".")
    assert said == [f"POST /predict {status}"]
    assert CANARY not in str(answer)
    assert capfd.readouterr() == ("", "")


def test_odd_cells_are_missing(folder):
    odd = [[], {}, [{}], "\ud800", "", 1e999, 10**30, [[CANARY]], {"n": 1}]
    body = json.dumps([{"a": cell} for cell in odd]).replace("Infinity", "1e999").encode()
    for one in ask(make_app(folder), "/predict", body).said["predictions"]:
        assert "a" in one["missing"]


def test_a_mark_of_byte_order_is_no_event(folder):
    assert ask(make_app(folder), "/predict", b'\xef\xbb\xbf{"a": true}').status == 200


def test_a_body_that_comes_in_parts(folder):
    body = json.dumps(EVENTS).encode()
    parts = [body[i : i + 7] for i in range(0, len(body), 7)]
    assert ask(make_app(folder), "/predict", parts).said == ask(make_app(folder), "/predict", body).said


def test_a_slow_body_gets_an_answer(folder):
    app = make_app(folder, limits=Limits(seconds=0.05))
    answer = ask(app, "/predict", [b"[", b"{}", b"]"], pause=0.04)
    assert (answer.status, answer.headers["connection"]) == (408, "close")
    assert "within 0.05 seconds" in answer.said["error"]


def test_a_client_that_leaves_gets_none(folder):
    said: list[str] = []
    app = make_app(folder, log=said.append)
    assert ask(app, "/predict", [b'{"a": '], leave=True) == Answer(0, {}, b"")
    assert said == []


def test_what_is_left_of_a_large_body_is_read_up_to_a_limit(folder):
    app = make_app(folder, limits=Limits(body=10))
    answer = ask(app, "/predict", [b" " * 2**20] * 15)
    assert (answer.status, answer.headers["connection"]) == (413, "close")
    endless = [b" " * 2**20] * 40
    assert ask(app, "/predict", endless).status == 413
    for announced in ("999999999", "9" * 40):
        assert ask(app, "/predict", [b"{}"], headers={"Content-Length": announced}).status == 413
    assert ask(app, "/predict", [b"{}"], headers={"Content-Length": "no number"}).status == 200
    assert ask(app, "/predict", b"{}", headers={"Content-Encoding": "gzip"}).status == 415
    assert ask(app, "/predict", b"{}", headers={"Content-Encoding": "identity"}).status == 200


ROUTES = [
    ("GET", "/predict", 405, "takes POST only"),
    ("PUT", "/predict", 405, "takes POST only"),
    ("POST", "/hypothesis", 405, "takes GET, HEAD only"),
    ("DELETE", "/healthz", 405, "takes GET, HEAD only"),
    ("GET", "/", 404, "/healthz"),
    ("GET", f"/{CANARY}", 404, "no such endpoint"),
    ("POST", "/predict/", 404, "no such endpoint"),
    ("GET", "/private/state.db", 404, "no such endpoint"),
    ("GET", "/../hypothesis.json", 404, "no such endpoint"),
]


@pytest.mark.parametrize(("method", "path", "status", "sentence"), ROUTES)
def test_other_routes_say_what_there_is(method, path, status, sentence, folder):
    logged: list[str] = []
    answer = ask(make_app(folder, log=logged.append), path, b"{}", method=method)
    assert answer.status == status
    assert sentence in answer.said["error"]
    assert CANARY not in str(answer) + str(logged)
    if status == 405:
        assert answer.headers["allow"]


@pytest.mark.parametrize("kind", ["list", "scorecard", "halfspace"])
def test_what_everybody_may_see(kind, files, tmp_path):
    app = make_app(files[kind])
    released = Released.load(files[kind])
    answer = ask(app, "/hypothesis")
    (tmp_path / "m.json").write_bytes(answer.body)
    assert Released.load(tmp_path / "m.json") == released  # and it verifies
    plain = {"Accept": "text/plain"}
    assert ask(app, "/hypothesis", headers=plain).body.decode() == f"{released.model}\n"
    assert ask(app, "/certificate", headers=plain).body.decode() == f"{released.certificate}\n"
    said = ask(app, "/certificate").said
    assert (said["verified"], said["private"], said["certificate"]) == (True, True, released.certificate.document())
    health = ask(app, "/healthz").said
    assert (health["status"], health["model"], health["verified"]) == ("ok", kind, True)
    assert ask(app, "/healthz", method="HEAD").status == 200


def test_metrics_are_public_things(folder, files):
    answer = ask(make_app(folder), "/metrics")
    assert answer.headers["content-type"] == CONTENT_TYPE
    text = answer.body.decode()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"dprules_[a-z_]+ [0-9.e+-]+", line) for line in lines)
    found = dict(line.split(" ") for line in lines)
    assert float(found["dprules_model_age_seconds"]) < 3600
    assert set(found) == {
        "dprules_stream_rounds_total",
        "dprules_stream_releases_total",
        "dprules_model_age_seconds",
        "dprules_model_verified",
        "dprules_model_private",
        "dprules_model_current",
        "dprules_epsilon",
        "dprules_delta",
    }
    assert (found["dprules_stream_rounds_total"], found["dprules_stream_releases_total"]) == ("300", "3")
    assert text.count("# TYPE") == text.count("# HELP") == len(found)
    assert "stream" not in ask(make_app(files["list"]), "/metrics").body.decode()


def test_metrics_do_not_depend_on_what_was_asked(folder):
    app = make_app(folder)
    before = ask(app, "/metrics").body
    for event in EVENTS:
        ask(app, "/predict", event)
    ask(app, "/predict", b"{")

    def without_age(text: bytes) -> bytes:
        return re.sub(rb"age_seconds [0-9.]+", b"", text)

    assert without_age(ask(app, "/metrics").body) == without_age(before)


# The public file changes.


def opened(folder: Path) -> PublicFile:
    return PublicFile.of_stream(folder, unverified=False)


def test_a_new_file_is_taken_up(folder):
    file = opened(folder)
    before = file.in_force
    file.refresh()
    assert file.in_force is before  # nothing is read when nothing has changed
    stream_model(4, weight=-1.0).save(folder / "hypothesis.json", overwrite=True)
    file.refresh()
    assert file.in_force.mark == StreamMark("s", 400, 4)
    assert file.in_force.predict({"a": True, "n": 0})["label"] == "no"
    assert before.predict({"a": True, "n": 0})["label"] == "yes"


def remove(path: Path) -> None:
    path.unlink()


def tear(path: Path) -> None:
    text = path.read_text()
    path.write_text(text[: len(text) // 2])


def grow(path: Path) -> None:
    with path.open("a") as file:
        file.truncate(LARGEST_DOCUMENT + 1)


FAULTS = {
    "forged": (forge, "does not verify: the certificate is for another model"),
    "torn": (tear, "torn"),
    "empty": (lambda path: path.write_text(""), "torn"),
    "not text": (lambda path: path.write_bytes(b"\xff\x00"), "torn"),
    "gone": (remove, "gone"),
    "a folder": (lambda path: (path.unlink(), path.mkdir()), "gone"),
    "huge": (grow, "torn"),
    "a list without a stream": (lambda path: path.write_text('{"format": "dprules-model", "version": 1}'), "torn"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_file_that_is_no_good_leaves_the_old_one_in_force(case, folder):
    app = make_app(folder)
    file = app._file
    spoil, sentence = FAULTS[case]
    path = folder / "hypothesis.json"
    spoil(path)
    file.refresh()
    file.refresh()
    health = ask(app, "/healthz")
    assert (health.status, health.said["status"], health.said["rounds"]) == (200, "outdated", 300)
    assert sentence in health.said["fault"]
    assert str(folder) not in health.said["fault"]
    assert ask(app, "/predict", {"a": True}).said["release"] == 3
    assert b"dprules_model_current 0" in ask(app, "/metrics").body
    if path.is_dir():
        path.rmdir()
    stream_model(5).save(path, overwrite=True)
    file.refresh()
    assert ask(app, "/healthz").said["status"] == "ok"
    assert ask(app, "/predict", {"a": True}).said["release"] == 5


def test_what_nobody_foresaw_in_a_file_does_not_end_the_service(folder, monkeypatch):
    file = opened(folder)

    def fail(*args: object, **options: object) -> Released:
        raise RuntimeError(CANARY)

    monkeypatch.setattr(public_file, "read_published", fail)
    stream_model(4).save(folder / "hypothesis.json", overwrite=True)
    file.refresh()
    assert "torn" in str(file.fault)


def test_a_running_application_watches_its_file(folder, monkeypatch):
    monkeypatch.setattr(public_file, "PAUSE", 0.01)
    app = make_app(folder)

    async def watch() -> None:
        app._keep_watching()
        stream_model(9).save(folder / "hypothesis.json", overwrite=True)
        for _ in range(200):
            await asyncio.sleep(0.01)
            if app._file.in_force.mark == StreamMark("s", 900, 9):
                return
        raise AssertionError("it was not read again")

    asyncio.run(watch())


def test_the_lifespan_of_a_server_begins_and_ends_the_watch(folder):
    app = make_app(folder)
    inbox = ["startup", "shutdown"]
    outbox: list[str] = []

    async def receive() -> dict[str, str]:
        return {"type": f"lifespan.{inbox.pop(0)}"}

    async def send(message: dict[str, str]) -> None:
        outbox.append(message["type"])

    asyncio.run(app({"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, receive, send))
    assert outbox == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert app._watch is not None
    assert app._watch.cancelled()


# What does not verify.


def test_a_model_that_does_not_verify_is_refused(folder):
    forge(folder / "hypothesis.json")
    with pytest.raises(UnverifiedError, match="does not verify"):
        make_app(folder)
    app = make_app(folder, unverified=True)
    assert ask(app, "/healthz").said["verified"] is False
    assert "the certificate is for another model" in ask(app, "/healthz").said["faults"]
    assert ask(app, "/certificate").said["verified"] is False
    assert ask(app, "/predict", {}).said["verified"] is False
    for path in ("/hypothesis", "/certificate"):
        assert ask(app, path, headers={"Accept": "text/plain"}).body.decode().startswith(BANNER)
    assert b"dprules_model_verified 0" in ask(app, "/metrics").body


def test_seeded_noise_is_said(folder):
    stream_model(secure=False).save(folder / "hypothesis.json", overwrite=True)
    app = make_app(folder)
    assert ask(app, "/healthz").said["private"] is False
    assert b"dprules_model_private 0" in ask(app, "/metrics").body


def test_files_that_are_no_models(folder, files, tmp_path):
    with pytest.raises(FileError, match="no such file"):
        make_app(tmp_path / "none.json")
    with pytest.raises(FileError, match="not a stream"):
        stream_serve(tmp_path / "none", port=0)
    (tmp_path / "empty").mkdir()
    with pytest.raises(Exception, match="not a stream"):
        make_app(tmp_path / "empty")
    with pytest.raises(FileError, match="not a file"):
        serve(folder, port=0)
    (folder / "hypothesis.json").write_bytes(files["list"].read_bytes())
    with pytest.raises(ModelError, match="not the public file of a stream"):
        stream_serve(folder, port=0)


@pytest.mark.parametrize("created", ["yesterday", "2026-11-16T10:00:00", "2999-01-01T00:00:00+00:00"])
def test_the_age_of_a_file_that_says_odd_things(created, folder):
    document = json.loads((folder / "hypothesis.json").read_text()) | {"created": created}
    (folder / "hypothesis.json").write_text(json.dumps(document))
    text = ask(make_app(folder, unverified=True), "/metrics").body.decode()
    assert ("age_seconds" in text) == (created != "yesterday")
    assert "age_seconds -" not in text


# What nobody may see.


def test_only_the_public_file_is_opened(folder):
    (folder / "private").mkdir(mode=0o000)
    seen: list[str] = []

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event in ("open", "os.listdir", "os.scandir", "sqlite3.connect") and watching:
            seen.append(str(arguments[0]))

    watching = True
    sys.addaudithook(note)
    app = make_app(folder)
    for path in ("/healthz", "/hypothesis", "/certificate", "/metrics"):
        ask(app, path)
    ask(app, "/predict", EVENTS)
    watching = False
    stream_model(4).save(folder / "hypothesis.json", overwrite=True)
    watching = True
    app._file.refresh()
    watching = False
    inside = {path for path in seen if str(folder) in path}
    assert inside == {str(folder / "hypothesis.json")}


def test_a_fault_of_ours_says_where_and_not_what(folder, monkeypatch, capfd, caplog):
    app = make_app(folder)

    def fail(event: object) -> dict[str, object]:
        raise ValueError(CANARY)

    served = app._file.in_force
    monkeypatch.setattr(type(served), "predict", lambda self, event: fail(event))
    answer = ask(app, "/predict", {"a": CANARY})
    assert (answer.status, list(answer.said)) == (500, ["error"])
    monkeypatch.setattr(type(served), "describe_model", lambda self: fail(None))
    assert ask(app, "/hypothesis", headers={"Accept": "text/plain"}).status == 500
    out, err = capfd.readouterr()
    assert err.count("something that nobody foresaw (ValueError in test_serving.py:") == 2
    assert CANARY not in str(answer) + out + err + caplog.text


@given(
    st.binary(max_size=300)
    | st.text(alphabet='{}[]":,01eE+-.\\u aNftn\n\ud800', max_size=60).map(
        lambda text: text.encode("utf-8", "surrogatepass")
    )
)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_bytes_are_read_or_refused(body):
    try:
        events, alone = requests.read_events(body, Limits())
    except requests.RefusedError as error:
        refused = error
    else:
        assert all(isinstance(event, dict) for event in events)
        assert len(events) == 1 or not alone
        return
    assert refused.status in (400, 413)
    # The parser's own errors hold the body.
    assert (refused.__cause__, refused.__context__) == (None, None)


# Where it listens.


def test_a_port_is_taken_or_refused():
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        assert address_of(first) == f"http://127.0.0.1:{port}"
        with pytest.raises(ResourceError, match=f"port {port} of 127.0.0.1 is in use"):
            listen("127.0.0.1", port)
    with pytest.raises(ParameterError, match="port must lie"):
        listen("127.0.0.1", 70_000)
    with pytest.raises(ParameterError, match="no address of this machine"):
        listen("no such host.invalid", 0)
    with pytest.raises(ResourceError, match="no address of this machine"):
        listen("192.0.2.1", 0)


def test_the_extra_is_named_where_it_is_missing(folder, monkeypatch):
    for module in ("app", "server"):
        monkeypatch.delitem(sys.modules, f"dprules.jobs.serving.{module}", raising=False)
    monkeypatch.setitem(sys.modules, "starlette", None)
    monkeypatch.setitem(sys.modules, "starlette.applications", None)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for call in (lambda: make_app(folder), lambda: stream_serve(folder), lambda: serve(folder / "hypothesis.json")):
        with pytest.raises(ParameterError, match=r"pip install 'dprules\[serve\]'"):
            call()
