"""Signals wait until a step is done."""

import signal
import threading

import pytest

from dprules import signals
from dprules.signals import ENDINGS, hold_signals, note_ending, require_going_on


@pytest.fixture
def heard():
    """Signals that reached their handlers."""
    numbers = []
    before = {number: signal.signal(number, lambda number, _: numbers.append(number)) for number in ENDINGS}
    yield numbers
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda s: s.name)
def test_a_signal_waits_for_the_end_of_the_block(ending, heard):
    with hold_signals():
        signal.raise_signal(ending)
        assert heard == []
    assert heard == [ending]


def test_what_raises_raises_after_the_block(heard):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # `heard` puts back what was there
    done = []

    def work():
        with hold_signals():
            signal.raise_signal(signal.SIGINT)
            done.append(True)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done


def test_an_error_inside_is_not_lost(heard):
    def work():
        with hold_signals():
            signal.raise_signal(signal.SIGTERM)
            raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        work()
    assert heard == [signal.SIGTERM]


def test_what_is_ignored_stays_ignored(heard):
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with hold_signals():
        signal.raise_signal(signal.SIGHUP)
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    assert heard == []


def test_other_threads_have_nothing_to_hold():
    done = []

    def work():
        with hold_signals():
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done


def test_an_end_that_was_swallowed_is_heard_again(monkeypatch):
    monkeypatch.setattr(signals, "_heard", [])
    require_going_on()
    note_ending(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt):
        require_going_on()
    thread = threading.Thread(target=require_going_on)  # which has no handlers, and nothing to end
    thread.start()
    thread.join()
