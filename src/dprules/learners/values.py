"""Private values: those of a column whose noisy count reaches a threshold that hides what one unit alone has.

A value that nobody declared may itself be a secret, so that a count must do more than carry noise: it must be so large
that a unit's own rows reach the threshold with probability at most a share of delta.
"""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from dprules.accounting import Account, Neighbours, Values
from dprules.errors import ParameterError
from dprules.mechanisms import Bits, noisy_counts
from dprules.models import values_of
from dprules.numbers import rounded_down
from dprules.schema import PrivateValues, Schema
from dprules.tables import Records

_SMALLEST_TILT = Fraction(1, 2**50)
"""Below, noise need not fit 64 bits."""
_HIGHEST = 2**58
"""Thresholds beyond are for budgets that buy nothing."""


def buy_values(records: Records, schema: Schema, account: Account, bits: Bits) -> Schema:
    """Charge and draw the values of every column that asks for some; return the schema with them.

    Parameters
    ----------
    records : Records
        Where the values are.
    schema : Schema
        With private values; each column says which shares it may have.
    account : Account
        Is charged before anything is drawn, each column on its own.
    bits : Bits
        Where the noise comes from.
    """
    asked = schema.private_values
    epsilon = sum((account.epsilon * Fraction(column.share) for column in asked), Fraction(0))
    delta = sum((account.delta * Fraction(column.delta) for column in asked), Fraction(0))
    if asked and (epsilon >= account.epsilon_left or delta >= account.delta_left):
        raise ParameterError("the shares of private values leave nothing for the model. Lower them.")
    # Every price is known before the first is charged: what cannot be paid is refused before anything is drawn.
    events = {column.name: price_values(column, account) for column in asked}
    for column in asked:
        part = account.epsilon * Fraction(column.share)
        part_of_delta = account.delta * Fraction(column.delta)
        account.charge(values_of(column.name), events[column.name], part, part_of_delta)
    return schema.with_values(
        {c.name: keep_values(records.counts_of_values(c.name), events[c.name], c.most, bits) for c in asked}
    )


def price_values(column: PrivateValues, account: Account) -> Values:
    """Return the sharpest release that the column's shares of an account allow: public, whatever the records.

    An exchange touches two cells, and c rows of a unit up to c cells or one cell c times: the tilt pays for the first,
    the threshold for the second.
    """
    part = rounded_down(account.epsilon * Fraction(column.share))
    part_of_delta = account.delta * Fraction(column.delta)
    cells = 1 if account.neighbours is Neighbours.ADD_REMOVE else 2
    # As the group price divides it, so that no rounding leaves a tilt a hair above its price.
    tilt = Fraction(rounded_down(Fraction(part) / account.unit.rows)) / cells

    if tilt < _SMALLEST_TILT:
        raise ParameterError("epsilon is too small to buy values. Raise it, or declare the values.")

    def suffices(threshold: int) -> bool:
        price = Values(tilt, threshold).curve(account.neighbours).for_group(account.unit.rows)
        return price.delta(part) <= part_of_delta

    enough = 1
    while not suffices(enough):
        enough *= 2
        if enough > _HIGHEST:
            raise ParameterError("delta is too small to buy values. Raise it, or declare the values.")
    least = enough // 2
    while enough - least > 1:
        middle = (least + enough) // 2
        least, enough = (least, middle) if suffices(middle) else (middle, enough)
    return Values(tilt, enough)


def keep_values(counts: Mapping[str, int], event: Values, most: int, bits: Bits) -> tuple[str, ...]:
    """Draw which values are kept, in the order of their texts: at most so many, those with the largest noisy counts.

    Guarantee: the price of `event` (`docs/proofs/private_values.md`), for the noisy counts that reach the threshold and
    hence for what is returned.

    Parameters
    ----------
    counts : mapping
        How many records have each value that occurs; one that does not occur is not there.
    event : Values
        Tilt and threshold.
    most : int
        Values that are kept.
    bits : Bits
        Where the noise comes from.
    """
    values = sorted(counts)
    noisy = noisy_counts(np.array([counts[value] for value in values], dtype=np.int64), event.tilt, bits).tolist()
    reached = [(-count, value) for count, value in zip(noisy, values, strict=True) if count >= event.threshold]
    return tuple(sorted(value for _, value in sorted(reached)[:most]))
