from collections.abc import Iterator
from pathlib import Path

import pytest

from fuzz import genuine
from fuzz.guard import Guard

collect_ignore = ["with_atheris.py"]  # a script, which needs a package that tests do not


@pytest.fixture(scope="session")
def guard() -> Iterator[Guard]:
    with Guard() as started:
        yield started


@pytest.fixture(scope="session")
def learnt(tmp_path_factory) -> Path:
    """A stream that has learnt a little: copy it before it is damaged."""
    return genuine.make_stream(tmp_path_factory.mktemp("streams") / "genuine")
