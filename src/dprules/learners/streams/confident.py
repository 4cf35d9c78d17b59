"""ConfidentWinnow [BF26, Algorithm 2], with the adversary's bits as an argument: **not private**."""

import numpy as np
from numpy.typing import NDArray

from dprules.errors import ParameterError
from dprules.learners.streams.blocks import Block, Floats
from dprules.learners.streams.winnow import Labels, Winnow
from dprules.numbers import Real, rational


class ConfidentWinnow(Winnow):
    """ConfidentWinnow [BF26, Algorithm 2]: an adversary's bits ask for updates where the prediction is unsure.

    At most ln(2d) / ((1 - c) eta rho - eta^2 / 2) updates on a stream with margin rho, whatever the bits.

    Parameters
    ----------
    dimension : int
        Coordinates, the bias included.
    rate : number
        eta.
    margin : number
        rho.
    confidence : number
        c in (0, 1/2); |<w, x>| below c rho is unsure.
    bits : array of bool or None
        One for each round, in their order; None asks whenever it may.
    """

    def __init__(
        self,
        dimension: int,
        rate: Real,
        margin: Real,
        confidence: Real = 1 / 3,
        bits: NDArray[np.bool_] | None = None,
    ) -> None:
        super().__init__(dimension, rate)
        if not 0 < float(confidence) < 0.5:
            raise ParameterError(f"confidence must lie between 0 and 1/2; got {confidence}. 1/3 is about best.")
        self._unsure = float(rational(confidence, "confidence") * rational(margin, "margin"))
        self._bits = bits
        self._rounds = 0

    def learn(self, block: Block, labels: Labels) -> None:
        """Take labelled examples; the bits go on where the last block ended."""
        super().learn(block, labels)
        self._rounds += block.size

    def _asks(self, says: Floats, labels: Labels, start: int) -> NDArray[np.bool_]:
        """Mistakes, and unsure predictions where the adversary says so."""
        asks, unsure = super()._asks(says, labels, start), np.abs(says) < self._unsure
        if self._bits is not None:
            unsure &= self._bits[self._rounds + start : self._rounds + start + len(says)]
        return asks | unsure
