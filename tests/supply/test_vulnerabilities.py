"""What nobody could check is not called clean."""

import pytest

from release.vulnerabilities import CLEAN, FOUND, UNKNOWN, judge

SOUND = {"name": "numpy", "version": "2.0", "vulns": []}
FAULTY = {"name": "jinja2", "version": "3.1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3.1.6"]}]}
SKIPPED = {"name": "numba", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("said", "code", "words"),
    [
        ([SOUND, SOUND], CLEAN, "No vulnerability is known of 2 packages."),
        ([SOUND, FAULTY, SKIPPED], FOUND, "jinja2 3.1: PYSEC-1, mended in 3.1.6"),
        ([SOUND, SKIPPED], UNKNOWN, "1 of 2 packages could be checked"),
        ([SKIPPED], UNKNOWN, "nothing was checked"),
        ([], UNKNOWN, "nothing was checked"),
    ],
)
def test_answers_of_a_service(said, code, words):
    ended, lines = judge(said)
    assert ended == code
    assert words in lines[0]
