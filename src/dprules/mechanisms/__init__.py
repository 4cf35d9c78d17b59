"""Exact randomness and releases. Everything random in dprules is one of these."""

from dprules.mechanisms.above_threshold import AboveThreshold, Watch
from dprules.mechanisms.bernoulli import bernoulli_exp
from dprules.mechanisms.bits import Bits, SecureBits, SeededBits, os_bits
from dprules.mechanisms.draw import draw
from dprules.mechanisms.geometric import geometric, noisy_counts

__all__ = [
    "AboveThreshold",
    "Bits",
    "SecureBits",
    "SeededBits",
    "Watch",
    "bernoulli_exp",
    "draw",
    "geometric",
    "noisy_counts",
    "os_bits",
]
