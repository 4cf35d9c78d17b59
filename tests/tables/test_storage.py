"""Blocks that lie in files: the same contents, readable by nobody else, and nothing is left."""

import os
import stat
import tempfile

import numpy as np
import pytest

from dprules.errors import ResourceError
from dprules.tables import storage as module
from dprules.tables.storage import Storage, release_pages


@pytest.fixture
def blocks() -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [random.integers(0, 2**63, (3, 1000), dtype=np.uint64) for _ in range(5)]


def test_without_a_limit_arrays_stay_where_they_are(blocks):
    storage = Storage()
    assert all(storage.keep(block) is block for block in blocks)


def test_beyond_the_limit_they_lie_in_files(blocks, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_allowance", lambda memory: memory)
    storage = Storage(int(2.5 * blocks[0].nbytes), str(tmp_path))
    kept = [storage.keep(block) for block in blocks]
    assert [a is b for a, b in zip(kept, blocks, strict=True)] == [True, True, False, False, False]
    for a, b in zip(kept, blocks, strict=True):
        assert (a == b).all()
        release_pages(a)
        assert (a == b).all()  # it comes back from the file, or never left
    assert not kept[-1].flags.writeable
    more = np.ones_like(blocks[0])
    assert storage.keep(more) is not more
    del kept[0], blocks[0], a, b
    assert storage.keep(more) is more  # what nobody holds any more has made room


def test_how_much_blocks_may_take():
    assert module._allowance(10**9) == 400_000_000
    assert module._allowance(300_000_000) == 30_000_000


def test_a_file_has_no_name_once_it_is_written(blocks, tmp_path, monkeypatch):
    seen = []
    make = tempfile.mkstemp

    def watched(**options):
        handle, path = make(**options)
        seen.append((stat.S_IMODE(os.stat(path).st_mode), os.path.dirname(path)))
        return handle, path

    monkeypatch.setattr(tempfile, "mkstemp", watched)
    kept = Storage(-1, str(tmp_path)).keep(blocks[0])
    assert seen == [(0o600, str(tmp_path))]
    assert list(tmp_path.iterdir()) == []
    assert (kept == blocks[0]).all()


def test_odd_arrays(tmp_path):
    storage = Storage(-1, str(tmp_path))
    assert storage.keep(np.zeros((4, 0), dtype=np.uint64)).shape == (4, 0)
    turned = np.arange(12, dtype=np.uint16).reshape(3, 4).T
    assert (storage.keep(turned) == turned).all()


def test_a_full_disk_is_an_error_and_leaves_nothing(blocks, tmp_path, monkeypatch):
    def full(handle, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(ResourceError, match="no room left on the disk"):
        Storage(-1, str(tmp_path)).keep(blocks[0])
    assert list(tmp_path.iterdir()) == []
