"""Exact randomness and releases. Everything random in dprules is one of these."""

from dprules.mechanisms.above_threshold import AboveThreshold, Watch
from dprules.mechanisms.bernoulli_exp import bernoulli_exp
from dprules.mechanisms.bits import Bits, KeyedBits, SecureBits, SeededBits, os_bits
from dprules.mechanisms.counts import geometric, noisy_counts
from dprules.mechanisms.cube_noise import cube_noise
from dprules.mechanisms.draw import draw
from dprules.mechanisms.gaussian import gaussian

__all__ = [
    "AboveThreshold",
    "Bits",
    "KeyedBits",
    "SecureBits",
    "SeededBits",
    "Watch",
    "bernoulli_exp",
    "cube_noise",
    "draw",
    "gaussian",
    "geometric",
    "noisy_counts",
    "os_bits",
]
