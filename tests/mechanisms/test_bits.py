import copy
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

from dprules.errors import PrivacyError
from dprules.mechanisms import SecureBits, SeededBits, bits, os_bits


def test_secure_words_differ_between_calls_and_sources():
    one, other = SecureBits(), SecureBits()
    drawn = np.concatenate([one.words(5), one.words(9000), other.words(5), os_bits.words(5)])
    assert len(set(drawn.tolist())) == len(drawn)


def test_words_are_fair_bits():
    words = os_bits.words(40_000)
    shares = [int(((words >> np.uint64(k)) & np.uint64(1)).sum()) / len(words) for k in range(64)]
    assert max(abs(share - 0.5) for share in shares) < 6 * 0.5 / 200


def test_flags_and_reprs_tell_only_whether_a_source_is_secure():
    assert os_bits.secure
    assert not SeededBits(1).secure
    assert repr(os_bits) == "SecureBits()"
    assert repr(SeededBits(123)) == "SeededBits(not private)"


def test_a_bit_source_cannot_be_copied():
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(PrivacyError, match="holds private values"):
            attempt(SecureBits())


def test_a_forked_child_draws_other_words_than_its_parent():
    os_bits.words(1)  # fill the buffer that a careless fork would share
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=lambda: queue.put(os_bits.words(4).tolist())) for _ in range(2)]
    for child in children:
        child.start()
    drawn = [queue.get(timeout=30) for _ in children]
    for child in children:
        child.join()
    drawn.append(os_bits.words(4).tolist())
    assert len({word for words in drawn for word in words}) == 12


FORK_OUTSIDE_PYTHON = """
import ctypes, os
from dprules.mechanisms import os_bits
os_bits.words(1)
reading, writing = os.pipe()
if ctypes.CDLL(None).fork() == 0:
    os.write(writing, repr(os_bits.words(4).tolist()).encode())
    os._exit(0)
os.wait()
print(os.read(reading, 1000).decode())
print(os_bits.words(4).tolist())
"""


def test_a_fork_that_python_does_not_know_of_draws_other_words_too():
    done = subprocess.run([sys.executable, "-c", FORK_OUTSIDE_PYTHON], capture_output=True, text=True, check=True)
    child, parent = map(json.loads, done.stdout.splitlines())
    assert not set(child) & set(parent)


def test_the_key_is_renewed_after_enough_bytes(monkeypatch):
    monkeypatch.setattr(bits, "_REKEY_BYTES", 64)
    source = SecureBits()
    keys = []

    def fresh_key(size):
        keys.append(size)
        return bytes(len(keys) for _ in range(size))

    monkeypatch.setattr(os, "urandom", fresh_key)
    source.words(10_000)
    assert keys == []
    source.words(10_000)
    assert keys == [32]


def test_threads_never_get_the_same_words():
    source, drawn = SecureBits(), []
    threads = [threading.Thread(target=lambda: drawn.extend(source.words(3).tolist())) for _ in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == len(drawn) == 600
