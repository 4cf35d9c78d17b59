import numpy as np
import pytest

from dprules.errors import ResourceError
from dprules.jobs.quiet import without_sizes


def test_sizes_are_not_told_and_nothing_else_changes():
    @without_sizes
    def allocate(rows: int) -> int:
        """Make an array."""
        return len(np.empty((rows, 4711)))

    assert allocate(2) == 2
    assert allocate.__doc__ == "Make an array."
    with pytest.raises(ResourceError, match="not enough memory") as refused:
        allocate(2**45)
    assert "4711" not in str(refused.value)
    assert refused.value.__context__ is None
    with pytest.raises(ValueError, match="negative"):
        allocate(-1)
