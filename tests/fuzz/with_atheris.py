"""Fuzz one parser with atheris, which follows the branches of the code; a script, and no test.

    pip install atheris          # in the environment of the tests
    python tests/fuzz/with_atheris.py schema -max_total_time=600

The first word names a target of `TARGETS`, the others are libFuzzer's. It starts from genuine files. What is neither
read nor refused in our words, or takes a minute or gigabytes, ends it and is left in a file: crash-, timeout-, oom-.
"""

import json
import random
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import atheris


def find_compiled() -> list[str]:
    """Return the modules with compiled functions: their branches cannot be followed."""
    spec = find_spec("dprules")
    root = Path((spec and spec.origin) or "").parent
    found = [path for path in root.rglob("*.py") if "compiled" in path.read_text()]
    return [".".join(["dprules", *path.relative_to(root).with_suffix("").parts]) for path in found]


with atheris.instrument_imports(include=["dprules", "tomllib"], exclude=find_compiled()):
    from dprules.errors import DprulesError
    from fuzz import genuine
    from fuzz.mutations import mutate_json, scramble
    from fuzz.parsers import PARSERS

TARGETS = {
    "model": ("model", "model.json"),
    "list": ("list", "list.json"),
    "scorecard": ("scorecard", "card.json"),
    "halfspace": ("halfspace", "halfspace.json"),
    "certificate": ("certificate", "certificate.json"),
    "schema": ("schema", "schema.toml"),
    "codebook": ("codebook", "codebook.csv"),
    "published": ("published", "stream/hypothesis.json"),
    "state": ("stream", "stream/private/state.db"),
    "attempt": ("stream", "stream/private/attempt"),
    "events": ("events", "events.jsonl"),
    "rows": ("events", "events.csv"),
    "pipe": ("pipe", "events.jsonl"),
    "csv": ("table", "table.csv"),
    "zipped": ("table", "table.csv.gz"),
    "parquet": ("table", "table.parquet"),
    "request": ("request", "body.json"),
}
"""By name: a parser of `fuzz.parsers`, and the file that is made hostile."""


def find_seeds(target: str, folder: Path) -> list[bytes]:
    """Return genuine files of a target."""
    name = TARGETS[target][1]
    if name.startswith("stream/"):
        return [(folder / name).read_bytes()]
    published = json.loads((folder / "stream" / "hypothesis.json").read_text())
    documents = {
        "model": [*genuine.models().values(), published],
        "list": [genuine.models()["list"]["model"]],
        "scorecard": genuine.cards(),
        "halfspace": [published["model"]],
        "certificate": genuine.certificates(),
        "request": [genuine.ROWS[:3]],
    }
    texts = {
        "schema": genuine.SCHEMA.encode(),
        "codebook": genuine.CODEBOOK.encode(),
        "zipped": genuine.zipped(genuine.csv_lines()),
        "parquet": genuine.parquet_file(folder),
    }
    if target in documents:
        return [json.dumps(document).encode() for document in documents[target]]
    return [texts.get(target) or (genuine.csv_lines() if name.endswith(".csv") else genuine.json_lines())]


class Target:
    """One parser, and the file it reads."""

    def __init__(self, name: str, folder: Path) -> None:
        self._folder = folder
        parser, self._name = TARGETS[name]
        self._parse = PARSERS[parser]
        self._is_stream = self._name.startswith("stream/")
        if self._is_stream or name in ("model", "halfspace"):
            genuine.make_stream(folder / "stream")

    def __call__(self, data: bytes) -> None:
        """Read some bytes; whatever is not one of our errors ends the run."""
        path = self._folder / self._name
        given = path
        if self._is_stream:
            given = self._folder / "copy"
            shutil.rmtree(given, ignore_errors=True)
            shutil.copytree(self._folder / "stream", given)
            path = given / Path(self._name).relative_to("stream")
        path.write_bytes(data)
        try:
            self._parse(given)
        except DprulesError:
            return


def change(data: bytes, most: int, seed: int) -> bytes:
    """Change a document by its structure if it is one; otherwise, and now and then, its bytes."""
    choice = random.Random(seed)
    if choice.random() < 0.5:
        try:
            return mutate_json(json.loads(data), seed)[:most]
        except (ValueError, RecursionError):
            pass
    changed: bytes = scramble(data, seed) if choice.random() < 0.5 else atheris.Mutate(data, most)
    return changed[:most]


def main() -> None:
    """Fuzz the target that the command line names."""
    name = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        target = Target(name, folder)
        corpus = folder / "corpus"
        corpus.mkdir()
        if not (folder / "stream").exists():
            genuine.make_stream(folder / "stream")
        for place, seed in enumerate(find_seeds(name, folder)):
            (corpus / str(place)).write_bytes(seed)
        limits = ["-timeout=60", "-rss_limit_mb=2500", "-max_len=300000"]
        atheris.Setup([*sys.argv, *limits, str(corpus)], target, custom_mutator=change)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
