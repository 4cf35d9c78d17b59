"""What a stream keeps: tests may look."""

import json
import sqlite3
from typing import Any

from dprules.learners.streams.packing import unpack_numbers


def read_private(folder) -> dict[str, Any]:
    """The private part of a Winnow on disk, and where its sources are."""
    connection = sqlite3.connect(folder / "private" / "state.db")
    head, public, commits = connection.execute("SELECT head, public, commits FROM learner").fetchone()
    lines = dict(connection.execute("SELECT name, sum(line) FROM sources GROUP BY name").fetchall())
    connection.close()
    small, scores = unpack_numbers(head)
    return {**small, "scores": scores.tolist(), "public": json.loads(public), "commits": commits, "lines": lines}
