"""The paper's generic form, and the two conditions of its lemma."""

from dprules.learners.lists import check_family, em_cover
from dprules.mechanisms import SeededBits
from learners.lists.samples import ROWS

CANDIDATES = [(feature, label) for feature in (0, 1) for label in (0, 1)]


class Errors:
    """The paper's score."""

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


def test_a_family_is_checked_against_both_conditions():
    assert check_family(Errors(), [ROWS], ROWS, CANDIDATES) is None
    assert "more than 1" in str(check_family(Doubled(), [ROWS], ROWS, CANDIDATES))
    assert "does not cover" in str(check_family(Nosy(), [ROWS], [((False, False), 1)], CANDIDATES))


def test_candidates_are_drawn_from_what_is_left():
    seen = []

    def family(chosen):
        seen.append(list(chosen))
        return Errors()

    chosen = em_cover(ROWS, CANDIDATES, family, 50, 2, SeededBits(1))
    assert chosen[0] in [(0, 1), (1, 0), (0, 0)]
    assert len(chosen) == 2
    assert seen[0] == []
