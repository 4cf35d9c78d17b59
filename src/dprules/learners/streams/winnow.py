"""Winnow [Lit88] for halfspaces, by multiplicative weights over coordinates and their negatives: **not private**."""

import numpy as np
from numpy.typing import NDArray

from dprules.learners.streams.blocks import Block, Floats, Weights
from dprules.numbers import Real, rational

Labels = NDArray[np.int8]


class Winnow:
    """w = (1/2d, ..., 1/2d); after a mistake on (x, y), w_j is multiplied by exp(eta y x_j) and w normalised.

    On a stream with margin rho it makes at most 2 ln(2d) / rho^2 mistakes with eta = rho.

    Examples
    --------
    >>> from dprules.learners.streams import DenseBlock
    >>> x = np.random.default_rng(0).random((2000, 50)) < 0.5
    >>> winnow = Winnow(51, rate=0.25)
    >>> winnow.learn(DenseBlock(x), np.where(x[:, 0] | x[:, 1], 1, -1).astype(np.int8))
    >>> bool(winnow.mistakes <= 2 * np.log(102) / 0.25**2)
    True
    """

    def __init__(self, dimension: int, rate: Real = 0.2) -> None:
        self._rate = float(rational(rate, "rate"))
        self._scores = np.zeros(dimension)
        self.weights = Weights.zero(dimension)
        """Of each coordinate: its weight minus that of its negative."""
        self.mistakes = 0
        self.updates = 0

    def learn(self, block: Block, labels: Labels) -> None:
        """Take labelled examples, labels -1 or 1, one after the other."""
        start, look = 0, 1
        while start < block.size:
            stop = min(start + look, block.size)
            says = block.weigh(self.weights, start, stop)
            asks = self._asks(says, labels[start:stop], start)
            found = np.flatnonzero(asks)
            end = stop if len(found) == 0 else start + int(found[0]) + 1
            self.mistakes += int((labels[start:end] * says[: end - start] <= 0).sum())
            if len(found):
                self._update(block, labels, end - 1)
            start, look = end, min(2 * look, 4096) if len(found) == 0 else 1

    def _asks(self, says: Floats, labels: Labels, start: int) -> NDArray[np.bool_]:
        """Which examples ask for an update: mistakes, ties among them."""
        asks: NDArray[np.bool_] = labels * says <= 0
        return asks

    def _update(self, block: Block, labels: Labels, row: int) -> None:
        term = np.zeros(len(self._scores), dtype=np.int64)
        block.add(np.array([row]), labels, term)
        self._scores += self._rate * term / block.unit
        top = np.abs(self._scores).max()
        up, down = np.exp(self._scores - top), np.exp(-self._scores - top)
        self.weights = Weights((up - down) / float(up.sum() + down.sum()))
        self.updates += 1
